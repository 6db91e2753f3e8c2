/*
 * The three datasets that the paper makes of NUS-WIDE: 81 concepts; 925 Flickr tags seen and the 81
 * concepts unseen; the 925 seen and 4,093 other raw Flickr tags unseen. The 925 are the 1,000
 * frequent tags without the 75 that are also concepts.
 */
#include "import/nuswide.h"

#include "base/alloc.h"
#include "base/monitor.h"

#include <stdio.h>
#include <string.h>

static const uint32_t NONE = UINT32_MAX;

enum { SET_81, SET_1K, SET_5K, SETS };
static const char *const set_names[SETS] = {"81", "1k", "5k"};

typedef struct nuswide {
    f0t_import_job *job;
    bool asked[SETS]; /* by name: then a missing file is a failure */
    bool make[SETS];
    f0t_nus_files files;
    f0t_nus_images images;
    f0t_names concepts, tags, words; /* 81; 1,000; those and the other raw tags */
    f0t_nus_marks concept_marks, tag_marks, raw_marks;
    bool has_tag_marks, has_raw_marks;
    uint32_t *seen_of; /* [words] number of a seen tag among the 925, UINT32_MAX */
    size_t seen_count;
    f0t_given_features given;
    f0t_nus_features *own;
    f0t_selection selection; /* the images of the datasets, and their rows of features */
    f0t_folder folder;
} nuswide;

static void release(nuswide *n)
{
    f0t_nus_files_free(&n->files);
    f0t_nus_images_free(&n->images);
    f0t_names_free(&n->concepts);
    f0t_names_free(&n->tags);
    f0t_names_free(&n->words);
    f0t_nus_marks_free(&n->concept_marks);
    f0t_nus_marks_free(&n->tag_marks);
    f0t_nus_marks_free(&n->raw_marks);
    f0t_free(n->seen_of);
    f0t_given_features_close(&n->given);
    f0t_nus_features_close(n->own);
    f0t_selection_free(&n->selection);
    f0t_folder_end(&n->folder);
}

/* ---- Features -------------------------------------------------------------------------------- */

static f0t_status read_feature_row(nuswide *n, size_t row, float *to)
{
    if (n->own)
        return f0t_nus_features_read(to, n->own, row);
    /* The source's rows are ours now. */
    return n->given.source.read(n->given.source.context, row, to);
}

static f0t_status copy_rows(nuswide *n, f0t_npy_writer *npy, float *row)
{
    f0t_stage stage = f0t_stage_begin(f0t_context_monitor(NULL), "writing features", "images",
                                      n->selection.count);
    for (size_t i = 0; i < n->selection.count; i++) {
        F0T_TRY(f0t_stage_update(&stage, i));
        F0T_TRY(read_feature_row(n, n->selection.rows[i], row));
        F0T_TRY(f0t_npy_write_rows(npy, row, 1));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

/* features.npy beside the datasets. */
static f0t_status write_features(nuswide *n, const char *path, size_t dim)
{
    f0t_npy_writer *npy = NULL;
    float *row;
    bool half = !n->own && n->given.source.half;
    F0T_TRY(f0t_alloc(&row, dim, sizeof *row));
    f0t_status status = f0t_npy_create(&npy, path, half ? F0T_F16 : F0T_F32, dim);
    if (status == F0T_OK)
        status = copy_rows(n, npy, row);
    if (status == F0T_OK)
        status = f0t_npy_commit(npy);
    else
        f0t_npy_abort(npy);
    f0t_free(row);
    return status;
}

/* ---- The datasets ---------------------------------------------------------------------------- */

static f0t_status add_names(f0t_collection *c, const nuswide *n, size_t set)
{
    uint32_t index;
    bool added;
    for (size_t i = 0; i < f0t_names_count(&n->words) && set != SET_81; i++)
        if (n->seen_of && n->seen_of[i] != NONE) {
            const char *word = f0t_names_get(&n->words, i);
            F0T_TRY(f0t_names_add(&index, NULL, &c->tags, word, strlen(word)));
        }
    c->seen = f0t_names_count(&c->tags);
    const f0t_names *others = set == SET_5K ? &n->words : &n->concepts;
    for (size_t i = 0; i < f0t_names_count(others); i++) {
        const char *word = f0t_names_get(others, i);
        F0T_TRY(f0t_names_add(&index, &added, &c->tags, word, strlen(word)));
        c->unseen += added && set != SET_81;
    }
    return F0T_OK;
}

/* Seen tags of an image: of the matrix, or where the release has none, of the raw tags. */
static f0t_status add_seen(f0t_collection *c, const nuswide *n, size_t m)
{
    size_t count;
    const f0t_nus_marks *marks = n->has_tag_marks ? &n->tag_marks : &n->raw_marks;
    const uint32_t *words = f0t_nus_marks_get(&count, marks, m);
    for (size_t i = 0; i < count; i++)
        if (n->seen_of[words[i]] != NONE)
            F0T_TRY(f0t_rows_add(&c->rows, n->seen_of[words[i]]));
    return F0T_OK;
}

static f0t_status add_concepts(f0t_collection *c, const nuswide *n, size_t m)
{
    size_t count;
    const uint32_t *concepts = f0t_nus_marks_get(&count, &n->concept_marks, m);
    for (size_t i = 0; i < count; i++)
        F0T_TRY(f0t_rows_add(&c->rows, (uint32_t)c->seen + concepts[i]));
    return F0T_OK;
}

/* `number` [words] gives the dataset's number of each unseen word. */
static f0t_status add_unseen(f0t_collection *c, const nuswide *n, const uint32_t *number, size_t m)
{
    size_t count;
    const uint32_t *words = f0t_nus_marks_get(&count, &n->raw_marks, m);
    for (size_t i = 0; i < count; i++)
        if (number[words[i]] != NONE)
            F0T_TRY(f0t_rows_add(&c->rows, number[words[i]]));
    return F0T_OK;
}

static f0t_status add_rows(f0t_collection *c, const nuswide *n, size_t set, const uint32_t *number)
{
    size_t count = f0t_names_count(&n->images.all);
    for (size_t m = 0; m < count; m++) {
        const char *name = f0t_names_get(&n->images.all, m);
        if (set != SET_81)
            F0T_TRY(add_seen(c, n, m));
        F0T_TRY(set == SET_5K ? add_unseen(c, n, number, m) : add_concepts(c, n, m));
        F0T_TRY(f0t_collection_end_row(c, name, strlen(name), n->images.split[m]));
    }
    return F0T_OK;
}

static f0t_status fill(f0t_collection *c, const nuswide *n, size_t set)
{
    size_t count = f0t_names_count(&n->words);
    uint32_t *number;
    F0T_TRY(add_names(c, n, set));
    F0T_TRY(f0t_alloc(&number, count, sizeof *number));
    for (size_t i = 0, next = c->seen; i < count; i++)
        number[i] = n->seen_of && n->seen_of[i] != NONE ? NONE : (uint32_t)next++;
    f0t_status status = add_rows(c, n, set, number);
    f0t_free(number);
    return status;
}

static f0t_status write_set(nuswide *n, size_t set, f0t_collection_target *target)
{
    const f0t_import_options *options = n->job->options;
    char name[256], label[16], *path = NULL, *shown = NULL;
    f0t_collection c = {0};
    snprintf(name, sizeof name, "%.200s %s", options->name ? options->name : "NUS-WIDE",
             set_names[set]);
    snprintf(label, sizeof label, "%s: ", set_names[set]);
    f0t_status status = fill(&c, n, set);
    if (status == F0T_OK)
        status = f0t_collection_draw_val(&c, &n->selection, n->job->val, options->seed);
    if (status == F0T_OK)
        status = f0t_path_join(&path, n->folder.temporary, set_names[set]);
    if (status == F0T_OK)
        status = f0t_path_join(&shown, n->job->output, set_names[set]);
    target->path = path;
    target->name = name;
    target->label = label;
    if (status == F0T_OK)
        status = f0t_collection_write(&c, &n->selection, target, shown, n->job->report);
    f0t_collection_free(&c);
    f0t_free(path);
    f0t_free(shown);
    return status;
}

/* Writes the features, where they are not only named, to `features`, and each set; puts all of it in
 * its place. */
static f0t_status write_sets(nuswide *n, const char *features)
{
    const f0t_import_options *options = n->job->options;
    f0t_collection_target target = {.backbone = n->job->backbone,
                                    .images = options->images,
                                    .monitor = f0t_context_monitor(NULL)};
    if (n->own || options->features) {
        target.dim = n->own ? f0t_nus_features_dim(n->own) : n->given.dim;
        target.features = n->given.refer ? n->given.path : features;
        if (!n->given.refer)
            F0T_TRY(write_features(n, features, target.dim));
    }
    for (size_t s = 0; s < SETS; s++)
        if (n->make[s])
            F0T_TRY(write_set(n, s, &target));
    return f0t_folder_commit(&n->folder);
}

/* ---- What is asked for ----------------------------------------------------------------------- */

static f0t_status choose_sets(nuswide *n)
{
    const char *at = n->job->options->sets;
    for (size_t s = 0; s < SETS; s++)
        n->make[s] = !at;
    while (at) {
        const char *comma = strchr(at, ',');
        size_t length = comma ? (size_t)(comma - at) : strlen(at), s = 0;
        while (s < SETS &&
               (strlen(set_names[s]) != length || memcmp(at, set_names[s], length) != 0))
            s++;
        if (s == SETS)
            return f0t_fail(F0T_ERROR_ARGUMENT, "'%s': sets are 81, 1k and 5k",
                            n->job->options->sets);
        n->make[s] = n->asked[s] = true;
        at = comma ? comma + 1 : NULL;
    }
    return F0T_OK;
}

/* A set that cannot be made is left out, unless it was asked for by name. */
static f0t_status leave_out(nuswide *n, size_t set, const char *what)
{
    if (!n->make[set])
        return F0T_OK;
    if (n->asked[set])
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: has no %s, which the set %s needs", n->files.root,
                        what, set_names[set]);
    n->make[set] = false;
    f0t_log(f0t_context_monitor(NULL), F0T_LOG_WARNING, "the set %s is not made: there is no %s",
            set_names[set], what);
    char text[128];
    snprintf(text, sizeof text, "set is not made, there is no %s:", what);
    return f0t_import_report_say(n->job->report, 1, text, set_names[set]);
}

static f0t_status read_words(nuswide *n, f0t_names *words, const char *name, bool *found)
{
    const char *path = f0t_nus_files_find(&n->files, "%s", name);
    f0t_stream *stream;
    *found = path != NULL;
    if (!path)
        return F0T_OK;
    F0T_TRY(f0t_nus_files_open(&stream, &n->files, path));
    f0t_status status = f0t_nus_read_words(words, stream);
    f0t_stream_close(stream);
    if (status == F0T_OK && !f0t_names_count(words))
        return f0t_fail(F0T_ERROR_FORMAT, "%s: has no words", path);
    return status;
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* The words of raw tags: the 1,000 first, so that they keep their numbers, then the other raw tags. */
static f0t_status join_words(nuswide *n, const f0t_names *raw)
{
    uint32_t index;
    for (size_t i = 0; i < f0t_names_count(&n->tags); i++) {
        const char *word = f0t_names_get(&n->tags, i);
        F0T_TRY(f0t_names_add(&index, NULL, &n->words, word, strlen(word)));
    }
    for (size_t i = 0; i < f0t_names_count(raw); i++) {
        const char *word = f0t_names_get(raw, i);
        F0T_TRY(f0t_names_add(&index, NULL, &n->words, word, strlen(word)));
    }
    return F0T_OK;
}

/* The 925: those of the 1,000 that are no concepts. */
static f0t_status number_seen(nuswide *n)
{
    size_t count = f0t_names_count(&n->words), shared = 0;
    const char *first = NULL;
    uint32_t index;
    F0T_TRY(f0t_alloc(&n->seen_of, count, sizeof *n->seen_of));
    for (size_t i = 0; i < count; i++) {
        const char *word = f0t_names_get(&n->words, i);
        n->seen_of[i] = NONE;
        if (i >= f0t_names_count(&n->tags))
            continue;
        if (!f0t_names_find(&index, &n->concepts, word, strlen(word)))
            n->seen_of[i] = (uint32_t)n->seen_count++;
        else if (!shared++)
            first = word;
    }
    return f0t_import_report_say(n->job->report, shared,
                                 "{tag of TagList1k.txt is also a concept and is no seen tag|tags "
                                 "of TagList1k.txt are also concepts and are not seen tags}",
                                 first);
}

static f0t_status read_lists(nuswide *n)
{
    f0t_names raw = {0};
    bool concepts, tags, words = false;
    F0T_TRY(read_words(n, &n->concepts, "Concepts81", &concepts));
    if (!concepts)
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: has no file Concepts81.txt", n->files.root);
    F0T_TRY(read_words(n, &n->tags, "TagList1k", &tags));
    if (!tags) {
        F0T_TRY(leave_out(n, SET_1K, "TagList1k.txt"));
        F0T_TRY(leave_out(n, SET_5K, "TagList1k.txt"));
    }
    f0t_status status = read_words(n, &raw, "Final_Tag_List", &words);
    if (status == F0T_OK && !words)
        status = leave_out(n, SET_5K, "Final_Tag_List.txt");
    if (status == F0T_OK)
        status = join_words(n, &raw);
    f0t_names_free(&raw);
    F0T_TRY(status);
    return tags ? number_seen(n) : F0T_OK;
}

/* ---- Marks ----------------------------------------------------------------------------------- */

static f0t_status read_marks(nuswide *n)
{
    bool found = true;
    if (n->make[SET_81] || n->make[SET_1K])
        F0T_TRY(
            f0t_nus_concepts_read(&n->concept_marks, &found, &n->files, &n->images, &n->concepts));
    if (!found) {
        F0T_TRY(leave_out(n, SET_81, "Groundtruth"));
        F0T_TRY(leave_out(n, SET_1K, "Groundtruth"));
    }
    if (n->make[SET_1K] || n->make[SET_5K])
        F0T_TRY(
            f0t_nus_tags_read(&n->tag_marks, &n->has_tag_marks, &n->files, &n->images, &n->tags));
    if (n->make[SET_5K] || (n->make[SET_1K] && !n->has_tag_marks))
        F0T_TRY(f0t_nus_raw_read(&n->raw_marks, &n->has_raw_marks, &n->files, &n->images, &n->words,
                                 n->job));
    if (!n->has_raw_marks)
        F0T_TRY(leave_out(n, SET_5K, "All_Tags.txt"));
    if (!n->has_raw_marks && !n->has_tag_marks)
        F0T_TRY(leave_out(n, SET_1K, "AllTags1k.txt"));
    if (!n->make[SET_81] && !n->make[SET_1K] && !n->make[SET_5K])
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: has neither Groundtruth nor tags", n->files.root);
    return F0T_OK;
}

/* ---- Which images ---------------------------------------------------------------------------- */

/* All images, or those of the train list and then of the test list. */
static f0t_status order_images(nuswide *n, bool by_part)
{
    size_t count = f0t_names_count(&n->images.all);
    f0t_selection *s = &n->selection;
    s->count = by_part ? n->images.counts[0] + n->images.counts[1] : count;
    F0T_TRY(f0t_alloc(&s->images, s->count, sizeof *s->images));
    F0T_TRY(f0t_alloc(&s->rows, s->count, sizeof *s->rows));
    for (size_t i = 0, p = 0, start = 0; i < s->count; i++) {
        if (by_part && i == n->images.counts[0])
            p = 1, start = i;
        s->images[i] = by_part ? n->images.parts[p][i - start] : (uint32_t)i;
        s->rows[i] = (uint32_t)i;
    }
    return F0T_OK;
}

/* The selection of the given features, as arrays that are never NULL. */
static f0t_status order_given(nuswide *n)
{
    f0t_selection *given = &n->given.selection;
    F0T_TRY(f0t_given_features_open(&n->given, n->job, &n->images.all.texts,
                                    f0t_names_count(&n->images.all), f0t_nus_photo_id));
    if (!given->images)
        return order_images(n, false);
    n->selection = *given;
    *given = (f0t_selection){0};
    return F0T_OK;
}

/* Images that are in neither list have no split. */
static f0t_status drop_unlisted(nuswide *n)
{
    f0t_selection *s = &n->selection;
    size_t kept = 0;
    const char *first = NULL;
    for (size_t i = 0; i < s->count; i++) {
        if (n->images.split[s->images[i]] == F0T_NUS_NO_PART) {
            first = first ? first : f0t_names_get(&n->images.all, s->images[i]);
            continue;
        }
        s->images[kept] = s->images[i];
        s->rows[kept++] = s->rows[i];
    }
    size_t dropped = s->count - kept;
    s->count = kept;
    n->given.refer &= !dropped;
    return f0t_import_report_say(n->job->report, dropped,
                                 "{image is|images are} in neither TrainImagelist.txt nor "
                                 "TestImagelist.txt and {is|are} left out",
                                 first);
}

static f0t_status select_images(nuswide *n)
{
    const f0t_import_options *options = n->job->options;
    bool by_part = false;
    if (options->own_features)
        F0T_TRY(
            f0t_nus_features_open(&n->own, &by_part, &n->files, &n->images, options->own_features));
    F0T_TRY(options->features ? order_given(n) : order_images(n, by_part));
    return drop_unlisted(n);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static f0t_status run(nuswide *n)
{
    char *features;
    F0T_TRY(choose_sets(n));
    n->files.monitor = f0t_context_monitor(NULL);
    F0T_TRY(f0t_nus_files_scan(&n->files, n->job->sources[0]));
    F0T_TRY(f0t_nus_images_read(&n->images, &n->files));
    F0T_TRY(read_lists(n));
    F0T_TRY(select_images(n));
    F0T_TRY(f0t_folder_begin(&n->folder, n->job->output, n->job->options->replace));
    F0T_TRY(read_marks(n));
    F0T_TRY(f0t_path_join(&features, n->folder.temporary, "features.npy"));
    f0t_status status = write_sets(n, features);
    f0t_free(features);
    return status;
}

f0t_status f0t_import_nuswide(f0t_import_job *job)
{
    nuswide n = {.job = job};
    f0t_status status = run(&n);
    release(&n);
    return status;
}
