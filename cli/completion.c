/* Shell completions for bash, zsh and fish, from the tables of the verbs. */
#include "pages.h"

#include <string.h>

void cli_each_option(FILE *to, const cli_verb *verb, void (*each)(FILE *to, const cli_option *o))
{
    for (const cli_option *o = verb->options; o && o->name; o++)
        each(to, o);
    for (const cli_option *o = cli_common_options; o->name; o++)
        if (cli_common_applies(o, verb))
            each(to, o);
}

/* The names of the verbs, or the choices of an option, separated by spaces. */
static void put_verb_names(FILE *to, const cli_verb *const *verbs)
{
    for (const cli_verb *const *v = verbs; *v; v++)
        fprintf(to, "%s%s", v == verbs ? "" : " ", (*v)->name);
}

static void put_choices(FILE *to, const char *choices)
{
    for (; *choices; choices++)
        fputc(*choices == '|' ? ' ' : *choices, to);
}

/* The first sentence of a text, inside single quotes of a shell: `special` characters get a
 * backslash, a quote becomes `quote`. */
static void put_quoted(FILE *to, const char *text, const char *special, const char *quote)
{
    for (; *text; text++) {
        bool last = *text == '.' && (!text[1] || text[1] == ' ' || text[1] == '\n');
        if (last || *text == ';')
            return;
        if (*text == '\'')
            fputs(quote, to);
        else if (strchr(special, *text))
            fprintf(to, "\\%c", *text);
        else
            fputc(*text == '\n' ? ' ' : *text, to);
    }
}

/* ---- bash: where it has nothing to offer, bash completes file names ----------------------- */

static void bash_option_names(FILE *to, const cli_option *o)
{
    fprintf(to, " --%s", o->name);
    if (o->letter)
        fprintf(to, " -%c", o->letter);
}

/* What may follow an option that takes a value. */
static void bash_option_value(FILE *to, const cli_option *o)
{
    if (o->kind == CLI_FLAG)
        return;
    fprintf(to, "        --%s", o->name);
    if (o->letter)
        fprintf(to, " | -%c", o->letter);
    fputs(") words='", to);
    if (o->kind == CLI_CHOICE)
        put_choices(to, o->choices);
    fputs("' ;;\n", to);
}

static void bash_verb(FILE *to, const cli_verb *verb, const char *name)
{
    fprintf(to, "    '%s')\n        case $before in\n", name);
    cli_each_option(to, verb, bash_option_value);
    fputs("        *) [[ $word != -* ]] || words='", to);
    cli_each_option(to, verb, bash_option_names);
    fputs("' ;;\n        esac ;;\n", to);
}

static void bash_group(FILE *to, const cli_verb *group)
{
    char name[CLI_NAME_SIZE];
    fprintf(to, "    '%s') words='", group->name);
    put_verb_names(to, group->verbs);
    fputs("' ;;\n", to);
    for (const cli_verb *const *v = group->verbs; *v; v++) {
        snprintf(name, sizeof name, "%s %s", group->name, (*v)->name);
        bash_verb(to, *v, name);
    }
}

static void bash_verb_pattern(FILE *to)
{
    fputs("        case $verb in\n        '') groups=' ", to);
    put_verb_names(to, cli_verbs);
    fputs(" ' ;;\n", to);
    for (const cli_verb *const *v = cli_verbs; *v; v++)
        if ((*v)->verbs) {
            fprintf(to, "        '%s') groups=' ", (*v)->name);
            put_verb_names(to, (*v)->verbs);
            fputs(" ' ;;\n", to);
        }
    fputs("        *) break ;;\n        esac\n", to);
}

static void write_bash(FILE *to)
{
    fputs("# Completion of fast0tag for bash, written by fast0tag --completion bash.\n"
          "_fast0tag() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local verb='' words='' groups i\n"
          "    for ((i = 1; i < COMP_CWORD; i++)); do\n",
          to);
    bash_verb_pattern(to);
    fputs("        [[ $groups == *\" ${COMP_WORDS[i]} \"* ]] || break\n"
          "        verb=\"${verb:+$verb }${COMP_WORDS[i]}\"\n"
          "    done\n"
          "    case $verb in\n"
          "    '') words='",
          to);
    put_verb_names(to, cli_verbs);
    fputs(" --help --version' ;;\n", to);
    for (const cli_verb *const *v = cli_verbs; *v; v++) {
        if ((*v)->verbs)
            bash_group(to, *v);
        else
            bash_verb(to, *v, (*v)->name);
    }
    fputs("    esac\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
          "}\n"
          "complete -o default -F _fast0tag fast0tag\n",
          to);
}

/* ---- zsh: one _arguments call per verb ---------------------------------------------------- */

static void zsh_sentence(FILE *to, const char *text)
{
    put_quoted(to, text, "[]:\\", "'\\''");
}

static void zsh_option(FILE *to, const cli_option *o)
{
    const char *repeats = o->kind == CLI_LIST ? "*" : "";
    fputs(" \\\n            ", to);
    if (o->letter && o->kind == CLI_LIST)
        fprintf(to, "'*'{-%c,--%s}'[", o->letter, o->name);
    else if (o->letter)
        fprintf(to, "'(-%c --%s)'{-%c,--%s}'[", o->letter, o->name, o->letter, o->name);
    else
        fprintf(to, "'%s--%s[", repeats, o->name);
    zsh_sentence(to, o->help);
    fputs("]", to);
    if (o->value)
        fprintf(to, ":%s:", o->value);
    if (o->kind == CLI_CHOICE) {
        fputs("(", to);
        put_choices(to, o->choices);
        fputs(")", to);
    } else if (o->kind == CLI_TEXT || o->kind == CLI_LIST) {
        fputs("_files", to);
    }
    fputs("'", to);
}

static void zsh_arguments(FILE *to, const cli_verb *verb, const char *name, int words)
{
    fprintf(to, "    '%s'%s)\n        shift %d words && ((CURRENT -= %d))\n        _arguments",
            name, words == 1 ? "*" : "", words, words);
    cli_each_option(to, verb, zsh_option);
    fputs(" \\\n            '*: :_files' ;;\n", to);
}

static void zsh_list(FILE *to, const cli_verb *const *verbs)
{
    fputs("        commands=(", to);
    for (; *verbs; verbs++) {
        fprintf(to, "\n            '%s:", (*verbs)->name);
        zsh_sentence(to, (*verbs)->summary);
        fputs("'", to);
    }
    fputs(")\n        _describe command commands", to);
}

static void zsh_groups(FILE *to)
{
    for (const cli_verb *const *v = cli_verbs; *v; v++)
        if ((*v)->verbs) {
            fprintf(to, "    3' %s '*)\n", (*v)->name);
            zsh_list(to, (*v)->verbs);
            fputs("\n        return ;;\n", to);
        }
}

static void write_zsh(FILE *to)
{
    char name[CLI_NAME_SIZE];
    fputs("#compdef fast0tag\n"
          "# Completion of fast0tag for zsh, written by fast0tag --completion zsh.\n"
          "_fast0tag() {\n"
          "    local -a commands\n"
          "    case \"$CURRENT $words[2] $words[3]\" in\n"
          "    2*)\n",
          to);
    zsh_list(to, cli_verbs);
    fputs("\n        return ;;\n", to);
    zsh_groups(to);
    fputs("    esac\n    case \"$words[2] $words[3]\" in\n", to);
    for (const cli_verb *const *v = cli_verbs; *v; v++) {
        if (!(*v)->verbs) {
            snprintf(name, sizeof name, "%s ", (*v)->name);
            zsh_arguments(to, *v, name, 1);
            continue;
        }
        for (const cli_verb *const *w = (*v)->verbs; *w; w++) {
            snprintf(name, sizeof name, "%s %s", (*v)->name, (*w)->name);
            zsh_arguments(to, *w, name, 2);
        }
    }
    fputs("    esac\n}\n_fast0tag \"$@\"\n", to);
}

/* ---- fish: one `complete` line per verb and per option ------------------------------------ */

/* The fish_condition under which the lines that follow hold. */
static char fish_condition[2 * CLI_NAME_SIZE + 128];

static void fish_sentence(FILE *to, const char *text)
{
    fputs(" -d '", to);
    put_quoted(to, text, "\\", "\\'");
    fputs("'\n", to);
}

static void fish_option(FILE *to, const cli_option *o)
{
    fprintf(to, "complete -c fast0tag -n '%s' -l %s", fish_condition, o->name);
    if (o->letter)
        fprintf(to, " -s %c", o->letter);
    if (o->kind == CLI_CHOICE) {
        fputs(" -x -a '", to);
        put_choices(to, o->choices);
        fputs("'", to);
    } else if (o->kind == CLI_TEXT || o->kind == CLI_LIST) {
        fputs(" -r -F", to);
    } else if (o->kind != CLI_FLAG) {
        fputs(" -x", to);
    }
    fish_sentence(to, o->help);
}

static void fish_names(FILE *to, const cli_verb *const *verbs)
{
    for (; *verbs; verbs++) {
        fprintf(to, "complete -c fast0tag -f -n '%s' -a %s", fish_condition, (*verbs)->name);
        fish_sentence(to, (*verbs)->summary);
    }
}

static void fish_group(FILE *to, const cli_verb *group)
{
    snprintf(fish_condition, sizeof fish_condition, "__fast0tag_at %s", group->name);
    fish_names(to, group->verbs);
    for (const cli_verb *const *v = group->verbs; *v; v++) {
        snprintf(fish_condition, sizeof fish_condition, "__fast0tag_in %s %s", group->name,
                 (*v)->name);
        cli_each_option(to, *v, fish_option);
    }
}

static void write_fish(FILE *to)
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
    snprintf(fish_condition, sizeof fish_condition, "__fast0tag_at");
    fish_names(to, cli_verbs);
    for (const cli_verb *const *v = cli_verbs; *v; v++) {
        if ((*v)->verbs) {
            fish_group(to, *v);
            continue;
        }
        snprintf(fish_condition, sizeof fish_condition, "__fast0tag_in %s", (*v)->name);
        cli_each_option(to, *v, fish_option);
    }
}

/* ---- Which shell -------------------------------------------------------------------------- */

int cli_write_completion(const char *shell)
{
    static const struct {
        const char *shell;
        void (*write)(FILE *to);
    } shells[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (!strcmp(shells[i].shell, shell)) {
            shells[i].write(stdout);
            return CLI_DONE;
        }
    fprintf(stderr, "fast0tag: --completion is for bash, zsh or fish, not '%s'\n", shell);
    return CLI_USAGE;
}
