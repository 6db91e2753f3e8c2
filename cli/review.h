/* A review: pictures with suggestions that nobody has decided about, one after the other. */
#ifndef F0T_CLI_REVIEW_H
#define F0T_CLI_REVIEW_H

#include "cli.h"

enum { REVIEW_MOST = 99 }; /* tags of a picture that are shown */

/* A decision of this review, and what it can be taken back to. */
typedef struct review_decision {
    size_t at; /* the picture */
    char *tag;
    f0t_decision decision, before;
    bool joined; /* made in one step with the one before it */
} review_decision;

typedef struct review {
    f0t_catalogue *catalogue;
    const char *who;
    double confidence; /* the least of a suggestion, */
    double sure;       /* and of one that review_accept_sure accepts */
    size_t most;       /* tags of a picture that are shown, at most REVIEW_MOST */
    f0t_catalogue_pictures *pictures;
    size_t at;                                   /* the picture in work */
    f0t_catalogue_tags *all;                     /* its tags */
    const f0t_catalogue_tag *shown[REVIEW_MOST]; /* [count] to decide about: the surest first */
    size_t count;
    size_t focus; /* the first of them that is not decided, or the one that was undone */
    review_decision *decisions; /* [decided] of this review, those that were undone left out */
    size_t decided, room;
} review;

/* The pictures that the query has. */
f0t_status review_open(review *r, const f0t_catalogue_query *query);
void review_close(review *r);

const f0t_catalogue_picture *review_picture(const review *r);

/* The next or previous picture; *moved is false at the end. */
f0t_status review_next(review *r, bool *moved);
f0t_status review_previous(review *r, bool *moved);

/* Decides about a tag of the picture, shown or not. */
f0t_status review_decide(review *r, const char *tag, f0t_decision decision);
/* Tags that are shown, not decided, and sure; accepts them in one step. */
size_t review_count_sure(const review *r);
f0t_status review_accept_sure(review *r);
/* Takes the last step of this review back, whatever others have decided since, and goes to its picture; *undone is
 * false where there is none. */
f0t_status review_undo(review *r, bool *undone);

/* The tags that begin with the text, `most` at most, the most used first; freed by f0t_catalogue_words_free. */
f0t_status review_complete(f0t_catalogue_words **out, const review *r, const char *text,
                           size_t most);
/* Makes text[size] as long as all those tags agree; returns false where there is no such tag. */
bool review_extend(char *text, size_t size, const f0t_catalogue_words *words);

/* The screen that reacts to keys (review_screen.c), and the one that reads lines (review_lines.c). */
f0t_status review_by_keys(review *r, cli_context *cli);
f0t_status review_by_lines(review *r, cli_context *cli);

#endif
