#include "review.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const f0t_catalogue_picture *review_picture(const review *r)
{
    return &r->pictures->items[r->at];
}

/* ---- The picture in work ------------------------------------------------------------------ */

static bool is_shown(const review *r, const f0t_catalogue_tag *tag)
{
    if (tag->source != F0T_KEYWORD_NONE)
        return false; /* a person's keyword is no question */
    return tag->decision != F0T_UNDECIDED || (double)tag->confidence >= r->confidence;
}

/* What is not suggested was typed, and comes last. */
static bool is_surer(const f0t_catalogue_tag *a, const f0t_catalogue_tag *b)
{
    if (isnan(a->confidence) || isnan(b->confidence))
        return isnan(b->confidence) && !isnan(a->confidence);
    return a->confidence > b->confidence;
}

/* The place of a tag does not depend on what was decided about it: nothing jumps. */
static void insert(review *r, const f0t_catalogue_tag *tag)
{
    if (r->count == r->most) {
        if (!is_surer(tag, r->shown[r->count - 1]))
            return;
        r->count--;
    }
    size_t i = r->count++;
    for (; i && is_surer(tag, r->shown[i - 1]); i--)
        r->shown[i] = r->shown[i - 1];
    r->shown[i] = tag;
}

static f0t_status load(review *r)
{
    f0t_catalogue_tags_free(r->all);
    r->all = NULL;
    r->count = 0;
    f0t_status status = f0t_catalogue_get_tags(&r->all, r->catalogue, review_picture(r)->id);
    for (size_t i = 0; status == F0T_OK && i < r->all->count; i++)
        if (is_shown(r, &r->all->items[i]))
            insert(r, &r->all->items[i]);
    return status;
}

static size_t find_undecided(const review *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->shown[i]->decision == F0T_UNDECIDED)
            return i;
    return 0;
}

/* The same with the focus where it begins. */
static f0t_status arrive(review *r)
{
    f0t_status status = load(r);
    r->focus = status == F0T_OK ? find_undecided(r) : 0;
    return status;
}

f0t_status review_open(review *r, const f0t_catalogue_query *query)
{
    f0t_status status = f0t_catalogue_list(&r->pictures, r->catalogue, query);
    r->at = 0;
    return status == F0T_OK && r->pictures->count ? arrive(r) : status;
}

void review_close(review *r)
{
    for (size_t i = 0; i < r->decided; i++)
        free(r->decisions[i].tag);
    free(r->decisions);
    f0t_catalogue_tags_free(r->all);
    f0t_catalogue_pictures_free(r->pictures);
}

/* ---- Moving ------------------------------------------------------------------------------- */

f0t_status review_next(review *r, bool *moved)
{
    *moved = r->at + 1 < r->pictures->count;
    r->at += *moved;
    return *moved ? arrive(r) : F0T_OK;
}

f0t_status review_previous(review *r, bool *moved)
{
    *moved = r->at > 0;
    r->at -= *moved;
    return *moved ? arrive(r) : F0T_OK;
}

/* ---- Deciding ----------------------------------------------------------------------------- */

static f0t_decision find_decision(const review *r, const char *tag)
{
    for (size_t i = 0; i < r->all->count; i++)
        if (!strcmp(r->all->items[i].tag, tag))
            return r->all->items[i].decision;
    return F0T_UNDECIDED;
}

/* Room for one more decision, which is about the picture in work. */
static f0t_status prepare(review *r, const char *tag, f0t_decision decision)
{
    if (r->decided == r->room) {
        const size_t room = 2 * r->room + 16;
        review_decision *more = realloc(r->decisions, room * sizeof *more);
        if (!more)
            return f0t_error_set(F0T_ERROR_MEMORY, "no memory for another decision");
        r->decisions = more;
        r->room = room;
    }
    char *copy = strdup(tag);
    r->decisions[r->decided] = (review_decision){r->at, copy, decision, find_decision(r, tag)};
    return copy ? F0T_OK : f0t_error_set(F0T_ERROR_MEMORY, "no memory for another decision");
}

f0t_status review_decide(review *r, const char *tag, f0t_decision decision)
{
    f0t_status status = prepare(r, tag, decision);
    if (status != F0T_OK)
        return status;
    status = f0t_catalogue_decide(r->catalogue, review_picture(r)->id, tag, decision, r->who);
    if (status == F0T_OK)
        r->decided++;
    else
        free(r->decisions[r->decided].tag);
    return status == F0T_OK ? load(r) : status;
}

/* The catalogue's own undo takes the last decision of a name, which may be one of another review; where it is, what was
 * before is decided again. */
static f0t_status take_back(review *r, const review_decision *last)
{
    const int64_t picture = r->pictures->items[last->at].id;
    f0t_catalogue_undone what = {.size = sizeof what};
    f0t_status status = f0t_catalogue_begin(r->catalogue);
    if (status != F0T_OK)
        return status;
    status = f0t_catalogue_undo(&what, r->catalogue, r->who);
    if (status == F0T_OK && what.picture == picture && !strcmp(what.tag, last->tag) &&
        what.is == last->before)
        return f0t_catalogue_commit(r->catalogue);
    (void)f0t_catalogue_rollback(r->catalogue);
    return status == F0T_OK
               ? f0t_catalogue_decide(r->catalogue, picture, last->tag, last->before, r->who)
               : status;
}

/* A later decision of somebody else about the same tag still counts. */
static f0t_status undo(review *r, const review_decision *last)
{
    r->at = last->at;
    f0t_status status = arrive(r);
    if (status == F0T_OK && find_decision(r, last->tag) == last->decision) {
        status = take_back(r, last);
        if (status == F0T_OK)
            status = arrive(r);
    }
    for (size_t i = 0; status == F0T_OK && i < r->count; i++)
        if (!strcmp(r->shown[i]->tag, last->tag))
            r->focus = i;
    return status;
}

f0t_status review_undo(review *r, bool *undone)
{
    *undone = r->decided > 0;
    if (!*undone)
        return F0T_OK;
    review_decision *last = &r->decisions[--r->decided];
    f0t_status status = undo(r, last);
    free(last->tag);
    return status;
}

/* ---- Completion --------------------------------------------------------------------------- */

f0t_status review_complete(f0t_catalogue_words **out, const review *r, const char *text,
                           size_t most)
{
    return f0t_catalogue_get_words(out, r->catalogue, text, most);
}

/* Bytes that two words have in common from the start, whole characters alone. */
static size_t common(const char *a, const char *b, size_t most)
{
    size_t n = 0;
    while (n < most && a[n] && a[n] == b[n])
        n++;
    while (n && ((unsigned char)a[n] & 0xC0) == 0x80)
        n--;
    return n;
}

bool review_extend(char *text, size_t size, const f0t_catalogue_words *words)
{
    if (!words->count)
        return false;
    const char *first = words->items[0].tag;
    size_t agree = strlen(first);
    for (size_t i = 1; i < words->count; i++)
        agree = common(first, words->items[i].tag, agree);
    if (agree >= strlen(text) && agree < size) {
        memcpy(text, first, agree);
        text[agree] = 0;
    }
    return true;
}
