#include "import/nuswide.h"

#include "base/alloc.h"
#include "io/text.h"

#include <string.h>

void f0t_nus_photo_id(const char *text, size_t *start, size_t *length)
{
    const char *base = text;
    for (const char *c = text; *c; c++)
        if (*c == '/' || *c == '_')
            base = c + 1;
    const char *dot = strchr(base, '.');
    *start = (size_t)(base - text);
    *length = dot ? (size_t)(dot - base) : strlen(base);
}

f0t_status f0t_nus_read_words(f0t_stream *stream, f0t_names *words)
{
    const char *line;
    size_t length;
    uint32_t index;
    bool added;
    for (;;) {
        F0T_TRY(f0t_text_line_trimmed(stream, &line, &length));
        if (!line)
            return F0T_OK;
        if (!length)
            continue;
        if (memchr(line, '\t', length))
            return f0t_text_fail(stream, "'%.40s': one word a line is wanted", line);
        F0T_TRY(f0t_names_add(words, line, length, &index, &added));
        if (!added)
            return f0t_text_fail(stream, "'%.*s' is there twice", (int)length, line);
    }
}

/* The line with slashes, in place: a stream's line may be written to. */
static void turn_slashes(const char *line, size_t length)
{
    char *text = (char *)(uintptr_t)line;
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\\')
            text[i] = '/';
}

f0t_status f0t_nus_read_list(f0t_stream *stream, f0t_names *names, bool known, uint32_t **order,
                             size_t *count)
{
    const char *line;
    size_t length, capacity = 0;
    uint32_t index;
    bool added;
    for (*count = 0;; ++*count) {
        do {
            F0T_TRY(f0t_text_line_trimmed(stream, &line, &length));
            if (!line)
                return F0T_OK;
        } while (!length);
        turn_slashes(line, length);
        if (memchr(line, '\t', length))
            return f0t_text_fail(stream, "'%.60s': one path a line is wanted", line);
        if (known && !f0t_names_find(names, line, length, &index))
            return f0t_text_fail(stream, "'%.*s' is not in Imagelist.txt", (int)length, line);
        if (!known) {
            F0T_TRY(f0t_names_add(names, line, length, &index, &added));
            if (!added)
                return f0t_text_fail(stream, "'%.*s' is there twice", (int)length, line);
        }
        if (order) {
            F0T_TRY(f0t_grow(order, &capacity, *count, 1, sizeof **order));
            (*order)[*count] = index;
        }
    }
}

static f0t_status read_file(const f0t_nus_files *files, const char *path, f0t_names *names,
                            bool known, uint32_t **order, size_t *count)
{
    f0t_stream *stream;
    F0T_TRY(f0t_nus_files_open(files, path, &stream));
    f0t_status status = f0t_nus_read_list(stream, names, known, order, count);
    f0t_stream_close(stream);
    return status;
}

/* Every image is train or test, or neither, and in its list once. */
static f0t_status set_split(f0t_nus_images *images)
{
    size_t count = f0t_names_count(&images->all);
    F0T_TRY(f0t_alloc(&images->split, count, 1));
    memset(images->split, F0T_NUS_NO_PART, count);
    for (size_t p = 0; p < F0T_NUS_PARTS; p++)
        for (size_t i = 0; i < images->counts[p]; i++) {
            uint8_t *split = &images->split[images->parts[p][i]];
            if (*split != F0T_NUS_NO_PART)
                return f0t_fail(F0T_ERROR_FORMAT,
                                "'%s' is in TrainImagelist.txt and TestImagelist.txt, or twice",
                                f0t_names_get(&images->all, images->parts[p][i]));
            *split = p ? F0T_TEST : F0T_TRAIN;
        }
    return F0T_OK;
}

f0t_status f0t_nus_images_read(f0t_nus_images *images, const f0t_nus_files *files)
{
    static const char *const names[F0T_NUS_PARTS] = {"TrainImagelist", "TestImagelist"};
    const char *all = f0t_nus_files_find(files, "Imagelist");
    size_t count;
    if (all)
        F0T_TRY(read_file(files, all, &images->all, false, NULL, &count));
    for (size_t p = 0; p < F0T_NUS_PARTS; p++) {
        const char *path = f0t_nus_files_find(files, "%s", names[p]);
        if (!path)
            return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: has no file %s.txt: is it NUS-WIDE's folder?",
                            files->root, names[p]);
        F0T_TRY(read_file(files, path, &images->all, all != NULL, &images->parts[p],
                          &images->counts[p]));
    }
    return set_split(images);
}

void f0t_nus_images_free(f0t_nus_images *images)
{
    f0t_names_free(&images->all);
    for (size_t p = 0; p < F0T_NUS_PARTS; p++)
        f0t_free(images->parts[p]);
    f0t_free(images->split);
}
