/* What an import made, as a table or as JSON. */
#include "import.h"

#include <inttypes.h>

static json_t *json_dataset(const f0t_import_dataset *d)
{
    return json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "path", d->path, "images",
        (json_int_t)d->images, "dim", (json_int_t)d->dim, "tags", (json_int_t)d->tags, "seen",
        (json_int_t)d->seen, "unseen", (json_int_t)d->unseen, "train", (json_int_t)d->train, "val",
        (json_int_t)d->val, "test", (json_int_t)d->test, "untagged", (json_int_t)d->untagged);
}

static json_t *as_json(const f0t_import_report *report)
{
    json_t *datasets = json_array(), *notes = json_array();
    for (size_t i = 0; i < f0t_import_report_dataset_count(report); i++)
        json_array_append_new(datasets, json_dataset(f0t_import_report_dataset(report, i)));
    for (size_t i = 0; i < f0t_import_report_note_count(report); i++) {
        const f0t_import_note *note = f0t_import_report_note(report, i);
        json_array_append_new(notes, json_pack("{s:I, s:s, s:s?}", "count", (json_int_t)note->count,
                                               "what", note->what, "example", note->example));
    }
    return json_pack("{s:o, s:o}", "datasets", datasets, "notes", notes);
}

static void print_datasets(const f0t_import_report *report)
{
    static const char *const heads[] = {"dataset", "images", "features", "tags", "seen",
                                        "unseen",  "train",  "val",      "test"};
    cli_table *table = cli_table_create(9, heads, "lrrrrrrrr");
    for (size_t i = 0; i < f0t_import_report_dataset_count(report); i++) {
        const f0t_import_dataset *d = f0t_import_report_dataset(report, i);
        const size_t numbers[] = {d->images, d->dim,   d->tags, d->seen,
                                  d->unseen, d->train, d->val,  d->test};
        char text[8][24];
        const char *cells[9] = {d->path};
        for (size_t k = 0; k < 8; k++) {
            snprintf(text[k], sizeof text[k], "%zu", numbers[k]);
            cells[k + 1] = text[k];
        }
        cli_table_add(table, cells);
    }
    cli_table_print(table, stdout);
    cli_table_free(table);
}

/* "3 images have no tag (a.jpg, …)" */
static void write_note(char *to, size_t size, const f0t_import_note *note)
{
    const int used = snprintf(to, size, "%" PRIu64 " %s", note->count, note->what);
    if (note->example && used > 0 && (size_t)used < size)
        snprintf(to + used, size - (size_t)used, note->count > 1 ? " (%s, …)" : " (%s)",
                 note->example);
}

static void print_report(const f0t_import_report *report)
{
    char line[4400];
    print_datasets(report);
    for (size_t i = 0; i < f0t_import_report_note_count(report); i++) {
        write_note(line, sizeof line, f0t_import_report_note(report, i));
        cli_print_shown(stdout, line);
        printf("\n");
    }
}

void cli_import_log(const cli_context *cli, const f0t_import_report *report)
{
    char line[4400];
    for (size_t i = 0; i < f0t_import_report_note_count(report); i++) {
        write_note(line, sizeof line, f0t_import_report_note(report, i));
        cli->monitor->log(cli->monitor->user, F0T_LOG_INFO, line);
    }
}

f0t_status cli_import_show(cli_context *cli, const f0t_import_report *report)
{
    if (cli->json)
        return cli_print_json(cli, as_json(report));
    print_report(report);
    return F0T_OK;
}
