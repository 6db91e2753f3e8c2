#include "support.h"

#include "queue.h"
#include "request.h"

#include <pthread.h>

enum { REQUESTS = 2000, TAKERS = 3 };

static void requests_come_in_order_up_to_a_weight(void **state)
{
    queue q;
    request r[4] = {{.weight = 2}, {.weight = 2}, {.weight = 9}, {.weight = 1}};
    (void)state;
    queue_init(&q, 3);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(queue_put(&q, &r[i]), i < 3);
    assert_int_equal(queue_length(&q), 3);
    assert_ptr_equal(queue_take(&q, 4, 0), &r[0]);
    assert_ptr_equal(r[0].next, &r[1]);
    assert_null(r[1].next);
    assert_true(queue_put(&q, &r[3]));
    assert_ptr_equal(queue_take(&q, 4, 0), &r[2]); /* heavier than the weight, but the first */
    assert_null(r[2].next);
    assert_ptr_equal(queue_take(&q, 4, 0.001), &r[3]);
    queue_end(&q);
    assert_null(queue_take(&q, 4, 0));
    assert_false(queue_put(&q, &r[0]));
    queue_destroy(&q);
}

static void *take_all(void *user)
{
    size_t count = 0;
    for (request *r; (r = queue_take(user, 16, 0.0001));)
        for (; r; r = r->next) {
            r->pictures++;
            count++;
        }
    return (void *)count;
}

static void every_request_is_taken_once(void **state)
{
    static request r[REQUESTS];
    pthread_t takers[TAKERS];
    queue q;
    size_t taken = 0;
    (void)state;
    queue_init(&q, REQUESTS);
    for (size_t i = 0; i < TAKERS; i++)
        assert_int_equal(pthread_create(&takers[i], NULL, take_all, &q), 0);
    for (size_t i = 0; i < REQUESTS; i++) {
        r[i].weight = 1 + i % 5;
        assert_true(queue_put(&q, &r[i]));
    }
    queue_end(&q);
    for (size_t i = 0; i < TAKERS; i++) {
        void *count;
        pthread_join(takers[i], &count);
        taken += (size_t)count;
    }
    assert_int_equal(taken, REQUESTS);
    for (size_t i = 0; i < REQUESTS; i++)
        assert_int_equal(r[i].pictures, 1);
    queue_destroy(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_come_in_order_up_to_a_weight),
        cmocka_unit_test(every_request_is_taken_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
