/* Lists of tags: from files, one per line, and from WordNet. */
#include "base/alloc.h"
#include "base/context.h"
#include "base/interner.h"
#include "fast0tag.h"
#include "io/text.h"
#include "word/wordnet_nouns.h"

#include <string.h>

/* The list that the caller sees, and what it points to. */
typedef struct tag_file {
    f0t_tags shown;
    f0t_texts texts;
    const char **items;
} tag_file;

void f0t_tags_free(f0t_tags *tags)
{
    tag_file *file = (tag_file *)tags;
    if (!file)
        return;
    f0t_texts_free(&file->texts);
    f0t_free(file->items);
    f0t_free(file);
}

static f0t_status read_lines(tag_file *file, f0t_stream *stream)
{
    const char *line;
    size_t length;
    for (;;) {
        F0T_TRY(f0t_text_line_trimmed(&line, &length, stream));
        if (!line)
            break;
        if (length)
            F0T_TRY(f0t_texts_add(&file->texts, line, length));
    }
    return F0T_OK;
}

static f0t_status show(tag_file *file)
{
    const size_t count = file->texts.count;
    F0T_TRY(f0t_alloc(&file->items, count, sizeof *file->items));
    for (size_t i = 0; i < count; i++)
        file->items[i] = f0t_texts_get(&file->texts, i);
    file->shown = (f0t_tags){file->items, count};
    return F0T_OK;
}

static f0t_status read_file(tag_file *file, const char *path, const f0t_monitor *monitor)
{
    f0t_stream *stream;
    F0T_TRY(f0t_stream_open(&stream, path));
    f0t_stream_watch(stream, monitor);
    f0t_status status = read_lines(file, stream);
    f0t_stream_close(stream);
    return status;
}

/* The list, where its texts could be read. */
static f0t_status finish(f0t_tags **out, tag_file *file, f0t_status status)
{
    if (status == F0T_OK)
        status = show(file);
    if (status == F0T_OK)
        *out = &file->shown;
    else
        f0t_tags_free(&file->shown);
    return status;
}

f0t_status f0t_tags_load(f0t_tags **out, const char *path, const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(path);
    tag_file *file;
    F0T_TRY(f0t_alloc_zero(&file, 1, sizeof *file));
    return finish(out, file, read_file(file, path, f0t_context_monitor(context)));
}

f0t_status f0t_tags_from_wordnet(f0t_tags **out, const char *folder, const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    *out = NULL;
    tag_file *file;
    F0T_TRY(f0t_alloc_zero(&file, 1, sizeof *file));
    return finish(out, file,
                  f0t_wordnet_visible_nouns(&file->texts, folder ? folder : F0T_WORDNET_FOLDER));
}
