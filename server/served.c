#include "served.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Lists that are kept, those that were used last, and the words of all of them: a word has a vector of some kilobytes. */
enum { LISTS_MOST = 32, LIST_WORDS_MOST = 5 * PARAMS_WORDS_MOST };

struct served_list {
    served_list *next; /* used before this one */
    char *text;        /* [size] its words, as params has them */
    size_t size, words;
    f0t_vocab *vocab;
    f0t_tagger *tagger;
    json_t *unknown;
    size_t users;
};

struct served {
    atomic_size_t holders;
    uint64_t number;
    f0t_tagger *tagger;
    const f0t_vectors *vectors;
    pthread_mutex_t lock; /* of the lists */
    served_list *lists;
    size_t list_count, list_words;
};

/* ---- The model ------------------------------------------------------------------------------------------ */

f0t_status served_open(served **out, const char *model, const server_options *options,
                       const f0t_vectors *vectors, const f0t_context *context)
{
    static atomic_uint_fast64_t numbers;
    f0t_tagger_options tagger = options->tagger;
    served *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return f0t_error_set(F0T_ERROR_MEMORY, "no memory for the model");
    tagger.vocab = options->vocab;
    tagger.picture_pixels = options->pixels * 1000000;
    tagger.picture_seconds = options->picture_seconds;
    f0t_status status = f0t_tagger_open(&s->tagger, model, &tagger, context);
    if (status != F0T_OK) {
        free(s);
        return status;
    }
    atomic_init(&s->holders, 1);
    s->number = atomic_fetch_add(&numbers, 1) + 1;
    s->vectors = vectors;
    pthread_mutex_init(&s->lock, NULL);
    *out = s;
    return F0T_OK;
}

static void list_free(served_list *list)
{
    if (!list)
        return;
    f0t_tagger_close(list->tagger);
    f0t_vocab_free(list->vocab);
    json_decref(list->unknown);
    free(list->text);
    free(list);
}

served *served_hold(served *s)
{
    atomic_fetch_add(&s->holders, 1);
    return s;
}

void served_release(served *s)
{
    if (!s || atomic_fetch_sub(&s->holders, 1) > 1)
        return;
    while (s->lists) {
        served_list *next = s->lists->next;
        list_free(s->lists);
        s->lists = next;
    }
    f0t_tagger_close(s->tagger);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

const f0t_tagger *served_tagger(const served *s)
{
    return s->tagger;
}

uint64_t served_number(const served *s)
{
    return s->number;
}

/* ---- Lists of words ------------------------------------------------------------------------------------- */

static f0t_status name_unknown(served_list *list)
{
    for (size_t i = 0; i < f0t_vocab_entry_count(list->vocab); i++) {
        const f0t_vocab_entry *entry = f0t_vocab_get_entry(list->vocab, i);
        if (entry->match != F0T_MATCH_NONE)
            continue;
        if (!list->unknown)
            list->unknown = json_array();
        if (json_array_append_new(list->unknown, json_string(entry->tag)) != 0)
            return f0t_error_set(F0T_ERROR_MEMORY, "no memory for the vocabulary");
    }
    if (f0t_vocab_count(list->vocab) == 0)
        return f0t_error_set(F0T_ERROR_UNSUPPORTED, "vocabulary: none of its words has a vector");
    return F0T_OK;
}

static f0t_status make_vocab(served_list *list, const served *s, const params *p,
                             const f0t_context *context)
{
    f0t_vocab_options options = F0T_VOCAB_OPTIONS;
    if (!s->vectors)
        return f0t_error_set(
            F0T_ERROR_UNSUPPORTED,
            "vocabulary: this server has no word vectors: start it with --vectors");
    options.centred = f0t_vocab_centred(f0t_model_vocab(f0t_tagger_model(s->tagger)));
    options.no_suggestions = true;
    const char **words = params_words(p);
    if (!words)
        return f0t_error_set(F0T_ERROR_MEMORY, "no memory for the vocabulary");
    f0t_status status =
        f0t_vocab_create(&list->vocab, words, p->words, s->vectors, &options, context);
    free(words);
    return status == F0T_OK ? name_unknown(list) : status;
}

static f0t_status list_create(served_list **out, const served *s, const params *p,
                              const f0t_context *context)
{
    f0t_tagger_options options = F0T_TAGGER_OPTIONS;
    served_list *list = calloc(1, sizeof *list);
    if (list && (list->text = malloc(p->text_size)))
        memcpy(list->text, p->text, list->size = p->text_size);
    f0t_status status = list && list->text
                            ? make_vocab(list, s, p, context)
                            : f0t_error_set(F0T_ERROR_MEMORY, "no memory for the vocabulary");
    if (status == F0T_OK) {
        list->words = p->words;
        options.vocab = list->vocab;
        options.features_only = true;
        status = f0t_tagger_create(&list->tagger, f0t_tagger_model(s->tagger), &options, context);
    }
    if (status == F0T_OK)
        *out = list;
    else
        list_free(list);
    return status;
}

/* Takes it out of its place, to the front; NULL: it is not kept. */
static served_list *find_kept(served *s, const params *p)
{
    for (served_list **at = &s->lists; *at; at = &(*at)->next) {
        served_list *list = *at;
        if (list->size != p->text_size || memcmp(list->text, p->text, list->size) != 0)
            continue;
        *at = list->next;
        list->next = s->lists;
        s->lists = list;
        return list;
    }
    return NULL;
}

/* The one that was used longest ago, of those that nobody uses, goes; false: all are in use. */
static bool drop_oldest(served *s)
{
    served_list **last = NULL;
    for (served_list **at = &s->lists; *at; at = &(*at)->next)
        if (!(*at)->users)
            last = at;
    if (!last)
        return false;
    served_list *oldest = *last;
    *last = oldest->next;
    s->list_count--;
    s->list_words -= oldest->words;
    list_free(oldest);
    return true;
}

static void drop_too_many(served *s)
{
    while ((s->list_count > LISTS_MOST || s->list_words > LIST_WORDS_MOST) && drop_oldest(s))
        ;
}

static void keep(served *s, served_list *list)
{
    list->next = s->lists;
    s->lists = list;
    s->list_count++;
    s->list_words += list->words;
    drop_too_many(s);
}

f0t_status served_find(served_list **out, served_words *words, served *s, const params *p,
                       const f0t_context *context)
{
    *out = NULL;
    *words = (served_words){.tagger = s->tagger};
    if (!p->words)
        return F0T_OK;
    pthread_mutex_lock(&s->lock);
    served_list *list = find_kept(s, p);
    if (list)
        list->users++;
    pthread_mutex_unlock(&s->lock);
    if (!list) {
        f0t_status status = list_create(&list, s, p, context);
        if (status != F0T_OK)
            return status;
        list->users = 1;
        pthread_mutex_lock(&s->lock);
        keep(s, list);
        pthread_mutex_unlock(&s->lock);
    }
    *words = (served_words){.tagger = list->tagger, .unknown = list->unknown};
    *out = list;
    return F0T_OK;
}

void served_done(served *s, served_list *list)
{
    if (!list)
        return;
    pthread_mutex_lock(&s->lock);
    list->users--;
    drop_too_many(s); /* while it was in use it could not go */
    pthread_mutex_unlock(&s->lock);
}

size_t served_list_count(served *s)
{
    pthread_mutex_lock(&s->lock);
    const size_t count = s->list_count;
    pthread_mutex_unlock(&s->lock);
    return count;
}
