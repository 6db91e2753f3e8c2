#include "bench.h"

#include "base/monitor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 5, NAME_SIZE = 96 };

/* A clock reading and the first touch of memory must not count, nor that a thread wakes on the core of another: each works
 * at least this long per round, whatever its peers take, and as long before. */
static const double ROUND_SECONDS = 0.1;

/* Threads of a peer may spin after its work in wait for more (ONNX Runtime's some tens of milliseconds), in the way of
 * whoever comes next: that one waits for so many microseconds, and warms up again unless it takes this long. */
enum { SETTLING = 100000 };
static const double LONG_SECONDS = 0.5;

static f0t_status time_runs(double *seconds, const bench_contender *contender, size_t repeats)
{
    double start = f0t_time();
    for (size_t i = 0; i < repeats; i++)
        F0T_TRY(contender->run(contender->context));
    *seconds = (f0t_time() - start) / (double)repeats;
    return F0T_OK;
}

static int by_size(const void *left, const void *right)
{
    double x = *(const double *)left, y = *(const double *)right;
    return x < y ? -1 : x > y;
}

/* How often one that takes so long works in a round. */
static size_t count_repeats(double seconds)
{
    return seconds < ROUND_SECONDS ? (size_t)ceil(ROUND_SECONDS / fmax(seconds, 1e-9)) : 1;
}

static f0t_status settle(const bench_contender *contender)
{
    double warm;
    usleep(SETTLING);
    return contender->seconds < LONG_SECONDS
               ? time_runs(&warm, contender, count_repeats(contender->seconds))
               : F0T_OK;
}

/* The seconds of a contender are those of its second run until all rounds are done. */
static f0t_status measure_rounds(double (*times)[ROUNDS], bench_contender *contenders, size_t count)
{
    for (size_t i = 0; i < 2 * count; i++)
        F0T_TRY(time_runs(&contenders[i / 2].seconds, &contenders[i / 2], 1));
    for (size_t round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < count; i++) {
            const bench_contender *one = &contenders[i];
            if (count > 1)
                F0T_TRY(settle(one));
            F0T_TRY(time_runs(&times[i][round], one, count_repeats(one->seconds)));
        }
    return F0T_OK;
}

f0t_status bench_measure(bench_contender *contenders, size_t count)
{
    double(*times)[ROUNDS] = cli_alloc(count * sizeof *times);
    f0t_status status = measure_rounds(times, contenders, count);
    for (size_t i = 0; i < count && status == F0T_OK; i++) {
        qsort(times[i], ROUNDS, sizeof times[i][0], by_size);
        contenders[i].seconds = times[i][ROUNDS / 2];
    }
    free(times);
    return status;
}

typedef struct row {
    char name[NAME_SIZE];
    char peer[NAME_SIZE]; /* empty: none */
    const char *unit;
    double value, peer_value;
} row;

struct bench_report {
    const char *bench;
    row *rows;
    size_t count;
};

bench_report *bench_report_create(const char *bench)
{
    bench_report *report = cli_alloc(sizeof *report);
    report->bench = bench;
    return report;
}

void bench_report_free(bench_report *report)
{
    free(report->rows);
    free(report);
}

void bench_report_add(bench_report *report, const char *name, const char *unit, double work,
                      const bench_contender *contenders, size_t count)
{
    for (size_t peer = count > 1 ? 1 : 0; peer < count; peer++) {
        row *rows = cli_alloc((report->count + 1) * sizeof *rows);
        if (report->count)
            memcpy(rows, report->rows, report->count * sizeof *rows);
        free(report->rows);
        report->rows = rows;
        row *added = &rows[report->count++];
        snprintf(added->name, sizeof added->name, "%s", name);
        added->unit = unit;
        added->value = work / contenders[0].seconds;
        snprintf(added->peer, sizeof added->peer, "%s",
                 contenders[peer].name ? contenders[peer].name : "");
        added->peer_value = work / contenders[peer].seconds;
    }
}

static f0t_status print_json(cli_context *cli, const bench_report *report)
{
    json_t *list = json_array();
    for (size_t i = 0; i < report->count; i++) {
        const row *r = &report->rows[i];
        json_t *item = *r->peer ? json_pack("{s:s, s:s, s:f, s:s, s:s, s:f, s:f}", "bench",
                                            report->bench, "case", r->name, "value", r->value,
                                            "unit", r->unit, "peer", r->peer, "peer_value",
                                            r->peer_value, "ratio", r->value / r->peer_value)
                                : json_pack("{s:s, s:s, s:f, s:s, s:n, s:n, s:n}", "bench",
                                            report->bench, "case", r->name, "value", r->value,
                                            "unit", r->unit, "peer", "peer_value", "ratio");
        if (!item || json_array_append_new(list, item) != 0) {
            json_decref(list);
            list = NULL;
            break;
        }
    }
    return cli_print_json(cli, list);
}

static void print_table(const bench_report *report)
{
    static const char *const heads[] = {"case", "fast0tag", "unit", "peer", "its", "ratio"};
    cli_table *table = cli_table_create(6, heads, "lrllrr");
    for (size_t i = 0; i < report->count; i++) {
        const row *r = &report->rows[i];
        char value[32], peer_value[32] = "", ratio[32] = "";
        snprintf(value, sizeof value, "%.1f", r->value);
        if (*r->peer) {
            snprintf(peer_value, sizeof peer_value, "%.1f", r->peer_value);
            snprintf(ratio, sizeof ratio, "%.2f", r->value / r->peer_value);
        }
        cli_table_add(table, (const char *[]){r->name, value, r->unit, r->peer, peer_value, ratio});
    }
    cli_table_print(table, stdout);
    cli_table_free(table);
}

f0t_status bench_report_print(cli_context *cli, const bench_report *report,
                              const bench_options *options)
{
    if (!report->count && options->only)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "no case's name contains '%s'", options->only);
    if (cli->json)
        return print_json(cli, report);
    print_table(report);
    return F0T_OK;
}

bool bench_wanted(const bench_options *options, const char *name)
{
    return !options->only || strstr(name, options->only);
}
