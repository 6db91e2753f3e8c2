/* Reporting progress to the caller's monitor, and asking whether to stop. */
#ifndef F0T_BASE_MONITOR_H
#define F0T_BASE_MONITOR_H

#include "base/context.h"

/* One stage of work. `shown` is the time of the last progress call. */
typedef struct f0t_stage {
    const f0t_monitor *monitor;
    f0t_progress progress;
    double shown;
} f0t_stage;

/* Starts a stage. `name` and `unit` must live as long as the stage. `monitor` may be NULL. */
f0t_stage f0t_stage_begin(const f0t_monitor *monitor, const char *name, const char *unit,
                          uint64_t total);

/* Reports that `done` of the total is done; fails with F0T_ERROR_INTERRUPTED when the work is to stop. */
f0t_status f0t_stage_update(f0t_stage *stage, uint64_t done);

/* Shows the end of the stage: all is done. */
void f0t_stage_end(f0t_stage *stage);

/* True when the monitor's stop flag is set, or another process of the run has failed. */
bool f0t_monitor_stopped(const f0t_monitor *monitor);
/* The flag alone. */
bool f0t_monitor_asked(const f0t_monitor *monitor);

/* Logs one line. */
void f0t_log(const f0t_monitor *monitor, f0t_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Seconds on a clock that only goes forward. */
double f0t_time(void);
/* Seconds of processor time that all threads of the process have used. */
double f0t_cpu_time(void);

#endif
