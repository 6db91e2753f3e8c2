#include "model/tune_journal.h"

#include "base/alloc.h"
#include "io/file.h"
#include "io/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading ------------------------------------------------------------------------------- */

static f0t_status remember(f0t_tune_journal *journal, const f0t_tune_trial *trial)
{
    F0T_TRY(f0t_grow(&journal->trials, &journal->room, journal->count, 1, sizeof *trial));
    journal->trials[journal->count++] = *trial;
    return F0T_OK;
}

static f0t_status refuse(const f0t_tune_journal *journal)
{
    return f0t_fail(F0T_ERROR_FORMAT,
                    "%s: is no journal of a search, and in the way of one; move it away, or name "
                    "another output",
                    journal->path);
}

/* A file that does not begin as a journal is somebody else's. */
static f0t_status read_first(f0t_tune_journal *journal, const json_t *line, bool resume)
{
    const char *search = NULL;
    int64_t epochs = 0;
    F0T_TRY(f0t_json_get_string(&search, line, "search", journal->path));
    F0T_TRY(f0t_json_get_integer(&epochs, line, "epochs", journal->path));
    if (!search || epochs < 0)
        return refuse(journal);
    if (resume && strcmp(search, journal->identity) != 0)
        return f0t_fail(F0T_ERROR_MISMATCH,
                        "%s is the journal of another search; remove it, or leave out --resume",
                        journal->path);
    journal->epochs = (size_t)epochs;
    return F0T_OK;
}

static f0t_status read_trial(f0t_tune_journal *journal, const f0t_tune_space *space,
                             const json_t *line, const char *path)
{
    f0t_tune_trial trial = {.score = (double)NAN};
    for (size_t i = 0; i < space->count; i++) {
        double value = (double)NAN;
        const f0t_tune_knob *knob = space->knobs[i];
        F0T_TRY(f0t_json_get_number(&value, line, knob->name, path));
        if (!(value >= knob->low && value <= knob->high))
            return f0t_fail(F0T_ERROR_FORMAT, "%s: \"%s\" must be from %g to %g", path, knob->name,
                            knob->low, knob->high);
        trial.setting.values[i] = value;
    }
    F0T_TRY(f0t_json_get_number(&trial.score, line, "score", path));
    F0T_TRY(f0t_json_get_number(&trial.seconds, line, "seconds", path));
    return remember(journal, &trial);
}

static f0t_status read_line(f0t_tune_journal *journal, const f0t_tune_space *space,
                            const char *text, size_t length, bool first, bool resume)
{
    json_t *line;
    f0t_status status = f0t_json_parse(&line, text, length, journal->path);
    if (first && status == F0T_ERROR_FORMAT)
        return refuse(journal);
    F0T_TRY(status);
    status =
        first ? read_first(journal, line, resume) : read_trial(journal, space, line, journal->path);
    json_decref(line);
    return status;
}

/* A line that was cut off is as good as none; the first one never is. */
static f0t_status read_lines(f0t_tune_journal *journal, const f0t_tune_space *space,
                             const f0t_map *map, bool resume)
{
    const char *at = (const char *)map->data, *end = at + map->size, *stop;
    bool first = true;
    for (; at < end && (stop = memchr(at, '\n', (size_t)(end - at))) && (first || resume);
         at = stop + 1, first = false)
        F0T_TRY(read_line(journal, space, at, (size_t)(stop - at), first, resume));
    return first ? refuse(journal) : F0T_OK;
}

static f0t_status load(f0t_tune_journal *journal, const f0t_tune_space *space, bool resume)
{
    f0t_map map;
    F0T_TRY(f0t_map_open(&map, journal->path));
    f0t_status status = read_lines(journal, space, &map, resume);
    f0t_map_close(&map);
    if (!resume) /* it is ours, and is begun anew */
        journal->epochs = 0;
    return status;
}

/* ---- Writing ------------------------------------------------------------------------------- */

static f0t_status write_line(f0t_writer *w, json_t *line)
{
    char *text = line ? json_dumps(line, JSON_REAL_PRECISION(17)) : NULL;
    json_decref(line);
    if (!text)
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for a line of the journal");
    f0t_status status = f0t_writer_write(w, text, strlen(text));
    if (status == F0T_OK)
        status = f0t_writer_write(w, "\n", 1);
    free(text);
    return status;
}

static json_t *trial_json(const f0t_tune_space *space, const f0t_tune_trial *trial)
{
    json_t *line = json_pack("{s:f, s:f}", "score", trial->score, "seconds", trial->seconds);
    for (size_t i = 0; line && i < space->count; i++)
        json_object_set_new(line, space->knobs[i]->name, json_real(trial->setting.values[i]));
    return line;
}

static f0t_status write_all(f0t_writer *w, const f0t_tune_journal *journal,
                            const f0t_tune_space *space)
{
    F0T_TRY(write_line(w, json_pack("{s:s, s:I}", "search", journal->identity, "epochs",
                                    (json_int_t)journal->epochs)));
    for (size_t i = 0; i < journal->count; i++)
        F0T_TRY(write_line(w, trial_json(space, &journal->trials[i])));
    return F0T_OK;
}

/* Whole or not at all: a trial takes seconds, and all of them are some kilobytes. */
static f0t_status save(const f0t_tune_journal *journal, const f0t_tune_space *space)
{
    f0t_writer *w;
    if (!journal->path)
        return F0T_OK;
    F0T_TRY(f0t_writer_open(&w, journal->path));
    return f0t_writer_finish(w, write_all(w, journal, space));
}

f0t_status f0t_tune_journal_begin(f0t_tune_journal *journal, const f0t_tune_space *space,
                                  size_t epochs)
{
    journal->epochs = epochs;
    return save(journal, space);
}

f0t_status f0t_tune_journal_add(f0t_tune_journal *journal, const f0t_tune_space *space,
                                const f0t_tune_trial *trial)
{
    F0T_TRY(remember(journal, trial));
    return save(journal, space);
}

/* ---- Both ---------------------------------------------------------------------------------- */

static f0t_status open_file(f0t_tune_journal *journal, const char *path, bool resume,
                            const char *identity, const f0t_tune_space *space)
{
    F0T_TRY(f0t_string_copy(&journal->path, path, strlen(path)));
    F0T_TRY(f0t_string_copy(&journal->identity, identity, strlen(identity)));
    F0T_TRY(f0t_lock_take(&journal->lock, path));
    return f0t_path_exists(path) ? load(journal, space, resume) : F0T_OK;
}

f0t_status f0t_tune_journal_open(f0t_tune_journal *journal, const char *path, bool resume,
                                 const char *identity, const f0t_tune_space *space)
{
    *journal = (f0t_tune_journal){0};
    return path ? open_file(journal, path, resume, identity, space) : F0T_OK;
}

void f0t_tune_journal_close(f0t_tune_journal *journal)
{
    f0t_lock_release(&journal->lock);
    f0t_free(journal->path);
    f0t_free(journal->identity);
    f0t_free(journal->trials);
    *journal = (f0t_tune_journal){0};
}
