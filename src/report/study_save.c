#include "base/alloc.h"
#include "io/file.h"
#include "report/study.h"

#include <stdio.h>

/* Saves the text as folder/name and lets go of it. */
static f0t_status save(f0t_text *text, const char *folder, const char *name)
{
    char *path = NULL;
    f0t_status status = f0t_path_join(&path, folder, name);
    if (status == F0T_OK)
        status = f0t_text_save(text, path);
    f0t_free(path);
    f0t_text_free(text);
    return status;
}

static f0t_status save_figures(const f0t_study *study, const char *folder)
{
    for (int i = 0; i < F0T_STUDY_FIGURES; i++) {
        const f0t_study_figure figure = (f0t_study_figure)i;
        f0t_text text = {0};
        char name[64];
        if (!f0t_study_figure_exists(study, figure))
            continue;
        snprintf(name, sizeof name, "%s.svg", f0t_study_figure_name(figure));
        f0t_study_figure_draw(&text, study, figure);
        F0T_TRY(save(&text, folder, name));
    }
    return F0T_OK;
}

static f0t_status save_picture(const f0t_study_picture *picture, size_t number, const char *folder)
{
    f0t_text text = {0};
    char name[64];
    for (int tsne = 0; tsne < 2; tsne++) {
        snprintf(name, sizeof name, "offsets-%zu-%s.svg", number, tsne ? "tsne" : "pca");
        f0t_study_picture_draw(&text, picture, tsne);
        F0T_TRY(save(&text, folder, name));
    }
    snprintf(name, sizeof name, "offsets-%zu.csv", number);
    f0t_study_picture_csv(&text, picture);
    return save(&text, folder, name);
}

f0t_status f0t_study_save(const f0t_study *study, const char *folder)
{
    F0T_REQUIRE(study);
    F0T_REQUIRE(folder);
    f0t_text text = {0};
    F0T_TRY(f0t_folder_create(folder));
    F0T_TRY(save_figures(study, folder));
    for (size_t i = 0; i < study->picture_count; i++)
        F0T_TRY(save_picture(&study->pictures[i], i + 1, folder));
    f0t_study_csv(&text, study);
    F0T_TRY(save(&text, folder, "curves.csv"));
    f0t_study_json(&text, study);
    F0T_TRY(save(&text, folder, "study.json"));
    f0t_study_page(&text, study);
    return save(&text, folder, "index.html");
}
