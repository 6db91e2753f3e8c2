#include "eval/tune.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

/* A setting that was tried. */
typedef struct tried {
    size_t place[F0T_KNOBS_MAX];
    double score;
} tried;

typedef struct search {
    const f0t_knob *knobs;
    size_t count, most;
    f0t_trial trial;
    void *user;
    tried *list; /* [most] */
    size_t trials;
    tried best;
    bool downwards[F0T_KNOBS_MAX]; /* where each knob went last */
} search;

static void set_values(double *values, const f0t_knob *knobs, size_t count, const size_t *place)
{
    for (size_t i = 0; i < count; i++)
        values[i] = knobs[i].values[place[i]];
}

void f0t_choice_default(f0t_choice *out, const f0t_knob *knobs, size_t count)
{
    *out = (f0t_choice){.score = (double)NAN};
    for (size_t i = 0; i < count; i++)
        out->place[i] = knobs[i].first;
    set_values(out->values, knobs, count, out->place);
}

/* Known settings cost nothing. *score is NaN when there are no trials left. */
static f0t_status try_place(double *score, search *s, const size_t *place)
{
    double values[F0T_KNOBS_MAX];
    *score = (double)NAN;
    for (size_t i = 0; i < s->trials; i++)
        if (!memcmp(s->list[i].place, place, s->count * sizeof *place)) {
            *score = s->list[i].score;
            return F0T_OK;
        }
    if (s->trials == s->most)
        return F0T_OK;
    set_values(values, s->knobs, s->count, place);
    F0T_TRY(s->trial(score, s->user, values));
    tried *t = &s->list[s->trials++];
    memcpy(t->place, place, s->count * sizeof *place);
    t->score = *score;
    return F0T_OK;
}

/* One place up or down, kept when it is better. */
static f0t_status step(bool *moved, search *s, size_t knob, bool down)
{
    tried next = s->best;
    size_t limit = down ? 0 : s->knobs[knob].count - 1;
    *moved = false;
    if (next.place[knob] == limit)
        return F0T_OK;
    next.place[knob] += down ? (size_t)-1 : 1;
    F0T_TRY(try_place(&next.score, s, next.place));
    *moved = next.score > s->best.score || (isnan(s->best.score) && !isnan(next.score));
    if (*moved) {
        s->best = next;
        s->downwards[knob] = down;
    }
    return F0T_OK;
}

static f0t_status round_of_steps(bool *changed, search *s)
{
    *changed = false;
    for (size_t k = 0; k < s->count; k++) {
        bool moved, down = s->downwards[k];
        F0T_TRY(step(&moved, s, k, down));
        if (!moved)
            F0T_TRY(step(&moved, s, k, !down));
        *changed = *changed || moved;
    }
    return F0T_OK;
}

static f0t_status run(search *s)
{
    bool changed = true;
    for (size_t k = 0; k < s->count; k++)
        s->best.place[k] = s->knobs[k].first;
    F0T_TRY(try_place(&s->best.score, s, s->best.place));
    while (changed && s->trials < s->most)
        F0T_TRY(round_of_steps(&changed, s));
    return F0T_OK;
}

f0t_status f0t_choose(f0t_choice *out, const f0t_knob *knobs, size_t count, size_t most,
                      f0t_trial trial, void *user)
{
    search s = {.knobs = knobs, .count = count, .most = most, .trial = trial, .user = user};
    f0t_choice_default(out, knobs, count);
    F0T_TRY(f0t_alloc_zero(&s.list, most, sizeof *s.list));
    f0t_status status = run(&s);
    f0t_free(s.list);
    if (status != F0T_OK)
        return status;
    memcpy(out->place, s.best.place, sizeof out->place);
    set_values(out->values, knobs, count, out->place);
    out->trials = s.trials;
    out->score = s.best.score;
    return F0T_OK;
}
