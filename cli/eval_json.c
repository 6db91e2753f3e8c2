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
}

f0t_status cli_eval_print_json(cli_context *cli, const f0t_eval *eval)
{
    json_t *list = json_array();
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
        json_array_append_new(list, object);
    }
    return cli_print_json(cli, list);
}
