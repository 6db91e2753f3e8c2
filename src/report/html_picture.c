#include "report/html_picture.h"

#include "base/alloc.h"
#include "io/file.h"
#include "report/png.h"

#include <string.h>

/* Of a thumbnail: its shorter side is from SIDE to twice that, or less where the longer one is above
 * LONGER, so that it has 2 SIDE LONGER pixels at the most. */
enum { SIDE = 132, LONGER = 320 };

/* A file that browsers show; `type` is NULL while there is none. */
typedef struct shown {
    const char *type;
    f0t_text file;
} shown;

/* ---- As it is ------------------------------------------------------------------------------ */

static const char SVG[] = "image/svg+xml";

/* The first element of an XML file: behind a byte order mark, white space, processing instructions,
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

/* The media type by the content, which has a 0 behind; NULL for what browsers do not show. */
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

/* ---- Small --------------------------------------------------------------------------------- */

/* A long picture is asked for again, smaller. */
static f0t_status decode(f0t_picture *out, f0t_worker *worker, const char *path)
{
    F0T_TRY(f0t_worker_decode(worker, out, path, SIDE, false));
    const size_t longer = out->width > out->height ? out->width : out->height;
    const size_t side = longer > LONGER ? SIDE * LONGER / longer : SIDE;
    return side == SIDE ? F0T_OK : f0t_worker_decode(worker, out, path, side ? side : 1, false);
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

/* ---- Either -------------------------------------------------------------------------------- */

static f0t_status take(shown *out, f0t_worker *worker, const char *path)
{
    if (!f0t_path_is_file(path))
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
    if (take(&s, worker, path) == F0T_ERROR_MEMORY && page->status == F0T_OK)
        page->status = F0T_ERROR_MEMORY;
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
