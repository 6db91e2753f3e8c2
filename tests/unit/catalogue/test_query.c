#include "support.h"

#include "base/random.h"
#include "catalogue/query.h"

#include <stdio.h>
#include <string.h>

/* The query in its one spelling. */
static void assert_reads_as(const char *text, const char *expected)
{
    f0t_query *q;
    assert_ok(f0t_query_parse(&q, text));
    assert_string_equal(f0t_query_text(q), expected);
    f0t_query_free(q);
}

static void assert_refused(const char *text, const char *why)
{
    f0t_query *q;
    assert_fails(F0T_ERROR_ARGUMENT, why, f0t_query_parse(&q, text));
    assert_null(q);
}

static void words_phrases_and_filters(void **state)
{
    (void)state;
    f0t_query *q;
    assert_ok(f0t_query_parse(&q, "  dog -\"red car\"\ttag:beach -tag:\"New York\" is:untagged "));
    assert_int_equal(q->count, 5);
    assert_int_equal(q->terms[0].kind, F0T_TERM_WORD);
    assert_string_equal(q->terms[0].text, "dog");
    assert_false(q->terms[0].without);
    assert_string_equal(q->terms[1].text, "red car");
    assert_true(q->terms[1].without);
    assert_int_equal(q->terms[3].kind, F0T_TERM_TAG);
    assert_string_equal(q->terms[3].text, "New York");
    assert_true(q->terms[3].without);
    assert_int_equal(q->terms[4].kind, F0T_TERM_UNTAGGED);
    assert_string_equal(f0t_query_text(q),
                        "dog -\"red car\" tag:beach -tag:\"New York\" is:untagged");
    f0t_query_free(q);
}

static void what_would_read_otherwise_is_quoted(void **state)
{
    (void)state;
    assert_reads_as("\"dog\"", "dog");
    assert_reads_as("\"-dog\"", "\"-dog\"");
    assert_reads_as("\"tag:dog\"", "\"tag:dog\"");
    assert_reads_as("\"5\\\" disk\" \"a\\\\b c\"", "\"5\\\" disk\" \"a\\\\b c\"");
    assert_reads_as("a\\b", "a\\b");
    assert_reads_as("well-known Straße 犬", "well-known Straße 犬");
}

/* The words that are left out, in their order. */
static void assert_leaves_out(const char *text, const char *expected)
{
    f0t_query *q;
    char left_out[256] = "";
    assert_ok(f0t_query_parse(&q, text));
    for (size_t i = 0; i < q->count; i++)
        if (q->terms[i].left_out) {
            strcat(left_out, *left_out ? " " : "");
            strcat(left_out, q->terms[i].text);
        }
    assert_string_equal(left_out, expected);
    f0t_query_free(q);
}

static void words_that_no_picture_shows_are_left_out(void **state)
{
    (void)state;
    assert_leaves_out("girl with umbrella", "with");
    assert_leaves_out("The dog ON a beach", "The ON a");
    assert_leaves_out("in date:2019", "in");
    assert_leaves_out("girl \"with\" umbrella", "");
    assert_leaves_out("girl -with tag:the", "");
    assert_leaves_out("\"dog on a beach\"", "");
    assert_leaves_out("with", "");
    assert_leaves_out("with the", "");
    assert_leaves_out("dog without cat or not", ""); /* they turn the meaning round */
    assert_leaves_out("Thereinafterwards a", "a");
    /* printed so that it reads as the same */
    assert_reads_as("girl with umbrella", "girl with umbrella");
    assert_reads_as("girl \"with\" umbrella", "girl \"with\" umbrella");
    assert_reads_as("-with dog", "-with dog");
    assert_reads_as("tag:the dog", "tag:the dog");
}

static void dates_are_ranges_of_days(void **state)
{
    static const struct {
        const char *text, *from, *to;
    } cases[] = {
        {"before:2020", "2020-01-01", ""},
        {"before:2020-02-29", "2020-02-29", ""},
        {"after:2019-06", "", "2019-07-01"},
        {"after:2019-12-31", "", "2020-01-01"},
        {"after:9999", "", F0T_DAY_END},
        {"date:2020-02", "2020-02-01", "2020-03-01"},
        {"date:2019-02-28", "2019-02-28", "2019-03-01"},
        {"date:2019..2020-02", "2019-01-01", "2020-03-01"},
        {"date:0001..9999", "0001-01-01", F0T_DAY_END},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        f0t_query *q;
        assert_ok(f0t_query_parse(&q, cases[i].text));
        assert_string_equal(q->terms[0].from, cases[i].from);
        assert_string_equal(q->terms[0].to, cases[i].to);
        f0t_query_free(q);
    }
    assert_reads_as("date:2019..2020-02", "date:2019-01-01..2020-02-29");
    assert_reads_as("-after:2019-06", "-after:2019-06-30");
}

static void an_argument_is_one_term(void **state)
{
    static const char *const arguments[] = {"red car", "tag:New York ", "-old dog", "a \"b c\"",
                                            " "};
    static const char *const missing[] = {"dog", NULL};
    (void)state;
    f0t_query *q;
    assert_ok(f0t_query_parse_arguments(&q, arguments, 5));
    assert_string_equal(f0t_query_text(q), "\"red car\" tag:\"New York\" -\"old dog\" a \"b c\"");
    f0t_query_free(q);
    assert_fails(F0T_ERROR_ARGUMENT, "arguments[1] is NULL",
                 f0t_query_parse_arguments(&q, missing, 2));
    assert_fails(F0T_ERROR_ARGUMENT, "empty", f0t_query_parse_arguments(&q, NULL, 0));
}

static void what_is_wrong_is_named_with_its_place(void **state)
{
    (void)state;
    assert_refused("", "the query is empty");
    assert_refused(" \t", "the query is empty");
    assert_refused("dog \"red car", "character 5 ('\"red car'): the closing quote is missing");
    assert_refused("dog re\"d", "query, character 7 ('\"d'): a quote in the middle of a word");
    assert_refused("\"dog\"cat", "query, character 6 ('cat'): a blank is expected");
    assert_refused("Hündin -", "query, character 8 ('-'): a word is expected after '-'");
    assert_refused("--dog", "query, character 2 ('-dog'): a second '-'");
    assert_refused("tag:", "query, character 5: a word or tag is expected");
    assert_refused("\"\"", "query, character 1 ('\"\"'): a word or tag is expected");
    assert_refused("dog _", "query, character 5 ('_'): a word or tag is expected");
    assert_refused("dog folder:x", "query, character 5 ('folder:x'): there are tag:, before:");
    assert_refused("is:tagged", "query, character 4 ('tagged'): after is: comes untagged");
    assert_refused("before:20", "query, character 8 ('20'): a date is expected");
    assert_refused("before:0000", "a date is expected");
    assert_refused("before:2020-13", "a date is expected");
    assert_refused("before:2019-02-29", "a date is expected");
    assert_refused("before:2019..2020", "a date is expected");
    assert_refused("date:2019..", "a date is expected");
    assert_refused("date:2020..2019", "the range ends before it begins");
    assert_refused("\xff", "not UTF-8");
    assert_refused("dog\ncat", "a control character");
}

static void lengths_have_limits(void **state)
{
    (void)state;
    char text[F0T_QUERY_MOST + 2];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    assert_refused(text, "more than 16384 bytes");
    text[1025] = 0;
    assert_refused(text, "more than 1024 bytes");
    for (size_t i = 1; i < 130; i += 2)
        text[i] = ' ';
    text[129] = 0;
    assert_refused(text, "query, character 129 ('a'): more than 64 terms");
}

/* Bytes that matter to the language, drawn at random. */
static void draw(char *text, size_t size, uint64_t seed)
{
    static const char *const pieces[] = {"a",     "dog", " ",       "\"",          "-",  "\\",
                                         ":",     "tag", "before:", "after:",      "..", "2019",
                                         "date:", "-02", "é",       "is:untagged", "  ", "-29"};
    const f0t_random random = {.seed = seed};
    *text = 0;
    for (size_t i = f0t_random_below(&random, 0, 12); i > 0; i--) {
        const char *piece = pieces[f0t_random_below(&random, i, sizeof pieces / sizeof *pieces)];
        if (strlen(text) + strlen(piece) < size)
            memcpy(text + strlen(text), piece, strlen(piece) + 1);
    }
}

/* Whatever parses is printed so that it parses to the same terms. */
static void printing_and_parsing_are_inverse(void **state)
{
    (void)state;
    size_t parsed = 0;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        char text[128];
        f0t_query *once, *twice;
        draw(text, sizeof text, seed);
        if (f0t_query_parse(&once, text) != F0T_OK)
            continue;
        parsed++;
        assert_ok(f0t_query_parse(&twice, f0t_query_text(once)));
        assert_string_equal(f0t_query_text(once), f0t_query_text(twice));
        assert_int_equal(once->count, twice->count);
        for (size_t i = 0; i < once->count; i++) {
            const f0t_term *a = &once->terms[i], *b = &twice->terms[i];
            assert_int_equal(a->kind, b->kind);
            assert_int_equal(a->without, b->without);
            assert_string_equal(a->from, b->from);
            assert_string_equal(a->to, b->to);
            assert_int_equal(!a->text, !b->text);
            if (a->text)
                assert_string_equal(a->text, b->text);
        }
        f0t_query_free(once);
        f0t_query_free(twice);
    }
    assert_true(parsed > 1000);
}

static f0t_status parse_all(void *context)
{
    (void)context;
    static const char *const arguments[] = {"red car", "tag:\"New York\" -cat", "before:2020"};
    f0t_query *q;
    f0t_status status = f0t_query_parse_arguments(&q, arguments, 3);
    f0t_query_free(q);
    return status;
}

static void every_failed_allocation_is_an_error(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, parse_all, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_phrases_and_filters),
        cmocka_unit_test(what_would_read_otherwise_is_quoted),
        cmocka_unit_test(words_that_no_picture_shows_are_left_out),
        cmocka_unit_test(dates_are_ranges_of_days),
        cmocka_unit_test(an_argument_is_one_term),
        cmocka_unit_test(what_is_wrong_is_named_with_its_place),
        cmocka_unit_test(lengths_have_limits),
        cmocka_unit_test(printing_and_parsing_are_inverse),
        cmocka_unit_test(every_failed_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
