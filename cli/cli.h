/*
 * What the commands share. A verb is a row of a table (cli/main.c); its option table drives
 * parsing, help, the manual pages and the shell completions. CONTRIBUTING.md lists the steps to add
 * one.
 */
#ifndef F0T_CLI_H
#define F0T_CLI_H

#include "fast0tag.h"
#include "fast0tag_tools.h"

#include <jansson.h>
#include <stdio.h>

/* The program's exit codes. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_BAD_INPUT = 3 };

/* ---- Tables ------------------------------------------------------------------------------- */

/* What an option's value is, and the type of the field that it sets. */
typedef enum cli_kind {
    CLI_FLAG,   /* bool, no value */
    CLI_TEXT,   /* const char *, also for files */
    CLI_CHOICE, /* const char *, one of `choices` */
    CLI_SIZE,   /* size_t */
    CLI_COUNT,  /* size_t, from 1 */
    CLI_REAL,   /* double */
    CLI_LIST    /* cli_list: may be given several times */
} cli_kind;

typedef struct cli_list {
    const char **items;
    size_t count;
} cli_list;

typedef struct cli_option {
    const char *name; /* without the dashes; NULL ends a table */
    char letter;      /* of the short form, or 0 */
    cli_kind kind;
    size_t offset;       /* of the field in the verb's options */
    const char *value;   /* what help calls the value: "FILE", "N" */
    const char *help;    /* a sentence; says the default */
    const char *choices; /* CLI_CHOICE: "f32|bf16" */
} cli_option;

typedef struct cli_example {
    const char *command; /* NULL ends a table */
    const char *says;    /* what it does */
} cli_example;

/* Two options of which one makes the other void. */
typedef struct cli_conflict {
    const char *one, *other; /* names without the dashes; NULL ends a table */
} cli_conflict;

typedef struct cli_context cli_context;

typedef struct cli_verb {
    const char *name;
    const char *summary;     /* one line */
    const char *operands;    /* as usage shows them: "MODEL PICTURES…" */
    size_t least, most;      /* how many operands there may be */
    const char *description; /* paragraphs of help and manual, separated by empty lines */
    const cli_option *options;
    const cli_conflict *conflicts; /* may be NULL */
    const cli_example *examples;
    bool json, seed, device; /* whether it knows --json, --seed, --device */
    bool processes;          /* whether several may run it together, under mpirun */
    bool wire;               /* and whether it then knows --wire */
    bool pictures;           /* whether it may read pictures: it knows --require-sandbox */
    bool
        minus_words; /* -word is an operand: short options are one letter, their value the next word */
    size_t options_size;  /* of the struct that the option table fills */
    const void *defaults; /* its start value, NULL: all zero */
    f0t_status (*run)(cli_context *cli, const void *options);
    const struct cli_verb *const *verbs; /* instead of `run`: import csv; ends with NULL */
} cli_verb;

/* Every verb, in the order of help; ends with NULL. */
extern const cli_verb *const cli_verbs[];

/* One row of main.c's table each, defined in cmd_<verb>.c. */
extern const cli_verb cli_verb_import;
extern const cli_verb cli_verb_features;
extern const cli_verb cli_verb_vectors;
extern const cli_verb cli_verb_train;
extern const cli_verb cli_verb_tag;
extern const cli_verb cli_verb_untag;
extern const cli_verb cli_verb_index;
extern const cli_verb cli_verb_find;
extern const cli_verb cli_verb_quantize;
extern const cli_verb cli_verb_review;
extern const cli_verb cli_verb_accept;
extern const cli_verb cli_verb_reject;
extern const cli_verb cli_verb_write;
extern const cli_verb cli_verb_serve;
extern const cli_verb cli_verb_eval;
extern const cli_verb cli_verb_analyze;
extern const cli_verb cli_verb_inspect;
extern const cli_verb cli_verb_bench;
extern const cli_verb cli_verb_demo;

/* A folder with the files of a dataset; any folder. */
bool cli_is_dataset(const char *path);
bool cli_is_folder(const char *path);
/* A file whose content is of this kind, as f0t_inspect names it: "model", "vectors". */
bool cli_is_kind(const char *path, const char *kind);

/* ---- A running command -------------------------------------------------------------------- */

enum { CLI_OPTIONS_MOST = 64 }; /* of a verb, the common ones included */

/* What every command gets besides its own options. */
struct cli_context {
    const cli_verb *verb;
    char name[64]; /* "vectors convert" */
    const char **operands;
    size_t operand_count;
    bool json, quiet, sandbox;
    uint64_t seed;
    const cli_option *given[CLI_OPTIONS_MOST]; /* [given_count], each once */
    size_t given_count;
    int threads;                /* 0: all */
    const char *device;         /* NULL: the CPU */
    bool coarse_sums;           /* --wire bf16 */
    const f0t_monitor *monitor; /* progress on stderr, Ctrl-C */
    f0t_context *context;       /* the threads, and the monitor */
    char message[512];          /* of cli_fail, instead of f0t_last_error() */
};

/* A failure of the command itself; F0T_ERROR_ARGUMENT is a usage error. Returns `status`. */
f0t_status cli_fail(cli_context *cli, f0t_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* How a command fares so far, or ends, is the same in all processes of a run; the first one's line says so. */
f0t_status cli_agree(cli_context *cli, f0t_status status);

/* Fails when no file, no folder of pages can be written at `path`, which `option` names: asked before
 * the work begins. */
f0t_status cli_check_file(cli_context *cli, const char *option, const char *path);
/* The same for a file that may take the place of one of its own kind, or of nothing: not of what was named
 * by mistake. `kind` is that of f0t_inspect. */
f0t_status cli_check_replaceable(cli_context *cli, const char *option, const char *path,
                                 const char *kind);
bool cli_is_same_file(const char *a, const char *b);
f0t_status cli_check_folder(cli_context *cli, const char *option, const char *path);

/* -c of the verbs that work with a catalogue. */
#define CLI_CATALOGUE_OPTION(offset)                                                            \
    {                                                                                           \
        "catalogue", 'c', CLI_TEXT, offset, "FILE",                                             \
            "The catalogue. Default: catalogue.f0t in the folder fast0tag of the user's data.", \
            NULL                                                                                \
    }

/* Where features are kept from one command for the next; NULL: nowhere. */
const char *cli_cache_folder(bool wanted);

/* A usage error that shows the right order: "MODEL PICTURES". */
f0t_status cli_fail_swapped(cli_context *cli, const char *order);
/* Word vectors stand where a dataset is wanted, and something else in their place. */
bool cli_vectors_swapped(const char *operand, const char *vectors);
/* There is no `source`, or it is a dataset, and `output` is there and is none. */
bool cli_output_swapped(const char *source, const char *output);

/* The options that every command has, in help and manual as well. */
extern const cli_option cli_common_options[];
bool cli_common_applies(const cli_option *option, const cli_verb *verb);

/* Fills `options` and the context from the arguments after the verb. Returns CLI_DONE, or CLI_USAGE
 * after saying why on stderr; *help is set when help was asked for. */
int cli_parse(cli_context *cli, void *options, int argc, char **argv, bool *help);
/* Frees what cli_parse allocated. */
void cli_parse_free(cli_context *cli, void *options);
/* Whether the option stood on the command line, whatever its value. */
bool cli_given(const cli_context *cli, const char *name);

void cli_help_program(FILE *to);
void cli_help_verb(FILE *to, const cli_verb *verb, const char *name);
/* Prints `text` wrapped at 80 columns, each line indented. */
void cli_print_wrapped(FILE *to, int indent, const char *text);
/* Finds "vectors convert" by its words; *used says how many were taken. NULL: no such verb. */
const cli_verb *cli_find_verb(int argc, char **argv, int *used, char *name, size_t name_size);
/* The nearest of the verb table's names, or NULL when none is near. */
const char *cli_nearest_verb(const cli_verb *const *verbs, const char *word);

/* Seconds on a clock that only goes forward. */
double cli_seconds(void);

/* Progress and warnings on stderr, and the flag that Ctrl-C sets. */
const f0t_monitor *cli_monitor_start(bool quiet, bool silent);
void cli_monitor_end(void);

/* ---- Output ------------------------------------------------------------------------------- */

/* A table whose columns line up: cells are copied, numbers go right. */
typedef struct cli_table cli_table;

/* Prints a name, a tag, or what else comes from a file, as f0t_line_escape writes it: on one line, and
 * nothing that a terminal would obey. cli_shown gives it as a copy to be freed. */
void cli_print_shown(FILE *to, const char *text);
char *cli_shown(const char *text);

cli_table *cli_table_create(size_t columns, const char *const *heads, const char *aligns);
void cli_table_add(cli_table *table, const char *const *cells);
void cli_table_print(const cli_table *table, FILE *to);
void cli_table_free(cli_table *table);

/* Prints the value (NULL: no memory) on stdout and lets go of it. */
f0t_status cli_print_json(cli_context *cli, json_t *value);

/* malloc, or the program ends with one line. */
void *cli_alloc(size_t size);

#endif
