/* The completion script for zsh: one _arguments call for each verb. */
#include "pages.h"

static void put_sentence(FILE *to, const char *text)
{
    cli_put_sentence(to, text, "[]:\\", "'\\''");
}

static void put_option(FILE *to, const cli_option *o)
{
    const char *repeats = o->kind == CLI_LIST ? "*" : "";
    fputs(" \\\n            ", to);
    if (o->letter && o->kind == CLI_LIST)
        fprintf(to, "'*'{-%c,--%s}'[", o->letter, o->name);
    else if (o->letter)
        fprintf(to, "'(-%c --%s)'{-%c,--%s}'[", o->letter, o->name, o->letter, o->name);
    else
        fprintf(to, "'%s--%s[", repeats, o->name);
    put_sentence(to, o->help);
    fputs("]", to);
    if (o->value)
        fprintf(to, ":%s:", o->value);
    if (o->kind == CLI_CHOICE) {
        fputs("(", to);
        cli_put_choices(to, o->choices);
        fputs(")", to);
    } else if (o->kind == CLI_TEXT || o->kind == CLI_LIST) {
        fputs("_files", to);
    }
    fputs("'", to);
}

static void put_arguments(FILE *to, const cli_verb *verb, const char *name, int words)
{
    fprintf(to, "    '%s'%s)\n        shift %d words && ((CURRENT -= %d))\n        _arguments",
            name, words == 1 ? "*" : "", words, words);
    cli_each_option(to, verb, put_option);
    fputs(" \\\n            '*: :_files' ;;\n", to);
}

static void put_list(FILE *to, const cli_verb *const *verbs)
{
    fputs("        commands=(", to);
    for (; *verbs; verbs++) {
        fprintf(to, "\n            '%s:", (*verbs)->name);
        put_sentence(to, (*verbs)->summary);
        fputs("'", to);
    }
    fputs(")\n        _describe command commands", to);
}

static void put_groups(FILE *to)
{
    for (const cli_verb *const *v = cli_verbs; *v; v++)
        if ((*v)->verbs) {
            fprintf(to, "    3' %s '*)\n", (*v)->name);
            put_list(to, (*v)->verbs);
            fputs("\n        return ;;\n", to);
        }
}

void cli_completion_zsh(FILE *to)
{
    char name[CLI_NAME_SIZE];
    fputs("#compdef fast0tag\n"
          "# Completion of fast0tag for zsh, written by fast0tag --completion zsh.\n"
          "_fast0tag() {\n"
          "    local -a commands\n"
          "    case \"$CURRENT $words[2] $words[3]\" in\n"
          "    2*)\n",
          to);
    put_list(to, cli_verbs);
    fputs("\n        return ;;\n", to);
    put_groups(to);
    fputs("    esac\n    case \"$words[2] $words[3]\" in\n", to);
    for (const cli_verb *const *v = cli_verbs; *v; v++) {
        if (!(*v)->verbs) {
            snprintf(name, sizeof name, "%s ", (*v)->name);
            put_arguments(to, *v, name, 1);
            continue;
        }
        for (const cli_verb *const *w = (*v)->verbs; *w; w++) {
            snprintf(name, sizeof name, "%s %s", (*v)->name, (*w)->name);
            put_arguments(to, *w, name, 2);
        }
    }
    fputs("    esac\n}\n_fast0tag \"$@\"\n", to);
}
