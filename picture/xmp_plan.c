/*
 * What a packet's lists of keywords should hold.
 *
 * An item of a list is a person's unless we wrote it down as put there by us. Of what we put there, some
 * are tags of ours, and the others are carried over: where a list has no keyword of a person, and we
 * make one of it, it takes up all that the person has elsewhere, for there are programs that read one
 * list alone. A list that a person has used since is the person's, with what was carried over.
 */
#include "xmp.h"

#include <stdlib.h>
#include <string.h>

/* ---- Whose an item is --------------------------------------------------------------------------- */

/* Sidecars of the first versions name our tags alone. */
static const list *record_of(const xmp_state *s, f0t_xmp_place p)
{
    for (f0t_xmp_place r = F0T_XMP_RECORD; r < F0T_XMP_RECORD + F0T_XMP_LISTS; r++)
        if (s->at[r].count)
            return &s->at[F0T_XMP_RECORD + p];
    return &s->at[F0T_XMP_OURS];
}

static void *need(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory)
        exit(1);
    return memory;
}

/* Marks one item for each of the record: the last, for what came before was not ours. */
static void mark_recorded(char *owners, const list *items, const list *record, const list *ours)
{
    for (size_t r = 0; r < record->count; r++)
        for (size_t i = items->count; i-- > 0;)
            if (!owners[i] && !strcmp(items->items[i], record->items[r])) {
                owners[i] = list_has(ours, items->keys[i]) ? 1 : 2;
                break;
            }
}

/* We write nothing there; but digiKam puts the tags that it has read from us into it. */
static void mark_copied(char *owners, const list *items, const list *ours)
{
    for (size_t i = 0; i < items->count; i++)
        owners[i] = list_has(ours, items->keys[i]);
}

char *xmp_owners(const xmp_state *s, f0t_xmp_place p)
{
    const list *items = &s->at[p];
    char *owners = need(items->count, 1);
    bool used = false;
    if (p == F0T_XMP_MICROSOFT) {
        mark_copied(owners, items, &s->at[F0T_XMP_OURS]);
        return owners;
    }
    mark_recorded(owners, items, record_of(s, p), &s->at[F0T_XMP_OURS]);
    for (size_t i = 0; i < items->count; i++)
        used = used || !owners[i];
    for (size_t i = 0; i < items->count && used; i++)
        if (owners[i] == 2)
            owners[i] = 0;
    return owners;
}

/* What we wrote and somebody took away: no item of the list is that word any more. Words of `again` are written anew. */
static list find_rejected(const xmp_state *s, const list *again)
{
    list rejected = {0};
    const list *known = &s->at[F0T_XMP_REJECTED];
    for (size_t i = 0; i < known->count; i++)
        if (!list_has(again, known->keys[i]))
            list_add(&rejected, known->items[i], strlen(known->items[i]));
    for (f0t_xmp_place p = 0; p < F0T_XMP_LISTS; p++) {
        const list *record = record_of(s, p);
        for (size_t i = 0; i < record->count; i++)
            if (!list_has(&s->at[p], record->keys[i]) && !list_has(&rejected, record->keys[i]) &&
                !list_has(again, record->keys[i])) {
                const char *leaf = list_leaf(record->items[i]);
                list_add(&rejected, leaf, strlen(leaf));
            }
    }
    return rejected;
}

list xmp_removed(const xmp_state *s)
{
    list none = {0}, rejected = find_rejected(s, &none), removed = {0};
    for (size_t i = 0; i < rejected.count; i++)
        if (list_has(&s->at[F0T_XMP_OURS], rejected.keys[i]) ||
            list_has(&s->at[F0T_XMP_REJECTED], rejected.keys[i]))
            list_add(&removed, rejected.items[i], strlen(rejected.items[i]));
    list_free(&rejected);
    return removed;
}

/* ---- Without us --------------------------------------------------------------------------------- */

/* What was carried over stays where it is the last of its kind: its source may be gone. */
static void keep_theirs(xmp_plan *plan, const xmp_state *s, const list *known)
{
    for (f0t_xmp_place p = 0; p < F0T_XMP_PLACES; p++)
        plan->keep[p] = need(s->at[p].count, sizeof *plan->keep[p]);
    for (f0t_xmp_place p = 0; p < F0T_XMP_LISTS; p++) {
        char *owners = xmp_owners(s, p);
        for (size_t i = 0; i < s->at[p].count; i++)
            plan->keep[p][i] =
                owners[i] == 0 || (owners[i] == 2 && !list_has(known, s->at[p].keys[i]));
        free(owners);
    }
    for (size_t i = 0; i < s->at[F0T_XMP_MICROSOFT].count; i++)
        plan->keep[F0T_XMP_MICROSOFT][i] = true;
}

static void add_theirs(list *to, const xmp_state *s, f0t_xmp_place p)
{
    char *owners = xmp_owners(s, p);
    for (size_t i = 0; i < s->at[p].count; i++)
        if (!owners[i])
            list_add(to, s->at[p].items[i], strlen(s->at[p].items[i]));
    free(owners);
}

/* The person's keywords: those that are known already, and those of this packet. */
static list all_known(const xmp_state *s, const list *known)
{
    list all = {0};
    list_add_all(&all, known);
    for (f0t_xmp_place p = 0; p < F0T_XMP_LISTS; p++)
        add_theirs(&all, s, p);
    add_theirs(&all, s, F0T_XMP_MICROSOFT);
    return all;
}

void xmp_plan_none(xmp_plan *plan, const xmp_state *s, const list *known)
{
    list all = all_known(s, known);
    *plan = (xmp_plan){0};
    keep_theirs(plan, s, &all);
    list_free(&all);
}

/* ---- With tags ---------------------------------------------------------------------------------- */

static bool is_kept(const xmp_plan *plan, const xmp_state *s, f0t_xmp_place p, const char *key)
{
    for (size_t i = 0; i < s->at[p].count; i++)
        if (plan->keep[p][i] && !strcmp(s->at[p].keys[i], key))
            return true;
    return false;
}

static bool is_used(const xmp_plan *plan, const xmp_state *s, f0t_xmp_place p)
{
    for (size_t i = 0; i < s->at[p].count; i++)
        if (plan->keep[p][i])
            return true;
    return false;
}

static bool has_text(const list *l, const char *text)
{
    for (size_t i = 0; i < l->count; i++)
        if (!strcmp(l->items[i], text))
            return true;
    return false;
}

/* The path that the person uses for this word, where there is one. */
static const char *known_path(const list *known, const char *key)
{
    for (size_t i = 0; i < known->count; i++)
        if (!strcmp(known->keys[i], key) && strchr(known->items[i], '|'))
            return known->items[i];
    return NULL;
}

/* dc:subject has words; the others have paths, and no bare word beside the same word with a path. */
static void carry(list *to, f0t_xmp_place p, const list *known, const list *rejected)
{
    for (size_t i = 0; i < known->count; i++) {
        const char *text = known->items[i], *key = known->keys[i];
        if (!*key || list_has(rejected, key))
            continue;
        if (p == F0T_XMP_SUBJECT) {
            if (!list_has(to, key))
                list_add(to, list_leaf(text), strlen(list_leaf(text)));
        } else if (!has_text(to, text) &&
                   (strchr(text, '|') || (!known_path(known, key) && !list_has(to, key)))) {
            list_add(to, text, strlen(text));
        }
    }
}

static void add_tag(list *to, f0t_xmp_place p, const char *tag, const char *key, const list *known)
{
    const char *path = known_path(known, key), *text = path ? path : tag;
    text = p == F0T_XMP_SUBJECT ? list_leaf(text) : text;
    list_add(to, text, strlen(text));
}

/* A list is made only for a tag that is not the person's already. */
static void plan_list(xmp_plan *plan, const xmp_state *s, f0t_xmp_place p, const list *wanted,
                      const list *known)
{
    list *to = &plan->add.at[p], *ours = &plan->add.at[F0T_XMP_OURS];
    if (!is_used(plan, s, p))
        carry(to, p, known, &plan->add.at[F0T_XMP_REJECTED]);
    const size_t carried = to->count;
    for (size_t i = 0; i < wanted->count; i++) {
        if (list_has(to, wanted->keys[i]))
            continue;
        add_tag(to, p, wanted->items[i], wanted->keys[i], known);
        if (!list_has(ours, wanted->keys[i]))
            list_add(ours, list_leaf(wanted->items[i]), strlen(list_leaf(wanted->items[i])));
    }
    if (to->count == carried)
        list_free(to);
    list_add_all(&plan->add.at[F0T_XMP_RECORD + p], to);
}

/* Each tag once, without those that the packet has from a person or that were rejected. */
static list find_wanted(const xmp_plan *plan, const xmp_state *s, const list *tags)
{
    list wanted = {0}, theirs = {0};
    add_theirs(&theirs, s, F0T_XMP_MICROSOFT);
    for (size_t i = 0; i < tags->count; i++) {
        const char *key = tags->keys[i];
        bool has = !*key || list_has(&wanted, key) || list_has(&theirs, key) ||
                   list_has(&plan->add.at[F0T_XMP_REJECTED], key);
        for (f0t_xmp_place p = 0; p < F0T_XMP_LISTS && !has; p++)
            has = is_kept(plan, s, p, key);
        if (!has)
            list_add(&wanted, tags->items[i], strlen(tags->items[i]));
    }
    list_free(&theirs);
    return wanted;
}

void xmp_plan_tags(xmp_plan *plan, const xmp_state *s, const list *tags, const list *again,
                   const list *known)
{
    list all = all_known(s, known);
    *plan = (xmp_plan){0};
    keep_theirs(plan, s, &all);
    plan->add.at[F0T_XMP_REJECTED] = find_rejected(s, again);
    list_add_all(&plan->add.at[F0T_XMP_CREATED], &s->at[F0T_XMP_CREATED]);
    list wanted = find_wanted(plan, s, tags);
    for (f0t_xmp_place p = 0; p < F0T_XMP_LISTS; p++)
        plan_list(plan, s, p, &wanted, &all);
    list_free(&wanted);
    list_free(&all);
}

/* ---- The result --------------------------------------------------------------------------------- */

xmp_state xmp_plan_apply(const xmp_plan *plan, const xmp_state *s)
{
    xmp_state after = {0};
    for (f0t_xmp_place p = 0; p < F0T_XMP_PLACES; p++) {
        for (size_t i = 0; i < s->at[p].count; i++)
            if (plan->keep[p][i])
                list_add(&after.at[p], s->at[p].items[i], strlen(s->at[p].items[i]));
        list_add_all(&after.at[p], &plan->add.at[p]);
    }
    return after;
}

void xmp_plan_free(xmp_plan *plan)
{
    for (f0t_xmp_place p = 0; p < F0T_XMP_PLACES; p++)
        free(plan->keep[p]);
    xmp_state_free(&plan->add);
}

void xmp_state_free(xmp_state *state)
{
    for (f0t_xmp_place p = 0; p < F0T_XMP_PLACES; p++)
        list_free(&state->at[p]);
}
