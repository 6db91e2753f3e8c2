/* What is to be done with pictures: files compared with what the catalogue knows. */
#include "fresh.h"

#include "catalogue/scan.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static f0t_catalogue *create(void)
{
    f0t_catalogue *c = fresh_catalogue("catalogue");
    assert_ok(f0t_catalogue_set_backbone(c, "{}"));
    return c;
}

static const char *in_folder(const char *name)
{
    char text[256];
    mkdir(test_path("art"), 0700);
    snprintf(text, sizeof text, "art/%s", name);
    return test_text(text, name);
}

/* The catalogue knows the file as it is now. */
static int64_t know(f0t_catalogue *c, const char *path)
{
    f0t_file_stamp stamp;
    int64_t id;
    const float features[2] = {1, 2};
    f0t_catalogue_record record = F0T_CATALOGUE_RECORD;
    assert_true(f0t_file_stamp_get(&stamp, path));
    assert_ok(f0t_sidecars_stamp(&stamp.sidecars, path));
    record.picture.path = path;
    record.picture.bytes = stamp.bytes;
    record.picture.mtime = stamp.mtime;
    record.picture.sidecars = stamp.sidecars;
    record.features = features;
    record.dim = 2;
    assert_ok(f0t_catalogue_put(&id, c, &record));
    return id;
}

static f0t_scan scan_folder(f0t_catalogue *c)
{
    f0t_scan scan;
    const char *path = test_path("art");
    assert_ok(f0t_scan_run(&scan, c, &path, 1, false, NULL));
    return scan;
}

static void test_a_hash_is_of_all_bytes(void **state)
{
    static char bytes[(1 << 20) + 3]; /* more than is read at a time */
    uint64_t first, second;
    (void)state;
    const char *path = test_file("large", bytes, sizeof bytes);
    assert_ok(f0t_file_hash(&first, path));
    assert_ok(f0t_file_hash(&second, path));
    assert_true(first == second && first != 0);
    bytes[sizeof bytes - 1] = 1;
    assert_ok(f0t_file_hash(&second, test_file("large", bytes, sizeof bytes)));
    assert_true(first != second);
    bytes[sizeof bytes - 1] = 0;
    assert_ok(f0t_file_hash(&second, test_file("shorter", bytes, 1 << 20)));
    assert_true(first != second);
    assert_ok(f0t_file_hash(&second, test_text("nothing", "")));
    assert_true(second != 0);
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere", f0t_file_hash(&second, test_path("nowhere")));
}

static void test_a_stamp_sees_both_sidecars(void **state)
{
    uint64_t none, one, both;
    const char *path = test_text("s.jpg", "12345");
    (void)state;
    assert_ok(f0t_sidecars_stamp(&none, path));
    assert_true(none == 0);
    test_text("s.jpg.xmp", "a");
    assert_ok(f0t_sidecars_stamp(&one, path));
    test_text("s.xmp", "a");
    assert_ok(f0t_sidecars_stamp(&both, path));
    assert_true(one && both && one != both);
}

/* Neither size nor mtime differ. */
static void test_a_stamp_sees_a_file_in_the_place_of_another(void **state)
{
    f0t_file_stamp first, second, now;
    const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    const char *a = test_text("one.jpg", "12345"), *b = test_text("two.jpg", "54321");
    (void)state;
    assert_int_equal(utimensat(AT_FDCWD, a, times, 0), 0);
    assert_true(f0t_file_stamp_get(&first, a));
    assert_true(first.bytes == 5 && first.mtime == INT64_C(1000000000000));
    do { /* the clock of files has ticks of some milliseconds */
        assert_int_equal(utimensat(AT_FDCWD, b, times, 0), 0);
        assert_true(f0t_file_stamp_get(&second, b));
    } while (first.seen == second.seen);
    assert_int_equal(rename(b, a), 0);
    assert_true(f0t_file_stamp_get(&now, a));
    assert_true(now.bytes == first.bytes && now.mtime == first.mtime && now.seen != first.seen);
    assert_false(f0t_file_stamp_get(&now, test_path("nowhere")));
}

static void test_each_picture_gets_its_work(void **state)
{
    f0t_catalogue *c = create();
    (void)state;
    const char *same = in_folder("a.jpg"), *changed = in_folder("b.jpg"),
               *gone = in_folder("d.jpg"), *tagged = in_folder("e.jpg");
    know(c, same);
    const int64_t b = know(c, changed), d = know(c, gone), e = know(c, tagged);
    in_folder("b.jpg.txt");
    in_folder("c.jpg");
    in_folder("e.jpg.xmp");
    test_text("art/b.jpg", "longer than it was");
    unlink(gone);
    f0t_scan scan = scan_folder(c);
    assert_int_equal(scan.found, 4);
    assert_int_equal(scan.unchanged, 1);
    assert_int_equal(scan.count, 3);
    assert_true(scan.items[0].id == b && scan.items[0].work == F0T_SCAN_READ);
    assert_true(scan.items[1].id == 0 && scan.items[1].work == F0T_SCAN_READ);
    assert_true(scan.items[2].id == e && scan.items[2].work == F0T_SCAN_KEYWORDS);
    assert_true(scan.gone_count == 1 && scan.gone[0] == d);
    f0t_scan_free(&scan);
    assert_ok(f0t_catalogue_set_model(c, "/m.f0t", 1)); /* nothing has suggestions of it */
    scan = scan_folder(c);
    assert_true(scan.unchanged == 0 && scan.items[0].work == F0T_SCAN_SCORE);
    f0t_scan_free(&scan);
    assert_ok(f0t_scan_run(&scan, c, NULL, 0, false, NULL));
    assert_int_equal(scan.count, 4); /* the one that is gone, too: it may come back */
    f0t_scan_free(&scan);
    f0t_catalogue_close(c);
}

static void test_paths_that_lie_in_each_other_count_once(void **state)
{
    f0t_catalogue *c = create();
    f0t_scan scan;
    (void)state;
    const char *paths[] = {in_folder("a.jpg"), test_path("art"), test_path("art")};
    assert_ok(f0t_scan_run(&scan, c, paths, 1, false, NULL));
    assert_int_equal(scan.found, 1);
    f0t_scan_free(&scan);
    f0t_scan whole = scan_folder(c);
    assert_ok(f0t_scan_run(&scan, c, paths, 3, false, NULL));
    assert_int_equal(scan.found, whole.found);
    f0t_scan_free(&scan);
    f0t_scan_free(&whole);
    paths[0] = test_path("nowhere");
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere", f0t_scan_run(&scan, c, paths, 1, false, NULL));
    f0t_scan_free(&scan);
    f0t_catalogue_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_hash_is_of_all_bytes),
        cmocka_unit_test(test_a_stamp_sees_both_sidecars),
        cmocka_unit_test(test_a_stamp_sees_a_file_in_the_place_of_another),
        cmocka_unit_test(test_each_picture_gets_its_work),
        cmocka_unit_test(test_paths_that_lie_in_each_other_count_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
