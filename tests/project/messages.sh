#!/usr/bin/env bash
# Error messages that some test asserts: the share of each part does not fall below that of messages.txt, which rises with it.
. "$(dirname "$0")/../cli/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

case_no_part_has_more_messages_that_no_test_knows() {
    local part share counts least
    /usr/bin/python3 "$here/messages.py" "$root" >"$out" 2>"$err" || complain "$(cat "$err")"
    while read -r part share counts; do
        least=$(sed -n "s/^$part //p" "$here/messages.txt")
        [ "${share%.*}" -ge "${least:-90}" ] || complain "$part: $share % of its messages are asserted, at least ${least:-90} % are expected" \
            "(${counts:-}; tests/project/messages.py . $part lists the others)"
    done <"$out"
    grep -q '^all ' "$out" || complain "nothing was counted: $(cat "$err")"
}

# asserts N TEXT: of the two messages of a part, N are known where its test asserts this text.
asserts() {
    printf 'int f(void)\n{\n    assert_fails(1, "%s", call());\n}\n' "$2" >tests/unit/a/test_a.c
    [ "$(/usr/bin/python3 "$here/messages.py" . | sed -n 's/^a [0-9]* //p')" = "$((2 - $1))/2" ] || complain "'$2' is not one of $1"
}

case_a_message_is_known_by_its_text_or_a_word_of_its_own() {
    mkdir -p src/a tests/unit/a
    cat >src/a/a.c <<'C'
int f(void)
{
    return f0t_fail(1, "%s: row %zu has more columns than the first", path, i) +
           f0t_fail(1, "the first row is empty"); /* f0t_fail(1, "no message at all") */
}
C
    asserts 1 "row 3 has more columns"
    asserts 1 "a.csv: row 3 has more columns than the first"
    asserts 1 "empty"
    asserts 0 "first"
    asserts 0 "row x has more columns than the last"
}

run_cases
