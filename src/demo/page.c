#include "demo/page.h"

#include "base/alloc.h"
#include "demo/story.h"
#include "report/html.h"
#include "report/measures.h"

#include <math.h>
#include <stdio.h>

/* ---- The top ----------------------------------------------------------------------------------- */

static void add_title(f0t_text *page, const f0t_demo_view *view)
{
    char images[F0T_COUNT_SIZE], tags[F0T_COUNT_SIZE], subtitle[300];
    const f0t_demo *demo = view->demo;
    snprintf(subtitle, sizeof subtitle,
             "fast0tag on %s pictures with %s tags%s, all learned on this computer",
             f0t_demo_count(images, demo->images), f0t_demo_count(tags, demo->tags),
             view->work->clipart ? " from Debian's clip art" : "");
    f0t_html_begin(page, "Pictures, named with words that were never learned", subtitle);
}

static void add_figure(f0t_text *page, f0t_demo_gain gain, const char *what, const char *against)
{
    if (!isfinite(gain.times))
        return;
    f0t_text_add(page, "<div><b>");
    f0t_text_number(page, gain.times, 1);
    f0t_text_form(page, " ×</b>%s<br><span class=\"sub\">", what);
    f0t_measure_write(page, "MiAP");
    f0t_text_form(page, " %.1f against %.1f %s</span></div>\n", gain.miap, gain.against, against);
}

static void add_figures(f0t_text *page, const f0t_demo_view *view)
{
    const f0t_eval *eval = view->work->eval;
    char nouns[F0T_COUNT_SIZE];
    f0t_text_add(page, "<div class=\"figures\">\n");
    add_figure(page, f0t_demo_gain_of(eval, F0T_ZERO_SHOT), "tags that it was never shown",
               "by chance");
    add_figure(page, f0t_demo_gain_of(eval, F0T_SEEN_UNSEEN), "all tags, a fifth never shown",
               "by frequency");
    add_figure(page, f0t_demo_gain_of(eval, F0T_CONVENTIONAL), "all tags, all of them learned",
               "by frequency");
    f0t_text_form(page,
                  "<div><b>%s</b>nouns to choose from<br><span class=\"sub\">none of them "
                  "learned</span></div>\n</div>\n",
                  f0t_demo_count(nouns, view->demo->nouns));
    f0t_text_form(page, "<p><b>How to read this.</b> MiAP: %s</p>\n", f0t_measure_meaning("MiAP"));
}

static void add_contents(f0t_text *page)
{
    static const char *const ids[] = {"pictures", "search", "direction",
                                      "numbers",  "tags",   "yours"};
    static const char *const titles[] = {"Pictures and what it says", "Searching by a new word",
                                         "The principal direction",   "The numbers",
                                         "How the tags were cleaned", "Your own pictures"};
    f0t_html_contents(page, ids, titles, sizeof ids / sizeof *ids);
}

/* ---- Sections ---------------------------------------------------------------------------------- */

static void add_pictures(f0t_text *page, const f0t_demo_view *view)
{
    char count[F0T_COUNT_SIZE];
    f0t_html_section(page, "pictures", "Pictures and what it says");
    f0t_text_form(
        page,
        "<p>Test pictures, drawn by seed and not by beauty, with the first five tags of each "
        "scenario. <span class=\"right\">Right tags are green</span>, <span class=\"wrong\">wrong "
        "ones red and italic</span>; one that fits but that nobody gave the picture counts as "
        "wrong. <span class=\"held\">Framed tags</span> were held out: training never saw them. "
        "The last row ranks %s nouns of WordNet, none of them learned; nobody has judged these, "
        "so <span class=\"open\">only those among the picture's own keywords are "
        "green</span>.</p>\n",
        f0t_demo_count(count, view->demo->nouns));
    f0t_demo_add_cards(page, view);
}

static f0t_status add_search(f0t_text *page, const f0t_demo_view *view)
{
    f0t_html_section(page, "search", "Searching by a new word");
    return f0t_demo_add_search(page, view);
}

static f0t_status add_direction(f0t_text *page, const f0t_demo_view *view)
{
    f0t_html_section(page, "direction", "The principal direction");
    f0t_html_paragraph(
        page, "What was learned turns a picture's features into a direction in the space "
              "of word vectors, and ranks words by how far along it they lie. Here are all "
              "tags of the collection along the direction of one picture, of those above the "
              "one whose own tags come furthest; up and down is "
              "what spreads them most across it. Any other word has its place, too: that "
              "is why words work that were never learned.");
    return f0t_demo_add_direction(page, view);
}

static f0t_status add_numbers(f0t_text *page, const f0t_demo_view *view)
{
    const f0t_eval *eval = view->work->eval;
    f0t_table *table;
    f0t_html_section(page, "numbers", "The numbers");
    f0t_html_paragraph(page,
                       "MiAP in percent: 100 where every right tag comes before all others. A dash "
                       "stands where a method ranks only tags that it learned. Every method was "
                       "tuned the same way, on validation pictures and learned tags alone, and "
                       "tested once.");
    F0T_TRY(f0t_demo_table(&table, eval));
    f0t_table_write_html(page, table);
    f0t_table_free(table);
    f0t_text_add(page, "<p>");
    f0t_demo_tell_gains(page, eval);
    f0t_text_add(page, "</p>\n");
    return F0T_OK;
}

static void add_tags(f0t_text *page, const f0t_demo_view *view)
{
    f0t_text told = {0};
    f0t_html_section(page, "tags", "How the tags were cleaned");
    f0t_demo_tell_cleaning(&told, view->work, view->demo);
    f0t_html_paragraph(page, told.bytes ? told.bytes : "");
    if (page->status == F0T_OK)
        page->status = told.status;
    f0t_text_free(&told);
}

static void add_yours(f0t_text *page, const f0t_demo_view *view)
{
    const char *given = view->work->options.vectors;
    f0t_html_section(page, "yours", "Your own pictures");
    f0t_html_paragraph(page,
                       "This page for a folder of pictures that carry keywords (XMP, IPTC, SVG "
                       "metadata, or sidecars of digiKam, darktable and others):");
    f0t_text_add(page, "<pre>fast0tag demo ~/Pictures -o demo</pre>\n");
    f0t_html_paragraph(page, "A model that names new pictures, in your tags or in any others, and "
                             "writes them where photo programs find them:");
    f0t_text_add(page, "<pre>fast0tag vectors build wordnet -o words.safetensors\n"
                       "fast0tag train ~/Pictures --vectors words.safetensors -o pictures.f0t\n"
                       "fast0tag tag pictures.f0t ~/Pictures/new --xmp</pre>\n");
    f0t_html_paragraph(page, "And the model of this page on any picture, with any nouns:");
    f0t_text_form(page,
                  "<pre>fast0tag tag model.f0t picture.jpg --vocab nouns.txt --vectors %s</pre>\n",
                  given ? given : "words.safetensors");
}

/* ---- The page ---------------------------------------------------------------------------------- */

static f0t_status write_page(f0t_text *page, const f0t_demo_view *view)
{
    add_title(page, view);
    add_figures(page, view);
    add_contents(page);
    add_pictures(page, view);
    F0T_TRY(add_search(page, view));
    F0T_TRY(add_direction(page, view));
    F0T_TRY(add_numbers(page, view));
    add_tags(page, view);
    add_yours(page, view);
    f0t_html_end(page);
    return page->status;
}

f0t_status f0t_demo_write_page(const f0t_demo_work *work, const f0t_demo *demo)
{
    f0t_demo_view view;
    f0t_text page = {0};
    F0T_TRY(f0t_demo_view_create(&view, work, demo));
    f0t_status status = write_page(&page, &view);
    if (status == F0T_OK)
        status = f0t_text_save(&page, demo->page);
    f0t_text_free(&page);
    f0t_demo_view_free(&view);
    return status;
}
