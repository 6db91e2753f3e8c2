/* fast0tag inspect: says what a file is. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

typedef struct options {
    bool quick;
    size_t rows;
} options;

/* ---- As JSON ------------------------------------------------------------------------------ */

/* JSON has no NaN and no infinity. */
static json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *fact_value(const f0t_inspect_fact *fact)
{
    return fact->is_number ? json_integer(strtoll(fact->value, NULL, 10))
                           : json_string(fact->value);
}

/* A name that comes several times (the inputs of a graph) has a list. */
static json_t *json_facts(const f0t_inspect_fact *facts, size_t count)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++) {
        json_t *old = json_object_get(object, facts[i].name), *value = fact_value(&facts[i]);
        if (!old) {
            json_object_set_new(object, facts[i].name, value);
        } else if (json_is_array(old)) {
            json_array_append_new(old, value);
        } else {
            json_t *list = json_array();
            json_array_append(list, old);
            json_array_append_new(list, value);
            json_object_set_new(object, facts[i].name, list);
        }
    }
    return object;
}

static json_t *json_array_of(const f0t_inspect_array *a)
{
    json_t *shape = json_array();
    for (size_t i = 0; i < a->dims; i++)
        json_array_append_new(shape, json_integer((json_int_t)a->shape[i]));
    json_t *out = json_pack("{s:s, s:s, s:o}", "name", a->name, "type", a->type, "shape", shape);
    if (!a->measured)
        return out;
    json_object_set_new(out, "min", json_number(a->min));
    json_object_set_new(out, "max", json_number(a->max));
    json_object_set_new(out, "mean", json_number(a->mean));
    json_object_set_new(out, "nan", json_integer((json_int_t)a->nan));
    json_object_set_new(out, "infinite", json_integer((json_int_t)a->infinite));
    return out;
}

static json_t *json_row(const f0t_inspect_row *row)
{
    json_t *values = json_array();
    for (size_t i = 0; i < row->shown; i++)
        json_array_append_new(values, json_number(row->values[i]));
    return json_pack("{s:s, s:o, s:I}", "text", row->text, "values", values, "count",
                     (json_int_t)row->count);
}

static json_t *as_json(const f0t_inspection *found)
{
    char checksum[16];
    json_t *arrays = json_array(), *rows = json_array();
    snprintf(checksum, sizeof checksum, "%08" PRIx32, found->checksum);
    for (size_t i = 0; i < found->array_count; i++)
        json_array_append_new(arrays, json_array_of(&found->arrays[i]));
    for (size_t i = 0; i < found->row_count; i++)
        json_array_append_new(rows, json_row(&found->rows[i]));
    return json_pack("{s:s, s:s, s:s, s:I, s:s?, s:o, s:o, s:o, s:o}", "path", found->path, "kind",
                     found->kind, "title", found->title, "size", (json_int_t)found->size, "crc32",
                     found->has_checksum ? checksum : NULL, "facts",
                     json_facts(found->facts, found->fact_count), "metadata",
                     json_facts(found->metadata, found->metadata_count), "arrays", arrays, "rows",
                     rows);
}

/* ---- For people --------------------------------------------------------------------------- */

/* Metadata is whatever the writer of the file put there: one line, cut where it is long. */
static void print_value(const char *value)
{
    enum { MOST = 200 };
    char *shown = cli_shown(value);
    size_t n = 0;
    while (shown[n] && (n < MOST || (shown[n] & 0xC0) == 0x80)) /* whole characters */
        n++;
    printf("%.*s%s\n", (int)n, shown, shown[n] ? " …" : "");
    free(shown);
}

static void print_facts(const f0t_inspect_fact *facts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *name = cli_shown(facts[i].name);
        printf("  %-14s ", name);
        free(name);
        print_value(facts[i].value);
    }
}

static void format_shape(char *out, size_t size, const f0t_inspect_array *a)
{
    size_t used = 0;
    snprintf(out, size, "1");
    for (size_t i = 0; i < a->dims && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%zu", i ? " x " : "", a->shape[i]);
}

static void print_arrays(const f0t_inspection *found)
{
    static const char *const heads[] = {"  array", "type", "shape", "min",
                                        "max",     "mean", "NaN",   "infinite"};
    bool measured = found->arrays[0].measured;
    cli_table *table = cli_table_create(measured ? 8 : 3, heads, "lllrrrrr");
    for (size_t i = 0; i < found->array_count; i++) {
        const f0t_inspect_array *a = &found->arrays[i];
        char name[80], shape[100], numbers[5][32];
        snprintf(name, sizeof name, "  %.70s", *a->name ? a->name : "-");
        format_shape(shape, sizeof shape, a);
        snprintf(numbers[0], sizeof numbers[0], "%.6g", a->min);
        snprintf(numbers[1], sizeof numbers[1], "%.6g", a->max);
        snprintf(numbers[2], sizeof numbers[2], "%.6g", a->mean);
        snprintf(numbers[3], sizeof numbers[3], "%" PRIu64, a->nan);
        snprintf(numbers[4], sizeof numbers[4], "%" PRIu64, a->infinite);
        const char *cells[] = {name,       a->type,    shape,      numbers[0],
                               numbers[1], numbers[2], numbers[3], numbers[4]};
        cli_table_add(table, cells);
    }
    cli_table_print(table, stdout);
    cli_table_free(table);
}

static void print_rows(const f0t_inspection *found)
{
    for (size_t i = 0; i < found->row_count; i++) {
        const f0t_inspect_row *row = &found->rows[i];
        printf("  ");
        if (row->count) {
            cli_print_shown(stdout, row->text);
            printf("%s", *row->text ? "  " : "");
        } else
            print_value(row->text);
        for (size_t k = 0; k < row->shown; k++)
            printf("%s%.6g", k ? " " : "", row->values[k]);
        if (row->count)
            printf(row->count > row->shown ? " … (%zu)\n" : "\n", row->count);
    }
}

static void print_all(const f0t_inspection *found)
{
    cli_print_shown(stdout, found->path);
    printf(": ");
    cli_print_shown(stdout, found->title);
    printf("\n");
    printf("  %-14s %" PRIu64 " bytes\n", "size", found->size);
    if (found->has_checksum)
        printf("  %-14s %08" PRIx32 "\n", "crc32", found->checksum);
    print_facts(found->facts, found->fact_count);
    if (found->metadata_count)
        printf("\nIt says about itself:\n");
    print_facts(found->metadata, found->metadata_count);
    if (found->array_count) {
        printf("\n");
        print_arrays(found);
    }
    if (found->row_count)
        printf("\nIt begins with:\n");
    print_rows(found);
}

/* ---- The verb ----------------------------------------------------------------------------- */

static f0t_status run(cli_context *cli, const void *given)
{
    const options *o = given;
    f0t_inspection *found;
    f0t_inspect_options how = {
        .size = sizeof(f0t_inspect_options), .quick = o->quick, .rows = o->rows};
    f0t_status status = f0t_inspect(&found, cli->operands[0], &how, cli->context);
    if (status != F0T_OK)
        return status;
    if (cli->json)
        status = cli_print_json(cli, as_json(found));
    else
        print_all(found);
    f0t_inspection_free(found);
    return status;
}

static const cli_option option_table[] = {
    {"quick", 0, CLI_FLAG, offsetof(options, quick), NULL,
     "Read only the beginning: no ranges, no counts, no checksum.", NULL},
    {"rows", 'n', CLI_COUNT, offsetof(options, rows), "N", "Show the first N rows. Default 5.",
     NULL},
    {0},
};

static const cli_example examples[] = {
    {"fast0tag inspect features.npy", "Shape, type, range and first rows of an array."},
    {"fast0tag inspect --quick glove.840B.300d.txt", "Which form of word vectors it is."},
    {"fast0tag inspect --json flickr8k", "All about a dataset, for a program."},
    {0},
};

const cli_verb cli_verb_inspect = {
    .name = "inspect",
    .summary = "inspect a file: what it is and what it contains",
    .operands = "FILE",
    .least = 1,
    .most = 1,
    .description =
        "Says what FILE is, by its content and not by its name: npy, safetensors, word vectors in "
        "text, binary or our own form, a model, a dataset directory, ONNX, ARFF, the label list of "
        "MULAN, vecs of TagProp, CSV and TSV, JSON, plain text; text forms may be packed by gzip. "
        "Prints the shapes, types and ranges of its numbers, its metadata, its first rows and its "
        "checksum; for a neural network its operators, parameters, number of operations, and which "
        "of its values are the features.\n\n"
        "The checksum is the CRC-32 that gzip and zlib use. It shows damage, not forgery.\n\n"
        "A file that is none of these, or is damaged, gives one line and exit code 3.",
    .options = option_table,
    .examples = examples,
    .json = true,
    .options_size = sizeof(options),
    .run = run,
};
