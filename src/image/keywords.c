#include "image/keywords.h"

#include "base/alloc.h"
#include "image/protocol.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

f0t_status f0t_sidecar_path(char **out, const char *path, bool plain)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    const bool has_ending = dot && (!slash || dot > slash + 1) && dot > path;
    const size_t kept = plain && has_ending ? (size_t)(dot - path) : strlen(path);
    F0T_TRY(f0t_alloc(out, kept + sizeof ".xmp", 1));
    memcpy(*out, path, kept);
    memcpy(*out + kept, ".xmp", sizeof ".xmp");
    return F0T_OK;
}

/* ---- Lines of a worker ------------------------------------------------------------------------------- */

static bool has(const f0t_texts *texts, const char *text, size_t length)
{
    for (size_t i = 0; i < texts->count; i++)
        if (f0t_texts_length(texts, i) == length &&
            !strncasecmp(f0t_texts_get(texts, i), text, length))
            return true;
    return false;
}

/* The part behind the last `separator`. */
static void take_last_part(const char **text, size_t *length, char separator)
{
    const char *last = memrchr(*text, separator, *length);
    if (last) {
        *length -= (size_t)(last + 1 - *text);
        *text = last + 1;
    }
}

static f0t_status add_line(f0t_texts *out, const char *line, size_t length)
{
    const char *tab = memchr(line, '\t', length);
    if (!tab)
        return F0T_OK;
    const size_t source = (size_t)(tab - line);
    const char *text = tab + 1;
    length -= source + 1;
    if (source == 4 && !memcmp(line, "ours", 4))
        return F0T_OK;
    if (source == 9 && !memcmp(line, "hierarchy", 9))
        take_last_part(&text, &length, '|');
    if (source == 7 && !memcmp(line, "digikam", 7))
        take_last_part(&text, &length, '/');
    if (!length || has(out, text, length))
        return F0T_OK;
    if (out->count == F0T_PICTURE_KEYWORDS_MAX)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "more than %u keywords", F0T_PICTURE_KEYWORDS_MAX);
    return f0t_texts_add(out, text, length);
}

static f0t_status add_lines(f0t_texts *out, const char *text, size_t length)
{
    const char *end = text + length, *stop;
    for (; text < end && (stop = memchr(text, '\n', (size_t)(end - text))); text = stop + 1)
        F0T_TRY(add_line(out, text, (size_t)(stop - text)));
    return F0T_OK;
}

static f0t_status add_file(f0t_texts *out, f0t_worker *worker, const char *path)
{
    const char *text;
    size_t length;
    F0T_TRY(f0t_worker_keywords(worker, &text, &length, path));
    f0t_status status = add_lines(out, text, length);
    return status == F0T_ERROR_UNSUPPORTED ? f0t_fail_prefix(status, "%s: ", path) : status;
}

/* ---- A picture and its sidecars ---------------------------------------------------------------------- */

f0t_status f0t_keywords_read(f0t_texts *out, f0t_worker *worker, const char *path)
{
    F0T_TRY(add_file(out, worker, path));
    for (int plain = 0; plain < 2; plain++) {
        char *sidecar;
        F0T_TRY(f0t_sidecar_path(&sidecar, path, plain));
        f0t_status status = f0t_path_exists(sidecar) ? add_file(out, worker, sidecar) : F0T_OK;
        f0t_free(sidecar);
        F0T_TRY(status);
    }
    return F0T_OK;
}
