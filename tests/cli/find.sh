#!/usr/bin/env bash
# Finding pictures of a catalogue: learned words, new ones, tags, dates, likeness; what is said where nothing is certain.
. "$(dirname "$0")/lib.sh"
export LC_ALL=C.UTF-8 XDG_DATA_HOME=$scratch/.data

# Once for all cases: pictures in four colours, of which half have their colour as keyword, a model of these, and
# c.f0t. "crimson" is a new word, nearly red; "noise" is near nothing.
make_catalogue() {
    local i names=(red green blue yellow)
    if [ ! -d "$scratch/made" ]; then
        mkdir "$scratch/made" && cd "$scratch/made" || exit 1
        for i in $(seq 0 23); do
            colour="hsl($((i % 4 * 90 + i / 4)),90%,50%)" draw "art/p$i.svg" "${names[i % 4]}"
        done
        printf '%s\n' 'red 1 0 0 0 0' 'green 0 1 0 0 0' 'blue 0 0 1 0 0' 'yellow 0 0 0 1 0' \
            'crimson .9 .1 0 0 0' 'noise 0 0 0 0 1' >vectors.txt
        run 0 train art --vectors vectors.txt -o art.f0t --without direction,tags
        for i in $(seq 0 3); do colour="hsl($((i % 4 * 90 + 8)),90%,50%)" draw "new/n$i.svg"; done
        run 0 index art new -c c.f0t --model art.f0t
        cd - >/dev/null || exit 1
    fi
    cp -r "$scratch/made/." .
}

case_learned_words_and_tags() {
    make_catalogue
    run 0 find red -c c.f0t
    says "tagged"
    warns "red: learned, from"
    warns "6 tagged"
    [ "$(grep -c tagged "$out")" = 6 ] || complain "six pictures have the tag: $(cat "$out")"
    run 0 find red -c c.f0t --json
    json_holds 'd["query"] == "red" and d["words"][0]["kind"] == "learned" and d["words"][0]["tagged"] == 6'
    json_holds 'all(p["tagged"] and p["confidence"] == 1 for p in d["pictures"][:6])'
    json_holds '[p["path"].rsplit("/")[-1] for p in d["pictures"] if not p["tagged"]] == ["n0.svg"]'
    run 0 find tag:RED -c c.f0t -k 4 --json
    json_holds 'len(d["pictures"]) == 4 and d["more"] and not d["words"]'
    run 0 find red -tag:red -c c.f0t --json
    json_holds 'len(d["pictures"]) == 1'
    run 0 find is:untagged -c c.f0t --json
    json_holds 'len(d["pictures"]) == 4'
    run 0 find red green -c c.f0t
    [ ! -s "$out" ] || complain "no picture is red and green: $(cat "$out")"
    warns "nothing certain: red: learned"
}

case_words_that_no_picture_shows_are_left_out() {
    make_catalogue
    run 0 find red with the tag:red -c c.f0t
    warns "red: learned, from"
    warns "with: left out; the: left out"
    run 0 find red with -c c.f0t --json
    json_holds '[w["kind"] for w in d["words"]] == ["learned", "left out"] and d["query"] == "red with"'
    json_holds 'd["pictures"][0]["words"] == [1, None] and d["words"][1]["cut"] is None'
    refuse 3 "'with' is neither a tag nor learned" find red '"with"' -c c.f0t
    refuse 3 "'with' is neither a tag nor learned" find with -c c.f0t
}

# The columns line up, and the minus of a word is not taken for an option.
case_the_table() {
    make_catalogue
    run 0 find -blue -red -green -c c.f0t -k 3
    [ "$(awk '{print NF}' "$out" | sort -u | wc -l)" -le 2 ] || complain "columns: $(cat "$out")"
    run 0 find yellow -c c.f0t -k 3
    [ "$(wc -l <"$out")" = 4 ] || complain "a head and three pictures: $(cat "$out")"
    [ "$(grep -o -b '/.*art/p' "$out" | cut -d: -f1 | wc -l)" = 3 ] || complain "$(cat "$out")"
    warns "there are more, -k shows them"
    run 0 find yellow -c c.f0t -q
    [ ! -s "$err" ] || complain "-q says $(cat "$err")"
}

case_vectors_that_cannot_be_remembered_are_told() {
    local shim=$BUILD/tests/faults.so
    [ -e "$shim" ] || { skip "no faults.so: it cannot be loaded before a sanitizer" && return; }
    make_catalogue
    LD_PRELOAD=$shim F0T_FAULT=sync:1+:EIO run 0 find crimson -c c.f0t --vectors vectors.txt --nearest -k 1
    warns "vectors.txt is not remembered for the next search: "
    says "art/"
    refuse 3 "find --vectors FILE" find crimson -c c.f0t
}

# without_rights PROGRAM ARGUMENTS…: not even root writes where the mode forbids it.
without_rights() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --inh-caps=-all --bounding-set=-all "$@"
    else
        "$@"
    fi
}

case_a_catalogue_that_cannot_be_written_is_read() {
    without_rights true || { skip "setpriv cannot take root's rights" && return; }
    make_catalogue
    mkdir 'frozen %41?#'
    cp c.f0t 'frozen %41?#/c.f0t'
    chmod 444 'frozen %41?#/c.f0t' && chmod 555 'frozen %41?#'
    local program=$FAST0TAG FAST0TAG=$scratch/unprivileged
    # shellcheck disable=SC2016
    printf '#!/bin/bash\n%s\nwithout_rights %q "$@"\n' "$(declare -f without_rights)" "$program" >"$FAST0TAG"
    chmod +x "$FAST0TAG"
    run 0 find red -c 'frozen %41?#/c.f0t'
    [ "$(grep -c tagged "$out")" = 6 ] || complain "six pictures have the tag: $(cat "$out")"
    run 0 review --json -c 'frozen %41?#/c.f0t' -k 1
    json_holds 'len(d) == 4'
    run 0 write --dry-run -c 'frozen %41?#/c.f0t'
    refuse 1 "may not be written" reject art/p0.svg red -c 'frozen %41?#/c.f0t'
    [ "$(ls 'frozen %41?#')" = c.f0t ] || complain "there is more: $(ls 'frozen %41?#')"
    # Changes that are still in the log: with its index they are read, without it they are not ignored.
    chmod 755 'frozen %41?#'
    /usr/bin/python3 -c 'import sqlite3, os, shutil, sys
d = sqlite3.connect("c.f0t")
d.execute("DELETE FROM keywords WHERE picture = 1")
d.commit()
for end in "", "-wal", "-shm":
    shutil.copy("c.f0t" + end, sys.argv[1] + "/w.f0t" + end)' 'frozen %41?#'
    chmod 555 'frozen %41?#'
    run 0 find tag:red -c 'frozen %41?#/w.f0t' --json
    json_holds 'len(d["pictures"]) == 5'
    rm -f 'frozen %41?#/w.f0t-shm'
    refuse 1 "w.f0t-wal, which can only be read in a folder that can be written" find red -c 'frozen %41?#/w.f0t'
    chmod 755 'frozen %41?#'
}

case_new_words() {
    make_catalogue
    refuse 3 "find --vectors FILE" find crimson -c c.f0t
    run 0 find crimson -c c.f0t --vectors vectors.txt --nearest -k 7 --json
    json_holds 'd["words"][0]["kind"] == "new" and len(d["pictures"]) == 7'
    json_holds 'sum(p["path"].rsplit("/")[-1] in ["p%d.svg" % i for i in range(0, 24, 4)] + ["n0.svg"] for p in d["pictures"]) >= 6'
    run 0 find noise -c c.f0t # the vectors are remembered
    warns "noise: new, from"
    refuse 3 "has no vector; did you mean 'crimson'?" find crimsom -c c.f0t
    compgen -G '/usr/share/dictd/freedict-*-eng.index' >/dev/null || # which would tell the language
        refuse 3 "has no vector; if it is of another language, install its dictionary" find Hund -c c.f0t
    printf 'red 0 1\ncrimson 1 0\n' >other.txt
    refuse 3 "dimensions" find crimson -c c.f0t --vectors other.txt
}

case_likeness() {
    make_catalogue
    run 0 find --like new/n2.svg -c c.f0t -k 5 --json
    json_holds 'all(int(p["path"].rsplit("/")[-1][1:-4]) % 4 == 2 for p in d["pictures"])'
    json_holds 'd["pictures"][0]["similarity"] > 0.9 and d["query"] == ""'
    colour="hsl(185,90%,50%)" draw elsewhere.svg
    run 0 find --like elsewhere.svg -c c.f0t -k 5 --json
    json_holds 'all(int(p["path"].rsplit("/")[-1][1:-4]) % 4 == 2 for p in d["pictures"])'
    run 0 find green --like new/n2.svg -c c.f0t -k 5 --json
    json_holds 'all(int(p["path"].rsplit("/")[-1][1:-4]) % 4 == 1 for p in d["pictures"])'
    refuse 3 "nowhere.jpg" find --like nowhere.jpg -c c.f0t
}

case_a_contact_sheet() {
    make_catalogue
    run 0 find blue -c c.f0t --html sheet.html
    [ "$(grep -c '<img alt="p[0-9]*.svg" src="data:image/jpeg;base64,' sheet.html)" = 6 ] || complain "six tagged pictures"
    grep -q "Content-Security-Policy" sheet.html || complain "no policy"
    fits_screens sheet.html
    cp new/n1.svg keep.svg
    refuse 2 "is not replaced" find blue -c c.f0t --html new/n1.svg
    cmp new/n1.svg keep.svg || complain "a picture was replaced"
    refuse 3 "missing/sheet.html" find blue -c c.f0t --html missing/sheet.html
    run 0 find red green -c c.f0t --html sheet.html
    grep -q "Nothing certain was found" sheet.html || complain "an empty page says nothing"
}

case_mistakes() {
    make_catalogue
    refuse 2 "missing operand: WORD" find -c c.f0t
    refuse 2 "character 1 ('\"red car'): the closing quote is missing" find '"red car' -c c.f0t
    refuse 2 "a date is expected" find before:yesterday -c c.f0t
    refuse 2 "there are tag:, before:" find folder:x -c c.f0t
    refuse 3 "there is no catalogue" find red -c none.f0t
    refuse 2 "exclude each other" find red -c c.f0t --nearest --confidence 0.5
    refuse 2 "is not between 0 and 1" find red -c c.f0t --confidence 1.5
    refuse 3 "is not a catalogue" find red -c vectors.txt
    refuse 3 "'x'; --' is neither a tag nor learned" find "x'; --" -c c.f0t
}

case_another_model_under_the_same_name() {
    make_catalogue
    mv art.f0t moved.f0t
    run 0 index new -c c.f0t --model moved.f0t # the same, elsewhere
    mv moved.f0t art.f0t
    run 0 index new -c c.f0t --model art.f0t
    run 0 find red -c c.f0t
    run 0 train art --vectors vectors.txt -o art.f0t --without direction,tags,votes
    refuse 3 "fast0tag index brings the catalogue up to date" find red -c c.f0t
    run 0 index art -c c.f0t
    run 0 find red -c c.f0t
    rm art.f0t
    refuse 3 "art.f0t" find red -c c.f0t
    run 0 find tag:red -c c.f0t # needs no model
}

# The file beside the catalogue is derived: damaged, out of date or in a folder that cannot be written, it does not matter.
case_the_directions_beside_it() {
    make_catalogue
    run 0 find crimson -c c.f0t --vectors vectors.txt --nearest --json
    cp "$out" before.json
    [ "$(stat -c %a c.f0t.directions)" = 600 ] || complain "others may read the directions"
    head -c 300 c.f0t.directions >cut && cp cut c.f0t.directions
    run 0 find crimson -c c.f0t --nearest --json
    cmp "$out" before.json || complain "a damaged file changes what is found"
    rm c.f0t.directions
    mkdir c.f0t.directions # cannot be replaced
    run 0 find crimson -c c.f0t --nearest --json
    cmp "$out" before.json || complain "without the file other pictures are found"
    rmdir c.f0t.directions
    echo "notes of mine" >c.f0t.directions
    run 0 find crimson -c c.f0t --nearest --json
    cmp "$out" before.json || complain "beside a foreign file other pictures are found"
    grep -q "notes of mine" c.f0t.directions || complain "a foreign file was replaced"
    rm c.f0t.directions
    colour="hsl(8,90%,50%)" draw new/again.svg
    run 0 index new -c c.f0t
    run 0 find crimson -c c.f0t --nearest -k 50 --json
    json_holds '"again" in str(d)'
}

run_cases
