#include "io/dataset_load.h"

#include "base/alloc.h"
#include "base/random.h"

#include <math.h>

enum { SPLIT_STREAM = 0x73706C69 }; /* "spli": apart from whatever else the seed draws */

void f0t_dataset_options_init(f0t_dataset_options *options)
{
    *options = (f0t_dataset_options){.seed = 0, .val = 0.1, .test = 0.2};
}

static f0t_status check(const f0t_dataset_options *options)
{
    double val = options->val, test = options->test;
    if (!(val >= 0 && test >= 0 && val + test <= 1))
        return f0t_fail(
            F0T_ERROR_ARGUMENT,
            "val %g and test %g are no parts of the images: each is wanted from 0 to 1, "
            "and together at most 1",
            val, test);
    return F0T_OK;
}

f0t_status f0t_dataset_draw_split(uint8_t *split, size_t count, const f0t_dataset_options *options)
{
    f0t_random random = {options->seed, SPLIT_STREAM};
    uint32_t *order;
    F0T_TRY(check(options));
    F0T_TRY(f0t_alloc(&order, count, sizeof *order));
    for (size_t m = 0; m < count; m++)
        order[m] = (uint32_t)m;
    f0t_random_shuffle(&random, order, count);
    size_t test = (size_t)floor(options->test * (double)count + 0.5);
    size_t val = (size_t)floor(options->val * (double)count + 0.5);
    for (size_t i = 0; i < count; i++)
        split[order[i]] = i < test ? F0T_TEST : i < test + val ? F0T_VAL : F0T_TRAIN;
    f0t_free(order);
    return F0T_OK;
}
