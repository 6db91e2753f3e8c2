#include "base/interner.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <string.h>

/* ---- Texts ---------------------------------------------------------------------------------------- */

f0t_status f0t_texts_add(f0t_texts *texts, const char *text, size_t length)
{
    F0T_TRY(
        f0t_grow(&texts->starts, &texts->starts_capacity, texts->count, 2, sizeof *texts->starts));
    F0T_TRY(f0t_grow(&texts->bytes, &texts->capacity, texts->size, length, 1));
    F0T_TRY(f0t_grow(&texts->bytes, &texts->capacity, texts->size + length, 1, 1));
    texts->starts[texts->count] = (int64_t)texts->size;
    if (length)
        memcpy(texts->bytes + texts->size, text, length);
    texts->size += length;
    texts->bytes[texts->size++] = texts->end;
    texts->starts[++texts->count] = (int64_t)texts->size;
    return F0T_OK;
}

const char *f0t_texts_get(const f0t_texts *texts, size_t i)
{
    return texts->bytes + texts->starts[i];
}

size_t f0t_texts_length(const f0t_texts *texts, size_t i)
{
    return (size_t)(texts->starts[i + 1] - texts->starts[i]) - 1;
}

void f0t_texts_free(f0t_texts *texts)
{
    f0t_free(texts->bytes);
    f0t_free(texts->starts);
    *texts = (f0t_texts){.end = texts->end};
}

/* ---- Words ---------------------------------------------------------------------------------------- */

static size_t first_slot(const f0t_words *words, const char *word, size_t length)
{
    return (size_t)f0t_siphash(word, length, words->seed, 0) & (words->slot_count - 1);
}

const char *f0t_words_at(size_t *length, const f0t_words *words, size_t i)
{
    *length = 0;
    if (i >= words->count)
        return NULL;
    int64_t begin = words->offsets[i], next = words->offsets[i + 1];
    if (begin < 0 || next <= begin || (uint64_t)next > words->size)
        return NULL;
    *length = (size_t)(next - begin) - 1;
    return words->text + begin;
}

static bool is_word(const f0t_words *words, size_t i, const char *word, size_t length)
{
    size_t n;
    const char *text = f0t_words_at(&n, words, i);
    return text && n == length && (!length || memcmp(text, word, length) == 0);
}

/* The slot that has the word or is the first free one after its hash; F0T_NONE when neither comes
 * within the probes. */
static size_t find_slot(const f0t_words *words, const char *word, size_t length)
{
    size_t slot = first_slot(words, word, length);
    for (size_t probe = 0; probe < F0T_WORDS_PROBES && probe < words->slot_count; probe++) {
        int32_t entry = words->slots[slot];
        if (entry <= 0 || is_word(words, (size_t)entry - 1, word, length))
            return slot;
        slot = (slot + 1) & (words->slot_count - 1);
    }
    return F0T_NONE;
}

size_t f0t_words_find(const f0t_words *words, const char *word, size_t length)
{
    size_t slot = find_slot(words, word, length);
    if (slot == F0T_NONE || words->slots[slot] <= 0)
        return F0T_NONE;
    return (size_t)words->slots[slot] - 1;
}

/* ---- Names ---------------------------------------------------------------------------------------- */

enum { SLOTS_LEAST = 64, SEEDS = 16, NAMES_MOST = INT32_MAX - 1 };

void f0t_names_init_stored(f0t_names *names)
{
    *names = (f0t_names){.texts.end = '\n', .stored = true};
}

static bool fill_slots(const f0t_words *view, int32_t *slots)
{
    for (size_t i = 0; i < view->count; i++) {
        size_t length;
        const char *word = f0t_words_at(&length, view, i);
        size_t slot = find_slot(view, word, length);
        if (slot == F0T_NONE)
            return false;
        slots[slot] = (int32_t)i + 1;
    }
    return true;
}

/* Rebuilds the index. */
static f0t_status rebuild(f0t_names *names, size_t slot_count, size_t seeds)
{
    int32_t *slots;
    F0T_TRY(f0t_alloc(&slots, slot_count, sizeof *slots));
    f0t_words view = names->view;
    view.slots = slots;
    view.slot_count = slot_count;
    view.seed += seeds - names->seeds;
    for (; seeds < SEEDS; seeds++, view.seed++) {
        memset(slots, 0, slot_count * sizeof *slots);
        if (fill_slots(&view, slots))
            break;
    }
    if (seeds == SEEDS) {
        f0t_free(slots);
        return f0t_fail(F0T_ERROR_FORMAT, "words that were made to collide");
    }
    f0t_free(names->slots);
    names->slots = slots;
    names->view = view;
    names->seeds = seeds;
    return F0T_OK;
}

/* At least half of the slots are free when one more is taken. */
static f0t_status reserve(f0t_names *names)
{
    f0t_words *view = &names->view;
    if (view->count >= NAMES_MOST)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "more than %d words", NAMES_MOST);
    if ((view->count + 1) * 2 <= view->slot_count)
        return F0T_OK;
    if (!view->slot_count && !names->stored)
        view->seed = f0t_siphash_draw_key();
    return rebuild(names, view->slot_count ? view->slot_count * 2 : SLOTS_LEAST, names->seeds);
}

static f0t_status append(f0t_names *names, size_t slot, const char *text, size_t length)
{
    F0T_TRY(f0t_texts_add(&names->texts, text, length));
    names->view.text = names->texts.bytes;
    names->view.size = names->texts.size;
    names->view.offsets = names->texts.starts;
    names->view.count = names->texts.count;
    names->slots[slot] = (int32_t)names->texts.count;
    return F0T_OK;
}

f0t_status f0t_names_add(uint32_t *index, bool *added, f0t_names *names, const char *text,
                         size_t length)
{
    F0T_TRY(reserve(names));
    size_t slot = find_slot(&names->view, text, length);
    while (slot == F0T_NONE) {
        F0T_TRY(rebuild(names, names->view.slot_count, names->seeds + 1));
        slot = find_slot(&names->view, text, length);
    }
    bool is_new = names->slots[slot] == 0;
    if (is_new)
        F0T_TRY(append(names, slot, text, length));
    *index = (uint32_t)names->slots[slot] - 1;
    if (added)
        *added = is_new;
    return F0T_OK;
}

bool f0t_names_find(uint32_t *index, const f0t_names *names, const char *text, size_t length)
{
    size_t found = f0t_words_find(&names->view, text, length);
    *index = (uint32_t)found;
    return found != F0T_NONE;
}

const char *f0t_names_get(const f0t_names *names, size_t i)
{
    return f0t_texts_get(&names->texts, i);
}

size_t f0t_names_count(const f0t_names *names)
{
    return names->texts.count;
}

void f0t_names_free(f0t_names *names)
{
    f0t_texts_free(&names->texts);
    f0t_free(names->slots);
    *names = (f0t_names){.texts.end = names->texts.end, .stored = names->stored};
}
