/* The memory of a schedule: slots, those that lie one behind the other, and where each begins. */
#include "onnx/builder.h"

#include "base/alloc.h"
#include "base/size.h"

#include <string.h>

/* ---- Slots --------------------------------------------------------------------------------------
 */

f0t_status f0t_onnx_builder_slot(size_t *slot, f0t_onnx_builder *b, size_t bytes)
{
    f0t_onnx_schedule *s = b->schedule;
    F0T_TRY(f0t_grow(&s->slots, &b->slot_capacity, s->slot_count, 1, sizeof *s->slots));
    *slot = s->slot_count++;
    s->slots[*slot] =
        (f0t_onnx_slot){.first = F0T_NONE, .input = F0T_NONE, .parent = F0T_NONE, .base = F0T_NONE};
    if (!f0t_size_round_up(&s->slots[*slot].bytes, bytes ? bytes : 1, 64))
        return f0t_fail(F0T_ERROR_MEMORY, "an array is larger than memory");
    return F0T_OK;
}

/* ---- One behind the other -------------------------------------------------------------------------
 */

typedef struct pieces {
    size_t *slots, count;
} pieces;

/* Where the last pieces are all that a slot consists of, in order, that slot stands for them. */
static void gather(pieces *p, const f0t_onnx_slot *slots)
{
    for (;;) {
        const f0t_onnx_slot *last = &slots[p->slots[p->count - 1]];
        const size_t parent = last->parent;
        size_t k = p->count;
        if (parent == F0T_NONE || last->begin + last->bytes != slots[parent].bytes)
            return;
        for (size_t end = slots[parent].bytes; end; end = slots[p->slots[k]].begin) {
            const f0t_onnx_slot *at = k ? &slots[p->slots[--k]] : NULL;
            if (!at || at->parent != parent || at->begin + at->bytes != end)
                return;
        }
        p->slots[k] = parent;
        p->count = k + 1;
    }
}

/* Pieces that are nobody's yet, each once. */
static bool are_free(const pieces *p, const f0t_onnx_slot *slots)
{
    for (size_t k = 0; k < p->count; k++) {
        if (slots[p->slots[k]].parent != F0T_NONE || slots[p->slots[k]].input != F0T_NONE ||
            slots[p->slots[k]].base != F0T_NONE)
            return false;
        for (size_t j = 0; j < k; j++)
            if (p->slots[j] == p->slots[k])
                return false;
    }
    return true;
}

static f0t_status stack(size_t *whole, f0t_onnx_builder *b, const pieces *p)
{
    size_t begin = 0;
    if (p->count == 1) {
        *whole = p->slots[0];
        return F0T_OK;
    }
    for (size_t k = 0; k < p->count; k++)
        begin += b->schedule->slots[p->slots[k]].bytes;
    F0T_TRY(f0t_onnx_builder_slot(whole, b, begin));
    f0t_onnx_slot *slots = b->schedule->slots;
    slots[*whole].shared = true;
    begin = 0;
    for (size_t k = 0; k < p->count; k++) {
        f0t_onnx_slot *piece = &slots[p->slots[k]];
        piece->parent = *whole;
        piece->begin = begin;
        piece->shared = true;
        begin += piece->bytes;
    }
    return F0T_OK;
}

f0t_status f0t_onnx_builder_stack(size_t *whole, f0t_onnx_builder *b, const size_t *parts,
                                  const size_t *bytes, size_t count)
{
    pieces p = {NULL, 0};
    *whole = F0T_NONE;
    for (size_t k = 0; k < count; k++)
        if (b->schedule->slots[parts[k]].bytes != bytes[k])
            return F0T_OK;
    F0T_TRY(f0t_alloc(&p.slots, count, sizeof *p.slots));
    f0t_status status = f0t_onnx_budget_steps(b->schedule->fold.budget, count * count);
    for (size_t k = 0; k < count; k++) {
        p.slots[p.count++] = parts[k];
        gather(&p, b->schedule->slots);
    }
    if (status == F0T_OK && are_free(&p, b->schedule->slots))
        status = stack(whole, b, &p);
    f0t_free(p.slots);
    return status;
}

f0t_status f0t_onnx_builder_window_of(size_t *slot, f0t_onnx_builder *b, size_t base, size_t begin,
                                      size_t bytes, size_t counted)
{
    const size_t room = b->schedule->slots[base].bytes;
    F0T_TRY(f0t_onnx_builder_slot(slot, b, counted));
    f0t_onnx_slot *slots = b->schedule->slots;
    if (begin > room || bytes > room - begin || slots[base].input != F0T_NONE)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "%zu bytes at %zu do not fit into %zu", bytes, begin,
                        room);
    slots[*slot].base = base;
    slots[*slot].begin = begin;
    slots[*slot].shared = slots[base].shared = true;
    return F0T_OK;
}

static void lend_life(f0t_onnx_slot *to, const f0t_onnx_slot *from)
{
    if (from->first == F0T_NONE)
        return;
    to->last = to->first == F0T_NONE || from->last > to->last ? from->last : to->last;
    to->first = to->first == F0T_NONE || from->first < to->first ? from->first : to->first;
}

/* A slot is made before its windows and after its pieces: in this order each has all of its own. */
static void lend_lives(f0t_onnx_schedule *s)
{
    for (size_t k = s->slot_count; k-- > 0;)
        if (s->slots[k].base != F0T_NONE)
            lend_life(&s->slots[s->slots[k].base], &s->slots[k]);
    for (size_t k = 0; k < s->slot_count; k++)
        if (s->slots[k].parent != F0T_NONE)
            lend_life(&s->slots[s->slots[k].parent], &s->slots[k]);
}

static void place_pieces(f0t_onnx_schedule *s)
{
    for (size_t k = s->slot_count; k-- > 0;)
        if (s->slots[k].parent != F0T_NONE)
            s->slots[k].offset = s->slots[s->slots[k].parent].offset + s->slots[k].begin;
    for (size_t k = 0; k < s->slot_count; k++)
        if (s->slots[k].base != F0T_NONE)
            s->slots[k].offset = s->slots[s->slots[k].base].offset + s->slots[k].begin;
}

/* ---- The arena ----------------------------------------------------------------------------------
 */

typedef struct block {
    size_t offset, bytes;
} block;

typedef struct heap {
    block *free; /* by offset */
    size_t free_count, free_capacity, top, most;
    f0t_onnx_budget *budget;
    size_t *active; /* slots */
    size_t active_count;
} heap;

/* The smallest free block that suffices, else the end. */
static f0t_status take(heap *h, f0t_onnx_slot *slot)
{
    size_t best = F0T_NONE;
    F0T_TRY(f0t_onnx_budget_steps(h->budget, h->free_count));
    for (size_t k = 0; k < h->free_count; k++)
        if (h->free[k].bytes >= slot->bytes &&
            (best == F0T_NONE || h->free[k].bytes < h->free[best].bytes))
            best = k;
    if (best == F0T_NONE) {
        block *last = h->free_count ? &h->free[h->free_count - 1] : NULL;
        bool touches = last && last->offset + last->bytes == h->top;
        slot->offset = touches ? last->offset : h->top;
        h->free_count -= touches;
        if (!f0t_size_add(&h->top, slot->offset, slot->bytes) || h->top > h->most)
            return f0t_fail(F0T_ERROR_UNSUPPORTED,
                            "a run would need more than %zu MB of memory, which a file of %zu "
                            "bytes does not explain",
                            h->most >> 20, h->budget->file);
        return F0T_OK;
    }
    slot->offset = h->free[best].offset;
    h->free[best].offset += slot->bytes;
    h->free[best].bytes -= slot->bytes;
    if (!h->free[best].bytes)
        memmove(&h->free[best], &h->free[best + 1], (--h->free_count - best) * sizeof *h->free);
    return F0T_OK;
}

static f0t_status give(heap *h, const f0t_onnx_slot *slot)
{
    size_t at = 0;
    F0T_TRY(f0t_grow(&h->free, &h->free_capacity, h->free_count, 1, sizeof *h->free));
    while (at < h->free_count && h->free[at].offset < slot->offset)
        at++;
    bool before = at && h->free[at - 1].offset + h->free[at - 1].bytes == slot->offset;
    bool after = at < h->free_count && slot->offset + slot->bytes == h->free[at].offset;
    if (before)
        h->free[at - 1].bytes += slot->bytes + (after ? h->free[at].bytes : 0);
    else if (after)
        h->free[at] = (block){slot->offset, h->free[at].bytes + slot->bytes};
    if (before && after)
        memmove(&h->free[at], &h->free[at + 1], (--h->free_count - at) * sizeof *h->free);
    if (before || after)
        return F0T_OK;
    memmove(&h->free[at + 1], &h->free[at], (h->free_count++ - at) * sizeof *h->free);
    h->free[at] = (block){slot->offset, slot->bytes};
    return F0T_OK;
}

/* What no step from `now` on uses is free again. */
static f0t_status release(heap *h, const f0t_onnx_schedule *s, size_t now)
{
    size_t kept = 0;
    F0T_TRY(f0t_onnx_budget_steps(h->budget, h->active_count + h->free_count));
    for (size_t k = 0; k < h->active_count; k++) {
        const f0t_onnx_slot *slot = &s->slots[h->active[k]];
        if (slot->last < now)
            F0T_TRY(give(h, slot));
        else
            h->active[kept++] = h->active[k];
    }
    h->active_count = kept;
    return F0T_OK;
}

/* Slots in the order of their first steps: they were made in that order, but for a few that wait. */
static f0t_status arrange(heap *h, f0t_onnx_schedule *s, const size_t *by_step)
{
    size_t now = F0T_NONE;
    for (size_t k = 0; k < s->slot_count; k++) {
        f0t_onnx_slot *slot = &s->slots[by_step[k]];
        if (slot->first == F0T_NONE || slot->input != F0T_NONE || slot->parent != F0T_NONE ||
            slot->base != F0T_NONE)
            continue;
        if (slot->first != now)
            F0T_TRY(release(h, s, slot->first));
        now = slot->first;
        F0T_TRY(take(h, slot));
        h->active[h->active_count++] = by_step[k];
    }
    return F0T_OK;
}

/* A counting sort by first step; slots that no step uses come last. */
static f0t_status sort_slots(size_t *order, const f0t_onnx_schedule *s)
{
    size_t *starts;
    F0T_TRY(f0t_alloc_zero(&starts, s->step_count + 2, sizeof *starts));
    for (size_t k = 0; k < s->slot_count; k++) {
        size_t first = s->slots[k].first;
        starts[(first == F0T_NONE ? s->step_count : first) + 1]++;
    }
    for (size_t k = 0; k <= s->step_count; k++)
        starts[k + 1] += starts[k];
    for (size_t k = 0; k < s->slot_count; k++) {
        size_t first = s->slots[k].first;
        order[starts[first == F0T_NONE ? s->step_count : first]++] = k;
    }
    f0t_free(starts);
    return F0T_OK;
}

/* What a step works in lives as long as the step. */
static f0t_status add_scratch(f0t_onnx_builder *b)
{
    f0t_onnx_schedule *s = b->schedule;
    for (size_t k = 0; k < s->step_count; k++) {
        f0t_onnx_step *step = &s->steps[k];
        if (!step->room)
            continue;
        F0T_TRY(f0t_onnx_builder_slot(&step->scratch, b, step->room));
        s->slots[step->scratch].first = s->slots[step->scratch].last = k;
    }
    return F0T_OK;
}

f0t_status f0t_onnx_builder_arrange(size_t *arena, f0t_onnx_builder *b, size_t most)
{
    f0t_onnx_schedule *s = b->schedule;
    heap h = {.most = most, .budget = s->fold.budget};
    size_t *order = NULL;
    f0t_status status = add_scratch(b);
    if (status == F0T_OK)
        status = f0t_alloc(&order, s->slot_count, sizeof *order);
    if (status == F0T_OK)
        status = f0t_alloc(&h.active, s->slot_count, sizeof *h.active);
    lend_lives(s);
    if (status == F0T_OK)
        status = sort_slots(order, s);
    if (status == F0T_OK)
        status = arrange(&h, s, order);
    place_pieces(s);
    *arena = h.top;
    f0t_free(h.free);
    f0t_free(h.active);
    f0t_free(order);
    return status;
}
