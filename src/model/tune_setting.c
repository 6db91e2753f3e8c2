#include "model/tune_setting.h"

#include "base/random.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- The knobs ----------------------------------------------------------------------------- */

#define AT(field) offsetof(f0t_train_options, field)

static const f0t_tune_knob LINEAR[] = {
    {"lambda", 0.01, 1000, true, AT(lambda)},
    {"ridge", 0.003, 100, true, AT(ridge)},
    {.name = NULL},
};
static const f0t_tune_knob ADAM[] = {
    {"rate", 1e-4, 1e-2, true, AT(rate)},
    {"decay", 0.1, 30, true, AT(decay)},
    {"input_dropout", 0, 0.6, false, AT(input_dropout)},
    {"hidden_dropout", 0, 0.6, false, AT(hidden_dropout)},
    {"standard", 0, 1, false, F0T_TUNE_CONDITION},
    {.name = NULL},
};
static const f0t_tune_knob SGD[] = {
    {"rate", 0.01, 1, true, AT(rate)},
    {"decay", 1e-6, 1e-2, true, AT(decay)},
    {"input_dropout", 0, 0.6, false, AT(input_dropout)},
    {"hidden_dropout", 0, 0.6, false, AT(hidden_dropout)},
    {"standard", 0, 1, false, F0T_TUNE_CONDITION},
    {.name = NULL},
};

static double get(const f0t_tune_knob *knob, const f0t_train_options *o)
{
    double value;
    if (knob->offset == F0T_TUNE_CONDITION)
        return o->condition == F0T_CONDITION_STANDARD ? 0.75 : 0.25;
    memcpy(&value, (const char *)o + knob->offset, sizeof value);
    return value;
}

static void set(const f0t_tune_knob *knob, f0t_train_options *o, double value)
{
    if (knob->offset == F0T_TUNE_CONDITION)
        o->condition = value < 0.5 ? F0T_CONDITION_SCALE : F0T_CONDITION_STANDARD;
    else
        memcpy((char *)o + knob->offset, &value, sizeof value);
}

static bool is_auto(const f0t_tune_knob *knob, const f0t_train_options *o)
{
    if (knob->offset == F0T_TUNE_CONDITION)
        return o->condition == F0T_CONDITION_AUTO;
    if (knob->offset == AT(hidden_dropout) && o->method != F0T_METHOD_NET)
        return false;
    return get(knob, o) == F0T_AUTO;
}

/* ---- Settings ------------------------------------------------------------------------------ */

f0t_tune_space f0t_tune_space_of(const f0t_train_options *o)
{
    const f0t_tune_knob *knob = o->method == F0T_METHOD_LINEAR      ? LINEAR
                                : o->optimizer == F0T_OPTIMIZER_SGD ? SGD
                                                                    : ADAM;
    f0t_tune_space space = {.count = 0};
    for (; knob->name; knob++)
        if (is_auto(knob, o))
            space.knobs[space.count++] = knob;
    return space;
}

f0t_tune_setting f0t_tune_setting_get(const f0t_tune_space *space, const f0t_train_options *options)
{
    f0t_tune_setting setting = {{0}};
    for (size_t i = 0; i < space->count; i++)
        setting.values[i] = get(space->knobs[i], options);
    return setting;
}

void f0t_tune_setting_set(const f0t_tune_space *space, const f0t_tune_setting *setting,
                          f0t_train_options *options)
{
    for (size_t i = 0; i < space->count; i++)
        set(space->knobs[i], options, setting->values[i]);
}

/* Places in the range, 0 to 1. */
static double to_place(const f0t_tune_knob *knob, double value)
{
    return knob->is_log ? log(value / knob->low) / log(knob->high / knob->low)
                        : (value - knob->low) / (knob->high - knob->low);
}

static double from_place(const f0t_tune_knob *knob, double place)
{
    place = fmin(fmax(place, 0), 1);
    return knob->is_log ? knob->low * pow(knob->high / knob->low, place)
                        : knob->low + (knob->high - knob->low) * place;
}

/* Steps of a sixth of the range, for about half of the knobs. */
static double draw_near(const f0t_tune_knob *knob, double value, const f0t_random *random,
                        uint64_t i)
{
    if (f0t_random_uniform(random, 2 * i) < 0.5)
        return value;
    return from_place(knob, to_place(knob, value) + f0t_random_normal(random, 2 * i + 1) / 6);
}

f0t_tune_setting f0t_tune_setting_draw(const f0t_tune_space *space, const f0t_tune_setting *best,
                                       uint64_t seed, size_t trial)
{
    const f0t_random random = {seed, (uint64_t)trial};
    f0t_tune_setting setting = *best;
    for (size_t i = 0; i < space->count; i++)
        setting.values[i] = trial % 3 == 0
                                ? from_place(space->knobs[i], f0t_random_uniform(&random, 2 * i))
                                : draw_near(space->knobs[i], best->values[i], &random, i);
    return setting;
}
