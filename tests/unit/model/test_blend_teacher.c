#include "blends.h"

#include "model/blend_teacher.h"
#include "word/classes.h"

#include <math.h>

enum { IMAGES = 30, TAGS = 6, CLASSES = 10, COLUMNS = TAGS + CLASSES, BATCH = 7 };

/* A collection, a network's classes, of which the last has no vector, and a teacher. */
typedef struct lesson {
    blend_data *d;
    float weights[CLASSES * B_FEATURES], bias[CLASSES];
    float tags[TAGS * B_DIM], vectors[CLASSES * B_DIM];
    const char *labels[CLASSES];
    f0t_classes *classes;
    uint32_t images[IMAGES], relevant[IMAGES * TAGS];
    size_t offsets[IMAGES + 1];
    f0t_samples train;
    f0t_train_data data;
    f0t_train_options options;
    f0t_teacher *teacher;
} lesson;

static void take_samples(lesson *l)
{
    l->train = (f0t_samples){.count = IMAGES,
                             .tags = TAGS,
                             .images = l->images,
                             .offsets = l->offsets,
                             .relevant = l->relevant};
    for (uint32_t i = 0; i < IMAGES; i++) {
        l->images[i] = IMAGES - 1 - i;
        l->offsets[i + 1] = l->offsets[i];
        for (uint32_t t = 0; t < TAGS; t++)
            if (l->d->labels[l->images[i] * TAGS + t])
                l->relevant[l->offsets[i + 1]++] = t;
    }
}

static lesson *open_lesson(void)
{
    lesson *l = calloc(1, sizeof *l);
    assert_non_null(l);
    l->d = blend_open((blend_made){.images = IMAGES, .tags = TAGS});
    test_random_floats(l->weights, CLASSES * B_FEATURES, 1);
    test_random_floats(l->bias, CLASSES, 2);
    test_random_floats(l->tags, TAGS * B_DIM, 3);
    test_random_floats(l->vectors, (CLASSES - 1) * B_DIM, 4);
    for (size_t c = 0; c < CLASSES; c++)
        l->labels[c] = "class";
    for (size_t i = 0; i < CLASSES * B_FEATURES; i++)
        l->weights[i] /= 4;
    assert_ok(f0t_classes_create(&l->classes, l->labels, l->weights, l->bias, CLASSES, B_FEATURES));
    take_samples(l);
    l->data = (f0t_train_data){
        .dataset = l->d->dataset, .train = &l->train, .tags = l->tags, .dim = B_DIM};
    l->options = (f0t_train_options)F0T_TRAIN_OPTIONS;
    l->options.batch = BATCH;
    assert_ok(f0t_teacher_create(&l->teacher, l->classes, l->vectors, &l->data, &l->options, NULL));
    return l;
}

static void close_lesson(lesson *l)
{
    f0t_teacher_free(l->teacher);
    f0t_classes_close(l->classes);
    blend_close(l->d);
    free(l);
}

/* The class whose vector is in row TAGS + c of the objective's. */
static size_t class_of(const lesson *l, const f0t_objective *o, size_t c)
{
    for (size_t k = 0; k < CLASSES; k++)
        if (!memcmp(o->tags + (TAGS + c) * B_DIM, l->vectors + k * B_DIM,
                    B_DIM * sizeof *l->vectors))
            return k;
    fail();
    return 0;
}

/* p[CLASSES - 1] of a sample by the network, in the objective's order, rounded as the teacher keeps it. */
static void probabilities(double *p, const lesson *l, const f0t_objective *o, size_t sample)
{
    const float *x = l->d->features + l->images[sample] * B_FEATURES;
    double sum = 0, rounded = 0;
    for (size_t c = 0; c + 1 < CLASSES; c++) {
        const size_t k = class_of(l, o, c);
        double z = (double)l->bias[k];
        for (size_t j = 0; j < B_FEATURES; j++)
            z += (double)l->weights[k * B_FEATURES + j] * (double)x[j];
        p[c] = exp(z);
        sum += p[c];
    }
    for (size_t c = 0; c + 1 < CLASSES; c++) {
        p[c] = rint(p[c] / sum * 255);
        rounded += p[c];
    }
    for (size_t c = 0; c + 1 < CLASSES; c++)
        p[c] /= rounded;
}

/* ---- Which classes ---------------------------------------------------------------------------------- */

static void four_classes_in_five_must_have_a_vector(void **state)
{
    float vectors[10 * 2] = {0};
    (void)state;
    for (size_t c = 0; c < 7; c++)
        vectors[c * 2 + 1] = 1;
    assert_false(f0t_teacher_can(vectors, 10, 2));
    vectors[7 * 2] = -1;
    assert_true(f0t_teacher_can(vectors, 10, 2));
    assert_false(f0t_teacher_can(vectors, 1, 2));
    assert_false(f0t_teacher_can(NULL, 0, 2));
}

static void the_most_probable_classes_come_first(void **state)
{
    lesson *l = open_lesson();
    const f0t_objective o = f0t_teacher_objective(l->teacher);
    double sums[CLASSES] = {0}, p[CLASSES];
    (void)state;
    assert_int_equal(o.more, CLASSES - 1); /* the one without a vector teaches nothing */
    assert_memory_equal(o.tags, l->tags, sizeof l->tags);
    for (size_t i = 0; i < IMAGES; i++) {
        probabilities(p, l, &o, i);
        for (size_t c = 0; c < o.more; c++)
            sums[c] += p[c];
    }
    assert_true(sums[0] > sums[o.more - 1]);
    for (size_t c = 1; c < o.more; c++)
        assert_true(sums[c] <= sums[c - 1] * 1.05 + 0.1); /* all classes judged them, not these */
    close_lesson(l);
}

/* ---- The loss ---------------------------------------------------------------------------------------- */

static const uint32_t ASKED[BATCH] = {3, 29, 0, 7, 12, 21, 5};

static f0t_loss_batch make_batch(size_t *offsets, uint32_t *relevant, const lesson *l)
{
    offsets[0] = 0;
    for (size_t m = 0; m < BATCH; m++) {
        offsets[m + 1] = offsets[m];
        for (size_t i = l->offsets[ASKED[m]]; i < l->offsets[ASKED[m] + 1]; i++)
            relevant[offsets[m + 1]++] = l->relevant[i];
    }
    return (f0t_loss_batch){
        .images = BATCH, .tags = TAGS, .offsets = offsets, .relevant = relevant};
}

/* Straight from the definition. */
static double reference(const double *s, const lesson *l, const f0t_objective *o,
                        const f0t_loss_batch *b)
{
    const size_t columns = TAGS + o->more;
    double ranking = 0, taught = 0, training = 0, p[CLASSES];
    for (size_t m = 0; m < BATCH; m++) {
        const double *row = s + m * columns;
        bool is[TAGS] = {false};
        double pairs = 0, sum = 0, all = 0;
        for (size_t i = b->offsets[m]; i < b->offsets[m + 1]; i++)
            is[b->relevant[i]] = true;
        for (size_t a = 0; a < TAGS; a++)
            for (size_t n = 0; n < TAGS; n++)
                if (is[a] && !is[n]) {
                    pairs++;
                    sum += log(1 + exp(row[n] - row[a]));
                }
        ranking += pairs > 0 ? sum / pairs : 0;
        training += pairs > 0;
        probabilities(p, l, o, ASKED[m]);
        for (size_t c = 0; c < o->more; c++) {
            all += exp(row[TAGS + c]);
            taught -= p[c] * row[TAGS + c];
        }
        taught += log(all);
    }
    return ranking / training + 0.05 * taught / BATCH;
}

static void loss_and_gradient_are_as_defined(void **state)
{
    lesson *l = open_lesson();
    const f0t_objective o = f0t_teacher_objective(l->teacher);
    const size_t n = BATCH * (TAGS + o.more);
    float scores[BATCH * COLUMNS], gradient[BATCH * COLUMNS];
    double exact[BATCH * COLUMNS] = {0};
    size_t offsets[BATCH + 1];
    uint32_t relevant[BATCH * TAGS];
    f0t_loss_batch batch = make_batch(offsets, relevant, l);
    f0t_loss_result result = {0};
    (void)state;
    test_random_floats(scores, n, 5);
    for (size_t i = 0; i < n; i++)
        exact[i] = (double)scores[i];
    batch.scores = scores;
    assert_ok(o.host_loss(o.context, &result, gradient, &batch, ASKED));
    assert_true(fabs(result.loss - reference(exact, l, &o, &batch)) < 1e-5);
    for (size_t i = 0; i < n; i++) {
        const double step = 1e-4, at = exact[i];
        exact[i] = at + step;
        const double up = reference(exact, l, &o, &batch);
        exact[i] = at - step;
        const double slope = (up - reference(exact, l, &o, &batch)) / (2 * step);
        exact[i] = at;
        assert_true(fabs(slope - (double)gradient[i]) < 1e-5);
    }
    close_lesson(l);
}

static void scores_that_are_no_numbers_fail(void **state)
{
    lesson *l = open_lesson();
    const f0t_objective o = f0t_teacher_objective(l->teacher);
    float scores[BATCH * COLUMNS] = {0}, gradient[BATCH * COLUMNS];
    size_t offsets[BATCH + 1];
    uint32_t relevant[BATCH * TAGS];
    f0t_loss_batch batch = make_batch(offsets, relevant, l);
    f0t_loss_result result = {0};
    (void)state;
    batch.scores = scores;
    scores[TAGS + 2] = NAN;
    assert_fails(F0T_ERROR_NUMERIC, "the loss of the network's classes is not finite",
                 o.host_loss(o.context, &result, gradient, &batch, ASKED));
    close_lesson(l);
}

/* ---- What it does -------------------------------------------------------------------------------------- */

/* How far the model's directions are from the classes' probabilities: cross entropy, over all images. */
static double distance(const f0t_model *model, const blend_data *d, const f0t_classes *classes,
                       const float *vectors)
{
    const size_t n = d->made.images, C = classes->count;
    float *rows, *f, *p;
    uint32_t *images;
    double sum = 0;
    assert_ok(f0t_alloc(&rows, n * B_FEATURES, sizeof *rows));
    assert_ok(f0t_alloc(&f, n * B_DIM, sizeof *f));
    assert_ok(f0t_alloc(&p, n * C, sizeof *p));
    assert_ok(f0t_alloc(&images, n, sizeof *images));
    for (uint32_t i = 0; i < n; i++)
        images[i] = i;
    assert_ok(f0t_condition_gather(rows, &model->condition, d->dataset, images, n));
    assert_ok(f0t_net_apply(f, model->net, rows, n));
    assert_ok(f0t_classes_probabilities(p, classes, d->features, n, 1, NULL));
    for (size_t i = 0; i < n; i++) {
        double all = 0;
        for (size_t c = 0; c < C; c++) {
            double s = 0;
            for (size_t k = 0; k < B_DIM; k++)
                s += (double)f[i * B_DIM + k] * (double)vectors[c * B_DIM + k];
            all += exp(s);
            sum -= (double)p[i * C + c] * s;
        }
        sum += log(all);
    }
    f0t_free(rows);
    f0t_free(f);
    f0t_free(p);
    f0t_free(images);
    return sum / (double)n;
}

/* The classes are new words, which a direction of its tags alone knows nothing of. */
static void a_taught_direction_knows_the_classes(void **state)
{
    enum { WORDS = 8 };
    static const char *const labels[WORDS] = {"word0", "word1", "word2", "word3",
                                              "word4", "word5", "word6", "word7"};
    float weights[WORDS * B_FEATURES], vectors[WORDS * B_DIM];
    blend_data *d = blend_open((blend_made){.images = 700, .tags = 20});
    f0t_train_options o = blend_training(8);
    f0t_classes *classes;
    (void)state;
    test_random_floats(weights, WORDS * B_FEATURES, 6);
    assert_ok(f0t_classes_create(&classes, labels, weights, NULL, WORDS, B_FEATURES));
    assert_ok(f0t_classes_vectors(vectors, NULL, classes, d->vectors, o.centred, NULL));
    o.classes = classes;
    f0t_model *taught = blend_train(d, &o);
    o.without = 1U << F0T_EXPERT_CLASSES;
    f0t_model *alone = blend_train(d, &o);
    const double near = distance(taught, d, classes, vectors),
                 far = distance(alone, d, classes, vectors);
    if (!(near < 0.9 * far))
        print_error("taught %.3f, alone %.3f\n", near, far);
    assert_true(near < 0.9 * far);
    f0t_model_free(taught);
    f0t_model_free(alone);
    f0t_classes_close(classes);
    blend_close(d);
}

/* ---- Out of memory --------------------------------------------------------------------------------------- */

static f0t_status create_and_forget(void *context)
{
    const lesson *l = context;
    f0t_teacher *teacher;
    f0t_status status =
        f0t_teacher_create(&teacher, l->classes, l->vectors, &l->data, &l->options, NULL);
    assert_true((status == F0T_OK) == (teacher != NULL));
    f0t_teacher_free(teacher);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    lesson *l = open_lesson();
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, create_and_forget, l);
    close_lesson(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_classes_in_five_must_have_a_vector),
        cmocka_unit_test(the_most_probable_classes_come_first),
        cmocka_unit_test(loss_and_gradient_are_as_defined),
        cmocka_unit_test(scores_that_are_no_numbers_fail),
        cmocka_unit_test(a_taught_direction_knows_the_classes),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
