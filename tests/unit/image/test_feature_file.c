#include "support.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "image/feature_file.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { HEADER = 32 }; /* bytes */
static const char backbone[] = "{\"name\": \"test\"}";

static f0t_picture_stamp stamp_of(uint64_t i)
{
    return (f0t_picture_stamp){{i * 77 + 1, i}};
}

static void add_some(const char *path, size_t from, size_t to)
{
    f0t_feature_file *part;
    assert_ok(f0t_feature_file_open(&part, path, 3, backbone));
    for (size_t i = from; i < to; i++) {
        const float row[3] = {(float)i, 1, 2};
        const f0t_picture_stamp stamp = stamp_of(i);
        assert_int_equal(f0t_feature_file_find(part, &stamp), F0T_NONE);
        assert_ok(f0t_feature_file_add(part, &stamp, row));
    }
    f0t_feature_file_close(part, false);
}

static size_t count_found(const char *path, size_t most)
{
    f0t_feature_file *part;
    size_t found = 0;
    assert_ok(f0t_feature_file_open(&part, path, 3, backbone));
    for (size_t i = 0; i < most; i++) {
        float row[3];
        const f0t_picture_stamp stamp = stamp_of(i);
        const size_t record = f0t_feature_file_find(part, &stamp);
        if (record == F0T_NONE)
            continue;
        assert_ok(f0t_feature_file_read(row, part, record));
        assert_true(row[0] == (float)i && row[2] == 2);
        found++;
    }
    f0t_feature_file_close(part, false);
    return found;
}

static void what_was_made_is_found_again(void **state)
{
    const char *path = test_path("a.part");
    (void)state;
    add_some(path, 0, 1500);
    assert_int_equal(count_found(path, 3000), 1500);
    add_some(path, 1500, 2000);
    assert_int_equal(count_found(path, 3000), 2000);
}

static void a_part_that_was_cut_or_altered_gives_what_is_whole(void **state)
{
    const char *path = test_path("b.part");
    size_t size;
    (void)state;
    add_some(path, 0, 3);
    char *bytes = test_read(path, &size);
    for (size_t cut = HEADER; cut < size; cut++) {
        test_file("cut.part", bytes, cut);
        assert_true(count_found(test_path("cut.part"), 3) < 3);
    }
    bytes[size - 1] ^= 1; /* a number of the last record */
    test_file("cut.part", bytes, size);
    assert_int_equal(count_found(test_path("cut.part"), 3), 2);
    f0t_free(bytes);
}

static void check_refused(f0t_status status, const char *text, const void *bytes, size_t size)
{
    f0t_feature_file *part;
    size_t left;
    const char *path = test_file("foreign.part", bytes, size);
    assert_fails(status, text, f0t_feature_file_open(&part, path, 3, backbone));
    char *got = test_read(path, &left);
    assert_int_equal(left, size);
    assert_memory_equal(got, bytes, size);
    f0t_free(got);
}

/* A file of somebody else is neither cut nor removed, however long it is. */
static void what_is_not_ours_is_left_alone(void **state)
{
    size_t size;
    (void)state;
    check_refused(F0T_ERROR_IO, "foreign.part: is no record of features", "precious\n", 9);
    check_refused(F0T_ERROR_IO, "foreign.part: is no record of features", "", 0);
    add_some(test_path("ours.part"), 0, 3);
    char *bytes = test_read(test_path("ours.part"), &size);
    for (size_t cut = 0; cut < HEADER; cut++)
        check_refused(F0T_ERROR_IO, "is no record of features", bytes, cut);
    for (size_t i = 0; i < HEADER; i++) {
        bytes[i] ^= 1;
        check_refused(F0T_ERROR_IO, "foreign.part: is ", bytes, size);
        bytes[i] ^= 1;
    }
    f0t_free(bytes);
    assert_int_equal(symlink("elsewhere", test_path("link.part")), 0);
    f0t_feature_file *part;
    assert_fails(F0T_ERROR_UNSUPPORTED, "link.part: is a link",
                 f0t_feature_file_open(&part, test_path("link.part"), 3, backbone));
    assert_false(f0t_path_exists(test_path("elsewhere")));
}

static void another_backbone_is_refused(void **state)
{
    const char *path = test_path("c.part");
    f0t_feature_file *part;
    (void)state;
    add_some(path, 0, 3);
    assert_fails(F0T_ERROR_MISMATCH, "c.part: has features of a run with another backbone",
                 f0t_feature_file_open(&part, path, 3, "{\"name\": \"other\"}"));
    assert_fails(F0T_ERROR_MISMATCH, "c.part: has features",
                 f0t_feature_file_open(&part, path, 4, backbone));
    assert_int_equal(count_found(path, 3), 3);
    assert_ok(f0t_feature_file_open(&part, path, 3, backbone));
    f0t_feature_file_close(part, true);
    assert_true(access(path, F_OK) != 0);
}

static void one_process_at_a_time_works_with_it(void **state)
{
    const char *path = test_path("e.part");
    f0t_feature_file *first, *second;
    const float row[3] = {0, 1, 2};
    const f0t_picture_stamp stamp = stamp_of(0);
    (void)state;
    assert_ok(f0t_feature_file_open(&first, path, 3, backbone));
    assert_fails(F0T_ERROR_IO, "e.part: another process works with it",
                 f0t_feature_file_open(&second, path, 3, backbone));
    assert_ok(f0t_feature_file_add(first, &stamp, row));
    f0t_feature_file_close(first, false);
    assert_int_equal(count_found(path, 1), 1);
    assert_ok(f0t_feature_file_open(&first, path, 3, backbone));
    test_text("new", "somebody else's by now");
    assert_int_equal(rename(test_path("new"), path), 0);
    f0t_feature_file_close(first, true);
    assert_int_equal(access(path, F_OK), 0);
}

/* By another program, after it was opened. */
static void a_record_that_is_altered_meanwhile_is_refused(void **state)
{
    const char *path = test_path("r.part");
    const f0t_picture_stamp stamp = stamp_of(2);
    f0t_feature_file *part;
    float row[3];
    (void)state;
    add_some(path, 0, 3);
    assert_ok(f0t_feature_file_open(&part, path, 3, backbone));
    const size_t record = f0t_feature_file_find(part, &stamp);
    assert_ok(f0t_feature_file_read(row, part, record));
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, -1, SEEK_END), 0); /* of the last number of the last one */
    assert_int_equal(fputc(7, file), 7);
    assert_int_equal(fclose(file), 0);
    assert_fails(F0T_ERROR_FORMAT, "r.part: record 2 is damaged; remove the file",
                 f0t_feature_file_read(row, part, record));
    f0t_feature_file_close(part, true);
}

static void a_stamp_changes_with_the_picture(void **state)
{
    f0t_picture_stamp a, b;
    (void)state;
    assert_true(f0t_picture_stamp_get(&a, test_text("p.png", "one")));
    assert_true(f0t_picture_stamp_get(&b, test_path("p.png")));
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(f0t_picture_stamp_get(&b, test_text("p.png", "other")));
    assert_memory_not_equal(&a, &b, sizeof a);
    assert_false(f0t_picture_stamp_get(&a, test_path("nowhere")));
}

/* Records of a file whose stamps were chosen to meet in a table that everybody knows: 4 s where each passes all before it. */
static void stamps_that_were_made_to_collide_cost_no_time(void **state)
{
    enum { RECORDS = 60000 };
    const char *path = test_path("collide.part");
    const float number = 1;
    f0t_feature_file *part;
    (void)state;
    assert_ok(f0t_feature_file_open(&part, path, 1, backbone));
    f0t_feature_file_close(part, false);
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    for (uint64_t i = 0; i < RECORDS; i++) {
        const uint64_t head[] = {i, i, crc32_z(0, (const void *)&number, sizeof number)};
        assert_int_equal(fwrite(head, sizeof head, 1, file), 1);
        assert_int_equal(fwrite(&number, sizeof number, 1, file), 1);
    }
    assert_int_equal(fclose(file), 0);
    const clock_t began = clock();
    assert_ok(f0t_feature_file_open(&part, path, 1, backbone));
    assert_int_equal(f0t_feature_file_count(part), RECORDS);
    assert_true(clock() - began < CLOCKS_PER_SEC);
    f0t_feature_file_close(part, true);
}

static f0t_status add_once(void *context)
{
    f0t_feature_file *part;
    const float row[3] = {1, 2, 3};
    const f0t_picture_stamp stamp = stamp_of(9);
    unlink(context);
    F0T_TRY(f0t_feature_file_open(&part, context, 3, backbone));
    f0t_status status = f0t_feature_file_add(part, &stamp, row);
    f0t_feature_file_close(part, false);
    return status;
}

static void every_allocation_and_write_may_fail(void **state)
{
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s", test_path("d.part"));
    test_each_fault(F0T_FAULT_ALLOC, add_once, path);
    test_each_fault(F0T_FAULT_WRITE, add_once, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_made_is_found_again),
        cmocka_unit_test(a_part_that_was_cut_or_altered_gives_what_is_whole),
        cmocka_unit_test(what_is_not_ours_is_left_alone),
        cmocka_unit_test(another_backbone_is_refused),
        cmocka_unit_test(one_process_at_a_time_works_with_it),
        cmocka_unit_test(a_record_that_is_altered_meanwhile_is_refused),
        cmocka_unit_test(a_stamp_changes_with_the_picture),
        cmocka_unit_test(stamps_that_were_made_to_collide_cost_no_time),
        cmocka_unit_test(every_allocation_and_write_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
