/* One cache of features, used by many threads at once. */
#include "support.h"

#include "image/cache.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DIM = 33, PICTURES = 48, THREADS = 4, ROUNDS = 20 };

static char paths[PICTURES][4096];
static f0t_feature_cache *cache;
static atomic_size_t hits, wrong;

/* Only what was written some seconds ago is kept. */
static int make_pictures(void **state)
{
    (void)state;
    mkdir(test_path("cache"), 0700);
    for (size_t i = 0; i < PICTURES; i++) {
        char name[32];
        snprintf(name, sizeof name, "p%zu.jpg", i);
        snprintf(paths[i], sizeof paths[i], "%s", test_text(name, "one"));
    }
    const time_t made = time(NULL);
    while (time(NULL) <= made + 3)
        usleep(50000);
    return 0;
}

static void open_cache(const char *backbone)
{
    hits = wrong = 0;
    assert_ok(f0t_feature_cache_open(&cache, test_path("cache"), DIM, backbone));
    assert_non_null(cache);
}

static void fill(float *row, size_t picture)
{
    for (size_t k = 0; k < DIM; k++)
        row[k] = (float)(picture * DIM + k);
}

static void get_or_put(size_t picture)
{
    f0t_feature_cache_key key;
    float row[DIM], want[DIM];
    fill(want, picture);
    if (!f0t_feature_cache_get(&key, row, cache, paths[picture])) {
        f0t_feature_cache_put(cache, &key, want);
        return;
    }
    atomic_fetch_add(&hits, 1);
    if (memcmp(row, want, sizeof row) != 0)
        atomic_fetch_add(&wrong, 1);
}

static void *use(void *start)
{
    for (size_t i = 0; i < ROUNDS * PICTURES; i++)
        get_or_put((i + *(const size_t *)start) % PICTURES);
    return NULL;
}

static void use_by_all(void)
{
    pthread_t threads[THREADS];
    size_t starts[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        starts[i] = i * PICTURES / THREADS;
        assert_int_equal(pthread_create(&threads[i], NULL, use, &starts[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* Each thread misses a picture at most once: it then keeps it, or finds that another has. */
static void all_get_what_any_has_put(void **state)
{
    (void)state;
    open_cache("net");
    use_by_all();
    f0t_feature_cache_close(cache);
    assert_int_equal(wrong, 0);
    assert_in_range(hits, THREADS * (ROUNDS - 1) * PICTURES, (THREADS * ROUNDS - 1) * PICTURES);
}

/* All of them find the damage, one ends the cache. */
static void a_damaged_file_is_given_up_once(void **state)
{
    f0t_feature_cache_key key;
    const float none[DIM] = {[3] = -INFINITY};
    float row[DIM];
    (void)state;
    open_cache("damaged");
    for (size_t i = 0; i < PICTURES; i++) {
        assert_false(f0t_feature_cache_get(&key, row, cache, paths[i]));
        f0t_feature_cache_put(cache, &key, none);
    }
    use_by_all();
    f0t_feature_cache_close(cache);
    assert_int_equal(hits, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_get_what_any_has_put),
        cmocka_unit_test(a_damaged_file_is_given_up_once),
    };
    return cmocka_run_group_tests(tests, make_pictures, NULL);
}
