#include "support.h"

#include "import/csv.h"

#include <stdio.h>
#include <string.h>

/* Reads the text and gives it back as [cell|cell] a record. */
static f0t_status render(const char *text, size_t size, char delimiter, char *out, size_t room)
{
    f0t_stream *stream;
    f0t_csv *csv = NULL;
    const f0t_csv_cell *cells;
    size_t count = 1, used = 0;
    out[0] = '\0';
    F0T_TRY(f0t_stream_open_memory(&stream, text, size, "t.csv"));
    f0t_status status = f0t_csv_open(&csv, stream, delimiter);
    while (status == F0T_OK && count) {
        status = f0t_csv_next(&cells, &count, csv);
        for (size_t i = 0; status == F0T_OK && i < count; i++) {
            assert_int_equal(cells[i].text[cells[i].length], 0);
            used +=
                (size_t)snprintf(out + used, room - used, "%s%.*s%s", i ? "|" : "[",
                                 (int)cells[i].length, cells[i].text, i + 1 == count ? "]" : "");
        }
    }
    f0t_csv_close(csv);
    f0t_stream_close(stream);
    return status;
}

static void expect(const char *text, const char *want)
{
    char got[1000];
    assert_ok(render(text, strlen(text), 0, got, sizeof got));
    assert_string_equal(got, want);
}

static void refuse(const char *text, const char *says)
{
    char got[1000];
    assert_fails(F0T_ERROR_FORMAT, says, render(text, strlen(text), 0, got, sizeof got));
}

static void plain_cells_are_split_at_the_delimiter(void **state)
{
    (void)state;
    expect("a,b\nc,d\n", "[a|b][c|d]");
    expect("a,b\r\nc,d", "[a|b][c|d]");
    expect(",\n,", "[|][|]");
    expect("\xEF\xBB\xBF"
           "a,b",
           "[a|b]");
    expect("a;b,c", "[a;b|c]");
    expect("\n\na,b\n\n\nc,d\n\n", "[a|b][c|d]");
    expect("", "");
}

static void quotes_protect_delimiters_line_ends_and_quotes(void **state)
{
    (void)state;
    expect("\"a,b\",c\n", "[a,b|c]");
    expect("\"a\nb\",c\r\nd,\"\"\n", "[a\nb|c][d|]");
    expect("\"a\r\nb\",c", "[a\nb|c]");
    expect("\"say \"\"hi\"\"\",c", "[say \"hi\"|c]");
    expect("\"\"\"\",x", "[\"|x]");
    expect("a,\"\n\n\"\n", "[a|\n\n]");
    expect("5\" nail,b", "[5\" nail|b]");
    expect("\"a\"", "[a]");
}

static void a_tab_in_the_first_line_makes_it_tsv(void **state)
{
    char got[100];
    (void)state;
    expect("a\tb,c\nd\te\n", "[a|b,c][d|e]");
    assert_ok(render("a;b", 3, ';', got, sizeof got));
    assert_string_equal(got, "[a|b]");
    assert_fails(F0T_ERROR_ARGUMENT, "delimiter", render("a", 1, '"', got, sizeof got));
}

static void broken_quoting_is_named_by_line(void **state)
{
    (void)state;
    refuse("a,b\n\"c,d\n\n", "t.csv:2: a quote is opened in this record and never closed");
    refuse("\"a\"b,c", "t.csv:1: cell 1: text after the closing quote");
    refuse("a,b\nc\n", "t.csv:2: has 1 cells, but the first record has 2");
    refuse("a,b\nc,d,e\n", "t.csv:2: has 3 cells");
    refuse("a,\xFF\n", "t.csv:1: not UTF-8");
    refuse("\"a\n\x01\",b\n", "t.csv:2: a control character");
}

static f0t_status load(const void *data, size_t size)
{
    char got[1000];
    return render(data, size, 0, got, sizeof got);
}

static const char valid[] = "path,tags\n\"a,\"\"b\"\"\",\"x\ny\"\nc,d\n";

static bool any(size_t size)
{
    (void)size;
    return true;
}

static void no_altered_or_cut_input_does_harm(void **state)
{
    (void)state;
    test_alter_everywhere(valid, sizeof valid - 1, load);
    test_cut_everywhere(valid, sizeof valid - 1, load, any);
}

static f0t_status load_valid(void *context)
{
    (void)context;
    return load(valid, sizeof valid - 1);
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, load_valid, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_cells_are_split_at_the_delimiter),
        cmocka_unit_test(quotes_protect_delimiters_line_ends_and_quotes),
        cmocka_unit_test(a_tab_in_the_first_line_makes_it_tsv),
        cmocka_unit_test(broken_quoting_is_named_by_line),
        cmocka_unit_test(no_altered_or_cut_input_does_harm),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
