/* A prepared vocabulary whose file another program makes shorter while a tagger uses it: the call fails. */
#include "taggers.h"

#include "word/vocab.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORDS = 2000, DIM = 4 };

static f0t_model *model;
static float features[T_COLOURS * T_FEATURES], vectors[WORDS * DIM];
static char names[WORDS][16];
static const char *tags[WORDS];

static int start(void **state)
{
    (void)state;
    model = colour_model(false);
    f0t_free(colour_features(features));
    return 0;
}

static int stop(void **state)
{
    (void)state;
    f0t_model_free(model);
    return 0;
}

static void save_words(const char *path)
{
    const f0t_vocab *own = f0t_model_vocab(model);
    f0t_vocab *vocab;
    test_random_floats(vectors, WORDS * DIM, 5);
    for (size_t i = 0; i < WORDS; i++) {
        snprintf(names[i], sizeof names[i], "word%zu", i);
        tags[i] = names[i];
    }
    const f0t_vocab_parts parts = {.tags = tags,
                                   .count = WORDS,
                                   .vectors = vectors,
                                   .dim = DIM,
                                   .centred = f0t_vocab_centred(own),
                                   .fingerprint = f0t_vocab_fingerprint(own)};
    assert_ok(f0t_vocab_restore(&vocab, &parts));
    assert_ok(f0t_vocab_save(vocab, path, NULL));
    f0t_vocab_free(vocab);
}

/* Mapped, though small: a part of the vectors, which are first in it, is a hole. */
static f0t_vocab *open_mapped(const char *path)
{
    enum { FROM = 1 << 13, UPTO = 3 << 13 };
    size_t size;
    f0t_vocab *vocab;
    save_words(path);
    char *data = test_read(path, &size);
    const int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    assert_true(fd >= 0 && size > UPTO);
    assert_int_equal(pwrite(fd, data, FROM, 0), FROM);
    assert_int_equal(pwrite(fd, data + UPTO, size - UPTO, UPTO), size - UPTO);
    close(fd);
    f0t_free(data);
    assert_ok(f0t_vocab_open(&vocab, path, NULL));
    return vocab;
}

static bool is_mapped(const char *path)
{
    f0t_map map;
    assert_ok(f0t_map_open(&map, path));
    const bool mapped = map.mapping;
    f0t_map_close(&map);
    return mapped;
}

static void a_vocabulary_that_is_cut_fails_the_call(void **state)
{
    (void)state;
    char path[512];
    f0t_tag_results *results;
    f0t_tagger *tagger;
    size_t at;
    snprintf(path, sizeof path, "%s", test_path("cut.vocab"));
    f0t_vocab *vocab = open_mapped(path), *joined;
    if (!is_mapped(path)) { /* a file system without holes */
        f0t_vocab_free(vocab);
        skip();
    }
    const f0t_tagger_options alone = {.size = sizeof alone, .vocab = vocab, .features_only = true};
    const f0t_tag_input input = {.size = sizeof input, .count = T_COLOURS, .features = features};
    assert_ok(f0t_tagger_create(&tagger, model, &alone, NULL));
    assert_ok(f0t_tagger_run(&results, tagger, &input, NULL, NULL));
    f0t_tag_results_free(results);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(truncate(path, info.st_size - 1), 0);
    assert_fails(F0T_ERROR_IO, "cut.vocab: cannot be read to its end",
                 f0t_tagger_run(&results, tagger, &input, NULL, NULL));
    f0t_tagger_close(tagger);
    assert_fails(F0T_ERROR_IO, "cut.vocab: cannot be read",
                 f0t_tagger_create(&tagger, model, &alone, NULL));
    assert_fails(F0T_ERROR_IO, "cut.vocab: cannot be read",
                 f0t_vocab_join(&joined, f0t_model_vocab(model), vocab));
    assert_null(joined);
    assert_fails(F0T_ERROR_IO, "cut.vocab: cannot be read", f0t_vocab_find(&at, vocab, "word7"));
    assert_fails(F0T_ERROR_IO, "cut.vocab: cannot be read",
                 f0t_vocab_save(vocab, test_path("saved.vocab"), NULL));
    f0t_vocab_free(vocab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vocabulary_that_is_cut_fails_the_call),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
