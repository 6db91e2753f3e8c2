/* A dataset whose images are those of another, with tags of its own. */
#include "io/dataset.h"

#include "base/alloc.h"

#include <string.h>

static f0t_status copy_text(char **out, const char *text)
{
    return text ? f0t_string_copy(out, text, strlen(text)) : F0T_OK;
}

static f0t_status fill(f0t_dataset *view, const f0t_dataset *of)
{
    view->of = of;
    view->dim = of->dim;
    view->split_given = of->split_given;
    view->drawn = of->drawn;
    F0T_TRY(copy_text(&view->path, of->path));
    F0T_TRY(copy_text(&view->name, of->name));
    F0T_TRY(copy_text(&view->backbone, of->backbone));
    F0T_TRY(copy_text(&view->features_path, of->features_path));
    F0T_TRY(f0t_paths_copy(&view->paths, &of->paths));
    F0T_TRY(f0t_alloc(&view->split, of->rows.count, sizeof *view->split));
    memcpy(view->split, of->split, of->rows.count * sizeof *view->split);
    return F0T_OK;
}

f0t_status f0t_dataset_view(f0t_dataset **out, const f0t_dataset *of, f0t_names *tags,
                            f0t_rows *rows)
{
    f0t_dataset *view;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&view, 1, sizeof *view));
    f0t_status status = fill(view, of);
    if (status != F0T_OK) {
        f0t_dataset_close(view);
        return status;
    }
    view->tags = *tags;
    view->rows = *rows;
    *tags = (f0t_names){0};
    *rows = (f0t_rows){0};
    *out = view;
    return F0T_OK;
}
