#!/usr/bin/env bash
# The console blocks of the documents, run as they stand: "$ " begins a command, "> " goes on with it,
# the rest is what it must print; a line "…" stands for any number of lines.
. "$(dirname "$0")/lib.sh"
export LC_ALL=C.UTF-8
root=$(cd "$(dirname "$0")/../.." && pwd)
# "fast0tag" is the program under test, whatever is installed.
mkdir "$scratch/bin" && ln -s "$FAST0TAG" "$scratch/bin/fast0tag"
PATH=$scratch/bin:$PATH

# check COMMAND WANTED: both may have many lines.
check() {
    local got pattern
    got=$(bash -c "$1" 2>&1 </dev/null)
    # In a pattern of bash every character is quoted but the lines "…", which become "*".
    pattern=$(printf '\n%s\n' "$2" | sed 's/[^[:alnum:]_ ]/\\&/g' | awk '
        /^\\…$/ { printf "*"; next }
        { printf "%s%s", (NR > 1 ? "\n" : ""), $0 }
        END { printf "." }')
    # shellcheck disable=SC2053
    [[ $'\n'$got. == $pattern ]] || {
        complain "$1"
        diff <(printf '%s\n' "$2") <(printf '%s\n' "$got") >&2
    }
}

# run_document FILE: every block in turn, in one folder.
run_document() {
    local line command='' wanted='' inside=0 count=0
    flush() {
        [ -z "$command" ] || { check "$command" "${wanted%$'\n'}" && count=$((count + 1)); }
        command='' wanted=''
    }
    while IFS= read -r line; do
        case $inside$line in
        '0```console') inside=1 ;;
        '1```') flush && inside=0 ;;
        '1$ '*) flush && command=${line#'$ '} ;;
        '1> '*) command+=$'\n'${line#'> '} ;;
        1*) wanted+=$line$'\n' ;;
        esac
    done <"$1"
    [ "$count" -gt 0 ] || [ -z "${2-}" ] || complain "no console block was found in $1"
}

case_readme_shows_what_happens() {
    run_document "$root/README.md" needed
}

case_the_documents_show_what_happens() {
    local document
    for document in "$root"/docs/*.md "$root"/CONTRIBUTING.md; do
        [ ! -e "$document" ] || run_document "$document"
    done
}

case_a_wrong_output_is_seen() {
    local before=$case_failed
    printf '```console\n$ printf "a\\nb\\nc*\\n"\na\n…\nc*\n$ echo x |\n> cat\nx\n```\n' >right.md
    run_document right.md needed
    [ "$case_failed" = "$before" ] || complain "a right document was refused"
    printf '```console\n$ echo abc\nab*\n```\n' >wrong.md
    if (case_failed=0 && run_document wrong.md 2>/dev/null && exit "$case_failed"); then
        complain "a wrong document was accepted"
    fi
}

run_cases
