/* From the options to what is to be done. */
#include "eval/eval.h"

#include "base/context.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* With this the whole comparison of flickr8k, all methods and scenarios, takes some 1,700 s of processor time. */
static const double BUDGET = 30;

enum { TRIALS = 16, REPEAT_MOST = 1000, NUMBER_MOST = 1000000 };

/* The next name of a list, without the spaces around it: *length bytes at the returned place; NULL at
 * the end. */
static const char *next_name(const char **list, size_t *length)
{
    const char *name = *list;
    if (!name)
        return NULL;
    *length = strcspn(name, ",");
    *list = name[*length] ? name + *length + 1 : NULL;
    for (; *length && *name == ' '; name++)
        --*length;
    while (*length && name[*length - 1] == ' ')
        --*length;
    return name;
}

static bool is_all(const char *list)
{
    size_t length = 0;
    const char *name = next_name(&list, &length);
    return !name || (!list && length == 3 && !memcmp(name, "all", length));
}

static f0t_status add_method(f0t_eval_plan *p, const char *name, size_t length)
{
    char text[64] = "";
    const f0t_ranker *ranker;
    memcpy(text, name, length < sizeof text ? length : sizeof text - 1);
    F0T_TRY(f0t_ranker_find(&ranker, text));
    for (size_t i = 0; i < p->method_count; i++)
        if (p->methods[i] == ranker)
            return F0T_OK;
    p->methods[p->method_count++] = ranker;
    return F0T_OK;
}

static f0t_status read_methods(f0t_eval_plan *p, const char *list)
{
    size_t length;
    if (is_all(list)) {
        for (size_t i = 0; f0t_rankers[i]; i++)
            if (!f0t_rankers[i]->completes || p->asked[F0T_COMPLETION])
                p->methods[p->method_count++] = f0t_rankers[i];
        return F0T_OK;
    }
    for (const char *name; (name = next_name(&list, &length)) != NULL;)
        F0T_TRY(add_method(p, name, length));
    return F0T_OK;
}

/* Each method of the caller's has a name of its own. One that only writes tasks is alone. */
static f0t_status read_own(f0t_eval_plan *p, const f0t_eval_options *o)
{
    size_t asked = 0;
    for (int s = 0; s < F0T_SCENARIOS; s++)
        asked += p->asked[s];
    if (o->own_count > F0T_OWN_MOST)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%zu methods of your own; at most %d", o->own_count,
                        F0T_OWN_MOST);
    if (o->own_count && o->own[0].tasks)
        p->method_count = 0;
    for (size_t i = 0; i < o->own_count; i++) {
        f0t_own *own = &p->own[i];
        F0T_TRY(f0t_own_create(own, &o->own[i], asked, p->repeat, o->timeout));
        for (size_t k = 0; f0t_rankers[k]; k++)
            if (!strcmp(f0t_rankers[k]->name, own->name))
                return f0t_fail(F0T_ERROR_ARGUMENT,
                                "'%s' is a method of fast0tag: take another name", own->name);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(p->own[k].name, own->name))
                return f0t_fail(F0T_ERROR_ARGUMENT, "two methods are called '%s'", own->name);
        p->methods[p->method_count++] = &own->ranker;
    }
    p->own_count = o->own_count;
    return F0T_OK;
}

static f0t_status read_scenarios(f0t_eval_plan *p, const char *list)
{
    size_t length;
    for (int s = 0; s < F0T_SCENARIOS; s++)
        p->asked[s] = is_all(list) && s != F0T_COMPLETION;
    if (is_all(list))
        return F0T_OK;
    for (const char *name; (name = next_name(&list, &length)) != NULL;) {
        f0t_scenario scenario;
        F0T_TRY(f0t_scenario_find(&scenario, name, length));
        p->asked[scenario] = true;
    }
    return F0T_OK;
}

/* 1 up to NUMBER_MOST. `what` it is and an `example` are for the message. */
static f0t_status read_number(size_t *out, const char *text, size_t length, const char *what,
                              const char *example)
{
    size_t number = 0;
    bool digits = true;
    for (size_t i = 0; i < length && digits && number <= NUMBER_MOST; i++) {
        digits = text[i] >= '0' && text[i] <= '9';
        number = 10 * number + (size_t)(text[i] - '0');
    }
    if (!digits || number == 0)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s '%.*s': a list of numbers such as %s is expected",
                        what, (int)length, text, example);
    if (number > NUMBER_MOST)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s '%.*s': at most %d", what, (int)length, text,
                        NUMBER_MOST);
    *out = number;
    return F0T_OK;
}

static f0t_status add_cutoff(f0t_eval_plan *p, const char *text, size_t length)
{
    size_t k;
    F0T_TRY(read_number(&k, text, length, "K", "3,5"));
    for (size_t i = 0; i < p->cutoff_count; i++)
        if (p->cutoffs[i] == k)
            return F0T_OK;
    if (p->cutoff_count == F0T_CUTOFFS_MOST)
        return f0t_fail(F0T_ERROR_ARGUMENT, "K: at most %d values", F0T_CUTOFFS_MOST);
    p->cutoffs[p->cutoff_count++] = k;
    return F0T_OK;
}

/* The knobs of method m that can be written to. One of the caller's is changed in its place: it is more than a
 * ranker. */
static f0t_knob *knobs_to_set(f0t_eval_plan *p, size_t m)
{
    for (size_t i = 0; i < p->own_count; i++)
        if (p->methods[m] == &p->own[i].ranker)
            return p->own[i].knobs;
    struct f0t_eval_fixed *fixed = &p->fixed[m];
    if (p->methods[m] != &fixed->ranker) {
        const f0t_ranker *ranker = p->methods[m];
        fixed->ranker = *ranker;
        memcpy(fixed->knobs, ranker->knobs, ranker->knob_count * sizeof *fixed->knobs);
        fixed->ranker.knobs = fixed->knobs;
        fixed->ranker.choose = NULL; /* it would choose this knob, too */
        p->methods[m] = &fixed->ranker;
    }
    return fixed->knobs;
}

static f0t_status fix_knob(f0t_eval_plan *p, size_t m, const char *name, size_t length,
                           double value)
{
    const f0t_ranker *ranker = p->methods[m];
    for (size_t i = 0; i < ranker->knob_count; i++)
        if (strlen(ranker->knobs[i].name) == length &&
            !memcmp(ranker->knobs[i].name, name, length)) {
            f0t_knob *knob = &knobs_to_set(p, m)[i];
            p->fixed[m].values[i] = value;
            knob->values = &p->fixed[m].values[i];
            knob->count = 1;
            knob->first = 0;
            return F0T_OK;
        }
    char known[200] = "";
    size_t used = 0;
    for (size_t i = 0; i < ranker->knob_count && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                 ranker->knobs[i].name);
    return f0t_fail(F0T_ERROR_ARGUMENT, "%s has no knob '%.*s'; it has %s", ranker->name,
                    (int)(length < 60 ? length : 60), name, *known ? known : "none");
}

/* As JSON has numbers: with a point in every locale. */
static bool read_value(double *out, const char *text)
{
    json_t *number = json_loads(text, JSON_DECODE_ANY, NULL);
    const bool found = json_is_number(number);
    *out = json_number_value(number);
    json_decref(number);
    return found && isfinite(*out);
}

/* METHOD.KNOB=VALUE; names of methods may have points. */
static f0t_status set_knob(f0t_eval_plan *p, const char *text, size_t length)
{
    char item[160];
    if (length >= sizeof item)
        return f0t_fail(F0T_ERROR_ARGUMENT, "set '%.60s…': too long", text);
    memcpy(item, text, length);
    item[length] = 0;
    char *equals = strchr(item, '='), *point = NULL;
    if (equals) {
        *equals = 0;
        point = strrchr(item, '.');
        *equals = '=';
    }
    double value = 0;
    if (!point || point == item || point + 1 == equals || !read_value(&value, equals + 1))
        return f0t_fail(F0T_ERROR_ARGUMENT, "set '%s': METHOD.KNOB=VALUE is expected", item);
    for (size_t m = 0; m < p->method_count; m++)
        if (strlen(p->methods[m]->name) == (size_t)(point - item) &&
            !memcmp(p->methods[m]->name, item, (size_t)(point - item)))
            return fix_knob(p, m, point + 1, (size_t)(equals - point - 1), value);
    return f0t_fail(F0T_ERROR_ARGUMENT, "set '%s': is of none of the methods compared", item);
}

static f0t_status read_set(f0t_eval_plan *p, const char *list)
{
    size_t length;
    for (const char *text; (text = next_name(&list, &length)) != NULL;)
        F0T_TRY(set_knob(p, text, length));
    return F0T_OK;
}

static f0t_status read_cutoffs(f0t_eval_plan *p, const char *list)
{
    size_t length;
    if (!list)
        list = "3,5";
    for (const char *text; (text = next_name(&list, &length)) != NULL;)
        F0T_TRY(add_cutoff(p, text, length));
    return F0T_OK;
}

static f0t_status read_hidden(f0t_eval_plan *p, const char *list)
{
    size_t length;
    for (const char *text; (text = next_name(&list, &length)) != NULL;) {
        size_t units;
        F0T_TRY(read_number(&units, text, length, "hidden layers", "512,256"));
        if (p->hidden_count == F0T_HIDDEN_MAX)
            return f0t_fail(F0T_ERROR_ARGUMENT, "hidden layers: at most %d", F0T_HIDDEN_MAX);
        p->hidden[p->hidden_count++] = units;
    }
    return F0T_OK;
}

static f0t_status read_figure(f0t_eval_plan *p, const char *list)
{
    size_t length;
    if (list && is_all(list)) {
        for (size_t m = 0; m < p->method_count; m++)
            p->figure[m] = true;
        return F0T_OK;
    }
    for (const char *name; (name = next_name(&list, &length)) != NULL;) {
        size_t m = 0;
        while (m < p->method_count && (strlen(p->methods[m]->name) != length ||
                                       memcmp(p->methods[m]->name, name, length) != 0))
            m++;
        if (m == p->method_count)
            return f0t_fail(F0T_ERROR_ARGUMENT, "figure: '%.*s' is none of the methods compared",
                            (int)length, name);
        p->figure[m] = true;
    }
    return F0T_OK;
}

f0t_status f0t_eval_plan_create(f0t_eval_plan *p, const f0t_eval_options *o)
{
    *p = (f0t_eval_plan){.repeat = o->draws    ? o->draws
                                   : o->repeat ? o->repeat
                                               : 1,
                         .trials = o->no_tune  ? 0
                                   : o->trials ? o->trials
                                               : TRIALS,
                         .budget = o->budget > 0 ? o->budget : BUDGET};
    if (!isfinite(o->budget) || o->budget < 0)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a budget of %g seconds: 0 or more", o->budget);
    if (p->repeat > REPEAT_MOST)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s %zu: at most %d", o->draws ? "draws" : "repeat",
                        p->repeat, REPEAT_MOST);
    if (o->draws && o->repeat)
        return f0t_fail(F0T_ERROR_ARGUMENT, "draws and repeat: one of the two");
    if (p->trials > REPEAT_MOST)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%zu trials: at most %d", p->trials, REPEAT_MOST);
    F0T_TRY(read_scenarios(p, o->scenarios));
    F0T_TRY(read_methods(p, o->methods));
    F0T_TRY(read_own(p, o));
    F0T_TRY(read_set(p, o->set));
    F0T_TRY(read_figure(p, o->figure));
    F0T_TRY(read_hidden(p, o->hidden));
    return read_cutoffs(p, o->k);
}

f0t_status f0t_eval_options_check(const f0t_eval_options *options)
{
    F0T_READ_OPTIONS(f0t_eval_options, F0T_EVAL_OPTIONS, options);
    f0t_eval_plan plan;
    f0t_status status = f0t_eval_plan_create(&plan, options);
    return status == F0T_ERROR_NOT_FOUND ? F0T_ERROR_ARGUMENT : status;
}

const char *f0t_eval_method_name(size_t i)
{
    for (size_t k = 0; f0t_rankers[k]; k++)
        if (k == i)
            return f0t_rankers[k]->name;
    return NULL;
}

const char *f0t_eval_method_title(size_t i)
{
    return f0t_eval_method_name(i) ? f0t_rankers[i]->title : NULL;
}

const char *f0t_eval_method_source(size_t i)
{
    return f0t_eval_method_name(i) ? f0t_rankers[i]->source : NULL;
}
