/* fast0tag untag: takes away what `tag --xmp` and `tag --embed` wrote. */
#include "cli.h"

typedef struct options {
    bool dry_run, touch;
} options;

/* Where tags may be: in the picture, in NAME.jpg.xmp, in NAME.xmp. */
enum { PLACES = 3 };

typedef struct untagger {
    cli_context *cli;
    const options *options;
    f0t_sidecars *places[PLACES];
    size_t pictures, sidecars; /* files that changed */
    size_t failed;
} untagger;

static f0t_status open_places(untagger *u)
{
    f0t_status status = F0T_OK;
    for (size_t i = 0; i < PLACES && status == F0T_OK; i++) {
        const f0t_sidecar_options how = {.size = sizeof(f0t_sidecar_options),
                                         .embed = i == 0,
                                         .plain_name = i == 2,
                                         .dry_run = u->options->dry_run,
                                         .touch = u->options->touch,
                                         .folders = u->cli->operands,
                                         .folder_count = u->cli->operand_count};
        status = f0t_sidecars_open(&u->places[i], &how);
    }
    return status;
}

static void say_change(const untagger *u, const char *path, const char *change)
{
    char line[4400];
    snprintf(line, sizeof line, "%s would change: %s", path, change);
    u->cli->monitor->log(u->cli->monitor->user, F0T_LOG_INFO, line);
}

static f0t_status untag(untagger *u, const char *picture)
{
    for (size_t i = 0; i < PLACES; i++) {
        const char *path;
        bool changed;
        f0t_status status = f0t_sidecars_remove(&path, &changed, u->places[i], picture);
        if (status == F0T_ERROR_MEMORY)
            return status;
        if (status != F0T_OK) { /* this file's own trouble */
            u->failed++;
            u->cli->monitor->log(u->cli->monitor->user, F0T_LOG_WARNING, f0t_last_error());
            continue;
        }
        if (changed && u->options->dry_run)
            say_change(u, path, f0t_sidecars_change(u->places[i]));
        u->pictures += changed && i == 0;
        u->sidecars += changed && i > 0;
    }
    return F0T_OK;
}

static f0t_status untag_all(untagger *u, const char *const *paths, size_t count)
{
    f0t_progress progress = {.stage = "untagging", .unit = "pictures", .total = count};
    for (size_t i = 0; i < count; i++) {
        f0t_status status = untag(u, paths[i]);
        if (status != F0T_OK)
            return status;
        if (*u->cli->monitor->stop)
            return cli_fail(u->cli, F0T_ERROR_INTERRUPTED, "interrupted after %zu of %zu pictures",
                            i + 1, count);
        progress.done = i + 1;
        if (u->cli->monitor->progress)
            u->cli->monitor->progress(u->cli->monitor->user, &progress);
    }
    return F0T_OK;
}

static f0t_status report(const untagger *u, size_t count)
{
    if (u->cli->json)
        return cli_print_json(u->cli,
                              json_pack("{s:I, s:I, s:I, s:I, s:b}", "looked_at", (json_int_t)count,
                                        "pictures", (json_int_t)u->pictures, "sidecars",
                                        (json_int_t)u->sidecars, "failed", (json_int_t)u->failed,
                                        "dry_run", u->options->dry_run));
    printf("our tags %s from %zu sidecar%s and %zu picture%s; %zu picture%s looked at\n",
           u->options->dry_run ? "would be removed" : "removed", u->sidecars,
           u->sidecars == 1 ? "" : "s", u->pictures, u->pictures == 1 ? "" : "s", count,
           count == 1 ? "" : "s");
    return F0T_OK;
}

static f0t_status run(cli_context *cli, const void *given)
{
    untagger u = {.cli = cli, .options = given};
    f0t_pictures *pictures = NULL;
    size_t count = 0;
    f0t_status status =
        f0t_pictures_find(&pictures, cli->operands, cli->operand_count, cli->context);
    if (status == F0T_OK)
        status = open_places(&u);
    if (status == F0T_OK) {
        const char *const *paths = f0t_pictures_paths(&count, pictures);
        status = count
                     ? untag_all(&u, paths, count)
                     : cli_fail(cli, F0T_ERROR_NOT_FOUND, "%s: has no pictures", cli->operands[0]);
    }
    if (status == F0T_OK)
        status = report(&u, count);
    if (status == F0T_OK && u.failed)
        status = cli_fail(cli, F0T_ERROR_IO, "%zu file%s could not be read or written", u.failed,
                          u.failed == 1 ? "" : "s");
    for (size_t i = 0; i < PLACES; i++)
        f0t_sidecars_close(u.places[i]);
    f0t_pictures_free(pictures);
    return status;
}

#define AT(field) offsetof(options, field)

static const cli_option table[] = {
    {"dry-run", 0, CLI_FLAG, AT(dry_run), NULL, "Only print which files would change, and how.",
     NULL},
    {"touch", 0, CLI_FLAG, AT(touch), NULL,
     "Set the modification time of changed pictures to now. Default: keep it.", NULL},
    {.name = NULL},
};

static const cli_example examples[] = {
    {"fast0tag untag ~/Pictures/new --dry-run", "Says what would be removed, and from where."},
    {"fast0tag untag ~/Pictures/new", "Removes it."},
    {.command = NULL},
};

const cli_verb cli_verb_untag = {
    .name = "untag",
    .summary = "remove the tags that fast0tag wrote",
    .operands = "PICTURE|FOLDER…",
    .least = 1,
    .most = SIZE_MAX,
    .description = "Removes what 'fast0tag tag' wrote with --xmp or --embed, from sidecars and "
                   "from pictures, and nothing else: keywords from people and other programs, "
                   "before or after, stay, and so does all other metadata. A sidecar or packet "
                   "that fast0tag created, and that contains nothing else, is deleted.",
    .options = table,
    .examples = examples,
    .json = true,
    .pictures = true,
    .options_size = sizeof(options),
    .run = run,
};
