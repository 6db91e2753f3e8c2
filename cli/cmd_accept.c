/* fast0tag accept, fast0tag reject: decisions about tags, for scripts. */
#include "decisions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct options {
    const char *catalogue, *from, *by;
    bool undo;
} options;

typedef struct decider {
    cli_context *cli;
    const options *options;
    f0t_catalogue *catalogue;
    f0t_decision decision;
    json_t *list; /* with --json */
    size_t tags, pictures;
} decider;

/* ---- One picture -------------------------------------------------------------------------- */

static f0t_status decide(decider *d, const f0t_catalogue_picture *picture, const char *tag)
{
    f0t_status status = f0t_catalogue_decide(d->catalogue, picture->id, tag, d->decision,
                                             cli_decider(d->options->by));
    if (status == F0T_OK && d->list)
        json_array_append_new(d->list,
                              json_pack("{s:I, s:o, s:s, s:s}", "id", (json_int_t)picture->id,
                                        "picture", cli_path_json(picture->path), "tag", tag,
                                        "decision", cli_decision_name(d->decision)));
    d->tags += status == F0T_OK;
    return status;
}

static f0t_status decide_all(decider *d, const char *path, const char *const *tags, size_t count)
{
    f0t_catalogue_pictures *found;
    f0t_status status = f0t_catalogue_find_path(&found, d->catalogue, path);
    for (size_t i = 0; i < count && status == F0T_OK; i++)
        status = decide(d, &found->items[0], tags[i]);
    d->pictures += status == F0T_OK;
    f0t_catalogue_pictures_free(found);
    return status;
}

/* ---- Lines -------------------------------------------------------------------------------- */

/* PICTURE, a tab, TAG, and perhaps more of those. */
static f0t_status decide_line(decider *d, char *line, size_t number)
{
    enum { TAGS_MOST = 1024 };
    const char *tags[TAGS_MOST], *name = d->options->from;
    size_t count = 0;
    char *rest = line, *path = strsep(&rest, "\t");
    for (char *tag; (tag = strsep(&rest, "\t"));) {
        if (*tag && count == TAGS_MOST)
            return cli_fail(d->cli, F0T_ERROR_FORMAT,
                            "%s:%zu: more than %d tags; give the others a line of their own", name,
                            number, TAGS_MOST);
        if (*tag)
            tags[count++] = tag;
    }
    if (!*path || !count)
        return cli_fail(d->cli, F0T_ERROR_FORMAT, "%s:%zu: a picture, a tab and a tag are expected",
                        name, number);
    f0t_status status = decide_all(d, path, tags, count);
    return status == F0T_OK
               ? status
               : cli_fail(d->cli, status, "%s:%zu: %s", name, number, f0t_last_error());
}

static f0t_status decide_lines(decider *d, char *text)
{
    f0t_status status = F0T_OK;
    size_t number = 0;
    for (char *line; status == F0T_OK && (line = strsep(&text, "\n"));) {
        size_t length = strlen(line);
        number++;
        while (length && line[length - 1] == '\r')
            line[--length] = 0;
        if (length)
            status = decide_line(d, line, number);
    }
    return status;
}

/* All of it, up to its end or a NUL byte, which no path or tag has. */
static f0t_status read_all(char **text, decider *d, FILE *file)
{
    size_t room = 0, lines = 1;
    const ssize_t length = getdelim(text, &room, 0, file);
    if (length < 0 && (ferror(file) || !feof(file)))
        return cli_fail(d->cli, F0T_ERROR_IO, "%s: %s", d->options->from, strerror(errno));
    if (length < 0) { /* there is room, and nothing in it */
        free(*text);
        *text = NULL;
    }
    if (!*text || (size_t)length == strlen(*text))
        return F0T_OK;
    for (const char *at = *text; (at = strchr(at, '\n')); at++)
        lines++;
    return cli_fail(d->cli, F0T_ERROR_FORMAT, "%s:%zu: a NUL byte; text is expected",
                    d->options->from, lines);
}

/* *text, which free() frees, is NULL where the file is empty. */
static f0t_status read_file(char **text, decider *d)
{
    const bool standard = !strcmp(d->options->from, "-");
    FILE *file = standard ? stdin : fopen(d->options->from, "r");
    if (!file)
        return cli_fail(d->cli, errno == ENOENT ? F0T_ERROR_NOT_FOUND : F0T_ERROR_IO, "%s: %s",
                        d->options->from, strerror(errno));
    f0t_status status = read_all(text, d, file);
    if (!standard)
        fclose(file);
    return status;
}

/* ---- The command -------------------------------------------------------------------------- */

static f0t_status check_operands(cli_context *cli, const options *o)
{
    if (o->from && cli->operand_count)
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "pictures and tags come from --from %s: leave out '%s'", o->from,
                        cli->operands[0]);
    if (!o->from && cli->operand_count < 2)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "missing operand: %s",
                        cli->operand_count ? "TAG" : "PICTURE TAG…, or --from FILE");
    return F0T_OK;
}

/* All of it is one change: a line that is wrong leaves the catalogue as it was. */
static f0t_status change(decider *d, char *text)
{
    cli_context *cli = d->cli;
    f0t_status status = f0t_catalogue_begin(d->catalogue);
    if (status != F0T_OK)
        return status;
    status = d->options->from
                 ? decide_lines(d, text)
                 : decide_all(d, cli->operands[0], cli->operands + 1, cli->operand_count - 1);
    if (status == F0T_OK)
        return f0t_catalogue_commit(d->catalogue);
    char message[sizeof cli->message];
    snprintf(message, sizeof message, "%s", *cli->message ? cli->message : f0t_last_error());
    (void)f0t_catalogue_rollback(d->catalogue);
    return cli_fail(cli, status, "%s", message);
}

/* A file is read before the change begins: others may write to the catalogue while a pipe is slow. */
static f0t_status read_and_change(decider *d)
{
    char *text = NULL;
    f0t_status status = d->options->from ? read_file(&text, d) : F0T_OK;
    if (status == F0T_OK)
        status = change(d, text);
    free(text);
    return status;
}

static f0t_status report(const decider *d)
{
    if (d->list)
        return cli_print_json(d->cli, json_incref(d->list));
    printf("%zu tag%s of %zu picture%s %s\n", d->tags, d->tags == 1 ? "" : "s", d->pictures,
           d->pictures == 1 ? "" : "s", cli_decision_name(d->decision));
    return F0T_OK;
}

static f0t_status run(cli_context *cli, const options *o, f0t_decision decision)
{
    decider d = {.cli = cli, .options = o, .decision = o->undo ? F0T_UNDECIDED : decision};
    f0t_catalogue_options how = F0T_CATALOGUE_OPTIONS;
    how.mode = F0T_CATALOGUE_WRITE;
    f0t_status status = check_operands(cli, o);
    if (status == F0T_OK)
        status = f0t_catalogue_open(&d.catalogue, o->catalogue, &how);
    d.list = cli->json ? json_array() : NULL;
    if (status == F0T_OK)
        status = read_and_change(&d);
    if (status == F0T_OK)
        status = report(&d);
    json_decref(d.list);
    f0t_catalogue_close(d.catalogue);
    return status;
}

static f0t_status run_accept(cli_context *cli, const void *given)
{
    return run(cli, given, F0T_ACCEPTED);
}

static f0t_status run_reject(cli_context *cli, const void *given)
{
    return run(cli, given, F0T_REJECTED);
}

#define AT(field) offsetof(options, field)

static const cli_option table[] = {
    CLI_CATALOGUE_OPTION(AT(catalogue)),
    {"from", 0, CLI_TEXT, AT(from), "FILE",
     "Pictures and tags from a file, or '-' for standard input: a picture, a tab, a tag and "
     "perhaps more tabs and tags per line. All of it is done, or nothing.",
     NULL},
    {"undo", 0, CLI_FLAG, AT(undo), NULL,
     "Take back what was decided about these tags, whatever it was.", NULL},
    CLI_BY_OPTION(AT(by)),
    {.name = NULL},
};

static const cli_example accept_examples[] = {
    {"fast0tag accept ~/Pictures/1.jpg dog \"palm tree\"", "The picture has these two tags."},
    {"fast0tag accept --from good.tsv -c all.f0t", "What somebody else went through."},
    {.command = NULL},
};

const cli_verb cli_verb_accept = {
    .name = "accept",
    .summary = "say that tags of a picture are right",
    .operands = "PICTURE TAG…",
    .least = 0,
    .most = SIZE_MAX,
    .description = "Notes in the catalogue that the picture has these tags, suggested or not. "
                   "'fast0tag write' writes them into the picture's file, and training learns "
                   "from them. A later decision about the same tag counts instead. No file but "
                   "the catalogue changes.",
    .options = table,
    .examples = accept_examples,
    .json = true,
    .options_size = sizeof(options),
    .run = run_accept,
};

static const cli_example reject_examples[] = {
    {"fast0tag reject ~/Pictures/1.jpg cat", "It is no cat; that is not suggested again."},
    {"fast0tag reject --undo ~/Pictures/1.jpg cat", "Perhaps it is."},
    {.command = NULL},
};

const cli_verb cli_verb_reject = {
    .name = "reject",
    .summary = "say that tags of a picture are wrong",
    .operands = "PICTURE TAG…",
    .least = 0,
    .most = SIZE_MAX,
    .description = "Notes in the catalogue that the picture does not have these tags: they are "
                   "not suggested for it again, training learns from that, and 'fast0tag write' "
                   "takes them away where it has written them. Keywords that a person gave the "
                   "picture's file stay. No file but the catalogue changes.",
    .options = table,
    .examples = reject_examples,
    .json = true,
    .options_size = sizeof(options),
    .run = run_reject,
};
