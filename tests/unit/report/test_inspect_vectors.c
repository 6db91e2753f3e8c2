#include "support.h"

#include "fast0tag_tools.h"
#include "report/inspect.h"

#include <stdio.h>
#include <string.h>

static f0t_inspection *look(const void *data, size_t size, const char *kind)
{
    f0t_inspection *found;
    assert_ok(f0t_inspect_memory(&found, data, size, "a file", NULL));
    assert_string_equal(found->kind, kind);
    return found;
}

static const char *fact(const f0t_inspection *found, const char *name)
{
    for (size_t i = 0; i < found->fact_count; i++)
        if (!strcmp(found->facts[i].name, name))
            return found->facts[i].value;
    return "(none)";
}

static const char glove[] = "the 0.5 -1 2\n. . 1 1 1\nthe 9 9 9\nbad nan 1 1\ncat 0 0 0\n";
static const char word2vec[] = "3 2\nthe 0.5 -1\ncat 1 2\ndog 3 4\n";
static const char binary[] = "2 2\nthe \x00\x00\x80\x3f\x00\x00\x00\x40"
                             "cat \x00\x00\x80\xbf\x00\x00\x40\x40";

static void glove_text_is_described(void **state)
{
    (void)state;
    f0t_inspection *found = look(glove, sizeof glove - 1, "vectors");
    assert_string_equal(found->title, "word vectors, text, 3 words x 3");
    assert_string_equal(fact(found, "words"), "3");
    assert_string_equal(fact(found, "dimensions"), "3");
    assert_string_equal(fact(found, "duplicates"), "1");
    assert_string_equal(fact(found, "not finite"), "1");
    assert_string_equal(fact(found, "all zero"), "1");
    assert_int_equal(strlen(fact(found, "fingerprint")), 16);
    assert_true(found->array_count == 1 && found->arrays[0].min == -1);
    assert_string_equal(found->rows[0].text, "the");
    assert_true(found->rows[0].count == 3 && found->rows[0].values[2] == 2);
    assert_string_equal(found->rows[1].text, ". .");
    f0t_inspection_free(found);
}

static void the_forms_of_word2vec_are_described(void **state)
{
    (void)state;
    f0t_inspection *found = look(word2vec, sizeof word2vec - 1, "vectors");
    assert_string_equal(found->title, "word vectors, text with header, 3 words x 2");
    f0t_inspection_free(found);
    found = look(binary, sizeof binary - 1, "vectors");
    assert_string_equal(found->title, "word vectors, word2vec binary, 2 words x 2");
    assert_true(found->arrays[0].min == -1 && found->arrays[0].max == 3);
    assert_string_equal(found->arrays[0].type, "float32");
    assert_string_equal(found->rows[1].text, "cat");
    f0t_inspection_free(found);
}

static void our_own_form_is_described(void **state)
{
    (void)state;
    f0t_inspection *found;
    const char *from = test_text("w.txt", word2vec), *to = test_path("w.safetensors");
    assert_ok(f0t_vectors_convert(NULL, to, from, NULL, NULL));
    assert_ok(f0t_inspect(&found, to, NULL, NULL));
    assert_string_equal(found->kind, "vectors");
    assert_string_equal(found->title, "word vectors, fast0tag vectors, 3 words x 2 float32");
    assert_string_equal(found->rows[2].text, "dog");
    assert_true(found->rows[2].values[1] == 4);
    assert_true(found->metadata_count > 2 && found->array_count > 2);
    f0t_inspection_free(found);
}

static void a_cut_file_is_described_and_said_to_be_cut(void **state)
{
    (void)state;
    f0t_inspection *found = look(word2vec, sizeof word2vec - 5, "vectors");
    assert_string_equal(fact(found, "words"), "2");
    assert_string_equal(fact(found, "cut rows"), "1");
    f0t_inspection_free(found);
}

static void quick_says_what_the_first_line_promises(void **state)
{
    (void)state;
    f0t_inspect_options quick = {.size = sizeof(f0t_inspect_options), .quick = true};
    f0t_inspection *found;
    assert_ok(f0t_inspect_memory(&found, word2vec, sizeof word2vec - 1, "x", &quick));
    assert_string_equal(found->title, "word vectors, text with header, 2 dimensions");
    assert_string_equal(fact(found, "promised"), "3");
    assert_int_equal(found->row_count + found->array_count, 0);
    f0t_inspection_free(found);
}

static void other_text_is_not_taken_for_word_vectors(void **state)
{
    static const char *const texts[] = {
        "1 2 3\n4 5 6\n",                        /* a matrix */
        "0.5 0.25 \n0.1 0.2 \n",                 /* NUS-WIDE's features */
        "a line of prose\nwith 7 numbers 8 9\n", /* one line of two */
        "train 1\ntest 2\n",                     /* one number a line */
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        f0t_inspection_free(look(texts[i], strlen(texts[i]), "text"));
}

static f0t_status load(const void *data, size_t size)
{
    f0t_inspection *found;
    F0T_TRY(f0t_inspect_memory(&found, data, size, "x", NULL));
    f0t_inspection_free(found);
    return F0T_OK;
}

static f0t_status load_glove(void *context)
{
    (void)context;
    return load(glove, sizeof glove - 1);
}

static f0t_status load_path(void *path)
{
    f0t_inspection *found;
    F0T_TRY(f0t_inspect(&found, path, NULL, NULL));
    f0t_inspection_free(found);
    return F0T_OK;
}

static void broken_files_and_failing_memory_never_hurt(void **state)
{
    (void)state;
    char path[200];
    test_alter_everywhere(glove, sizeof glove - 1, load);
    test_alter_everywhere(binary, sizeof binary - 1, load);
    test_threads(1);
    test_each_fault(F0T_FAULT_ALLOC, load_glove, NULL);
    snprintf(path, sizeof path, "%s", test_path("w.safetensors"));
    test_each_fault(F0T_FAULT_ALLOC, load_path, path);
    test_threads(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(glove_text_is_described),
        cmocka_unit_test(the_forms_of_word2vec_are_described),
        cmocka_unit_test(our_own_form_is_described),
        cmocka_unit_test(a_cut_file_is_described_and_said_to_be_cut),
        cmocka_unit_test(quick_says_what_the_first_line_promises),
        cmocka_unit_test(other_text_is_not_taken_for_word_vectors),
        cmocka_unit_test(broken_files_and_failing_memory_never_hurt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
