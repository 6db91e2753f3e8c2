/* Files between a plain Python implementation and us: tests/python/safetensors_files.py. */
#include "support.h"

#include "io/safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *file_in(const char *folder, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return test_path(path);
}

/* name, number of the raw file, type, dimensions, shape…, separated by tabs */
static void check_line(const f0t_safetensors *file, char *line)
{
    char *save, *words[12] = {NULL}, raw_name[64];
    size_t count = 0, size;
    for (char *w = strtok_r(line, "\t\n", &save); w; w = strtok_r(NULL, "\t\n", &save))
        words[count++] = w;
    const f0t_tensor *t = f0t_safetensors_find(file, words[0]);
    assert_non_null(t);
    assert_string_equal(f0t_safetensors_type_name(t->dtype), words[2]);
    assert_int_equal(t->dims, atoi(words[3]));
    for (size_t i = 0; i < t->dims; i++)
        assert_int_equal(t->shape[i], atoi(words[4 + i]));
    snprintf(raw_name, sizeof raw_name, "%s.raw", words[1]);
    char *raw = test_read(file_in("theirs", raw_name), &size);
    assert_int_equal(size, t->count * f0t_dtype_size(t->dtype));
    assert_memory_equal(t->data, raw, size);
    f0t_free(raw);
}

static void files_of_python_are_read_equal(void **state)
{
    (void)state;
    f0t_safetensors *file;
    assert_int_equal(mkdir(test_path("theirs"), 0700), 0);
    test_python(NULL, "safetensors_files.py", "write", test_path("theirs"));
    assert_ok(f0t_safetensors_open(&file, file_in("theirs", "empty.safetensors")));
    assert_int_equal(f0t_safetensors_count(file), 0);
    f0t_safetensors_close(file);
    assert_ok(f0t_safetensors_open(&file, file_in("theirs", "one.safetensors")));
    assert_string_equal(f0t_safetensors_metadata(file, "text"), "a\n\"b\"\\ é€😀");
    FILE *list = fopen(file_in("theirs", "list"), "r");
    char line[300];
    size_t tensors = 0;
    assert_non_null(list);
    for (; fgets(line, sizeof line, list); tensors++)
        check_line(file, line);
    fclose(list);
    assert_int_equal(tensors, F0T_DTYPES * 5 + 1);
    assert_int_equal(f0t_safetensors_count(file), tensors);
    f0t_safetensors_close(file);
}

static void our_files_are_read_by_python(void **state)
{
    static const f0t_dtype types[] = {F0T_F64, F0T_I64, F0T_F32,  F0T_I32,
                                      F0T_F16, F0T_U8,  F0T_BOOL, F0T_U8};
    static const size_t shapes[][2] = {{3, 4}, {1, 1}, {0, 7}, {5, 1},
                                       {2, 2}, {9, 1}, {1, 3}, {1, 0}};
    (void)state;
    f0t_safetensors_writer *w;
    assert_int_equal(mkdir(test_path("ours"), 0700), 0);
    assert_ok(f0t_safetensors_create(&w, file_in("ours", "ours.safetensors"), 2000));
    FILE *list = fopen(file_in("ours", "ours"), "w");
    assert_non_null(list);
    for (size_t i = 0; i < 8; i++) {
        char name[40], bytes[200];
        size_t size = shapes[i][0] * shapes[i][1] * f0t_dtype_size(types[i]);
        for (size_t k = 0; k < size; k++)
            bytes[k] = (char)(types[i] == F0T_BOOL ? k % 2 : k * 5 + i);
        snprintf(name, sizeof name, "t%zu", i);
        fprintf(list, "%s %s %zu %zu\n", name, f0t_safetensors_type_name(types[i]), shapes[i][0],
                shapes[i][1]);
        assert_ok(f0t_safetensors_write(w, bytes, size));
        assert_ok(f0t_safetensors_end_tensor(w, name, types[i], 2, shapes[i]));
        snprintf(name, sizeof name, "ours/t%zu.raw", i);
        test_file(name, bytes, size);
    }
    fclose(list);
    assert_ok(f0t_safetensors_set_metadata(w, "made by", "fast0tag ✓ \"quoted\"\n"));
    assert_ok(f0t_safetensors_commit(w));
    test_python(NULL, "safetensors_files.py", "check", test_path("ours"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_python_are_read_equal),
        cmocka_unit_test(our_files_are_read_by_python),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
