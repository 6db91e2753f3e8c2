#include "state.h"
#include "support.h"

#include <string.h>
#include <unistd.h>

/* A server of which only what reloads is there, and whose model file is not: each reload fails, and is logged. */
typedef struct fixture {
    server server;
    server_options options;
    f0t_monitor monitor;
    atomic_int logged;
} fixture;

static void count(void *user, f0t_log_level level, const char *line)
{
    fixture *f = user;
    if (level == F0T_LOG_WARNING && strstr(line, "the model stays as it was"))
        atomic_fetch_add(&f->logged, 1);
}

static void make(fixture *f)
{
    static char path[] = "/nowhere/model.f0t";
    memset(f, 0, sizeof *f);
    f->monitor = (f0t_monitor){.log = count, .user = f};
    f->options.monitor = &f->monitor;
    f->server.options = &f->options;
    f->server.model_path = path;
    pthread_mutex_init(&f->server.reload_lock, NULL);
    pthread_mutex_init(&f->server.model_lock, NULL);
    pthread_mutex_init(&f->server.log_lock, NULL);
    pthread_mutex_init(&f->server.want_lock, NULL);
    pthread_cond_init(&f->server.wanted, NULL);
    metrics_init(&f->server.metrics);
}

static void destroy(fixture *f)
{
    metrics_destroy(&f->server.metrics);
    pthread_mutex_destroy(&f->server.reload_lock);
    pthread_mutex_destroy(&f->server.model_lock);
    pthread_mutex_destroy(&f->server.log_lock);
    pthread_mutex_destroy(&f->server.want_lock);
    pthread_cond_destroy(&f->server.wanted);
}

static void wait_for(const fixture *f, int reloads)
{
    for (int i = 0; i < 2000 && atomic_load(&f->logged) < reloads; i++)
        usleep(5000);
    assert_true(atomic_load(&f->logged) >= reloads);
}

/* The test holds the lock of a loading that does not end. */
static void who_wishes_does_not_wait(void **state)
{
    (void)state;
    fixture f;
    pthread_t thread;
    make(&f);
    assert_int_equal(pthread_create(&thread, NULL, server_reload_thread, &f.server), 0);
    pthread_mutex_lock(&f.server.reload_lock);
    for (int i = 0; i < 100; i++)
        server_want_reload(&f.server);
    assert_int_equal(atomic_load(&f.logged), 0);
    pthread_mutex_unlock(&f.server.reload_lock);
    wait_for(&f, 1);
    server_end_reloads(&f.server);
    pthread_join(thread, NULL);
    assert_in_range(atomic_load(&f.logged), 1, 2); /* a hundred wishes are one, or one more */
    destroy(&f);
}

static void each_wish_after_a_loading_is_heard(void **state)
{
    (void)state;
    fixture f;
    pthread_t thread;
    make(&f);
    assert_int_equal(pthread_create(&thread, NULL, server_reload_thread, &f.server), 0);
    for (int i = 1; i <= 5; i++) {
        server_want_reload(&f.server);
        wait_for(&f, i);
    }
    server_end_reloads(&f.server);
    pthread_join(thread, NULL);
    assert_int_equal(atomic_load(&f.logged), 5);
    destroy(&f);
}

static void *reload_some(void *user)
{
    for (int i = 0; i < 20; i++)
        assert_int_not_equal(server_reload(user), F0T_OK);
    return NULL;
}

static void many_may_reload(void **state)
{
    (void)state;
    fixture f;
    pthread_t threads[4];
    make(&f);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, reload_some, &f.server), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&f.logged), 80);
    assert_true(f.server.metrics.failed_reloads == 80);
    destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_wishes_does_not_wait),
        cmocka_unit_test(each_wish_after_a_loading_is_heard),
        cmocka_unit_test(many_may_reload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
