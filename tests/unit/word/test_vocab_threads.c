#include "support.h"

#include "fast0tag.h"

#include <pthread.h>
#include <string.h>

enum { THREADS = 6, ROUNDS = 20 };

static f0t_vectors *vectors;

/* Looks up, compares, makes vocabularies and opens files; gives the number of wrong answers. */
static void *ask(void *context)
{
    static const char *const tags[] = {"Dogs", "palm tree", "dgo"};
    size_t wrong = 0, found, place;
    for (int round = 0; round < ROUNDS; round++) {
        f0t_vocab *vocab;
        f0t_vectors *other;
        f0t_neighbour near[2];
        float row[2];
        wrong += f0t_vectors_get(row, vectors, f0t_vectors_find(vectors, "dog", 3), 1) != F0T_OK;
        wrong += f0t_vectors_nearest(near, &found, 2, vectors, row, NULL) != F0T_OK || found != 2;
        wrong += near[0].index != 0;
        wrong += f0t_vocab_create(&vocab, tags, 3, vectors, NULL, NULL) != F0T_OK;
        wrong += f0t_vocab_find(&place, vocab, "DOGS") != F0T_OK;
        wrong += f0t_vocab_count(vocab) != 2 || place != 0;
        wrong += strcmp(f0t_vocab_get_entry(vocab, 2)->nearest, "dog") != 0;
        f0t_vocab_free(vocab);
        wrong += f0t_vectors_open_memory(&other, "a 1 2\nb 3\nc 4 5\n", 16, "v", NULL, NULL) !=
                 F0T_ERROR_FORMAT;
        wrong += !strstr(f0t_last_error(), "v:2: ");
    }
    *(size_t *)context = wrong;
    return NULL;
}

static void share(const char *path)
{
    pthread_t threads[THREADS];
    size_t wrong[THREADS];
    assert_ok(f0t_vectors_open(&vectors, path, NULL, NULL));
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &wrong[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(wrong[i], 0);
    }
    f0t_vectors_close(vectors);
}

static void many_threads_share_vectors_in_memory_and_mapped(void **state)
{
    const char *from = test_text("v.txt", "dog 1 0\npalm 0.5 1\ntree 0 1\n");
    const char *to = test_path("v.safetensors");
    (void)state;
    assert_ok(f0t_vectors_convert(NULL, to, from, NULL, NULL));
    share(from);
    share(to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_threads_share_vectors_in_memory_and_mapped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
