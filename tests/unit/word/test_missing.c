/* The tags without a vector, in one line. */
#include "support.h"

#include "base/alloc.h"
#include "word/missing.h"

#include <stdio.h>
#include <string.h>

typedef struct heard {
    size_t lines;
    char line[1100];
} heard;

static void hear(void *user, f0t_log_level level, const char *line)
{
    heard *h = user;
    assert_int_equal(level, F0T_LOG_WARNING);
    h->lines++;
    snprintf(h->line, sizeof h->line, "%s", line);
}

/* Five images; "late" is on four of them and comes last in the dataset. */
static f0t_dataset *open_images(void)
{
    f0t_dataset *dataset;
    const char *path = test_text("tags.txt", "rare\tsea\n"
                                             "sea\tlate\n"
                                             "late\n"
                                             "sea\tsky\tlate\n"
                                             "rare\tlate\n");
    assert_ok(f0t_dataset_open_files(&dataset, NULL, path, NULL, NULL));
    return dataset;
}

static const char *tell(heard *h, const f0t_dataset *dataset, const char *const *gone, size_t count)
{
    bool missing[8] = {false};
    const f0t_monitor monitor = {.log = hear, .user = h};
    for (size_t i = 0; i < count; i++) {
        size_t t;
        assert_true(f0t_dataset_find_tag(&t, dataset, gone[i]));
        missing[t] = true;
    }
    *h = (heard){0};
    assert_ok(f0t_missing_log(dataset, missing, 4, "and are left out", &monitor));
    return h->line;
}

static void the_tag_of_most_images_comes_first(void **state)
{
    f0t_dataset *dataset = open_images();
    heard h;
    (void)state;
    assert_string_equal(
        tell(&h, dataset, (const char *const[]){"rare", "late"}, 2),
        "2 of 4 tags have no vector and are left out; 5 of 5 images lose tags, 2 of "
        "them all of theirs: late (4 images), rare (2)");
    assert_string_equal(tell(&h, dataset, (const char *const[]){"sky"}, 1),
                        "1 of 4 tags have no vector and are left out; 1 of 5 images lose tags: sky "
                        "(1 image)");
    tell(&h, dataset, NULL, 0);
    assert_int_equal(h.lines, 0);
    f0t_dataset_close(dataset);
}

static void what_does_not_fit_is_cut_after_the_gravest(void **state)
{
    f0t_dataset *dataset;
    heard h = {0};
    const f0t_monitor monitor = {.log = hear, .user = &h};
    bool all[201];
    char text[8000] = "";
    (void)state;
    for (size_t i = 0; i < 200; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "word%zu%s\n", i,
                 i > 100 ? "\tmost" : "");
    assert_ok(f0t_dataset_open_files(&dataset, NULL, test_text("many.txt", text), NULL, NULL));
    assert_int_equal(f0t_dataset_tag_count(dataset), 201);
    memset(all, true, sizeof all);
    assert_ok(f0t_missing_log(dataset, all, 201, "and are left out", &monitor));
    assert_non_null(strstr(h.line, "200 of 200 images lose tags, 200 of them all of theirs: most "
                                   "(99 images), word0 (1), "));
    assert_string_equal(h.line + strlen(h.line) - strlen(", …"), ", …");
    f0t_dataset_close(dataset);
}

static f0t_status tell_all(void *context)
{
    const bool missing[4] = {true, true, true, true};
    return f0t_missing_log(context, missing, 4, "", NULL);
}

static void each_allocation_may_fail(void **state)
{
    f0t_dataset *dataset = open_images();
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, tell_all, dataset);
    f0t_dataset_close(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tag_of_most_images_comes_first),
        cmocka_unit_test(what_does_not_fit_is_cut_after_the_gravest),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
