#!/usr/bin/env bash
# The manual pages and completions that the program wrote when it was built (BUILD/docs).
. "$(dirname "$0")/../cli/lib.sh"
docs=$BUILD/docs

# The commands of the program (or of the group of commands $1), as its help lists them.
commands() {
    "$FAST0TAG" "$@" -h | sed -n '/^Usage:/,$s/^  \([a-z][a-z0-9-]*\) .*/\1/p'
}

is_group() {
    "$FAST0TAG" "$1" -h | grep -q "^Usage: fast0tag $1 COMMAND"
}

# Every command that does something, one a line: "vectors convert".
all_commands() {
    local verb sub
    for verb in $(commands); do
        if is_group "$verb"; then
            for sub in $(commands "$verb"); do echo "$verb $sub"; done
        else
            echo "$verb"
        fi
    done
}

# The long options that a command's help lists.
options() {
    # shellcheck disable=SC2086
    "$FAST0TAG" $1 -h | grep -oE '^ +(-[a-zA-Z], )?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+'
}

case_every_command_has_a_page() {
    local verb
    [ -s "$docs/man/fast0tag.1" ] || complain "there is no fast0tag.1"
    for verb in $(commands); do
        [ -s "$docs/man/fast0tag-$verb.1" ] || complain "there is no fast0tag-$verb.1"
        grep -qF "fast0tag\\-$verb\\fR(1)" "$docs/man/fast0tag.1" ||
            complain "fast0tag.1 does not name fast0tag-$verb"
    done
}

case_the_pages_are_well_formed() {
    local page
    for page in "$docs"/man/*.1; do
        man --warnings -E UTF-8 -l -Tutf8 -Z "$page" >"$out" 2>"$err" || complain "$page: man failed"
        [ ! -s "$err" ] || complain "$(basename "$page"): $(head -n 5 "$err")"
    done
}

case_every_option_of_the_help_is_in_the_page() {
    local command option
    while read -r command; do
        man -E UTF-8 -l "$docs/man/fast0tag-${command%% *}.1" 2>/dev/null | col -b >page.txt
        for option in $(options "$command"); do
            grep -qE -- "^ +(-[a-zA-Z], )?$option( |\$)" page.txt ||
                complain "$option of '$command' is not in its page"
        done
    done < <(all_commands)
}

case_the_examples_use_options_that_exist() {
    local command line option
    while read -r command; do
        # shellcheck disable=SC2086
        "$FAST0TAG" $command -h | sed -n '/^Examples:/,$s/^  \(fast0tag .*\)/\1/p' >examples.txt
        while read -r line; do
            [ "${line#"fast0tag $command"}" != "$line" ] || complain "an example of another command: $line"
            for option in $(grep -oE -- ' --[a-z0-9-]+' <<<"$line"); do
                options "$command" | grep -qxF -- "$option" || complain "no option $option: $line"
            done
        done <examples.txt
    done < <(all_commands)
}

# complete WORDS…: what bash offers for the last word.
complete_bash() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _fast0tag
    printf '%s\n' "${COMPREPLY[@]}"
}

case_bash_completes_commands_and_options() {
    # shellcheck disable=SC1091
    . "$docs/completions/fast0tag"
    diff <(complete_bash fast0tag '' | grep -v '^-') <(commands) >"$out" || complain "$(cat "$out")"
    local command
    while read -r command; do
        # shellcheck disable=SC2086
        diff <(complete_bash fast0tag $command -- | sort) <(options "$command" | sort) >"$out" ||
            complain "options of '$command': $(cat "$out")"
    done < <(all_commands)
}

case_fish_completes_commands_and_options() {
    local command
    complete_fish() {
        fish --no-config -c "source $docs/completions/fast0tag.fish; complete -C 'fast0tag $1'" |
            cut -f 1 | sort
    }
    diff <(complete_fish '') <(commands | sort) >"$out" || complain "$(cat "$out")"
    while read -r command; do
        diff <(complete_fish "$command --") <(options "$command" | sort) >"$out" ||
            complain "options of '$command': $(cat "$out")"
    done < <(all_commands)
}

case_zsh_accepts_its_script() {
    zsh -n "$docs/completions/_fast0tag" 2>"$err" || complain "$(cat "$err")"
    local command
    while read -r command; do
        grep -qE "^    '$command ?'\*?\)" "$docs/completions/_fast0tag" ||
            complain "'$command' is not in it"
    done < <(all_commands)
}

case_wrong_uses_are_refused() {
    refuse 2 "bash, zsh or fish" --completion tcsh
    refuse 1 "/nowhere/fast0tag.1" --manual-pages /nowhere
}

run_cases
