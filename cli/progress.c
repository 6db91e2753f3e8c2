/* Progress on stderr: a line that renews itself on a terminal, plain lines elsewhere. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double PLAIN_INTERVAL = 5;  /* seconds between two lines that stay, */
static const uint64_t PLAIN_TENTHS = 10; /* and of the bar of a whole command, a tenth */

static struct {
    volatile sig_atomic_t stop;
    bool quiet, silent, terminal, line_open;
    char stage[256]; /* the stage that `start` belongs to */
    double start, shown;
    uint64_t first, last; /* what was done when it began, and at the last call, */
    uint64_t plain;       /* and when a line that stays was written */
} state;

double cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void clear_line(void)
{
    if (state.line_open)
        fprintf(stderr, "\r\033[K");
    state.line_open = false;
}

static void write_log(void *user, f0t_log_level level, const char *line)
{
    (void)user;
    if (state.silent || (state.quiet && level == F0T_LOG_INFO))
        return;
    clear_line();
    fputs(level == F0T_LOG_WARNING ? "warning: " : "", stderr);
    cli_print_shown(stderr, line);
    fputs("\n", stderr);
}

/* 1234567 → "1.23 M". */
static void format_count(char *out, size_t size, double value)
{
    static const char *const units[] = {"", " k", " M", " G", " T"};
    size_t unit = 0;
    while (value >= 9999.5 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1000;
        unit++;
    }
    if (unit == 0)
        snprintf(out, size, "%.0f", value);
    else
        snprintf(out, size, "%.*f%s", value < 100 ? 1 : 0, value, units[unit]);
}

static void format_time(char *out, size_t size, double left)
{
    unsigned long s = left < 1e9 ? (unsigned long)(left + 0.5) : 999999999UL;
    if (s < 60)
        snprintf(out, size, "%lu s", s);
    else if (s < 3600)
        snprintf(out, size, "%lu min %02lu s", s / 60, s % 60);
    else
        snprintf(out, size, "%lu h %02lu min", s / 3600, s / 60 % 60);
}

/* A share of the whole: "learning: 43 %, 12 s left". */
static bool is_share(const f0t_progress *p)
{
    return p->total && !strcmp(p->unit, "%");
}

static void format_share(char *out, size_t size, const f0t_progress *p, double now)
{
    const double spent = now - state.start, did = (double)(p->done - state.first);
    char time[40], left[64] = "", stage[300];
    if (spent > 2 && did > 0) {
        format_time(time, sizeof time, (double)(p->total - p->done) / did * spent);
        snprintf(left, sizeof left, ", %s left", time);
    }
    f0t_line_escape(stage, sizeof stage, p->stage);
    snprintf(out, size, "%s: %.0f %%%s", stage, 100 * (double)p->done / (double)p->total, left);
}

static void format_line(char *out, size_t size, const f0t_progress *p, double now)
{
    char done[32], total[40] = "", rate[48] = "", left[64] = "", stage[300];
    double spent = now - state.start;
    double speed = spent > 0 ? (double)(p->done - state.first) / spent : 0;
    format_count(done, sizeof done, (double)p->done);
    if (p->total) {
        char number[32];
        format_count(number, sizeof number, (double)p->total);
        snprintf(total, sizeof total, " of %s", number);
    }
    if (speed > 0) {
        char number[32];
        format_count(number, sizeof number, speed);
        snprintf(rate, sizeof rate, ", %s per second", number);
    }
    if (speed > 0 && p->total > p->done && spent > 0.5) {
        char time[40];
        format_time(time, sizeof time, (double)(p->total - p->done) / speed);
        snprintf(left, sizeof left, ", %s left", time);
    }
    f0t_line_escape(stage, sizeof stage, p->stage);
    snprintf(out, size, "%s: %s%s %s%s%s", stage, done, total, p->unit, rate, left);
}

static void begin_stage(const f0t_progress *p, double now)
{
    snprintf(state.stage, sizeof state.stage, "%s", p->stage);
    state.start = now;
    state.first = state.plain = p->done;
    state.shown = state.terminal ? 0 : now; /* short work leaves no lines in a log file */
}

/* Whether a line that stays says something new. */
static bool is_due(const f0t_progress *p, double now)
{
    return now - state.shown >= PLAIN_INTERVAL &&
           (!is_share(p) || p->done - state.plain >= p->total / PLAIN_TENTHS);
}

static void show_progress(void *user, const f0t_progress *p)
{
    char line[512];
    double now = cli_seconds();
    (void)user;
    if (strncmp(state.stage, p->stage, sizeof state.stage - 1) != 0 || p->done < state.last)
        begin_stage(p, now); /* another one, or the same once more */
    state.last = p->done;
    bool ended = p->total && p->done >= p->total;
    if (state.terminal && ended) {
        clear_line();
        return;
    }
    if (!state.terminal && !is_due(p, now))
        return;
    state.shown = now;
    state.plain = p->done;
    (is_share(p) ? format_share : format_line)(line, sizeof line, p, now);
    if (state.terminal)
        fprintf(stderr, "\r%s\033[K", line);
    else
        fprintf(stderr, "%s\n", line);
    state.line_open = state.terminal;
}

static void on_signal(int number)
{
    (void)number;
    state.stop = 1;
}

/* The first Ctrl-C asks the work to stop, the second ends the program. */
static void catch_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = (int)(SA_RESETHAND | SA_RESTART);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

const f0t_monitor *cli_monitor_start(bool quiet, bool silent)
{
    static f0t_monitor monitor;
    const char *term = getenv("TERM");
    state.quiet = quiet;
    state.silent = silent;
    state.terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
    monitor.log = write_log;
    monitor.progress = quiet || silent ? NULL : show_progress;
    monitor.stop = &state.stop;
    catch_signals();
    return &monitor;
}

void cli_monitor_end(void)
{
    clear_line();
}
