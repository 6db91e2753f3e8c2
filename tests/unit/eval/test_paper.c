#include "support.h"

#include "eval/paper.h"

#include <math.h>
#include <string.h>

/* The misprints that are named: everything else must hang together. */
static bool is_slip(const char *data, const f0t_published_table *t, const char *method, int k)
{
    if (strcmp(data, "iaprtc12") != 0 || k != 5)
        return false;
    return (t->scenario == F0T_ZERO_SHOT && !strcmp(method, "random")) ||
           (t->scenario == F0T_SEEN_UNSEEN && !strcmp(method, "labelem"));
}

/* F1 follows from precision and recall within what rounding hides. */
static bool hangs_together(const double *prf, double unit)
{
    double low = 2 * (prf[0] - unit) * (prf[1] - unit) / (prf[0] + prf[1] - 2 * unit);
    double high = 2 * (prf[0] + unit) * (prf[1] + unit) / (prf[0] + prf[1] + 2 * unit);
    return prf[2] > low - 2 * unit && prf[2] < high + 2 * unit;
}

static void check_rows(const f0t_published *p, const f0t_published_table *t)
{
    for (size_t r = 0; r < t->row_count; r++)
        for (int k = 3; k <= 5; k += 2) {
            const double *prf = t->rows[r].values + (k == 3 ? 1 : 4);
            bool fits = hangs_together(prf, t->decimals ? 0.051 : 0.51);
            if (fits == is_slip(p->name, t, t->rows[r].method, k))
                fail_msg("%s, %s, %s at %d: %g %g %g", p->title, t->name, t->rows[r].method, k,
                         prf[0], prf[1], prf[2]);
        }
}

static void published_values_hang_together_but_for_the_slips_that_are_named(void **state)
{
    static const char *const names[] = {"nuswide", "iaprtc12"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const f0t_published *p;
        assert_ok(f0t_published_find(&p, names[i]));
        assert_non_null(p->slips[0]);
        for (size_t t = 0; t < p->table_count; t++)
            check_rows(p, &p->tables[t]);
    }
}

/* MiAP follows from nothing else in a row: these were read off the paper's pages. */
static void miap_is_as_printed(void **state)
{
    static const struct {
        const char *data;
        f0t_scenario scenario;
        const char *method;
        double miap;
    } printed[] = {
        {"nuswide", F0T_CONVENTIONAL_UNSEEN, "cca", 19},
        {"nuswide", F0T_CONVENTIONAL_UNSEEN, "wsabie", 28},
        {"nuswide", F0T_CONVENTIONAL_UNSEEN, "tagprop", 53},
        {"nuswide", F0T_CONVENTIONAL_UNSEEN, "net", 55},
        {"nuswide", F0T_ZERO_SHOT, "random", 7.1},
        {"nuswide", F0T_ZERO_SHOT, "conse", 32.4},
        {"nuswide", F0T_ZERO_SHOT, "linear", 40.1},
        {"nuswide", F0T_ZERO_SHOT, "ranksvm", 37.0},
        {"nuswide", F0T_SEEN_UNSEEN, "labelem", 8.8},
        {"nuswide", F0T_SEEN_UNSEEN, "linear", 18.8},
        {"nuswide", F0T_SEEN_UNSEEN, "net", 19.1},
        {"nuswide", F0T_OPEN, "random", 0.3},
        {"nuswide", F0T_OPEN, "linear", 9.8},
        {"nuswide", F0T_OPEN, "net", 8.5},
        {"iaprtc12", F0T_CONVENTIONAL, "tagprop", 52},
        {"iaprtc12", F0T_CONVENTIONAL, "linear", 46},
        {"iaprtc12", F0T_CONVENTIONAL, "net", 56},
        {"iaprtc12", F0T_ZERO_SHOT, "seen2unseen", 15.6},
        {"iaprtc12", F0T_ZERO_SHOT, "conse", 24.1},
        {"iaprtc12", F0T_ZERO_SHOT, "net", 20.3},
        {"iaprtc12", F0T_SEEN_UNSEEN, "labelem+", 20.1},
        {"iaprtc12", F0T_SEEN_UNSEEN, "linear", 42.9},
        {"iaprtc12", F0T_SEEN_UNSEEN, "net", 45.9},
    };
    (void)state;
    assert_string_equal(f0t_published_names[0], "miap");
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        const f0t_published *p;
        assert_ok(f0t_published_find(&p, printed[i].data));
        const f0t_published_table *t = f0t_published_table_of(p, printed[i].scenario);
        const f0t_published_row *row = f0t_published_row_of(t, printed[i].method);
        assert_non_null(row);
        if (row->values[0] != printed[i].miap)
            fail_msg("%s, %s, %s: %g, not %g", printed[i].data, t->name, printed[i].method,
                     row->values[0], printed[i].miap);
    }
}

static void rows_are_found_by_scenario_and_method(void **state)
{
    const f0t_published *p;
    (void)state;
    assert_ok(f0t_published_find(&p, "nuswide"));
    const f0t_published_table *t = f0t_published_table_of(p, F0T_ZERO_SHOT);
    assert_true(f0t_published_row_of(t, "net")->values[0] == 42.2);
    assert_null(f0t_published_row_of(t, "tagprop"));
    assert_null(f0t_published_table_of(p, F0T_CONVENTIONAL));
    assert_null(f0t_published_table_of(NULL, F0T_CONVENTIONAL));
    assert_fails(F0T_ERROR_ARGUMENT, "no dataset of the paper is called 'corel': nuswide, iaprtc12",
                 f0t_published_find(&p, "corel"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_values_hang_together_but_for_the_slips_that_are_named),
        cmocka_unit_test(miap_is_as_printed),
        cmocka_unit_test(rows_are_found_by_scenario_and_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
