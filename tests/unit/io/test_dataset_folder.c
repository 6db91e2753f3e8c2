#include "rename.h"
#include "support.h"

#include "io/dataset_folder.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void check_relative(const char *from, const char *to, const char *want)
{
    char *got;
    assert_ok(f0t_path_relative(&got, from, to));
    assert_string_equal(got, want);
    f0t_free(got);
}

static void one_path_is_named_from_another(void **state)
{
    (void)state;
    mkdir(test_path("a"), 0777);
    mkdir(test_path("a/b"), 0777);
    mkdir(test_path("ab"), 0777);
    const char *file = test_text("a/f", "");
    check_relative(test_path("a"), file, "f");
    check_relative(test_path("a/b"), file, "../f");
    check_relative(test_path("ab"), file, "../a/f");
    check_relative(test_path("a"), test_path("ab"), "../ab");
    check_relative(test_path("a"), test_path("a"), ".");
    check_relative("/", "/tmp", "tmp");
    char *got;
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere", f0t_path_relative(&got, "/nowhere", file));
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere", f0t_path_relative(&got, "/tmp", "/nowhere"));
    assert_true(f0t_folder_contains(test_path("a"), file));
    assert_false(f0t_folder_contains(test_path("ab"), file));
    assert_false(f0t_folder_contains("/nowhere", file));
}

static f0t_status put_group(bool replace)
{
    f0t_folder folder;
    f0t_status status = f0t_folder_begin(&folder, test_path("group"), replace);
    if (status == F0T_OK)
        status = f0t_folder_commit(&folder);
    f0t_folder_end(&folder);
    return status;
}

/* Somebody puts a file into the folder in the very moment before the folders are exchanged. */
static void put_a_file(unsigned flags)
{
    if (flags != RENAME_EXCHANGE)
        return;
    test_renames.before = NULL;
    test_text("group/precious.txt", "mine");
}

static void what_comes_in_the_last_moment_is_not_removed(void **state)
{
    size_t size;
    (void)state;
    for (int i = 0; i < 2; i++) {
        test_renames.plain = i;
        mkdir(test_path("group"), 0777);
        test_text("group/tags.txt", "a\n");
        const size_t before = test_files_left();
        test_renames.before = put_a_file;
        assert_fails(F0T_ERROR_IO, "precious.txt: is no part of a dataset", put_group(true));
        char *text = test_read(test_path("group/precious.txt"), &size);
        assert_string_equal(text, "mine");
        f0t_free(text);
        assert_int_equal(test_files_left(), before);
        remove(test_path("group/precious.txt"));
        assert_ok(put_group(true));
        assert_int_equal(rmdir(test_path("group")), 0); /* an empty one is in its place */
    }
    test_renames.plain = false;
}

/* A killed process may have had this one's number; names may be as long as names can be. */
static void any_name_and_any_leftover_will_do(void **state)
{
    char next[F0T_TEMPORARY_SIZE], name[256];
    unsigned number;
    f0t_folder folder;
    (void)state;
    f0t_temporary_name(next);
    assert_int_equal(sscanf(next, ".fast0tag-%*d-%u.tmp", &number), 1);
    for (unsigned i = number + 1; i < number + 4; i++) {
        snprintf(name, sizeof name, ".fast0tag-%ld-%u.tmp", (long)getpid(), i);
        assert_int_equal(mkdir(test_path(name), 0777), 0);
    }
    memset(name, 'n', 255);
    name[255] = 0;
    assert_ok(f0t_folder_begin(&folder, test_path(name), false));
    assert_ok(f0t_folder_commit(&folder));
    f0t_folder_end(&folder);
    assert_int_equal(rmdir(test_path(name)), 0);
}

static void a_folder_of_datasets_may_be_replaced_as_a_whole(void **state)
{
    (void)state;
    mkdir(test_path("group"), 0777);
    mkdir(test_path("group/81"), 0777);
    test_text("group/81/tags.txt", "a\n");
    test_text("group/features.npy", "x");
    size_t before = test_files_left();
    assert_fails(F0T_ERROR_IO, "exists already", put_group(false));
    mkdir(test_path("group/other"), 0777);
    assert_fails(F0T_ERROR_IO, "other: is no part of a dataset", put_group(true));
    test_text("group/other/tags.txt", "a\n");
    mkdir(test_path("group/other/deep"), 0777);
    assert_fails(F0T_ERROR_IO, "deep: is no part of a dataset", put_group(true));
    remove(test_path("group/other/deep"));
    assert_ok(put_group(true));
    assert_int_equal(test_files_left(), before);
    assert_false(f0t_path_exists(test_path("group/81")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_path_is_named_from_another),
        cmocka_unit_test(what_comes_in_the_last_moment_is_not_removed),
        cmocka_unit_test(any_name_and_any_leftover_will_do),
        cmocka_unit_test(a_folder_of_datasets_may_be_replaced_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
