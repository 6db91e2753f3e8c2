/* Manual pages (roff, man(7)) from the tables of the verbs: one page for the program, one per verb. */
#include "pages.h"

#include <errno.h>
#include <string.h>

/* Text as roff shows it: a dash stays a dash, a backslash a backslash, and no line of the text is
 * taken for a command. */
static void put_text(FILE *to, const char *text, size_t length)
{
    bool line_start = true;
    for (const char *end = text + length; text < end; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", to);
        if (*text == '\\')
            fputs("\\e", to);
        else if (*text == '-')
            fputs("\\-", to);
        else
            fputc(*text, to);
        line_start = *text == '\n';
    }
}

static void put(FILE *to, const char *text)
{
    put_text(to, text, strlen(text));
}

static void put_line(FILE *to, const char *text)
{
    put(to, text);
    fputc('\n', to);
}

static void put_paragraphs(FILE *to, const char *text)
{
    for (const char *next; text; text = next) {
        const char *gap = strstr(text, "\n\n");
        next = gap ? gap + 2 : NULL;
        fputs(".PP\n", to);
        put_text(to, text, gap ? (size_t)(gap - text) : strlen(text));
        fputc('\n', to);
    }
}

/* "f32|bf16" as "f32, bf16": a line can break between them. */
static void put_choices(FILE *to, const char *choices)
{
    for (const char *bar; (bar = strchr(choices, '|')); choices = bar + 1) {
        put_text(to, choices, (size_t)(bar - choices));
        fputs(", ", to);
    }
    put(to, choices);
}

static void put_option(FILE *to, const cli_option *o)
{
    fputs(".TP\n", to);
    if (o->letter)
        fprintf(to, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", to);
    put(to, o->name);
    fputs("\\fR", to);
    if (o->value) {
        fputs(" \\fI", to);
        put(to, o->value);
        fputs("\\fR", to);
    }
    fputc('\n', to);
    put_line(to, o->help);
    if (o->kind == CLI_CHOICE) {
        fputs(".br\nOne of ", to);
        put_choices(to, o->choices);
        fputs(".\n", to);
    }
}

static void put_synopsis(FILE *to, const cli_verb *verb, const char *name)
{
    fputs(".PP\n\\fBfast0tag ", to);
    put(to, name);
    fputs(*verb->operands ? "\\fR " : "\\fR", to);
    put(to, verb->operands);
    fputs(" [OPTIONS]\n", to);
}

static void put_examples(FILE *to, const cli_verb *verb)
{
    for (const cli_example *e = verb->examples; e && e->command; e++) {
        fputs(".PP\n", to);
        put_line(to, e->says);
        fputs(".PP\n.RS\n.nf\n", to);
        put_line(to, e->command);
        fputs(".fi\n.RE\n", to);
    }
}

static void put_head(FILE *to, const char *page, const char *summary)
{
    fputs(".TH \"", to);
    put(to, page);
    fprintf(to, "\" 1 \"\" \"fast0tag %s\" \"fast0tag manual\"\n", f0t_version());
    fputs(".nh\n.ad l\n.SH NAME\n", to);
    put(to, page);
    fputs(" \\- ", to);
    put_line(to, summary);
}

static void put_foot(FILE *to, const char *see_also)
{
    fputs(".SH EXIT STATUS\n"
          "0: done. 1: failed. 2: wrong usage. 3: bad input, a file or data that cannot be used.\n"
          ".SH SEE ALSO\n",
          to);
    put_line(to, see_also);
}

/* One verb that does something, below the heading that its page gave it. */
static void put_verb(FILE *to, const cli_verb *verb)
{
    if (verb->description)
        put_paragraphs(to, verb->description);
    cli_each_option(to, verb, put_option);
}

static void put_group(FILE *to, const cli_verb *group)
{
    char name[CLI_NAME_SIZE];
    bool any = false;
    fputs(".SH SYNOPSIS\n", to);
    for (const cli_verb *const *v = group->verbs; *v; v++) {
        snprintf(name, sizeof name, "%s %s", group->name, (*v)->name);
        put_synopsis(to, *v, name);
    }
    fputs(".SH DESCRIPTION\n", to);
    if (group->description)
        put_paragraphs(to, group->description);
    for (const cli_verb *const *v = group->verbs; *v; v++) {
        fprintf(to, ".SS \"fast0tag %s %s\"\n", group->name, (*v)->name);
        put_line(to, (*v)->summary);
        put_verb(to, *v);
    }
    for (const cli_verb *const *v = group->verbs; *v; v++) {
        if ((*v)->examples && !any)
            fputs(".SH EXAMPLES\n", to);
        any = any || (*v)->examples;
        put_examples(to, *v);
    }
}

static void put_single(FILE *to, const cli_verb *verb)
{
    fputs(".SH SYNOPSIS\n", to);
    put_synopsis(to, verb, verb->name);
    fputs(".SH DESCRIPTION\n", to);
    put_paragraphs(to, verb->description ? verb->description : verb->summary);
    fputs(".SH OPTIONS\n", to);
    cli_each_option(to, verb, put_option);
    if (verb->examples)
        fputs(".SH EXAMPLES\n", to);
    put_examples(to, verb);
}

static void put_verb_page(FILE *to, const cli_verb *verb)
{
    char page[CLI_NAME_SIZE];
    snprintf(page, sizeof page, "fast0tag-%s", verb->name);
    put_head(to, page, verb->summary);
    if (verb->verbs)
        put_group(to, verb);
    else
        put_single(to, verb);
    put_foot(to, "fast0tag(1)");
}

static void put_program_page(FILE *to)
{
    put_head(to, "fast0tag", "image tagging with words it has never seen");
    fputs(
        ".SH SYNOPSIS\n\\fBfast0tag\\fR COMMAND …\n.SH DESCRIPTION\n"
        "A picture has a principal direction in word\\-vector space: along it, the words that fit\n"
        "the picture come before the words that do not. fast0tag learns a function from picture\n"
        "features to that direction, and ranks any vocabulary along it.\n"
        ".PP\n"
        "Results go to standard output, everything else to standard error.\n"
        ".SH COMMANDS\n",
        to);
    for (const cli_verb *const *v = cli_verbs; *v; v++) {
        fprintf(to, ".TP\n\\fBfast0tag\\-%s\\fR(1)\n", (*v)->name);
        put_line(to, (*v)->summary);
    }
    put_foot(to, "Each command explains itself with -h.");
}

/* DIR/NAME.1 with what `verb` (NULL: the program) has to say. */
static int write_page(const char *folder, const cli_verb *verb)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/fast0tag%s%s.1", folder, verb ? "-" : "",
                     verb ? verb->name : "");
    FILE *to = n < (int)sizeof path ? fopen(path, "w") : NULL;
    if (to && verb)
        put_verb_page(to, verb);
    else if (to)
        put_program_page(to);
    if (to && !ferror(to) && fclose(to) == 0)
        return CLI_DONE;
    fprintf(stderr, "fast0tag: %s: %s\n", path, strerror(errno));
    return CLI_FAILED;
}

int cli_write_manual_pages(const char *folder)
{
    int code = write_page(folder, NULL);
    for (const cli_verb *const *v = cli_verbs; *v && code == CLI_DONE; v++)
        code = write_page(folder, *v);
    return code;
}
