/* Existence and generalisation with ever more words of the vector file as irrelevant tags. */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/monitor.h"
#include "base/random.h"
#include "eval/separable.h"
#include "eval/study.h"
#include "math/elementwise.h"
#include "word/vocab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5 };

/* ---- Words ----------------------------------------------------------------------------------------- */

static f0t_status is_tag(bool *out, const f0t_vocab *tags, const char *word, size_t length)
{
    size_t place = F0T_NONE;
    char *copy;
    F0T_TRY(f0t_string_copy(&copy, word, length));
    f0t_status status = f0t_vocab_find(&place, tags, copy);
    f0t_free(copy);
    *out = status == F0T_OK && place != F0T_NONE;
    return status;
}

/* A word of the file while it is decided whether it is taken. */
typedef struct file_word {
    uint64_t hash; /* of its vector */
    uint32_t place;
    bool tag, empty; /* a tag of the dataset; a vector of zeros */
} file_word;

/* Words of one vector together, tags first, then as in the file. */
static int compare_words(const void *a, const void *b)
{
    const file_word *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    if (x->tag != y->tag)
        return x->tag ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static f0t_status read_words(file_word *words, float *row, const f0t_vocab *tags,
                             const f0t_vectors *vectors)
{
    const size_t dim = f0t_vectors_dim(vectors);
    for (size_t i = 0; i < f0t_vectors_count(vectors); i++) {
        size_t length;
        const char *word = f0t_vectors_word(&length, vectors, i);
        F0T_TRY(f0t_vectors_get(row, vectors, i, 1));
        words[i] = (file_word){.hash = f0t_hash(F0T_HASH_START, row, dim * sizeof *row),
                               .place = (uint32_t)i,
                               .empty = true};
        for (size_t k = 0; k < dim && words[i].empty; k++)
            words[i].empty = row[k] == 0;
        F0T_TRY(is_tag(&words[i].tag, tags, word, length));
    }
    return F0T_OK;
}

/* One word of each vector, and none that a tag has, too: no direction tells those apart, and a dictionary's synonyms
 * have one vector. */
static size_t keep_distinct(uint32_t *list, file_word *words, size_t count)
{
    size_t kept = 0;
    qsort(words, count, sizeof *words, compare_words);
    for (size_t i = 0; i < count; i++)
        if (!words[i].tag && !words[i].empty && (!i || words[i].hash != words[i - 1].hash))
            list[kept++] = words[i].place;
    return kept;
}

static f0t_status list_words(uint32_t *list, size_t *count, const f0t_vocab *tags,
                             const f0t_vectors *vectors)
{
    const size_t all = f0t_vectors_count(vectors);
    file_word *words = NULL;
    float *row = NULL;
    f0t_status status = f0t_alloc(&words, all, sizeof *words);
    if (status == F0T_OK)
        status = f0t_alloc(&row, f0t_vectors_dim(vectors), sizeof *row);
    if (status == F0T_OK)
        status = read_words(words, row, tags, vectors);
    if (status == F0T_OK)
        *count = keep_distinct(list, words, all);
    f0t_free(words);
    f0t_free(row);
    return status;
}

/* The dataset's tags and the words of the file whose vectors they have: clouds has that of cloud. */
static f0t_status open_tags(f0t_vocab **out, const char **names, const f0t_dataset *dataset,
                            const f0t_vectors *vectors)
{
    const f0t_vocab_options options = {.size = sizeof(f0t_vocab_options), .no_suggestions = true};
    const size_t all = f0t_dataset_tag_count(dataset);
    f0t_vocab *own;
    size_t count = all;
    for (size_t t = 0; t < all; t++)
        names[t] = f0t_dataset_tag(dataset, t);
    F0T_TRY(f0t_vocab_create(&own, names, all, vectors, &options, NULL));
    for (size_t t = 0; t < all; t++) {
        const char *used = f0t_vocab_get_entry(own, t)->used;
        if (used && !strstr(used, " + "))
            names[count++] = used;
    }
    f0t_status status = f0t_vocab_create(out, names, count, vectors, &options, NULL);
    f0t_vocab_free(own);
    return status;
}

/* The words of the file that are no tag of the dataset in any spelling, nor have the vector of another, in an
 * order drawn by seed: a larger vocabulary has all words of a smaller one. */
static f0t_status draw_words(uint32_t **out, size_t *count, const f0t_dataset *dataset,
                             const f0t_vectors *vectors, uint64_t seed)
{
    const f0t_random random = {seed, UINT64_C(0x776F726473)}; /* "words" */
    const char **names = NULL;
    f0t_vocab *tags = NULL;
    if (f0t_vectors_count(vectors) >= F0T_NO_TAG)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: too many words for a vocabulary of a study",
                        f0t_vectors_source(vectors));
    f0t_status status = f0t_alloc(&names, 2 * f0t_dataset_tag_count(dataset), sizeof *names);
    if (status == F0T_OK)
        status = open_tags(&tags, names, dataset, vectors);
    if (status == F0T_OK)
        status = f0t_alloc(out, f0t_vectors_count(vectors), sizeof **out);
    if (status == F0T_OK)
        status = list_words(*out, count, tags, vectors);
    if (status == F0T_OK)
        f0t_random_shuffle(*out, *count, &random);
    f0t_vocab_free(tags);
    f0t_free(names);
    return status;
}

/* ---- Their space ----------------------------------------------------------------------------------- */

static f0t_status get_word(float *to, const f0t_vectors *vectors, size_t word, bool centred)
{
    const size_t dim = f0t_vectors_dim(vectors);
    F0T_TRY(f0t_vectors_get(to, vectors, word, 1));
    for (size_t k = 0; centred && k < dim; k++)
        to[k] -= f0t_vectors_mean(vectors)[k];
    f0t_rows_normalise(to, 1, dim);
    return F0T_OK;
}

/* The seen tags, the words, the unseen tags, in the file's own dimensions. */
static f0t_status join_spaces(f0t_study_space *out, const f0t_study_task *task,
                              const f0t_study_space *whole, const f0t_vectors *vectors,
                              const uint32_t *words, size_t count)
{
    const size_t dim = whole->dim, seen = task->tags->seen, unseen = task->tags->unseen;
    *out = (f0t_study_space){.dim = dim};
    F0T_TRY(f0t_alloc(&out->vectors, (seen + count + unseen) * dim, sizeof *out->vectors));
    memcpy(out->vectors, whole->vectors, seen * dim * sizeof *out->vectors);
    memcpy(out->vectors + (seen + count) * dim, whole->vectors + seen * dim,
           unseen * dim * sizeof *out->vectors);
    for (size_t i = 0; i < count; i++)
        F0T_TRY(
            get_word(out->vectors + (seen + i) * dim, vectors, words[i], task->options->centred));
    return F0T_OK;
}

/* ---- Some of the rules ------------------------------------------------------------------------------- */

static bool any_rule(const f0t_study_rules *rules, size_t r)
{
    (void)rules;
    (void)r;
    return true;
}

/* The pairs and numbers of images of picked[count]; `to->seen` is there. */
static f0t_status pick_pairs(f0t_study_rules *to, const f0t_study_rules *from,
                             const uint32_t *picked, size_t count)
{
    F0T_TRY(f0t_alloc(&to->pairs, from->pair_count, sizeof *to->pairs));
    F0T_TRY(f0t_alloc_zero(&to->firsts, count + 1, sizeof *to->firsts));
    F0T_TRY(f0t_alloc_zero(&to->seen->firsts, count + 1, sizeof *to->seen->firsts));
    for (size_t i = 0; i < count; i++) {
        const size_t r = picked[i];
        to->images += f0t_rule_images(from->seen, r);
        to->seen->firsts[i + 1] = to->images;
        for (size_t p = from->firsts[r]; p < from->firsts[r + 1]; p++) {
            to->pairs[to->pair_count] = from->pairs[p];
            to->pairs[to->pair_count++].seen = (uint32_t)i;
            to->tested += from->pairs[p].images;
        }
        to->firsts[i + 1] = to->pair_count;
    }
    to->unseen = from->unseen;
    return F0T_OK;
}

static void sample_free(f0t_study_rules *rules)
{
    rules->unseen = NULL; /* borrowed */
    f0t_study_rules_free(rules);
}

static f0t_status sample_rules(f0t_study_rules *out, const f0t_study_task *task)
{
    uint32_t *picked = NULL;
    size_t count = 0;
    *out = (f0t_study_rules){0};
    f0t_status status = f0t_study_sample(&picked, &count, task->rules, any_rule,
                                         task->options->sample, task->options->seed);
    if (status == F0T_OK)
        status = f0t_rules_pick(&out->seen, task->rules->seen, picked, count);
    if (status == F0T_OK)
        status = pick_pairs(out, task->rules, picked, count);
    f0t_free(picked);
    return status;
}

/* ---- One vocabulary ---------------------------------------------------------------------------------- */

/* What all vocabularies share. */
typedef struct scale_work {
    f0t_study_scales *out;
    const f0t_study_task *task;
    f0t_study_rules rules;
    f0t_study_space all; /* with every word that is wanted, in the file's dimensions */
    size_t words;        /* of `all` */
    const char *file;
} scale_work;

static f0t_study_curve curve_of(double *room, size_t n, const f0t_study_space *space, bool tested,
                                bool control)
{
    return (f0t_study_curve){.file_dim = space->dim,
                             .dim = space->dim,
                             .control = control,
                             .existence = room,
                             .existence_images = room + n,
                             .satisfied = room + 2 * n,
                             .generalisation = tested ? room + 3 * n : NULL,
                             .generalisation_rules = tested ? room + 4 * n : NULL};
}

static f0t_status run_curve(double *room, const scale_work *w, const f0t_study_tags *tags,
                            const f0t_study_space *space, bool control)
{
    const size_t n = w->task->options->lambda_count;
    const f0t_study_task task = {tags, &w->rules, w->task->options, w->task->monitor};
    const f0t_study_curve_room to = {room, room + n, room + 2 * n, room + 3 * n, room + 4 * n};
    char stage[100];
    snprintf(stage, sizeof stage, "solving ranking SVMs, %zu tags and words, %zu dimensions%s",
             tags->seen, space->dim, control ? ", control" : "");
    return f0t_study_curves(&to, &task, space, stage);
}

/* The mean over the rules of the chance that as many normally distributed points are parted. */
static f0t_status find_chance(f0t_study_scale *scale, const scale_work *w, size_t dim)
{
    const f0t_rules *rules = w->rules.seen;
    size_t most = 1;
    double sum = 0, *known = NULL;
    f0t_separable separable = {0};
    for (size_t r = 0; r < rules->count; r++)
        most = f0t_rule_size(rules, r) > most ? f0t_rule_size(rules, r) : most;
    f0t_status status = f0t_separable_create(&separable, dim, most);
    if (status == F0T_OK)
        status = f0t_alloc(&known, most + 1, sizeof *known);
    for (size_t y = 0; status == F0T_OK && y <= most; y++)
        known[y] = NAN;
    for (size_t r = 0; status == F0T_OK && r < rules->count; r++) {
        double *chance = &known[f0t_rule_size(rules, r)];
        if (isnan(*chance))
            *chance =
                pow(10, f0t_separable_log10(&separable, scale->tags, f0t_rule_size(rules, r)));
        sum += *chance;
    }
    scale->chance = 100 * sum / (double)rules->count;
    scale->cover_log10 = f0t_cover_log10(scale->tags, dim);
    f0t_free(known);
    f0t_separable_free(&separable);
    return status;
}

/* The first `dealt` of rows[rows x dim] dealt out anew by seed; the others as they are. */
static f0t_status deal(f0t_study_space *out, const f0t_study_space *space, size_t rows,
                       size_t dealt, uint64_t seed)
{
    const f0t_random random = {seed, UINT64_C(0x6465616C)}; /* "deal" */
    const size_t dim = space->dim;
    uint32_t *order;
    *out = (f0t_study_space){.dim = dim};
    F0T_TRY(f0t_alloc(&order, dealt, sizeof *order));
    for (size_t i = 0; i < dealt; i++)
        order[i] = (uint32_t)i;
    f0t_random_shuffle(order, dealt, &random);
    f0t_status status = f0t_alloc(&out->vectors, rows * dim, sizeof *out->vectors);
    for (size_t i = 0; status == F0T_OK && i < rows; i++)
        memcpy(out->vectors + i * dim, space->vectors + (i < dealt ? order[i] : i) * dim,
               dim * sizeof *out->vectors);
    f0t_free(order);
    return status;
}

static f0t_status run_control(double *room, const scale_work *w, const f0t_study_tags *tags,
                              const f0t_study_space *space, size_t dealt)
{
    f0t_study_space other;
    F0T_TRY(deal(&other, space, tags->seen + tags->unseen, dealt, w->task->options->seed));
    f0t_status status = run_curve(room, w, tags, &other, true);
    f0t_study_space_free(&other);
    return status;
}

static f0t_status measure(f0t_study_scale *scale, const scale_work *w, const f0t_study_space *space,
                          double *room)
{
    const size_t numbers = ROWS * w->task->options->lambda_count;
    const f0t_study_tags tags = {.seen = scale->tags, .unseen = w->task->tags->unseen};
    w->rules.seen->tags = scale->tags;
    scale->random_existence = f0t_study_random_existence(&w->rules);
    F0T_TRY(find_chance(scale, w, space->dim));
    F0T_TRY(run_curve(room, w, &tags, space, false));
    F0T_TRY(run_control(room + numbers, w, &tags, space, w->task->tags->seen));
    return run_control(room + 2 * numbers, w, &tags, space, scale->tags);
}

/* The tags with the first `words` words. */
static f0t_status cut_words(f0t_study_space *out, const scale_work *w, const f0t_study_space *space,
                            size_t words)
{
    const size_t dim = space->dim, seen = w->task->tags->seen, unseen = w->task->tags->unseen;
    *out = (f0t_study_space){.dim = dim};
    F0T_TRY(f0t_alloc(&out->vectors, (seen + words + unseen) * dim, sizeof *out->vectors));
    memcpy(out->vectors, space->vectors, (seen + words) * dim * sizeof *out->vectors);
    memcpy(out->vectors + (seen + words) * dim, space->vectors + (seen + w->words) * dim,
           unseen * dim * sizeof *out->vectors);
    return F0T_OK;
}

static f0t_status add_scale(scale_work *w, const f0t_study_space *space, size_t words)
{
    const size_t n = w->task->options->lambda_count;
    const bool tested = w->rules.pair_count > 0;
    f0t_study_scales *out = w->out;
    f0t_study_space cut;
    double *room;
    char *file;
    F0T_TRY(f0t_grow(&out->items, &out->capacity, out->count, 1, sizeof *out->items));
    F0T_TRY(f0t_alloc_zero(&room, 3 * ROWS * n, sizeof *room));
    f0t_status status = f0t_string_copy(&file, w->file, strlen(w->file));
    if (status != F0T_OK) {
        f0t_free(room);
        return status;
    }
    f0t_study_scale *scale = &out->items[out->count++];
    *scale = (f0t_study_scale){.words = words,
                               .tags = w->task->tags->seen + words,
                               .real = curve_of(room, n, space, tested, false),
                               .control = curve_of(room + ROWS * n, n, space, tested, true),
                               .any_words = curve_of(room + 2 * ROWS * n, n, space, tested, true)};
    scale->real.vectors = scale->control.vectors = scale->any_words.vectors = file;
    scale->real.file_dim = scale->control.file_dim = scale->any_words.file_dim = w->all.dim;
    F0T_TRY(cut_words(&cut, w, space, words));
    status = measure(scale, w, &cut, room);
    f0t_study_space_free(&cut);
    return status;
}

/* ---- All of them --------------------------------------------------------------------------------------- */

static f0t_status add_sizes(scale_work *w, const f0t_study_space *space)
{
    const f0t_study_options *o = w->task->options;
    size_t last = F0T_NONE;
    for (size_t i = 0; i < o->vocabulary_size_count; i++) {
        const size_t size = o->vocabulary_sizes[i], words = size < w->words ? size : w->words;
        if (words == last) /* the file has no more */
            break;
        F0T_TRY(add_scale(w, space, words));
        last = words;
    }
    return F0T_OK;
}

static f0t_status add_dims(scale_work *w, const f0t_vectors *vectors)
{
    const f0t_study_options *o = w->task->options;
    const size_t rows = w->task->tags->seen + w->words + w->task->tags->unseen;
    float *axes = NULL;
    f0t_status status = F0T_OK;
    if (!o->dim_count)
        return add_sizes(w, &w->all);
    for (size_t i = 0; status == F0T_OK && i < o->dim_count; i++) {
        f0t_study_space cut = {0};
        if (o->dims[i] >= w->all.dim) {
            if (o->dims[i] == w->all.dim)
                status = add_sizes(w, &w->all);
            continue;
        }
        if (!axes)
            status = f0t_study_axes(&axes, vectors, o->centred, w->task->monitor);
        if (status == F0T_OK)
            status = f0t_study_space_cut(&cut, &w->all, axes, o->dims[i], rows);
        if (status == F0T_OK)
            status = add_sizes(w, &cut);
        f0t_study_space_free(&cut);
    }
    f0t_free(axes);
    return status;
}

static f0t_status find(scale_work *w, const f0t_dataset *dataset, const f0t_vectors *vectors,
                       const f0t_study_space *whole)
{
    const f0t_study_options *o = w->task->options;
    const size_t most = o->vocabulary_sizes[o->vocabulary_size_count - 1];
    const char *source = f0t_vectors_source(vectors), *slash = strrchr(source, '/');
    uint32_t *words = NULL;
    w->file = slash ? slash + 1 : source;
    F0T_TRY(sample_rules(&w->rules, w->task));
    w->out->rules = w->rules.seen->count;
    f0t_status status = draw_words(&words, &w->words, dataset, vectors, o->seed);
    w->words = w->words < most ? w->words : most;
    if (status == F0T_OK)
        status = join_spaces(&w->all, w->task, whole, vectors, words, w->words);
    f0t_free(words);
    return status == F0T_OK ? add_dims(w, vectors) : status;
}

f0t_status f0t_study_scales_find(f0t_study_scales *out, const f0t_study_task *task,
                                 const f0t_dataset *dataset, const f0t_vectors *vectors,
                                 const f0t_study_space *whole)
{
    scale_work w = {.out = out, .task = task};
    if (!task->options->vocabulary_size_count)
        return F0T_OK;
    f0t_status status = find(&w, dataset, vectors, whole);
    sample_free(&w.rules);
    f0t_study_space_free(&w.all);
    return status;
}

static void *constant(const void *pointer)
{
    return (void *)(uintptr_t)pointer;
}

void f0t_study_scales_free(f0t_study_scales *scales)
{
    for (size_t i = 0; i < scales->count; i++) {
        f0t_free(constant(scales->items[i].real.existence));
        f0t_free(constant(scales->items[i].real.vectors));
    }
    f0t_free(scales->items);
    *scales = (f0t_study_scales){0};
}
