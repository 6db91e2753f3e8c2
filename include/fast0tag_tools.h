/*
 * fast0tag, the tools: import of datasets, conversion of word vectors, inspection of files.
 *
 * The contract of fast0tag.h (who owns what, errors, threads) holds here too.
 */
#ifndef FAST0TAG_TOOLS_H
#define FAST0TAG_TOOLS_H

#include "fast0tag.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif

#endif
