/* f0t_demo_run: the steps in their order. */
#include "base/alloc.h"
#include "base/monitor.h"
#include "demo/demo.h"
#include "io/file.h"

#include <string.h>

/* What the caller sees, and what it stands on. */
typedef struct result {
    f0t_demo shown;
    f0t_demo_work work;
    char *page, *story;
} result;

f0t_status f0t_demo_path(char **out, const f0t_demo_work *work, const char *name)
{
    return f0t_path_join(out, work->output, name);
}

static void count(f0t_demo *demo, const f0t_demo_work *work)
{
    demo->pictures = work->paths.count;
    demo->images = f0t_dataset_image_count(work->collection);
    f0t_dataset_seen(work->collection, &demo->seen);
    f0t_dataset_unseen(work->collection, &demo->unseen);
    demo->tags = demo->seen + demo->unseen;
    demo->nouns = f0t_vocab_size(work->nouns);
    demo->eval = work->eval;
    demo->seconds = f0t_time() - work->began;
}

static f0t_status take_steps(f0t_demo_work *work)
{
    F0T_TRY(f0t_demo_check(work));
    F0T_TRY(f0t_demo_find_pictures(work));
    F0T_TRY(f0t_demo_open_folder(work));
    F0T_TRY(f0t_demo_open_vectors(work));
    F0T_TRY(f0t_demo_compare_state(work));
    F0T_TRY(f0t_demo_describe_pictures(work));
    F0T_TRY(f0t_demo_clean_tags(work));
    F0T_TRY(f0t_demo_save_state(work));
    F0T_TRY(f0t_demo_compare(work));
    F0T_TRY(f0t_demo_train(work));
    return f0t_demo_open_vocabulary(work);
}

static f0t_status run(result *r)
{
    F0T_TRY(take_steps(&r->work));
    F0T_TRY(f0t_demo_path(&r->page, &r->work, "index.html"));
    r->shown.page = r->page;
    count(&r->shown, &r->work);
    F0T_TRY(f0t_demo_write_page(&r->work, &r->shown));
    F0T_TRY(f0t_demo_write_story(&r->story, &r->work, &r->shown));
    r->shown.story = r->story;
    return F0T_OK;
}

f0t_status f0t_demo_run(f0t_demo **out, const char *output, const f0t_demo_options *options)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(output);
    result *r;
    F0T_TRY(f0t_alloc_zero(&r, 1, sizeof *r));
    r->work.output = output;
    r->work.began = f0t_time();
    if (options)
        r->work.options = *options;
    f0t_status status = run(r);
    if (status == F0T_OK)
        *out = &r->shown;
    else
        f0t_demo_free(&r->shown);
    return status;
}

void f0t_demo_free(f0t_demo *demo)
{
    result *r = (result *)demo;
    if (!r)
        return;
    f0t_vocab_free(r->work.nouns);
    f0t_model_free(r->work.model);
    f0t_eval_free(r->work.eval);
    f0t_free(r->work.copy);
    f0t_cleaned_free(&r->work.cleaned);
    f0t_dataset_close(r->work.collection);
    f0t_dataset_close(r->work.pictures);
    f0t_vectors_close(r->work.vectors);
    f0t_texts_free(&r->work.paths);
    f0t_free(r->page);
    f0t_free(r->story);
    f0t_free(r);
}
