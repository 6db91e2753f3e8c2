/* The rows of a comparison as JSON. */
#include "eval_json.h"

#include <math.h>
#include <string.h>

static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static const f0t_eval_value *find_value(const f0t_eval_row *row, const char *name)
{
    for (size_t i = 0; i < row->value_count; i++)
        if (!strcmp(row->values[i].name, name))
            return &row->values[i];
    return NULL;
}

/* {"conse": {"miap": 3.1, "low": 1.2, "high": 5.0, "p": 0.002}, …} */
static json_t *differences_of(const f0t_eval_row *row)
{
    json_t *object = json_object();
    for (size_t i = 0; i < row->difference_count; i++) {
        const f0t_eval_difference *d = &row->differences[i];
        json_object_set_new(object, d->method,
                            json_pack("{s:o, s:o, s:o, s:o}", "miap", number_or_null(d->miap),
                                      "low", number_or_null(d->low), "high",
                                      number_or_null(d->high), "p", number_or_null(d->p)));
    }
    return object;
}

/* Keys of values stay in their order: "miap", "p3", … */
static void add_values(json_t *object, const f0t_eval *eval, const f0t_eval_row *row)
{
    const char *name;
    char key[80];
    for (size_t i = 0; (name = f0t_eval_value_name(eval, i)) != NULL; i++) {
        const f0t_eval_value *value = find_value(row, name);
        json_object_set_new(object, name, value ? number_or_null(value->mean) : json_null());
        if (row->repeats < 2)
            continue;
        snprintf(key, sizeof key, "%s_sd", name);
        json_object_set_new(object, key, value ? number_or_null(value->deviation) : json_null());
    }
    const f0t_eval_value *miap = find_value(row, "miap");
    json_object_set_new(object, "miap_low", miap ? number_or_null(miap->low) : json_null());
    json_object_set_new(object, "miap_high", miap ? number_or_null(miap->high) : json_null());
    json_object_set_new(object, "rival", row->rival ? json_string(row->rival) : json_null());
    json_object_set_new(object, "rival_difference", number_or_null(row->rival_difference));
    json_object_set_new(object, "rival_low", number_or_null(row->rival_low));
    json_object_set_new(object, "rival_high", number_or_null(row->rival_high));
    json_object_set_new(object, "rival_p", number_or_null(row->rival_p));
    json_object_set_new(object, "rival_draws_p", number_or_null(row->rival_draws_p));
    json_object_set_new(object, "best_p", number_or_null(row->best_p));
    json_object_set_new(object, "leads", json_boolean(row->leads));
    json_object_set_new(object, "differences", differences_of(row));
}

/* What each run of a row measured, with its knobs. */
static json_t *runs_json(const cli_context *cli, const f0t_eval *eval, size_t row)
{
    json_t *list = json_array();
    const size_t runs = f0t_eval_get_row(eval, row)->repeats;
    for (size_t run = 0; run < runs && !f0t_eval_get_row(eval, row)->refusal; run++) {
        json_t *object = json_object(), *knobs = json_object();
        const char *name;
        double value;
        for (size_t i = 0; (name = f0t_eval_run_knob(&value, eval, row, run, i)) != NULL; i++)
            json_object_set_new(knobs, name, json_real(value));
        json_object_set_new(object, "seed", json_integer((json_int_t)(cli->seed + run)));
        json_object_set_new(object, "knobs", knobs);
        for (size_t i = 0; (name = f0t_eval_value_name(eval, i)) != NULL; i++)
            json_object_set_new(object, name,
                                number_or_null(f0t_eval_run_value(eval, row, run, name)));
        json_array_append_new(list, object);
    }
    return list;
}

void cli_eval_list_rows(json_t *list, const cli_context *cli, const f0t_eval *eval,
                        size_t train_images)
{
    for (size_t i = 0; i < f0t_eval_row_count(eval); i++) {
        const f0t_eval_row *row = f0t_eval_get_row(eval, i);
        json_t *object =
            json_pack("{s:s, s:s, s:I, s:I}", "method", row->method, "scenario", row->scenario,
                      "images", (json_int_t)row->images, "tags", (json_int_t)row->tags);
        add_values(object, eval, row);
        json_object_set_new(object, "repeats", json_integer((json_int_t)row->repeats));
        json_object_set_new(object, "knobs", json_string(row->knobs));
        json_object_set_new(object, "refusal",
                            row->refusal ? json_string(row->refusal) : json_null());
        json_object_set_new(object, "runs", runs_json(cli, eval, i));
        if (train_images)
            json_object_set_new(object, "train_images", json_integer((json_int_t)train_images));
        json_array_append_new(list, object);
    }
}
