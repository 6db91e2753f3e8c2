/* Help: of the program, and of a verb from its tables. */
#include "cli.h"

#include <string.h>

enum { WIDTH = 80, OPTION_COLUMN = 26 };

static void print_paragraph(FILE *to, int indent, int column, const char *text, size_t length)
{
    const char *end = text + length;
    while (text < end) {
        size_t word = strcspn(text, " \n");
        if (word > (size_t)(end - text))
            word = (size_t)(end - text);
        if (word && column > indent && column + 1 + (int)word > WIDTH) {
            fprintf(to, "\n");
            column = 0;
        }
        if (word) {
            int gap = column < indent ? indent - column : column > indent ? 1 : 0;
            fprintf(to, "%*s%.*s", gap, "", (int)word, text);
            column += gap + (int)word;
        }
        text += word;
        if (text < end)
            text++;
    }
    fprintf(to, "\n");
}

void cli_print_wrapped(FILE *to, int indent, const char *text)
{
    for (const char *next; text; text = next) {
        const char *gap = strstr(text, "\n\n");
        next = gap ? gap + 2 : NULL;
        print_paragraph(to, indent, 0, text, gap ? (size_t)(gap - text) : strlen(text));
        if (next)
            fprintf(to, "\n");
    }
}

static void print_option(FILE *to, const cli_option *o)
{
    char left[64];
    char letter[5] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    int used = snprintf(left, sizeof left, "  %s--%s%s%s", letter, o->name, o->value ? " " : "",
                        o->value ? o->value : "");
    fprintf(to, "%s", left);
    if (used >= OPTION_COLUMN) {
        fprintf(to, "\n");
        used = 0;
    }
    print_paragraph(to, OPTION_COLUMN, used, o->help, strlen(o->help));
    if (o->kind == CLI_CHOICE)
        fprintf(to, "%*s%s\n", OPTION_COLUMN, "", o->choices);
}

static void print_options(FILE *to, const cli_verb *verb)
{
    fprintf(to, "\nOptions:\n");
    for (const cli_option *o = verb->options; o && o->name; o++)
        print_option(to, o);
    for (const cli_option *o = cli_common_options; o->name; o++)
        if (cli_common_applies(o, verb))
            print_option(to, o);
}

static void print_verbs(FILE *to, const cli_verb *const *verbs)
{
    for (; *verbs; verbs++)
        fprintf(to, "  %-10s %s\n", (*verbs)->name, (*verbs)->summary);
}

void cli_help_verb(FILE *to, const cli_verb *verb, const char *name)
{
    fprintf(to, "fast0tag %s: %s\n\n", name, verb->summary);
    if (verb->verbs) {
        fprintf(to, "Usage: fast0tag %s COMMAND …\n\n", name);
        print_verbs(to, verb->verbs);
        fprintf(to, "\n'fast0tag %s COMMAND -h' explains a command.\n", name);
        return;
    }
    fprintf(to, "Usage: fast0tag %s%s%s [OPTIONS]\n", name, *verb->operands ? " " : "",
            verb->operands);
    if (verb->description) {
        fprintf(to, "\n");
        cli_print_wrapped(to, 0, verb->description);
    }
    print_options(to, verb);
    if (verb->examples)
        fprintf(to, "\nExamples:\n");
    for (const cli_example *e = verb->examples; e && e->command; e++) {
        fprintf(to, "  %s\n", e->command);
        cli_print_wrapped(to, 6, e->says);
    }
}

void cli_help_program(FILE *to)
{
    fprintf(to,
            "fast0tag %s: image tagging with words it has never seen\n\n"
            "Usage: fast0tag COMMAND …\n\n",
            f0t_version());
    print_verbs(to, cli_verbs);
    fprintf(to, "\n'fast0tag help COMMAND' explains a command; "
                "'fast0tag --version' prints the version.\n"
                "The name of a command's option may be cut short where no other begins so.\n"
                "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 bad input.\n");
}

static const cli_verb *find(const cli_verb *const *verbs, const char *word)
{
    for (; *verbs; verbs++)
        if (!strcmp((*verbs)->name, word))
            return *verbs;
    return NULL;
}

const cli_verb *cli_find_verb(int argc, char **argv, int *used, char *name, size_t name_size)
{
    const cli_verb *found = NULL, *next;
    *used = 0;
    name[0] = '\0';
    while (*used < argc && (!found || found->verbs) &&
           (next = find(found ? found->verbs : cli_verbs, argv[*used]))) {
        size_t length = strlen(name);
        snprintf(name + length, name_size - length, "%s%s", length ? " " : "", next->name);
        found = next;
        (*used)++;
    }
    return found;
}

/* Letters to change, add or drop between two short words; a long word is far from everything. */
static size_t distance(const char *a, const char *b)
{
    enum { MOST = 32 };
    size_t row[MOST + 1], n = strlen(a), m = strlen(b);
    if (n > MOST || m > MOST)
        return MOST;
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[m];
}

const char *cli_nearest_verb(const cli_verb *const *verbs, const char *word)
{
    const char *best = NULL;
    size_t least = 3; /* at most two letters off */
    if (distance("help", word) < least) {
        least = distance("help", word);
        best = "help";
    }
    for (; *verbs; verbs++) {
        size_t d = distance((*verbs)->name, word);
        if (d < least) {
            least = d;
            best = (*verbs)->name;
        }
    }
    return best;
}
