/* Critical-difference diagrams: a name per method, and a bar per group that cannot be told apart. */
#include "support.h"

#include "report/svg.h"
#include "xml.h"

#define SVG(name) "//*[local-name()='" name "']"

static const char *const NAMES[] = {"<a>", "b", "c", "d", "e"};

static size_t count_bars(const double *ranks, size_t count, double critical)
{
    f0t_text text = {0};
    f0t_svg_ranks(&text, &(f0t_svg_rank_chart){.title = "Ranks & names",
                                               .description = "which is ahead",
                                               .names = NAMES,
                                               .ranks = ranks,
                                               .count = count,
                                               .critical = critical});
    assert_ok(text.status);
    for (size_t i = 1; i < count; i++)
        assert_non_null(strstr(text.bytes, NAMES[i]));
    assert_non_null(strstr(text.bytes, "&lt;a&gt; "));
    const size_t bars = xml_count(&text, SVG("rect"));
    f0t_text_free(&text);
    return bars;
}

static void bars_join_what_does_not_differ(void **state)
{
    static const double ranks[] = {4.5, 1, 2, 2.5, 5};
    (void)state;
    assert_int_equal(count_bars(ranks, 5, 0.1), 0);
    assert_int_equal(count_bars(ranks, 5, 0.5), 2);  /* c d, a e */
    assert_int_equal(count_bars(ranks, 5, 1.5), 2);  /* b c d, a e */
    assert_int_equal(count_bars(ranks, 5, 2), 3);    /* b c d, d a, a e */
    assert_int_equal(count_bars(ranks, 5, 2.25), 3); /* the same */
    assert_int_equal(count_bars(ranks, 5, 2.5), 3);  /* b c d, c d a, d a e */
    assert_int_equal(count_bars(ranks, 5, 99), 1);
}

static f0t_status draw_once(void *context)
{
    static const double ranks[] = {1, 2};
    f0t_text text = {0};
    (void)context;
    f0t_svg_ranks(&text, &(f0t_svg_rank_chart){.names = NAMES, .ranks = ranks, .count = 2});
    f0t_status status = text.status;
    f0t_text_free(&text);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, draw_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_join_what_does_not_differ),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
