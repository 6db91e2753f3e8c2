#!/usr/bin/env bash
# The commands of the README, and the console blocks of the documents, run as they are; its C compiles.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../documents/lib.sh" || exit 1

case_readme_shows_what_happens() {
    make_reader
    run_sh=1 run_document "$root/README.md" needed
}

case_the_readmes_c_compiles() {
    sed -n '/^```c$/,/^```$/{/^```/!p}' "$root/README.md" >readme.c
    grep -q f0t_ readme.c || complain "README.md has no C"
    gcc -std=c11 -Wall -Wextra -Werror -I"$root/include" -fsyntax-only readme.c 2>"$err" || complain "$(cat "$err")"
}

# The first example of the header, as the body of a function.
case_the_headers_example_compiles() {
    {
        printf '#include <fast0tag.h>\n#include <stdio.h>\nvoid tag(void);\nvoid tag(void)\n{\n'
        sed -n '/^ \* .*tag a picture:$/,/^ \* Models come/{s/^ \*     //p}' "$root/include/fast0tag.h"
        printf '}\n'
    } >header.c
    grep -q f0t_tagger_run header.c || complain "fast0tag.h has no first example"
    gcc -std=c11 -Wall -Wextra -Werror -I"$root/include" -fsyntax-only header.c 2>"$err" || complain "$(cat "$err")"
}

# getting-started.md wants an installation: project/commands.sh has one.
case_the_documents_show_what_happens() {
    local document
    for document in "$root"/docs/*.md "$root"/CONTRIBUTING.md; do
        case $document in */getting-started.md) continue ;; esac
        [ ! -e "$document" ] || run_document "$document"
    done
}

# judge FILE: what run_document says of it, in a shell of its own.
judge() {
    (case_failed=0 && run_sh=1 && run_document "$1" 2>/dev/null && exit "$case_failed")
}

case_a_wrong_output_is_seen() {
    printf '```console\n$ printf "a\\nb\\nc*\\n"\na\n…\nc*\n$ echo x |\n> cat\nx\n```\n' >right.md
    judge right.md || complain "a right document was refused"
    printf '```console\n$ echo abc def\nabc …\n```\n```sh\ntrue # so\n```\n' >cut.md
    judge cut.md || complain "the rest of a line was not left open"
    printf '```console\n$ echo abc\nab*\n```\n' >wrong.md
    ! judge wrong.md || complain "a wrong document was accepted"
    printf '```console\n$ printf "abc\\nd\\n"\nab…\n```\n' >lines.md
    ! judge lines.md || complain "a line too many was accepted"
    printf '```sh\ntrue\nfalse\n```\n' >failing.md
    ! judge failing.md || complain "a command that fails was accepted"
    printf '```sh\nmake no-such-target\n```\n' >unknown.md
    ! judge unknown.md || complain "a target that is not there was accepted"
}

run_cases
