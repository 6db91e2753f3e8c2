#include "collection.h"

#include "base/cpu.h"
#include "base/fault.h"
#include "model/options.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* The bytes of the model file; free with f0t_free. */
static char *saved_bytes(const f0t_model *model, const char *name, size_t *size)
{
    const char *path = test_path(name);
    assert_ok(f0t_model_save(model, path));
    return test_read(path, size);
}

static void assert_same_model(const f0t_model *a, const f0t_model *b)
{
    size_t n, m;
    char *x = saved_bytes(a, "a.f0t", &n), *y = saved_bytes(b, "b.f0t", &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    f0t_free(x);
    f0t_free(y);
}

/* Share of test images whose first tag, of all tags or of the unseen, is right. */
static double first_is_right(const f0t_model *model, const collection *c, bool unseen)
{
    f0t_dataset *dataset;
    f0t_vectors *vectors;
    f0t_vocab *vocab;
    const char *words[] = {"tag9", "tag10", "tag11"};
    f0t_vocab_options options = {.size = sizeof(f0t_vocab_options), .centred = true};
    size_t right = 0, all = 0;
    assert_ok(f0t_dataset_open(&dataset, c->path, NULL, NULL));
    assert_ok(f0t_vectors_open(&vectors, c->vectors, NULL, NULL));
    assert_ok(f0t_vocab_create(&vocab, words, 3, vectors, &options, NULL));
    assert_ok(f0t_model_check_vocab(model, vocab));
    const f0t_vocab *ranked = unseen ? vocab : f0t_model_vocab(model);
    for (size_t m = 0; m < C_IMAGES; m++) {
        float x[C_FEATURES], w[C_DIM];
        uint32_t index;
        size_t count, t;
        bool possible = false, hit = false;
        if (f0t_dataset_split(dataset)[m] != F0T_TEST)
            continue;
        assert_ok(f0t_dataset_read_features(x, dataset, m, 1));
        assert_ok(f0t_model_directions(w, model, x, 1, NULL));
        assert_ok(f0t_vocab_rank(&index, NULL, 1, ranked, w, 1, NULL));
        assert_true(f0t_dataset_find_tag(&t, dataset, f0t_vocab_tag(ranked, index)));
        const uint32_t *tags = f0t_dataset_image_tags(&count, dataset, m);
        for (size_t i = 0; i < count; i++) {
            possible = possible || (tags[i] >= C_SEEN) == unseen;
            hit = hit || tags[i] == t;
        }
        all += possible;
        right += possible && hit;
    }
    f0t_vocab_free(vocab);
    f0t_vectors_close(vectors);
    f0t_dataset_close(dataset);
    return (double)right / (double)all;
}

static void learns(f0t_method method)
{
    collection c = collection_create(&(collection_options){.name = "plain"});
    f0t_train_options o = collection_training(method);
    f0t_model *model;
    assert_ok(collection_train(&model, &c, &o, NULL));
    assert_int_equal(f0t_model_method(model), method);
    assert_int_equal(f0t_vocab_count(f0t_model_vocab(model)), C_SEEN);
    assert_true(first_is_right(model, &c, false) > 0.85); /* by chance 0.3 */
    if (method == F0T_METHOD_LINEAR)                      /* by chance 0.45; nine tags say little */
        assert_true(first_is_right(model, &c, true) > 0.6);
    f0t_model_free(model);
}

static void the_net_learns(void **state)
{
    (void)state;
    learns(F0T_METHOD_NET);
}

static void the_linear_map_learns_seen_and_unseen_tags(void **state)
{
    (void)state;
    learns(F0T_METHOD_LINEAR);
}

static void the_linear_map_by_loss_learns(void **state)
{
    (void)state;
    learns(F0T_METHOD_LINEAR_RANK);
}

/* Every loss lowers itself. */
typedef struct losses {
    double first, last;
} losses;

static void note_loss(void *user, const f0t_epoch *epoch)
{
    losses *l = user;
    if (epoch->number == 1)
        l->first = epoch->loss;
    l->last = epoch->loss;
}

static void every_loss_pair_and_target_trains(void **state)
{
    collection c = collection_create(&(collection_options){.name = "plain"});
    (void)state;
    for (int variant = 0; variant < F0T_LOSSES + 2; variant++) {
        f0t_train_options o = collection_training(F0T_METHOD_NET);
        f0t_model *model;
        losses l = {0};
        o.epoch = note_loss;
        o.epoch_user = &l;
        o.patience = o.epochs;
        o.loss = variant < F0T_LOSSES ? (f0t_loss)variant : F0T_LOSS_RANKNET;
        o.pairs = variant == F0T_LOSSES ? F0T_PAIRS_BATCH : F0T_PAIRS_IMAGE;
        o.to_ranksvm = variant == F0T_LOSSES + 1;
        o.hidden_rate = 1; /* few random units would not do */
        assert_ok(collection_train(&model, &c, &o, NULL));
        if (!(l.last < 0.9 * l.first))
            print_error("variant %d: loss from %g to %g\n", variant, l.first, l.last);
        assert_true(l.last < 0.9 * l.first);
        f0t_model_free(model);
    }
}

static void note_total(void *user, const f0t_progress *progress)
{
    if (!strcmp(progress->stage, "training"))
        *(uint64_t *)user = progress->total;
}

/* Images of an epoch, of those of the part. */
static void logistic_trains_with_images_that_have_no_tag(void **state)
{
    collection c = collection_create(&(collection_options){.name = "plain"});
    uint64_t images[2] = {0, 0};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const f0t_monitor monitor = {.user = &images[i], .progress = note_total};
        f0t_train_options o = collection_training(F0T_METHOD_LINEAR_RANK);
        f0t_model *model;
        o.loss = i ? F0T_LOSS_LOGISTIC : F0T_LOSS_HINGE;
        o.epochs = 1;
        assert_ok(collection_train(&model, &c, &o, &monitor));
        f0t_model_free(model);
    }
    assert_true(images[0] > 0 && images[0] < images[1]);
    assert_int_equal(images[1], C_IMAGES / 5 * 3);
}

static void the_same_seed_gives_the_same_bytes(void **state)
{
    collection c = collection_create(&(collection_options){.name = "plain"});
    (void)state;
    for (int method = F0T_METHOD_NET; method <= F0T_METHOD_LINEAR_RANK; method++) {
        f0t_train_options o = collection_training((f0t_method)method);
        f0t_model *a, *b;
        if (method != F0T_METHOD_LINEAR)
            o.epochs = 4;
        assert_ok(collection_train(&a, &c, &o, NULL));
        assert_ok(collection_train(&b, &c, &o, NULL));
        assert_same_model(a, b);
        f0t_model_free(b);
        if (method != F0T_METHOD_LINEAR) {
            size_t n, m;
            o.seed = 1;
            assert_ok(collection_train(&b, &c, &o, NULL));
            char *x = saved_bytes(a, "a.f0t", &n), *y = saved_bytes(b, "b.f0t", &m);
            assert_true(n != m || memcmp(x, y, n) != 0);
            f0t_free(x);
            f0t_free(y);
            f0t_model_free(b);
        }
        f0t_model_free(a);
    }
}

/* On older CPUs oneDNN sums in another order with other numbers of threads. */
static void the_linear_map_is_the_same_for_any_number_of_threads(void **state)
{
    collection c = collection_create(&(collection_options){.name = "wide", .features = 40});
    f0t_train_options o = collection_training(F0T_METHOD_LINEAR);
    f0t_model *one, *many;
    (void)state;
    if (f0t_cpu_level() < F0T_CPU_WIDEST)
        test_skip("no AVX-512 here: oneDNN sums in another order");
    test_threads(1);
    assert_ok(collection_train(&one, &c, &o, NULL));
    for (int threads = 2; threads <= 5; threads++) {
        test_threads(threads);
        assert_ok(collection_train(&many, &c, &o, NULL));
        assert_same_model(one, many);
        f0t_model_free(many);
    }
    test_threads(0);
    f0t_model_free(one);
}

static void annotations_of_unseen_tags_have_no_influence(void **state)
{
    collection c = collection_create(&(collection_options){.name = "plain"});
    collection moved =
        collection_create(&(collection_options){.name = "moved", .shuffle_unseen = true});
    (void)state;
    for (int method = F0T_METHOD_NET; method <= F0T_METHOD_LINEAR_RANK; method++) {
        f0t_train_options o = collection_training((f0t_method)method);
        f0t_model *a, *b;
        if (method != F0T_METHOD_LINEAR)
            o.epochs = 4;
        assert_ok(collection_train(&a, &c, &o, NULL));
        assert_ok(collection_train(&b, &moved, &o, NULL));
        assert_same_model(a, b);
        f0t_model_free(a);
        f0t_model_free(b);
    }
}

/* ---- Interruption -------------------------------------------------------------------------- */

typedef struct stopper {
    volatile sig_atomic_t flag;
    size_t at;
} stopper;

static void stop_at(void *user, const f0t_epoch *epoch)
{
    stopper *s = user;
    if (epoch->number == s->at)
        s->flag = 1;
}

static void a_resumed_training_equals_an_uninterrupted_one(void **state)
{
    collection c = collection_create(&(collection_options){.name = "plain"});
    f0t_train_options o = collection_training(F0T_METHOD_NET);
    f0t_model *whole, *parts;
    (void)state;
    o.epochs = 8;
    assert_ok(collection_train(&whole, &c, &o, NULL));
    o.checkpoint = test_path("checkpoint");
    o.resume = true;
    for (size_t at = 1; at < 8; at += 3) {
        stopper s = {.at = at};
        f0t_monitor monitor = {.stop = &s.flag};
        o.epoch = stop_at;
        o.epoch_user = &s;
        assert_fails(F0T_ERROR_INTERRUPTED, "with resume",
                     collection_train(&parts, &c, &o, &monitor));
        assert_null(parts);
    }
    o.epoch = NULL;
    assert_ok(collection_train(&parts, &c, &o, NULL));
    assert_same_model(whole, parts);
    f0t_model_free(whole);
    f0t_model_free(parts);
    unlink(o.checkpoint);
}

/* Goes on from a checkpoint with one text of its header replaced by another of the same length. */
static void checkpoint_fails(const char *text, const char *from, const char *to,
                             const collection *c, const f0t_train_options *o)
{
    size_t size;
    char *data = test_read(o->checkpoint, &size), *at = memmem(data, size, from, strlen(from));
    f0t_model *model;
    assert_non_null(at);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(at, to, strlen(to));
    test_file("checkpoint", data, size);
    assert_fails(F0T_ERROR_FORMAT, text, collection_train(&model, c, o, NULL));
    memcpy(at, from, strlen(from));
    test_file("checkpoint", data, size);
    f0t_free(data);
}

/* The last bit of a weight, which nothing but the checksum tells from another. */
static void alter_end(const char *path)
{
    size_t size;
    char *data = test_read(path, &size);
    data[size - 4] ^= 1;
    test_file("checkpoint", data, size);
    f0t_free(data);
}

static void a_checkpoint_of_another_training_is_refused(void **state)
{
    collection c = collection_create(&(collection_options){.name = "plain"});
    f0t_train_options o = collection_training(F0T_METHOD_NET);
    stopper s = {.at = 1};
    f0t_monitor monitor = {.stop = &s.flag};
    f0t_model *model;
    (void)state;
    o.checkpoint = test_path("checkpoint");
    o.resume = true;
    o.epoch = stop_at;
    o.epoch_user = &s;
    assert_fails(F0T_ERROR_INTERRUPTED, "", collection_train(&model, &c, &o, &monitor));
    o.rate *= 2;
    assert_fails(
        F0T_ERROR_MISMATCH,
        "is the checkpoint of another training (other data or options); remove it to start anew",
        collection_train(&model, &c, &o, NULL));
    o.rate /= 2;
    checkpoint_fails("the metadata has no number 'loss'", "\"loss\":", "\"lost\":", &c, &o);
    checkpoint_fails("'batch' of the metadata is no count", "\"batch\":\"0x0p+0\"",
                     "\"batch\":\"0x1p-1\"", &c, &o);
    checkpoint_fails("'best.layer0.bias' is missing or not 1 x 24 float32", "best.layer0.bias",
                     "best.layer0.bits", &c, &o);
    checkpoint_fails("no training comes to that place", "\"best_epoch\":\"0x1p+0\"",
                     "\"best_epoch\":\"0x1p+9\"", &c, &o);
    checkpoint_fails("no epoch of this training has 512 mini-batches", "\"batch\":\"0x0p+0\"",
                     "\"batch\":\"0x1p+9\"", &c, &o);
    alter_end(o.checkpoint);
    assert_fails(F0T_ERROR_FORMAT, "the checksum does not match: the file was altered",
                 collection_train(&model, &c, &o, NULL));
    test_text("checkpoint", "no checkpoint");
    assert_fails(F0T_ERROR_FORMAT, "is no checkpoint, and in the way of one; move it away",
                 collection_train(&model, &c, &o, NULL));
    unlink(o.checkpoint);
}

/* ---- Bad input ----------------------------------------------------------------------------- */

static void fails_with(f0t_status status, const char *text, const collection_options *options)
{
    collection c = collection_create(options);
    for (int method = F0T_METHOD_NET; method <= F0T_METHOD_LINEAR_RANK; method++) {
        f0t_train_options o = collection_training((f0t_method)method);
        f0t_model *model;
        assert_fails(status, text, collection_train(&model, &c, &o, NULL));
        assert_null(model);
    }
}

static void a_collection_without_tags_is_refused(void **state)
{
    (void)state;
    fails_with(F0T_ERROR_FORMAT, "has both a tag to learn",
               &(collection_options){.name = "untagged", .untagged = true});
}

static void a_map_or_a_tag_that_cannot_be_learned_is_told(void **state)
{
    collection c = collection_create(&(collection_options){.name = "alike", .alike = true});
    f0t_train_options o = collection_training(F0T_METHOD_LINEAR);
    const uint32_t beyond[] = {0, 1, 99};
    f0t_model *model;
    (void)state;
    o.ridge = 0;
    assert_fails(F0T_ERROR_NUMERIC, "with a ridge of 0 the least squares have no solution",
                 collection_train(&model, &c, &o, NULL));
    o.tags = beyond;
    o.tag_count = 3;
    assert_fails(F0T_ERROR_ARGUMENT, "tag 99 to train with: the dataset has 12",
                 collection_train(&model, &c, &o, NULL));
}

static void a_collection_without_features_is_refused(void **state)
{
    (void)state;
    fails_with(F0T_ERROR_FORMAT, "has no features",
               &(collection_options){.name = "bare", .no_features = true});
}

static void one_feature_and_no_validation_part_train(void **state)
{
    (void)state;
    const collection_options cases[] = {{.name = "narrow", .features = 1},
                                        {.name = "unvalidated", .no_validation = true}};
    for (size_t i = 0; i < 2; i++) {
        collection c = collection_create(&cases[i]);
        for (int method = F0T_METHOD_NET; method <= F0T_METHOD_LINEAR_RANK; method++) {
            f0t_train_options o = collection_training((f0t_method)method);
            f0t_model *model;
            if (method != F0T_METHOD_LINEAR)
                o.epochs = 3;
            assert_ok(collection_train(&model, &c, &o, NULL));
            f0t_model_free(model);
        }
    }
}

static void tags_without_vectors_are_left_out(void **state)
{
    collection c = collection_create(&(collection_options){.name = "plain"});
    f0t_train_options o = collection_training(F0T_METHOD_LINEAR);
    f0t_model *model;
    (void)state;
    c.vectors = test_text("few.txt", "tag0 1 0 0\ntag1 0 1 0\ntag2 0 0 1\nother 1 1 1\n");
    assert_ok(collection_train(&model, &c, &o, NULL));
    assert_int_equal(f0t_vocab_count(f0t_model_vocab(model)), 3);
    f0t_model_free(model);
    c.vectors = test_text("one.txt", "tag0 1 0 0\nother 1 1 1\n");
    assert_fails(F0T_ERROR_FORMAT, "1 of its 9 tags have a vector; a ranking needs two at least",
                 collection_train(&model, &c, &o, NULL));
}

static void nan_in_the_features_is_named(void **state)
{
    collection c = collection_create(&(collection_options){.name = "spoilt"});
    char path[512];
    const float bad = NAN;
    (void)state;
    snprintf(path, sizeof path, "%s/features.npy", c.path);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, -5L * C_FEATURES * (long)sizeof bad,
          SEEK_END); /* the fifth last image is of the train part */
    assert_int_equal(fwrite(&bad, sizeof bad, 1, file), 1);
    fclose(file);
    for (int method = F0T_METHOD_NET; method <= F0T_METHOD_LINEAR_RANK; method++) {
        f0t_train_options o = collection_training((f0t_method)method);
        f0t_model *model;
        o.all_tags = true;
        assert_fails(F0T_ERROR_NUMERIC, "row 59", collection_train(&model, &c, &o, NULL));
    }
}

/* Few features, many dimensions: no layer may hold directions in a smaller space than words have. */
static void layers_are_no_bottleneck(void **state)
{
    collection c = collection_create(&(collection_options){.name = "narrow", .features = 4});
    f0t_train_options o;
    f0t_model *model;
    char want[64];
    (void)state;
    o = (f0t_train_options)F0T_TRAIN_OPTIONS;
    o.epochs = 1;
    assert_ok(collection_train(&model, &c, &o, NULL));
    snprintf(want, sizeof want, "\"hidden\": [%d, %d]", C_DIM, C_DIM);
    if (!strstr(f0t_model_training(model), want))
        fail_msg("%s in place of %s", f0t_model_training(model), want);
    f0t_model_free(model);
}

static void wrong_options_are_refused(void **state)
{
    f0t_train_options o = F0T_TRAIN_OPTIONS;
    (void)state;
    assert_ok(f0t_train_options_check(&o));
    o.hidden_count = 9;
    assert_fails(F0T_ERROR_ARGUMENT, "9 hidden layers are too many: at most 8",
                 f0t_train_options_check(&o));
    o = (f0t_train_options)F0T_TRAIN_OPTIONS;
    o.hidden_count = 1;
    assert_fails(F0T_ERROR_ARGUMENT, "hidden layer 1 has no units", f0t_train_options_check(&o));
    o = (f0t_train_options)F0T_TRAIN_OPTIONS;
    o.input_dropout = 1;
    assert_fails(F0T_ERROR_ARGUMENT, "the input dropout is 1: it must be at least 0 and below 1",
                 f0t_train_options_check(&o));
    o = (f0t_train_options)F0T_TRAIN_OPTIONS;
    o.rate = (double)NAN;
    assert_fails(F0T_ERROR_ARGUMENT,
                 "the learning rate is nan: it must be above 0 and at most 1000",
                 f0t_train_options_check(&o));
    o = (f0t_train_options)F0T_TRAIN_OPTIONS;
    o.pairs = F0T_PAIRS_BATCH;
    o.loss = F0T_LOSS_HINGE;
    assert_fails(F0T_ERROR_ARGUMENT, "pairs across a mini-batch go with the loss ranknet",
                 f0t_train_options_check(&o));
    o = (f0t_train_options)F0T_TRAIN_OPTIONS;
    o.loss = (f0t_loss)99;
    assert_fails(F0T_ERROR_ARGUMENT, "there is no loss 99", f0t_train_options_check(&o));
    o = (f0t_train_options)F0T_TRAIN_OPTIONS;
    o.optimizer = (f0t_optimizer_kind)9;
    assert_fails(F0T_ERROR_ARGUMENT, "there is no optimizer 9", f0t_train_options_check(&o));
    o = (f0t_train_options)F0T_TRAIN_OPTIONS;
    o.tag_count = 3;
    assert_fails(F0T_ERROR_ARGUMENT, "3 tags to train on, but no list of them",
                 f0t_train_options_check(&o));
    o = (f0t_train_options)F0T_TRAIN_OPTIONS;
    o.method = (f0t_method)17;
    assert_fails(F0T_ERROR_ARGUMENT, "there is no method 17", f0t_train_options_check(&o));
    assert_fails(F0T_ERROR_ARGUMENT, "is NULL", f0t_train_options_check(NULL));
}

/* What is set is used or refused: nothing is taken for "choose it yourself" but F0T_AUTO. */
static void numbers_out_of_range_are_refused(void **state)
{
    static const struct {
        size_t offset;
        bool linear, zero; /* an option of linear; 0 is a value */
        const char *name;
    } reals[] = {{offsetof(f0t_train_options, rate), false, false, "learning rate"},
                 {offsetof(f0t_train_options, decay), false, true, "weight decay"},
                 {offsetof(f0t_train_options, input_dropout), false, true, "input dropout"},
                 {offsetof(f0t_train_options, hidden_dropout), false, true, "hidden units"},
                 {offsetof(f0t_train_options, init), false, true, "output layer"},
                 {offsetof(f0t_train_options, hidden_rate), false, true, "rate of hidden layers"},
                 {offsetof(f0t_train_options, lambda), true, false, "lambda"},
                 {offsetof(f0t_train_options, ridge), true, true, "ridge"}};
    const double bad[] = {-1, -1e-9, (double)NAN, (double)INFINITY, -(double)INFINITY, 1e300};
    (void)state;
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        f0t_train_options o = F0T_TRAIN_OPTIONS;
        o.method = reals[i].linear ? F0T_METHOD_LINEAR : F0T_METHOD_NET;
        double *value = (double *)(void *)((char *)&o + reals[i].offset);
        assert_true(*value == F0T_AUTO);
        for (size_t j = 0; j < sizeof bad / sizeof *bad; j++) {
            *value = bad[j];
            assert_fails(F0T_ERROR_ARGUMENT, reals[i].name, f0t_train_options_check(&o));
        }
        *value = 0;
        if (reals[i].zero)
            assert_ok(f0t_train_options_check(&o));
        else
            assert_fails(F0T_ERROR_ARGUMENT, reals[i].name, f0t_train_options_check(&o));
        *value = 0.5;
        assert_ok(f0t_train_options_check(&o));
    }
}

/* A loss of the one worst tag leaves the hidden layers as they begin, unless asked otherwise. */
static void what_is_chosen_depends_on_the_loss(void **state)
{
    (void)state;
    for (int loss = 0; loss < F0T_LOSSES; loss++) {
        f0t_train_options o = F0T_TRAIN_OPTIONS;
        o.loss = (f0t_loss)loss;
        f0t_train_options_resolve(&o, 6000, 1280, 300);
        bool one = loss == F0T_LOSS_CRAMMER_SINGER || loss == F0T_LOSS_MAX_OUT;
        assert_true(o.hidden_rate == (one ? 0 : 1) && o.init == 0.1 && o.rate == 1e-3);
        o = (f0t_train_options)F0T_TRAIN_OPTIONS;
        o.loss = (f0t_loss)loss;
        o.hidden_rate = 0.5;
        o.init = 2;
        f0t_train_options_resolve(&o, 6000, 1280, 300);
        assert_true(o.hidden_rate == 0.5 && o.init == 2);
    }
}

static void counts_of_zero_are_refused(void **state)
{
    static const size_t counts[] = {offsetof(f0t_train_options, batch),
                                    offsetof(f0t_train_options, epochs),
                                    offsetof(f0t_train_options, patience)};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        f0t_train_options o = F0T_TRAIN_OPTIONS;
        *(size_t *)(void *)((char *)&o + counts[i]) = 0;
        assert_fails(F0T_ERROR_ARGUMENT, " is 0: it must be at least 1",
                     f0t_train_options_check(&o));
    }
}

static void options_of_another_method_are_refused(void **state)
{
    f0t_train_options o = F0T_TRAIN_OPTIONS;
    (void)state;
    o.method = F0T_METHOD_LINEAR;
    o.to_ranksvm = true;
    assert_fails(F0T_ERROR_ARGUMENT,
                 "the method linear does not use 'target': it belongs to net and linear-rank",
                 f0t_train_options_check(&o));
    o.to_ranksvm = false;
    o.hidden_dropout = 0.3;
    assert_fails(F0T_ERROR_ARGUMENT, "'dropout': it belongs to net", f0t_train_options_check(&o));
    o.method = F0T_METHOD_LINEAR_RANK;
    assert_fails(F0T_ERROR_ARGUMENT, "'dropout': it belongs to net", f0t_train_options_check(&o));
    o.hidden_dropout = F0T_AUTO;
    o.lambda = 1;
    assert_fails(F0T_ERROR_ARGUMENT, "linear, and to the target", f0t_train_options_check(&o));
    o.to_ranksvm = true;
    assert_ok(f0t_train_options_check(&o));
    o.loss = F0T_LOSS_HINGE;
    assert_fails(F0T_ERROR_ARGUMENT,
                 "the target ranksvm does not use 'loss': it has directions to regress onto, no "
                 "ranking loss",
                 f0t_train_options_check(&o));
    assert_fails(F0T_ERROR_ARGUMENT, "linear", f0t_train_options_check_use(&o, "ridge"));
    assert_ok(f0t_train_options_check_use(&o, "rate"));
    assert_ok(f0t_train_options_check_use(&o, "output"));
}

static void a_blend_keeps_an_expert(void **state)
{
    f0t_train_options o = F0T_TRAIN_OPTIONS;
    (void)state;
    o.method = F0T_METHOD_BLEND;
    o.without = 1U << F0T_EXPERTS;
    assert_fails(F0T_ERROR_ARGUMENT, "there is no expert of the bits 0x80 to switch off",
                 f0t_train_options_check(&o));
    o.without = (2U << F0T_EXPERT_FREQUENCY) - 1;
    assert_fails(
        F0T_ERROR_ARGUMENT,
        "no expert is left for learned tags: keep direction, tags, votes, ridge or frequency",
        f0t_train_options_check(&o));
    o.without &= ~(1U << F0T_EXPERT_RIDGE);
    assert_ok(f0t_train_options_check(&o));
    o.checkpoint = "c";
    o.resume = true;
    assert_ok(f0t_train_options_check(&o));
    assert_fails(F0T_ERROR_ARGUMENT, "net, linear and linear-rank",
                 f0t_train_options_check_use(&o, "tune"));
    o.method = F0T_METHOD_NET;
    o.without = 0;
    assert_ok(f0t_train_options_check(&o));
}

/* ---- No memory ----------------------------------------------------------------------------- */

static f0t_status train_briefly(void *context)
{
    collection *c = context;
    f0t_model *model;
    f0t_train_options o = collection_training(F0T_METHOD_NET);
    o.epochs = 1;
    f0t_status status = collection_train(&model, c, &o, NULL);
    if (status == F0T_OK)
        status = f0t_model_save(model, test_path("faulty.f0t"));
    f0t_model_free(model);
    return status;
}

static f0t_status fit_briefly(void *context)
{
    f0t_model *model;
    f0t_train_options o = collection_training(F0T_METHOD_LINEAR);
    f0t_status status = collection_train(&model, context, &o, NULL);
    f0t_model_free(model);
    return status;
}

static void every_allocation_of_a_training_may_fail(void **state)
{
    collection c = collection_create(&(collection_options){.name = "plain"});
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, train_briefly, &c);
    test_each_fault(F0T_FAULT_ALLOC, fit_briefly, &c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_net_learns),
        cmocka_unit_test(the_linear_map_learns_seen_and_unseen_tags),
        cmocka_unit_test(the_linear_map_by_loss_learns),
        cmocka_unit_test(every_loss_pair_and_target_trains),
        cmocka_unit_test(logistic_trains_with_images_that_have_no_tag),
        cmocka_unit_test(the_same_seed_gives_the_same_bytes),
        cmocka_unit_test(the_linear_map_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(annotations_of_unseen_tags_have_no_influence),
        cmocka_unit_test(a_resumed_training_equals_an_uninterrupted_one),
        cmocka_unit_test(a_checkpoint_of_another_training_is_refused),
        cmocka_unit_test(a_collection_without_tags_is_refused),
        cmocka_unit_test(a_map_or_a_tag_that_cannot_be_learned_is_told),
        cmocka_unit_test(a_collection_without_features_is_refused),
        cmocka_unit_test(one_feature_and_no_validation_part_train),
        cmocka_unit_test(tags_without_vectors_are_left_out),
        cmocka_unit_test(nan_in_the_features_is_named),
        cmocka_unit_test(layers_are_no_bottleneck),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(what_is_chosen_depends_on_the_loss),
        cmocka_unit_test(counts_of_zero_are_refused),
        cmocka_unit_test(options_of_another_method_are_refused),
        cmocka_unit_test(a_blend_keeps_an_expert),
        cmocka_unit_test(every_allocation_of_a_training_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
