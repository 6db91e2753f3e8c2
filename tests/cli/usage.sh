#!/usr/bin/env bash
# Asking for help, and using the program wrongly.
. "$(dirname "$0")/lib.sh"

case_without_arguments_it_shows_the_verbs() {
    run 2
    warns "Usage: fast0tag COMMAND"
}

case_help_goes_to_stdout() {
    run 0 --help
    says "Usage: fast0tag COMMAND"
    run 0 -h
    says "Exit codes"
}

case_it_says_its_version() {
    run 0 --version
    says "fast0tag 0."
}

case_a_wrong_verb_is_named() {
    refuse 2 "there is no command 'frobnicate'" frobnicate
}

run_cases
