#include "model/tune.h"

#include "base/alloc.h"
#include "base/random.h"
#include "io/file.h"
#include "io/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Over a grid --------------------------------------------------------------------------- */

/* The search is walked again from its start, along the scores that are known: where one is missing is the
 * next trial. */
typedef struct walk {
    const f0t_tune_search *search;
    size_t place[F0T_KNOBS_MAX];   /* the best so far */
    size_t at;                     /* its trial */
    bool downwards[F0T_KNOBS_MAX]; /* where each knob went last */
    double *next;                  /* a setting whose score is missing */
} walk;

static bool is_better(double score, double than)
{
    return score > than || (isnan(than) && !isnan(score));
}

/* Differences over the folds that both could judge: their mean, and its standard error. */
static size_t compare_parts(double *mean, double *error, const f0t_tune_trial *a,
                            const f0t_tune_trial *b)
{
    double sum = 0, squares = 0;
    size_t count = 0;
    for (size_t i = 0; i < a->part_count && i < b->part_count; i++) {
        const double difference = a->parts[i] - b->parts[i];
        sum += isnan(difference) ? 0 : difference;
        squares += isnan(difference) ? 0 : difference * difference;
        count += isnan(difference) ? 0 : 1;
    }
    const double n = (double)count;
    *mean = count ? sum / n : 0;
    *error = count > 1 ? sqrt(fmax(squares - sum * *mean, 0) / (n - 1) / n) : 0;
    return count;
}

static bool beats(const f0t_tune_trial *trial, const f0t_tune_trial *than)
{
    double mean, error;
    if (!trial->part_count || !than->part_count)
        return is_better(trial->score, than->score);
    if (trial->part_count < than->part_count || !compare_parts(&mean, &error, trial, than))
        return false;
    return mean > error;
}

/* The chance that t is exceeded under Student's distribution of 1 to 4 degrees of freedom. */
static double student_tail(double t, size_t freedom)
{
    const double n = (double)freedom, u = t / sqrt(n), w = 1 + u * u;
    switch (freedom) {
    case 1:
        return 0.5 - atan(u) / M_PI;
    case 2:
        return 0.5 - u / sqrt(w) / 2;
    case 3:
        return 0.5 - (u / w + atan(u)) / M_PI;
    default:
        return 0.5 - u / sqrt(w) * (1 + 0.5 / w) / 2;
    }
}

/* By a paired t-test over the folds, one-sided at 5 %, which all settings that were tried beside the first share: the best of
 * them was chosen (Bonferroni). Where one of the two has no folds, or cannot be used, as any other step. */
static bool beats_surely(const f0t_tune_trial *trial, const f0t_tune_trial *than, size_t others)
{
    _Static_assert(F0T_TUNE_PARTS == 5, "student_tail goes as far");
    double mean, error;
    if (!trial->part_count || !than->part_count)
        return beats(trial, than);
    const size_t count = compare_parts(&mean, &error, trial, than);
    if (count < 2 || !(mean > 0))
        return false;
    return !(error > 0) || student_tail(mean / error, count - 1) * (double)others < 0.05;
}

bool f0t_tune_is_behind(const f0t_tune_trial *incumbent, const double *parts, size_t count)
{
    f0t_tune_trial trial = {.part_count = count};
    double mean, error;
    memcpy(trial.parts, parts, count * sizeof *parts);
    return compare_parts(&mean, &error, &trial, incumbent) >= 2 && mean < 0;
}

/* False when the setting has not been tried; w->next is the setting. */
static bool look_up(size_t *trial, const walk *w, const size_t *place)
{
    const f0t_tune_search *s = w->search;
    for (size_t k = 0; k < s->count; k++)
        w->next[k] = s->grid[k].values[place[k]];
    for (size_t i = 0; i < s->trial_count; i++)
        if (!memcmp(s->trials[i].values, w->next, s->count * sizeof *w->next)) {
            *trial = i;
            return true;
        }
    return false;
}

/* One place up or down, kept when it is better. False when its score is missing. */
static bool step(bool *moved, walk *w, size_t knob, bool down)
{
    size_t place[F0T_KNOBS_MAX];
    const size_t limit = down ? 0 : w->search->grid[knob].count - 1;
    size_t trial;
    *moved = false;
    if (w->place[knob] == limit)
        return true;
    memcpy(place, w->place, sizeof place);
    place[knob] += down ? (size_t)-1 : 1;
    if (!look_up(&trial, w, place))
        return false;
    *moved = beats(&w->search->trials[trial], &w->search->trials[w->at]);
    if (*moved) {
        memcpy(w->place, place, sizeof place);
        w->at = trial;
        w->downwards[knob] = down;
    }
    return true;
}

static bool round_of_steps(bool *changed, walk *w)
{
    *changed = false;
    for (size_t k = 0; k < w->search->count; k++) {
        const bool down = w->downwards[k];
        bool moved;
        if (!step(&moved, w, k, down) || (!moved && !step(&moved, w, k, !down)))
            return false;
        *changed = *changed || moved;
    }
    return true;
}

/* Whether a setting is left to be tried: w->next. Else w->at is where the walk has ended. */
static bool walk_on(walk *w)
{
    bool changed = true;
    for (size_t k = 0; k < w->search->count; k++)
        w->place[k] = w->search->grid[k].first;
    if (!look_up(&w->at, w, w->place))
        return true;
    while (changed)
        if (!round_of_steps(&changed, w))
            return true;
    return false;
}

static bool next_in_grid(double *values, const f0t_tune_search *s)
{
    walk w = {.search = s, .next = values};
    return walk_on(&w);
}

static void choose_in_grid(f0t_tune_search *s)
{
    double next[F0T_KNOBS_MAX];
    walk w = {.search = s, .next = next};
    walk_on(&w);
    s->incumbent = w.at;
    s->best = beats_surely(&s->trials[w.at], &s->trials[0], s->trial_count - 1) ? w.at : 0;
}

/* ---- Over ranges --------------------------------------------------------------------------- */

/* Places in the range, 0 to 1. */
static double to_place(const f0t_tune_range *range, double value)
{
    return range->is_log ? log(value / range->low) / log(range->high / range->low)
                         : (value - range->low) / (range->high - range->low);
}

static double from_place(const f0t_tune_range *range, double place)
{
    place = fmin(fmax(place, 0), 1);
    return range->is_log ? range->low * pow(range->high / range->low, place)
                         : range->low + (range->high - range->low) * place;
}

/* Steps of a sixth of the range, for about half of the knobs. */
static double draw_near(const f0t_tune_range *range, double value, const f0t_random *random,
                        uint64_t i)
{
    if (f0t_random_uniform(random, 2 * i) < 0.5)
        return value;
    return from_place(range, to_place(range, value) + f0t_random_normal(random, 2 * i + 1) / 6);
}

static void next_in_ranges(double *values, const f0t_tune_search *s)
{
    const size_t trial = s->trial_count;
    const f0t_random random = {s->seed, (uint64_t)trial};
    for (size_t i = 0; i < s->count; i++)
        values[i] = trial == 0 ? (double)NAN
                    : trial % 3 == 0
                        ? from_place(&s->ranges[i], f0t_random_uniform(&random, 2 * i))
                        : draw_near(&s->ranges[i], s->trials[s->best].values[i], &random, i);
}

/* ---- Trials -------------------------------------------------------------------------------- */

static bool has_room(const f0t_tune_search *s)
{
    const size_t count = s->trial_count;
    if (count == 0)
        return true;
    return (!s->most || count < s->most) &&
           (!(s->seconds > 0) || s->spent + s->trials[count - 1].seconds <= s->seconds);
}

bool f0t_tune_next(double *values, const f0t_tune_search *s)
{
    if (!has_room(s))
        return false;
    if (s->grid)
        return next_in_grid(values, s);
    next_in_ranges(values, s);
    return true;
}

static f0t_status remember(f0t_tune_search *s, const f0t_tune_trial *trial)
{
    F0T_TRY(f0t_grow(&s->trials, &s->room, s->trial_count, 1, sizeof *trial));
    s->trials[s->trial_count++] = *trial;
    if (is_better(trial->score, s->trials[s->best].score))
        s->best = s->trial_count - 1;
    s->spent += trial->seconds;
    if (s->grid && trial->part_count)
        choose_in_grid(s);
    return F0T_OK;
}

/* ---- Reading a journal --------------------------------------------------------------------- */

static f0t_tune_range range_of(const f0t_tune_search *s, size_t i)
{
    if (!s->grid)
        return s->ranges[i];
    const f0t_knob *knob = &s->grid[i];
    return (f0t_tune_range){
        .name = knob->name, .low = knob->values[0], .high = knob->values[knob->count - 1]};
}

static f0t_status refuse(const f0t_tune_search *s)
{
    return f0t_fail(F0T_ERROR_FORMAT,
                    "%s: is no journal of a search, and in the way of one; move it away, or name "
                    "another output",
                    s->path);
}

/* A file that does not begin as a journal is somebody else's. */
static f0t_status read_first(f0t_tune_search *s, const json_t *line, bool resume)
{
    const char *search = NULL;
    int64_t epochs = 0;
    F0T_TRY(f0t_json_get_string(&search, line, "search", s->path));
    F0T_TRY(f0t_json_get_integer(&epochs, line, "epochs", s->path));
    if (!search || epochs < 0)
        return refuse(s);
    if (resume && strcmp(search, s->identity) != 0)
        return f0t_fail(F0T_ERROR_MISMATCH,
                        "%s is the journal of another search; remove it, or do not resume",
                        s->path);
    s->epochs = (size_t)epochs;
    return F0T_OK;
}

/* What was drawn at the end of a range may be a rounding beyond it. */
static bool is_inside(const f0t_tune_range *range, double value)
{
    return value >= range->low * (1 - 1e-12) && value <= range->high * (1 + 1e-12);
}

static f0t_status read_trial(f0t_tune_search *s, const json_t *line)
{
    f0t_tune_trial trial = {.score = (double)NAN};
    for (size_t i = 0; i < s->count; i++) {
        double value = (double)NAN;
        const f0t_tune_range range = range_of(s, i);
        F0T_TRY(f0t_json_get_number(&value, line, range.name, s->path));
        if (!is_inside(&range, value))
            return f0t_fail(F0T_ERROR_FORMAT, "%s: \"%s\" must be from %g to %g", s->path,
                            range.name, range.low, range.high);
        trial.values[i] = value;
    }
    F0T_TRY(f0t_json_get_number(&trial.score, line, "score", s->path));
    F0T_TRY(f0t_json_get_number(&trial.seconds, line, "seconds", s->path));
    return remember(s, &trial);
}

static f0t_status read_line(f0t_tune_search *s, const char *text, size_t length, bool first,
                            bool resume)
{
    json_t *line;
    f0t_status status = f0t_json_parse(&line, text, length, s->path);
    if (first && status == F0T_ERROR_FORMAT)
        return refuse(s);
    F0T_TRY(status);
    status = first ? read_first(s, line, resume) : read_trial(s, line);
    json_decref(line);
    return status;
}

/* A truncated line is ignored; the first one never is. */
static f0t_status read_lines(f0t_tune_search *s, const f0t_map *map, bool resume)
{
    const char *at = (const char *)map->data, *end = at + map->size, *stop;
    bool first = true;
    for (; at < end && (stop = memchr(at, '\n', (size_t)(end - at))) && (first || resume);
         at = stop + 1, first = false)
        F0T_TRY(read_line(s, at, (size_t)(stop - at), first, resume));
    return first ? refuse(s) : F0T_OK;
}

static f0t_status load(f0t_tune_search *s, bool resume)
{
    f0t_map map;
    F0T_TRY(f0t_map_open(&map, s->path));
    f0t_status status = f0t_map_finish(&map, s->path, read_lines(s, &map, resume));
    if (!resume) /* it is ours, and is started over */
        s->epochs = 0;
    return status;
}

/* ---- Writing it ---------------------------------------------------------------------------- */

static f0t_status write_line(f0t_writer *w, json_t *line)
{
    char *text = line ? json_dumps(line, JSON_REAL_PRECISION(17)) : NULL;
    json_decref(line);
    if (!text)
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for a line of the journal");
    f0t_status status = f0t_writer_write(w, text, strlen(text));
    if (status == F0T_OK)
        status = f0t_writer_write(w, "\n", 1);
    free(text);
    return status;
}

static json_t *trial_json(const f0t_tune_search *s, const f0t_tune_trial *trial)
{
    /* JSON has no NaN: a missing score is read as one. */
    json_t *line = isnan(trial->score)
                       ? json_pack("{s:f}", "seconds", trial->seconds)
                       : json_pack("{s:f, s:f}", "score", trial->score, "seconds", trial->seconds);
    for (size_t i = 0; line && i < s->count; i++)
        json_object_set_new(line, range_of(s, i).name, json_real(trial->values[i]));
    return line;
}

static f0t_status write_all(f0t_writer *w, const f0t_tune_search *s)
{
    F0T_TRY(write_line(
        w, json_pack("{s:s, s:I}", "search", s->identity, "epochs", (json_int_t)s->epochs)));
    for (size_t i = 0; i < s->trial_count; i++)
        F0T_TRY(write_line(w, trial_json(s, &s->trials[i])));
    return F0T_OK;
}

/* Completely or not at all: a trial takes seconds, and all of them are some kilobytes. */
static f0t_status save(const f0t_tune_search *s)
{
    f0t_writer *w;
    if (!s->path)
        return F0T_OK;
    F0T_TRY(f0t_writer_open(&w, s->path));
    return f0t_writer_finish(w, write_all(w, s));
}

f0t_status f0t_tune_begin(f0t_tune_search *s, size_t epochs)
{
    s->epochs = epochs;
    return save(s);
}

f0t_status f0t_tune_add(f0t_tune_search *s, const double *values, double score, double seconds)
{
    f0t_tune_trial trial = {.score = score, .seconds = seconds};
    memcpy(trial.values, values, s->count * sizeof *values);
    F0T_TRY(remember(s, &trial));
    return save(s);
}

f0t_status f0t_tune_add_parts(f0t_tune_search *s, const double *values, const double *parts,
                              size_t count, double seconds)
{
    f0t_tune_trial trial = {.seconds = seconds, .part_count = count};
    double sum = 0, judged = 0;
    memcpy(trial.values, values, s->count * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        trial.parts[i] = parts[i];
        sum += isnan(parts[i]) ? 0 : parts[i];
        judged += !isnan(parts[i]);
    }
    trial.score = judged > 0 ? sum / judged : (double)NAN;
    F0T_TRY(remember(s, &trial));
    return save(s);
}

f0t_status f0t_tune_open(f0t_tune_search *s, const char *path, bool resume, const char *identity)
{
    if (!path)
        return F0T_OK;
    F0T_TRY(f0t_string_copy(&s->path, path, strlen(path)));
    F0T_TRY(f0t_string_copy(&s->identity, identity, strlen(identity)));
    F0T_TRY(f0t_lock_take(&s->lock, path));
    return f0t_path_exists(path) ? load(s, resume) : F0T_OK;
}

void f0t_tune_close(f0t_tune_search *s)
{
    f0t_lock_release(&s->lock);
    f0t_free(s->path);
    f0t_free(s->identity);
    f0t_free(s->trials);
    *s = (f0t_tune_search){0};
}
