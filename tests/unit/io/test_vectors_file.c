#include "support.h"

#include "fast0tag.h"
#include "io/safetensors.h"
#include "io/vectors.h"

#include <stdio.h>
#include <string.h>

/* A small valid file: three words of one dimension, so that `padding` is there too. */
static char *make_file(size_t *size)
{
    const char *to = test_path("own.safetensors");
    assert_ok(
        f0t_vectors_convert(NULL, to, test_text("own.txt", "a 1\nbb 2\nccc 3\n"), NULL, NULL));
    return test_read(to, size);
}

/* Opens it and uses everything there is. */
static f0t_status load(const void *data, size_t size)
{
    f0t_vectors *v;
    float row[64];
    F0T_TRY(f0t_vectors_open_memory(&v, data, size, "v", NULL, NULL));
    for (size_t i = 0; i < f0t_vectors_count(v) && i < 10; i++) {
        size_t length;
        const char *word = f0t_vectors_word(&length, v, i);
        if (word)
            (void)f0t_vectors_find(v, word, length);
        if (f0t_vectors_dim(v) <= 64)
            (void)f0t_vectors_get(row, v, i, 1);
    }
    (void)f0t_vectors_find(v, "nothing", 7);
    f0t_vectors_close(v);
    return F0T_OK;
}

static void a_small_file_is_whole(void **state)
{
    size_t size;
    char *data = make_file(&size);
    f0t_vectors *v;
    (void)state;
    assert_ok(f0t_vectors_open_memory(&v, data, size, "v", NULL, NULL));
    assert_int_equal(f0t_vectors_find(v, "ccc", 3), 2);
    assert_true(f0t_vectors_mean(v)[0] == 2);
    f0t_vectors_close(v);
    f0t_free(data);
}

static void cut_anywhere_fails(void **state)
{
    size_t size;
    char *data = make_file(&size);
    (void)state;
    test_cut_everywhere(data, size, load, NULL);
    f0t_free(data);
}

/* The header has 8 kB of spaces: only the JSON before them and the tensors after them are altered. */
static void altered_bytes_do_no_harm(void **state)
{
    size_t size;
    char *data = make_file(&size);
    (void)state;
    size_t json = (size_t)(strstr(data + 8, "  ") - data);
    char *small;
    assert_ok(f0t_alloc(&small, size, 1));
    size_t header = json - 8, room = (header + 7) / 8 * 8;
    size_t tensors =
        size - 8 - (size_t)(unsigned char)data[0] - ((size_t)(unsigned char)data[1] << 8);
    memset(small, 0, 8);
    small[0] = (char)(room & 0xFF);
    small[1] = (char)(room >> 8);
    memset(small + 8, ' ', room);
    memcpy(small + 8, data + 8, header);
    memcpy(small + 8 + room, data + size - tensors, tensors);
    assert_ok(load(small, 8 + room + tensors));
    test_alter_everywhere(small, 8 + room + tensors, load);
    f0t_free(small);
    f0t_free(data);
}

/* Replaces a text of the header by another of the same length. */
static void assert_change_fails(f0t_status status, const char *message, const char *from,
                                const char *to)
{
    size_t size;
    char *data = make_file(&size), *at = strstr(data + 8, from);
    assert_non_null(at);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(at, to, strlen(to));
    assert_fails(status, message, load(data, size));
    f0t_free(data);
}

static void every_field_of_the_header_is_checked(void **state)
{
    (void)state;
    assert_change_fails(F0T_ERROR_FORMAT, "not one of word vectors", "fast0tag-vectors",
                        "fast0tag-vectorz");
    assert_change_fails(F0T_ERROR_UNSUPPORTED,
                        "version 2 of the format; this program knows version", "\"version\":\"1\"",
                        "\"version\":\"2\"");
    assert_change_fails(F0T_ERROR_FORMAT, "\"version\"", "\"version\":\"1\"", "\"version\":\"x\"");
    assert_change_fails(F0T_ERROR_FORMAT, "\"fingerprint\"", "\"fingerprint\"", "\"fingerprin_\"");
    assert_change_fails(F0T_ERROR_FORMAT, "metadata \"index_seed\" is missing or not a number",
                        "\"index_seed\":\"0\"", "\"index_seed\":\"-\"");
    assert_change_fails(F0T_ERROR_FORMAT, "tensor \"offsets\" is missing", "\"offsets\"",
                        "\"offsetz\"");
    assert_change_fails(F0T_ERROR_FORMAT, "tensor \"index\" is missing", "\"index\"", "\"indez\"");
    assert_change_fails(F0T_ERROR_FORMAT, "tensor \"mean\" is missing", "\"mean\"", "\"meam\"");
    assert_change_fails(F0T_ERROR_FORMAT, "tensor \"words\" is missing", "\"words\"", "\"wordz\"");
    assert_change_fails(F0T_ERROR_FORMAT, "tensor \"vectors\" is missing", "\"vectors\"",
                        "\"vectorz\"");
    assert_change_fails(F0T_ERROR_FORMAT, "tensor \"vectors\" is not", "\"F32\",\"shape\":[3,1]",
                        "\"I32\",\"shape\":[3,1]");
    assert_change_fails(F0T_ERROR_FORMAT, "4 offsets for 1 words", "[3,1]", "[1,3]");
    assert_change_fails(F0T_ERROR_FORMAT, "tensor \"index\" is not int32 with 1 dimensions",
                        "\"index\":{\"dtype\":\"I32\"", "\"index\":{\"dtype\":\"F32\"");
}

typedef struct parts {
    size_t shape[2], offsets, slots, mean;
} parts;

/* Shapes that fit the file but not each other. */
static f0t_status load_parts(const parts *p)
{
    static const char zeros[256];
    const char *path = test_path("parts.safetensors");
    size_t words = 6;
    f0t_safetensors_writer *w;
    f0t_vectors *v;
    assert_ok(f0t_safetensors_create(&w, path, 2048));
    assert_ok(f0t_safetensors_write(w, zeros, p->offsets * 8));
    assert_ok(f0t_safetensors_end_tensor(w, "offsets", F0T_I64, 1, &p->offsets));
    assert_ok(f0t_safetensors_write(w, zeros, p->shape[0] * p->shape[1] * 4));
    assert_ok(f0t_safetensors_end_tensor(w, "vectors", F0T_F32, 2, p->shape));
    assert_ok(f0t_safetensors_write(w, zeros, p->slots * 4));
    assert_ok(f0t_safetensors_end_tensor(w, "index", F0T_I32, 1, &p->slots));
    assert_ok(f0t_safetensors_write(w, zeros, p->mean * 4));
    assert_ok(f0t_safetensors_end_tensor(w, "mean", F0T_F32, 1, &p->mean));
    assert_ok(f0t_safetensors_write(w, zeros, words));
    assert_ok(f0t_safetensors_end_tensor(w, "words", F0T_U8, 1, &words));
    assert_ok(f0t_safetensors_set_metadata(w, "format", F0T_VECTORS_FORMAT));
    assert_ok(f0t_safetensors_set_metadata(w, "version", "1"));
    assert_ok(f0t_safetensors_set_metadata(w, "index_seed", "0"));
    assert_ok(f0t_safetensors_set_metadata(w, "fingerprint", "0"));
    assert_ok(f0t_safetensors_commit(w));
    F0T_TRY(f0t_vectors_open(&v, path, NULL, NULL));
    for (size_t i = 0; i < p->shape[0]; i++) {
        size_t length;
        assert_null(f0t_vectors_word(&length, v, i));
    }
    assert_true(f0t_vectors_find(v, "a", 1) == F0T_NONE);
    f0t_vectors_close(v);
    return F0T_OK;
}

static void tensors_must_fit_each_other(void **state)
{
    (void)state;
    assert_ok(load_parts(&(parts){{3, 2}, 4, 8, 2}));
    assert_fails(F0T_ERROR_FORMAT, "offsets", load_parts(&(parts){{3, 2}, 3, 8, 2}));
    assert_fails(F0T_ERROR_FORMAT, "offsets", load_parts(&(parts){{3, 2}, 5, 8, 2}));
    assert_fails(F0T_ERROR_FORMAT, "slots", load_parts(&(parts){{3, 2}, 4, 6, 2}));
    assert_fails(F0T_ERROR_FORMAT, "slots", load_parts(&(parts){{3, 2}, 4, 2, 2}));
    assert_fails(F0T_ERROR_FORMAT, "slots", load_parts(&(parts){{3, 2}, 4, 0, 2}));
    assert_fails(F0T_ERROR_FORMAT, "mean of 3 numbers for vectors of",
                 load_parts(&(parts){{3, 2}, 4, 8, 3}));
    assert_fails(F0T_ERROR_FORMAT, "0 words", load_parts(&(parts){{0, 2}, 1, 8, 2}));
    assert_fails(F0T_ERROR_FORMAT, "vectors of 0 dimensions",
                 load_parts(&(parts){{3, 0}, 4, 8, 0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_file_is_whole),
        cmocka_unit_test(cut_anywhere_fails),
        cmocka_unit_test(altered_bytes_do_no_harm),
        cmocka_unit_test(every_field_of_the_header_is_checked),
        cmocka_unit_test(tensors_must_fit_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
