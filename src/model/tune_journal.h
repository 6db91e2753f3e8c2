/* The journal of a search: a line of JSON that says which search it is, then one for each trial. */
#ifndef F0T_MODEL_TUNE_JOURNAL_H
#define F0T_MODEL_TUNE_JOURNAL_H

#include "io/lock.h"
#include "model/tune_setting.h"

typedef struct f0t_tune_trial {
    f0t_tune_setting setting;
    double score;   /* in percent */
    double seconds; /* that it took */
} f0t_tune_trial;

typedef struct f0t_tune_journal {
    char *path;     /* NULL: nothing is written */
    char *identity; /* of the search */
    f0t_lock lock;
    size_t epochs; /* of each trial */
    f0t_tune_trial *trials;
    size_t count, room;
} f0t_tune_journal;

/* Begins a journal at `path` (NULL: in memory alone), or with `resume` goes on with the one that is
 * there: then journal->epochs and the trials are those it has. One of another search is refused then. A
 * line that was cut off is as good as none. A file that is no journal is refused and left alone, and so
 * is one that another process works with. What is there stays until something is written: each time the
 * whole, by a rename. */
f0t_status f0t_tune_journal_open(f0t_tune_journal *journal, const char *path, bool resume,
                                 const char *identity, const f0t_tune_space *space);
/* Writes the first line of a new one. */
f0t_status f0t_tune_journal_begin(f0t_tune_journal *journal, const f0t_tune_space *space,
                                  size_t epochs);
f0t_status f0t_tune_journal_add(f0t_tune_journal *journal, const f0t_tune_space *space,
                                const f0t_tune_trial *trial);
void f0t_tune_journal_close(f0t_tune_journal *journal);

#endif
