/* What was done and with what result: the sentences and the table of a showcase. */
#include "report/showcase.h"

#include "base/alloc.h"
#include "base/context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const f0t_scenario SHOWN[] = {F0T_CONVENTIONAL, F0T_SEEN_UNSEEN, F0T_ZERO_SHOT};
enum { COLUMNS = sizeof SHOWN / sizeof *SHOWN };

bool f0t_showcase_has_blend(const f0t_eval *eval)
{
    for (size_t m = 0; m < eval->plan.method_count; m++)
        if (!strcmp(eval->plan.methods[m]->name, "blend"))
            return true;
    return false;
}

const char *f0t_showcase_method(const f0t_eval *eval)
{
    return f0t_showcase_has_blend(eval) ? "blend" : "linear";
}

const char *f0t_showcase_shown(const f0t_eval *eval)
{
    return f0t_showcase_has_blend(eval) ? "the blend, what 'train' learns unless told otherwise"
                                        : "the paper's linear map, which is learned in seconds";
}

/* ---- Numbers --------------------------------------------------------------------------------- */

const char *f0t_showcase_count(char out[F0T_SHOWCASE_COUNT_SIZE], size_t number)
{
    char digits[24];
    const size_t length = (size_t)snprintf(digits, sizeof digits, "%zu", number);
    size_t at = 0;
    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = 0;
    return out;
}

size_t f0t_showcase_images(const f0t_showcase *given)
{
    return f0t_dataset_image_count(given->eval->dataset);
}

size_t f0t_showcase_unseen(const f0t_showcase *given)
{
    size_t unseen;
    f0t_dataset_unseen(&unseen, given->eval->dataset);
    return unseen;
}

size_t f0t_showcase_tags(const f0t_showcase *given)
{
    size_t seen;
    f0t_dataset_seen(&seen, given->eval->dataset);
    return seen + f0t_showcase_unseen(given);
}

/* The mean MiAP of a method in a scenario; NaN where it was refused. */
static double miap_of(const f0t_eval *eval, const char *method, f0t_scenario scenario)
{
    const f0t_eval_slice slice = f0t_eval_slice_of(eval, scenario);
    for (size_t i = 0; i < slice.count; i++)
        if (!strcmp(slice.rows[i].method, method))
            return f0t_eval_row_mean(&slice.rows[i], "miap");
    return (double)NAN;
}

f0t_showcase_gain f0t_showcase_gain_of(const f0t_eval *eval, f0t_scenario scenario)
{
    f0t_showcase_gain gain = {.miap = miap_of(eval, f0t_showcase_method(eval), scenario)};
    gain.against = scenario == F0T_ZERO_SHOT ? miap_of(eval, "random", F0T_ZERO_SHOT)
                                             : miap_of(eval, "frequency", F0T_CONVENTIONAL);
    gain.times = gain.miap / gain.against;
    return gain;
}

/* ---- The table --------------------------------------------------------------------------------- */

static double best_of(const f0t_eval *eval, f0t_scenario scenario)
{
    double best = 0;
    for (size_t m = 0; m < eval->plan.method_count; m++) {
        const double miap = miap_of(eval, eval->plan.methods[m]->name, scenario);
        best = isfinite(miap) ? fmax(best, miap) : best;
    }
    return best;
}

static void add_cell(f0t_table *table, const f0t_eval *eval, const f0t_ranker *method,
                     f0t_scenario scenario)
{
    char text[F0T_NUMBER_SIZE];
    const double miap = miap_of(eval, method->name, scenario);
    f0t_number_write(text, miap, 1);
    if (!eval->plan.asked[scenario])
        snprintf(text, sizeof text, "…");
    f0t_table_cell(table, text, miap >= best_of(eval, scenario) ? F0T_CELL_BEST : F0T_CELL_PLAIN);
}

f0t_status f0t_showcase_table(f0t_table **out, const f0t_eval *eval)
{
    static const char *const heads[] = {"MiAP, %", "all tags learned", "a fifth is new",
                                        "only the new ones"};
    F0T_TRY(f0t_table_create(out, "", "lrrr", NULL, heads));
    for (size_t m = 0; m < eval->plan.method_count; m++) {
        f0t_table_row(*out, F0T_ROW_PLAIN);
        f0t_table_cell(*out, eval->plan.methods[m]->title, F0T_CELL_PLAIN);
        for (size_t s = 0; s < COLUMNS; s++)
            add_cell(*out, eval, eval->plan.methods[m], SHOWN[s]);
    }
    return F0T_OK;
}

/* ---- Sentences --------------------------------------------------------------------------------- */

/* A sentence with counts: each # is the next number. */
static void say(f0t_text *to, const char *form, size_t a, size_t b, size_t c)
{
    char texts[3][F0T_SHOWCASE_COUNT_SIZE];
    const char *in[3] = {f0t_showcase_count(texts[0], a), f0t_showcase_count(texts[1], b),
                         f0t_showcase_count(texts[2], c)};
    size_t next = 0;
    for (const char *at = form; *at; at++)
        if (*at == '#' && next < 3)
            f0t_text_add(to, in[next++]);
        else
            f0t_text_add_bytes(to, at, 1);
}

static void tell_note(f0t_text *to, const f0t_import_note *note, bool first)
{
    char number[F0T_SHOWCASE_COUNT_SIZE];
    f0t_text_add(to, first ? " Left out: " : ", ");
    f0t_text_add(to, f0t_showcase_count(number, (size_t)note->count));
    f0t_text_add(to, " ");
    f0t_text_add(to, note->what);
    f0t_text_add(to, " (\"");
    f0t_text_add(to, note->example);
    f0t_text_add(to, "\")");
}

void f0t_showcase_tell_cleaning(f0t_text *to, const f0t_showcase *given)
{
    const f0t_cleaning *c = given->cleaning;
    say(to, "# different keywords become # tags.", c->keywords, f0t_showcase_tags(given), 0);
    if (c->plurals + c->spellings)
        say(to, " # plurals and # other spellings go with their word.", c->plurals, c->spellings,
            0);
    for (size_t i = 0; i < c->note_count; i++)
        tell_note(to, &c->notes[i], i == 0);
    f0t_text_add(to, c->note_count ? "." : "");
    say(to, " # pictures have a tag; a fifth of the tags, #, is held out as new.",
        f0t_showcase_images(given), f0t_showcase_unseen(given), 0);
}

static void tell_gain(f0t_text *to, const f0t_eval *eval, f0t_scenario scenario, const char *what,
                      const char *against)
{
    const f0t_showcase_gain gain = f0t_showcase_gain_of(eval, scenario);
    if (!isfinite(gain.times))
        return;
    f0t_text_add(to, what);
    f0t_text_number(to, gain.times, 2);
    f0t_text_add(to, against);
}

void f0t_showcase_tell_gains(f0t_text *to, const f0t_eval *eval)
{
    f0t_text_add(to, "With all tags learned ");
    f0t_text_add(to, f0t_showcase_shown(eval));
    tell_gain(to, eval, F0T_CONVENTIONAL, ", is ", " times as good as ranking by frequency");
    tell_gain(to, eval, F0T_SEEN_UNSEEN, "; with a fifth of them new, ", " times");
    tell_gain(to, eval, F0T_ZERO_SHOT, ". The tags that it was never shown it ranks ",
              " times as well as chance.");
}

static f0t_status tell_comparison(f0t_text *to, const f0t_eval *eval)
{
    const f0t_eval_slice slice = f0t_eval_slice_of(eval, F0T_CONVENTIONAL);
    f0t_table *table;
    say(to,
        "Tags of # test pictures, ranked by each method: MiAP in percent, 100 where every right "
        "tag comes before all others.\n\n",
        slice.count ? slice.rows->images : 0, 0, 0);
    F0T_TRY(f0t_showcase_table(&table, eval));
    f0t_table_write(to, table, F0T_TABLE_TEXT, false);
    f0t_table_free(table);
    f0t_text_add(to, "\n");
    f0t_showcase_tell_gains(to, eval);
    f0t_text_add(to, "\n\n");
    return F0T_OK;
}

static f0t_status tell_all(f0t_text *to, const f0t_showcase *given, const char *page)
{
    say(to,
        given->clipart ? "# pictures that people have drawn and tagged: Debian's openclipart-svg"
                       : "# pictures",
        given->found, 0, 0);
    if (given->generated)
        say(to, ", without # shapes made by a program", given->generated, 0, 0);
    f0t_text_add(to, ". ");
    f0t_showcase_tell_cleaning(to, given);
    f0t_text_add(to, "\n\n");
    F0T_TRY(tell_comparison(to, given->eval));
    say(to, "Then the vocabulary is opened to # nouns of WordNet that training never saw.\n\n",
        f0t_vocab_count(given->words), 0, 0);
    f0t_text_add(to, page);
    f0t_text_add(to,
                 " shows the pictures with their tags, and how to do the same with your own.\n");
    return to->status;
}

f0t_status f0t_showcase_check(const f0t_showcase *showcase)
{
    F0T_REQUIRE(showcase->eval);
    F0T_REQUIRE(showcase->model || showcase->to_come);
    F0T_REQUIRE(showcase->words || !showcase->model);
    F0T_REQUIRE(showcase->pictures);
    F0T_REQUIRE(showcase->cleaning);
    return F0T_OK;
}

f0t_status f0t_showcase_report(f0t_report **out, const f0t_showcase *showcase, const char *page)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(showcase);
    F0T_REQUIRE(page);
    F0T_READ_OPTIONS(f0t_showcase, F0T_SHOWCASE, showcase);
    F0T_TRY(f0t_showcase_check(showcase));
    F0T_REQUIRE(showcase->words);
    f0t_report *report;
    F0T_TRY(f0t_alloc_zero(&report, 1, sizeof *report));
    f0t_status status = tell_all(&report->text, showcase, page);
    if (status == F0T_OK)
        *out = report;
    else
        f0t_report_free(report);
    return status;
}
