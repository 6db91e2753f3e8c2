/* Arguments: a verb's option table and the words on the command line. */
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct common {
    bool help, json, quiet, sandbox;
    size_t seed, threads;
    const char *device, *wire;
} common;

const cli_option cli_common_options[] = {
    {"json", 0, CLI_FLAG, offsetof(common, json), NULL, "Print results as JSON on standard output.",
     NULL},
    {"seed", 0, CLI_SIZE, offsetof(common, seed), "N",
     "Seed of the random numbers; the same seed gives the same result. Default 0.", NULL},
    {"threads", 0, CLI_COUNT, offsetof(common, threads), "N",
     "Number of threads. Default: all that the machine has.", NULL},
    {"device", 0, CLI_CHOICE, offsetof(common, device), "DEVICE",
     "What computes: cpu, or cuda, an NVIDIA GPU. Default cpu.", "cpu|cuda"},
    {"wire", 0, CLI_CHOICE, offsetof(common, wire), "TYPE",
     "Under mpirun: the type in which gradients travel between processes. Default f32.",
     "f32|bf16"},
    {"require-sandbox", 0, CLI_FLAG, offsetof(common, sandbox), NULL,
     "Read no picture where there is no sandbox for the processes that decode them, instead "
     "of a warning.",
     NULL},
    {"quiet", 'q', CLI_FLAG, offsetof(common, quiet), NULL, "Print no progress and no remarks.",
     NULL},
    {"help", 'h', CLI_FLAG, offsetof(common, help), NULL, "Show this help.", NULL},
    {.name = NULL},
};

bool cli_common_applies(const cli_option *option, const cli_verb *verb)
{
    if (!strcmp(option->name, "json"))
        return verb->json;
    if (!strcmp(option->name, "seed"))
        return verb->seed;
    if (!strcmp(option->name, "device"))
        return verb->device;
    if (!strcmp(option->name, "wire"))
        return verb->wire;
    if (!strcmp(option->name, "require-sandbox"))
        return verb->pictures;
    return true;
}

/* Where the parser stands. */
typedef struct parser {
    cli_context *cli;
    char *options;
    common common;
    int argc, at;
    char **argv;
} parser;

static int refuse(const parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int refuse(const parser *p, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "fast0tag %s: ", p->cli->name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "; 'fast0tag %s -h' explains it\n", p->cli->name);
    return CLI_USAGE;
}

static const cli_option *find_in(const cli_option *table, const cli_verb *verb, const char *name,
                                 size_t length, char letter)
{
    for (const cli_option *o = table; o && o->name; o++) {
        if (verb && !cli_common_applies(o, verb))
            continue;
        if (letter ? o->letter == letter : !strncmp(o->name, name, length) && !o->name[length])
            return o;
    }
    return NULL;
}

/* The option, and in *base the struct that its offset counts from. */
static const cli_option *find_option(parser *p, const char *name, size_t length, char letter,
                                     char **base)
{
    const cli_option *found = find_in(p->cli->verb->options, NULL, name, length, letter);
    *base = p->options;
    if (found)
        return found;
    *base = (char *)&p->common;
    return find_in(cli_common_options, p->cli->verb, name, length, letter);
}

/* The only option whose name begins so; where there are several, NULL, and two of them. */
static const cli_option *find_begun(parser *p, const char *name, size_t length, char **base,
                                    const cli_option *several[2])
{
    const cli_option *const tables[] = {p->cli->verb->options, cli_common_options};
    char *const bases[] = {p->options, (char *)&p->common};
    size_t count = 0;
    for (size_t t = 0; t < 2; t++)
        for (const cli_option *o = tables[t]; o && o->name && length; o++)
            if (!strncmp(o->name, name, length) && (!t || cli_common_applies(o, p->cli->verb))) {
                if (!count)
                    *base = bases[t];
                if (count < 2)
                    several[count] = o;
                count++;
            }
    return count == 1 ? several[0] : NULL;
}

static bool is_choice(const char *choices, const char *value)
{
    size_t n = strlen(value);
    for (const char *c = choices; c; c = strchr(c, '|'), c = c ? c + 1 : NULL)
        if (!strncmp(c, value, n) && (c[n] == '|' || !c[n]))
            return n > 0;
    return false;
}

static bool parse_size(size_t *out, const char *text)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    *out = (size_t)value;
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

static bool parse_real(double *out, const char *text)
{
    char *end;
    errno = 0;
    *out = strtod(text, &end);
    return end != text && !*end && !errno && *out - *out == 0;
}

/* Options that had another name once, by verbs that know the new one. */
static const struct {
    const char *old, *now;
} RENAMED[] = {{"precision", "arithmetic"}};

static const char *new_name(const parser *p, const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof RENAMED / sizeof *RENAMED; i++)
        if (strlen(RENAMED[i].old) == length && !strncmp(RENAMED[i].old, name, length) &&
            find_in(p->cli->verb->options, NULL, RENAMED[i].now, strlen(RENAMED[i].now), 0))
            return RENAMED[i].now;
    return NULL;
}

static int refuse_value(const parser *p, const cli_option *o, const char *value)
{
    const char *wanted = o->kind == CLI_CHOICE  ? o->choices
                         : o->kind == CLI_SIZE  ? "a whole number"
                         : o->kind == CLI_COUNT ? "a whole number from 1"
                                                : "a number";
    const char *now = new_name(p, o->name, strlen(o->name));
    if (now)
        return refuse(p, "--%s: '%s' is not %s; what took it is --%s now", o->name, value, wanted,
                      now);
    return refuse(p, "--%s: '%s' is not %s%s", o->name, value,
                  o->kind == CLI_CHOICE ? "one of " : "", wanted);
}

static void add_item(const parser *p, cli_list *list, const char *value)
{
    if (!list->items)
        list->items = cli_alloc((size_t)p->argc * sizeof *list->items);
    list->items[list->count++] = value;
}

static int set_value(parser *p, const cli_option *o, char *field, const char *value)
{
    bool good = true;
    switch (o->kind) {
    case CLI_FLAG:
        memcpy(field, &(bool){true}, sizeof(bool));
        break;
    case CLI_TEXT:
        memcpy(field, &value, sizeof value);
        break;
    case CLI_CHOICE:
        good = is_choice(o->choices, value);
        memcpy(field, &value, sizeof value);
        break;
    case CLI_SIZE:
    case CLI_COUNT:
        good = parse_size((size_t *)(void *)field, value) &&
               (o->kind == CLI_SIZE || *(size_t *)(void *)field > 0);
        break;
    case CLI_REAL:
        good = parse_real((double *)(void *)field, value);
        break;
    case CLI_LIST:
        add_item(p, (cli_list *)(void *)field, value);
        break;
    }
    return good ? CLI_DONE : refuse_value(p, o, value);
}

/* Sets an option whose value may stand in `attached`, else in the next word. */
static int apply(parser *p, const cli_option *o, char *base, const char *attached)
{
    if (o->kind == CLI_FLAG && attached)
        return refuse(p, "--%s takes no value", o->name);
    if (o->kind != CLI_FLAG && !attached) {
        if (p->at >= p->argc)
            return refuse(p, "--%s needs a value: %s", o->name, o->value);
        attached = p->argv[p->at++];
    }
    if (!cli_given(p->cli, o->name) && p->cli->given_count < CLI_OPTIONS_MOST)
        p->cli->given[p->cli->given_count++] = o;
    return set_value(p, o, base + o->offset, attached);
}

static int refuse_unknown(const parser *p, const char *name, size_t length)
{
    const char *now = new_name(p, name, length);
    if (now)
        return refuse(p, "there is no option '--%.*s': it is --%s now", (int)length, name, now);
    return refuse(p, "there is no option '--%.*s'", (int)length, name);
}

static int parse_long(parser *p, const char *word)
{
    char *base;
    const char *name = word + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const cli_option *several[2] = {NULL}, *o = find_option(p, name, length, 0, &base);
    if (!o && !new_name(p, name, length))
        o = find_begun(p, name, length, &base, several);
    if (!o && several[1])
        return refuse(p, "'--%.*s' may be --%s or --%s", (int)length, name, several[0]->name,
                      several[1]->name);
    if (!o)
        return refuse_unknown(p, name, length);
    return apply(p, o, base, equals ? equals + 1 : NULL);
}

/* -qk5: flags one after the other, then one option with its value. */
static int parse_short(parser *p, const char *word)
{
    for (const char *c = word + 1; *c; c++) {
        char *base;
        const cli_option *o = find_option(p, NULL, 0, *c, &base);
        if (!o)
            return refuse(p, "there is no option '-%c'", *c);
        bool last = o->kind != CLI_FLAG;
        int code = apply(p, o, base, last && c[1] ? c + 1 : NULL);
        if (code != CLI_DONE || last)
            return code;
    }
    return CLI_DONE;
}

static bool is_operand(const parser *p, const char *word)
{
    return word[0] != '-' || !word[1] ||
           (p->cli->verb->minus_words && word[1] != '-' && word[2] != '\0');
}

static int parse_words(parser *p)
{
    bool only_operands = false;
    while (p->at < p->argc) {
        const char *word = p->argv[p->at++];
        int code = CLI_DONE;
        if (only_operands || is_operand(p, word))
            p->cli->operands[p->cli->operand_count++] = word;
        else if (!strcmp(word, "--"))
            only_operands = true;
        else
            code = word[1] == '-' ? parse_long(p, word) : parse_short(p, word);
        if (code != CLI_DONE)
            return code;
    }
    return CLI_DONE;
}

static int check_operands(const parser *p)
{
    const cli_verb *verb = p->cli->verb;
    size_t count = p->cli->operand_count;
    if (count < verb->least)
        return refuse(p, count ? "missing operand: %s" : "missing operand: %s", verb->operands);
    if (count > verb->most)
        return refuse(p, "unexpected operand '%s'", p->cli->operands[verb->most]);
    return CLI_DONE;
}

static int check_conflicts(const parser *p)
{
    for (const cli_conflict *c = p->cli->verb->conflicts; c && c->one; c++)
        if (cli_given(p->cli, c->one) && cli_given(p->cli, c->other))
            return refuse(p, "--%s and --%s exclude each other", c->one, c->other);
    return CLI_DONE;
}

int cli_parse(cli_context *cli, void *options, int argc, char **argv, bool *help)
{
    parser p = {.cli = cli, .options = options, .argc = argc, .argv = argv};
    cli->operands = cli_alloc(((size_t)argc + 1) * sizeof *cli->operands);
    int code = parse_words(&p);
    *help = p.common.help;
    cli->json = p.common.json;
    cli->quiet = p.common.quiet;
    cli->sandbox = p.common.sandbox;
    cli->seed = p.common.seed;
    if (code != CLI_DONE || *help)
        return code;
    if (p.common.threads > 4096)
        return refuse(&p, "--threads: %zu is too many", p.common.threads);
    cli->threads = (int)p.common.threads;
    cli->device = p.common.device;
    cli->coarse_sums = p.common.wire && !strcmp(p.common.wire, "bf16");
    code = check_conflicts(&p);
    return code == CLI_DONE ? check_operands(&p) : code;
}

bool cli_given(const cli_context *cli, const char *name)
{
    for (size_t i = 0; i < cli->given_count; i++)
        if (!strcmp(cli->given[i]->name, name))
            return true;
    return false;
}

void cli_parse_free(cli_context *cli, void *options)
{
    for (const cli_option *o = cli->verb->options; o && o->name; o++)
        if (o->kind == CLI_LIST)
            free(((cli_list *)(void *)((char *)options + o->offset))->items);
    free(cli->operands);
}
