/* Lines, points and bars: well-formed, and as many of each as the data say. */
#include "support.h"

#include "report/svg.h"
#include "xml.h"

#include <math.h>
#include <stdlib.h>

#define SVG(name) "//*[local-name()='" name "']"

static const double X[] = {1, 10, 100, 1000}, Y[] = {2, -1, 30, 500};

static f0t_svg_plot plot_of(const f0t_svg_series *series, size_t count)
{
    return (f0t_svg_plot){.title = "<Time> & \"space\"",
                          .description = "what it shows",
                          .x = {.title = "images", .log = true},
                          .y = {.title = "seconds", .log = true},
                          .series = series,
                          .series_count = count};
}

static void a_line_breaks_where_a_value_cannot_be_shown(void **state)
{
    f0t_svg_series series[2] = {{.name = "a", .count = 4, .x = X, .y = Y},
                                {.name = NULL, .count = 2, .x = X, .y = X}};
    f0t_svg_plot plot = plot_of(series, 2);
    f0t_text text = {0};
    (void)state;
    f0t_svg_lines(&text, &plot);
    assert_int_equal(xml_count(&text, SVG("path") "[contains(@class,'l')]"), 2);
    /* Three marks of `a`, and its mark in the legend. */
    assert_int_equal(xml_count(&text, SVG("circle")), 4);
    assert_int_equal(xml_count(&text, SVG("rect")), 2);
    assert_non_null(strstr(text.bytes, "&lt;Time&gt; &amp; &quot;space&quot;"));
    const char *path = strstr(text.bytes, "class=\"c0 l\"");
    size_t moves = 0;
    for (const char *c = path; *c != '>'; c++)
        moves += *c == 'M';
    assert_int_equal(moves, 2);
    f0t_text_free(&text);
}

static void points_have_spreads_and_labels(void **state)
{
    static const char *const labels[] = {"dog", NULL, "<sea>", NULL};
    static const double spread[] = {1, 0, (double)NAN, 100};
    f0t_svg_series series = {
        .name = "p", .count = 4, .x = X, .y = Y, .spread = spread, .labels = labels};
    f0t_svg_plot plot = plot_of(&series, 1);
    f0t_text text = {0};
    (void)state;
    plot.y.log = false;
    f0t_svg_scatter(&text, &plot);
    assert_int_equal(xml_count(&text, SVG("circle")), 5);
    assert_int_equal(xml_count(&text, SVG("line") "[@class='e']"), 2);
    assert_int_equal(xml_count(&text, SVG("text") "[.='<sea>']"), 1);
    f0t_text_free(&text);
}

static void an_empty_plot_is_a_plot(void **state)
{
    f0t_svg_plot plot = {0};
    f0t_svg_bar_chart chart = {0};
    f0t_text text = {0};
    (void)state;
    f0t_svg_lines(&text, &plot);
    assert_int_equal(xml_count(&text, SVG("path")), 0);
    f0t_text_free(&text);
    f0t_svg_bars(&text, &chart);
    assert_int_equal(xml_count(&text, SVG("rect")), 0);
    f0t_text_free(&text);
}

/* The number after `name` in the text at `from`. */
static double attribute(const char *from, const char *name)
{
    const char *at = strstr(from, name);
    assert_non_null(at);
    return strtod(at + strlen(name), NULL);
}

static void equal_axes_have_equal_steps_and_the_origin(void **state)
{
    static const double x[] = {0, 1, 0}, y[] = {0, 0, 0.2};
    static const f0t_svg_note notes[] = {{.text = "here", .x = 0.5, .y = 0.1},
                                         {.text = "there", .x = 1, .y = 0.1, .arrow = true}};
    f0t_svg_series series = {.count = 3, .x = x, .y = y};
    f0t_svg_plot plot = {.series = &series,
                         .series_count = 1,
                         .x.bare = true,
                         .y.bare = true,
                         .origin = true,
                         .equal = true,
                         .notes = notes,
                         .note_count = 2};
    f0t_text text = {0};
    double cx[3], cy[3];
    (void)state;
    f0t_svg_scatter(&text, &plot);
    assert_int_equal(xml_count(&text, SVG("line") "[@class='g']"), 0);
    assert_int_equal(xml_count(&text, SVG("line") "[@class='o']"), 2);
    assert_int_equal(xml_count(&text, SVG("path") "[@class='a']"), 1);
    assert_int_equal(xml_count(&text, SVG("text") "[@class='n']"), 2);
    const char *at = text.bytes;
    for (int i = 0; i < 3; i++) {
        at = strstr(at, "<circle") + 1;
        cx[i] = attribute(at, "cx=\"");
        cy[i] = attribute(at, "cy=\"");
    }
    assert_true(cx[1] - cx[0] > 100);
    assert_true(fabs((cx[1] - cx[0]) / 5 - (cy[0] - cy[2])) < 0.1);
    f0t_text_free(&text);
}

static void forty_series_have_marks_of_their_own(void **state)
{
    f0t_svg_series series[41];
    f0t_svg_plot plot = {.series = series, .series_count = 41};
    char *seen[41];
    (void)state;
    for (size_t i = 0; i < 41; i++)
        series[i] = (f0t_svg_series){.count = 1, .x = X, .y = Y};
    f0t_text text = {0};
    f0t_svg_scatter(&text, &plot);
    assert_ok(text.status);
    seen[0] = strstr(text.bytes, "<circle class=\"c0\"");
    assert_non_null(seen[0]);
    for (size_t i = 1; i < 41; i++)
        seen[i] = strchr(seen[i - 1], '\n') + 1;
    /* All are at the same place: marks that are the same are the same text. */
    const size_t length = (size_t)(strchr(seen[0], '\n') - seen[0]);
    for (size_t i = 1; i < 41; i++)
        assert_int_equal(!strncmp(seen[i], seen[0], length), i == 40);
    f0t_text_free(&text);
}

static void bars_lie_or_stand(void **state)
{
    static const char *const groups[] = {"net", "tagprop", "conse"}, *const series[] = {"MiAP",
                                                                                        "F1"};
    static const double values[] = {55, 30, (double)NAN, 20, -5, 10}, spreads[6] = {1, 2};
    f0t_svg_bar_chart chart = {.groups = groups,
                               .group_count = 3,
                               .series = series,
                               .series_count = 2,
                               .values = values,
                               .spreads = spreads,
                               .decimals = 1};
    (void)state;
    for (int standing = 0; standing < 2; standing++) {
        f0t_text text = {0};
        chart.standing = standing;
        f0t_svg_bars(&text, &chart);
        /* Five bars, and the square of the second series in the legend. */
        assert_int_equal(xml_count(&text, SVG("rect")), 6);
        assert_int_equal(xml_count(&text, SVG("line") "[@class='e']"), 2);
        assert_int_equal(xml_count(&text, SVG("text") "[.='–']"), standing ? 0 : 1);
        assert_int_equal(xml_count(&text, SVG("text") "[.='tagprop']"), 1);
        f0t_text_free(&text);
    }
}

static f0t_status draw(void *context)
{
    f0t_svg_series series = {.name = "a", .count = 4, .x = X, .y = Y};
    f0t_svg_plot plot = plot_of(&series, 1);
    f0t_text text = {0};
    (void)context;
    f0t_svg_lines(&text, &plot);
    f0t_status status = text.status;
    f0t_text_free(&text);
    return status;
}

static void missing_memory_is_told(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, draw, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_breaks_where_a_value_cannot_be_shown),
        cmocka_unit_test(points_have_spreads_and_labels),
        cmocka_unit_test(an_empty_plot_is_a_plot),
        cmocka_unit_test(equal_axes_have_equal_steps_and_the_origin),
        cmocka_unit_test(forty_series_have_marks_of_their_own),
        cmocka_unit_test(bars_lie_or_stand),
        cmocka_unit_test(missing_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
