/* Reports and the page of a comparison. */
#include "../eval/fixture.h"

#include "fast0tag_tools.h"
#include "report/eval_tables.h"
#include "report/text.h"

static f0t_dataset *dataset;
static f0t_vectors *vectors;
static f0t_eval *eval;

/* The collection, with names of pictures that need escaping: every fifth image, among them all of the
 * test part that are drawn, has one. */
static int open_all(void **state)
{
    static const collection_options o = {.name = "shown"};
    collection c = collection_create(&o);
    char path[300], lines[C_IMAGES * 32];
    size_t at = 0;
    (void)state;
    for (size_t m = 0; m < C_IMAGES; m++)
        at += (size_t)snprintf(lines + at, sizeof lines - at, "<%zu>.jpg\n", m);
    snprintf(path, sizeof path, "%s/images.txt", c.path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(lines, file);
    fclose(file);
    for (size_t m = 4; m < C_IMAGES; m += 5) {
        snprintf(path, sizeof path, "%s/<%zu>.jpg", c.path, m);
        file = fopen(path, "w");
        fputs("\xFF\xD8\xFF\xE0", file);
        fclose(file);
    }
    assert_ok(f0t_dataset_open(&dataset, c.path, NULL, NULL));
    assert_ok(f0t_vectors_open(&vectors, c.vectors, NULL, NULL));
    f0t_eval_options options = {.size = sizeof(f0t_eval_options),
                                .centred = true,
                                .methods = "random,frequency,linear,ranksvm",
                                .figure = "linear"};
    assert_ok(f0t_eval_run(&eval, dataset, vectors, &options, NULL));
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    f0t_eval_free(eval);
    f0t_vectors_close(vectors);
    f0t_dataset_close(dataset);
    return 0;
}

static size_t count_text(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        count++;
    return count;
}

static void the_page_has_everything_inside(void **state)
{
    const char *folder = test_path("page");
    char path[300];
    size_t size;
    (void)state;
    assert_ok(f0t_eval_save_page(eval, folder, "nuswide"));
    snprintf(path, sizeof path, "%s/index.html", folder);
    char *page = test_read(path, &size);
    /* A chart of each scenario (completion runs only where it is named), and two of the confidences that
     * frequency has where it applies. */
    assert_int_equal(count_text(page, "<svg"), F0T_SCENARIOS - 1 + 2 * 2);
    assert_int_equal(count_text(page, "Are confidences true?"), 2 * 2);
    assert_int_equal(count_text(page, "Frequency, recall"), 2);
    assert_int_equal(count_text(page, "data:image/jpeg;base64,/9j/4A=="), 12);
    assert_true(count_text(page, "class=\"right\"") > 10);
    assert_true(count_text(page, "class=\"wrong\"") > 10);
    assert_non_null(strstr(page, "zero-shot<br>"));
    assert_int_equal(count_text(page, "alt=\"&lt;"), 12);
    assert_int_equal(count_text(page, "&gt;.jpg\""), 2 * 12);
    assert_null(strstr(page, ">.jpg"));
    assert_non_null(strstr(page, "is swapped"));
    f0t_free(page);
    assert_ok(f0t_eval_save_page(eval, folder, NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "'x'", f0t_eval_save_page(eval, folder, "x"));
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere",
                 f0t_eval_save_page(eval, test_path("nowhere/page"), NULL));
}

/* Columns of the figure: a method in a scenario each. */
static void all_methods_are_shown_where_it_is_asked(void **state)
{
    const f0t_eval_options options = {
        .size = sizeof(f0t_eval_options),
        .centred = true,
        .methods = "random,cca,seen2unseen,labelem,conse,linear,linear-rank,ranksvm",
        .figure = "all",
        .no_tune = true,
        .epochs = 1};
    f0t_eval *all;
    char path[300];
    size_t size, columns = 0;
    (void)state;
    assert_ok(f0t_eval_run(&all, dataset, vectors, &options, NULL));
    for (size_t i = 0; i < all->row_count; i++)
        columns += !all->rows[i].refusal && strcmp(all->rows[i].scenario, "open") != 0;
    assert_true(columns > 24);
    assert_ok(f0t_eval_save_page(all, test_path("wide"), NULL));
    snprintf(path, sizeof path, "%s/index.html", test_path("wide"));
    char *page = test_read(path, &size);
    const char *row = strstr(strstr(page, "<table class=\"gallery\">"), "<tbody>");
    char *end = strstr(row, "</tr>");
    *end = 0;
    assert_int_equal(count_text(row, "<td"), 2 + columns);
    f0t_free(page);
    f0t_eval_free(all);
}

static void check_report(const f0t_eval_layout *layout, const char *part)
{
    f0t_report *report;
    assert_ok(f0t_eval_report(&report, eval, layout));
    if (!strstr(f0t_report_text(report), part))
        fail_msg("no '%s' in:\n%s", part, f0t_report_text(report));
    f0t_report_free(report);
}

static void reports_come_in_every_form(void **state)
{
    f0t_eval_layout layout = F0T_EVAL_LAYOUT;
    (void)state;
    check_report(NULL, "Zero-shot tagging: 120 test images, 3 tags\n");
    check_report(NULL, "here those of zero-shot tagging");
    check_report(NULL, "– Frequency: ranks only tags");
    layout.bold = true;
    check_report(&layout, "\033[1m");
    layout.paper = "nuswide";
    check_report(&layout, "  difference");
    layout = (f0t_eval_layout){
        .size = sizeof(f0t_eval_layout), .form = F0T_TABLE_LATEX, .paper = "iaprtc12"};
    check_report(&layout, "\n% The paper's");
    layout = (f0t_eval_layout){
        .size = sizeof(f0t_eval_layout), .form = F0T_TABLE_MARKDOWN, .per_class = true};
    check_report(&layout, "| P K = 3 | P* K = 3 | R K = 3 | F1 K = 3 | N+ K = 3 |");
    layout = (f0t_eval_layout){.size = sizeof(f0t_eval_layout), .form = F0T_TABLE_CSV};
    check_report(&layout, "\nfrequency,zero-shot,120,3,1,,");
}

/* F1 of zero-shot tagging for K = 3. */
static double zero_shot_f3(const char *method)
{
    f0t_eval_slice slice = f0t_eval_slice_of(eval, F0T_ZERO_SHOT);
    for (size_t i = 0; i < slice.count; i++)
        if (!strcmp(slice.rows[i].method, method))
            return f0t_eval_row_mean(&slice.rows[i], "f3");
    fail_msg("%s is not compared", method);
    return 0;
}

/* Of three tags everybody has the same three in front. Others are bold then, the oracle is not. */
static void an_oracle_wins_nothing(void **state)
{
    static const char title[] = "\nRankSVM (oracle)  ";
    f0t_report *report;
    f0t_eval_layout layout = {.size = sizeof(f0t_eval_layout), .bold = true};
    size_t lines = 0;
    (void)state;
    assert_true(zero_shot_f3("ranksvm") == zero_shot_f3("linear"));
    assert_ok(f0t_eval_report(&report, eval, &layout));
    const char *at = f0t_report_text(report);
    assert_non_null(strchr(at, '\033'));
    for (; (at = strstr(at, title)) != NULL; at += strlen(title)) {
        size_t line = strcspn(at + 1, "\n");
        assert_null(memchr(at + 1, '\033', line));
        lines += strcspn(at + 1, "0123456789") < line;
    }
    assert_true(lines > 0);
    f0t_report_free(report);
}

static f0t_status save_page(void *context)
{
    f0t_report *report;
    f0t_eval_layout layout = {
        .size = sizeof(f0t_eval_layout), .per_class = true, .paper = "nuswide"};
    f0t_status status = f0t_eval_save_page(eval, context, NULL);
    if (status == F0T_OK)
        status = f0t_eval_report(&report, eval, &layout);
    if (status == F0T_OK)
        f0t_report_free(report);
    return status;
}

static void every_failure_is_told(void **state)
{
    char folder[300];
    (void)state;
    snprintf(folder, sizeof folder, "%s", test_path("failing"));
    test_each_fault(F0T_FAULT_WRITE, save_page, folder);
    test_each_fault(F0T_FAULT_ALLOC, save_page, folder);
}

static void curves_are_of_a_few_comparisons(void **state)
{
    const f0t_eval *evals[] = {NULL};
    const size_t images[] = {1};
    f0t_report *report;
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT, "curves of no comparison",
                 f0t_eval_curves_report(&report, evals, images, 0, NULL));
    assert_fails(F0T_ERROR_ARGUMENT, " numbers of images",
                 f0t_eval_curves_report(&report, evals, images, F0T_CURVE_SIZES + 1, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_are_of_a_few_comparisons),
        cmocka_unit_test(the_page_has_everything_inside),
        cmocka_unit_test(all_methods_are_shown_where_it_is_asked),
        cmocka_unit_test(reports_come_in_every_form),
        cmocka_unit_test(an_oracle_wins_nothing),
        cmocka_unit_test(every_failure_is_told),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
