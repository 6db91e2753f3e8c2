/* The model that is served, and others in its place. */
#include "state.h"

served *server_model(server *s)
{
    pthread_mutex_lock(&s->model_lock);
    served *model = served_hold(s->model);
    pthread_mutex_unlock(&s->model_lock);
    return model;
}

static f0t_status reload(server *s)
{
    served *fresh;
    f0t_status status = served_open(&fresh, s->model_path, s->options, s->vectors, s->context);
    metrics_reload(&s->metrics, status != F0T_OK);
    if (status != F0T_OK) {
        server_log(s, F0T_LOG_WARNING, "the model stays as it was: %s", f0t_last_error());
        return status;
    }
    pthread_mutex_lock(&s->model_lock);
    served *old = s->model;
    s->model = fresh;
    pthread_mutex_unlock(&s->model_lock);
    served_release(old);
    server_log(s, F0T_LOG_INFO, "%s: loaded again", s->model_path);
    return F0T_OK;
}

f0t_status server_reload(server *s)
{
    pthread_mutex_lock(&s->reload_lock);
    f0t_status status = reload(s);
    pthread_mutex_unlock(&s->reload_lock);
    return status;
}

/* ---- The thread that reloads: loading takes seconds, and the one that hears of signals has other things to do ---------- */

void server_want_reload(server *s)
{
    pthread_mutex_lock(&s->want_lock);
    s->want_reload = true;
    pthread_cond_signal(&s->wanted);
    pthread_mutex_unlock(&s->want_lock);
}

void server_end_reloads(server *s)
{
    pthread_mutex_lock(&s->want_lock);
    s->no_reloads = true;
    pthread_cond_signal(&s->wanted);
    pthread_mutex_unlock(&s->want_lock);
}

/* Several wishes while one is at work are one. */
static bool wait_for_wish(server *s)
{
    pthread_mutex_lock(&s->want_lock);
    while (!s->want_reload && !s->no_reloads)
        pthread_cond_wait(&s->wanted, &s->want_lock);
    const bool wanted = !s->no_reloads;
    s->want_reload = false;
    pthread_mutex_unlock(&s->want_lock);
    return wanted;
}

void *server_reload_thread(void *user)
{
    while (wait_for_wish(user))
        (void)server_reload(user); /* what went wrong is logged */
    return NULL;
}
