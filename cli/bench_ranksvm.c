/* Ranking SVMs beside scikit-learn's LinearSVC on the differences of all pairs. */
#include "bench_ranksvm.h"

#include "bench.h"
#include "bench_child.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/monitor.h"

#include <stdlib.h>

enum { RULES = 512, NAME_SIZE = 96 };

static const size_t relevants[] = {1, 5, 20};
/* How many of the rules the peer solves: the last of these take it a second each. */
static const size_t peer_rules[] = {12, 4, 2};
static const double lambdas[] = {0.01, 1, 100};
static const struct {
    f0t_hinge hinge;
    const char *name;
} hinges[] = {{F0T_HINGE_SQUARED, "squared hinge"}, {F0T_HINGE_PLAIN, "hinge"}};

/* One measured case. */
typedef struct solving {
    const f0t_ranksvm *svm;
    const f0t_rules *rules;
    double lambda;
    f0t_ranksvm_options options;
    float *directions;
    f0t_ranksvm_result *results;
} solving;

static f0t_status run(void *context)
{
    const solving *s = context;
    return f0t_ranksvm_solve(s->directions, s->results, s->svm, s->rules, &s->lambda, 1,
                             &s->options, NULL);
}

/* Starts the peer on the first rules, with our objectives to compare its own with. */
static bench_child *start_peer(cli_context *cli, const solving *s, const bench_tags *tags,
                               size_t count)
{
    char folder[4096];
    const bench_case c = {tags, s->rules, count, s->lambda, s->options.hinge, s->results};
    bench_child *child = NULL;
    if (bench_case_write(&c, folder, sizeof folder) == F0T_OK)
        child = bench_child_start(cli, "ranksvm_peer.py", (const char *const[]){folder, NULL});
    else
        f0t_log(cli->monitor, F0T_LOG_WARNING, "%s: measuring without bench/ranksvm_peer.py",
                f0t_last_error());
    bench_case_remove(folder);
    return child;
}

static f0t_status measure(cli_context *cli, bench_report *report, solving *s,
                          const bench_tags *tags, const char *name, size_t peer_count)
{
    F0T_TRY(run(s));
    bench_child *peer = peer_count ? start_peer(cli, s, tags, peer_count) : NULL;
    bench_contender contenders[2] = {{NULL, run, s, 0}};
    if (peer)
        contenders[1] = (bench_contender){bench_child_name(peer), bench_child_run, peer, 0};
    f0t_status status = bench_measure(contenders, peer ? 2 : 1);
    if (status == F0T_OK) {
        contenders[0].seconds /= (double)s->rules->count;
        contenders[1].seconds /= (double)peer_count;
        bench_report_add(report, name, "rules/s", 1, contenders, peer ? 2 : 1);
    }
    bench_child_end(peer);
    return status;
}

/* All cases of one set of rules. `what` says which rules they are. */
static f0t_status measure_rules(cli_context *cli, bench_report *report,
                                const bench_options *options, const bench_tags *tags,
                                const f0t_ranksvm *svm, const f0t_rules *rules, const char *what,
                                size_t peer_count)
{
    solving s = {.svm = svm, .rules = rules};
    f0t_status status = f0t_alloc(&s.directions, rules->count * tags->dims, sizeof *s.directions);
    if (status == F0T_OK)
        status = f0t_alloc(&s.results, rules->count, sizeof *s.results);
    for (size_t i = 0; status == F0T_OK && i < 6; i++) {
        char name[NAME_SIZE];
        s.options.hinge = hinges[i / 3].hinge;
        s.lambda = lambdas[i % 3];
        snprintf(name, sizeof name, "%s, lambda %g, %s", hinges[i / 3].name, s.lambda, what);
        if (bench_wanted(options, name))
            status = measure(cli, report, &s, tags, name, peer_count);
    }
    f0t_free(s.directions);
    f0t_free(s.results);
    return status;
}

static f0t_status measure_seen(cli_context *cli, bench_report *report, const bench_options *options)
{
    bench_tags tags = {0};
    f0t_ranksvm *svm = NULL;
    f0t_status status = bench_tags_seen(cli, &tags);
    if (status == F0T_OK)
        status = f0t_ranksvm_create(&svm, tags.vectors, tags.count, tags.dims);
    for (size_t i = 0; status == F0T_OK && i < 3; i++) {
        char what[NAME_SIZE];
        f0t_rules *rules;
        snprintf(what, sizeof what, "%zu of %zu %s", relevants[i], tags.count,
                 tags.real ? "tags" : "random vectors");
        status = bench_rules_draw(&rules, RULES, relevants[i], tags.count);
        if (status == F0T_OK)
            status = measure_rules(cli, report, options, &tags, svm, rules, what, peer_rules[i]);
        f0t_rules_free(rules);
    }
    f0t_ranksvm_free(svm);
    bench_tags_free(&tags);
    return status;
}

static f0t_status measure_nuswide(cli_context *cli, bench_report *report,
                                  const bench_options *options)
{
    bench_tags tags = {0};
    f0t_ranksvm *svm = NULL;
    f0t_rules *rules = NULL;
    f0t_status status = bench_tags_nuswide(cli, &tags, &rules);
    if (status == F0T_OK && rules)
        status = f0t_ranksvm_create(&svm, tags.vectors, tags.count, tags.dims);
    if (status == F0T_OK && rules) {
        char what[NAME_SIZE];
        snprintf(what, sizeof what, "all %zu rules of NUS-WIDE's %zu", rules->count, tags.count);
        status = measure_rules(cli, report, options, &tags, svm, rules, what, 0);
    }
    f0t_ranksvm_free(svm);
    f0t_rules_free(rules);
    bench_tags_free(&tags);
    return status;
}

f0t_status bench_ranksvm(cli_context *cli, const void *options)
{
    F0T_ENTER(cli->context); /* what is measured is inside of the library */
    bench_report *report = bench_report_create("ranksvm");
    f0t_status status = measure_seen(cli, report, options);
    if (status == F0T_OK)
        status = measure_nuswide(cli, report, options);
    if (status == F0T_OK)
        status = bench_report_print(cli, report, options);
    bench_report_free(report);
    return status;
}
