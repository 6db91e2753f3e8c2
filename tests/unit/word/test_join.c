#include "support.h"

#include "fast0tag.h"
#include "io/vectors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What text knows, and what a dictionary says: another number of dimensions, other words, phrases. */
static const char text[] =
    "dog 1 0.5 0\ncat 0.9 0.7 0.1\nPalm 0 1 1\ntree 0.1 1 0.7\nselfie 2 0 -1\n"
    "nothing 0 0 0\n";
static const char dictionary[] = "dogs 1 2\ncat 3 4\npalm_tree 5 -6\nunicorn -7 8\nNothing 1 1\n";

enum { A = 3, B = 2, D = A + B };

static void join_files(const char *to, const char *a, const char *b, const f0t_join_options *how)
{
    const char *const from[] = {a, b};
    assert_ok(f0t_vectors_join(NULL, to, from, 2, how, NULL));
}

/* Joins the two files with 1 and 0.7 and opens the result. */
static f0t_vectors *open_joined(const char *name)
{
    const double weights[] = {1, 0.7};
    const f0t_join_options how = {.size = sizeof how, .weights = weights};
    f0t_vectors *v = NULL;
    join_files(test_path(name), test_text("a.txt", text), test_text("b.txt", dictionary), &how);
    assert_ok(f0t_vectors_open(&v, test_path(name), NULL, NULL));
    return v;
}

static f0t_vectors *open_file(const char *path)
{
    f0t_vectors *v = NULL;
    assert_ok(f0t_vectors_open(&v, path, NULL, NULL));
    return v;
}

static uint64_t fingerprint_of(const char *path)
{
    f0t_vectors *v = open_file(path);
    uint64_t fingerprint = f0t_vectors_fingerprint(v);
    f0t_vectors_close(v);
    return fingerprint;
}

/* ---- Values, in plain arithmetic ------------------------------------------------------------------ */

static void set_length_1(double *v, size_t n)
{
    double square = 0;
    for (size_t i = 0; i < n; i++)
        square += v[i] * v[i];
    for (size_t i = 0; i < n && square > 0; i++)
        v[i] /= sqrt(square);
}

/* The vector of a word of a file, centred, of length 1; zero for NULL. */
static void get_block(double *out, size_t dim, const char *file, const char *word)
{
    f0t_vectors *v = open_file(test_text("block.txt", file));
    float row[D], sum;
    memset(out, 0, dim * sizeof *out);
    for (size_t k = 0; k < dim && word; k++) {
        sum = 0;
        for (size_t i = 0; i < f0t_vectors_count(v); i++) {
            assert_ok(f0t_vectors_get(row, v, i, 1));
            sum += row[k];
        }
        assert_ok(f0t_vectors_get(row, v, f0t_vectors_find(v, word, strlen(word)), 1));
        out[k] = (double)row[k] - (double)sum / (double)f0t_vectors_count(v);
    }
    set_length_1(out, dim);
    f0t_vectors_close(v);
}

static void assert_vector(const f0t_vectors *v, const char *word, double *want)
{
    float row[D];
    size_t index = f0t_vectors_find(v, word, strlen(word));
    assert_true(index != F0T_NONE);
    assert_ok(f0t_vectors_get(row, v, index, 1));
    set_length_1(want, D);
    for (size_t k = 0; k < D; k++)
        assert_true(fabs((double)row[k] - want[k]) < 1e-6);
}

/* The joined vector of `word` is made of `a` in the text and `b` in the dictionary, NULL: of nothing there. */
static void assert_made_of(const f0t_vectors *v, const char *word, const char *a, const char *b)
{
    double want[D];
    get_block(want, A, text, a);
    get_block(want + A, B, dictionary, b);
    for (size_t k = A; k < D; k++)
        want[k] *= 0.7;
    assert_vector(v, word, want);
}

static void a_word_has_the_blocks_of_both_files(void **state)
{
    f0t_vectors *v = open_joined("j");
    (void)state;
    assert_int_equal(f0t_vectors_dim(v), D);
    assert_made_of(v, "cat", "cat", "cat");
    f0t_vectors_close(v);
}

static void what_one_file_lacks_the_other_gives(void **state)
{
    f0t_vectors *v = open_joined("j");
    (void)state;
    assert_made_of(v, "selfie", "selfie", NULL);
    assert_made_of(v, "unicorn", NULL, "unicorn");
    assert_made_of(v, "Palm", "Palm", NULL);
    f0t_vectors_close(v);
}

/* A word of zeros has no direction, as in a vocabulary: another spelling may have one. */
static void other_spellings_and_forms_meet(void **state)
{
    f0t_vectors *v = open_joined("j");
    (void)state;
    assert_made_of(v, "dog", "dog", "dogs");
    assert_made_of(v, "dogs", "dog", "dogs");
    assert_made_of(v, "nothing", NULL, "Nothing");
    assert_made_of(v, "Nothing", NULL, "Nothing");
    f0t_vectors_close(v);
}

static void a_phrase_has_the_mean_of_its_words(void **state)
{
    f0t_vectors *v = open_joined("j");
    double want[D], other[A];
    (void)state;
    get_block(want, A, text, "Palm");
    get_block(other, A, text, "tree");
    for (size_t k = 0; k < A; k++)
        want[k] += other[k];
    set_length_1(want, A);
    get_block(want + A, B, dictionary, "palm_tree");
    for (size_t k = A; k < D; k++)
        want[k] *= 0.7;
    assert_vector(v, "palm_tree", want);
    f0t_vectors_close(v);
}

static void the_words_are_those_of_the_first_file_then_what_is_new(void **state)
{
    static const char *const want[] = {"dog",     "cat",  "Palm",      "tree",    "selfie",
                                       "nothing", "dogs", "palm_tree", "unicorn", "Nothing"};
    const char *const from[] = {test_text("a.txt", text), test_text("b.txt", dictionary)};
    f0t_vectors_counts counts;
    (void)state;
    assert_ok(f0t_vectors_join(&counts, test_path("j"), from, 2, NULL, NULL));
    assert_true(counts.rows == 11 && counts.words == 10 && counts.duplicates == 1);
    assert_true(counts.empty == 0 && counts.invalid == 0 && counts.zero == 0);
    f0t_vectors *v = open_file(test_path("j"));
    assert_int_equal(f0t_vectors_count(v), sizeof want / sizeof *want);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        size_t length;
        const char *word = f0t_vectors_word(&length, v, i);
        assert_int_equal(length, strlen(want[i]));
        assert_memory_equal(word, want[i], length);
    }
    f0t_vectors_close(v);
}

/* A word that no file has a direction for stays, without one. */
static void a_word_without_any_direction_is_zero(void **state)
{
    const char *const from[] = {test_text("z.txt", "a 1 2\nz 0 0\n"),
                                test_text("b.txt", dictionary)};
    f0t_vectors_counts counts;
    float row[4];
    (void)state;
    assert_ok(f0t_vectors_join(&counts, test_path("j"), from, 2, NULL, NULL));
    assert_int_equal(counts.zero, 1);
    f0t_vectors *v = open_file(test_path("j"));
    assert_ok(f0t_vectors_get(row, v, f0t_vectors_find(v, "z", 1), 1));
    assert_true(row[0] == 0 && row[1] == 0 && row[2] == 0 && row[3] == 0);
    f0t_vectors_close(v);
}

/* A weight that is next to nothing still leaves words that no other file has at length 1. */
static void any_positive_weight_will_do(void **state)
{
    const double weights[] = {1e300, 1e-300};
    const f0t_join_options how = {.size = sizeof how, .weights = weights};
    double want[D];
    (void)state;
    join_files(test_path("j"), test_text("a.txt", text), test_text("b.txt", dictionary), &how);
    f0t_vectors *v = open_file(test_path("j"));
    get_block(want, A, text, NULL);
    get_block(want + A, B, dictionary, "unicorn");
    assert_vector(v, "unicorn", want);
    get_block(want, A, text, "cat");
    get_block(want + A, B, dictionary, NULL);
    assert_vector(v, "cat", want);
    f0t_vectors_close(v);
}

static void float16_is_the_same_at_half_the_size(void **state)
{
    const f0t_join_options half = {.size = sizeof half, .f16 = true};
    const char *a = test_text("a.txt", text), *b = test_text("b.txt", dictionary);
    float x[D], y[D];
    (void)state;
    join_files(test_path("j"), a, b, NULL);
    join_files(test_path("h"), a, b, &half);
    f0t_vectors *v = open_file(test_path("j")), *h = open_file(test_path("h"));
    assert_string_equal(f0t_vectors_dtype(h), "float16");
    assert_int_equal(f0t_vectors_count(v), f0t_vectors_count(h));
    assert_true(f0t_vectors_fingerprint(v) == f0t_vectors_fingerprint(h));
    for (size_t i = 0; i < f0t_vectors_count(v); i++) {
        assert_ok(f0t_vectors_get(x, v, i, 1));
        assert_ok(f0t_vectors_get(y, h, i, 1));
        for (size_t k = 0; k < D; k++)
            assert_true(fabs((double)x[k] - (double)y[k]) < 1e-3);
    }
    f0t_vectors_close(v);
    f0t_vectors_close(h);
}

static void three_files_may_be_joined(void **state)
{
    const char *const from[] = {test_text("a.txt", text), test_text("b.txt", dictionary),
                                test_text("c.txt", "cat 1\nfish 3\n")};
    float row[D + 1];
    (void)state;
    assert_ok(f0t_vectors_join(NULL, test_path("j"), from, 3, NULL, NULL));
    f0t_vectors *v = open_file(test_path("j"));
    assert_int_equal(f0t_vectors_dim(v), D + 1);
    assert_int_equal(f0t_vectors_count(v), 11);
    assert_ok(f0t_vectors_get(row, v, f0t_vectors_find(v, "cat", 3), 1));
    assert_true(fabs((double)row[D] + sqrt(1.0 / 3)) < 1e-6);
    f0t_vectors_close(v);
}

/* ---- The space ------------------------------------------------------------------------------------ */

static void the_mean_is_zero_and_centring_changes_nothing(void **state)
{
    static const char *const tags[] = {"cat", "palm tree", "selfies", "cat tree"};
    f0t_vocab_options how = F0T_VOCAB_OPTIONS;
    f0t_vocab *plain, *centred;
    f0t_vectors *v = open_joined("j");
    (void)state;
    for (size_t k = 0; k < D; k++)
        assert_true(f0t_vectors_mean(v)[k] == 0);
    assert_ok(f0t_vocab_create(&plain, tags, 4, v, &how, NULL));
    how.centred = true;
    assert_ok(f0t_vocab_create(&centred, tags, 4, v, &how, NULL));
    assert_int_equal(f0t_vocab_count(plain), 4);
    assert_memory_equal(f0t_vocab_vectors(plain), f0t_vocab_vectors(centred),
                        4 * D * sizeof(float));
    f0t_vocab_free(plain);
    f0t_vocab_free(centred);
    f0t_vectors_close(v);
}

static void the_fingerprint_knows_parents_weights_and_order(void **state)
{
    const double weights[] = {1, 0.7}, doubled[] = {2, 1.4}, other[] = {1, 0.8}, ones[] = {3, 3};
    const f0t_join_options by = {.size = sizeof by, .weights = weights};
    const f0t_join_options twice = {.size = sizeof twice, .weights = doubled};
    const f0t_join_options otherwise = {.size = sizeof otherwise, .weights = other};
    const f0t_join_options alike = {.size = sizeof alike, .weights = ones};
    const char *a = test_text("a.txt", text), *b = test_text("b.txt", dictionary);
    const char *c = test_text("c.txt", "dogs 1 2\ncat 3 5\n"), *to = test_path("j");
    (void)state;
    join_files(to, a, b, &by);
    const uint64_t same = fingerprint_of(to);
    assert_true(same != fingerprint_of(a) && same != fingerprint_of(b));
    join_files(to, a, b, &twice);
    assert_true(fingerprint_of(to) == same);
    join_files(to, a, b, &otherwise);
    assert_true(fingerprint_of(to) != same);
    join_files(to, b, a, &by);
    assert_true(fingerprint_of(to) != same);
    join_files(to, a, c, &by);
    assert_true(fingerprint_of(to) != same);
    join_files(to, a, b, NULL);
    const uint64_t plain = fingerprint_of(to);
    assert_true(plain != same);
    join_files(to, a, b, &alike);
    assert_true(fingerprint_of(to) == plain);
}

static void it_is_the_same_for_parents_that_were_converted_or_trimmed(void **state)
{
    static const char *const tags[] = {"cat"};
    const f0t_convert_options half = {.size = sizeof half, .f16 = true};
    const char *a = test_text("a.txt", text), *b = test_text("b.txt", dictionary);
    size_t n, m;
    (void)state;
    join_files(test_path("j"), a, b, NULL);
    assert_ok(f0t_vectors_convert(NULL, test_path("a.st"), a, NULL, NULL));
    assert_ok(f0t_vectors_convert(NULL, test_path("b.st"), b, NULL, NULL));
    join_files(test_path("k"), test_path("a.st"), test_path("b.st"), NULL);
    char *x = test_read(test_path("j"), &n), *y = test_read(test_path("k"), &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    f0t_free(x);
    f0t_free(y);
    assert_ok(f0t_vectors_trim(NULL, test_path("t.st"), b, tags, 1, NULL, NULL));
    assert_ok(f0t_vectors_convert(NULL, test_path("h.st"), a, &half, NULL));
    join_files(test_path("k"), test_path("h.st"), test_path("t.st"), NULL);
    assert_true(fingerprint_of(test_path("k")) == fingerprint_of(test_path("j")));
}

static const char *metadata_of(char *to, size_t size, const char *path, const char *key)
{
    f0t_safetensors *file;
    assert_ok(f0t_safetensors_open(&file, path));
    const char *value = f0t_safetensors_metadata(file, key);
    snprintf(to, size, "%s", value ? value : "(none)");
    f0t_safetensors_close(file);
    return to;
}

static void the_file_names_its_parents_and_hands_them_on(void **state)
{
    static const char *const tags[] = {"cat"};
    char value[400], want[400];
    const char *paths[] = {test_path("j"), test_path("c"), test_path("t")};
    (void)state;
    f0t_vectors_close(open_joined("j"));
    assert_ok(f0t_vectors_convert(NULL, paths[1], paths[0], NULL, NULL));
    assert_ok(f0t_vectors_trim(NULL, paths[2], paths[1], tags, 1, NULL, NULL));
    snprintf(want, sizeof want,
             "[{\"source\":\"a.txt\",\"fingerprint\":\"%016llx\",\"weight\":1.0,\"dim\":3},"
             "{\"source\":\"b.txt\",\"fingerprint\":\"%016llx\",\"weight\":0.7,\"dim\":2}]",
             (unsigned long long)fingerprint_of(test_path("a.txt")),
             (unsigned long long)fingerprint_of(test_path("b.txt")));
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(metadata_of(value, sizeof value, paths[i], "parents"), want);
        assert_true(fingerprint_of(paths[i]) == fingerprint_of(paths[0]));
        f0t_vectors *v = open_file(paths[i]);
        assert_string_equal(f0t_vectors_source(v), "a.txt + 0.7 b.txt");
        f0t_vectors_close(v);
    }
    assert_ok(f0t_vectors_convert(NULL, test_path("p"), test_path("a.txt"), NULL, NULL));
    assert_string_equal(metadata_of(value, sizeof value, test_path("p"), "parents"), "(none)");
}

/* Names of files may be long, and need not be UTF-8; the header has room for all of them. */
static void odd_and_long_names_of_files_do_no_harm(void **state)
{
    const char *from[F0T_JOIN_MOST];
    char name[256], value[32];
    (void)state;
    for (size_t i = 0; i < F0T_JOIN_MOST; i++) {
        memset(name, '"', sizeof name);
        snprintf(name + 200, sizeof name - 200, "%zu", i);
        from[i] = test_text(i ? name : "\xFF", "a 1\nb 2\n");
    }
    assert_ok(f0t_vectors_join(NULL, test_path("j"), from, F0T_JOIN_MOST, NULL, NULL));
    f0t_vectors *v = open_file(test_path("j"));
    assert_string_equal(f0t_vectors_source(v), "16 files");
    f0t_vectors_close(v);
    assert_string_equal(metadata_of(value, 15, test_path("j"), "parents"), "[{\"source\":\"?\"");
}

/* ---- With tags ------------------------------------------------------------------------------------ */

static void with_tags_it_is_the_whole_that_was_trimmed(void **state)
{
    static const char *const tags[] = {"dog", "palm trees"};
    const f0t_join_options some = {.size = sizeof some, .tags = tags, .tag_count = 2};
    const char *a = test_text("a.txt", text), *b = test_text("b.txt", dictionary);
    float x[D], y[D];
    (void)state;
    join_files(test_path("j"), a, b, NULL);
    assert_ok(f0t_vectors_trim(NULL, test_path("t"), test_path("j"), tags, 2, NULL, NULL));
    join_files(test_path("s"), a, b, &some);
    f0t_vectors *t = open_file(test_path("t")), *s = open_file(test_path("s"));
    assert_int_equal(f0t_vectors_count(s), 5); /* dog, Palm, tree, dogs, palm_tree */
    assert_int_equal(f0t_vectors_count(t), 5);
    assert_true(f0t_vectors_fingerprint(t) == f0t_vectors_fingerprint(s));
    for (size_t i = 0; i < 5; i++) {
        size_t n, m;
        const char *word = f0t_vectors_word(&n, t, i), *other = f0t_vectors_word(&m, s, i);
        assert_int_equal(n, m);
        assert_memory_equal(word, other, n);
        assert_ok(f0t_vectors_get(x, t, i, 1));
        assert_ok(f0t_vectors_get(y, s, i, 1));
        assert_memory_equal(x, y, sizeof x);
    }
    f0t_vectors_close(t);
    f0t_vectors_close(s);
}

static void tags_that_no_file_has_fail(void **state)
{
    static const char *const none[] = {"xyzzy"}, *const bad[] = {"dog", "\xFF"};
    f0t_join_options how = {.size = sizeof how, .tags = none, .tag_count = 1};
    const char *const from[] = {test_text("a.txt", text), test_text("b.txt", dictionary)};
    const char *to = test_path("never");
    size_t files = test_files_left();
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "none of the files has one of the words",
                 f0t_vectors_join(NULL, to, from, 2, &how, NULL));
    how.tags = bad;
    how.tag_count = 2;
    assert_fails(F0T_ERROR_FORMAT, "tag 2: ", f0t_vectors_join(NULL, to, from, 2, &how, NULL));
    assert_int_equal(test_files_left(), files);
}

/* ---- The same bytes ------------------------------------------------------------------------------- */

enum { MANY = 5000 };

/* Words, some of which are phrases of others, over more than one batch. */
static const char *write_many(const char *name, uint64_t seed)
{
    static char bytes[MANY * 64];
    float values[2 * MANY];
    size_t n = 0;
    test_random_floats(values, 2 * MANY, seed);
    for (size_t i = 0; i < MANY; i++)
        n += (size_t)snprintf(bytes + n, sizeof bytes - n,
                              i % 3 ? "w%zu %g %g\n" : "w%zu_w1 %g %g\n", i * seed,
                              (double)values[2 * i], (double)values[2 * i + 1]);
    return test_file(name, bytes, n);
}

static void any_number_of_threads_gives_the_same_bytes(void **state)
{
    const char *a = write_many("many.txt", 1), *b = write_many("more.txt", 2);
    size_t n, m;
    (void)state;
    test_threads(1);
    join_files(test_path("one"), a, b, NULL);
    test_threads(3);
    join_files(test_path("three"), a, b, NULL);
    test_threads(0);
    char *x = test_read(test_path("one"), &n), *y = test_read(test_path("three"), &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    f0t_free(x);
    f0t_free(y);
}

/* ---- Wrong uses ----------------------------------------------------------------------------------- */

static void wrong_numbers_of_files_and_wrong_weights_are_refused(void **state)
{
    double weights[] = {1, 0};
    f0t_join_options how = {.size = sizeof how, .weights = weights};
    const char *a = test_text("a.txt", text), *to = test_path("never"), *from[F0T_JOIN_MOST + 1];
    (void)state;
    for (size_t i = 0; i <= F0T_JOIN_MOST; i++)
        from[i] = a;
    assert_fails(F0T_ERROR_ARGUMENT, "1 files to join: give 2 to 16",
                 f0t_vectors_join(NULL, to, from, 1, NULL, NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "17 files to join",
                 f0t_vectors_join(NULL, to, from, F0T_JOIN_MOST + 1, NULL, NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "weight 2 is 0: give a number above 0",
                 f0t_vectors_join(NULL, to, from, 2, &how, NULL));
    weights[0] = -1;
    assert_fails(F0T_ERROR_ARGUMENT, "weight 1 is -1",
                 f0t_vectors_join(NULL, to, from, 2, &how, NULL));
    weights[0] = (double)NAN;
    assert_fails(F0T_ERROR_ARGUMENT, "weight 1 is",
                 f0t_vectors_join(NULL, to, from, 2, &how, NULL));
    weights[0] = (double)INFINITY;
    assert_fails(F0T_ERROR_ARGUMENT, "weight 1 is inf",
                 f0t_vectors_join(NULL, to, from, 2, &how, NULL));
    from[1] = NULL;
    assert_fails(F0T_ERROR_ARGUMENT, "from[1] is NULL",
                 f0t_vectors_join(NULL, to, from, 2, NULL, NULL));
    from[1] = "/nowhere/b.txt";
    assert_fails(F0T_ERROR_NOT_FOUND, "/nowhere/b.txt",
                 f0t_vectors_join(NULL, to, from, 2, NULL, NULL));
}

/* A file with one word and this many dimensions. */
static const char *write_wide(const char *name, size_t dim)
{
    char *line;
    assert_ok(f0t_alloc(&line, 2 * dim + 2, 1));
    line[0] = 'a';
    for (size_t i = 0; i < dim; i++)
        memcpy(line + 1 + 2 * i, " 1", 2);
    line[2 * dim + 1] = '\n';
    const char *path = test_file(name, line, 2 * dim + 2);
    f0t_free(line);
    return path;
}

static void too_many_dimensions_are_refused(void **state)
{
    const char *const from[] = {write_wide("w.txt", 65536), test_text("a.txt", text)};
    (void)state;
    assert_fails(F0T_ERROR_UNSUPPORTED, "65539 dimensions in all; 65536 is the most",
                 f0t_vectors_join(NULL, test_path("never"), from, 2, NULL, NULL));
}

/* Stops the work as soon as words are joined. */
static void stop_joining(void *user, const f0t_progress *progress)
{
    volatile sig_atomic_t *stop = user;
    if (strcmp(progress->stage, "joining") == 0)
        *stop = 1;
}

static void a_failed_join_leaves_the_old_file_and_nothing_else(void **state)
{
    volatile sig_atomic_t stop = 0;
    f0t_monitor monitor = {
        .progress = stop_joining, .user = (void *)(uintptr_t)&stop, .stop = &stop};
    const char *to = test_text("kept", "old"), *a = test_path("a.st"), *b = test_path("b.st");
    const char *const from[] = {a, b};
    size_t size;
    (void)state;
    assert_ok(f0t_vectors_convert(NULL, a, test_text("a.txt", text), NULL, NULL));
    assert_ok(f0t_vectors_convert(NULL, b, test_text("b.txt", dictionary), NULL, NULL));
    size_t files = test_files_left();
    assert_fails(F0T_ERROR_INTERRUPTED, "interrupted while joining",
                 f0t_vectors_join(NULL, to, from, 2, NULL, F0T_WATCHED(&monitor)));
    assert_int_equal(test_files_left(), files);
    char *old = test_read(to, &size);
    assert_string_equal(old, "old");
    f0t_free(old);
}

/* ---- Hostile files -------------------------------------------------------------------------------- */

/* A file in our own form that says anything; joined with another one. */
static f0t_status join_hostile(const void *data, size_t size)
{
    const char *const from[] = {test_path("good.txt"), test_file("hostile.st", data, size)};
    return f0t_vectors_join(NULL, test_path("never"), from, 2, NULL, NULL);
}

/* Our own form of `lines`. */
static char *make_own(size_t *size, const char *lines)
{
    assert_ok(
        f0t_vectors_convert(NULL, test_path("own.st"), test_text("own.txt", lines), NULL, NULL));
    test_text("good.txt", text);
    return test_read(test_path("own.st"), size);
}

/* Where `bytes` stand after the header. */
static char *find_bytes(char *data, size_t size, const void *bytes, size_t length)
{
    const size_t header =
        8 + (size_t)(unsigned char)data[0] + ((size_t)(unsigned char)data[1] << 8);
    char *at = memmem(data + header, size - header, bytes, length);
    assert_non_null(at);
    return at;
}

static void altered_tensors_do_no_harm(void **state)
{
    size_t size;
    char *data = make_own(&size, "aa 1 2\nbb 3 5\n");
    const float first = 1;
    (void)state;
    assert_ok(join_hostile(data, size));
    for (char *at = find_bytes(data, size, &first, 4); at < data + size; at++) {
        const char before = *at;
        for (int change = 0; change < 3; change++) {
            *at = (char)(change == 0 ? 0xFF : change == 1 ? before + 1 : before ^ 0x40);
            const f0t_status status = join_hostile(data, size);
            assert_true(status == F0T_OK || status == F0T_ERROR_FORMAT);
        }
        *at = before;
    }
    f0t_free(data);
}

static void damaged_words_and_means_are_said(void **state)
{
    size_t size;
    char *data = make_own(&size, "aa 1 2\nbb 3 5\n"), *at = find_bytes(data, size, "aa\nbb\n", 6);
    const float mean = 3.5F, bad = NAN; /* of 2 and 5; nothing else is 3.5 */
    (void)state;
    at[3] = '\xFF';
    assert_fails(F0T_ERROR_FORMAT, "hostile.st: word 2 is damaged", join_hostile(data, size));
    at[3] = 'b';
    memcpy(find_bytes(data, size, &mean, sizeof mean), &bad, sizeof bad);
    assert_fails(F0T_ERROR_FORMAT, "hostile.st: its mean is not finite", join_hostile(data, size));
    f0t_free(data);
}

/* What no file that we wrote has. */
static void words_that_are_there_twice_are_counted(void **state)
{
    const char *const from[] = {test_path("hostile.st"), test_path("good.txt")};
    f0t_vectors_counts counts;
    size_t size;
    char *data = make_own(&size, "aa 1 2\nbb 3 5\n");
    (void)state;
    memcpy(find_bytes(data, size, "aa\nbb\n", 6), "aa\naa\n", 6);
    test_file("hostile.st", data, size);
    assert_ok(f0t_vectors_join(&counts, test_path("j"), from, 2, NULL, NULL));
    assert_true(counts.rows == 8 && counts.words == 7 && counts.duplicates == 1);
    f0t_free(data);
}

/* No tag is as long as that: no vocabulary could ask for it. */
static void words_longer_than_any_tag_are_left_out(void **state)
{
    char line[1100];
    memset(line, 'x', sizeof line);
    memcpy(line + 1025, " 1 2\na 3 4\n", 12);
    const char *const from[] = {test_text("long.txt", line), test_text("a.txt", text)};
    f0t_vectors_counts counts;
    (void)state;
    assert_ok(f0t_vectors_join(&counts, test_path("j"), from, 2, NULL, NULL));
    assert_true(counts.invalid == 1 && counts.rows == 8 && counts.words == 7);
}

/* ---- Faults --------------------------------------------------------------------------------------- */

static f0t_status join_once(void *context)
{
    static const char *const tags[] = {"palm trees", "dog", "xyzzy"};
    const f0t_join_options how = {
        .size = sizeof how, .tags = tags, .tag_count = 3, .f16 = context != NULL};
    const char *const from[] = {test_path("a.txt"), test_path("b.txt")};
    return f0t_vectors_join(NULL, test_path("fault"), from, 2, &how, NULL);
}

static void every_allocation_and_every_write_may_fail(void **state)
{
    char half;
    test_text("a.txt", text);
    test_text("b.txt", dictionary);
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, join_once, NULL);
    test_each_fault(F0T_FAULT_ALLOC, join_once, &half);
    test_each_fault(F0T_FAULT_WRITE, join_once, NULL);
}

/* ---- Languages that are aligned --------------------------------------------------------------------- */

/* As fastText writes them: a header, a blank at the end of each line, words with spaces, bytes that are no UTF-8. */
static const char english[] =
    "5 3\ndog 1 0 0 \ncat 0 1 0 \nNew York 0 0 1 \ngift 1 1 0 \n\xFF\xFE 1 1 1 \n";
static const char german[] =
    "4 3\nHund 1.1 0.1 0.1 \nKatze 0.1 1.1 0.1 \ngift -1 1 0.5 \nNew York 5 5 5 \n";

static void aligned_files_share_their_space(void **state)
{
    const f0t_join_options how = {.size = sizeof how, .aligned = true};
    const char *a = test_text("wiki.en.align.vec", english),
               *b = test_text("wiki.de.align.vec", german);
    const char *const from[] = {a, b};
    f0t_vectors_counts counts;
    float dog[3], hund[3], gift[3], of_first[3];
    (void)state;
    assert_ok(f0t_vectors_join(&counts, test_path("both"), from, 2, &how, NULL));
    assert_int_equal(counts.words, 6);
    assert_int_equal(counts.duplicates, 2);
    f0t_vectors *v = open_file(test_path("both")), *first = open_file(a);
    assert_int_equal(f0t_vectors_dim(v), 3);
    assert_ok(f0t_vectors_get(dog, v, f0t_vectors_find(v, "dog", 3), 1));
    assert_ok(f0t_vectors_get(hund, v, f0t_vectors_find(v, "Hund", 4), 1));
    assert_ok(f0t_vectors_get(gift, v, f0t_vectors_find(v, "gift", 4), 1));
    assert_true(f0t_vectors_find(v, "New York", 8) != F0T_NONE);
    assert_true(dog[0] * hund[0] + dog[1] * hund[1] + dog[2] * hund[2] > 0.5F);
    /* A word of both languages means what the first says, centred by the mean of that file. */
    assert_ok(f0t_vectors_get(of_first, first, f0t_vectors_find(first, "gift", 4), 1));
    double want[3];
    for (size_t k = 0; k < 3; k++)
        want[k] = (double)of_first[k] - (double)f0t_vectors_mean(first)[k];
    set_length_1(want, 3);
    for (size_t k = 0; k < 3; k++)
        assert_float_equal(gift[k], want[k], 1e-6);
    assert_true(f0t_vectors_fingerprint(v) != f0t_vectors_fingerprint(first));
    f0t_vectors_close(v);
    f0t_vectors_close(first);
}

static void files_that_cannot_be_aligned_are_refused(void **state)
{
    f0t_join_options how = {.size = sizeof how, .aligned = true};
    const double weights[] = {1, 2};
    const char *const from[] = {test_text("wiki.en.align.vec", english),
                                test_text("two.vec", "1 2\nHund 1 0\n")};
    (void)state;
    assert_fails(F0T_ERROR_MISMATCH, ": aligned files have as many",
                 f0t_vectors_join(NULL, test_path("no"), from, 2, &how, NULL));
    how.weights = weights;
    assert_fails(F0T_ERROR_ARGUMENT, "aligned files have no weights: each word is of one",
                 f0t_vectors_join(NULL, test_path("no"), from, 2, &how, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_has_the_blocks_of_both_files),
        cmocka_unit_test(what_one_file_lacks_the_other_gives),
        cmocka_unit_test(other_spellings_and_forms_meet),
        cmocka_unit_test(a_phrase_has_the_mean_of_its_words),
        cmocka_unit_test(the_words_are_those_of_the_first_file_then_what_is_new),
        cmocka_unit_test(a_word_without_any_direction_is_zero),
        cmocka_unit_test(any_positive_weight_will_do),
        cmocka_unit_test(float16_is_the_same_at_half_the_size),
        cmocka_unit_test(three_files_may_be_joined),
        cmocka_unit_test(the_mean_is_zero_and_centring_changes_nothing),
        cmocka_unit_test(the_fingerprint_knows_parents_weights_and_order),
        cmocka_unit_test(it_is_the_same_for_parents_that_were_converted_or_trimmed),
        cmocka_unit_test(the_file_names_its_parents_and_hands_them_on),
        cmocka_unit_test(odd_and_long_names_of_files_do_no_harm),
        cmocka_unit_test(with_tags_it_is_the_whole_that_was_trimmed),
        cmocka_unit_test(tags_that_no_file_has_fail),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(wrong_numbers_of_files_and_wrong_weights_are_refused),
        cmocka_unit_test(too_many_dimensions_are_refused),
        cmocka_unit_test(a_failed_join_leaves_the_old_file_and_nothing_else),
        cmocka_unit_test(altered_tensors_do_no_harm),
        cmocka_unit_test(damaged_words_and_means_are_said),
        cmocka_unit_test(words_that_are_there_twice_are_counted),
        cmocka_unit_test(words_longer_than_any_tag_are_left_out),
        cmocka_unit_test(every_allocation_and_every_write_may_fail),
        cmocka_unit_test(aligned_files_share_their_space),
        cmocka_unit_test(files_that_cannot_be_aligned_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
