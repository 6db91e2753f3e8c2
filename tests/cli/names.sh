#!/usr/bin/env bash
# Names of pictures that hold line ends, escape sequences or bytes that are not UTF-8: every format has
# one line per picture, a terminal is sent nothing that it would obey, and no picture is lost.
. "$(dirname "$0")/lib.sh"

make_pictures() {
    local i names=(red green blue yellow)
    for i in $(seq 0 23); do
        colour="hsl($((i % 4 * 90 + i / 4)),90%,50%)" draw "art/p$i.svg" "${names[i % 4]}"
    done
    printf 'red 1 0 0 0\ngreen 0 1 0 0\nblue 0 0 1 0\nyellow 0 0 0 1\n' >vectors.txt
    mkdir new
    cp art/p0.svg new/$'a\nb.svg'
    cp art/p1.svg new/$'e\033]0;x\007.svg'
    cp art/p2.svg new/$'l\377.svg'
    cp art/p3.svg new/ok.svg
    : >new/$'empty\033[2J.svg'
}

# No control character but line ends and tabs, and nothing that is not UTF-8, in what was printed last.
is_clean() {
    ! LC_ALL=C grep -q $'[\001-\010\013-\037\177]' "$out" "$err" || complain "control characters are left"
    iconv -f utf-8 -t utf-8 "$out" >"$scratch/.none" || complain "not UTF-8"
}

case_odd_names_are_one_line_and_harmless() {
    make_pictures
    run 0 train art --vectors vectors.txt -o art.f0t --method linear --lambda 1 --ridge 0.1
    local format
    for format in text tsv csv; do
        run 0 tag art.f0t new -k 1 --format $format
        says 'new/a\nb.svg'
        says 'new/e\x1b]0;x\x07.svg'
        says 'new/l\xff.svg'
        warns 'new/empty?[2J.svg'
        is_clean
        [ "$(grep -c '^new/' "$out")" = 4 ] || complain "$format: $(cat "$out")"
    done
    run 0 tag art.f0t new -k 1 --json
    json_holds 'len(d) == 4 and d[0]["image"] == "new/a\nb.svg" and d[2]["image"] == "new/l\\xff.svg"'
    run 0 inspect new/$'e\033]0;x\007.svg'
    is_clean
    run 3 inspect new/$'none\033[2J'
    is_clean
}

case_a_dataset_leaves_out_what_its_lists_cannot_name() {
    make_pictures
    run 0 features new -o data
    says "4 pictures cannot be read and are left out"
    warns "in its name, which a list of images cannot hold: rename it"
    is_clean
    [ "$(wc -l <data/images.txt)" = 1 ] || complain "$(cat data/images.txt)"
    refuse 3 "in its name" features new -o strict --strict
    [ ! -e strict ] || complain "a dataset was left behind"
}

run_cases
