/* Tags written where other programs look for them: XMP sidecars beside the pictures, or the pictures. */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/status.h"
#include "image/keywords.h"
#include "image/merge_check.h"
#include "image/packet.h"
#include "image/sidecar_name.h"
#include "io/original.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a picture that tags go into: it is held in memory. */
static const size_t PICTURE_MOST = (size_t)2 << 30;

struct f0t_sidecars {
    f0t_sidecar_options options;
    f0t_worker *worker;
    char *path;   /* of the last one */
    char *change; /* of that */
    f0t_namesakes namesakes;
    f0t_replaced replaced;    /* by the last change */
    const f0t_replaced *back; /* to be put back by the next; NULL: nothing */
    bool exact;               /* it was */
    char *counted;            /* the folder that `usage` is of; NULL: none yet */
    f0t_sidecar_usage usage;
};

f0t_status f0t_sidecars_open(f0t_sidecars **out, const f0t_sidecar_options *options)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_READ_OPTIONS(f0t_sidecar_options, F0T_SIDECAR_OPTIONS, options);
    f0t_sidecars *sidecars;
    F0T_TRY(f0t_alloc_zero(&sidecars, 1, sizeof *sidecars));
    sidecars->options = *options;
    f0t_status status = f0t_worker_create(&sidecars->worker);
    if (status == F0T_OK)
        *out = sidecars;
    else
        f0t_sidecars_close(sidecars);
    return status;
}

void f0t_sidecars_close(f0t_sidecars *sidecars)
{
    if (!sidecars)
        return;
    f0t_worker_free(sidecars->worker);
    f0t_free(sidecars->path);
    f0t_free(sidecars->change);
    f0t_free(sidecars->replaced.bytes);
    f0t_free(sidecars->counted);
    f0t_namesakes_free(&sidecars->namesakes);
    f0t_free(sidecars);
}

/* What shall be said of a picture: these tags, or, where `tags` is NULL, nothing of ours. */
typedef struct request {
    const char *picture;
    const char *const *tags;
    size_t count;
    const bool
        *again; /* [count] tags that are written also where somebody took them away; NULL: none */
    const f0t_same *same; /* NULL: the person's words have one spelling each */
    bool left;            /* the sidecar is that of another picture */
} request;

/* ---- What the worker is asked for ---------------------------------------------------------------------- */

/* The sign, the text on one line. */
static f0t_status add_line(f0t_texts *lines, char sign, const char *text)
{
    const size_t length = strlen(text);
    char *line;
    F0T_TRY(f0t_alloc(&line, length + 2, 1));
    snprintf(line, length + 2, "%c%s", sign, text);
    for (char *c = line; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    f0t_status status = f0t_texts_add(lines, line, length + 1);
    f0t_free(line);
    return status;
}

/* One text of lines. */
static f0t_status join(char **out, const f0t_texts *lines)
{
    F0T_TRY(f0t_alloc(out, lines->size + 1, 1));
    char *at = *out;
    for (size_t i = 0; i < lines->count; i++) {
        memcpy(at, f0t_texts_get(lines, i), f0t_texts_length(lines, i));
        at += f0t_texts_length(lines, i);
        *at++ = '\n';
    }
    *at = 0;
    return F0T_OK;
}

/* What a person gave the picture. Where that cannot be read nothing is written, for it might be hidden. */
static f0t_status read_known(f0t_sidecars *s, f0t_texts *known, const char *picture)
{
    char message[512];
    f0t_status status = f0t_keywords_read(known, s->worker, picture, false);
    if (status != F0T_ERROR_FORMAT)
        return status;
    snprintf(message, sizeof message, "%s", f0t_last_error());
    return f0t_fail(status, "%s: it stays as it is", message);
}

/* Whether the person has given the tag in other words: "dogs" for "dog". */
static f0t_status is_given(bool *out, const request *r, const char *tag, const f0t_texts *known)
{
    const char *word = f0t_keyword_leaf(tag);
    *out = false;
    for (size_t i = 0; r->same && i < known->count && !*out; i++) {
        const char *given = f0t_keyword_leaf(f0t_texts_get(known, i));
        if (!strcmp(given, word)) /* which merging knows */
            return F0T_OK;
        F0T_TRY(f0t_same_are(out, r->same, given, word));
    }
    return F0T_OK;
}

static f0t_status add_tags(f0t_texts *lines, const request *r, const f0t_texts *known)
{
    bool given;
    for (size_t i = 0; i < r->count; i++) {
        F0T_TRY(is_given(&given, r, r->tags[i], known));
        if (!given)
            F0T_TRY(add_line(lines, r->again && r->again[i] ? '!' : '+', r->tags[i]));
    }
    return F0T_OK;
}

/* The keywords of the sidecar that we have copied there. */
static f0t_status read_copies(f0t_sidecars *s, f0t_texts *copies)
{
    static const char source[] = "carried\t";
    const size_t mark = sizeof source - 1;
    const char *text, *stop;
    size_t length;
    F0T_TRY(f0t_worker_keywords(&text, &length, s->worker, s->path));
    for (const char *end = text + length;
         text < end && (stop = memchr(text, '\n', (size_t)(end - text))); text = stop + 1)
        if ((size_t)(stop - text) > mark && memcmp(text, source, mark) == 0)
            F0T_TRY(f0t_texts_add(copies, text + mark, (size_t)(stop - text) - mark));
    return F0T_OK;
}

/* What the request asks for, and the keywords that the person has given, which need no copies: those of a sidecar that is
 * another picture's are not this one's. */
static f0t_status make_lines(f0t_sidecars *s, f0t_texts *lines, const request *r)
{
    f0t_texts known = {0};
    f0t_status status = r->left ? read_copies(s, &known) : read_known(s, &known, r->picture);
    if (status == F0T_OK)
        status = r->tags ? add_tags(lines, r, &known) : add_line(lines, '-', "");
    for (size_t i = 0; i < known.count && status == F0T_OK; i++)
        status = add_line(lines, '=', f0t_texts_get(&known, i));
    f0t_texts_free(&known);
    return status;
}

/* Keeps "-old +new" for f0t_sidecars_change. */
static f0t_status keep_change(f0t_sidecars *s, const f0t_xmp_merged *merged)
{
    f0t_free(s->change);
    s->change = NULL;
    const size_t length = strlen(merged->change);
    F0T_TRY(f0t_string_copy(&s->change, merged->change, length ? length - 1 : 0));
    for (char *c = s->change; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    f0t_line_clean(s->change,
                   false); /* a sidecar may come from anybody, and this is for terminals */
    return F0T_OK;
}

/* ---- What is replaced ---------------------------------------------------------------------------------- */

typedef struct content {
    const char *data;
    size_t size;
} content;

/* 0 for nothing. */
static uint64_t hash_of(content c)
{
    return c.size ? f0t_siphash(c.data, c.size, F0T_HASH_START, c.size) : 0;
}

/* Whether `back` may take the place of the packet `now`, which is what we wrote: a catalogue may come from anybody, and
 * bytes out of it are no more than another way to say what the lines ask for. */
static f0t_status goes_back(bool *out, const f0t_sidecars *s, content now, content back,
                            const char *lines)
{
    const f0t_xmp_merged merged = {.text = back.data, .length = back.size, .changed = true};
    f0t_status status = f0t_merge_check(&merged, now.data, now.size, lines, s->path);
    *out = status == F0T_OK;
    return status == F0T_ERROR_MEMORY ? status : F0T_OK;
}

static f0t_status keep_replaced(f0t_sidecars *s, content old, content written)
{
    f0t_free(s->replaced.bytes);
    s->replaced = (f0t_replaced){.wrote = hash_of(written)};
    if (!old.size)
        return F0T_OK;
    F0T_TRY(f0t_alloc(&s->replaced.bytes, old.size, 1));
    memcpy(s->replaced.bytes, old.data, old.size);
    s->replaced.size = old.size;
    return F0T_OK;
}

const f0t_replaced *f0t_sidecars_replaced(const f0t_sidecars *s)
{
    return &s->replaced;
}

void f0t_sidecars_put_back(f0t_sidecars *s, const f0t_replaced *back)
{
    s->back = back;
    s->exact = false;
}

bool f0t_sidecars_is_exact(const f0t_sidecars *s)
{
    return s->exact;
}

/* ---- Into a sidecar ------------------------------------------------------------------------------------ */

static f0t_status write_sidecar(const f0t_original *original, content to)
{
    f0t_writer *writer;
    if (!to.size) /* nothing but ours was in it */
        return f0t_original_remove(original);
    F0T_TRY(f0t_original_replace(&writer, original, false));
    return f0t_writer_finish(writer, f0t_writer_write(writer, to.data, to.size));
}

/* `old` is what the file is, `to` what it becomes unless the bytes of before are put back. */
static f0t_status replace_sidecar(f0t_sidecars *s, const f0t_original *original, content old,
                                  content to, const char *lines)
{
    s->exact = false;
    if (s->back && hash_of(old) == s->back->wrote) {
        const content back = {s->back->bytes, s->back->size};
        F0T_TRY(goes_back(&s->exact, s, old, back, lines));
        to = s->exact ? back : to;
    }
    F0T_TRY(keep_replaced(s, old, to));
    return s->options.dry_run ? F0T_OK : write_sidecar(original, to);
}

static f0t_status merge(f0t_sidecars *s, const f0t_original *original, const char *lines,
                        bool *changed)
{
    f0t_xmp_merged merged;
    char *old = NULL;
    size_t size = 0;
    F0T_TRY(f0t_worker_merge(&merged, s->worker, s->path, lines));
    F0T_TRY(keep_change(s, &merged));
    *changed = merged.changed;
    if (!merged.changed)
        return F0T_OK;
    if (original->fd >= 0)
        F0T_TRY(f0t_original_read(&old, &size, original, PICTURE_MOST));
    f0t_status status = replace_sidecar(s, original, (content){old, size},
                                        (content){merged.text, merged.length}, lines);
    f0t_free(old);
    return status;
}

/* ---- Into a picture ------------------------------------------------------------------------------------ */

/* The picture with the bytes of before in the place of its packet; the caller's to free. */
static f0t_status put_packet(char **out, size_t *size, const f0t_xmp_packet *place, content from,
                             const f0t_replaced *back)
{
    *size = from.size - (place->end - place->begin) + back->size;
    F0T_TRY(f0t_alloc(out, *size, 1));
    memcpy(*out, from.data, place->begin);
    if (back->size)
        memcpy(*out + place->begin, back->bytes, back->size);
    memcpy(*out + place->begin + back->size, from.data + place->end, from.size - place->end);
    return F0T_OK;
}

/* Whether the bytes are one packet, or none, and what became of its keywords is what was asked for. */
static f0t_status check_put(bool *out, const f0t_sidecars *s, const f0t_xmp_packet *place,
                            content picture, const char *lines)
{
    f0t_xmp_packet found;
    f0t_status status = f0t_xmp_packet_find(&found, picture.data, picture.size, s->path);
    *out = status == F0T_OK &&
           (s->back->size ? found.begin == place->begin && found.end == place->begin + s->back->size
                          : !found.length);
    return *out ? goes_back(out, s, (content){place->text, place->length},
                            (content){found.text, found.length}, lines)
                : F0T_OK;
}

static f0t_status write_picture(const f0t_sidecars *s, const f0t_original *original,
                                const f0t_xmp_packet *place, content from, content text)
{
    f0t_writer *writer;
    F0T_TRY(f0t_original_replace(&writer, original, !s->options.touch));
    return f0t_writer_finish(writer, place
                                         ? f0t_xmp_packet_write(writer, place, from.data, from.size,
                                                                text.data, text.size, s->path)
                                         : f0t_writer_write(writer, from.data, from.size));
}

/* A picture that lost its packet does not tell where it was. */
static f0t_status replace_packet(f0t_sidecars *s, const f0t_original *original,
                                 const f0t_xmp_packet *place, content from, content text,
                                 const char *lines)
{
    char *put = NULL;
    size_t size = 0;
    s->exact = false;
    f0t_status status =
        keep_replaced(s, (content){from.data + place->begin, place->end - place->begin}, text);
    if (status == F0T_OK && s->back && place->length &&
        hash_of((content){place->text, place->length}) == s->back->wrote) {
        status = put_packet(&put, &size, place, from, s->back);
        if (status == F0T_OK)
            status = check_put(&s->exact, s, place, (content){put, size}, lines);
    }
    if (status == F0T_OK && !s->options.dry_run)
        status = s->exact ? write_picture(s, original, NULL, (content){put, size}, text)
                          : write_picture(s, original, place, from, text);
    f0t_free(put);
    return status;
}

static f0t_status embed_in(f0t_sidecars *s, const f0t_original *original, content from,
                           const char *lines, bool *changed)
{
    f0t_xmp_merged merged;
    f0t_xmp_packet place;
    F0T_TRY(f0t_xmp_packet_find(&place, from.data, from.size, s->path));
    F0T_TRY(f0t_worker_embed(&merged, s->worker, s->path, lines, place.text, place.length));
    F0T_TRY(keep_change(s, &merged));
    *changed = merged.changed;
    return merged.changed ? replace_packet(s, original, &place, from,
                                           (content){merged.text, merged.length}, lines)
                          : F0T_OK;
}

static f0t_status embed(f0t_sidecars *s, const f0t_original *original, const char *lines,
                        bool *changed)
{
    char *data;
    size_t size;
    F0T_TRY(f0t_original_read(&data, &size, original, PICTURE_MOST));
    f0t_status status = embed_in(s, original, (content){data, size}, lines, changed);
    f0t_free(data);
    return status;
}

/* ---- Into either --------------------------------------------------------------------------------------- */

/* The longest of the folders that were named with which the path begins; NULL where none is. */
static const char *folder_of(const f0t_sidecars *s, const char *path)
{
    const char *best = NULL;
    for (size_t i = 0; i < s->options.folder_count; i++) {
        const char *folder = s->options.folders[i];
        const size_t n = strlen(folder);
        if (n && !strncmp(path, folder, n) && (path[n] == '/' || folder[n - 1] == '/') &&
            (!best || n > strlen(best)))
            best = folder;
    }
    return best;
}

/* A picture that was named may be a link: who names it means what it points to. */
static f0t_status open_original(f0t_original *original, const f0t_sidecars *s)
{
    const char *below = folder_of(s, s->path);
    if (!s->options.embed || below)
        return f0t_original_open(original, s->path, below);
    char *real = realpath(s->path, NULL);
    if (!real)
        return f0t_fail_errno(errno, "%s", s->path);
    f0t_status status = f0t_original_open(original, real, NULL);
    free(real);
    return status;
}

static f0t_status merge_into(f0t_sidecars *s, const f0t_original *original, const request *r,
                             bool *changed)
{
    f0t_texts all = {0};
    char *lines = NULL;
    f0t_status status = make_lines(s, &all, r);
    if (status == F0T_OK)
        status = join(&lines, &all);
    if (status == F0T_OK)
        status = s->options.embed ? embed(s, original, lines, changed)
                                  : merge(s, original, lines, changed);
    f0t_free(lines);
    f0t_texts_free(&all);
    return status;
}

/* *again: another program changed the file since it was opened, and nothing was written. */
static f0t_status write_once(f0t_sidecars *s, const request *r, bool *changed, bool *again)
{
    f0t_original original;
    *again = false;
    F0T_TRY(open_original(&original, s));
    f0t_status status = merge_into(s, &original, r, changed);
    *again = status != F0T_OK && f0t_original_has_changed(&original);
    f0t_original_close(&original);
    return status;
}

static f0t_status change(f0t_sidecars *s, bool *changed, const request *r)
{
    enum { TRIES = 10 };
    f0t_status status = F0T_OK;
    bool again = true;
    for (int i = 0; i < TRIES && again; i++)
        status = write_once(s, r, changed, &again);
    *changed = *changed && status == F0T_OK;
    return status;
}

static f0t_status set_path(f0t_sidecars *s, const char *picture, bool plain)
{
    f0t_free(s->path);
    s->path = NULL;
    if (s->options.embed)
        return f0t_string_copy(&s->path, picture, strlen(picture));
    return f0t_sidecar_path(&s->path, picture, plain);
}

static f0t_status count_folder(f0t_sidecar_usage *usage, const char *folder)
{
    f0t_texts found = {0};
    f0t_skipped_files skipped = {.kind_count = 0};
    f0t_status status = f0t_walk(&found, &skipped, folder, NULL);
    for (size_t i = 0; i < found.count && status == F0T_OK; i++)
        status = f0t_sidecar_usage_add(usage, f0t_texts_get(&found, i));
    f0t_texts_free(&found);
    return status;
}

/* The collection is the folder that was named; of a picture that was named itself, the folder where it is. */
static f0t_status count_around(void *user, f0t_sidecar_usage *usage, const char *picture)
{
    f0t_sidecars *s = user;
    const char *slash = strrchr(picture, '/'), *named = folder_of(s, picture);
    const char *folder = named ? named : slash ? picture : ".";
    const size_t length = named || !slash   ? strlen(folder)
                          : slash > picture ? (size_t)(slash - picture)
                                            : 1;
    if (!s->counted || strlen(s->counted) != length || memcmp(s->counted, folder, length) != 0) {
        f0t_free(s->counted);
        s->counted = NULL;
        s->usage = (f0t_sidecar_usage){0};
        F0T_TRY(f0t_string_copy(&s->counted, folder, length));
        F0T_TRY(count_folder(&s->usage, s->counted));
    }
    *usage = s->usage;
    return F0T_OK;
}

f0t_status f0t_sidecars_choose(bool *plain, f0t_sidecars *s, const char *picture,
                               f0t_sidecar_census census, void *user)
{
    return f0t_sidecar_choose(plain, &s->namesakes, picture, s->options.plain_name, census, user);
}

/* A sidecar NAME.xmp is of one picture: the tags of two would replace each other. */
static f0t_status check_namesakes(f0t_sidecars *s, const char *picture, bool plain)
{
    const char *other;
    if (s->options.embed || !plain)
        return F0T_OK;
    F0T_TRY(f0t_namesakes_find(&s->namesakes, &other, picture));
    if (!other)
        return F0T_OK;
    return f0t_fail(F0T_ERROR_UNSUPPORTED,
                    "%s: %s, which stands beside it, would have the same sidecar, %s; give one of "
                    "them another name, or use sidecars with the full name",
                    picture, other, s->path);
}

static f0t_status write_tags(const char **path, bool *changed, f0t_sidecars *s, bool plain,
                             const request *r)
{
    *changed = false;
    F0T_TRY(set_path(s, r->picture, plain));
    *path = s->path;
    if (!f0t_path_exists(r->picture))
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: there is no such picture to write tags for",
                        r->picture);
    F0T_TRY(check_namesakes(s, r->picture, plain));
    return change(s, changed, r);
}

/* No tags are a list of none: NULL would take ours away. */
static const char *const no_tags[] = {NULL};

f0t_status f0t_sidecars_write_named(const char **path, bool *changed, f0t_sidecars *s,
                                    const char *picture, const char *const *tags, const bool *again,
                                    size_t count)
{
    return write_tags(path, changed, s, s->options.plain_name,
                      &(request){picture, count ? tags : no_tags, count, again, NULL, false});
}

f0t_status f0t_sidecars_write(const char **path, bool *changed, f0t_sidecars *s,
                              const char *picture, const char *const *tags, size_t count)
{
    F0T_REQUIRE(s);
    F0T_REQUIRE(path);
    F0T_REQUIRE(changed);
    F0T_REQUIRE(picture);
    F0T_TRY(f0t_require_all(__func__, "tags", tags, count));
    return f0t_sidecars_write_other(path, changed, s, picture, tags, count, NULL);
}

f0t_status f0t_sidecars_write_other(const char **path, bool *changed, f0t_sidecars *s,
                                    const char *picture, const char *const *tags, size_t count,
                                    const f0t_same *same)
{
    bool plain = false;
    *changed = false;
    if (!s->options.embed)
        F0T_TRY(f0t_sidecars_choose(&plain, s, picture, count_around, s));
    return write_tags(path, changed, s, plain,
                      &(request){picture, count ? tags : no_tags, count, NULL, same, false});
}

/* ---- Away with them ------------------------------------------------------------------------------------ */

/* Whether we have written anything there: most files are passed over by this. Where tags cannot go, there
 * are none. */
static f0t_status find_ours(f0t_sidecars *s, bool *found)
{
    f0t_map map;
    f0t_xmp_packet packet = {0};
    *found = false;
    if (!s->options.embed)
        return f0t_sidecar_has_ours(found, s->path);
    if (!f0t_path_exists(s->path))
        return F0T_OK;
    F0T_TRY(f0t_map_open(&map, s->path));
    f0t_status status = f0t_xmp_packet_find(&packet, map.data, map.size, s->path);
    *found = packet.length && f0t_xmp_is_ours(packet.text, packet.length);
    status = f0t_map_finish(&map, s->path, status);
    return status == F0T_ERROR_UNSUPPORTED ? F0T_OK : status;
}

static f0t_status take_away(const char **path, bool *changed, f0t_sidecars *s, const request *r)
{
    bool found;
    *changed = false;
    F0T_TRY(set_path(s, r->picture, s->options.plain_name));
    *path = s->path;
    F0T_TRY(find_ours(s, &found));
    return found ? change(s, changed, r) : F0T_OK;
}

f0t_status f0t_sidecars_remove(const char **path, bool *changed, f0t_sidecars *s,
                               const char *picture)
{
    F0T_REQUIRE(s);
    F0T_REQUIRE(path);
    F0T_REQUIRE(changed);
    F0T_REQUIRE(picture);
    return take_away(path, changed, s, &(request){.picture = picture});
}

f0t_status f0t_sidecars_clear(const char **path, bool *changed, f0t_sidecars *s,
                              const char *picture)
{
    return take_away(path, changed, s, &(request){.picture = picture, .left = true});
}

const char *f0t_sidecars_change(const f0t_sidecars *s)
{
    return s->change ? s->change : "";
}
