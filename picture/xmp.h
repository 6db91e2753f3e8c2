/*
 * The keywords of an XMP packet: where they are, which of them are ours, and how the packet is changed.
 *
 * Programs look in three lists, and some write a fourth. What we put into a list is written down a second time, in a list of our
 * own that bears its name; so the next run can replace it, and `untag` take it away, and nothing else.
 */
#ifndef F0T_PICTURE_XMP_H
#define F0T_PICTURE_XMP_H

#include "list.h"
#include "picture.h"

#include "image/xmp_items.h"

#include <libxml/tree.h>

/* What is in each place. Paths have "|" in all of them. */
typedef struct xmp_state {
    list at[F0T_XMP_PLACES];
} xmp_state;

void xmp_state_free(xmp_state *state);

/* ---- xmp_plan.c: what should be there --------------------------------------------------------- */

typedef struct xmp_plan {
    bool *keep[F0T_XMP_PLACES]; /* of the items that are there */
    xmp_state add;              /* what comes after those */
} xmp_plan;

/* For each item of the list: 0 it is a person's, 1 ours, 2 carried over by us. Freed with free(). */
char *xmp_owners(const xmp_state *state, f0t_xmp_place p);

/* Tags of ours that somebody took away: from a list now, or before an earlier merge, which has noted it. */
list xmp_removed(const xmp_state *state);

/* The packet with these tags of ours; those of `again` also where somebody took them away. `known` are the person's
 * keywords wherever they are. */
void xmp_plan_tags(xmp_plan *plan, const xmp_state *state, const list *tags, const list *again,
                   const list *known);
/* The packet without us. */
void xmp_plan_none(xmp_plan *plan, const xmp_state *state, const list *known);
void xmp_plan_free(xmp_plan *plan);
/* What the state becomes. */
xmp_state xmp_plan_apply(const xmp_plan *plan, const xmp_state *state);

/* ---- xmp_tree.c: the packet as XML, so that all that we do not know stays as it is -------------- */

typedef struct xmp_tree {
    xmlDocPtr doc;
    xmlNodePtr rdf;
    bool declared; /* begins with <?xml …?> */
} xmp_tree;

/* False where it is no XML that has RDF in it, or has a document type. */
bool xmp_tree_open(xmp_tree *tree, const void *data, size_t length);
void xmp_tree_close(xmp_tree *tree);
/* Drops the items that are not kept, and adds the others. False where its items are not `now`. */
bool xmp_tree_edit(xmp_tree *tree, f0t_xmp_place p, const list *now, const bool *keep,
                   const list *add);
/* Whether there is nothing in it that is not RDF: no comment, no element of others. */
bool xmp_tree_is_plain(const xmp_tree *tree);
/* Adds the text to the answer; `inside` a picture with some room at its end. */
void xmp_tree_write(answer *to, const xmp_tree *tree, bool inside);

#endif
