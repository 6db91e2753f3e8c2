/* The study as a whole, on a small collection: each number once more, image by image. */
#include "../model/collection.h"

#include "eval/study.h"
#include "rank/ranksvm.h"

#include <math.h>

enum { IMAGES = 200 };

typedef struct input {
    f0t_dataset *dataset;
    f0t_vectors *vectors;
} input;

/* Two to seven of the twelve tags of the collection's vectors. */
static size_t draw_tags(const char **tags, size_t m)
{
    static const char *const names[] = {"tag0", "tag1", "tag2", "tag3", "tag4",  "tag5",
                                        "tag6", "tag7", "tag8", "tag9", "tag10", "tag11"};
    const f0t_random random = {21, m};
    uint32_t order[C_TAGS];
    const size_t count = 2 + (size_t)f0t_random_below(&random, 99, 6);
    for (uint32_t i = 0; i < C_TAGS; i++)
        order[i] = i;
    f0t_random_shuffle(order, C_TAGS, &random);
    for (size_t i = 0; i < count; i++)
        tags[i] = names[order[i]];
    return count;
}

static input input_open(void)
{
    static const char *const seen[] = {"tag0", "tag1", "tag2", "tag3", "tag4",
                                       "tag5", "tag6", "tag7", "tag8"};
    static const char *const unseen[] = {"tag9", "tag10", "tag11"};
    const f0t_dataset_info info = {.size = sizeof(f0t_dataset_info), .replace = true};
    f0t_dataset_writer *w;
    input in;
    assert_ok(f0t_dataset_create(&w, test_path("study"), &info));
    for (size_t m = 0; m < IMAGES; m++) {
        const char *tags[C_TAGS];
        const f0t_dataset_row row = {
            .size = sizeof(f0t_dataset_row), .tags = tags, .tag_count = draw_tags(tags, m)};
        assert_ok(f0t_dataset_write(w, &row));
    }
    assert_ok(f0t_dataset_write_seen(w, seen, C_SEEN));
    assert_ok(f0t_dataset_write_unseen(w, unseen, C_TAGS - C_SEEN));
    assert_ok(f0t_dataset_commit(w));
    assert_ok(f0t_dataset_open(&in.dataset, test_path("study"), NULL, NULL));
    assert_ok(f0t_vectors_open(&in.vectors, collection_vectors(), NULL, NULL));
    return in;
}

static void input_close(input *in)
{
    f0t_dataset_close(in->dataset);
    f0t_vectors_close(in->vectors);
}

static f0t_study_options small(void)
{
    f0t_study_options o = F0T_STUDY_OPTIONS;
    o.perplexity = 5;
    return o;
}

static f0t_study *run(const input *in, const f0t_study_options *o)
{
    const f0t_vectors *vectors = in->vectors;
    f0t_study *study;
    assert_ok(f0t_study_run(&study, in->dataset, &vectors, 1, o, NULL));
    return study;
}

/* ---- By hand ------------------------------------------------------------------------------------- */

/* tag0 … tag11, of length 1. */
static void make_vectors(float v[C_TAGS][C_DIM])
{
    for (size_t t = 0; t < C_TAGS; t++) {
        double square = 0;
        for (size_t k = 0; k < C_DIM; k++)
            square += pow((double)collection_vector(t, k), 2);
        for (size_t k = 0; k < C_DIM; k++)
            v[t][k] = (float)((double)collection_vector(t, k) / sqrt(square));
    }
}

/* The average precision of tags first … first + count - 1 by w; -1 without a relevant one. */
static double precision(const float v[C_TAGS][C_DIM], const float *w, const bool *relevant,
                        size_t first, size_t count)
{
    double scores[C_TAGS], sum = 0, all = 0;
    for (size_t t = first; t < first + count; t++) {
        scores[t] = 0;
        for (size_t k = 0; k < C_DIM; k++)
            scores[t] += (double)w[k] * (double)v[t][k];
    }
    for (size_t t = first; t < first + count; t++) {
        double before = 0, hits = 0;
        for (size_t u = first; relevant[t] && u < first + count; u++) {
            before += scores[u] >= scores[t];
            hits += relevant[u] && scores[u] >= scores[t];
        }
        all += relevant[t];
        sum += relevant[t] ? hits / before : 0;
    }
    return all > 0 ? sum / all : -1;
}

/* One image's direction, solved alone. */
static void solve_image(float *w, const float v[C_TAGS][C_DIM], const bool *relevant, double lambda)
{
    const f0t_ranksvm_options options = {.hinge = F0T_HINGE_SQUARED, .gap = 1e-6};
    uint32_t seen[C_SEEN];
    size_t offsets[2] = {0, 0};
    f0t_ranksvm *svm;
    f0t_rules *rules;
    for (uint32_t t = 0; t < C_SEEN; t++)
        if (relevant[t])
            seen[offsets[1]++] = t;
    const f0t_tag_sets sets = {offsets, seen, 1, C_SEEN};
    assert_ok(f0t_ranksvm_create(&svm, &v[0][0], C_SEEN, C_DIM));
    assert_ok(f0t_rules_create(&rules, &sets, NULL, C_SEEN));
    assert_ok(f0t_ranksvm_solve(w, NULL, svm, rules, &lambda, 1, &options, NULL));
    f0t_rules_free(rules);
    f0t_ranksvm_free(svm);
}

static void curves_are_what_images_give_one_by_one(void **state)
{
    static const double lambda = 3;
    input in = input_open();
    f0t_study_options o = small();
    float v[C_TAGS][C_DIM], w[C_DIM];
    double seen = 0, images = 0, unseen = 0, tested = 0;
    (void)state;
    o.lambdas = &lambda;
    o.lambda_count = 1;
    f0t_study *study = run(&in, &o);
    make_vectors(v);
    for (size_t m = 0; m < IMAGES; m++) {
        bool relevant[C_TAGS] = {false};
        size_t count;
        const uint32_t *tags = f0t_dataset_image_tags(&count, in.dataset, m);
        for (size_t i = 0; i < count; i++)
            relevant[tags[i]] = true;
        bool any = false;
        for (size_t t = 0; t < C_SEEN; t++)
            any = any || relevant[t];
        if (!any)
            continue;
        solve_image(w, (const float(*)[C_DIM])v, relevant, lambda);
        seen += precision((const float(*)[C_DIM])v, w, relevant, 0, C_SEEN);
        const double other =
            precision((const float(*)[C_DIM])v, w, relevant, C_SEEN, C_TAGS - C_SEEN);
        images++;
        unseen += other >= 0 ? other : 0;
        tested += other >= 0;
    }
    assert_int_equal(study->images, images);
    assert_int_equal(study->tested, tested);
    assert_true(fabs(study->curves[0].existence_images[0] - 100 * seen / images) < 0.3);
    assert_true(fabs(study->curves[0].generalisation[0] - 100 * unseen / tested) < 0.3);
    f0t_study_free(study);
    input_close(&in);
}

/* ---- What holds ---------------------------------------------------------------------------------- */

static void the_study_says_what_it_is_about(void **state)
{
    input in = input_open();
    f0t_study_options o = small();
    (void)state;
    f0t_study *study = run(&in, &o);
    assert_string_equal(study->dataset, "study");
    assert_true(study->given);
    assert_int_equal(study->seen_count, C_SEEN);
    assert_int_equal(study->unseen_count, C_TAGS - C_SEEN);
    assert_string_equal(study->seen[2], "tag2");
    assert_string_equal(study->unseen[0], "tag9");
    assert_int_equal(study->lambda_count, 7);
    assert_int_equal(study->picture_count, 2);
    assert_int_equal(study->pictures[0].tag_count, 5);
    assert_int_equal(study->pictures[0].irrelevant, C_SEEN - 5);
    assert_int_equal(study->pictures[1].tag_count, 7);
    assert_true(study->pictures[0].exact);
    /* Nine vectors in eight dimensions: every partition is possible. */
    assert_true(study->curves[0].existence[0] > 99.99);
    assert_true(study->curves[0].satisfied[0] > 99.99);
    assert_true(study->curves[0].existence[6] <= study->curves[0].existence[0]);
    assert_true(study->random_existence > 20 && study->random_existence < 60);
    assert_true(study->structure.rules > 50 && study->structure.ahead > 99);
    assert_true(study->groups.rules > 0 && study->groups.gain[0] == 0);
    assert_true(study->finding_count >= 6);
    f0t_study_free(study);
    input_close(&in);
}

/* With as many axes as dimensions, PCA turns the space and changes nothing. */
static void all_principal_components_are_the_whole_space(void **state)
{
    const size_t dims[] = {C_DIM, C_DIM - 1, 2, 99};
    input in = input_open();
    f0t_study_options o = small();
    f0t_study_tags tags;
    f0t_study_space whole, cut;
    float *axes;
    (void)state;
    assert_ok(f0t_study_tags_create(&tags, in.dataset, (const f0t_vectors *const *)&in.vectors, 1,
                                    &o, NULL));
    assert_ok(f0t_study_space_create(&whole, &tags, in.vectors, false));
    assert_ok(f0t_study_axes(&axes, in.vectors, false, NULL));
    assert_ok(f0t_study_space_cut(&cut, &whole, axes, C_DIM, C_TAGS));
    for (size_t i = 0; i < C_TAGS; i++)
        for (size_t j = 0; j < C_TAGS; j++) {
            double a = 0, b = 0;
            for (size_t k = 0; k < C_DIM; k++) {
                a += (double)whole.vectors[i * C_DIM + k] * (double)whole.vectors[j * C_DIM + k];
                b += (double)cut.vectors[i * C_DIM + k] * (double)cut.vectors[j * C_DIM + k];
            }
            assert_true(fabs(a - b) < 1e-5);
        }
    f0t_free(axes);
    f0t_study_space_free(&whole);
    f0t_study_space_free(&cut);
    f0t_study_tags_free(&tags);
    o.dims = dims;
    o.dim_count = 4;
    f0t_study *study = run(&in, &o);
    assert_int_equal(study->curve_count, 3); /* the file has no 99 */
    assert_int_equal(study->curves[2].dim, 2);
    assert_true(study->curves[2].existence[0] < study->curves[0].existence[0] - 5);
    f0t_study_free(study);
    input_close(&in);
}

static void unseen_tags_are_drawn_or_left_out(void **state)
{
    input in = input_open();
    f0t_study_options o = small();
    (void)state;
    o.unseen = "none";
    f0t_study *study = run(&in, &o);
    assert_int_equal(study->seen_count, C_TAGS);
    assert_null(study->curves[0].generalisation);
    assert_int_equal(study->groups.rules, 0);
    f0t_study_free(study);
    o.unseen = "25%";
    study = run(&in, &o);
    assert_int_equal(study->unseen_count, 3);
    assert_false(study->given);
    const char *first = study->unseen[0];
    o.seed = 1;
    f0t_study *other = run(&in, &o);
    o.seed = 0;
    f0t_study *again = run(&in, &o);
    assert_string_equal(again->unseen[0], first);
    bool differ = false;
    for (size_t i = 0; i < 3; i++)
        differ = differ || strcmp(study->unseen[i], other->unseen[i]);
    assert_true(differ);
    f0t_study_free(study);
    f0t_study_free(other);
    f0t_study_free(again);
    input_close(&in);
}

static void the_same_seed_draws_the_same_picture(void **state)
{
    input in = input_open();
    f0t_study_options o = small();
    (void)state;
    f0t_study *a = run(&in, &o), *b = run(&in, &o);
    o.seed = 7;
    f0t_study *c = run(&in, &o);
    const size_t points = a->pictures[0].tag_count * a->pictures[0].irrelevant;
    assert_memory_equal(a->pictures[0].tsne_x, b->pictures[0].tsne_x, points * sizeof(float));
    assert_memory_equal(a->pictures[0].pca_y, b->pictures[0].pca_y, points * sizeof(float));
    assert_memory_equal(a->curves[0].existence, b->curves[0].existence, 7 * sizeof(double));
    assert_memory_not_equal(a->pictures[0].tsne_x, c->pictures[0].tsne_x, points * sizeof(float));
    f0t_study_free(a);
    f0t_study_free(b);
    f0t_study_free(c);
    input_close(&in);
}

static void a_control_deals_the_vectors_out_anew(void **state)
{
    input in = input_open();
    f0t_study_options o = small();
    (void)state;
    o.control = true;
    f0t_study *study = run(&in, &o);
    assert_int_equal(study->curve_count, 2);
    assert_true(study->curves[1].control && !study->curves[0].control);
    bool differ = false;
    for (size_t i = 0; i < 7; i++)
        differ = differ || study->curves[1].generalisation[i] != study->curves[0].generalisation[i];
    assert_true(differ);
    f0t_study_free(study);
    input_close(&in);
}

/* Both files, on the tags that both have. */
static void files_are_compared_on_the_tags_of_all(void **state)
{
    input in = input_open();
    f0t_study_options o = small();
    f0t_vectors *few;
    f0t_study *study;
    (void)state;
    assert_ok(f0t_vectors_open(&few,
                               test_text("few.txt", "tag0 1 0 1\ntag1 0 1 1\ntag3 1 1 0\n"
                                                    "tag9 0 0 1\ntag10 1 2 1\ntag2 3 0 1\n"),
                               NULL, NULL));
    const f0t_vectors *both[] = {in.vectors, few};
    assert_ok(f0t_study_run(&study, in.dataset, both, 2, &o, NULL));
    assert_int_equal(study->seen_count, 4);
    assert_int_equal(study->unseen_count, 2);
    assert_int_equal(study->missing, C_TAGS - 6);
    assert_int_equal(study->curve_count, 2);
    assert_string_equal(study->curves[1].vectors, "few.txt");
    assert_int_equal(study->curves[1].dim, 3);
    f0t_study_free(study);
    f0t_vectors_close(few);
    input_close(&in);
}

static void pictures_are_of_the_images_that_are_asked_for(void **state)
{
    static const char *const images[] = {"3", "200"};
    input in = input_open();
    f0t_study_options o = small();
    (void)state;
    o.images = images;
    o.image_count = 2;
    f0t_study *study = run(&in, &o);
    assert_int_equal(study->picture_count, 2);
    assert_string_equal(study->pictures[0].image, "3");
    assert_null(study->pictures[0].path);
    f0t_study_free(study);
    input_close(&in);
}

/* ---- What fails ---------------------------------------------------------------------------------- */

static void refuse(const input *in, const f0t_study_options *o, f0t_status status, const char *text)
{
    const f0t_vectors *vectors = in->vectors;
    f0t_study *study;
    assert_fails(status, text, f0t_study_run(&study, in->dataset, &vectors, 1, o, NULL));
    assert_null(study);
}

static void senseless_options_are_refused(void **state)
{
    static const double falling[] = {1, 0.1}, wild = 1e9;
    static const size_t zero = 0, many = 5000;
    static const char *const nobody = "nobody.jpg", *const beyond = "201";
    input in = input_open();
    f0t_study_options o = small();
    (void)state;
    o.lambdas = falling;
    o.lambda_count = 2;
    refuse(&in, &o, F0T_ERROR_ARGUMENT,
           "values of lambda must ascend from 1e-6 to 1e6; value 2 does not fit");
    o.lambdas = &wild;
    o.lambda_count = 1;
    refuse(&in, &o, F0T_ERROR_ARGUMENT, "must ascend");
    o = small();
    o.lambda_count = 0; /* of an array that is given */
    o.lambdas = falling;
    refuse(&in, &o, F0T_ERROR_ARGUMENT, "0 values of lambda: from 1 to ");
    o = small();
    o.dims = &zero;
    o.dim_count = 1;
    refuse(&in, &o, F0T_ERROR_ARGUMENT, "vectors of 0 dimensions");
    o.dims = &many;
    refuse(&in, &o, F0T_ERROR_ARGUMENT, "no vector file has as many dimensions");
    o = small();
    o.unseen = "most";
    refuse(&in, &o, F0T_ERROR_ARGUMENT, "unseen tags 'most'");
    o = small();
    o.part = "tset";
    refuse(&in, &o, F0T_ERROR_ARGUMENT, "part 'tset': it is train, val or test");
    o = small();
    o.images = &nobody;
    o.image_count = 1;
    refuse(&in, &o, F0T_ERROR_ARGUMENT,
           "image 'nobody.jpg': neither a line of images.txt nor a number from 1 to 200");
    o.images = &beyond;
    refuse(&in, &o, F0T_ERROR_ARGUMENT, "a number from 1 to 200");
    o = small();
    o.perplexity = 0;
    refuse(&in, &o, F0T_ERROR_ARGUMENT, "the perplexity must be from 2 to 1000");
    o = small();
    o.sample = 0;
    refuse(&in, &o, F0T_ERROR_ARGUMENT, "the sample must have a rule");
    o = small();
    o.offsets = 99;
    refuse(&in, &o, F0T_ERROR_ARGUMENT, "offsets in a picture must be from 100 to 200000");
    f0t_study *study;
    const f0t_vectors *vectors = in.vectors;
    assert_fails(F0T_ERROR_ARGUMENT, "a study needs word vectors",
                 f0t_study_run(&study, in.dataset, &vectors, 0, NULL, NULL));
    input_close(&in);
}

static void tags_without_vectors_are_told(void **state)
{
    input in = input_open();
    f0t_study_options o = small();
    f0t_vectors *other;
    f0t_study *study;
    (void)state;
    assert_ok(f0t_vectors_open(&other, test_text("other.txt", "dog 1 2\ncat 2 1\n"), NULL, NULL));
    const f0t_vectors *vectors = other;
    assert_fails(F0T_ERROR_FORMAT, "0 of its 12 tags have a vector",
                 f0t_study_run(&study, in.dataset, &vectors, 1, &o, NULL));
    f0t_vectors_close(other);
    input_close(&in);
}

/* Stops at the n-th look at the flag, which every part of the work takes. */
typedef struct stopper {
    volatile sig_atomic_t stop;
    int left;
} stopper;

static void count_down(void *user, const f0t_progress *progress)
{
    stopper *s = user;
    (void)progress;
    if (--s->left <= 0)
        s->stop = 1;
}

static void it_stops_when_asked(void **state)
{
    input in = input_open();
    f0t_study_options o = small();
    const f0t_vectors *vectors = in.vectors;
    f0t_study *study;
    (void)state;
    for (int n = 1; n < 4; n++) {
        stopper s = {.left = n};
        const f0t_monitor monitor = {.progress = count_down, .user = &s, .stop = &s.stop};
        assert_fails(F0T_ERROR_INTERRUPTED, "interrupted",
                     f0t_study_run(&study, in.dataset, &vectors, 1, &o, F0T_WATCHED(&monitor)));
        assert_null(study);
    }
    input_close(&in);
}

static f0t_status run_small(void *context)
{
    static const double lambda = 1;
    const input *in = context;
    const f0t_vectors *vectors = in->vectors;
    static const size_t dims[] = {4, C_DIM};
    f0t_study_options o = small();
    f0t_study *study;
    o.lambdas = &lambda;
    o.lambda_count = 1;
    o.dims = dims;
    o.dim_count = 2;
    o.control = true;
    o.sample = 3;
    f0t_status status = f0t_study_run(&study, in->dataset, &vectors, 1, &o, NULL);
    f0t_study_free(study);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    input in = input_open();
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, run_small, &in);
    input_close(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_are_what_images_give_one_by_one),
        cmocka_unit_test(the_study_says_what_it_is_about),
        cmocka_unit_test(all_principal_components_are_the_whole_space),
        cmocka_unit_test(unseen_tags_are_drawn_or_left_out),
        cmocka_unit_test(the_same_seed_draws_the_same_picture),
        cmocka_unit_test(a_control_deals_the_vectors_out_anew),
        cmocka_unit_test(files_are_compared_on_the_tags_of_all),
        cmocka_unit_test(pictures_are_of_the_images_that_are_asked_for),
        cmocka_unit_test(senseless_options_are_refused),
        cmocka_unit_test(tags_without_vectors_are_told),
        cmocka_unit_test(it_stops_when_asked),
        cmocka_unit_test(every_allocation_may_fail),
    };
    test_threads(1); /* small work: threads would only wait for each other */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
