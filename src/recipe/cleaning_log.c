/* What cleaning did to raw keywords: one line of the log per step, with the option of the program that changes it. */
#include "recipe/recipe.h"

#include "base/monitor.h"

#include <stdio.h>

/* How the line goes on after "N keywords ", or "1 keyword ". */
static const struct {
    const char *many, *one, *option; /* NULL: a person asked for the step */
} STEPS[F0T_PREPARE_STEPS] = {
    [F0T_PREPARE_SPELLINGS] = {"go with another spelling", "goes with another spelling",
                               "--keep-spellings keeps"},
    [F0T_PREPARE_PLURALS] = {"go with their plural or singular", "goes with its plural or singular",
                             "--plurals none keeps"},
    [F0T_PREPARE_FILE_WORDS] = {"are about files or no words, and are left out",
                                "is about files or no word, and is left out",
                                "--file-words none keeps"},
    [F0T_PREPARE_COMMON] = {"are on nearly all pictures, and are left out",
                            "is on nearly all pictures, and is left out", "--keep-common keeps"},
    [F0T_PREPARE_RARE] = {"are on too few pictures, and are not learned",
                          "is on too few pictures, and is not learned", "--least 1 learns"},
    [F0T_PREPARE_SYNONYMS] = {"go with their synonyms", "goes with its synonyms", NULL}};

static void log_step(const f0t_monitor *monitor, const f0t_prepare_note *note,
                     f0t_prepare_step step)
{
    const bool one = note->count == 1;
    char into[120] = "", option[60] = "";
    if (!note->count)
        return;
    if (note->into)
        snprintf(into, sizeof into, " with '%.100s'", note->into);
    if (STEPS[step].option)
        snprintf(option, sizeof option, " (%s %s)", STEPS[step].option, one ? "it" : "them");
    f0t_log(monitor, F0T_LOG_INFO, "%zu keyword%s %s: '%.100s'%s%s%s", note->count, one ? "" : "s",
            one ? STEPS[step].one : STEPS[step].many, note->example, into, one ? "" : ", …",
            option);
}

static void log_in_use(const f0t_monitor *monitor, const f0t_prepare_note *note)
{
    const bool one = note->count == 1;
    if (!note->count)
        return;
    f0t_log(monitor, F0T_LOG_INFO,
            "%zu keyword%s about files or no word%s, but on many pictures, and %s learned: "
            "'%.100s'%s (--file-words all leaves %s out)",
            note->count, one ? " is" : "s are", one ? "" : "s", one ? "is" : "are", note->example,
            one ? "" : ", …", one ? "it" : "them");
}

void f0t_recipe_log_cleaning(const f0t_prepared *prepared, const f0t_monitor *monitor)
{
    size_t changed = 0;
    for (int i = 0; i < F0T_PREPARE_STEPS; i++) {
        log_step(monitor, &prepared->notes[i], (f0t_prepare_step)i);
        changed += prepared->notes[i].count;
    }
    log_in_use(monitor, &prepared->file_words_in_use);
    if (changed)
        f0t_log(monitor, F0T_LOG_INFO, "%zu keywords became %zu tags", prepared->keywords,
                f0t_dataset_tag_count(prepared->dataset));
}
