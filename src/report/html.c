/* Pages of HTML, and the pictures embedded in them. */
#include "report/html.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/monitor.h"
#include "io/file.h"
#include "report/png.h"

#include <string.h>

/* ---- The page ----------------------------------------------------------------------------- */

static const char STYLE[] =
    ":root{color-scheme:light dark;--page:#fff;--shade:#0003}"
    "body{font:15px/1.5 system-ui,-apple-system,'Segoe UI','Liberation Sans',sans-serif;"
    "margin:0 auto;padding:1.5rem;max-width:72rem;color:#222;background:var(--page);"
    "overflow-wrap:break-word}"
    "h1{margin:0;font-size:1.7rem}h2{margin:2.2rem 0 .6rem;font-size:1.25rem}"
    ".sub{margin:.2rem 0 1rem;color:#666}p{max-width:50rem}"
    "nav ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.3rem 1.2rem}"
    "a{color:#0059a3}code{font-size:.92em}"
    /* What scrolls sideways has a shade where it goes on. */
    ".wide{overflow-x:auto;background:linear-gradient(to left,var(--page) 30%,transparent) "
    "right/2rem "
    "100% no-repeat local,linear-gradient(to left,var(--shade),transparent) right/.8rem 100% "
    "no-repeat scroll}"
    ".wide td:first-child,.wide th:first-child{position:sticky;left:0;background:var(--page)}"
    ".swipe{display:none;margin:.2rem 0;font-size:.8rem;color:#666}"
    "abbr{text-decoration:underline dotted #999;text-underline-offset:.2em;cursor:help}"
    ".terms{display:grid;grid-template-columns:max-content 1fr;gap:.2rem .8rem;max-width:50rem}"
    ".terms dt{font-weight:600}.terms dd{margin:0}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem}"
    "th,td{padding:.22rem .6rem;text-align:right;border-bottom:1px solid #ddd;white-space:nowrap}"
    "th{font-weight:600}th.c{text-align:center}th.l,td.l{text-align:left}td.l{white-space:normal}"
    "tr.minor "
    "td{color:#666;border-bottom:none}"
    "td.best{font-weight:700}figure.table{margin:0}.table figcaption{margin:.3rem 0;color:#666}"
    ".right{color:#00704f;font-weight:600}.wrong{color:#b3261e;font-style:italic}"
    ".gallery{font-size:.84rem}.gallery td{vertical-align:top;white-space:normal;text-align:left}"
    "h3+img{max-width:100%;max-height:16rem}"
    ".gallery img{max-width:160px;max-height:160px;border-radius:4px;display:block}"
    ".nopicture{width:120px;height:90px;border:1px dashed #999;border-radius:4px;color:#666;"
    "font-size:.75rem;overflow:hidden;overflow-wrap:anywhere;padding:.3rem}"
    ".figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,9.6rem),1fr));"
    "gap:1rem;margin:1.4rem 0}.figures div{border:1px solid #ddd;border-radius:8px;"
    "padding:.8rem 1rem}.figures b{display:block;font-size:1.9rem;line-height:1.2}"
    ".cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20.5rem),1fr));"
    "gap:1rem}.card{border:1px solid #ddd;border-radius:8px;overflow:hidden;display:flex;"
    "flex-direction:column}.card>img,.card>.nopicture{box-sizing:border-box;width:100%;"
    "height:11rem;object-fit:contain;background:#fff;padding:.7rem;border:0;"
    "border-bottom:1px solid #ddd}.card dl{margin:0;padding:.5rem .9rem .8rem;font-size:.9rem}"
    ".card dt{color:#666;font-size:.8rem;margin-top:.4rem}.card dd{margin:0}"
    ".card span{margin-right:.45rem;display:inline-block;max-width:100%}"
    ".held{border:1px dashed #777;border-radius:4px;padding:0 .3rem}"
    ".unfinished{border:2px solid #b36b00;border-radius:8px;padding:.6rem .9rem}"
    ".open{text-decoration:underline dotted #999;text-underline-offset:.2em}"
    ".hits{display:flex;flex-wrap:wrap;gap:.6rem}.hits figure{margin:0;width:7.4rem;"
    "border:2px solid #b3261e;border-style:dashed;border-radius:8px;overflow:hidden;"
    "text-align:center}.hits figure.hit{border:2px solid #00704f}"
    ".hits img,.hits .nopicture{box-sizing:border-box;display:block;width:100%;height:6.4rem;"
    "object-fit:contain;background:#fff;padding:.3rem;border:0}"
    ".hits figcaption{font-size:.78rem;line-height:1.7;color:#b3261e;font-style:italic}"
    ".hits .hit figcaption{color:#00704f;font-weight:600;font-style:normal}"
    ".beside{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start}.beside>img{width:11rem;"
    "max-height:14rem;object-fit:contain;background:#fff;border:1px solid #ddd;"
    "border-radius:8px;padding:.5rem}.beside>.chart{flex:1 1 30rem;min-width:0}"
    "pre{background:#f4f4f4;border-radius:8px;padding:.8rem 1rem;overflow-x:auto;"
    "font-size:.88rem}h3{margin:1.4rem 0 0;font-size:1.05rem}h3+.sub{margin:.1rem 0 .5rem}"
    "svg{max-width:100%;height:auto}"
    ".pair{display:flex;flex-wrap:wrap;gap:1rem}.pair>.chart{flex:1 1 26rem;min-width:0}";

/* A contact sheet. */
static const char STYLE_SHEET[] =
    ".sheet{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,11rem),1fr));"
    "gap:1rem;margin-top:1.4rem}.sheet figure{margin:0;min-width:0}.sheet a{display:block}"
    ".sheet img,.sheet .nopicture{box-sizing:border-box;display:block;width:100%;height:11rem;"
    "object-fit:contain;background:#8881;border:0;border-radius:6px}"
    ".sheet figcaption{font-size:.82rem;line-height:1.45;overflow-wrap:anywhere}"
    ".sheet b{font-variant-numeric:tabular-nums}.sheet small{color:#666;font-size:inherit}";

/* Wide screens, dark ones, small ones, paper. */
static const char STYLE_MEDIA[] =
    "@media(prefers-color-scheme:dark){:root{--page:#181818;--shade:#fff3}body{color:#ddd}"
    "a{color:#7ab8f5}"
    ".sub,.table figcaption,.swipe,tr.minor td,.nopicture,.sheet "
    "small{color:#aaa}th,td{border-color:#444}"
    ".right{color:#4fd6a5}.wrong{color:#ff9a8f}.card dt{color:#aaa}"
    ".card,.figures div,.card>img,.beside>img{border-color:#444}pre{background:#262626}"
    ".held{border-color:#aaa}.hits figure{border-color:#ff9a8f}.hits figcaption{color:#ff9a8f}"
    ".hits figure.hit{border-color:#4fd6a5}.hits .hit figcaption{color:#4fd6a5}}"
    "@media(max-width:40rem){body{padding:1rem}h1{font-size:1.4rem}.figures{gap:.6rem}"
    ".figures div{padding:.6rem .7rem}.figures b{font-size:1.5rem}.hits figure{width:6.4rem}"
    ".swipe{display:block}.wide td,.wide th{padding:.22rem .45rem}"
    ".wide td:first-child,.wide "
    "th:first-child{min-width:5.5rem;max-width:7rem;white-space:normal;overflow-wrap:anywhere}"
    ".chart svg{min-width:32rem}.pair,.beside{display:block}.chart{margin:.6rem 0}"
    /* A row of the gallery becomes a card: its cells one below the other, each with its head. */
    ".gallery thead{display:none}.gallery,.gallery tbody,.gallery tr,.gallery td{display:block}"
    ".gallery tr{border:1px solid #ddd;border-radius:8px;padding:.5rem;margin-bottom:.8rem}"
    ".gallery td,.gallery td:first-child{border:0;position:static;max-width:none}"
    ".gallery td[data-head]::before{content:attr(data-head);display:block;color:#666;"
    "font-size:.8rem}.gallery br{display:none}.gallery span{margin-right:.5rem}}"
    "@media print{body{max-width:none;padding:0}nav{display:none}}";

void f0t_html_begin(f0t_text *page, const char *title, const char *subtitle)
{
    f0t_html_begin_reloading(page, title, subtitle, 0);
}

void f0t_html_begin_reloading(f0t_text *page, const char *title, const char *subtitle,
                              size_t seconds)
{
    f0t_text_form(page,
                  "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "img-src data:; style-src 'unsafe-inline'\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<title>%s</title>\n",
                  title);
    if (seconds)
        f0t_text_form(page, "<meta http-equiv=\"refresh\" content=\"%zu\">\n", seconds);
    f0t_text_add(page, "<style>");
    f0t_text_add(page, STYLE);
    f0t_text_add(page, STYLE_SHEET);
    f0t_text_add(page, STYLE_MEDIA);
    f0t_text_form(page, "</style>\n</head>\n<body>\n<h1>%s</h1>\n", title);
    if (subtitle)
        f0t_text_form(page, "<p class=\"sub\">%s</p>\n", subtitle);
}

void f0t_html_end(f0t_text *page)
{
    f0t_text_add(page, "</body>\n</html>\n");
}

void f0t_html_section(f0t_text *page, const char *id, const char *title)
{
    f0t_text_form(page, "<h2 id=\"%s\">%s</h2>\n", id, title);
}

void f0t_html_paragraph(f0t_text *page, const char *text)
{
    f0t_text_form(page, "<p>%s</p>\n", text);
}

void f0t_html_contents(f0t_text *page, const char *const *ids, const char *const *titles,
                       size_t count)
{
    f0t_text_add(page, "<nav><ul>\n");
    for (size_t i = 0; i < count; i++)
        f0t_text_form(page, "<li><a href=\"#%s\">%s</a></li>\n", ids[i], titles[i]);
    f0t_text_add(page, "</ul></nav>\n");
}

void f0t_html_chart_begin(f0t_text *page)
{
    f0t_text_add(page, "<div class=\"wide chart\" tabindex=\"0\">\n");
}

void f0t_html_chart_end(f0t_text *page)
{
    f0t_text_add(page, "</div>\n");
}

void f0t_html_tag(f0t_text *page, const char *tag, bool right)
{
    f0t_text_form(page, "<span class=\"%s\">%s</span>", right ? "right" : "wrong", tag);
}

/* ---- Pictures ----------------------------------------------------------------------------- */

/* Of a thumbnail: its shorter side is from SIDE to twice that, or less where the longer one is above
 * LONGER, so that it has 2 SIDE LONGER pixels at most. */
enum { SIDE = 132, LONGER = 320 };

/* A file that browsers show; `type` is NULL while there is none. */
typedef struct shown {
    const char *type;
    f0t_text file;
} shown;

/* ---- A picture as it is ------------------------------------------------------------------- */

static const char SVG[] = "image/svg+xml";

/* The first element of an XML file, after a byte order mark, white space, processing instructions,
 * comments and the document type. */
static const char *first_element(const char *at)
{
    if (!strncmp(at, "\xEF\xBB\xBF", 3))
        at += 3;
    for (;;) {
        at += strspn(at, " \t\r\n");
        const char *end = NULL;
        if (!strncmp(at, "<?", 2))
            end = "?>";
        else if (!strncmp(at, "<!--", 4))
            end = "-->";
        else if (!strncmp(at, "<!DOCTYPE", 9))
            end = at[strcspn(at, "[>")] == '[' ? "]>" : ">";
        const char *found = end ? strstr(at, end) : NULL;
        if (!found)
            return at;
        at = found + strlen(end);
    }
}

/* The media type by the content, which is NUL-terminated; NULL for what browsers do not show. */
static const char *type_of(const char *bytes, size_t size)
{
    static const struct {
        const char *magic, *type;
        size_t size;
    } known[] = {{"\xFF\xD8\xFF", "image/jpeg", 3},
                 {"\x89PNG\r\n\x1A\n", "image/png", 8},
                 {"GIF8", "image/gif", 4}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (size >= known[i].size && !memcmp(bytes, known[i].magic, known[i].size))
            return known[i].type;
    if (size >= 12 && !memcmp(bytes, "RIFF", 4) && !memcmp(bytes + 8, "WEBP", 4))
        return "image/webp";
    return strncmp(first_element(bytes), "<svg", 4) ? NULL : SVG;
}

static f0t_status take_file(shown *out, const char *path, size_t most)
{
    f0t_text_free(&out->file);
    out->type = NULL;
    F0T_TRY(f0t_file_read(&out->file.bytes, &out->file.size, path, most, NULL));
    out->type = type_of(out->file.bytes, out->file.size);
    return F0T_OK;
}

/* ---- A picture made small ----------------------------------------------------------------- */

/* A long picture is asked for again, smaller. */
static f0t_status decode(f0t_picture *out, f0t_worker *worker, const char *path)
{
    F0T_TRY(f0t_worker_decode(out, worker, path, SIDE, false));
    const size_t longer = out->width > out->height ? out->width : out->height;
    const size_t side = longer > LONGER ? SIDE * LONGER / longer : SIDE;
    return side == SIDE ? F0T_OK : f0t_worker_decode(out, worker, path, side ? side : 1, false);
}

static f0t_status take_thumbnail(shown *out, f0t_worker *worker, const char *path)
{
    f0t_picture picture;
    f0t_text_free(&out->file);
    out->type = NULL;
    F0T_TRY(decode(&picture, worker, path));
    f0t_png_write(&out->file, picture.rgb, picture.width, picture.height);
    F0T_TRY(out->file.status);
    out->type = "image/png";
    return F0T_OK;
}

/* ---- Either, into the page ---------------------------------------------------------------- */

static f0t_status take(shown *out, f0t_worker *worker, const char *path)
{
    bool there;
    F0T_TRY(f0t_path_look(&there, path));
    if (!there || !f0t_path_is_file(path))
        return F0T_OK;
    f0t_status status = take_file(out, path, F0T_HTML_SMALL);
    if (status == F0T_ERROR_MEMORY || (out->type && out->type != SVG))
        return status;
    if (worker)
        status = take_thumbnail(out, worker, path);
    if (worker && status != F0T_ERROR_IO) /* its program can be started */
        return status;
    return take_file(out, path, F0T_HTML_PICTURE_MOST);
}

f0t_worker *f0t_html_worker_create(f0t_text *page)
{
    f0t_worker *worker;
    f0t_status status = f0t_worker_create(&worker);
    if (status == F0T_ERROR_MEMORY && page->status == F0T_OK)
        page->status = status;
    return worker;
}

void f0t_html_picture(f0t_text *page, f0t_worker *worker, const char *path, const char *name)
{
    shown s = {0};
    f0t_status status = take(&s, worker, path);
    if (status == F0T_ERROR_MEMORY && page->status == F0T_OK)
        page->status = F0T_ERROR_MEMORY;
    else if (status != F0T_OK && !s.type)
        f0t_log(f0t_context_monitor(NULL), F0T_LOG_WARNING, "%s: not shown", f0t_last_error());
    if (s.type) {
        f0t_text_form(page, "<img alt=\"%s\" title=\"%s\" src=\"data:%s;base64,", name, name,
                      s.type);
        f0t_text_base64(page, s.file.bytes, s.file.size);
        f0t_text_add(page, "\">");
    } else {
        f0t_text_form(page, "<div class=\"nopicture\">%s</div>", name);
    }
    f0t_text_free(&s.file);
}
