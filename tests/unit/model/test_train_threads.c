/* Two trainings side by side, in contexts with different numbers of threads: each gives what it gives alone. */
#include "collection.h"

#include "model/model.h"

#include <pthread.h>

/* A caller: its context and options, and the model that it gets when nobody else works. */
typedef struct caller {
    f0t_context *context;
    f0t_train_options options;
    const collection *collection;
    f0t_model *alone, *model;
    f0t_status status;
} caller;

static f0t_status train_one(f0t_model **model, const caller *c)
{
    f0t_dataset *dataset = NULL;
    f0t_vectors *vectors = NULL;
    *model = NULL;
    f0t_status status = f0t_dataset_open(&dataset, c->collection->path, NULL, c->context);
    if (status == F0T_OK)
        status = f0t_vectors_open(&vectors, c->collection->vectors, NULL, c->context);
    if (status == F0T_OK)
        status = f0t_train(model, dataset, vectors, &c->options, c->context);
    f0t_vectors_close(vectors);
    f0t_dataset_close(dataset);
    return status;
}

static void *train(void *user)
{
    caller *c = user;
    c->status = train_one(&c->model, c);
    return NULL;
}

static void assert_same(const f0t_net *a, const f0t_net *b)
{
    for (size_t i = 0; i < f0t_net_array_count(a); i++) {
        const f0t_model_array array = f0t_net_array(a, i);
        const size_t n = array.rows * array.cols;
        float *x = NULL, *y = NULL;
        assert_ok(f0t_alloc(&x, n, sizeof *x));
        assert_ok(f0t_alloc(&y, n, sizeof *y));
        assert_ok(f0t_net_array_get(x, a, i));
        assert_ok(f0t_net_array_get(y, b, i));
        assert_memory_equal(x, y, n * sizeof *x);
        f0t_free(x);
        f0t_free(y);
    }
}

static caller prepare(const collection *c, int threads, f0t_method method)
{
    caller made = {.collection = c, .options = collection_training(method)};
    f0t_context_options options = F0T_CONTEXT_OPTIONS;
    options.threads = threads;
    made.options.epochs = method == F0T_METHOD_LINEAR ? made.options.epochs : 3;
    assert_ok(f0t_context_create(&made.context, &options));
    assert_ok(train_one(&made.alone, &made));
    return made;
}

static void side_by_side(f0t_method one, f0t_method other)
{
    const collection c = collection_create(&(collection_options){.name = "both"});
    caller callers[] = {prepare(&c, 1, one), prepare(&c, 3, other)};
    pthread_t threads[2];
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, train, &callers[i]), 0);
    for (size_t i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(callers[i].status, F0T_OK);
        assert_same(callers[i].alone->net, callers[i].model->net);
        f0t_model_free(callers[i].alone);
        f0t_model_free(callers[i].model);
        f0t_context_free(callers[i].context);
    }
}

static void two_networks_are_trained_side_by_side(void **state)
{
    (void)state;
    side_by_side(F0T_METHOD_NET, F0T_METHOD_NET);
}

static void a_linear_map_is_trained_beside_a_network(void **state)
{
    (void)state;
    side_by_side(F0T_METHOD_LINEAR, F0T_METHOD_NET);
    side_by_side(F0T_METHOD_LINEAR_RANK, F0T_METHOD_LINEAR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_networks_are_trained_side_by_side),
        cmocka_unit_test(a_linear_map_is_trained_beside_a_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
