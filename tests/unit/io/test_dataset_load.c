#include "support.h"

#include "io/dataset.h"

#include <string.h>

/* All files of a dataset in one piece, each after its name, separated by 0. */
typedef struct bundle {
    const char *data;
    size_t size;
} bundle;

static f0t_status open_part(void *context, const char *name, f0t_stream **out)
{
    static const char *const names[] = {"tags.txt", "split.txt",  "images.txt",
                                        "seen.txt", "unseen.txt", "dataset.json"};
    const bundle *b = context;
    const char *at = b->data, *end = at + b->size;
    *out = NULL;
    for (size_t i = 0; i < 6 && at <= end; i++) {
        const char *zero = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
        const char *stop = zero ? zero : end;
        if (!strcmp(names[i], name))
            return f0t_stream_open_memory(out, at, (size_t)(stop - at), name);
        at = stop + 1;
    }
    return F0T_OK;
}

static f0t_status load(const void *data, size_t size)
{
    bundle b = {data, size};
    f0t_dataset_source source = {open_part, &b};
    f0t_dataset_options options = F0T_DATASET_OPTIONS;
    f0t_dataset *dataset;
    F0T_TRY(f0t_alloc_zero(&dataset, 1, sizeof *dataset));
    f0t_status status = f0t_string_copy(&dataset->path, "memory", 6);
    if (status == F0T_OK)
        status = f0t_dataset_load(dataset, &source, &options);
    if (status == F0T_OK)
        for (size_t m = 0; m < dataset->rows.count; m++)
            assert_true(dataset->split[m] <= F0T_TEST);
    f0t_dataset_close(dataset);
    return status;
}

#define VALID                     \
    "dog\tcat\n\npalm tr\xC3\xA9" \
    "e\n\0train\nval\ntest\n\0a\nb\nc\n\0dog\n\0cat\n\0{\"name\": \"x\"}"

static void a_bundle_loads(void **state)
{
    (void)state;
    assert_ok(load(VALID, sizeof VALID - 1));
}

static void no_altered_byte_does_harm(void **state)
{
    (void)state;
    test_alter_everywhere(VALID, sizeof VALID - 1, load);
}

/* Cut inside a list that may be shorter, or between files, it is a dataset still. */
static bool may_be_whole(size_t size)
{
    (void)size;
    return true;
}

static void no_cut_does_harm(void **state)
{
    (void)state;
    test_cut_everywhere(VALID, sizeof VALID - 1, load, may_be_whole);
    assert_fails(F0T_ERROR_MISMATCH, "split.txt has 0 lines", load("a\nb\n\0", 5));
    assert_fails(F0T_ERROR_MISMATCH, "images.txt has 1 lines",
                 load("a\nb\n\0train\ntest\n\0x", 5 + 11 + 2));
}

static f0t_status load_valid(void *context)
{
    (void)context;
    return load(VALID, sizeof VALID - 1);
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, load_valid, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bundle_loads),
        cmocka_unit_test(no_altered_byte_does_harm),
        cmocka_unit_test(no_cut_does_harm),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
