/* The completion script for fish: one `complete` line for each verb and each option. */
#include "pages.h"

/* The condition under which the lines that follow hold. */
static char condition[2 * CLI_NAME_SIZE + 128];

static void put_sentence(FILE *to, const char *text)
{
    fputs(" -d '", to);
    cli_put_sentence(to, text, "\\", "\\'");
    fputs("'\n", to);
}

static void put_option(FILE *to, const cli_option *o)
{
    fprintf(to, "complete -c fast0tag -n '%s' -l %s", condition, o->name);
    if (o->letter)
        fprintf(to, " -s %c", o->letter);
    if (o->kind == CLI_CHOICE) {
        fputs(" -x -a '", to);
        cli_put_choices(to, o->choices);
        fputs("'", to);
    } else if (o->kind == CLI_TEXT || o->kind == CLI_LIST) {
        fputs(" -r -F", to);
    } else if (o->kind != CLI_FLAG) {
        fputs(" -x", to);
    }
    put_sentence(to, o->help);
}

static void put_names(FILE *to, const cli_verb *const *verbs)
{
    for (; *verbs; verbs++) {
        fprintf(to, "complete -c fast0tag -f -n '%s' -a %s", condition, (*verbs)->name);
        put_sentence(to, (*verbs)->summary);
    }
}

static void put_group(FILE *to, const cli_verb *group)
{
    snprintf(condition, sizeof condition, "__fast0tag_at %s", group->name);
    put_names(to, group->verbs);
    for (const cli_verb *const *v = group->verbs; *v; v++) {
        snprintf(condition, sizeof condition, "__fast0tag_in %s %s", group->name, (*v)->name);
        cli_each_option(to, *v, put_option);
    }
}

void cli_completion_fish(FILE *to)
{
    fputs("# Completion of fast0tag for fish, written by fast0tag --completion fish.\n"
          "# The words before the cursor are these, and no more (at) or with more (in).\n"
          "function __fast0tag_at\n"
          "    set -l words (commandline -opc)\n"
          "    test \"$words[2..-1]\" = \"$argv\"\n"
          "end\n"
          "function __fast0tag_in\n"
          "    set -l words (commandline -opc)\n"
          "    set -l last (math (count $argv) + 1)\n"
          "    test (count $words) -ge $last; and test \"$words[2..$last]\" = \"$argv\"\n"
          "end\n",
          to);
    snprintf(condition, sizeof condition, "__fast0tag_at");
    put_names(to, cli_verbs);
    for (const cli_verb *const *v = cli_verbs; *v; v++) {
        if ((*v)->verbs) {
            put_group(to, *v);
            continue;
        }
        snprintf(condition, sizeof condition, "__fast0tag_in %s", (*v)->name);
        cli_each_option(to, *v, put_option);
    }
}
