/* A task as files: what docs/evaluation.md says is in them, no more, and scores that come back. */
#include "fixture.h"

#include "eval/task_folder.h"
#include "io/file.h"
#include "io/json.h"
#include "io/npy.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

static const f0t_knob knobs[] = {{.name = "k", .count = 1}, {.name = "rate", .count = 1}};
static const f0t_ranker ranker = {.name = "mine", .knobs = knobs, .knob_count = 2};
static const double values[] = {20, 0.1};

/* The task of zero-shot, and its test images. */
typedef struct test_task {
    fixture data;
    f0t_eval_task task;
    f0t_eval_split split;
    float *features; /* of length 1 */
    f0t_candidates tags;
    f0t_queries queries;
} test_task;

static void open_task(test_task *t, const collection_options *o)
{
    bool mask[C_TAGS];
    t->data = fixture_open_with_tags(o, NULL);
    f0t_eval_tags_mask(mask, &t->data.tags, F0T_TAG_SEEN);
    assert_ok(f0t_eval_task_create(&t->task, &t->data.tags, mask));
    t->task.base.ranker = &ranker;
    t->task.base.vocab = t->data.tags.vocab;
    t->task.base.place = t->task.place;
    t->task.base.seed = 5;
    t->task.base.effort = 0.25;
    f0t_eval_tags_mask(mask, &t->data.tags, F0T_TAG_UNSEEN);
    assert_ok(f0t_eval_split_create(&t->split, &t->task, F0T_TEST, mask));
    const f0t_samples *test = &t->split.truth;
    assert_ok(f0t_alloc(&t->features, test->count * C_FEATURES, sizeof *t->features));
    assert_ok(f0t_task_read(t->features, &t->task.base, test->images, test->count));
    t->tags = (f0t_candidates){.count = t->split.count,
                               .vectors = t->split.vectors,
                               .known = t->split.known,
                               .tags = t->split.tags};
    t->queries = (f0t_queries){.count = test->count,
                               .features = t->features,
                               .all = test->count,
                               .rows = test->images,
                               .part = "zero-shot"};
}

static void close_task(test_task *t)
{
    f0t_free(t->features);
    f0t_eval_split_free(&t->split);
    f0t_eval_task_free(&t->task);
    fixture_close(&t->data);
}

static const char *write_task(const test_task *t, const char *name)
{
    const char *folder = test_path(name);
    assert_ok(f0t_folder_create(folder));
    assert_ok(f0t_task_folder_write(folder, &t->task.base, &t->tags, &t->queries, values));
    return folder;
}

static const char *in(const char *folder, const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* ---- What is there ------------------------------------------------------------------------------ */

/* The file's names are in code marks at the head of a row of the table. */
static bool is_promised(const char *name)
{
    size_t size;
    char *page = test_read(test_source("../docs/evaluation.md"), &size), quoted[80];
    char *table = strstr(page, "| file | what it is |"), *end = strstr(table, "\n\n");
    assert_non_null(end);
    *end = 0;
    snprintf(quoted, sizeof quoted, "`%s`", name);
    const char *found = strstr(table, quoted);
    bool there = found != NULL;
    for (; there && found > table && found[-1] != '\n'; found--)
        there = found[-1] != '|' || found[-2] == '\n';
    f0t_free(page);
    return there;
}

static size_t count_promised(const char *folder)
{
    size_t count = 0;
    DIR *opened = opendir(folder);
    for (const struct dirent *e; (e = readdir(opened));)
        if (e->d_name[0] != '.') {
            if (!is_promised(e->d_name))
                fail_msg("%s is not in docs/evaluation.md", e->d_name);
            count++;
        }
    closedir(opened);
    return count;
}

static void files_are_those_that_the_page_promises(void **state)
{
    test_task t;
    (void)state;
    open_task(&t, &(collection_options){.name = "all"});
    assert_int_equal(count_promised(write_task(&t, "whole")), 11);
    assert_false(is_promised("scores.npy"));
    close_task(&t);
    open_task(&t, &(collection_options){.name = "few", .no_validation = true});
    const char *folder = write_task(&t, "bare");
    assert_int_equal(count_promised(folder), 9);
    assert_false(f0t_path_exists(in(folder, "val_labels.npy")));
    close_task(&t);
}

/* The rows of a matrix; the caller frees them. */
static float *read_matrix(const char *path, size_t rows, size_t cols)
{
    f0t_npy *npy;
    float *to;
    size_t has_rows, has_cols;
    assert_ok(f0t_npy_open(&npy, path));
    assert_ok(f0t_npy_matrix(&has_rows, &has_cols, npy));
    assert_int_equal(has_rows, rows);
    assert_int_equal(has_cols, cols);
    assert_ok(f0t_alloc(&to, rows * cols, sizeof *to));
    assert_ok(f0t_npy_read_rows(to, npy, 0, rows));
    f0t_npy_close(npy);
    return to;
}

static bool image_has(const f0t_dataset *dataset, size_t image, size_t tag)
{
    size_t count;
    const uint32_t *tags = f0t_dataset_image_tags(&count, dataset, image);
    bool has = false;
    for (size_t i = 0; i < count; i++)
        has = has || tags[i] == tag;
    return has;
}

/* From the dataset itself: rows of length 1, 0 or 1 for each learned tag, in the part's order. */
static void check_part(const test_task *t, const char *folder, f0t_split part, const char *features,
                       const char *labels)
{
    const f0t_dataset *dataset = t->data.dataset;
    const size_t rows = f0t_dataset_split_count(dataset, part);
    float *x = read_matrix(in(folder, features), rows, C_FEATURES), row[C_FEATURES];
    float *y = labels ? read_matrix(in(folder, labels), rows, C_SEEN) : NULL;
    for (size_t m = 0, at = 0; m < C_IMAGES; m++) {
        double square = 0;
        if (f0t_dataset_split(dataset)[m] != (uint8_t)part)
            continue;
        assert_ok(f0t_dataset_read_features(row, dataset, m, 1));
        for (size_t k = 0; k < C_FEATURES; k++)
            square += (double)row[k] * (double)row[k];
        for (size_t k = 0; k < C_FEATURES; k++)
            assert_true(fabs((double)x[at * C_FEATURES + k] - (double)row[k] / sqrt(square)) <
                        1e-6);
        for (size_t tag = 0; y && tag < C_SEEN; tag++)
            assert_true(y[at * C_SEEN + tag] == (image_has(dataset, m, tag) ? 1.0F : 0.0F));
        at++;
    }
    f0t_free(x);
    f0t_free(y);
}

static void matrices_are_those_of_the_dataset(void **state)
{
    test_task t;
    (void)state;
    open_task(&t, &(collection_options){.name = "all"});
    const char *folder = write_task(&t, "whole");
    check_part(&t, folder, F0T_TRAIN, "train_features.npy", "train_labels.npy");
    check_part(&t, folder, F0T_VAL, "val_features.npy", "val_labels.npy");
    check_part(&t, folder, F0T_TEST, "features.npy", NULL);
    float *learned = read_matrix(in(folder, "learned_vectors.npy"), C_SEEN, C_DIM);
    float *ranked = read_matrix(in(folder, "ranked_vectors.npy"), C_TAGS - C_SEEN, C_DIM);
    const float *vectors = f0t_vocab_vectors(t.data.tags.vocab);
    assert_memory_equal(learned, vectors, C_SEEN * C_DIM * sizeof *learned);
    assert_memory_equal(ranked, vectors + C_SEEN * C_DIM,
                        (C_TAGS - C_SEEN) * C_DIM * sizeof *ranked);
    f0t_free(learned);
    f0t_free(ranked);
    close_task(&t);
}

static void lists_name_rows_and_columns(void **state)
{
    test_task t;
    size_t size;
    (void)state;
    open_task(&t, &(collection_options){.name = "all"});
    const char *folder = write_task(&t, "whole");
    char *learned = test_read(in(folder, "learned.txt"), &size);
    assert_string_equal(learned, "tag0\ntag1\ntag2\ntag3\ntag4\ntag5\ntag6\ntag7\ntag8\n");
    char *ranked = test_read(in(folder, "ranked.txt"), &size);
    assert_string_equal(ranked, "tag9\ntag10\ntag11\n");
    char *images = test_read(in(folder, "images.txt"), &size);
    assert_int_equal(size, t.queries.count); /* the collection has no names: empty lines */
    f0t_free(learned);
    f0t_free(ranked);
    f0t_free(images);
    close_task(&t);
}

static int64_t number_in(const json_t *json, const char *key)
{
    int64_t value = -1;
    assert_ok(f0t_json_get_integer(&value, json, key, "task.json"));
    return value;
}

static void the_task_says_what_it_is_about(void **state)
{
    test_task t;
    json_t *json, *chosen = NULL;
    const char *part = NULL;
    double effort = 0, rate = 0;
    (void)state;
    open_task(&t, &(collection_options){.name = "all"});
    assert_ok(f0t_json_load(&json, in(write_task(&t, "whole"), "task.json"), 10000, NULL));
    assert_ok(f0t_json_get_string(&part, json, "part", ""));
    assert_string_equal(part, "zero-shot");
    assert_int_equal(number_in(json, "images"), C_IMAGES / 5);
    assert_int_equal(number_in(json, "ranked"), C_TAGS - C_SEEN);
    assert_int_equal(number_in(json, "learned"), C_SEEN);
    assert_int_equal(number_in(json, "train"), C_IMAGES / 5 * 3);
    assert_int_equal(number_in(json, "val"), C_IMAGES / 5);
    assert_int_equal(number_in(json, "features"), C_FEATURES);
    assert_int_equal(number_in(json, "dim"), C_DIM);
    assert_int_equal(number_in(json, "seed"), 5);
    assert_ok(f0t_json_get_number(&effort, json, "effort", ""));
    assert_true(effort == 0.25);
    assert_ok(f0t_json_get_object(&chosen, json, "knobs", ""));
    assert_ok(f0t_json_get_number(&rate, chosen, "rate", ""));
    assert_true(rate == 0.1 && json_object_size(chosen) == 2);
    json_decref(json);
    t.queries.part = NULL;
    assert_ok(f0t_json_load(&json, in(write_task(&t, "whole"), "task.json"), 10000, NULL));
    assert_ok(f0t_json_get_string(&part, json, "part", ""));
    assert_string_equal(part, "validation");
    json_decref(json);
    close_task(&t);
}

static f0t_status write_again(void *context)
{
    const test_task *t = context;
    return f0t_task_folder_write(test_path("bare"), &t->task.base, &t->tags, &t->queries, values);
}

static void missing_memory_and_full_disks_are_told(void **state)
{
    test_task t;
    (void)state;
    open_task(&t, &(collection_options){.name = "few", .no_validation = true});
    write_task(&t, "bare");
    test_each_fault(F0T_FAULT_ALLOC, write_again, &t);
    test_each_fault(F0T_FAULT_WRITE, write_again, &t);
    assert_fails(
        F0T_ERROR_NOT_FOUND, "nowhere",
        f0t_task_folder_write(test_path("nowhere"), &t.task.base, &t.tags, &t.queries, values));
    close_task(&t);
}

/* ---- Scores --------------------------------------------------------------------------------------- */

enum { ROWS = 4, COLS = 3 };

static const f0t_candidates three = {.count = COLS};
static const f0t_queries four = {.count = ROWS, .all = ROWS, .part = "zero-shot"};

/* An .npy file of these bytes, of this type and shape. */
static const char *write_npy(const char *type, const char *order, const char *shape,
                             const void *data, size_t size)
{
    unsigned char file[1024] = "\x93NUMPY\x01";
    char head[128];
    snprintf(head, sizeof head, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", type, order,
             shape);
    file[8] = 118;
    memset(file + 10, ' ', 118);
    memcpy(file + 10, head, strlen(head));
    file[127] = '\n';
    memcpy(file + 128, data, size);
    return test_file("scores.npy", file, 128 + size);
}

static f0t_status read_back(float *scores, const char *path)
{
    return f0t_task_scores_read(scores, path, &three, &four);
}

static void scores_of_any_number_type_are_read(void **state)
{
    static const float numbers[ROWS * COLS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    double wide[ROWS * COLS], turned[ROWS * COLS];
    int32_t whole[ROWS * COLS];
    float scores[ROWS * COLS];
    (void)state;
    for (size_t i = 0; i < ROWS * COLS; i++) {
        wide[i] = (double)numbers[i];
        turned[i % COLS * ROWS + i / COLS] = wide[i];
        whole[i] = (int32_t)i;
    }
    assert_ok(read_back(scores, write_npy("<f4", "False", "(4, 3)", numbers, sizeof numbers)));
    assert_memory_equal(scores, numbers, sizeof numbers);
    assert_ok(read_back(scores, write_npy("<f8", "False", "(4, 3)", wide, sizeof wide)));
    assert_memory_equal(scores, numbers, sizeof numbers);
    assert_ok(read_back(scores, write_npy("<f8", "True", "(4, 3)", turned, sizeof turned)));
    assert_memory_equal(scores, numbers, sizeof numbers);
    assert_ok(read_back(scores, write_npy("<i4", "False", "(4, 3)", whole, sizeof whole)));
    assert_memory_equal(scores, numbers, sizeof numbers);
    const f0t_queries last = {.count = 1, .first = 3, .all = ROWS};
    assert_ok(f0t_task_scores_read(scores, test_path("scores.npy"), &three, &last));
    assert_memory_equal(scores, numbers + 9, 3 * sizeof *numbers);
}

static void scores_of_another_shape_are_refused(void **state)
{
    static const float numbers[2 * ROWS * COLS];
    float scores[ROWS * COLS];
    (void)state;
    assert_fails(F0T_ERROR_MISMATCH, "has 3 x 4 scores; zero-shot has 4 images and 3 tags to rank",
                 read_back(scores, write_npy("<f4", "False", "(3, 4)", numbers, 48)));
    assert_fails(F0T_ERROR_MISMATCH, "has 5 x 3 scores",
                 read_back(scores, write_npy("<f4", "False", "(5, 3)", numbers, 60)));
    assert_true(read_back(scores, write_npy("<f4", "False", "(12,)", numbers, 48)) != F0T_OK);
    assert_true(read_back(scores, write_npy("<f4", "False", "(2, 2, 3)", numbers, 48)) != F0T_OK);
    assert_true(read_back(scores, write_npy("<f4", "False", "()", numbers, 4)) != F0T_OK);
    assert_true(read_back(scores, write_npy("|O", "False", "(4, 3)", numbers, 96)) != F0T_OK);
    assert_true(read_back(scores, write_npy("<i2", "False", "(4, 3)", numbers, 24)) != F0T_OK);
    const f0t_queries trial = {.count = 1, .all = 2};
    write_npy("<f4", "False", "(4, 3)", numbers, 48);
    assert_fails(F0T_ERROR_MISMATCH, "the trial has 2 images",
                 f0t_task_scores_read(scores, test_path("scores.npy"), &three, &trial));
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere.npy", read_back(scores, test_path("nowhere.npy")));
}

static void scores_that_are_no_numbers_are_refused(void **state)
{
    float numbers[ROWS * COLS] = {0}, scores[ROWS * COLS];
    const float wrong[] = {NAN, INFINITY, -INFINITY};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        numbers[7] = wrong[i];
        assert_fails(F0T_ERROR_FORMAT, "scores.npy: a score in row 3 is no finite number",
                     read_back(scores, write_npy("<f4", "False", "(4, 3)", numbers, 48)));
    }
    const double wide[ROWS * COLS] = {[5] = 1e300}; /* beyond a float */
    assert_fails(F0T_ERROR_FORMAT, "row 2",
                 read_back(scores, write_npy("<f8", "False", "(4, 3)", wide, sizeof wide)));
}

static f0t_status load_scores(const void *data, size_t size)
{
    float scores[ROWS * COLS];
    return read_back(scores, test_file("cut.npy", data, size));
}

static void cut_scores_are_refused_wherever_they_end(void **state)
{
    static const float numbers[ROWS * COLS];
    size_t size;
    (void)state;
    write_npy("<f4", "False", "(4, 3)", numbers, sizeof numbers);
    char *file = test_read(test_path("scores.npy"), &size);
    test_cut_everywhere(file, size, load_scores, NULL);
    f0t_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_those_that_the_page_promises),
        cmocka_unit_test(matrices_are_those_of_the_dataset),
        cmocka_unit_test(lists_name_rows_and_columns),
        cmocka_unit_test(the_task_says_what_it_is_about),
        cmocka_unit_test(missing_memory_and_full_disks_are_told),
        cmocka_unit_test(scores_of_any_number_type_are_read),
        cmocka_unit_test(scores_of_another_shape_are_refused),
        cmocka_unit_test(scores_that_are_no_numbers_are_refused),
        cmocka_unit_test(cut_scores_are_refused_wherever_they_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
