/* The results of a comparison, of a stranger: cells are taken from them, shown, and written again. */
#include "fuzz.h"
#include "scratch.h"

#include "base/alloc.h"
#include "eval/eval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PATH_SIZE = 64 };

static f0t_eval *eval;
static f0t_dataset *dataset;
static int file; /* that has no name */
static char folder[4096], path[PATH_SIZE], copy[sizeof folder + 8];

static void open_dataset(void)
{
    static const bool unseen[WINDS] = {false, false, false, true};
    uint8_t split[WIND_IMAGES];
    for (size_t i = 0; i < WIND_IMAGES; i++)
        split[i] = (uint8_t)(i < 8 ? F0T_TRAIN : i < 12 ? F0T_VAL : F0T_TEST);
    dataset = open_winds(split, unseen);
}

static void clean(void)
{
    unlink(copy);
    rmdir(folder);
}

static void prepare(void)
{
    static const char words[] = "east 1 0\nnorth 0 1\nwest -1 0\nsouth 0 -1\n";
    f0t_vectors *vectors;
    const f0t_eval_options options = {.size = sizeof options,
                                      .centred = true,
                                      .methods = "frequency,random,conse",
                                      .repeat = 2,
                                      .no_tune = true};
    if (eval)
        return;
    open_dataset();
    need(f0t_vectors_open_memory(&vectors, words, sizeof words - 1, "words", NULL, NULL) == F0T_OK);
    need(f0t_eval_run(&eval, dataset, vectors, &options, NULL) == F0T_OK);
    f0t_vectors_close(vectors);
    file = memfd_create("results", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    make_folder(folder, sizeof folder);
    snprintf(copy, sizeof copy, "%s/again", folder);
    atexit(clean);
}

/* As the comparison would be named. */
static uint64_t identity_of(const uint8_t *data, size_t size)
{
    static const char key[] = "\"identity\":\"";
    char digits[17] = "";
    const uint8_t *at = memmem(data, size, key, sizeof key - 1);
    if (at && (size_t)(at - data) + sizeof key + 15 <= size)
        memcpy(digits, at + sizeof key - 1, 16);
    return strtoull(digits, NULL, 16);
}

static void forget(void)
{
    const size_t count = eval->plan.repeat * eval->plan.method_count * F0T_SCENARIOS;
    for (size_t i = 0; i < count; i++) {
        f0t_eval_cell_free(&eval->cells[i]);
        eval->cells[i].done = false;
    }
}

static void show(void)
{
    f0t_report *report;
    f0t_free(eval->rows);
    f0t_free(eval->values);
    f0t_free(eval->knobs);
    f0t_free(eval->differences);
    eval->rows = NULL, eval->values = NULL, eval->knobs = NULL, eval->differences = NULL;
    eval->row_count = 0;
    if (f0t_eval_summarise(eval) == F0T_OK && f0t_eval_report(&report, eval, NULL) == F0T_OK)
        f0t_report_free(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *others;
    prepare();
    const uint64_t identity = identity_of(data, size);
    need(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size);
    forget();
    if (f0t_results_load(eval, &others, path, identity, NULL) != F0T_OK)
        return 0;
    show();
    need(f0t_results_save(eval, others, copy, identity) == F0T_OK);
    f0t_free(others);
    need(f0t_results_load(eval, &others, copy, identity, NULL) == F0T_OK);
    f0t_free(others);
    return 0;
}
