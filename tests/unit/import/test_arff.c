#include "support.h"

#include "import/arff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Reads all; the values of the last row go to out[0, most). */
static f0t_status read_all(const char *text, size_t size, float *out, size_t most, size_t *rows)
{
    f0t_stream *stream;
    f0t_arff arff;
    bool found = true;
    F0T_TRY(f0t_stream_open_memory(&stream, text, size, "t.arff"));
    f0t_status status = f0t_arff_open(&arff, stream);
    for (*rows = 0; status == F0T_OK && found; *rows += found) {
        status = f0t_arff_next(&found, &arff);
        if (status == F0T_OK && found)
            memcpy(out, arff.values, (arff.count < most ? arff.count : most) * sizeof *out);
    }
    f0t_arff_close(&arff);
    f0t_stream_close(stream);
    return status;
}

#define HEADER                                                                                 \
    "% a comment\n@RELATION 'my set'\n\n@attribute a numeric\n@Attribute 'b \\'c\\'' {0, 1}\n" \
    "@attribute \"d\" {red,'light blue'}\n@attribute e string % here too\n@DATA\n"

static void expect(const char *data, const float want[4])
{
    char text[1000];
    float got[4];
    size_t rows;
    int n = snprintf(text, sizeof text, "%s%s", HEADER, data);
    assert_ok(read_all(text, (size_t)n, got, 4, &rows));
    assert_true(rows > 0);
    for (size_t i = 0; i < 4; i++)
        assert_true(got[i] == want[i] || (isnan(got[i]) && isnan(want[i])));
}

static void refuse(const char *header, const char *data, const char *says)
{
    char text[1000];
    float got[4];
    size_t rows;
    int n = snprintf(text, sizeof text, "%s%s", header, data);
    assert_fails(F0T_ERROR_FORMAT, says, read_all(text, (size_t)n, got, 4, &rows));
}

static void the_header_is_read(void **state)
{
    f0t_stream *stream;
    f0t_arff arff;
    (void)state;
    assert_ok(f0t_stream_open_memory(&stream, HEADER, strlen(HEADER), "t.arff"));
    assert_ok(f0t_arff_open(&arff, stream));
    assert_int_equal(arff.count, 4);
    assert_string_equal(f0t_names_get(&arff.names, 1), "b 'c'");
    assert_int_equal(arff.attributes[0].kind, F0T_ARFF_NUMERIC);
    assert_int_equal(arff.attributes[3].kind, F0T_ARFF_OTHER);
    assert_true(arff.attributes[1].numbers[1] == 1);
    assert_null(arff.attributes[2].numbers);
    assert_string_equal(f0t_names_get(&arff.attributes[2].values, 1), "light blue");
    f0t_arff_close(&arff);
    f0t_stream_close(stream);
}

static void dense_rows_are_read(void **state)
{
    (void)state;
    expect("1.5,1,red,'a, b'\n", (float[]){1.5f, 1, 0, 0});
    expect("-2e1 , 0 , 'light blue', x % the end\n\n% more\n", (float[]){-20, 0, 1, 0});
    expect("1 1 red x\r\n", (float[]){1, 1, 0, 0});
    expect("?,?,\"red\",?\n", (float[]){NAN, NAN, 0, NAN});
}

static void sparse_rows_have_first_values_where_nothing_stands(void **state)
{
    (void)state;
    expect("{0 3, 2 'light blue'}\n", (float[]){3, 0, 1, 0});
    expect("{}\n", (float[]){0, 0, 0, 0});
    expect("{ 3 'a string' , 1 1 }\n", (float[]){0, 1, 0, 0});
    expect("{0 9,1 1}\n{1 ?}\n", (float[]){0, NAN, 0, 0});
}

static void wrong_rows_are_named_by_line(void **state)
{
    (void)state;
    refuse(HEADER, "1,1,red\n", "t.arff:9: 3 values, but there are 4 attributes");
    refuse(HEADER, "1,1,red,x,y\n", "t.arff:9: more values than the 4 attributes");
    refuse(HEADER, "x,1,red,x\n", "'x' of attribute 'a' is no number");
    refuse(HEADER, "nan,1,red,x\n", "'nan' of attribute 'a' is no number");
    refuse(HEADER, "1,1,green,x\n", "'green' is no value of attribute 'd'");
    refuse(HEADER, "1,,red,x\n", "a value is expected, and a comma is found");
    refuse(HEADER, "1,'1,red,x\n", "a quote is not closed");
    refuse(HEADER, "{4 1}\n", "attribute 4 is asked for, but there are 4 (from 0)");
    refuse(HEADER, "{99999999999999999999999 1}\n", "is asked for, but there are 4");
    refuse(HEADER, "{-1 1}\n", "the number of an attribute is expected");
    refuse(HEADER, "{0 1,0 2}\n", "attribute 0 is there twice");
    refuse(HEADER, "{0 1\n", "the row is not closed");
    refuse(HEADER, "{0 1 1 1}\n", "the row is not closed");
    refuse(HEADER, "{0\n", "the end of the line");
    refuse(HEADER, "{0 1}, {5}\n", "weights are not supported");
    refuse(HEADER, "{", "the end of the line");
}

static void wrong_headers_are_refused(void **state)
{
    (void)state;
    refuse("", "", "t.arff: has no @data: is it an ARFF file?");
    refuse("@data\n", "", "has no @attribute");
    refuse("hello\n", "", "t.arff:1: 'hello': @relation");
    refuse("@attribute a relational\n", "", "'relational': an attribute of this type");
    refuse("@attribute a\n", "", "the end of the line");
    refuse("@attribute a {0,1\n", "", "the list of values is not closed");
    refuse("@attribute a {0,0}\n", "", "the value '0' is there twice");
    refuse("@attribute a {}\n", "", "a brace is found");
    refuse("@attribute a real\n@attribute a real\n", "", "the attribute 'a' is there twice");
    refuse("@attribute \xFF real\n", "", "not UTF-8");
}

static f0t_status load(const void *data, size_t size)
{
    float got[4];
    size_t rows;
    return read_all(data, size, got, 4, &rows);
}

static const char valid[] = HEADER "1,1,red,x\n{0 1,2 'light blue'}\n";

static bool after_the_header(size_t size)
{
    return size >= sizeof HEADER - 2;
}

static void no_altered_or_cut_input_does_harm(void **state)
{
    (void)state;
    test_alter_everywhere(valid, sizeof valid - 1, load);
    test_cut_everywhere(valid, sizeof valid - 1, load, after_the_header);
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
        cmocka_unit_test(the_header_is_read),
        cmocka_unit_test(dense_rows_are_read),
        cmocka_unit_test(sparse_rows_have_first_values_where_nothing_stands),
        cmocka_unit_test(wrong_rows_are_named_by_line),
        cmocka_unit_test(wrong_headers_are_refused),
        cmocka_unit_test(no_altered_or_cut_input_does_harm),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
