/* The completion script for bash. Where it has nothing to offer, bash completes file names. */
#include "pages.h"

static void put_option_names(FILE *to, const cli_option *o)
{
    fprintf(to, " --%s", o->name);
    if (o->letter)
        fprintf(to, " -%c", o->letter);
}

/* What may follow an option that takes a value. */
static void put_option_value(FILE *to, const cli_option *o)
{
    if (o->kind == CLI_FLAG)
        return;
    fprintf(to, "        --%s", o->name);
    if (o->letter)
        fprintf(to, " | -%c", o->letter);
    fputs(") words='", to);
    if (o->kind == CLI_CHOICE)
        cli_put_choices(to, o->choices);
    fputs("' ;;\n", to);
}

static void put_verb(FILE *to, const cli_verb *verb, const char *name)
{
    fprintf(to, "    '%s')\n        case $before in\n", name);
    cli_each_option(to, verb, put_option_value);
    fputs("        *) [[ $word != -* ]] || words='", to);
    cli_each_option(to, verb, put_option_names);
    fputs("' ;;\n        esac ;;\n", to);
}

static void put_group(FILE *to, const cli_verb *group)
{
    char name[CLI_NAME_SIZE];
    fprintf(to, "    '%s') words='", group->name);
    cli_put_names(to, group->verbs);
    fputs("' ;;\n", to);
    for (const cli_verb *const *v = group->verbs; *v; v++) {
        snprintf(name, sizeof name, "%s %s", group->name, (*v)->name);
        put_verb(to, *v, name);
    }
}

static void put_verb_pattern(FILE *to)
{
    fputs("        case $verb in\n        '') groups=' ", to);
    cli_put_names(to, cli_verbs);
    fputs(" ' ;;\n", to);
    for (const cli_verb *const *v = cli_verbs; *v; v++)
        if ((*v)->verbs) {
            fprintf(to, "        '%s') groups=' ", (*v)->name);
            cli_put_names(to, (*v)->verbs);
            fputs(" ' ;;\n", to);
        }
    fputs("        *) break ;;\n        esac\n", to);
}

void cli_completion_bash(FILE *to)
{
    fputs("# Completion of fast0tag for bash, written by fast0tag --completion bash.\n"
          "_fast0tag() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local verb='' words='' groups i\n"
          "    for ((i = 1; i < COMP_CWORD; i++)); do\n",
          to);
    put_verb_pattern(to);
    fputs("        [[ $groups == *\" ${COMP_WORDS[i]} \"* ]] || break\n"
          "        verb=\"${verb:+$verb }${COMP_WORDS[i]}\"\n"
          "    done\n"
          "    case $verb in\n"
          "    '') words='",
          to);
    cli_put_names(to, cli_verbs);
    fputs(" --help --version' ;;\n", to);
    for (const cli_verb *const *v = cli_verbs; *v; v++) {
        if ((*v)->verbs)
            put_group(to, *v);
        else
            put_verb(to, *v, (*v)->name);
    }
    fputs("    esac\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
          "}\n"
          "complete -o default -F _fast0tag fast0tag\n",
          to);
}
