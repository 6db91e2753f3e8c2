/* Losses and gradients against those of another implementation: tests/parity/make_losses.py. */
#include "batches.h"

#include "loss_reference.h"

#include <stdio.h>

/* One case of the file. */
typedef struct parity {
    FILE *file;
    batch made;
    uint32_t *orders; /* the relevant tags in listmle's order, at the places of made.relevant */
    float *targets;
    double *scores;   /* made.scores */
    double *gradient; /* of the loss that was read last, and of ours */
    double *ours;
    float *ours32;
} parity;

static double read_number(FILE *file)
{
    double number = 0;
    assert_int_equal(fscanf(file, "%lf", &number), 1);
    return number;
}

static size_t read_count(FILE *file)
{
    return (size_t)read_number(file);
}

static float *read_floats(FILE *file, size_t n)
{
    float *floats = make(n, sizeof *floats);
    for (size_t i = 0; i < n; i++)
        floats[i] = (float)read_number(file);
    return floats;
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void read_relevant(parity *at, size_t images, size_t entries)
{
    at->made.offsets = make(images + 1, sizeof(size_t));
    at->made.relevant = make(entries, sizeof(uint32_t));
    at->orders = make(entries, sizeof(uint32_t));
    for (size_t m = 0, next = 0; m < images; m++) {
        size_t count = read_count(at->file), first = next;
        for (; count; count--)
            at->orders[next++] = (uint32_t)read_count(at->file);
        at->made.offsets[m + 1] = next;
        memcpy(at->made.relevant + first, at->orders + first, (next - first) * sizeof(uint32_t));
        qsort(at->made.relevant + first, next - first, sizeof(uint32_t), ascending);
    }
}

static bool read_case(parity *at)
{
    char word[32];
    if (fscanf(at->file, "%31s", word) != 1)
        return false;
    assert_string_equal(word, "case");
    size_t images = read_count(at->file), tags = read_count(at->file), entries = images * tags;
    at->made.scores = read_floats(at->file, entries);
    read_relevant(at, images, entries);
    at->targets = read_floats(at->file, entries);
    at->made.at = (f0t_loss_batch){
        images, tags, at->made.scores, at->made.offsets, at->made.relevant, 0, 0, 0};
    at->scores = as_doubles(at->made.scores, entries);
    at->gradient = make(entries, sizeof(double));
    at->ours = make(entries, sizeof(double));
    at->ours32 = make(entries, sizeof(float));
    return true;
}

static void free_case(parity *at)
{
    free_batch(&at->made);
    f0t_free(at->orders);
    f0t_free(at->targets);
    f0t_free(at->scores);
    f0t_free(at->gradient);
    f0t_free(at->ours);
    f0t_free(at->ours32);
}

static double read_loss(parity *at, const char *name)
{
    char word[32];
    assert_int_equal(fscanf(at->file, "%31s", word), 1);
    assert_string_equal(word, name);
    double loss = read_number(at->file);
    for (size_t i = 0; i < at->made.at.images * at->made.at.tags; i++)
        at->gradient[i] = read_number(at->file);
    return loss;
}

static void assert_near(double got, double want, double tolerance, const char *what)
{
    if (!(fabs(got - want) <= tolerance * (1e-3 + fabs(want))))
        fail_msg("%s: %.12g, not %.12g", what, got, want);
}

static void compare_fast(parity *at, double got, double want, const char *name)
{
    assert_near(got, want, 1e-6, name);
    for (size_t i = 0; i < at->made.at.images * at->made.at.tags; i++)
        assert_near((double)at->ours32[i], at->gradient[i], 1e-6, name);
}

/* The reference takes listmle's orders from the file. */
static void compare_reference(parity *at, f0t_loss loss, double want)
{
    const f0t_loss_batch *b = &at->made.at;
    double sum = 0, training = 0;
    for (size_t m = 0; m < b->images; m++) {
        size_t count = b->offsets[m + 1] - b->offsets[m];
        if (!f0t_loss_trains(loss, count, b->tags))
            continue;
        sum += f0t_loss_image_ref(at->ours + m * b->tags, loss, at->scores + m * b->tags, b->tags,
                                  at->orders + b->offsets[m], count);
        training++;
    }
    assert_near(sum / training, want, 1e-12, f0t_loss_name(loss));
    for (size_t i = 0; i < b->images * b->tags; i++)
        assert_near(at->ours[i] / training, at->gradient[i], 1e-12, f0t_loss_name(loss));
}

static void check_image_loss(parity *at, f0t_loss loss)
{
    const f0t_loss_options options = {loss, F0T_PAIRS_IMAGE, 0};
    f0t_loss_result result;
    double want = read_loss(at, f0t_loss_name(loss));
    compare_reference(at, loss, want);
    if (loss == F0T_LOSS_LISTMLE) /* draws its own orders: compared with the reference elsewhere */
        return;
    assert_ok(run_once(&result, at->ours32, &options, &at->made.at));
    compare_fast(at, result.loss, want, f0t_loss_name(loss));
}

static void check_batch_pairs(parity *at)
{
    const f0t_loss_options options = {F0T_LOSS_RANKNET, F0T_PAIRS_BATCH, 0};
    f0t_loss_result result;
    double want = read_loss(at, "ranknet-batch"), got;
    assert_ok(run_once(&result, at->ours32, &options, &at->made.at));
    compare_fast(at, result.loss, want, "ranknet-batch");
    assert_ok(f0t_loss_ref(&got, at->ours, at->scores, &options, &at->made.at));
    assert_near(got, want, 1e-12, "ranknet-batch by reference");
    for (size_t i = 0; i < at->made.at.images * at->made.at.tags; i++)
        assert_near(at->ours[i], at->gradient[i], 1e-12, "ranknet-batch by reference");
}

static void check_regression(parity *at)
{
    const f0t_regression regression = {
        at->made.at.images, at->made.at.tags, at->made.scores, at->targets, NULL, 0};
    f0t_loss_result result;
    double want = read_loss(at, "regression");
    assert_ok(f0t_regression_run(&result, at->ours32, &regression));
    compare_fast(at, result.loss, want, "regression");
}

static void losses_and_gradients_equal_those_of_autograd(void **state)
{
    parity at = {.file = fopen(test_source("parity/losses.txt"), "r")};
    size_t cases = 0;
    (void)state;
    assert_non_null(at.file);
    for (; read_case(&at); cases++) {
        for (int loss = 0; loss < F0T_LOSSES; loss++)
            check_image_loss(&at, (f0t_loss)loss);
        check_batch_pairs(&at);
        check_regression(&at);
        free_case(&at);
    }
    fclose(at.file);
    assert_int_equal(cases, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_and_gradients_equal_those_of_autograd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
