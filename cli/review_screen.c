/* A review on a terminal: a screen for each picture, a key for each decision. */
#include "review.h"
#include "terminal.h"

#include <math.h>
#include <string.h>

enum {
    NAME_COLUMNS = 32, /* of a tag, and of what stands around it */
    REST_COLUMNS = 17,
    TAB = 9,
    ENTER = 13,
    NEWLINE = 10,
    ESCAPE = 27,
    DELETE = 127,
    BACKSPACE = 8
};
enum { CLEAR = 21, OFFERED = 12 }; /* Ctrl-U; completions that are shown */

typedef struct screen {
    review *r;
    size_t cursor;     /* the tag in question */
    const char *said;  /* the last line; "" for the keys */
    char accepted[80]; /* it, after some were accepted together */
    bool typing;
    char text[F0T_TAG_SIZE];
    char offered[1024]; /* completions */
} screen;

/* ---- Showing ------------------------------------------------------------------------------ */

static const char *mark(f0t_decision decision)
{
    return decision == F0T_ACCEPTED ? "  yes" : decision == F0T_REJECTED ? "  no" : "";
}

static void show_keywords(const review *r, size_t width)
{
    size_t left = width;
    bool any = false;
    for (size_t i = 0; i < r->all->count; i++) {
        const f0t_catalogue_tag *tag = &r->all->items[i];
        if (tag->source == F0T_KEYWORD_NONE)
            continue;
        left -= terminal_print(any ? ", " : "keywords: ", left);
        left -= terminal_print(tag->place ? tag->place : tag->tag, left);
        any = true;
    }
    printf("%s\n", any ? "" : "no keywords");
}

static void show_tag(const screen *s, size_t i, size_t width)
{
    const f0t_catalogue_tag *tag = s->r->shown[i];
    const size_t most = width < NAME_COLUMNS + REST_COLUMNS ? width - REST_COLUMNS : NAME_COLUMNS;
    printf("%c%2zu  ", i == s->cursor && !s->typing ? '>' : ' ', i + 1);
    for (size_t used = terminal_print(tag->tag, most); used < most; used++)
        putchar(' ');
    if (isnan(tag->confidence))
        printf("      ");
    else
        printf(" %3.0f %%", 100 * (double)tag->confidence);
    printf("%s\n", mark(tag->decision));
}

static void show(const screen *s)
{
    const review *r = s->r;
    const size_t width = terminal_width();
    char line[160];
    terminal_clear();
    snprintf(line, sizeof line, "%zu of %zu  suggestions of at least %.0f %% (--confidence)",
             r->at + 1, r->pictures->count, 100 * r->confidence);
    terminal_print(line, width);
    printf("\n");
    terminal_print_end(review_picture(r)->path, width);
    printf("\n");
    show_keywords(r, width);
    printf("\n");
    for (size_t i = 0; i < r->count; i++)
        show_tag(s, i, width);
    printf("%s\n", r->count ? "" : "nothing is suggested\n");
    if (s->typing) {
        terminal_print(s->offered, width);
        printf("\ntag (Tab completes, Esc leaves): ");
        terminal_print(s->text, width > 40 ? width - 34 : width);
        return;
    }
    if (review_count_sure(r)) {
        snprintf(line, sizeof line, "A accept %zu of at least %.0f %%", review_count_sure(r),
                 100 * r->sure);
        terminal_print(line, width);
        printf("\n");
    }
    terminal_print(*s->said ? s->said
                            : "y accept  n reject  t type  u undo  space next  b back  q quit",
                   width);
    printf("\n");
}

/* ---- Typing ------------------------------------------------------------------------------- */

static f0t_status complete(screen *s)
{
    f0t_catalogue_words *words;
    f0t_status status = review_complete(&words, s->r, s->text, OFFERED);
    if (status != F0T_OK)
        return status;
    size_t used = 0;
    s->offered[0] = 0;
    if (!review_extend(s->text, sizeof s->text, words))
        snprintf(s->offered, sizeof s->offered, "no tag begins so; Enter makes a new one");
    for (size_t i = 0; words->count > 1 && i < words->count && used < sizeof s->offered; i++)
        used += (size_t)snprintf(s->offered + used, sizeof s->offered - used, "%s%s", i ? "  " : "",
                                 words->items[i].tag);
    f0t_catalogue_words_free(words);
    return F0T_OK;
}

/* Without the last character. */
static void shorten(char *text)
{
    size_t length = strlen(text);
    while (length && ((unsigned char)text[length - 1] & 0xC0) == 0x80)
        length--;
    text[length ? length - 1 : 0] = 0;
}

static char *trim(char *text)
{
    while (*text == ' ')
        text++;
    for (size_t n = strlen(text); n && text[n - 1] == ' '; n--)
        text[n - 1] = 0;
    return text;
}

static f0t_status type(screen *s, int key)
{
    const size_t length = strlen(s->text);
    if (key == TAB)
        return complete(s);
    s->offered[0] = 0;
    if (key == ENTER || key == NEWLINE || key == ESCAPE) {
        const char *tag = trim(s->text);
        s->typing = false;
        return key != ESCAPE && *tag ? review_decide(s->r, tag, F0T_ACCEPTED) : F0T_OK;
    }
    if (key == DELETE || key == BACKSPACE)
        shorten(s->text);
    else if (key == CLEAR)
        s->text[0] = 0;
    else if (key >= ' ' && key < TERMINAL_REDRAW && length + 1 < sizeof s->text)
        snprintf(s->text + length, 2, "%c", key);
    return F0T_OK;
}

/* ---- Keys --------------------------------------------------------------------------------- */

/* Moves the cursor to the next tag that is not decided, from the cursor on and around; returns false where there is none. */
static bool find_next(screen *s)
{
    for (size_t i = 1; i <= s->r->count; i++) {
        const size_t next = (s->cursor + i) % s->r->count;
        if (s->r->shown[next]->decision == F0T_UNDECIDED) {
            s->cursor = next;
            return true;
        }
    }
    return false;
}

static f0t_status decide(screen *s, f0t_decision decision)
{
    if (s->cursor >= s->r->count)
        return F0T_OK;
    f0t_status status = review_decide(s->r, s->r->shown[s->cursor]->tag, decision);
    if (status == F0T_OK && !find_next(s))
        s->said = "all decided: space for the next picture, t to type a tag, q to quit";
    return status;
}

static f0t_status accept_sure(screen *s)
{
    const size_t count = review_count_sure(s->r);
    snprintf(s->accepted, sizeof s->accepted, "%zu accepted: u takes %s back", count,
             count == 1 ? "it" : "them");
    s->said = count ? s->accepted : "no tag that is so sure is left to decide";
    if (!count)
        return F0T_OK;
    f0t_status status = review_accept_sure(s->r);
    if (s->cursor < s->r->count && s->r->shown[s->cursor]->decision != F0T_UNDECIDED)
        find_next(s);
    return status;
}

static f0t_status move(screen *s, f0t_status (*to)(review *, bool *))
{
    bool moved;
    f0t_status status = to(s->r, &moved);
    s->cursor = moved ? s->r->focus : s->cursor;
    if (status == F0T_OK && !moved)
        s->said = to == review_next ? "that was the last picture: q quits, b goes back"
                                    : "this is the first picture";
    return status;
}

static f0t_status undo(screen *s)
{
    bool undone;
    f0t_status status = review_undo(s->r, &undone);
    s->cursor = undone ? s->r->focus : s->cursor;
    s->said = undone ? "undone" : "there is nothing to undo";
    return status;
}

static void step(screen *s, bool down)
{
    const size_t count = s->r->count;
    if (count)
        s->cursor = down ? (s->cursor + 1) % count : (s->cursor + count - 1) % count;
}

static f0t_status obey(screen *s, int key, bool *quit)
{
    s->said = "";
    switch (key) {
    case 'y':
    case 'a':
    case ENTER:
    case NEWLINE:
        return decide(s, F0T_ACCEPTED);
    case 'n':
    case 'r':
        return decide(s, F0T_REJECTED);
    case 'A':
        return accept_sure(s);
    case 't':
    case '+':
        s->typing = true;
        s->text[0] = s->offered[0] = 0;
        return F0T_OK;
    case 'u':
        return undo(s);
    case ' ':
    case TERMINAL_RIGHT:
        return move(s, review_next);
    case 'b':
    case TERMINAL_LEFT:
        return move(s, review_previous);
    case 'k':
    case TERMINAL_UP:
        step(s, false);
        return F0T_OK;
    case 'j':
    case TERMINAL_DOWN:
        step(s, true);
        return F0T_OK;
    default:
        *quit = key == 'q' || key == TERMINAL_END;
        if (key >= '1' && key <= '9' && (size_t)(key - '1') < s->r->count)
            s->cursor = (size_t)(key - '1');
        return F0T_OK;
    }
}

f0t_status review_by_keys(review *r, cli_context *cli)
{
    screen s = {.r = r, .said = "", .cursor = r->focus};
    f0t_status status = F0T_OK;
    (void)cli;
    for (bool quit = false; status == F0T_OK && !quit;) {
        show(&s);
        const int key = terminal_key();
        quit = key == TERMINAL_END;
        if (key != TERMINAL_REDRAW && !quit)
            status = s.typing ? type(&s, key) : obey(&s, key, &quit);
    }
    terminal_clear();
    return status;
}
