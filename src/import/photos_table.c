/* A table of tags beside the pictures: which of its lines each picture has. */
#include "import/photos.h"

#include "base/alloc.h"
#include "image/pictures.h"

#include <string.h>

/* A matching in progress. */
typedef struct matching {
    f0t_photo_table *table;
    const f0t_texts *pictures;
    f0t_names stems;     /* names of lines without a picture's ending */
    uint32_t *stem_line; /* [stems] the only line of this stem, or F0T_NO_LINE */
    size_t stem_capacity;
    uint32_t *found;  /* [lines] a picture that has it, or F0T_NO_LINE */
    bool *ambiguous;  /* [lines] different photos have its stem */
    size_t by_ending; /* lines found by their stems */
} matching;

/* ---- Names ----------------------------------------------------------------------------------- */

static size_t stem_length(const char *name)
{
    return f0t_path_is_picture(name) ? (size_t)(strrchr(name, '.') - name) : strlen(name);
}

/* The number of the longest end of `path`, `length` bytes of it, from a slash on. */
static bool find_end(const f0t_names *names, const char *path, size_t length, uint32_t *number)
{
    const char *end = path + length;
    for (const char *at = path; at;) {
        if (f0t_names_find(number, names, at, (size_t)(end - at)))
            return true;
        at = memchr(at, '/', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    return false;
}

/* ---- Whole names ----------------------------------------------------------------------------- */

static void match_whole(matching *m)
{
    for (size_t i = 0; i < m->pictures->count; i++) {
        uint32_t *line = &m->table->lines[i];
        if (!find_end(&m->table->csv.images, f0t_texts_get(m->pictures, i),
                      f0t_texts_length(m->pictures, i), line))
            *line = F0T_NO_LINE;
        else
            m->found[*line] = (uint32_t)i;
    }
}

/* ---- Without endings ------------------------------------------------------------------------- */

/* Stems of the lines that no picture has yet; of two lines with one stem neither is meant. */
static f0t_status gather_stems(matching *m)
{
    const f0t_names *names = &m->table->csv.images;
    for (size_t line = 0; line < f0t_names_count(names); line++) {
        const char *name = f0t_names_get(names, line);
        uint32_t stem;
        bool added;
        if (m->found[line] != F0T_NO_LINE)
            continue;
        F0T_TRY(f0t_names_add(&stem, &added, &m->stems, name, stem_length(name)));
        F0T_TRY(f0t_grow(&m->stem_line, &m->stem_capacity, stem, 1, sizeof *m->stem_line));
        m->stem_line[stem] = added ? (uint32_t)line : F0T_NO_LINE;
    }
    return F0T_OK;
}

static bool same_photo(const char *a, const char *b)
{
    const size_t length = stem_length(a);
    return length == stem_length(b) && !memcmp(a, b, length);
}

static void match_stem(matching *m, size_t i)
{
    const char *path = f0t_texts_get(m->pictures, i);
    uint32_t stem;
    if (m->table->lines[i] != F0T_NO_LINE || !find_end(&m->stems, path, stem_length(path), &stem))
        return;
    const uint32_t line = m->stem_line[stem];
    if (line == F0T_NO_LINE)
        return;
    if (m->found[line] == F0T_NO_LINE) {
        m->found[line] = (uint32_t)i;
        m->by_ending++;
    } else if (!same_photo(path, f0t_texts_get(m->pictures, m->found[line]))) {
        m->ambiguous[line] = true;
    }
    m->table->lines[i] = line;
}

static f0t_status match_stems(matching *m)
{
    F0T_TRY(gather_stems(m));
    for (size_t i = 0; i < m->pictures->count; i++)
        match_stem(m, i);
    for (size_t i = 0; i < m->pictures->count; i++) {
        const uint32_t line = m->table->lines[i];
        if (line != F0T_NO_LINE && m->ambiguous[line])
            m->table->lines[i] = F0T_NO_LINE;
    }
    return F0T_OK;
}

/* ---- What is said of it ---------------------------------------------------------------------- */

static f0t_status refuse(const matching *m, const char *path)
{
    const char *picture = f0t_texts_get(m->pictures, 0), *slash = strrchr(picture, '/');
    const size_t lines = f0t_names_count(&m->table->csv.images);
    return f0t_fail(F0T_ERROR_MISMATCH,
                    "%s: none of its %zu names is that of a picture: it has '%.100s', the pictures "
                    "are named like '%.100s'",
                    path, lines, f0t_names_get(&m->table->csv.images, 0),
                    slash ? slash + 1 : picture);
}

static f0t_status report(const matching *m, const f0t_import_job *job)
{
    const f0t_names *names = &m->table->csv.images;
    size_t missing = 0, first = 0, several = 0, one = 0;
    for (size_t line = 0; line < f0t_names_count(names); line++) {
        if (m->found[line] == F0T_NO_LINE && !missing++)
            first = line;
        if (m->ambiguous[line] && !several++)
            one = line;
    }
    if (missing + several == f0t_names_count(names))
        return several
                   ? f0t_fail(F0T_ERROR_MISMATCH,
                              "%s: '%.100s' may be several pictures, and no other of its names is "
                              "that of one: names need their folders",
                              job->options->table, f0t_names_get(names, one))
                   : refuse(m, job->options->table);
    F0T_TRY(f0t_import_report_say(job->report, m->by_ending - several,
                                  "{name|names} of the table {has|have} another ending than the "
                                  "picture, or none",
                                  NULL));
    F0T_TRY(f0t_import_report_say(job->report, several,
                                  "{name|names} of the table may be several pictures and {is|are} "
                                  "left out",
                                  several ? f0t_names_get(names, one) : NULL));
    return f0t_import_report_say(job->report, missing,
                                 "{name|names} of the table {is|are} of no picture that was found",
                                 missing ? f0t_names_get(names, first) : NULL);
}

/* ---- All of it ------------------------------------------------------------------------------- */

f0t_status f0t_photo_table_load(f0t_photo_table *table, const f0t_import_job *job)
{
    return f0t_csv_table_load(&table->csv, job->options->table, job->options, NULL, job->report);
}

static f0t_status match(matching *m, const f0t_import_job *job)
{
    const size_t lines = f0t_names_count(&m->table->csv.images);
    F0T_TRY(f0t_alloc(&m->table->lines, m->pictures->count, sizeof *m->table->lines));
    F0T_TRY(f0t_alloc(&m->found, lines, sizeof *m->found));
    F0T_TRY(f0t_alloc_zero(&m->ambiguous, lines, sizeof *m->ambiguous));
    for (size_t line = 0; line < lines; line++)
        m->found[line] = F0T_NO_LINE;
    match_whole(m);
    F0T_TRY(match_stems(m));
    return report(m, job);
}

f0t_status f0t_photo_table_match(f0t_photo_table *table, const f0t_import_job *job,
                                 const f0t_texts *pictures)
{
    matching m = {.table = table, .pictures = pictures};
    f0t_status status = match(&m, job);
    f0t_names_free(&m.stems);
    f0t_free(m.stem_line);
    f0t_free(m.found);
    f0t_free(m.ambiguous);
    return status;
}

void f0t_photo_table_free(f0t_photo_table *table)
{
    f0t_csv_table_free(&table->csv);
    f0t_free(table->lines);
    table->lines = NULL;
}
