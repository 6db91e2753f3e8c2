#include "eval/details.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

/* Quoted where it must be. */
static f0t_status write_text(f0t_writer *w, const char *text)
{
    if (!strpbrk(text, ",\"\n\r"))
        return f0t_writer_write(w, text, strlen(text));
    F0T_TRY(f0t_writer_write(w, "\"", 1));
    for (const char *c = text; *c; c++) {
        if (*c == '"')
            F0T_TRY(f0t_writer_write(w, "\"", 1));
        F0T_TRY(f0t_writer_write(w, c, 1));
    }
    return f0t_writer_write(w, "\"", 1);
}

/* Millionths as percent, with a point in every locale; nothing where there is nothing. */
static f0t_status write_share(f0t_writer *w, const int32_t *shares, size_t count, size_t i)
{
    if (i >= count || shares[i] < 0)
        return f0t_writer_write(w, ",", 1);
    return f0t_writer_printf(w, ",%d.%04d", (int)(shares[i] / 10000), (int)(shares[i] % 10000));
}

static f0t_status open_one(f0t_writer **out, const f0t_eval *e, const char *folder,
                           f0t_scenario scenario, const char *what, const char *head)
{
    char name[80], *path;
    snprintf(name, sizeof name, "%s-%s.csv", f0t_scenario_name(scenario), what);
    F0T_TRY(f0t_path_join(&path, folder, name));
    f0t_status status = f0t_writer_open(out, path);
    f0t_free(path);
    if (status == F0T_OK)
        status = f0t_writer_write(*out, head, strlen(head));
    for (size_t m = 0; m < e->plan.method_count && status == F0T_OK; m++)
        status = f0t_writer_printf(*out, ",%s", e->plan.methods[m]->name);
    return status == F0T_OK ? f0t_writer_write(*out, "\n", 1) : status;
}

f0t_status f0t_details_open(f0t_details *d, const f0t_eval *e, const char *folder)
{
    F0T_TRY(f0t_folder_create(folder));
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        if (!e->plan.asked[s])
            continue;
        const f0t_scenario scenario = (f0t_scenario)s;
        F0T_TRY(open_one(&d->images[s], e, folder, scenario, "images", "run,image"));
        F0T_TRY(open_one(&d->tags[s], e, folder, scenario, "tags", "run,tag,kind,images"));
    }
    return F0T_OK;
}

/* The images whose precisions are kept: all, or some evenly from the first to the last. */
static f0t_status add_images(f0t_writer *w, const f0t_eval *e, size_t run, f0t_scenario scenario,
                             const f0t_eval_split *split)
{
    const size_t images = split->truth.count;
    const size_t count = images < F0T_PRECISIONS_MOST ? images : F0T_PRECISIONS_MOST;
    for (size_t i = 0; i < count; i++) {
        const uint32_t row = split->truth.images[i * images / count];
        const char *name = f0t_dataset_image(e->dataset, row);
        F0T_TRY(f0t_writer_printf(w, "%zu,", run + 1));
        F0T_TRY(name ? write_text(w, name) : f0t_writer_printf(w, "%zu", (size_t)row + 1));
        for (size_t m = 0; m < e->plan.method_count; m++) {
            const f0t_eval_cell *cell = f0t_eval_cell_at(e, run, m, scenario);
            F0T_TRY(write_share(w, cell->precisions, cell->precision_count, i));
        }
        F0T_TRY(f0t_writer_write(w, "\n", 1));
    }
    return F0T_OK;
}

static f0t_status add_tags(f0t_writer *w, const f0t_eval *e, size_t run, f0t_scenario scenario,
                           const f0t_eval_split *split)
{
    size_t *images;
    F0T_TRY(f0t_alloc_zero(&images, split->count, sizeof *images));
    for (size_t i = 0; i < split->truth.offsets[split->truth.count]; i++)
        images[split->truth.relevant[i]]++;
    f0t_status status = F0T_OK;
    for (size_t t = 0; t < split->count && status == F0T_OK; t++) {
        const unsigned kind = e->tags.kind[split->tags[t]];
        status = f0t_writer_printf(w, "%zu,", run + 1);
        if (status == F0T_OK)
            status = write_text(w, f0t_vocab_tag(e->tags.vocab, split->tags[t]));
        if (status == F0T_OK)
            status = f0t_writer_printf(w, ",%s,%zu",
                                       kind == F0T_TAG_SEEN     ? "seen"
                                       : kind == F0T_TAG_UNSEEN ? "unseen"
                                                                : "other",
                                       images[t]);
        for (size_t m = 0; m < e->plan.method_count && status == F0T_OK; m++) {
            const f0t_eval_cell *cell = f0t_eval_cell_at(e, run, m, scenario);
            status = write_share(w, cell->tag_precisions, cell->tag_precision_count, t);
        }
        if (status == F0T_OK)
            status = f0t_writer_write(w, "\n", 1);
    }
    f0t_free(images);
    return status;
}

f0t_status f0t_details_add(f0t_details *d, const f0t_eval *e, size_t run, f0t_scenario scenario,
                           const f0t_eval_split *split)
{
    F0T_TRY(add_images(d->images[scenario], e, run, scenario, split));
    return add_tags(d->tags[scenario], e, run, scenario, split);
}

f0t_status f0t_details_finish(f0t_details *d, f0t_status status)
{
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        status = f0t_writer_finish(d->images[s], status);
        status = f0t_writer_finish(d->tags[s], status);
        d->images[s] = d->tags[s] = NULL;
    }
    return status;
}
