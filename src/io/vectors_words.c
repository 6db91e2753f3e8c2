#include "io/vectors_words.h"

#include "base/alloc.h"
#include "io/vectors_hash.h"

#include <string.h>
#include <utf8proc.h>

enum { SLOTS_LEAST = 64, SEEDS = 16, WORDS_MOST = INT32_MAX - 1 };

static size_t first_slot(const f0t_words *words, const char *word, size_t length)
{
    return (size_t)f0t_siphash(word, length, words->seed, 0) & (words->slot_count - 1);
}

const char *f0t_words_at(const f0t_words *words, size_t i, size_t *length)
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
    const char *text = f0t_words_at(words, i, &n);
    return text && n == length && memcmp(text, word, length) == 0;
}

/* The slot that has the word or is the first free one behind its hash; F0T_NONE when neither comes
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

f0t_status f0t_words_list_init(f0t_words_list *list)
{
    memset(list, 0, sizeof *list);
    F0T_TRY(f0t_alloc_zero(&list->slots, SLOTS_LEAST, sizeof *list->slots));
    list->view.slots = list->slots;
    list->view.slot_count = SLOTS_LEAST;
    f0t_status status =
        f0t_grow(&list->offsets, &list->offset_capacity, 0, 1, sizeof *list->offsets);
    if (status != F0T_OK)
        return status;
    list->offsets[0] = 0;
    list->view.offsets = list->offsets;
    return F0T_OK;
}

void f0t_words_list_clear(f0t_words_list *list)
{
    f0t_free(list->text);
    f0t_free(list->offsets);
    f0t_free(list->slots);
    memset(list, 0, sizeof *list);
}

static bool fill_slots(f0t_words *view, int32_t *slots)
{
    for (size_t i = 0; i < view->count; i++) {
        size_t length;
        const char *word = f0t_words_at(view, i, &length);
        size_t slot = find_slot(view, word, length);
        if (slot == F0T_NONE)
            return false;
        slots[slot] = (int32_t)i + 1;
    }
    return true;
}

/* Builds the index anew. Words made to collide under one seed do not under another. */
static f0t_status rebuild(f0t_words_list *list, size_t slot_count, uint64_t seed)
{
    int32_t *slots;
    F0T_TRY(f0t_alloc(&slots, slot_count, sizeof *slots));
    f0t_words view = list->view;
    view.slots = slots;
    view.slot_count = slot_count;
    for (; seed < SEEDS; seed++) {
        view.seed = seed;
        memset(slots, 0, slot_count * sizeof *slots);
        if (fill_slots(&view, slots))
            break;
    }
    if (seed == SEEDS) {
        f0t_free(slots);
        return f0t_fail(F0T_ERROR_FORMAT, "words that were made to collide");
    }
    f0t_free(list->slots);
    list->slots = slots;
    list->view = view;
    return F0T_OK;
}

/* Room for one more word, with at least half of the slots free after it. */
static f0t_status reserve(f0t_words_list *list, size_t length)
{
    f0t_words *view = &list->view;
    if (view->count >= WORDS_MOST)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "more than %d words", WORDS_MOST);
    F0T_TRY(f0t_grow(&list->text, &list->text_capacity, view->size, length + 1, 1));
    view->text = list->text;
    F0T_TRY(f0t_grow(&list->offsets, &list->offset_capacity, view->count + 1, 1,
                     sizeof *list->offsets));
    view->offsets = list->offsets;
    if ((view->count + 1) * 2 > view->slot_count)
        return rebuild(list, view->slot_count * 2, view->seed);
    return F0T_OK;
}

static void append(f0t_words_list *list, size_t slot, const char *word, size_t length)
{
    f0t_words *view = &list->view;
    if (length)
        memcpy(list->text + view->size, word, length);
    list->text[view->size + length] = '\n';
    view->size += length + 1;
    view->count++;
    list->offsets[view->count] = (int64_t)view->size;
    list->slots[slot] = (int32_t)view->count;
}

f0t_status f0t_words_list_add(f0t_words_list *list, const char *word, size_t length, size_t *index,
                              bool *added)
{
    F0T_TRY(reserve(list, length));
    size_t slot = find_slot(&list->view, word, length);
    while (slot == F0T_NONE) {
        F0T_TRY(rebuild(list, list->view.slot_count, list->view.seed + 1));
        slot = find_slot(&list->view, word, length);
    }
    *added = list->slots[slot] == 0;
    if (*added)
        append(list, slot, word, length);
    *index = (size_t)list->slots[slot] - 1;
    return F0T_OK;
}

bool f0t_words_usable(const char *text, size_t length)
{
    size_t i = 0;
    while (i < length) {
        utf8proc_int32_t c = (unsigned char)text[i];
        if (c == 0 || c == '\n')
            return false;
        if (c < 0x80) {
            i++;
            continue;
        }
        utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)text + i,
                                              (utf8proc_ssize_t)(length - i), &c);
        if (n <= 0)
            return false;
        i += (size_t)n;
    }
    return true;
}
