/* The methods, each defined in the file of its name. */
#ifndef F0T_BASELINE_METHODS_H
#define F0T_BASELINE_METHODS_H

#include "baseline/ranker.h"

extern const f0t_ranker f0t_ranker_random;
extern const f0t_ranker f0t_ranker_frequency;
extern const f0t_ranker f0t_ranker_cca;
extern const f0t_ranker f0t_ranker_wsabie;
extern const f0t_ranker f0t_ranker_tagprop;
extern const f0t_ranker f0t_ranker_warp;
extern const f0t_ranker f0t_ranker_fasttag;
extern const f0t_ranker f0t_ranker_seen2unseen;
extern const f0t_ranker f0t_ranker_labelem;
extern const f0t_ranker f0t_ranker_labelem_plus;
extern const f0t_ranker f0t_ranker_conse;
extern const f0t_ranker f0t_ranker_linear;
extern const f0t_ranker f0t_ranker_linear_rank;
extern const f0t_ranker f0t_ranker_net;
extern const f0t_ranker f0t_ranker_ranksvm;
extern const f0t_ranker f0t_ranker_fu2015_direct;
extern const f0t_ranker f0t_ranker_fu2015;

#endif
