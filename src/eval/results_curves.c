/* The curves of a cell in the results file: lists of three numbers each, null for what is not defined. */
#include "base/alloc.h"
#include "eval/eval.h"

#include <math.h>

static json_t *triple_json(double a, double b, double c)
{
    const double numbers[] = {a, b, c};
    json_t *array = json_array();
    for (size_t i = 0; i < 3; i++)
        json_array_append_new(array, isfinite(numbers[i]) ? json_real(numbers[i]) : json_null());
    return array;
}

static json_t *bins_json(const f0t_reliability_bin *bins, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, triple_json(bins[i].pairs, bins[i].confidence, bins[i].right));
    return array;
}

static json_t *sets_json(const f0t_prf *sets)
{
    json_t *array = json_array();
    for (size_t i = 0; i < F0T_CURVE_POINTS; i++)
        json_array_append_new(array, triple_json(sets[i].p, sets[i].r, sets[i].f));
    return array;
}

json_t *f0t_results_write_curves(const f0t_reliability_curves *curves)
{
    if (!curves)
        return json_null();
    return json_pack("{s:o, s:o, s:o}", "all",
                     bins_json(curves->bins[F0T_ALL_PAIRS], curves->bin_counts[F0T_ALL_PAIRS]),
                     "first",
                     bins_json(curves->bins[F0T_FIRST_PAIRS], curves->bin_counts[F0T_FIRST_PAIRS]),
                     "sets", sets_json(curves->sets));
}

static bool read_triple(double out[3], const json_t *array)
{
    bool good = json_array_size(array) == 3;
    for (size_t i = 0; i < 3 && good; i++) {
        const json_t *number = json_array_get(array, i);
        good = json_is_number(number) || json_is_null(number);
        out[i] = json_is_number(number) ? json_number_value(number) : (double)NAN;
    }
    return good;
}

/* At most `most` triples of the list `key` into out[most][3]. */
static f0t_status read_list(double (*out)[3], size_t *count, size_t most, const json_t *object,
                            const char *key, const char *name)
{
    json_t *list = NULL;
    F0T_TRY(f0t_json_get_array(&list, object, key, name));
    *count = json_array_size(list);
    bool good = list && *count <= most;
    for (size_t i = 0; good && i < *count; i++)
        good = read_triple(out[i], json_array_get(list, i));
    return good ? F0T_OK
                : f0t_fail(F0T_ERROR_FORMAT,
                           "%s: \"%s\" of the curves must be at most %zu lists of three numbers",
                           name, key, most);
}

static f0t_status read_bins(f0t_reliability_bin *bins, size_t *count, const json_t *object,
                            const char *key, const char *name)
{
    double numbers[F0T_RELIABILITY_BINS][3];
    F0T_TRY(read_list(numbers, count, F0T_RELIABILITY_BINS, object, key, name));
    for (size_t i = 0; i < *count; i++)
        bins[i] = (f0t_reliability_bin){numbers[i][0], numbers[i][1], numbers[i][2]};
    return F0T_OK;
}

static f0t_status read_sets(f0t_prf *sets, const json_t *object, const char *name)
{
    double numbers[F0T_CURVE_POINTS][3];
    size_t count;
    F0T_TRY(read_list(numbers, &count, F0T_CURVE_POINTS, object, "sets", name));
    if (count != F0T_CURVE_POINTS)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: \"sets\" has %zu thresholds, not %d", name, count,
                        F0T_CURVE_POINTS);
    for (size_t i = 0; i < count; i++)
        sets[i] = (f0t_prf){numbers[i][0], numbers[i][1], numbers[i][2]};
    return F0T_OK;
}

f0t_status f0t_results_read_curves(f0t_reliability_curves **out, const json_t *line,
                                   const char *name)
{
    json_t *object = NULL;
    F0T_TRY(f0t_json_get_object(&object, line, "curves", name));
    if (!object)
        return F0T_OK;
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    F0T_TRY(read_bins((*out)->bins[F0T_ALL_PAIRS], &(*out)->bin_counts[F0T_ALL_PAIRS], object,
                      "all", name));
    F0T_TRY(read_bins((*out)->bins[F0T_FIRST_PAIRS], &(*out)->bin_counts[F0T_FIRST_PAIRS], object,
                      "first", name));
    return read_sets((*out)->sets, object, name);
}
