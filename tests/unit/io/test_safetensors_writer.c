#include "support.h"

#include "io/safetensors.h"

#include <stdio.h>
#include <string.h>

static const double wide[] = {1, -2, 3.5};
static const char words[] = "cat\ndog\n";

static f0t_status fill(f0t_safetensors_writer *w)
{
    const size_t three = 3, text = sizeof words - 1, none[] = {0, 7};
    F0T_TRY(f0t_safetensors_set_metadata(w, "format", "1"));
    F0T_TRY(f0t_safetensors_write(w, wide, 8));
    F0T_TRY(f0t_safetensors_write(w, wide + 1, 16));
    F0T_TRY(f0t_safetensors_end_tensor(w, "wide", F0T_F64, 1, &three));
    F0T_TRY(f0t_safetensors_end_tensor(w, "none", F0T_F32, 2, none));
    F0T_TRY(f0t_safetensors_write(w, words, text));
    F0T_TRY(f0t_safetensors_end_tensor(w, "words", F0T_U8, 1, &text));
    F0T_TRY(f0t_safetensors_set_metadata(w, "name", "\"caf\xC3\xA9\"\n"));
    return f0t_safetensors_set_metadata(w, "format", "2");
}

static f0t_status save(void *path)
{
    f0t_safetensors_writer *w;
    F0T_TRY(f0t_safetensors_create(&w, path, 300));
    f0t_status status = fill(w);
    if (status == F0T_OK)
        return f0t_safetensors_commit(w);
    f0t_safetensors_abort(w);
    return status;
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    char path[200];
    f0t_safetensors *got;
    snprintf(path, sizeof path, "%s", test_path("w.safetensors"));
    assert_ok(save(path));
    assert_ok(f0t_safetensors_open(&got, path));
    assert_int_equal(f0t_safetensors_count(got), 3);
    const f0t_tensor *t = f0t_safetensors_find(got, "wide");
    assert_int_equal((uintptr_t)t->data % 64, 0);
    assert_memory_equal(t->data, wide, sizeof wide);
    t = f0t_safetensors_find(got, "words");
    assert_int_equal(t->count, sizeof words - 1);
    assert_memory_equal(t->data, words, t->count);
    assert_int_equal(f0t_safetensors_find(got, "none")->shape[1], 7);
    assert_string_equal(f0t_safetensors_metadata(got, "format"), "2");
    assert_string_equal(f0t_safetensors_metadata(got, "name"), "\"caf\xC3\xA9\"\n");
    f0t_safetensors_close(got);
}

static f0t_safetensors_writer *begin(void)
{
    f0t_safetensors_writer *w;
    assert_ok(f0t_safetensors_create(&w, test_path("b.safetensors"), 100));
    assert_ok(f0t_safetensors_write(w, "abcd", 4));
    return w;
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    const size_t four = 4, one = 1, huge[] = {SIZE_MAX, SIZE_MAX}, none[] = {0, SIZE_MAX};
    f0t_safetensors_writer *w = begin();
    assert_fails(F0T_ERROR_ARGUMENT, "got 4 bytes, its shape and type need 16",
                 f0t_safetensors_end_tensor(w, "a", F0T_F32, 1, &four));
    assert_fails(F0T_ERROR_ARGUMENT, "got 4", f0t_safetensors_end_tensor(w, "a", F0T_U8, 2, huge));
    assert_fails(F0T_ERROR_ARGUMENT, "got 4", f0t_safetensors_end_tensor(w, "a", F0T_U8, 2, none));
    assert_fails(F0T_ERROR_ARGUMENT, "got 4", f0t_safetensors_end_tensor(w, "a", F0T_U8, 9, huge));
    assert_fails(F0T_ERROR_ARGUMENT, "empty", f0t_safetensors_end_tensor(w, "", F0T_U8, 1, &four));
    assert_fails(F0T_ERROR_ARGUMENT, "reserved",
                 f0t_safetensors_end_tensor(w, "__metadata__", F0T_U8, 1, &four));
    assert_fails(F0T_ERROR_ARGUMENT, "tensor name \"?\" is not UTF-8",
                 f0t_safetensors_end_tensor(w, "\xFF", F0T_U8, 1, &four));
    assert_fails(F0T_ERROR_ARGUMENT, "metadata \"a\" is not UTF-8",
                 f0t_safetensors_set_metadata(w, "a", "\xFF"));
    assert_fails(F0T_ERROR_ARGUMENT, "UTF-8", f0t_safetensors_set_metadata(w, "\xFF", "a"));
    assert_ok(f0t_safetensors_end_tensor(w, "a", F0T_U8, 1, &four));
    assert_ok(f0t_safetensors_write(w, "e", 1));
    assert_fails(F0T_ERROR_ARGUMENT, "there already",
                 f0t_safetensors_end_tensor(w, "a", F0T_U8, 1, &one));
    assert_ok(f0t_safetensors_end_tensor(w, "b", F0T_U8, 1, &one));
    assert_ok(f0t_safetensors_write(w, "abcd", 4));
    assert_fails(F0T_ERROR_ARGUMENT, "unaligned",
                 f0t_safetensors_end_tensor(w, "c", F0T_F32, 1, &one));
    assert_fails(F0T_ERROR_ARGUMENT, "not ended", f0t_safetensors_commit(w));
    assert_int_equal(test_files_left(), 1);
}

static void a_header_without_room_is_refused(void **state)
{
    (void)state;
    f0t_safetensors_writer *w;
    assert_fails(F0T_ERROR_ARGUMENT, "a header of",
                 f0t_safetensors_create(&w, test_path("b.safetensors"), SIZE_MAX));
    assert_null(w);
    w = begin();
    const size_t four = 4;
    char value[200];
    memset(value, 'x', sizeof value);
    value[sizeof value - 1] = '\0';
    assert_ok(f0t_safetensors_end_tensor(w, "a", F0T_U8, 1, &four));
    assert_ok(f0t_safetensors_set_metadata(w, "long", value));
    assert_fails(F0T_ERROR_ARGUMENT, "bytes, 120 were kept", f0t_safetensors_commit(w));
    assert_int_equal(test_files_left(), 1);
}

static void a_failed_save_leaves_the_old_file(void **state)
{
    (void)state;
    char path[200];
    size_t size;
    for (int kind = 0; kind < F0T_FAULT_KINDS; kind++) {
        snprintf(path, sizeof path, "%s", test_text("old.safetensors", "old"));
        size_t left = test_files_left();
        for (uint64_t nth = 1;; nth++) {
            f0t_fault_set((f0t_fault)kind, nth);
            f0t_status status = save(path);
            f0t_fault_set((f0t_fault)kind, 0);
            assert_int_equal(test_files_left(), left);
            if (status == F0T_OK)
                break;
            char *text = test_read(path, &size);
            assert_string_equal(text, "old");
            f0t_free(text);
        }
        test_each_fault((f0t_fault)kind, save, path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(a_header_without_room_is_refused),
        cmocka_unit_test(a_failed_save_leaves_the_old_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
