#include "support.h"

#include "base/monitor.h"
#include "io/vectors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

/* The words and vectors that most files here have. */
static const float expected[3][2] = {{1, -0.5F}, {0.25F, 2}, {-3, 4e-5F}};
static const char *const words[3] = {"the", "palm tree", "caf\xC3\xA9"};

static const char glove[] = "the 1 -0.5\npalm tree 0.25 2\ncaf\xC3\xA9 -3 4e-5\n";
static const char with_header[] = "3 2\nthe 1 -0.5\npalm tree 0.25 2\ncaf\xC3\xA9 -3 4e-5\n";
static const char fasttext[] = "3 2\nthe 1 -0.5 \npalm tree 0.25 2 \ncaf\xC3\xA9 -3 4e-5 \n";
static const char crlf[] = "the 1 -.5\r\npalm tree .25 2\r\ncaf\xC3\xA9 -3 .00004\r\n";

/* word2vec's binary form; its own program writes a newline after each record, gensim does not. */
static size_t make_binary(char *to, const char *newline)
{
    static const char *const binary_words[3] = {"the", "palm_tree", "caf\xC3\xA9"};
    size_t n = (size_t)sprintf(to, "3 2\n");
    for (int i = 0; i < 3; i++) {
        n += (size_t)sprintf(to + n, "%s ", binary_words[i]);
        memcpy(to + n, expected[i], sizeof expected[i]);
        n += sizeof expected[i];
        n += (size_t)sprintf(to + n, "%s", newline);
    }
    return n;
}

static f0t_vectors *open_text(const char *text)
{
    f0t_vectors *v = NULL;
    assert_ok(f0t_vectors_open_memory(&v, text, strlen(text), "v.txt", NULL, NULL));
    return v;
}

static size_t find(const f0t_vectors *v, const char *word)
{
    return f0t_vectors_find(v, word, strlen(word));
}

static void assert_expected(const f0t_vectors *v, const char *second)
{
    float got[3][2];
    assert_int_equal(f0t_vectors_count(v), 3);
    assert_int_equal(f0t_vectors_dim(v), 2);
    assert_ok(f0t_vectors_get(&got[0][0], v, 0, 3));
    assert_memory_equal(got, expected, sizeof expected);
    for (size_t i = 0; i < 3; i++) {
        size_t length;
        const char *want = i == 1 ? second : words[i];
        const char *word = f0t_vectors_word(&length, v, i);
        assert_int_equal(length, strlen(want));
        assert_memory_equal(word, want, length);
        assert_int_equal(find(v, want), i);
    }
    for (size_t j = 0; j < 2; j++)
        assert_true(
            fabs((double)f0t_vectors_mean(v)[j] -
                 ((double)expected[0][j] + (double)expected[1][j] + (double)expected[2][j]) / 3) <
            1e-6);
    assert_true(find(v, "nothing") == F0T_NONE);
    assert_true(find(v, "") == F0T_NONE);
}

static void every_text_form_gives_the_same_vectors(void **state)
{
    static const char *const texts[] = {glove, with_header, fasttext, crlf};
    static const char *const formats[] = {"text", "text with header", "text with header", "text"};
    uint64_t fingerprint = 0;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        f0t_vectors *v = open_text(texts[i]);
        assert_expected(v, "palm tree");
        assert_string_equal(f0t_vectors_format(v), formats[i]);
        assert_string_equal(f0t_vectors_dtype(v), "decimal");
        assert_string_equal(f0t_vectors_source(v), "v.txt");
        assert_true(i == 0 || f0t_vectors_fingerprint(v) == fingerprint);
        fingerprint = f0t_vectors_fingerprint(v);
        f0t_vectors_close(v);
    }
}

static void binary_reads_with_and_without_newlines(void **state)
{
    char data[256];
    (void)state;
    for (int i = 0; i < 2; i++) {
        f0t_vectors *v;
        size_t size = make_binary(data, i ? "\n" : "");
        assert_ok(f0t_vectors_open_memory(&v, data, size, "v.bin", NULL, NULL));
        assert_expected(v, "palm_tree");
        assert_string_equal(f0t_vectors_format(v), "word2vec binary");
        assert_string_equal(f0t_vectors_dtype(v), "float32");
        f0t_vectors_close(v);
    }
}

static const char *gzip_file(const char *name, const void *data, size_t size)
{
    const char *path = test_path(name);
    gzFile file = gzopen(path, "wb");
    assert_int_equal(gzwrite(file, data, (unsigned)size), size);
    gzclose(file);
    return path;
}

static void gzip_of_each_is_read_and_names_do_not_matter(void **state)
{
    char data[256];
    f0t_vectors *v;
    (void)state;
    assert_ok(f0t_vectors_open(&v, gzip_file("a.bin", glove, sizeof glove - 1), NULL, NULL));
    assert_expected(v, "palm tree");
    f0t_vectors_close(v);
    size_t size = make_binary(data, "\n");
    assert_ok(f0t_vectors_open(&v, gzip_file("b.txt", data, size), NULL, NULL));
    assert_expected(v, "palm_tree");
    f0t_vectors_close(v);
    assert_ok(f0t_vectors_open(&v, test_file("c.safetensors", data, size), NULL, NULL));
    assert_expected(v, "palm_tree");
    f0t_vectors_close(v);
}

static void a_packed_safetensors_file_says_what_to_do(void **state)
{
    static const char data[] = "\x08\0\0\0\0\0\0\0{}      ";
    f0t_vectors *v;
    (void)state;
    assert_fails(F0T_ERROR_UNSUPPORTED, "unpack",
                 f0t_vectors_open(&v, gzip_file("s.gz", data, sizeof data - 1), NULL, NULL));
    assert_null(v);
}

typedef struct heard {
    char text[2048];
    size_t used;
} heard;

static void hear(void *user, f0t_log_level level, const char *line)
{
    heard *h = user;
    (void)level;
    h->used += (size_t)snprintf(h->text + h->used, sizeof h->text - h->used, "%s\n", line);
}

static void bad_rows_are_left_out_counted_and_told(void **state)
{
    static const char text[] = "a 1 2\nb nan 2\nc 1 -inf\nd 1e50 0\na 3 4\nz 0 0\n 5 6\n"
                               "\xFF\xFE 1 2\n\nlast 7 8";
    heard log = {{0}, 0};
    f0t_monitor monitor = {.log = hear, .user = &log};
    f0t_vectors_options options = {.size = sizeof(f0t_vectors_options)};
    f0t_vectors *v;
    float row[2];
    (void)state;
    assert_ok(
        f0t_vectors_open_memory(&v, text, sizeof text - 1, "v", &options, F0T_WATCHED(&monitor)));
    f0t_vectors_counts counts = f0t_vectors_get_counts(v);
    assert_int_equal(counts.rows, 9);
    assert_int_equal(counts.words, 3);
    assert_int_equal(counts.not_finite, 3);
    assert_int_equal(counts.duplicates, 1);
    assert_int_equal(counts.empty, 1);
    assert_int_equal(counts.invalid, 1);
    assert_int_equal(counts.zero, 1);
    assert_int_equal(counts.cut, 0);
    assert_ok(f0t_vectors_get(row, v, find(v, "a"), 1));
    assert_true(row[0] == 1 && row[1] == 2);
    assert_true(find(v, "b") == F0T_NONE);
    assert_int_equal(find(v, "last"), 2);
    assert_true(f0t_vectors_mean(v)[0] == 8.0F / 3);
    assert_non_null(strstr(log.text, "v: 3 words with NaN or infinite numbers left out\n"));
    assert_non_null(strstr(log.text, "v: 1 words that were there before left out\n"));
    f0t_vectors_close(v);
}

static void a_cut_file_names_the_line_unless_it_is_tolerated(void **state)
{
    static const char *const texts[] = {"a 1 2\nb 3 4\nc 5", "3 2\na 1 2\nb 3 4\nc 5"};
    static const char *const places[] = {"v:3: has 1 numbers where 2 are expected",
                                         "v:4: has 1 numbers where 2 are expected"};
    f0t_vectors_options options = {.size = sizeof(f0t_vectors_options), .tolerant = true};
    f0t_vectors *v;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const size_t size = strlen(texts[i]);
        assert_fails(F0T_ERROR_FORMAT, places[i],
                     f0t_vectors_open_memory(&v, texts[i], size, "v", NULL, NULL));
        assert_ok(f0t_vectors_open_memory(&v, texts[i], size, "v", &options, NULL));
        assert_int_equal(f0t_vectors_count(v), 2);
        assert_int_equal(f0t_vectors_get_counts(v).cut, 1);
        f0t_vectors_close(v);
    }
}

static void short_and_bad_rows_in_the_middle_always_fail(void **state)
{
    f0t_vectors_options options = {.size = sizeof(f0t_vectors_options), .tolerant = true};
    f0t_vectors *v;
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "v:2: has 1 numbers where 2 are expected",
                 f0t_vectors_open_memory(&v, "a 1 2\nb 3\nc 5 6\n", 16, "v", &options, NULL));
    assert_fails(F0T_ERROR_FORMAT, "v:3: 'x' is not a number",
                 f0t_vectors_open_memory(&v, "a 1 2\n\nb x 4\nc 5 6\n", 20, "v", &options, NULL));
}

static void a_header_that_promises_another_number_is_an_error_unless_tolerated(void **state)
{
    static const char *const texts[] = {"5 2\na 1 2\nb 3 4\n", "1 2\na 1 2\nb 3 4\n"};
    f0t_vectors_options options = {.size = sizeof(f0t_vectors_options), .tolerant = true};
    f0t_vectors *v;
    char data[256];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        assert_fails(F0T_ERROR_FORMAT, "has 2 rows, its first line promises",
                     f0t_vectors_open_memory(&v, texts[i], strlen(texts[i]), "v", NULL, NULL));
        assert_ok(f0t_vectors_open_memory(&v, texts[i], strlen(texts[i]), "v", &options, NULL));
        assert_int_equal(f0t_vectors_count(v), 2);
        f0t_vectors_close(v);
    }
    size_t size = make_binary(data, "");
    data[0] = '2';
    assert_fails(F0T_ERROR_FORMAT, "more bytes after the 2 rows",
                 f0t_vectors_open_memory(&v, data, size, "v", NULL, NULL));
    data[0] = '4';
    assert_fails(F0T_ERROR_FORMAT, "has 3 rows, its first line promises 4",
                 f0t_vectors_open_memory(&v, data, size, "v", NULL, NULL));
    assert_ok(f0t_vectors_open_memory(&v, data, size, "v", &options, NULL));
    assert_expected(v, "palm_tree");
    f0t_vectors_close(v);
}

static void files_without_a_word_fail(void **state)
{
    static const char *const texts[] = {"", "\n\n", "0 300\n", "a nan\n", "3 2", " 1 2\n 3 4\n"};
    f0t_vectors *v;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_fails(F0T_ERROR_FORMAT, "v: ",
                     f0t_vectors_open_memory(&v, texts[i], strlen(texts[i]), "v", NULL, NULL));
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere",
                 f0t_vectors_open(&v, "/nowhere/v.txt", NULL, NULL));
    assert_null(v);
}

static void get_and_word_stay_inside(void **state)
{
    f0t_vectors *v = open_text(glove);
    float row[2];
    size_t length = 7;
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT, "vectors", f0t_vectors_get(row, v, 3, 1));
    assert_fails(F0T_ERROR_ARGUMENT, "vectors", f0t_vectors_get(row, v, 1, SIZE_MAX));
    assert_ok(f0t_vectors_get(row, v, 3, 0));
    assert_null(f0t_vectors_word(&length, v, 3));
    assert_int_equal(length, 0);
    f0t_vectors_close(v);
}

static void the_fingerprint_is_of_the_words_and_vectors_in_any_order(void **state)
{
    static const char *const texts[] = {"a 1 2\nb 3 4\n", "b 3 4\na 1.0 2e0\n", "a 1 2\nb 3 5\n",
                                        "a 1 2\nc 3 4\n", "a 3 4\nb 1 2\n"};
    uint64_t prints[5];
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        f0t_vectors *v = open_text(texts[i]);
        prints[i] = f0t_vectors_fingerprint(v);
        f0t_vectors_close(v);
    }
    assert_true(prints[0] == prints[1]);
    assert_true(prints[0] != prints[2] && prints[0] != prints[3] && prints[0] != prints[4]);
}

/* More than three blocks, lines of many lengths: what threads parse comes out in order. */
static void a_file_of_many_blocks_comes_out_in_order(void **state)
{
    enum { ROWS = 120000, DIM = 28 };
    size_t size = 0;
    char *text;
    f0t_vectors *v;
    (void)state;
    assert_ok(f0t_alloc(&text, ROWS, 400));
    for (int i = 0; i < ROWS; i++) {
        size += (size_t)sprintf(text + size, "w%d", i);
        for (int j = 0; j < DIM; j++)
            size += (size_t)sprintf(text + size, " %d.%05d", i % 7, (i * 31 + j) % 100000);
        text[size++] = '\n';
    }
    assert_true(size > 3 * (8 << 20));
    for (int threads = 1; threads <= 3; threads += 2) {
        test_threads(threads);
        assert_ok(f0t_vectors_open_memory(&v, text, size, "v", NULL, NULL));
        assert_int_equal(f0t_vectors_count(v), ROWS);
        for (size_t i = 0; i < ROWS; i += 997) {
            char word[32];
            float row[DIM];
            snprintf(word, sizeof word, "w%zu", i);
            assert_int_equal(find(v, word), i);
            assert_ok(f0t_vectors_get(row, v, i, 1));
            assert_true(row[3] == (float)((double)(i % 7) + (double)((i * 31 + 3) % 100000) / 1e5));
        }
        f0t_vectors_close(v);
    }
    test_threads(0);
    memcpy(text + size - 7, "x", 1);
    assert_fails(F0T_ERROR_FORMAT,
                 "v:120000: ", f0t_vectors_open_memory(&v, text, size, "v", NULL, NULL));
    f0t_free(text);
}

static void a_row_longer_than_a_block_is_refused(void **state)
{
    enum { SIZE = 20 << 20 };
    char *text;
    f0t_vectors *v;
    (void)state;
    assert_ok(f0t_alloc(&text, SIZE, 1));
    memset(text, 'x', SIZE);
    assert_fails(F0T_ERROR_FORMAT, "v: ", f0t_vectors_open_memory(&v, text, SIZE, "v", NULL, NULL));
    memcpy(text, "a 1 2\nb 1 2\n", 12);
    assert_fails(F0T_ERROR_FORMAT, "v: a row of over",
                 f0t_vectors_open_memory(&v, text, SIZE, "v", NULL, NULL));
    memcpy(text, "9 2\nab \0\0\0\0\0\0\0\0\n", 16);
    assert_fails(F0T_ERROR_FORMAT, "v: a row of over",
                 f0t_vectors_open_memory(&v, text, SIZE, "v", NULL, NULL));
    f0t_free(text);
}

static void interruption_stops_the_reading(void **state)
{
    volatile sig_atomic_t stop = 1;
    f0t_monitor monitor = {.stop = &stop};
    f0t_vectors_options options = {.size = sizeof(f0t_vectors_options)};
    f0t_vectors *v;
    (void)state;
    assert_fails(
        F0T_ERROR_INTERRUPTED, "reading v",
        f0t_vectors_open_memory(&v, glove, sizeof glove - 1, "v", &options, F0T_WATCHED(&monitor)));
}

/* ---- Hostile files ------------------------------------------------------------------------------
 */

static f0t_status load(const void *data, size_t size)
{
    f0t_vectors *v;
    f0t_status status = f0t_vectors_open_memory(&v, data, size, "v", NULL, NULL);
    f0t_vectors_close(v);
    return status;
}

/* The last number may lose digits, "4e-5" its exponent, unseen; and the last newline. */
static bool last_number_cut(size_t size)
{
    return size >= sizeof with_header - 1 - 4 && size != sizeof with_header - 1 - 3 &&
           size != sizeof with_header - 1 - 2;
}

static void a_text_with_header_cut_anywhere_fails(void **state)
{
    (void)state;
    test_cut_everywhere(with_header, sizeof with_header - 1, load, last_number_cut);
}

static size_t binary_size;

static bool last_newline_cut(size_t size)
{
    return size == binary_size - 1;
}

static void a_binary_file_cut_anywhere_fails(void **state)
{
    char data[256];
    (void)state;
    binary_size = make_binary(data, "");
    test_cut_everywhere(data, binary_size, load, NULL);
    binary_size = make_binary(data, "\n");
    test_cut_everywhere(data, binary_size, load, last_newline_cut);
}

static void altered_bytes_do_no_harm(void **state)
{
    char data[256];
    (void)state;
    test_alter_everywhere(glove, sizeof glove - 1, load);
    test_alter_everywhere(with_header, sizeof with_header - 1, load);
    size_t size = make_binary(data, "\n");
    test_alter_everywhere(data, size, load);
}

typedef struct input {
    const void *data;
    size_t size;
} input;

static f0t_status load_input(void *context)
{
    const input *in = context;
    return load(in->data, in->size);
}

static void every_allocation_may_fail(void **state)
{
    char data[256];
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, load_input, &(input){glove, sizeof glove - 1});
    test_each_fault(F0T_FAULT_ALLOC, load_input, &(input){with_header, sizeof with_header - 1});
    test_each_fault(F0T_FAULT_ALLOC, load_input, &(input){data, make_binary(data, "")});
}

/* ---- Real files ---------------------------------------------------------------------------------
 */

static void real_glove_files_are_read(void **state)
{
    static const struct {
        const char *name;
        size_t count;
    } files[] = {{"glove-300d-flickr8k.txt", 1662}, {"glove-300d-nuswide1006.txt", 1006}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        f0t_vectors *v;
        assert_ok(f0t_vectors_open(&v, test_data(files[i].name), NULL, NULL));
        assert_int_equal(f0t_vectors_count(v), files[i].count);
        assert_int_equal(f0t_vectors_dim(v), 300);
        assert_true(find(v, "dog") != F0T_NONE);
        f0t_vectors_close(v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_text_form_gives_the_same_vectors),
        cmocka_unit_test(binary_reads_with_and_without_newlines),
        cmocka_unit_test(gzip_of_each_is_read_and_names_do_not_matter),
        cmocka_unit_test(a_packed_safetensors_file_says_what_to_do),
        cmocka_unit_test(bad_rows_are_left_out_counted_and_told),
        cmocka_unit_test(a_cut_file_names_the_line_unless_it_is_tolerated),
        cmocka_unit_test(short_and_bad_rows_in_the_middle_always_fail),
        cmocka_unit_test(a_header_that_promises_another_number_is_an_error_unless_tolerated),
        cmocka_unit_test(files_without_a_word_fail),
        cmocka_unit_test(get_and_word_stay_inside),
        cmocka_unit_test(the_fingerprint_is_of_the_words_and_vectors_in_any_order),
        cmocka_unit_test(a_file_of_many_blocks_comes_out_in_order),
        cmocka_unit_test(a_row_longer_than_a_block_is_refused),
        cmocka_unit_test(interruption_stops_the_reading),
        cmocka_unit_test(a_text_with_header_cut_anywhere_fails),
        cmocka_unit_test(a_binary_file_cut_anywhere_fails),
        cmocka_unit_test(altered_bytes_do_no_harm),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(real_glove_files_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
