/* The details of a comparison as CSV: any names, gaps, a locale with commas, and all files or none. */
#include "fixture.h"

#include "eval/details.h"

#include <locale.h>
#include <unistd.h>

enum { RUNS = 2, METHODS = 2 };

/* Two test images and two tags, whose names want quotes. */
typedef struct comparison {
    f0t_dataset *dataset;
    f0t_vectors *vectors;
    f0t_eval *eval;
    f0t_eval_task task;
    f0t_eval_split split;
} comparison;

static const f0t_ranker first = {.name = "first"}, second = {.name = "second"};

static f0t_dataset *open_dataset(void)
{
    static const char *const images[] = {"a.jpg", "my, \"best\".jpg"};
    static const char *const tags[] = {"red,dark", "blue"};
    const f0t_dataset_info info = {.size = sizeof(f0t_dataset_info), .dim = 1, .replace = true};
    static const float feature = 1;
    f0t_dataset_writer *w;
    f0t_dataset *dataset;
    assert_ok(f0t_dataset_create(&w, test_path("odd"), &info));
    for (size_t m = 0; m < 2; m++)
        assert_ok(f0t_dataset_write(w, &(f0t_dataset_row){.size = sizeof(f0t_dataset_row),
                                                          .tags = tags,
                                                          .tag_count = 2 - m,
                                                          .image = images[m],
                                                          .has_split = true,
                                                          .split = F0T_TEST,
                                                          .features = &feature}));
    assert_ok(f0t_dataset_commit(w));
    assert_ok(f0t_dataset_open(&dataset, test_path("odd"), NULL, NULL));
    return dataset;
}

/* Method 2 was refused in the second run. */
static void fill_cells(f0t_eval *e)
{
    static int32_t images[] = {1000000, -1}, tags[] = {333333, 7};
    for (size_t run = 0; run < RUNS; run++)
        for (size_t m = 0; m < METHODS && m + run < 2; m++) {
            f0t_eval_cell *cell = f0t_eval_cell_at(e, run, m, F0T_ZERO_SHOT);
            *cell = (f0t_eval_cell){.done = true,
                                    .precisions = images,
                                    .precision_count = 2,
                                    .tag_precisions = tags,
                                    .tag_precision_count = 2};
        }
}

static void comparison_open(comparison *c)
{
    static const bool both[] = {true, true};
    *c = (comparison){.dataset = open_dataset()};
    assert_ok(f0t_vectors_open(
        &c->vectors, test_text("odd.txt", "red,dark 1 0\nblack 1 1\nblue 0 1\ntree 2 1\n"), NULL,
        NULL));
    assert_ok(f0t_alloc_zero(&c->eval, 1, sizeof *c->eval));
    f0t_eval *e = c->eval;
    e->dataset = c->dataset;
    e->plan.methods[0] = &first;
    e->plan.methods[1] = &second;
    e->plan.method_count = METHODS;
    e->plan.repeat = RUNS;
    e->plan.asked[F0T_ZERO_SHOT] = true;
    assert_ok(f0t_eval_tags_create(&e->tags, c->dataset, c->vectors, true, NULL));
    assert_int_equal(e->tags.count, 2);
    assert_ok(f0t_eval_tags_split(&e->tags, NULL, 0)); /* so few are all seen */
    e->tags.kind[1] = F0T_TAG_UNSEEN;
    assert_ok(f0t_eval_task_create(&c->task, &e->tags, both));
    assert_ok(f0t_eval_split_create(&c->split, &c->task, F0T_TEST, both));
    assert_ok(f0t_alloc_zero(&e->cells, RUNS * METHODS * F0T_SCENARIOS, sizeof *e->cells));
    fill_cells(e);
}

static void comparison_close(comparison *c)
{
    f0t_eval_split_free(&c->split);
    f0t_eval_task_free(&c->task);
    f0t_eval_tags_free(&c->eval->tags);
    f0t_free(c->eval->cells);
    f0t_free(c->eval);
    f0t_vectors_close(c->vectors);
    f0t_dataset_close(c->dataset);
}

static f0t_status write_all(void *context)
{
    const comparison *c = context;
    f0t_details d = {0};
    f0t_status status = f0t_details_open(&d, c->eval, test_path("more"));
    for (size_t run = 0; run < RUNS && status == F0T_OK; run++)
        status = f0t_details_add(&d, c->eval, run, F0T_ZERO_SHOT, &c->split);
    return f0t_details_finish(&d, status);
}

static void check_file(const char *name, const char *want)
{
    size_t size;
    char *text = test_read(test_path(name), &size);
    assert_string_equal(text, want);
    f0t_free(text);
}

static void names_are_quoted_and_gaps_are_empty(void **state)
{
    comparison c;
    (void)state;
    comparison_open(&c);
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where there is one */
    assert_ok(write_all(&c));
    setlocale(LC_ALL, "C");
    check_file("more/zero-shot-images.csv", "run,image,first,second\n"
                                            "1,a.jpg,100.0000,100.0000\n"
                                            "1,\"my, \"\"best\"\".jpg\",,\n"
                                            "2,a.jpg,100.0000,\n"
                                            "2,\"my, \"\"best\"\".jpg\",,\n");
    check_file("more/zero-shot-tags.csv", "run,tag,kind,images,first,second\n"
                                          "1,\"red,dark\",seen,2,33.3333,33.3333\n"
                                          "1,blue,unseen,1,0.0007,0.0007\n"
                                          "2,\"red,dark\",seen,2,33.3333,\n"
                                          "2,blue,unseen,1,0.0007,\n");
    assert_int_not_equal(access(test_path("more/open-tags.csv"), F_OK), 0);
    comparison_close(&c);
}

static void a_failure_leaves_the_files_as_they_were(void **state)
{
    comparison c;
    f0t_details d = {0};
    (void)state;
    comparison_open(&c);
    assert_ok(write_all(&c));
    test_text("more/zero-shot-images.csv", "before");
    assert_ok(f0t_details_open(&d, c.eval, test_path("more")));
    assert_ok(f0t_details_add(&d, c.eval, 0, F0T_ZERO_SHOT, &c.split));
    assert_int_equal(f0t_details_finish(&d, F0T_ERROR_INTERRUPTED), F0T_ERROR_INTERRUPTED);
    check_file("more/zero-shot-images.csv", "before");
    assert_null(d.images[F0T_ZERO_SHOT]);
    assert_fails(F0T_ERROR_IO, "odd.txt",
                 f0t_details_finish(&d, f0t_details_open(&d, c.eval, test_path("odd.txt"))));
    comparison_close(&c);
}

static void missing_memory_and_full_disks_are_told(void **state)
{
    comparison c;
    (void)state;
    comparison_open(&c);
    test_each_fault(F0T_FAULT_ALLOC, write_all, &c);
    test_each_fault(F0T_FAULT_WRITE, write_all, &c);
    comparison_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_quoted_and_gaps_are_empty),
        cmocka_unit_test(a_failure_leaves_the_files_as_they_were),
        cmocka_unit_test(missing_memory_and_full_disks_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
