/* Features that are kept between commands. */
#include "support.h"

#include "base/alloc.h"
#include "image/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DIM = 5 };

static const float row[DIM] = {1, -2, 3.5F, 0, 1e-20F};

static const char *folder(void)
{
    mkdir(test_path("cache"), 0700);
    return test_path("cache");
}

static const char *const pictures[] = {"a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg", "f.jpg"};

/* Nobody can set the time of an inode's change back: it has to pass. */
static int make_pictures(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        test_text(pictures[i], "one");
    const time_t made = time(NULL);
    while (time(NULL) <= made + 3)
        usleep(50000);
    return 0;
}

static bool get(f0t_feature_cache *cache, const char *path, float *out)
{
    f0t_feature_cache_key key;
    return f0t_feature_cache_get(&key, out, cache, path);
}

static void keep(f0t_feature_cache *cache, const char *path)
{
    f0t_feature_cache_key key;
    float out[DIM];
    assert_false(f0t_feature_cache_get(&key, out, cache, path));
    f0t_feature_cache_put(cache, &key, row);
}

/* The only file of the cache. */
static const char *cache_file(void)
{
    static char path[4096];
    DIR *dir = opendir(folder());
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));)
        if (e->d_name[0] != '.')
            snprintf(path, sizeof path, "%s/%s", folder(), e->d_name);
    closedir(dir);
    return path;
}

static void features_are_found_again_while_a_picture_is_the_same(void **state)
{
    f0t_feature_cache *cache;
    float out[DIM];
    const char *path = test_path("a.jpg");
    (void)state;
    assert_ok(f0t_feature_cache_open(&cache, folder(), DIM, "net"));
    assert_non_null(cache);
    keep(cache, path);
    assert_true(get(cache, path, out));
    f0t_feature_cache_close(cache);
    assert_ok(f0t_feature_cache_open(&cache, folder(), DIM, "net"));
    memset(out, 0, sizeof out);
    assert_true(get(cache, path, out));
    assert_memory_equal(out, row, sizeof row);
    assert_false(get(cache, test_path("nowhere.jpg"), out));
    test_text("a.jpg", "two of them");
    assert_false(get(cache, path, out));
    f0t_feature_cache_close(cache);
    assert_ok(f0t_feature_cache_open(&cache, folder(), DIM, "another net"));
    assert_false(get(cache, path, out));
    f0t_feature_cache_close(cache);
    unlink(cache_file());
}

/* As cp -p and exiftool -P leave it; written in place, and as another file under its name. */
static void a_change_that_keeps_size_and_time_is_seen(void **state)
{
    f0t_feature_cache *cache;
    float out[DIM];
    struct stat info;
    const char *path = test_path("b.jpg");
    (void)state;
    assert_int_equal(stat(path, &info), 0);
    const struct timespec times[2] = {info.st_atim, info.st_mtim};
    assert_ok(f0t_feature_cache_open(&cache, folder(), DIM, "times"));
    keep(cache, path);
    assert_true(get(cache, path, out));
    test_text("b.jpg", "two");
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    assert_false(get(cache, path, out));
    keep(cache, path); /* is not: its inode was changed just now */
    assert_false(get(cache, path, out));
    const char *other = test_text("other.jpg", "six");
    assert_int_equal(utimensat(AT_FDCWD, other, times, 0), 0);
    assert_int_equal(rename(other, path), 0);
    assert_false(get(cache, path, out));
    f0t_feature_cache_close(cache);
    unlink(cache_file());
}

/* A picture that was written just now may be written once more in the same tick of its clock. */
static void what_is_new_is_not_kept(void **state)
{
    f0t_feature_cache *cache;
    float out[DIM];
    const char *path = test_text("new.jpg", "now");
    (void)state;
    assert_ok(f0t_feature_cache_open(&cache, folder(), DIM, "new"));
    keep(cache, path);
    assert_false(get(cache, path, out));
    f0t_feature_cache_close(cache);
}

static void one_process_at_a_time(void **state)
{
    f0t_feature_cache *cache, *other;
    (void)state;
    assert_ok(f0t_feature_cache_open(&cache, folder(), DIM, "locked"));
    assert_non_null(cache);
    assert_ok(f0t_feature_cache_open(&other, folder(), DIM, "locked"));
    assert_null(other);
    f0t_feature_cache_close(cache);
    assert_ok(f0t_feature_cache_open(&other, folder(), DIM, "locked"));
    assert_non_null(other);
    f0t_feature_cache_close(other);
    assert_ok(f0t_feature_cache_open(&other, test_path("no/such/folder"), DIM, "locked"));
    assert_null(other);
}

/* Whatever is done to the file: features are right, or not there. */
static void a_damaged_file_lies_never(void **state)
{
    f0t_feature_cache *cache;
    float out[DIM];
    char saved[4096];
    size_t size;
    const char *path = test_path("c.jpg");
    (void)state;
    assert_ok(f0t_feature_cache_open(&cache, folder(), DIM, "damaged"));
    keep(cache, path);
    keep(cache, test_path("d.jpg"));
    f0t_feature_cache_close(cache);
    snprintf(saved, sizeof saved, "%s", cache_file());
    char *data = test_read(saved, &size);
    for (size_t i = 0; i < size; i++) {
        FILE *f = fopen(saved, "wb");
        data[i] ^= 0x40;
        assert_int_equal(fwrite(data, 1, i % 2 ? size : i, f), i % 2 ? size : i);
        data[i] ^= 0x40;
        fclose(f);
        assert_ok(f0t_feature_cache_open(&cache, folder(), DIM, "damaged"));
        if (cache && get(cache, path, out))
            assert_memory_equal(out, row, sizeof row);
        if (cache && get(cache, test_path("d.jpg"), out))
            assert_memory_equal(out, row, sizeof row);
        f0t_feature_cache_close(cache);
    }
    f0t_free(data);
    assert_ok(f0t_feature_cache_open(&cache, folder(), DIM, "damaged"));
    assert_non_null(cache);
    f0t_feature_cache_close(cache);
}

/* Whole records whose sums are right, and numbers that are none. */
static void numbers_that_are_none_are_not_taken(void **state)
{
    const float none[DIM] = {1, NAN, 0, INFINITY, 2};
    f0t_feature_cache *cache;
    f0t_feature_cache_key key;
    float out[DIM];
    const char *path = test_path("f.jpg");
    (void)state;
    assert_ok(f0t_feature_cache_open(&cache, folder(), DIM, "none"));
    assert_false(f0t_feature_cache_get(&key, out, cache, path));
    f0t_feature_cache_put(cache, &key, none);
    f0t_feature_cache_close(cache);
    assert_ok(f0t_feature_cache_open(&cache, folder(), DIM, "none"));
    assert_false(get(cache, path, out));
    f0t_feature_cache_close(cache);
    assert_ok(f0t_feature_cache_open(&cache, folder(), DIM, "none"));
    keep(cache, path);
    assert_true(get(cache, path, out));
    f0t_feature_cache_close(cache);
}

static f0t_status use(void *context)
{
    f0t_feature_cache *cache;
    f0t_feature_cache_key key;
    float out[DIM];
    F0T_TRY(f0t_feature_cache_open(&cache, folder(), DIM, "faults"));
    if (cache && !f0t_feature_cache_get(&key, out, cache, context))
        f0t_feature_cache_put(cache, &key, row);
    f0t_feature_cache_close(cache);
    return F0T_OK;
}

/* A fault of the cache is none of the command's: it ends without one, or for want of memory. */
static void faults_end_the_cache_alone(void **state)
{
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s", test_path("e.jpg"));
    for (uint64_t i = 1; i < 40; i++) {
        f0t_fault_set(F0T_FAULT_ALLOC, i);
        f0t_status status = use(path);
        f0t_fault_set(F0T_FAULT_ALLOC, 0);
        assert_true(status == F0T_OK || status == F0T_ERROR_MEMORY);
        f0t_fault_set(F0T_FAULT_WRITE, i);
        assert_ok(use(path));
        f0t_fault_set(F0T_FAULT_WRITE, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_are_found_again_while_a_picture_is_the_same),
        cmocka_unit_test(a_change_that_keeps_size_and_time_is_seen),
        cmocka_unit_test(a_damaged_file_lies_never),
        cmocka_unit_test(numbers_that_are_none_are_not_taken),
        cmocka_unit_test(what_is_new_is_not_kept),
        cmocka_unit_test(one_process_at_a_time),
        cmocka_unit_test(faults_end_the_cache_alone),
    };
    return cmocka_run_group_tests(tests, make_pictures, NULL);
}
