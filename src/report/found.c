/* What was found in a catalogue, as a line and as a contact sheet. */
#include "fast0tag_tools.h"

#include "base/status.h"
#include "report/html.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- A line ------------------------------------------------------------------------------------- */

/* A text of limited room that knows how long the whole is. */
typedef struct line {
    char *to;
    size_t size, length;
} line;

static void add(line *l, const char *text)
{
    const size_t n = strlen(text), left = l->length < l->size ? l->size - l->length : 0;
    if (left) {
        const size_t fits = n < left ? n : left - 1;
        memcpy(l->to + l->length, text, fits);
        l->to[l->length + fits] = '\0';
    }
    l->length += n;
}

/* "30 %", "0.4 %", "<0.1 %" */
static void write_percent(char *to, size_t size, float share)
{
    const double percent = 100 * (double)share;
    if (percent >= 1 || percent == 0)
        snprintf(to, size, "%ld %%", lround(percent));
    else if (percent >= 0.05)
        snprintf(to, size, "0.%ld %%", lround(10 * percent));
    else
        snprintf(to, size, "<0.1 %%");
}

static void add_percent(line *l, const char *before, float share)
{
    char text[32];
    if (isnan(share))
        return;
    write_percent(text, sizeof text, share);
    add(l, before);
    add(l, text);
}

static void add_word(line *l, const f0t_find_word *w)
{
    static const char *const KINDS[] = {": learned", ": new", ": only as a tag", ": left out"};
    char tagged[48];
    add(l, w->without ? "without " : "");
    add(l, w->word);
    add(l, KINDS[w->kind]);
    add_percent(l, ", from ", w->cut);
    if (!isnan(w->cut) && w->best < w->cut)
        add_percent(l, ", best ", w->best);
    snprintf(tagged, sizeof tagged, ", %zu tagged", w->tagged);
    if (w->tagged)
        add(l, tagged);
}

size_t f0t_find_describe(char *out, size_t size, const f0t_find_results *results)
{
    line l = {.to = out, .size = size};
    if (size)
        *out = '\0';
    for (size_t i = 0; i < results->word_count; i++) {
        add(&l, i ? "; " : "");
        add_word(&l, &results->words[i]);
    }
    return l.length;
}

/* ---- A page ------------------------------------------------------------------------------------- */

enum { THUMBNAIL_MOST = 1 << 19 };

static f0t_status add_thumbnail(f0t_text *page, f0t_catalogue *catalogue, const f0t_find_result *r,
                                const char *name)
{
    const void *data;
    size_t size;
    F0T_TRY(f0t_catalogue_get_thumbnail(&data, &size, catalogue, r->id));
    const unsigned char *jpeg = size > 3 && size <= THUMBNAIL_MOST ? data : NULL;
    if (!jpeg || jpeg[0] != 0xFF || jpeg[1] != 0xD8) {
        f0t_text_form(page, "<div class=\"nopicture\">%s</div>", name);
        return F0T_OK;
    }
    f0t_text_form(page, "<img alt=\"%s\" src=\"data:image/jpeg;base64,", name);
    f0t_text_base64(page, jpeg, size);
    f0t_text_add(page, "\">");
    return F0T_OK;
}

/* A file's address: bytes that mean something there are escaped, whatever they are (RFC 3986, RFC 8089). */
static void add_address(f0t_text *page, const char *path)
{
    f0t_text_add(page, "file://");
    for (const unsigned char *c = (const unsigned char *)path; *c; c++) {
        char text[4] = {(char)*c, '\0'};
        const bool plain = (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') ||
                           (*c >= 'A' && *c <= 'Z') || strchr("/-._~", *c);
        if (!plain)
            snprintf(text, sizeof text, "%%%02X", *c);
        f0t_text_add(page, text);
    }
}

static void add_date(f0t_text *page, int64_t taken)
{
    struct tm day;
    char text[32];
    const time_t seconds = (time_t)taken;
    if (taken != F0T_NO_DATE && gmtime_r(&seconds, &day) &&
        strftime(text, sizeof text, "%Y-%m-%d", &day))
        f0t_text_form(page, " <small>%s</small>", text);
}

static void add_surety(f0t_text *page, const f0t_find_result *r)
{
    char text[F0T_NUMBER_SIZE] = "";
    if (!isnan(r->similarity))
        f0t_number_write(text, (double)r->similarity, 2);
    else if (r->tagged)
        snprintf(text, sizeof text, "tagged");
    else if (!isnan(r->confidence))
        write_percent(text, sizeof text, r->confidence);
    if (*text)
        f0t_text_form(page, "<b>%s</b> ", text);
}

static f0t_status add_picture(f0t_text *page, f0t_catalogue *catalogue, const f0t_find_result *r)
{
    const char *slash = strrchr(r->path, '/'), *name = slash ? slash + 1 : r->path;
    f0t_text_add(page, "<figure><a href=\"");
    add_address(page, r->path);
    f0t_text_form(page, "\" title=\"%s\">", r->path);
    F0T_TRY(add_thumbnail(page, catalogue, r, name));
    f0t_text_add(page, "</a><figcaption>");
    add_surety(page, r);
    f0t_text_form(page, "%s", name);
    add_date(page, r->taken);
    f0t_text_add(page, "</figcaption></figure>\n");
    return F0T_OK;
}

f0t_status f0t_find_page_save(const char *path, f0t_catalogue *catalogue,
                              const f0t_find_results *results, const char *title)
{
    F0T_REQUIRE(path);
    F0T_REQUIRE(catalogue);
    F0T_REQUIRE(results);
    F0T_REQUIRE(title);
    f0t_text page = {0};
    f0t_status status = F0T_OK;
    char words[1024], sub[1200];
    f0t_find_describe(words, sizeof words, results);
    snprintf(sub, sizeof sub, "%zu picture%s%s%s%s", results->count, results->count == 1 ? "" : "s",
             results->more ? ", and there are more" : "", *words ? "; " : "", words);
    f0t_html_begin(&page, title, sub);
    f0t_text_add(&page, "<div class=\"sheet\">\n");
    for (size_t i = 0; i < results->count && status == F0T_OK; i++)
        status = add_picture(&page, catalogue, &results->items[i]);
    f0t_text_add(&page, "</div>\n");
    if (!results->count)
        f0t_html_paragraph(&page, "Nothing certain was found.");
    f0t_html_end(&page);
    if (status == F0T_OK)
        status = f0t_text_save(&page, path);
    f0t_text_free(&page);
    return status;
}
