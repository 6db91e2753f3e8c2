/* The pictures: which, their features and their keywords; what is special about Debian's clip art. */
#include "base/alloc.h"
#include "base/monitor.h"
#include "demo/demo.h"
#include "io/file.h"

#include <string.h>

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

f0t_clean_list f0t_clipart_list(void)
{
    return (f0t_clean_list){.drop = DROP, .count = sizeof DROP / sizeof *DROP};
}

/* ---- Finding them ------------------------------------------------------------------------------ */

static f0t_status no_clipart(void)
{
    return f0t_fail(
        F0T_ERROR_NOT_FOUND,
        "%s is not there: install Debian's package openclipart-svg, or give a folder of "
        "pictures that carry keywords (fast0tag demo FOLDER -o DIR)",
        F0T_DEMO_FOLDER);
}

static f0t_status take_paths(f0t_demo_work *work, const f0t_pictures *found)
{
    size_t count;
    const char *const *paths = f0t_pictures_paths(&count, found);
    for (size_t i = 0; i < count; i++)
        if (work->clipart && f0t_clipart_is_generated(paths[i]))
            work->generated++;
        else
            F0T_TRY(f0t_texts_add(&work->paths, paths[i], strlen(paths[i])));
    return F0T_OK;
}

f0t_status f0t_demo_find_pictures(f0t_demo_work *work)
{
    const char *folder = work->options.pictures ? work->options.pictures : F0T_DEMO_FOLDER;
    f0t_pictures *found;
    work->clipart = !work->options.pictures;
    if (work->clipart && !f0t_path_is_folder(folder))
        return no_clipart();
    F0T_TRY(f0t_pictures_find(&found, &folder, 1, NULL));
    f0t_status status = take_paths(work, found);
    f0t_pictures_free(found);
    F0T_TRY(status);
    if (!work->paths.count)
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: has no pictures", folder);
    f0t_log(f0t_context_monitor(NULL), F0T_LOG_INFO, "%zu pictures in %s", work->paths.count,
            folder);
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

static void log_notes(const f0t_import_report *report)
{
    for (size_t i = 0; i < f0t_import_report_note_count(report); i++) {
        const f0t_import_note *note = f0t_import_report_note(report, i);
        f0t_log(f0t_context_monitor(NULL), F0T_LOG_INFO, "%llu %s", (unsigned long long)note->count,
                note->what);
    }
}

static f0t_status import(const f0t_demo_work *work, const char *path)
{
    f0t_monitor outer;
    const f0t_monitor monitor = without_log(&outer, f0t_context_monitor(NULL));
    f0t_import_options how = {.size = sizeof(f0t_import_options), .replace = true};
    f0t_import_report *report = NULL;
    const char **sources;
    F0T_TRY(f0t_alloc(&sources, work->paths.count, sizeof *sources));
    for (size_t i = 0; i < work->paths.count; i++)
        sources[i] = f0t_texts_get(&work->paths, i);
    f0t_status status = f0t_backbone_open(&how.extract, "builtin", NULL, F0T_WATCHED(&monitor));
    if (status == F0T_OK)
        status = f0t_import(&report, path, "photos", sources, work->paths.count, &how,
                            F0T_WATCHED(&monitor));
    if (status == F0T_OK)
        log_notes(report);
    f0t_import_report_free(report);
    f0t_backbone_close(how.extract);
    f0t_free(sources);
    return status;
}

/* Features of pictures that have not changed are taken from a dataset that is there. */
f0t_status f0t_demo_describe_pictures(f0t_demo_work *work)
{
    char *path;
    F0T_TRY(f0t_demo_path(&path, work, "pictures"));
    f0t_status status = F0T_OK;
    if (!work->same || f0t_dataset_open(&work->pictures, path, NULL, NULL) != F0T_OK) {
        status = import(work, path);
        if (status == F0T_OK)
            status = f0t_dataset_open(&work->pictures, path, NULL, NULL);
    }
    f0t_free(path);
    return status;
}
