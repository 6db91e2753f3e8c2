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

const char *const f0t_nus_set_names[F0T_NUS_SETS] = {"81", "1k", "5k"};

static void release(f0t_nuswide *n)
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

/* ---- What is asked for ----------------------------------------------------------------------- */

static f0t_status choose_sets(f0t_nuswide *n)
{
    const char *at = n->job->options->sets;
    for (size_t s = 0; s < F0T_NUS_SETS; s++)
        n->make[s] = !at;
    while (at) {
        const char *comma = strchr(at, ',');
        size_t length = comma ? (size_t)(comma - at) : strlen(at), s = 0;
        while (s < F0T_NUS_SETS && (strlen(f0t_nus_set_names[s]) != length ||
                                    memcmp(at, f0t_nus_set_names[s], length) != 0))
            s++;
        if (s == F0T_NUS_SETS)
            return f0t_fail(F0T_ERROR_ARGUMENT, "'%s': sets are 81, 1k and 5k",
                            n->job->options->sets);
        n->make[s] = n->asked[s] = true;
        at = comma ? comma + 1 : NULL;
    }
    return F0T_OK;
}

/* A set that cannot be made is left out, unless it was asked for by name. */
static f0t_status leave_out(f0t_nuswide *n, size_t set, const char *what)
{
    if (!n->make[set])
        return F0T_OK;
    if (n->asked[set])
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: has no %s, which the set %s needs", n->files.root,
                        what, f0t_nus_set_names[set]);
    n->make[set] = false;
    f0t_log(n->job->options->monitor, F0T_LOG_WARNING, "the set %s is not made: there is no %s",
            f0t_nus_set_names[set], what);
    char text[128];
    snprintf(text, sizeof text, "set is not made, there is no %s:", what);
    return f0t_import_report_say(n->job->report, 1, text, f0t_nus_set_names[set]);
}

static f0t_status read_words(f0t_nuswide *n, f0t_names *words, const char *name, bool *found)
{
    const char *path = f0t_nus_files_find(&n->files, "%s", name);
    f0t_stream *stream;
    *found = path != NULL;
    if (!path)
        return F0T_OK;
    F0T_TRY(f0t_nus_files_open(&n->files, path, &stream));
    f0t_status status = f0t_nus_read_words(stream, words);
    f0t_stream_close(stream);
    if (status == F0T_OK && !f0t_names_count(words))
        return f0t_fail(F0T_ERROR_FORMAT, "%s: has no words", path);
    return status;
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* The words of raw tags: the 1,000 first, so that they keep their numbers, then the other raw tags. */
static f0t_status join_words(f0t_nuswide *n, const f0t_names *raw)
{
    uint32_t index;
    for (size_t i = 0; i < f0t_names_count(&n->tags); i++) {
        const char *word = f0t_names_get(&n->tags, i);
        F0T_TRY(f0t_names_add(&n->words, word, strlen(word), &index, NULL));
    }
    for (size_t i = 0; i < f0t_names_count(raw); i++) {
        const char *word = f0t_names_get(raw, i);
        F0T_TRY(f0t_names_add(&n->words, word, strlen(word), &index, NULL));
    }
    return F0T_OK;
}

/* The 925: those of the 1,000 that are no concepts. */
static f0t_status number_seen(f0t_nuswide *n)
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
        if (!f0t_names_find(&n->concepts, word, strlen(word), &index))
            n->seen_of[i] = (uint32_t)n->seen_count++;
        else if (!shared++)
            first = word;
    }
    return f0t_import_report_say(n->job->report, shared,
                                 "{tag of TagList1k.txt is also a concept and is no seen tag|tags "
                                 "of TagList1k.txt are also concepts and are not seen tags}",
                                 first);
}

static f0t_status read_lists(f0t_nuswide *n)
{
    f0t_names raw = {0};
    bool concepts, tags, words = false;
    F0T_TRY(read_words(n, &n->concepts, "Concepts81", &concepts));
    if (!concepts)
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: has no file Concepts81.txt", n->files.root);
    F0T_TRY(read_words(n, &n->tags, "TagList1k", &tags));
    if (!tags) {
        F0T_TRY(leave_out(n, F0T_NUS_1K, "TagList1k.txt"));
        F0T_TRY(leave_out(n, F0T_NUS_5K, "TagList1k.txt"));
    }
    f0t_status status = read_words(n, &raw, "Final_Tag_List", &words);
    if (status == F0T_OK && !words)
        status = leave_out(n, F0T_NUS_5K, "Final_Tag_List.txt");
    if (status == F0T_OK)
        status = join_words(n, &raw);
    f0t_names_free(&raw);
    F0T_TRY(status);
    return tags ? number_seen(n) : F0T_OK;
}

/* ---- Marks ----------------------------------------------------------------------------------- */

static f0t_status read_marks(f0t_nuswide *n)
{
    bool found = true;
    if (n->make[F0T_NUS_81] || n->make[F0T_NUS_1K])
        F0T_TRY(
            f0t_nus_concepts_read(&n->concept_marks, &n->files, &n->images, &n->concepts, &found));
    if (!found) {
        F0T_TRY(leave_out(n, F0T_NUS_81, "Groundtruth"));
        F0T_TRY(leave_out(n, F0T_NUS_1K, "Groundtruth"));
    }
    if (n->make[F0T_NUS_1K] || n->make[F0T_NUS_5K])
        F0T_TRY(
            f0t_nus_tags_read(&n->tag_marks, &n->files, &n->images, &n->tags, &n->has_tag_marks));
    if (n->make[F0T_NUS_5K] || (n->make[F0T_NUS_1K] && !n->has_tag_marks))
        F0T_TRY(f0t_nus_raw_read(&n->raw_marks, &n->files, &n->images, &n->words, n->job,
                                 &n->has_raw_marks));
    if (!n->has_raw_marks)
        F0T_TRY(leave_out(n, F0T_NUS_5K, "All_Tags.txt"));
    if (!n->has_raw_marks && !n->has_tag_marks)
        F0T_TRY(leave_out(n, F0T_NUS_1K, "AllTags1k.txt"));
    if (!n->make[F0T_NUS_81] && !n->make[F0T_NUS_1K] && !n->make[F0T_NUS_5K])
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: has neither Groundtruth nor tags", n->files.root);
    return F0T_OK;
}

/* ---- Which images ---------------------------------------------------------------------------- */

/* All images, or those of the train list and then of the test list. */
static f0t_status order_images(f0t_nuswide *n, bool by_part)
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
static f0t_status order_given(f0t_nuswide *n)
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
static f0t_status drop_unlisted(f0t_nuswide *n)
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

static f0t_status select_images(f0t_nuswide *n)
{
    const f0t_import_options *options = n->job->options;
    bool by_part = false;
    if (options->own_features)
        F0T_TRY(
            f0t_nus_features_open(&n->own, &n->files, &n->images, options->own_features, &by_part));
    F0T_TRY(options->features ? order_given(n) : order_images(n, by_part));
    return drop_unlisted(n);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static f0t_status run(f0t_nuswide *n)
{
    char *features;
    F0T_TRY(choose_sets(n));
    n->files.monitor = n->job->options->monitor;
    F0T_TRY(f0t_nus_files_scan(&n->files, n->job->sources[0]));
    F0T_TRY(f0t_nus_images_read(&n->images, &n->files));
    F0T_TRY(read_lists(n));
    F0T_TRY(select_images(n));
    F0T_TRY(f0t_folder_begin(&n->folder, n->job->output, n->job->options->replace));
    F0T_TRY(read_marks(n));
    F0T_TRY(f0t_path_join(&features, n->folder.temporary, "features.npy"));
    f0t_status status = f0t_nus_sets_write(n, features);
    f0t_free(features);
    return status;
}

f0t_status f0t_import_nuswide(f0t_import_job *job)
{
    f0t_nuswide n = {.job = job};
    f0t_status status = run(&n);
    release(&n);
    return status;
}
