/* fast0tag review: suggestions, one picture at a time. */
#include "decisions.h"
#include "review.h"
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    const char *catalogue, *tag, *folder, *order, *by;
    double confidence, sure;
    size_t top;
    bool lines;
} options;

static const options defaults = {
    .order = "found", .top = 9, .confidence = F0T_OFFERED_LEAST, .sure = F0T_SURE_LEAST};

/* ---- What is to be reviewed, as JSON ------------------------------------------------------ */

static json_t *suggestions_json(const review *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->count; i++) {
        const f0t_catalogue_tag *tag = r->shown[i];
        json_array_append_new(
            list,
            json_pack("{s:s, s:o, s:s}", "tag", tag->tag, "confidence",
                      isnan(tag->confidence) ? json_null() : json_real((double)tag->confidence),
                      "decision", cli_decision_name(tag->decision)));
    }
    return list;
}

static json_t *keywords_json(const review *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->all->count; i++)
        if (r->all->items[i].source != F0T_KEYWORD_NONE)
            json_array_append_new(list, json_string(r->all->items[i].tag));
    return list;
}

static f0t_status print_json(cli_context *cli, review *r)
{
    json_t *list = json_array();
    f0t_status status = F0T_OK;
    for (bool more = r->pictures->count > 0; more && status == F0T_OK;) {
        json_array_append_new(
            list, json_pack("{s:I, s:o, s:o, s:o}", "id", (json_int_t)review_picture(r)->id,
                            "picture", cli_path_json(review_picture(r)->path), "keywords",
                            keywords_json(r), "suggestions", suggestions_json(r)));
        status = review_next(r, &more);
    }
    if (status == F0T_OK)
        return cli_print_json(cli, list);
    json_decref(list);
    return status;
}

/* ---- The command -------------------------------------------------------------------------- */

static f0t_status run_on(cli_context *cli, const options *o, review *r)
{
    if (!r->pictures->count && !f0t_catalogue_model(r->catalogue)) {
        printf("nothing is left to decide: no model suggests tags; 'fast0tag index --model MODEL "
               "FOLDER' lets one\n");
        return F0T_OK;
    }
    if (!r->pictures->count) {
        printf("nothing is left to decide: no suggestion of at least %.0f %%; --confidence changes "
               "it\n",
               100 * r->confidence);
        return F0T_OK;
    }
    if (o->lines || !terminal_open()) {
        printf("suggestions of at least %.0f %%, at most %zu per picture; --confidence and -k "
               "change it\n",
               100 * r->confidence, r->most);
        return review_by_lines(r, cli);
    }
    f0t_status status = review_by_keys(r, cli);
    terminal_close();
    return status;
}

static f0t_catalogue_query make_query(const options *o, const char *folder)
{
    f0t_catalogue_query query = F0T_CATALOGUE_QUERY;
    query.undecided = true;
    query.confidence = o->confidence;
    query.suggested = o->tag;
    query.folder = folder;
    query.limit = 0;
    query.order = !strcmp(o->order, "date")   ? F0T_ORDER_DATE
                  : !strcmp(o->order, "path") ? F0T_ORDER_PATH
                                              : F0T_ORDER_ID;
    return query;
}

static f0t_status run(cli_context *cli, const void *given)
{
    const options *o = given;
    f0t_catalogue_options how = F0T_CATALOGUE_OPTIONS;
    review r = {.who = cli_decider(o->by),
                .confidence = o->confidence,
                .sure = o->sure > o->confidence ? o->sure : o->confidence,
                .most = o->top < REVIEW_MOST ? o->top : REVIEW_MOST};
    if (!(o->confidence >= 0 && o->confidence <= 1))
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--confidence: %g is not between 0 and 1",
                        o->confidence);
    if (!(o->sure >= 0 && o->sure <= 1))
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--sure: %g is not between 0 and 1", o->sure);
    how.mode = cli->json ? F0T_CATALOGUE_READ : F0T_CATALOGUE_WRITE;
    /* The catalogue has whole paths; a folder that is gone may be known by the path that is given. */
    char *whole = o->folder ? realpath(o->folder, NULL) : NULL;
    const f0t_catalogue_query query = make_query(o, whole ? whole : o->folder);
    f0t_status status = f0t_catalogue_open(&r.catalogue, o->catalogue, &how);
    if (status == F0T_OK)
        status = review_open(&r, &query);
    if (status == F0T_OK)
        status = cli->json ? print_json(cli, &r) : run_on(cli, o, &r);
    if (status == F0T_OK && r.decided)
        printf("%zu decision%s; 'fast0tag write' writes accepted tags into files\n", r.decided,
               r.decided == 1 ? "" : "s");
    review_close(&r);
    f0t_catalogue_close(r.catalogue);
    free(whole);
    return status;
}

#define AT(field) offsetof(options, field)

static const cli_option table[] = {
    CLI_CATALOGUE_OPTION(AT(catalogue)),
    {"confidence", 0, CLI_REAL, AT(confidence), "P",
     "Only suggestions that are at least this sure. Default 0.15; a catalogue has none below 0.02.",
     NULL},
    {"sure", 0, CLI_REAL, AT(sure), "P",
     "How sure the suggestions are that one key accepts together. Default 0.6.", NULL},
    {"top", 'k', CLI_COUNT, AT(top), "N", "Suggestions per picture, at most. Default 9.", NULL},
    {"tag", 0, CLI_TEXT, AT(tag), "TAG", "Only pictures for which this tag is suggested.", NULL},
    {"folder", 0, CLI_TEXT, AT(folder), "FOLDER", "Only pictures below this folder.", NULL},
    {"order", 0, CLI_CHOICE, AT(order), "HOW",
     "As they were found, the latest first, or by their paths. Default found.", "found|date|path"},
    {"lines", 0, CLI_FLAG, AT(lines), NULL,
     "Read lines instead of keys, as without a terminal that can move its cursor.", NULL},
    CLI_BY_OPTION(AT(by)),
    {.name = NULL},
};

static const cli_conflict conflicts[] = {{"json", "lines"}, {.one = NULL}};

static const cli_example examples[] = {
    {"fast0tag review", "Goes through all pictures that have suggestions."},
    {"fast0tag review --confidence 0.5 --order date", "The surer ones, the latest pictures first."},
    {"fast0tag review --tag dog", "Is it a dog?"},
    {"fast0tag review --json -c all.f0t", "What is left to decide, for another program."},
    {.command = NULL},
};

const cli_verb cli_verb_review = {
    .name = "review",
    .summary = "accept or reject suggested tags, picture by picture",
    .operands = "",
    .least = 0,
    .most = 0,
    .description =
        "Shows one picture's path, keywords and suggested tags at a time. y accepts the tag at the "
        "cursor, n rejects it, A accepts all that are sure, the arrows and digits move the cursor; "
        "t "
        "types another tag, which Tab completes from the tags of the collection; u undoes; space "
        "is the next picture, b the "
        "one before, q quits. Each decision is kept at once, and no file but the catalogue "
        "changes: 'fast0tag write' writes accepted tags into sidecars or pictures.\n\n"
        "Without a terminal it reads lines: numbers accept, numbers with a minus reject, ? "
        "explains the rest. With --json it prints what is left to decide, and ends.",
    .options = table,
    .conflicts = conflicts,
    .examples = examples,
    .json = true,
    .options_size = sizeof(options),
    .defaults = &defaults,
    .run = run,
};
