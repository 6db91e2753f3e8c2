#include "support.h"

#include "report/table.h"
#include "xml.h"

#include <string.h>

static f0t_table *make_table(void)
{
    static const char *const groups[] = {"", "K = 3", NULL, "other"};
    static const char *const heads[] = {"Method", "P", "R", "N"};
    f0t_table *t;
    assert_ok(f0t_table_create(&t, "A caption", "lrrl", groups, heads));
    f0t_table_row(t, F0T_ROW_PLAIN);
    f0t_table_cell(t, "a|b & <c>", F0T_CELL_PLAIN);
    f0t_table_cell(t, "12.5", F0T_CELL_BEST);
    f0t_table_cell(t, "–", F0T_CELL_PLAIN);
    f0t_table_cell(t, "x, \"y\"", F0T_CELL_PLAIN);
    f0t_table_row(t, F0T_ROW_MINOR);
    f0t_table_cell(t, "50 %", F0T_CELL_PLAIN);
    return t;
}

static void check_form(f0t_table_form form, bool bold, const char *want)
{
    f0t_table *t = make_table();
    f0t_text text = {0};
    f0t_table_write(&text, t, form, bold);
    assert_ok(text.status);
    assert_string_equal(text.bytes, want);
    f0t_text_free(&text);
    f0t_table_free(t);
}

static void text_lines_up(void **state)
{
    (void)state;
    check_form(F0T_TABLE_TEXT, false,
               "A caption\n"
               "             K = 3    other\n"
               "Method        P   R  N\n"
               "a|b & <c>  12.5*  –  x, \"y\"\n"
               "50 %\n");
    check_form(F0T_TABLE_TEXT, true,
               "A caption\n"
               "            K = 3    other\n"
               "Method        P  R  N\n"
               "a|b & <c>  \033[1m12.5\033[0m  –  x, \"y\"\n"
               "50 %\n");
}

static void other_forms_escape_what_they_must(void **state)
{
    (void)state;
    check_form(F0T_TABLE_MARKDOWN, false,
               "A caption\n\n"
               "| Method | P K = 3 | R K = 3 | N other |\n|---|---:|---:|---|\n"
               "| a\\|b & \\<c\\> | **12.5** | – | x, \"y\" |\n| 50 % |  |  |  |\n");
    check_form(F0T_TABLE_CSV, false, "Method,P,R,N\na|b & <c>,12.5,–,\"x, \"\"y\"\"\"\n50 %,,,\n");
    check_form(
        F0T_TABLE_LATEX, false,
        "\\begin{table}\n\\centering\n\\caption{A caption}\n\\begin{tabular}{lrrl}\n\\toprule\n"
        "\\multicolumn{1}{c}{} & \\multicolumn{2}{c}{K = 3} & \\multicolumn{1}{c}{other} "
        "\\\\\n\\cmidrule(lr){2-3}\n\\cmidrule(lr){4-4}\nMethod & P & R & N \\\\\n\\midrule\n"
        "a|b \\& <c> & \\textbf{12.5} & – & x, \"y\" \\\\\n50 \\% &  &  &  \\\\\n"
        "\\bottomrule\n\\end{tabular}\n\\end{table}\n");
}

static void html_is_well_formed(void **state)
{
    f0t_table *t = make_table();
    f0t_text text = {0};
    (void)state;
    f0t_table_write_html(&text, t);
    assert_int_equal(xml_count(&text, "//tbody/tr"), 2);
    assert_int_equal(xml_count(&text, "//tr[@class='minor']"), 1);
    assert_int_equal(xml_count(&text, "//td[@class='r best'][.='12.5']"), 1);
    assert_int_equal(xml_count(&text, "//th[@colspan='2']"), 1);
    f0t_text_free(&text);
    f0t_table_free(t);
}

static void a_row_that_is_too_long_is_told(void **state)
{
    f0t_table *t = make_table();
    f0t_text text = {0};
    (void)state;
    for (int i = 0; i < 5; i++)
        f0t_table_cell(t, "more", F0T_CELL_PLAIN);
    f0t_table_write(&text, t, F0T_TABLE_TEXT, false);
    assert_fails(F0T_ERROR_INTERNAL, "a table row has no place for 'more'", text.status);
    f0t_text_free(&text);
    f0t_table_free(t);
}

static f0t_status fill_and_write(void *context)
{
    static const char *const heads[] = {"a", "b"};
    f0t_table *t;
    f0t_text text = {0};
    (void)context;
    f0t_status status = f0t_table_create(&t, "c", "lr", NULL, heads);
    if (status != F0T_OK)
        return status;
    for (int i = 0; i < 20; i++) {
        f0t_table_row(t, F0T_ROW_PLAIN);
        f0t_table_cell(t, "cell", F0T_CELL_PLAIN);
    }
    f0t_table_write(&text, t, F0T_TABLE_TEXT, false);
    status = text.status;
    f0t_text_free(&text);
    f0t_table_free(t);
    return status;
}

static void missing_memory_is_told(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, fill_and_write, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_lines_up),
        cmocka_unit_test(other_forms_escape_what_they_must),
        cmocka_unit_test(html_is_well_formed),
        cmocka_unit_test(a_row_that_is_too_long_is_told),
        cmocka_unit_test(missing_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
