#include "review.h"

#include <math.h>
#include <stdio.h>
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

/* Decisions from `first` on are forgotten. */
static void forget(review *r, size_t first)
{
    while (r->decided > first)
        free(r->decisions[--r->decided].tag);
}

void review_close(review *r)
{
    forget(r, 0);
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

static bool is_sure(const review *r, const f0t_catalogue_tag *tag)
{
    return tag->decision == F0T_UNDECIDED && (double)tag->confidence >= r->sure;
}

/* Appends a decision about the picture in work, and makes it. */
static f0t_status decide(review *r, const char *tag, f0t_decision decision, bool joined)
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
    if (!copy)
        return f0t_error_set(F0T_ERROR_MEMORY, "no memory for another decision");
    r->decisions[r->decided++] =
        (review_decision){r->at, copy, decision, find_decision(r, tag), joined};
    return f0t_catalogue_decide(r->catalogue, review_picture(r)->id, tag, decision, r->who);
}

/* Ends what was begun: all of it counts, or, where something failed, nothing. */
static f0t_status finish(const review *r, f0t_status status)
{
    if (status == F0T_OK)
        return f0t_catalogue_commit(r->catalogue);
    char line[512]; /* rolling back may say something else */
    snprintf(line, sizeof line, "%s", f0t_last_error());
    (void)f0t_catalogue_rollback(r->catalogue);
    return f0t_error_set(status, line);
}

f0t_status review_decide(review *r, const char *tag, f0t_decision decision)
{
    const size_t first = r->decided;
    f0t_status status = decide(r, tag, decision, false);
    if (status != F0T_OK)
        forget(r, first);
    return status == F0T_OK ? load(r) : status;
}

size_t review_count_sure(const review *r)
{
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++)
        count += is_sure(r, r->shown[i]);
    return count;
}

f0t_status review_accept_sure(review *r)
{
    const size_t first = r->decided;
    f0t_status status = f0t_catalogue_begin(r->catalogue);
    if (status != F0T_OK)
        return status;
    for (size_t i = 0; i < r->count && status == F0T_OK; i++)
        if (is_sure(r, r->shown[i]))
            status = decide(r, r->shown[i]->tag, F0T_ACCEPTED, r->decided > first);
    status = finish(r, status);
    if (status != F0T_OK)
        forget(r, first);
    return status == F0T_OK ? load(r) : status;
}

/* ---- Undo --------------------------------------------------------------------------------- */

/* The catalogue's own undo takes back the last step of a name, which may be one of another review. */
static f0t_status take_back_last(bool *taken, const review *r, const review_decision *step,
                                 size_t count)
{
    f0t_catalogue_undone what = {.size = sizeof what};
    *taken = false;
    f0t_status status = f0t_catalogue_begin(r->catalogue);
    if (status != F0T_OK)
        return status;
    status = f0t_catalogue_undo(&what, r->catalogue, r->who);
    *taken = status == F0T_OK && what.count == count && what.is == step->before &&
             what.picture == review_picture(r)->id && !strcmp(what.tag, step->tag);
    if (*taken)
        return f0t_catalogue_commit(r->catalogue);
    (void)f0t_catalogue_rollback(r->catalogue);
    return status;
}

/* Decides what was before, again. A later decision of somebody else about the same tag still counts. */
static f0t_status decide_before(const review *r, const review_decision *step, size_t count)
{
    f0t_status status = f0t_catalogue_begin(r->catalogue);
    if (status != F0T_OK)
        return status;
    for (size_t i = 0; i < count && status == F0T_OK; i++)
        if (find_decision(r, step[i].tag) == step[i].decision)
            status = f0t_catalogue_decide(r->catalogue, review_picture(r)->id, step[i].tag,
                                          step[i].before, r->who);
    return finish(r, status);
}

static f0t_status undo(review *r, const review_decision *step, size_t count)
{
    bool stand = true, taken = false;
    r->at = step->at;
    f0t_status status = arrive(r);
    for (size_t i = 0; status == F0T_OK && i < count; i++)
        stand = stand && find_decision(r, step[i].tag) == step[i].decision;
    if (status == F0T_OK && stand)
        status = take_back_last(&taken, r, step, count);
    if (status == F0T_OK && !taken)
        status = decide_before(r, step, count);
    if (status == F0T_OK)
        status = arrive(r);
    for (size_t i = 0; status == F0T_OK && i < r->count; i++)
        if (!strcmp(r->shown[i]->tag, step->tag))
            r->focus = i;
    return status;
}

f0t_status review_undo(review *r, bool *undone)
{
    size_t first = r->decided;
    *undone = first > 0;
    if (!*undone)
        return F0T_OK;
    while (r->decisions[--first].joined)
        ;
    f0t_status status = undo(r, &r->decisions[first], r->decided - first);
    forget(r, first);
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
