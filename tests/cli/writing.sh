#!/usr/bin/env bash
# How sidecars and pictures are written: nothing is lost that others have, and nothing is written elsewhere.
. "$(dirname "$0")/lib.sh"
export LC_ALL=C.UTF-8
root=$(cd "$(dirname "$0")/../.." && pwd)

# A model, and new/ with pictures that it can tag.
make_model() {
    local i names=(red green blue yellow)
    mkdir new
    if [ ! -e "$scratch/.model" ]; then
        for i in $(seq 0 47); do
            colour="hsl($((i % 4 * 90 + i / 4)),90%,50%)" draw "art/p$i.svg" "${names[i % 4]}"
        done
        printf 'red 1 0 0 0\ngreen 0 1 0 0\nblue 0 0 1 0\nyellow 0 0 0 1\n' >vectors.txt
        run 0 train art --vectors vectors.txt -o "$scratch/.model" --method linear --lambda 1 --ridge 0.1
    fi
    cp "$scratch/.model" art.f0t
}

has_tag() {
    grep -qE '<rdf:li>(red|green|blue|yellow)</rdf:li>' "$1" || complain "$1 has no tag"
}

# meddle COMMAND: what runs when a file was read and its tags are merged, before it is written.
meddle() {
    printf '#!/bin/sh\n[ -e meddled ] || { touch meddled; %s; }\nexec "%s" "$@"\n' "$1" \
        "${F0T_PICTURE:-$(dirname "$FAST0TAG")/fast0tag-picture}" >meddler
    chmod +x meddler
    rm -f meddled
}

# What another program writes while tags are merged is there afterwards, and so are the tags.
case_what_others_write_meanwhile_stays() {
    make_model
    colour='hsl(93,90%,50%)' draw new/leaf.svg
    cp "$root/tests/pictures/quarters.jpg" new/photo.jpg
    run 0 features new -o data
    meddle 'echo "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"><rdf:Description rdf:about=\"\" xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\" xmp:Rating=\"4\"/></rdf:RDF></x:xmpmeta>" >new/leaf.svg.xmp'
    F0T_PICTURE=$PWD/meddler run 0 tag art.f0t data -k 1 --xmp
    [ -e meddled ] || complain "nothing was done meanwhile"
    grep -q 'xmp:Rating' new/leaf.svg.xmp || complain "the rating is lost: $(cat new/leaf.svg.xmp)"
    has_tag new/leaf.svg.xmp
    run 0 tag art.f0t data -k 1 --xmp
    meddle 'sed -i s/4/5/ new/leaf.svg.xmp'
    F0T_PICTURE=$PWD/meddler run 0 tag art.f0t data -k 2 --xmp
    grep -qE 'xmp:Rating(="|>)5' new/leaf.svg.xmp || complain "the new rating is lost: $(cat new/leaf.svg.xmp)"
    rm new/leaf.svg*
    run 0 features new -o data -f
    meddle 'printf meanwhile >>new/photo.jpg'
    F0T_PICTURE=$PWD/meddler run 0 tag art.f0t data -k 1 --embed
    [ "$(tail -c 9 new/photo.jpg)" = meanwhile ] || complain "what was appended is lost"
    has_tag new/photo.jpg
    [ "$(find new -type f | wc -l)" = 2 ] || complain "left behind: $(ls -A new)"
}

# Owner, mode, attributes and time of a picture stay; its time changes where that is asked for.
case_files_stay_what_they_were() {
    make_model
    cp "$root/tests/pictures/quarters.jpg" new/photo.jpg
    echo "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/></x:xmpmeta>" >new/photo.jpg.xmp
    local file of='%a %u %g' attributes=
    for file in new/photo.jpg new/photo.jpg.xmp; do
        chmod 640 "$file"
        [ "$(id -u)" != 0 ] || chown 12345:54321 "$file"
        /usr/bin/python3 -c 'import os, sys; os.setxattr(sys.argv[1], "user.note", b"kept")' "$file" 2>/dev/null &&
            attributes=yes
        touch -d '2001-02-03 04:05:06.789' "$file"
    done
    stat -c "$of" new/* >before
    stat -c '%y' new/photo.jpg >time
    run 0 tag art.f0t new -k 1 --embed
    run 0 tag art.f0t new -k 1 --xmp
    stat -c "$of" new/* | cmp -s - before || complain "owner or mode: $(stat -c "$of" new/*)"
    stat -c '%y' new/photo.jpg | cmp -s - time || complain "time: $(stat -c '%y' new/photo.jpg)"
    [ "$(stat -c '%Y' new/photo.jpg.xmp)" -gt 1000000000 ] || complain "a sidecar's time shows that it changed"
    for file in new/photo.jpg new/photo.jpg.xmp; do
        has_tag "$file"
        [ -z "$attributes" ] ||
            /usr/bin/python3 -c 'import os, sys; os.getxattr(sys.argv[1], "user.note")' "$file" 2>/dev/null ||
            complain "$file: the attribute is lost"
    done
    run 0 tag art.f0t new -k 2 --embed --touch
    stat -c '%y' new/photo.jpg | cmp -s - time && complain "--touch does not"
    refuse 2 "--touch needs --embed" tag art.f0t new --xmp --touch
    [ -n "$attributes" ] || skip "extended attributes cannot be set here"
}

# A picture under two names is not parted.
case_hard_links_are_not_parted() {
    make_model
    cp "$root/tests/pictures/quarters.jpg" new/photo.jpg
    ln new/photo.jpg other
    run 1 tag art.f0t new -k 1 --embed
    warns "new/photo.jpg: is one file under 2 names (hard links)"
    [ new/photo.jpg -ef other ] || complain "they are two files now"
    cmp -s other "$root/tests/pictures/quarters.jpg" || complain "it has changed"
    run 0 tag art.f0t new -k 1 --xmp
    ln new/photo.jpg.xmp other.xmp
    run 1 tag art.f0t new -k 2 --xmp
    warns "photo.jpg.xmp: is one file under 2 names"
}

# Nothing is written through a link below a folder that was named.
case_links_in_a_folder_are_not_followed() {
    make_model
    mkdir outside
    cp "$root/tests/pictures/quarters.jpg" outside/photo.jpg
    cp outside/photo.jpg outside/before.jpg
    ln -s ../outside/photo.jpg new/link.jpg
    run 1 tag art.f0t new -k 1 --embed
    warns "new/link.jpg: is a link, and links are not followed when writing"
    warns "1 picture could not be written"
    cmp -s outside/photo.jpg outside/before.jpg || complain "a picture outside the folder was written"
    ln -s ../outside/sidecar.xmp new/link.jpg.xmp
    run 1 tag art.f0t new -k 1 --xmp
    warns "new/link.jpg.xmp: is a link"
    run 1 tag art.f0t new -k 1 --xmp --json
    json_holds 'any(image["image"].endswith("link.jpg") for image in d)'
    [ ! -e outside/sidecar.xmp ] || complain "a sidecar outside the folder was made"
    echo mine >outside/sidecar.xmp
    run 1 tag art.f0t new -k 1 --xmp
    [ "$(cat outside/sidecar.xmp)" = mine ] || complain "a file outside the folder was replaced"
    rm new/link.jpg.xmp
    run 0 tag art.f0t new -k 1 --xmp
    has_tag new/link.jpg.xmp
    rm outside/sidecar.xmp
    run 0 tag art.f0t new/link.jpg -k 1 --embed
    has_tag outside/photo.jpg
    [ -L new/link.jpg ] || complain "the link was replaced"
    [ "$(ls outside)" = "$(printf 'before.jpg\nphoto.jpg')" ] || complain "$(ls outside)"
}

# A folder that becomes a link after it was searched is not followed either.
case_a_folder_that_becomes_a_link_is_not_followed() {
    make_model
    mkdir outside new/sub
    cp "$root/tests/pictures/quarters.jpg" new/sub/photo.jpg
    cp "$root/tests/pictures/quarters.jpg" outside/photo.jpg
    meddle 'mv new/sub moved; ln -s ../outside new/sub'
    F0T_PICTURE=$PWD/meddler run 1 tag art.f0t new -k 1 --embed
    warns "'sub' is a link or no folder any more"
    rm new/sub meddled
    mv moved new/sub
    F0T_PICTURE=$PWD/meddler run 1 tag art.f0t new -k 1 --xmp
    [ "$(ls outside)" = photo.jpg ] || complain "$(ls outside)"
    cmp -s outside/photo.jpg "$root/tests/pictures/quarters.jpg" || complain "a picture outside was written"
}

case_names_of_any_length_are_written() {
    make_model
    local name
    name=$(printf 'n%.0s' $(seq 247))
    cp "$root/tests/pictures/quarters.jpg" "new/$name.jpg"
    run 0 tag art.f0t new -k 1 --xmp
    has_tag "new/$name.jpg.xmp"
    mv "new/$name.jpg" "new/$name.jpgjpeg"
    mv "new/$name.jpgjpeg" "new/${name}nnn.jpg"
    run 0 tag art.f0t "new/${name}nnn.jpg" -k 1 --embed
    has_tag "new/${name}nnn.jpg"
    run 1 tag art.f0t "new/${name}nnn.jpg" -k 1 --xmp
    warns "File name too long"
}

# Several runs over one folder, some of them killed: sidecars are whole, and nothing hinders the next run.
case_runs_at_once_and_killed_leave_whole_files() {
    make_model
    local i
    for i in $(seq 1 12); do colour="hsl($((i * 30)),90%,50%)" draw "new/$i.svg"; done
    for i in 1 2 3; do
        "$FAST0TAG" tag art.f0t new -k $i --xmp --force >/dev/null 2>said$i &
    done
    wait
    for i in 1 2 3; do [ ! -s said$i ] || grep -q written said$i || complain "run $i: $(cat said$i)"; done
    for i in 0.1 0.15 0.2 0.25 0.3; do
        timeout -s KILL $i "$FAST0TAG" tag art.f0t new -k 4 --xmp --force >/dev/null 2>&1
    done
    run 0 tag art.f0t new -k 2 --xmp
    run 0 tag art.f0t new -k 2 --xmp
    warns "0 sidecars written, 12 as they were"
    for i in $(seq 1 12); do
        [ "$(sed -n '/<dc:subject>/,/<.dc:subject>/p' "new/$i.svg.xmp" | grep -c '<rdf:li>')" = 2 ] ||
            complain "$i: $(cat "new/$i.svg.xmp")"
    done
}

# Two pictures that would share NAME.xmp are left out, whether or not both are tagged.
case_two_pictures_do_not_share_a_sidecar() {
    make_model
    colour='hsl(93,90%,50%)' draw new/a.svg
    colour='hsl(3,90%,50%)' draw new/b.svg
    cp "$root/tests/pictures/quarters.jpg" new/a.jpg
    run 1 tag art.f0t new -k 1 --xmp --plain-name
    warns "new/a.jpg: a.svg, which stands beside it, would have the same sidecar, new/a.xmp"
    warns "new/a.svg: a.jpg, which stands beside it, would have the same sidecar, new/a.xmp"
    warns "2 sidecars could not be written"
    [ ! -e new/a.xmp ] || complain "a.xmp was written"
    has_tag new/b.xmp
    run 1 tag art.f0t new/a.jpg -k 1 --xmp --plain-name
    touch new/b.CR2
    run 1 tag art.f0t new/b.svg -k 1 --xmp --plain-name
    warns "b.CR2"
    run 0 tag art.f0t new -k 1 --xmp
    has_tag new/a.jpg.xmp
    has_tag new/a.svg.xmp
}

# Files that we write on the way and remove: a foreign one of that name stays as it is.
case_foreign_files_beside_an_output_stay() {
    make_model
    make_collection
    local name
    colour=red draw new/a.svg red
    for name in data.part m.f0t.checkpoint m.f0t.checkpoint.lock m.f0t.trials results.jsonl.lock; do
        echo precious >$name
    done
    refuse 1 "data.part: is no record of features" features new -o data
    refuse 1 "m.f0t.checkpoint.lock: is no lock" train photos --vectors vectors.txt -o m.f0t --method linear
    rm m.f0t.checkpoint.lock
    refuse 3 "m.f0t.checkpoint: is no checkpoint" train photos --vectors vectors.txt -o m.f0t --method linear
    refuse 3 "m.f0t.trials: is no journal" train photos --vectors vectors.txt -o m.f0t --method linear --tune 1
    refuse 1 "results.jsonl.lock: is no lock" eval photos --vectors vectors.txt --methods random --results results.jsonl
    for name in data.part m.f0t.checkpoint m.f0t.trials results.jsonl.lock; do
        [ "$(cat $name)" = precious ] || complain "$name has changed"
    done
    : >data.part
    refuse 1 "data.part: is no record" features new -o data
}

# Two runs to one output at once: one of them is refused, and the other is as if it were alone.
case_two_runs_to_one_output_do_not_mix() {
    make_model
    local i codes=
    for i in $(seq 1 40); do colour="hsl($((i * 9)),90%,50%)" draw "new/$i.svg" red; done
    run 0 features new -o alone
    printf '#!/bin/sh\nsleep 1\nexec "%s" "$@"\n' "${F0T_PICTURE:-$(dirname "$FAST0TAG")/fast0tag-picture}" >slow
    chmod +x slow
    F0T_PICTURE=$PWD/slow "$FAST0TAG" features new -o data >/dev/null 2>said1 &
    F0T_PICTURE=$PWD/slow "$FAST0TAG" features new -o data >/dev/null 2>said2 &
    for i in $(jobs -p); do
        wait "$i"
        codes="$codes $?"
    done
    case $codes in
    " 0 1" | " 1 0") ;;
    *) complain "exit codes $codes: $(cat said1 said2)" ;;
    esac
    grep -q 'data.part: another process works with it' said1 said2 || complain "$(cat said1 said2)"
    cmp -s alone/features.npy data/features.npy || complain "features differ"
    [ ! -e data.part ] || complain "the part is left"
}

run_cases
