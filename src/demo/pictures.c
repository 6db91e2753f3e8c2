/* The pictures: which, their features, their keywords and the tags that are made of them; what is special
 * about Debian's clip art. */
#include "demo/demo.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Debian's clip art --------------------------------------------------------------------- */

bool f0t_clipart_is_generated(const char *path)
{
    return strstr(path, "/shapes/stars/") != NULL;
}

size_t f0t_clipart_series(const char *path)
{
    size_t length = strlen(path);
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    if (dot && slash && dot > slash)
        length = (size_t)(dot - path);
    while (length > 1 && strchr("0123456789_-", path[length - 1]))
        length--;
    return length;
}

static const char *const DROP[] = {
    /* Icon themes and the contexts into which they sort their icons (freedesktop.org's icon naming
     * specification): what a button is for, not what is drawn on it. */
    "theme", "themes", "lemon theme*", "flat theme*", "etiquette*", "icon", "icons", "appicon",
    "action", "actions", "application", "applications", "filesystem", "filesystems", "mimetype",
    "mimetypes", "mime type", "mime types", "stock",
    /* Shelves of the collection. */
    "externalsource", "miscellany", "signs and symbols", "special", "united nations member"};

const char *const *f0t_clipart_drop(size_t *count)
{
    *count = sizeof DROP / sizeof *DROP;
    return DROP;
}

/* ---- Finding them ------------------------------------------------------------------------------ */

static f0t_status check_clipart(void)
{
    struct stat info;
    if (stat(F0T_DEMO_FOLDER, &info) == 0 && S_ISDIR(info.st_mode))
        return F0T_OK;
    return f0t_demo_fail(
        F0T_ERROR_NOT_FOUND,
        "%s is not there: install Debian's package openclipart-svg, or give a folder of "
        "pictures that carry keywords (fast0tag demo FOLDER -o DIR)",
        F0T_DEMO_FOLDER);
}

static f0t_status take_paths(f0t_demo_work *work)
{
    size_t count;
    const char *const *paths = f0t_pictures_paths(&count, work->found);
    work->paths = malloc((count + 1) * sizeof *work->paths);
    if (!work->paths)
        return f0t_demo_fail_memory();
    for (size_t i = 0; i < count; i++)
        if (work->clipart && f0t_clipart_is_generated(paths[i]))
            work->generated++;
        else
            work->paths[work->path_count++] = paths[i];
    return F0T_OK;
}

f0t_status f0t_demo_find_pictures(f0t_demo_work *work)
{
    const char *folder = work->options.pictures ? work->options.pictures : F0T_DEMO_FOLDER;
    work->clipart = !work->options.pictures;
    if (work->clipart)
        F0T_DEMO_TRY(check_clipart());
    F0T_DEMO_TRY(f0t_pictures_find(&work->found, &folder, 1, work->context));
    F0T_DEMO_TRY(take_paths(work));
    if (!work->path_count)
        return f0t_demo_fail(F0T_ERROR_NOT_FOUND, "%s: has no pictures", folder);
    f0t_demo_log(work, "%zu pictures in %s", work->path_count, folder);
    return F0T_OK;
}

/* ---- Features and keywords --------------------------------------------------------------------- */

static void pass_progress(void *user, const f0t_progress *progress)
{
    const f0t_monitor *outer = user;
    outer->progress(outer->user, progress);
}

/* The caller's monitor without its log: in a large collection some pictures are always broken, and how
 * many is enough to know. */
static f0t_monitor without_log(f0t_monitor *outer, const f0t_monitor *given)
{
    *outer = given ? *given : (f0t_monitor){0};
    return (f0t_monitor){
        .progress = outer->progress ? pass_progress : NULL, .user = outer, .stop = outer->stop};
}

static void log_notes(const f0t_demo_work *work, const f0t_import_report *report)
{
    for (size_t i = 0; i < f0t_import_report_note_count(report); i++) {
        const f0t_import_note *note = f0t_import_report_note(report, i);
        f0t_demo_log(work, "%llu %s", (unsigned long long)note->count, note->what);
    }
}

static f0t_status import_in(const f0t_demo_work *work, const char *path, const f0t_context *quiet)
{
    f0t_import_options how = F0T_IMPORT_OPTIONS;
    f0t_import_report *report = NULL;
    how.replace = true;
    F0T_DEMO_TRY(f0t_backbone_open(&how.extract, "builtin", NULL, quiet));
    f0t_status status =
        f0t_import(&report, path, "photos", work->paths, work->path_count, &how, quiet);
    if (status == F0T_OK)
        log_notes(work, report);
    f0t_import_report_free(report);
    f0t_backbone_close(how.extract);
    return status;
}

static f0t_status import(const f0t_demo_work *work, const char *path)
{
    f0t_monitor outer;
    const f0t_monitor monitor = without_log(&outer, f0t_context_monitor(work->context));
    f0t_context_options options = F0T_CONTEXT_OPTIONS;
    f0t_context *quiet;
    options.threads = work->context ? f0t_context_threads(work->context) : 0;
    options.monitor = &monitor;
    F0T_DEMO_TRY(f0t_context_create(&quiet, &options));
    f0t_status status = import_in(work, path, quiet);
    f0t_context_free(quiet);
    return status;
}

/* Features of pictures that have not changed are taken from a dataset that is there. */
f0t_status f0t_demo_describe_pictures(f0t_demo_work *work)
{
    char path[F0T_DEMO_PATH_SIZE];
    f0t_demo_path(path, work, "pictures");
    if (work->same && f0t_dataset_open(&work->pictures, path, NULL, work->context) == F0T_OK)
        return F0T_OK;
    F0T_DEMO_TRY(import(work, path));
    return f0t_dataset_open(&work->pictures, path, NULL, work->context);
}

/* ---- Clean tags -------------------------------------------------------------------------------- */

enum { TAGS_LEAST = 8 };

static const double TEST = 0.2, VAL = 0.1;
static const char UNSEEN[] = "20%";

static f0t_status clean(f0t_demo_work *work)
{
    f0t_clean_options options = F0T_CLEAN_OPTIONS;
    if (work->clipart)
        options.drop = f0t_clipart_drop(&options.drop_count);
    F0T_DEMO_TRY(
        f0t_tags_clean(&work->cleaning, work->pictures, work->vectors, &options, work->context));
    if (work->cleaning->tag_count < TAGS_LEAST)
        return f0t_demo_fail(
            F0T_ERROR_FORMAT,
            "%s: %zu of the keywords of its %zu pictures mean something and are in %zu "
            "pictures or more; %d such tags are needed",
            work->options.pictures ? work->options.pictures : F0T_DEMO_FOLDER,
            work->cleaning->tag_count, f0t_dataset_image_count(work->pictures),
            work->cleaning->least, TAGS_LEAST);
    return F0T_OK;
}

/* The series of each picture of the clip art: one is not learned and tested at the same time. */
static f0t_status list_series(char **out, const f0t_dataset *pictures)
{
    for (size_t m = 0; m < f0t_dataset_image_count(pictures); m++) {
        const char *path = f0t_dataset_image(pictures, m);
        out[m] = strndup(path, f0t_clipart_series(path));
        if (!out[m])
            return f0t_demo_fail_memory();
    }
    return F0T_OK;
}

static f0t_status save_collection(const f0t_demo_work *work, const char *path, bool *unseen,
                                  char **series)
{
    f0t_cleaning_layout layout = F0T_CLEANING_LAYOUT;
    layout.name = work->clipart ? "clip art" : NULL;
    layout.replace = true;
    layout.seed = work->options.seed;
    layout.val = VAL;
    layout.test = TEST;
    layout.unseen = unseen;
    F0T_DEMO_TRY(f0t_unseen_draw(unseen, UNSEEN, work->cleaning->tag_count, work->options.seed));
    if (work->clipart) {
        F0T_DEMO_TRY(list_series(series, work->pictures));
        layout.groups = (const char *const *)series;
    }
    return f0t_cleaning_save(work->cleaning, path, &layout, work->context);
}

static f0t_status make_collection(const f0t_demo_work *work, const char *path)
{
    const size_t images = f0t_dataset_image_count(work->pictures);
    bool *unseen = calloc(work->cleaning->tag_count + 1, sizeof *unseen);
    char **series = calloc(images + 1, sizeof *series);
    f0t_status status =
        unseen && series ? save_collection(work, path, unseen, series) : f0t_demo_fail_memory();
    for (size_t m = 0; series && m < images; m++)
        free(series[m]);
    free(series);
    free(unseen);
    return status;
}

/* Where there is no split.txt the seed draws it. */
static f0t_status open_collection(f0t_demo_work *work, const char *path)
{
    f0t_dataset_options split = F0T_DATASET_OPTIONS;
    split.seed = work->options.seed;
    split.val = VAL;
    split.test = TEST;
    return f0t_dataset_open(&work->collection, path, &split, work->context);
}

f0t_status f0t_demo_clean_tags(f0t_demo_work *work)
{
    char path[F0T_DEMO_PATH_SIZE];
    F0T_DEMO_TRY(clean(work));
    f0t_demo_path(path, work, "collection");
    if (work->same && open_collection(work, path) == F0T_OK)
        return F0T_OK;
    F0T_DEMO_TRY(make_collection(work, path));
    return open_collection(work, path);
}
