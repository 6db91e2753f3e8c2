#include "model/tune_journal.h"

#include "base/alloc.h"
#include "io/file.h"
#include "io/json.h"

#include <errno.h>
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

static f0t_status read_first(f0t_tune_journal *journal, const json_t *line, const char *identity,
                             const char *path)
{
    const char *search = "";
    int64_t epochs = 0;
    F0T_TRY(f0t_json_get_string(&search, line, "search", path));
    F0T_TRY(f0t_json_get_integer(&epochs, line, "epochs", path));
    if (strcmp(search, identity) != 0 || epochs < 0)
        return f0t_fail(F0T_ERROR_MISMATCH,
                        "%s is the journal of another search; remove it, or leave out --resume",
                        path);
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

static f0t_status read_lines(f0t_tune_journal *journal, const char *path, const char *identity,
                             const f0t_tune_space *space, const f0t_map *map)
{
    const char *at = (const char *)map->data, *end = at + map->size, *stop;
    bool first = true;
    f0t_status status = F0T_OK;
    for (; status == F0T_OK && at < end && (stop = memchr(at, '\n', (size_t)(end - at)));
         at = stop + 1, first = false) {
        json_t *line;
        F0T_TRY(f0t_json_parse(&line, at, (size_t)(stop - at), path));
        status = first ? read_first(journal, line, identity, path)
                       : read_trial(journal, space, line, path);
        json_decref(line);
    }
    return status;
}

/* ---- Writing ------------------------------------------------------------------------------- */

static f0t_status write_line(const f0t_tune_journal *journal, json_t *line)
{
    int failed = !line || json_dumpf(line, journal->file, JSON_REAL_PRECISION(17)) ||
                 fputc('\n', journal->file) == EOF || fflush(journal->file);
    json_decref(line);
    return failed ? f0t_fail(F0T_ERROR_IO, "cannot write the journal of the search") : F0T_OK;
}

f0t_status f0t_tune_journal_begin(f0t_tune_journal *journal, const char *identity, size_t epochs)
{
    journal->epochs = epochs;
    if (!journal->file)
        return F0T_OK;
    return write_line(journal,
                      json_pack("{s:s, s:I}", "search", identity, "epochs", (json_int_t)epochs));
}

f0t_status f0t_tune_journal_add(f0t_tune_journal *journal, const f0t_tune_space *space,
                                const f0t_tune_trial *trial)
{
    F0T_TRY(remember(journal, trial));
    if (!journal->file)
        return F0T_OK;
    json_t *line = json_pack("{s:f, s:f}", "score", trial->score, "seconds", trial->seconds);
    for (size_t i = 0; line && i < space->count; i++)
        json_object_set_new(line, space->knobs[i]->name, json_real(trial->setting.values[i]));
    return write_line(journal, line);
}

/* ---- Both ---------------------------------------------------------------------------------- */

static f0t_status load(f0t_tune_journal *journal, const char *path, const char *identity,
                       const f0t_tune_space *space)
{
    f0t_map map;
    F0T_TRY(f0t_map_open(&map, path));
    f0t_status status = read_lines(journal, path, identity, space, &map);
    f0t_map_close(&map);
    return status;
}

/* What was read, written anew: a line that was cut off is gone, and the next is not put behind it. */
static f0t_status rewrite(f0t_tune_journal *journal, const char *identity,
                          const f0t_tune_space *space)
{
    const size_t count = journal->count;
    F0T_TRY(f0t_tune_journal_begin(journal, identity, journal->epochs));
    journal->count = 0;
    for (size_t i = 0; i < count; i++) {
        const f0t_tune_trial trial = journal->trials[i];
        F0T_TRY(f0t_tune_journal_add(journal, space, &trial));
    }
    return F0T_OK;
}

f0t_status f0t_tune_journal_open(f0t_tune_journal *journal, const char *path, bool resume,
                                 const char *identity, const f0t_tune_space *space)
{
    *journal = (f0t_tune_journal){0};
    if (!path)
        return F0T_OK;
    if (resume && f0t_path_exists(path))
        F0T_TRY(load(journal, path, identity, space));
    journal->file = fopen(path, "we");
    if (!journal->file)
        return f0t_fail(F0T_ERROR_IO, "%s: %s", path, strerror(errno));
    return journal->epochs ? rewrite(journal, identity, space) : F0T_OK;
}

void f0t_tune_journal_close(f0t_tune_journal *journal)
{
    if (journal->file)
        fclose(journal->file);
    f0t_free(journal->trials);
    *journal = (f0t_tune_journal){0};
}
