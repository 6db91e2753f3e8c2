#include "demo/demo.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const f0t_scenario SHOWN[] = {F0T_CONVENTIONAL, F0T_SEEN_UNSEEN, F0T_ZERO_SHOT};
enum { COLUMNS = sizeof SHOWN / sizeof *SHOWN };

const char *f0t_demo_count(char out[F0T_COUNT_SIZE], size_t number)
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

f0t_demo_gain f0t_demo_gain_of(const f0t_eval *eval, f0t_scenario scenario)
{
    f0t_demo_gain gain = {.miap = f0t_demo_value(eval, f0t_demo_ours, scenario, "miap")};
    gain.against = scenario == F0T_ZERO_SHOT
                       ? f0t_demo_value(eval, "random", F0T_ZERO_SHOT, "miap")
                       : f0t_demo_value(eval, "frequency", F0T_CONVENTIONAL, "miap");
    gain.times = gain.miap / gain.against;
    return gain;
}

/* ---- The table --------------------------------------------------------------------------------- */

static double best_of(const f0t_eval *eval, f0t_scenario scenario)
{
    double best = 0;
    for (size_t m = 0; m < eval->plan.method_count; m++) {
        const double miap = f0t_demo_value(eval, eval->plan.methods[m]->name, scenario, "miap");
        best = isfinite(miap) ? fmax(best, miap) : best;
    }
    return best;
}

static void add_cell(f0t_table *table, const f0t_eval *eval, const f0t_ranker *method,
                     f0t_scenario scenario)
{
    char text[F0T_NUMBER_SIZE];
    const double miap = f0t_demo_value(eval, method->name, scenario, "miap");
    f0t_number_write(text, miap, 1);
    f0t_table_cell(table, text, miap >= best_of(eval, scenario) ? F0T_CELL_BEST : F0T_CELL_PLAIN);
}

f0t_status f0t_demo_table(f0t_table **out, const f0t_eval *eval)
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
    char texts[3][F0T_COUNT_SIZE];
    const char *in[3] = {f0t_demo_count(texts[0], a), f0t_demo_count(texts[1], b),
                         f0t_demo_count(texts[2], c)};
    size_t next = 0;
    for (const char *at = form; *at; at++)
        if (*at == '#' && next < 3)
            f0t_text_add(to, in[next++]);
        else
            f0t_text_add_bytes(to, at, 1);
}

static void tell_flaw(f0t_text *to, const f0t_cleaned *c, f0t_flaw flaw, bool *first)
{
    char number[F0T_COUNT_SIZE];
    if (!c->left_out[flaw])
        return;
    f0t_text_add(to, *first ? " Left out: " : ", ");
    f0t_text_add(to, f0t_demo_count(number, c->left_out[flaw]));
    f0t_text_add(to, " ");
    f0t_text_add(to, f0t_flaw_name(flaw));
    f0t_text_add(to, " (\"");
    f0t_text_add(to, c->examples[flaw]);
    f0t_text_add(to, "\")");
    *first = false;
}

void f0t_demo_tell_cleaning(f0t_text *to, const f0t_demo_work *work, const f0t_demo *demo)
{
    const f0t_cleaned *c = &work->cleaned;
    bool first = true;
    say(to, "# different keywords become # tags.", c->forms, demo->tags, 0);
    if (c->plurals + c->spellings)
        say(to, " # plurals and # other spellings go with their word.", c->plurals, c->spellings,
            0);
    for (int f = F0T_FLAW_NONE + 1; f < F0T_FLAWS; f++)
        tell_flaw(to, c, (f0t_flaw)f, &first);
    f0t_text_add(to, first ? "" : ".");
    say(to, " # pictures have a tag; a fifth of the tags, #, is held out as new.", demo->images,
        demo->unseen, 0);
}

static void tell_gain(f0t_text *to, const f0t_eval *eval, f0t_scenario scenario, const char *what,
                      const char *against)
{
    const f0t_demo_gain gain = f0t_demo_gain_of(eval, scenario);
    if (!isfinite(gain.times))
        return;
    f0t_text_add(to, what);
    f0t_text_number(to, gain.times, 2);
    f0t_text_add(to, against);
}

void f0t_demo_tell_gains(f0t_text *to, const f0t_eval *eval)
{
    tell_gain(to, eval, F0T_CONVENTIONAL, "With all tags learned it is ",
              " times as good as ranking by frequency");
    tell_gain(to, eval, F0T_SEEN_UNSEEN, "; with a fifth of them new, ", " times");
    tell_gain(to, eval, F0T_ZERO_SHOT, ". The tags that it was never shown it ranks ",
              " times as well as chance.");
}

static f0t_status tell_comparison(f0t_text *to, const f0t_demo_work *work)
{
    const f0t_eval_slice slice = f0t_eval_slice_of(work->eval, F0T_CONVENTIONAL);
    f0t_table *table;
    say(to,
        "Tags of # test pictures, ranked by each method: MiAP in percent, 100 where every right "
        "tag "
        "comes before all others.\n\n",
        slice.count ? slice.rows->images : 0, 0, 0);
    F0T_TRY(f0t_demo_table(&table, work->eval));
    f0t_table_write(to, table, F0T_TABLE_TEXT, false);
    f0t_table_free(table);
    f0t_text_add(to, "\n");
    f0t_demo_tell_gains(to, work->eval);
    f0t_text_add(to, "\n\n");
    return F0T_OK;
}

static f0t_status write_all(f0t_text *to, const f0t_demo_work *work, const f0t_demo *demo)
{
    say(to,
        work->clipart ? "# pictures that people have drawn and tagged: Debian's openclipart-svg"
                      : "# pictures",
        demo->pictures, 0, 0);
    if (work->generated)
        say(to, ", without # shapes made by a program", work->generated, 0, 0);
    f0t_text_add(to, ". ");
    f0t_demo_tell_cleaning(to, work, demo);
    f0t_text_add(to, "\n\n");
    F0T_TRY(tell_comparison(to, work));
    say(to, "Then the vocabulary is opened to # nouns of WordNet that training never saw.\n\n",
        demo->nouns, 0, 0);
    f0t_text_add(to, demo->page);
    f0t_text_add(to,
                 " shows the pictures with their tags, and how to do the same with your own.\n");
    return to->status;
}

f0t_status f0t_demo_write_story(char **out, const f0t_demo_work *work, const f0t_demo *demo)
{
    f0t_text story = {0};
    f0t_status status = write_all(&story, work, demo);
    if (status == F0T_OK)
        *out = story.bytes;
    else
        f0t_text_free(&story);
    return status;
}
