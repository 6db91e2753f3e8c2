/* A review by lines: for terminals that cannot move their cursor, screen readers, and pipes. */
#include "review.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { OFFERED = 20 };

static const char HELP[] = "  2 5     accept tags 2 and 5\n"
                           "  -3      reject tag 3\n"
                           "  a       accept the tags that are sure, as said below them\n"
                           "  t TAG   the picture has this tag\n"
                           "  c TEXT  which of your tags begin with the text\n"
                           "  u       undo the last decision\n"
                           "  n       next picture; so does an empty line\n"
                           "  b       back to the picture before\n"
                           "  q       quit: what was decided is kept\n";

/* ---- Showing ------------------------------------------------------------------------------ */

static void show_tag(const f0t_catalogue_tag *tag, size_t number)
{
    printf("%3zu  ", number);
    cli_print_shown(stdout, tag->tag);
    if (!isnan(tag->confidence))
        printf("  %.0f %%", 100 * (double)tag->confidence);
    printf("%s\n", tag->decision == F0T_ACCEPTED   ? "  yes"
                   : tag->decision == F0T_REJECTED ? "  no"
                                                   : "");
}

static void show(const review *r)
{
    bool any = false;
    printf("%zu of %zu: ", r->at + 1, r->pictures->count);
    cli_print_shown(stdout, review_picture(r)->path);
    printf("\n");
    for (size_t i = 0; i < r->all->count; i++)
        if (r->all->items[i].source != F0T_KEYWORD_NONE) {
            printf("%s", any ? ", " : "  keywords: ");
            cli_print_shown(stdout, r->all->items[i].tag);
            any = true;
        }
    printf("%s", any ? "\n" : "");
    for (size_t i = 0; i < r->count; i++)
        show_tag(r->shown[i], i + 1);
    if (review_count_sure(r))
        printf("     a accepts %zu of at least %.0f %%\n", review_count_sure(r), 100 * r->sure);
}

/* ---- Commands ----------------------------------------------------------------------------- */

static f0t_status offer(const review *r, const char *text)
{
    f0t_catalogue_words *words;
    f0t_status status = review_complete(&words, r, text, OFFERED);
    for (size_t i = 0; status == F0T_OK && i < words->count; i++) {
        printf("  ");
        cli_print_shown(stdout, words->items[i].tag);
        printf("\n");
    }
    if (status == F0T_OK && !words->count)
        printf("  none\n");
    f0t_catalogue_words_free(words);
    return status;
}

/* "1 -3": numbers of tags, below 0 for those to reject; false, after saying so, where one is none. */
static bool read_numbers(long *numbers, size_t *count, const review *r, const char *line)
{
    *count = 0;
    for (const char *at = line + strspn(line, " "); *at; at += strspn(at, " ")) {
        char *end;
        const long number = strtol(at, &end, 10), tag = labs(number);
        if (end == at || !tag || (size_t)tag > r->count || (*end && *end != ' ') ||
            *count == REVIEW_MOST) {
            printf("'");
            cli_print_shown(stdout, at);
            printf("': no such tag; ? explains what can be said\n");
            return false;
        }
        numbers[(*count)++] = number;
        at = end;
    }
    return true;
}

/* The numbers are those that were shown: a decision loads the tags anew, and another program may have changed them. */
static f0t_status decide(review *r, const char *line)
{
    char tags[REVIEW_MOST][F0T_TAG_SIZE];
    long numbers[REVIEW_MOST];
    size_t count;
    f0t_status status = F0T_OK;
    if (!read_numbers(numbers, &count, r, line))
        return F0T_OK;
    for (size_t i = 0; i < count; i++)
        snprintf(tags[i], sizeof tags[i], "%s", r->shown[labs(numbers[i]) - 1]->tag);
    for (size_t i = 0; i < count && status == F0T_OK; i++)
        status = review_decide(r, tags[i], numbers[i] < 0 ? F0T_REJECTED : F0T_ACCEPTED);
    if (status == F0T_OK)
        show(r);
    return status;
}

static f0t_status move(review *r, f0t_status (*to)(review *, bool *), const char *otherwise)
{
    bool moved;
    f0t_status status = to(r, &moved);
    if (status == F0T_OK && moved)
        show(r);
    else if (status == F0T_OK)
        printf("%s\n", otherwise);
    return status;
}

static f0t_status accept_sure(review *r)
{
    const size_t count = review_count_sure(r);
    f0t_status status = count ? review_accept_sure(r) : F0T_OK;
    if (status == F0T_OK && count)
        show(r);
    else if (status == F0T_OK)
        printf("no tag of at least %.0f %% is left to decide\n", 100 * r->sure);
    return status;
}

static f0t_status type(review *r, const char *tag)
{
    f0t_status status = *tag ? review_decide(r, tag, F0T_ACCEPTED) : F0T_OK;
    if (status == F0T_OK && *tag)
        show(r);
    else if (status == F0T_OK)
        printf("which tag? as in: t palm tree\n");
    return status;
}

static bool is(const char *line, char letter)
{
    return line[0] == letter && (!line[1] || line[1] == ' ');
}

/* What stands after the letter. */
static const char *rest(const char *line)
{
    return line + 1 + strspn(line + 1, " ");
}

static f0t_status obey(review *r, const char *line, bool *quit)
{
    if (is(line, 'q'))
        *quit = true;
    else if (!*line || is(line, 'n'))
        return move(r, review_next, "that was the last picture: q quits");
    else if (is(line, 'b'))
        return move(r, review_previous, "this is the first picture");
    else if (is(line, 'u'))
        return move(r, review_undo, "there is nothing to undo");
    else if (is(line, 'a'))
        return accept_sure(r);
    else if (is(line, 't'))
        return type(r, rest(line));
    else if (is(line, 'c'))
        return offer(r, rest(line));
    else if (is(line, '?') || is(line, 'h'))
        fputs(HELP, stdout);
    else
        return decide(r, line);
    return F0T_OK;
}

/* ---- The loop ----------------------------------------------------------------------------- */

static void cut_end(char *line)
{
    size_t length = strlen(line);
    while (length && strchr(" \r\n", line[length - 1]))
        line[--length] = 0;
}

f0t_status review_by_lines(review *r, cli_context *cli)
{
    char *line = NULL;
    size_t room = 0;
    f0t_status status = F0T_OK;
    signal(SIGINT, SIG_DFL); /* what was decided is kept: there is nothing to wait for */
    signal(SIGTERM, SIG_DFL);
    printf("? explains what can be said\n");
    show(r);
    for (bool quit = false; status == F0T_OK && !quit;) {
        printf("> ");
        fflush(stdout);
        if (getline(&line, &room, stdin) < 0) {
            if (ferror(stdin))
                status = cli_fail(cli, F0T_ERROR_IO, "standard input: %s", strerror(errno));
            break;
        }
        cut_end(line);
        status = obey(r, line + strspn(line, " "), &quit);
    }
    free(line);
    return status;
}
