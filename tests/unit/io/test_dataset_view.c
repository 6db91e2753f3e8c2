/* A dataset with the images of another and tags of its own. */
#include "support.h"

#include "base/fault.h"
#include "io/dataset.h"

#include <string.h>

static const float FEATURES[] = {1, 0, 0, 1, 1, 1};

static f0t_dataset *open_base(void)
{
    f0t_dataset_memory memory = F0T_DATASET_MEMORY;
    f0t_dataset *base;
    memory.features = FEATURES;
    memory.rows = 3;
    memory.dim = 2;
    memory.tags = "dog\tDog\ncat\n\n";
    memory.images = "a.jpg\nb.jpg\nc.jpg\n";
    memory.split = "train\nval\ntest\n";
    memory.seen = "dog\n";
    memory.json = "{\"name\": \"pets\", \"backbone\": {\"name\": \"x\"}}";
    assert_ok(f0t_dataset_open_memory(&base, &memory, NULL, NULL));
    assert_ok(f0t_paths_add(&base->paths, "Animals|dog", 11));
    return base;
}

/* Every image has the tag "pet". */
static f0t_status make_view(f0t_dataset **out, const f0t_dataset *base)
{
    f0t_names tags = {0};
    f0t_rows rows = {0};
    uint32_t index = 0;
    f0t_status status = f0t_names_add(&index, NULL, &tags, "pet", 3);
    for (size_t m = 0; m < f0t_dataset_image_count(base) && status == F0T_OK; m++) {
        status = f0t_rows_add(&rows, index);
        if (status == F0T_OK)
            status = f0t_rows_end(&rows);
    }
    *out = NULL;
    if (status == F0T_OK)
        status = f0t_dataset_view(out, base, &tags, &rows);
    f0t_names_free(&tags);
    f0t_rows_free(&rows);
    return status;
}

static void a_view_has_its_own_tags_and_everything_else_of_the_other(void **state)
{
    f0t_dataset *base = open_base(), *view;
    float row[2];
    size_t count;
    (void)state;
    assert_ok(make_view(&view, base));
    assert_int_equal(f0t_dataset_tag_count(view), 1);
    assert_string_equal(f0t_dataset_tag(view, 0), "pet");
    assert_int_equal(*f0t_dataset_image_tags(&count, view, 2), 0);
    assert_int_equal(count, 1);
    assert_null(f0t_dataset_seen(&count, view));
    assert_int_equal(f0t_dataset_image_count(view), 3);
    assert_string_equal(f0t_dataset_image(view, 1), "b.jpg");
    assert_string_equal(f0t_dataset_name(view), "pets");
    assert_non_null(strstr(f0t_dataset_backbone(view), "\"x\""));
    assert_true(f0t_dataset_split_is_given(view));
    assert_memory_equal(f0t_dataset_split(view), f0t_dataset_split(base), 3);
    assert_int_equal(f0t_dataset_dim(view), 2);
    assert_ok(f0t_dataset_read_features(row, view, 2, 1));
    assert_memory_equal(row, FEATURES + 4, sizeof row);
    assert_fails(F0T_ERROR_ARGUMENT, "it has 3", f0t_dataset_read_features(row, view, 3, 1));
    assert_string_equal(f0t_paths_find(&view->paths, "dog"), "Animals|dog");
    f0t_dataset_close(view);
    assert_int_equal(f0t_dataset_tag_count(base), 3);
    f0t_dataset_close(base);
}

static f0t_status make_and_close(void *context)
{
    f0t_dataset *view;
    f0t_status status = make_view(&view, context);
    f0t_dataset_close(view);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    f0t_dataset *base = open_base();
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, make_and_close, base);
    f0t_dataset_close(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_view_has_its_own_tags_and_everything_else_of_the_other),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
