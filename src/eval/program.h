/* A program of somebody else's that is run on a folder. */
#ifndef F0T_EVAL_PROGRAM_H
#define F0T_EVAL_PROGRAM_H

#include "base/context.h"

/* Runs "program folder", without input; what it prints goes to a file in the folder. Fails when it cannot be
 * started, exits with another status than 0 (with the last line that it printed), or takes longer than
 * `timeout` seconds: then it is killed, with what it started; so it is when the monitor's stop flag is set. */
f0t_status f0t_program_run(const char *program, const char *folder, size_t timeout,
                           const f0t_monitor *monitor);

#endif
