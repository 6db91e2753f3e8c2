#!/usr/bin/env bash
# A catalogue of folders: what is new, changed, moved and gone; whatever ends the program, the next run goes on.
. "$(dirname "$0")/lib.sh"
export LC_ALL=C.UTF-8 XDG_DATA_HOME=$scratch/.data
root=$(cd "$(dirname "$0")/../.." && pwd)

# N pictures in four colours, with their keyword; without a process for each.
make_pictures() {
    local i names=(red green blue yellow)
    mkdir -p art
    for ((i = 0; i < $1; i++)); do
        printf '<svg xmlns="http://www.w3.org/2000/svg" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:cc="http://creativecommons.org/ns#" xmlns:dc="http://purl.org/dc/elements/1.1/" width="8" height="8">
<metadata><rdf:RDF><cc:Work><dc:subject><rdf:Bag><rdf:li>%s</rdf:li></rdf:Bag></dc:subject></cc:Work></rdf:RDF>
</metadata><rect width="8" height="8" fill="hsl(%d,90%%,50%%)"/></svg>\n' \
            "${names[i % 4]}" $((i % 4 * 90 + i / 4)) >"art/p$i.svg"
    done
}

# query SQL: the rows of c.f0t, columns separated by blanks.
query() {
    /usr/bin/python3 -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row)' "${catalogue:-c.f0t}" "$1"
}

# holds SQL ROWS
holds() {
    local got
    got=$(query "$1" | tr '\n' ';')
    [ "$got" = "$2" ] || complain "$1: $got, expected $2"
}

case_what_changed_is_read_again() {
    make_pictures 6
    run 0 index art -c c.f0t
    says "c.f0t: 6 pictures, 6 added"
    holds "SELECT count(*), min(length(jpeg)) > 100 FROM thumbnails" "6 1;"
    holds "SELECT name, count(*) FROM keywords JOIN tags ON id = tag GROUP BY 1" "blue 1;green 2;red 2;yellow 1;"
    run 0 index art -c c.f0t
    says "6 pictures, 6 unchanged"
    sed -i s/red/rose/ art/p0.svg
    mkdir art/deep && mv art/p1.svg art/deep/q.svg
    rm art/p2.svg
    cp "$root/tests/pictures/quarters.jpg" art/p3.svg.xmp # a sidecar that is none
    echo "no picture" >art/bad.png
    run 0 index art -c c.f0t --json
    json_holds 'd["found"] == 6 and d["changed"] == 1 and d["moved"] == 1 and d["missing"] == 1'
    json_holds 'd["unchanged"] == 2 and d["unreadable"] == 1 and d["updated"] == 1 and d["added"] == 0'
    warns "art/bad.png: is not a known file format"
    holds "SELECT id, state FROM pictures WHERE path LIKE '%q.svg' OR path LIKE '%p2.svg'" "2 0;3 1;"
    holds "SELECT state, error LIKE '%known file format' FROM pictures WHERE path LIKE '%bad.png'" "2 1;"
    run 0 index art -c c.f0t
    says "5 unchanged, 1 unreadable"
    [ ! -s "$err" ] || complain "an unreadable picture was read again: $(cat "$err")"
    run 0 index art -c c.f0t --again
    warns "bad.png"
    rm art/deep/q.svg
    make_pictures 3 # p1 and p2 are back as they were, but for their times; p0 has its keyword again
    rm art/p3.svg.xmp
    run 0 index art -c c.f0t
    says "7 pictures, 1 changed, 1 moved, 1 updated, 3 unchanged, 1 unreadable"
}

# A picture that comes back as it was is not read again; a folder that is not named is left alone.
case_what_is_gone_comes_back() {
    make_pictures 4
    mkdir other && mv art/p3.svg other
    run 0 index art other -c c.f0t
    mv art away && mkdir art
    run 0 index art -c c.f0t
    says "0 pictures, 3 missing"
    holds "SELECT state, count(*) FROM pictures GROUP BY 1" "0 1;1 3;"
    rmdir art && mv away art
    run 0 index art -c c.f0t
    says "3 pictures, 3 unchanged"
    holds "SELECT state, count(*) FROM pictures GROUP BY 1" "0 4;"
    run 0 index art/p1.svg other art -c c.f0t
    says "4 pictures, 4 unchanged"
    cp art/p0.svg art/copy.svg
    run 0 index art -c c.f0t
    says "4 pictures, 1 added, 3 unchanged"
}

# What was said of each of them stays, though no one can tell them apart.
case_copies_move_together() {
    make_pictures 1
    cp art/p0.svg art/p1.svg && cp art/p0.svg art/p2.svg
    run 0 index art -c c.f0t
    mv art away
    run 0 index away -c c.f0t
    says "3 pictures, 3 moved"
    holds "SELECT id, path LIKE '%/away/p%', state FROM pictures" "1 1 0;2 1 0;3 1 0;"
}

# A picture into which tags were written is known by what it is now.
case_written_pictures_move() {
    mkdir art && cp "$root/tests/pictures/quarters.jpg" art/a.jpg && cp "$root/tests/pictures/turned.jpg" art/b.jpg
    run 0 index art -c c.f0t
    run 0 accept -c c.f0t art/a.jpg sea
    run 0 write -c c.f0t --embed
    mv art away
    run 0 index away -c c.f0t
    says "2 pictures, 2 moved"
    run 0 write -c c.f0t --undo
    says "1 file put back"
    run 0 index away -c c.f0t
    says "2 pictures, 2 unchanged"
}

case_the_default_is_in_the_users_data() {
    make_pictures 1
    run 0 index art
    says ".data/fast0tag/catalogue.f0t: 1 picture, 1 added"
    [ "$(stat -c %a "$XDG_DATA_HOME/fast0tag/catalogue.f0t")" = 600 ] || complain "others may read it"
}

case_dates_and_sizes() {
    command -v exiftool >/dev/null || { skip "there is no exiftool"; return; }
    mkdir art
    cp "$root/tests/pictures/quarters.jpg" "$root/tests/pictures/turned.jpg" art
    exiftool -q -overwrite_original -DateTimeOriginal="2012:05:01 12:34:56" art/quarters.jpg
    run 0 index art -c c.f0t
    holds "SELECT datetime(taken, 'unixepoch'), width, height FROM pictures WHERE path LIKE '%quarters.jpg'" \
        "2012-05-01 12:34:56 48 32;"
    holds "SELECT taken < -9e18, width, height FROM pictures WHERE path LIKE '%turned.jpg'" "1 48 32;"
}

case_a_model_suggests() {
    make_pictures 24
    printf 'red 1 0 0 0\ngreen 0 1 0 0\nblue 0 0 1 0\nyellow 0 0 0 1\n' >vectors.txt
    run 0 train art --vectors vectors.txt -o art.f0t --without direction,tags
    run 0 index art/p1.svg art/p2.svg -c c.f0t
    holds "SELECT count(*) FROM suggestions" "0;"
    run 0 index art/p1.svg art/p2.svg art/p3.svg -c c.f0t --model art.f0t
    says "1 added, 2 updated"
    holds "SELECT (SELECT name FROM suggestions s JOIN tags ON id = tag WHERE s.picture = d.picture
           ORDER BY confidence DESC LIMIT 1), length(data) FROM directions d" "green 8;blue 8;yellow 8;"
    cp c.f0t first.f0t
    run 0 index art -c c.f0t
    says "21 added, 3 unchanged"
    run 0 train art --vectors vectors.txt -o linear.f0t --method linear --lambda 1 --ridge 0.1
    run 0 index art -c c.f0t --model linear.f0t
    warns "does not say how sure it is"
    says "24 updated"
    rm linear.f0t
    refuse 3 "is not there; name one with --model" index art -c c.f0t
}

case_corrections_are_learned() {
    local i
    make_pictures 24
    for i in 0 1 2 3 4 5; do colour="hsl(300,$((50 + i))%,40%)" draw "art/v$i.svg"; done
    printf 'red 1 0 0 0\ngreen 0 1 0 0\nblue 0 0 1 0\nyellow 0 0 0 1\n' >vectors.txt
    run 0 index art -c c.f0t
    refuse 3 "no model to refit" train -c c.f0t --refit
    run 0 train -c c.f0t --vectors vectors.txt -o art.f0t --without direction,tags
    says "art.f0t: blend"
    holds "SELECT count(DISTINCT picture) FROM directions" "30;"
    run 0 accept --from <(for i in 0 1 2 3 4; do printf 'art/v%d.svg\tviolet\n' $i; done) -c c.f0t
    run 0 reject art/v0.svg red -c c.f0t
    run 0 train -c c.f0t --refit --json
    json_holds 'd["pictures"] == 29 and d["tags"] == 5'
    holds "SELECT name FROM suggestions JOIN tags ON id = tag WHERE picture = (SELECT id FROM pictures
           WHERE path LIKE '%v5.svg') ORDER BY confidence DESC LIMIT 1" "violet;"
    cp art.f0t refitted.f0t
    run 0 train -c c.f0t --undo
    says "art.f0t: the model before is back, and suggests tags for 30 pictures; --undo again takes this back"
    cmp -s art.f0t.before refitted.f0t || complain "what was taken back is lost"
    holds "SELECT count(*) FROM suggestions JOIN tags ON id = tag WHERE name = 'violet'" "0;"
    run 0 train -c c.f0t --undo --json
    json_holds 'd["suggested"] == 30 and d["model"].endswith("art.f0t")'
    cmp -s art.f0t refitted.f0t || complain "the newer model did not come back"
    run 0 train -c c.f0t --refit -o other.f0t # a file of its own: the old one stays
    run 0 train -c c.f0t --undo
    says "art.f0t: the model before is back"
    cmp -s art.f0t refitted.f0t || complain "the model before has changed"
    refuse 2 "--refit and --undo exclude each other" train -c c.f0t --refit --undo
    refuse 2 "--undo learns from the catalogue" train art --undo
    run 0 index art -c fresh.f0t
    refuse 3 "has no model before this one to bring back" train -c fresh.f0t --undo
    refuse 2 "-c learns from the catalogue" train art -c c.f0t --refit
    refuse 2 "--refit learns from the catalogue" train art --refit
    refuse 2 "missing operand" train
    refuse 2 "missing --vectors" train -c c.f0t
    refuse 2 "--folders is for a folder" train -c c.f0t --vectors vectors.txt -o a.f0t --folders
    refuse 3 "no catalogue" train -c nowhere.f0t --refit
}

# Killed at any moment, the catalogue is sound, and what was committed stays.
case_a_killed_run_goes_on() {
    local i before now=0
    make_pictures 80
    run 0 index art -c whole.f0t
    for i in 1 2 3; do
        before=$now
        "$FAST0TAG" index art -c c.f0t >/dev/null 2>&1 &
        while [ ! -e c.f0t ] && kill -0 $!; do sleep 0.01; done # a busy machine takes a while to begin
        sleep "0.$((RANDOM % 20 + 5))"
        kill -KILL $!
        wait $! 2>/dev/null
        [ "$(query "PRAGMA integrity_check")" = ok ] || complain "the catalogue is damaged"
        now=$(query "SELECT count(*) FROM sqlite_schema WHERE name = 'pictures'")
        [ "$now" = 0 ] || now=$(query "SELECT count(*) FROM pictures")
        [ "$now" -ge "$before" ] || complain "$before pictures became $now"
    done
    run 0 index art -c c.f0t
    holds "SELECT count(*) FROM pictures" "80;"
    query "SELECT path, hex(data) FROM pictures JOIN features ON picture = id ORDER BY path" >got
    catalogue=whole.f0t query "SELECT path, hex(data) FROM pictures JOIN features ON picture = id ORDER BY path" >want
    cmp -s got want || complain "features differ"
}

case_two_at_once() {
    make_pictures 70
    "$FAST0TAG" index art -c c.f0t >one.txt 2>&1 &
    run 0 index art -c c.f0t
    wait $! || complain "the other failed: $(cat one.txt)"
    holds "SELECT count(*), count(DISTINCT path) FROM pictures" "70 70;"
    holds "SELECT count(*) FROM features" "70;"
    holds "PRAGMA integrity_check" "ok;"
    run 0 index art -c c.f0t
    says "70 unchanged"
}

case_a_full_disk() {
    make_pictures 70
    (
        trap '' XFSZ
        ulimit -f 300 # blocks of 1024 bytes
        "$FAST0TAG" index art -c c.f0t
    ) >"$out" 2>"$err" && complain "it fitted"
    warns "cannot write"
    [ "$(wc -l <"$err")" = 1 ] || complain "stderr is not one line: $(cat "$err")"
    holds "PRAGMA integrity_check" "ok;"
    run 0 index art -c c.f0t
    holds "SELECT count(*) FROM features" "70;"
}

# waits SQL ROWS: at most ten seconds until they are so.
waits() {
    local i
    for i in $(seq 100); do
        [ "$(query "$1" 2>/dev/null | tr '\n' ';')" != "$2" ] || return
        sleep 0.1
    done
    complain "$1: $(query "$1" | tr '\n' ';'), expected $2"
}

case_folders_are_followed() {
    local names="SELECT group_concat(substr(path, instr(path, 'art/') + 4)) FROM (SELECT path FROM pictures WHERE state = 0 ORDER BY path)"
    make_pictures 2
    mkdir art/old
    "$FAST0TAG" index art -c c.f0t --watch --settle 0.1 >log.txt 2>&1 &
    waits "$names" "p0.svg,p1.svg;"
    colour=pink draw art/p2.svg pink
    waits "$names" "p0.svg,p1.svg,p2.svg;"
    mkdir -p new/deep && colour=pink draw new/deep/p3.svg pink && mv new art
    waits "$names" "new/deep/p3.svg,p0.svg,p1.svg,p2.svg;"
    colour=grey draw art/new/deep/p4.svg grey
    mv art/p2.svg art/old/p2.svg
    waits "$names" "new/deep/p3.svg,new/deep/p4.svg,old/p2.svg,p0.svg,p1.svg;"
    holds "SELECT id FROM pictures WHERE path LIKE '%old/p2.svg'" "3;"
    rm -r art/new art/p0.svg
    waits "$names" "old/p2.svg,p1.svg;"
    kill -TERM $!
    wait $! || complain "it ended with $?: $(cat log.txt)"
    refuse 2 "only folders can be watched" index art/p1.svg -c c.f0t --watch
    refuse 2 "settle" index art -c c.f0t --watch --settle -1
}

# A model that another process chooses is the one from then on.
case_a_watch_follows_the_model() {
    make_pictures 24
    printf 'red 1 0 0 0\ngreen 0 1 0 0\nblue 0 0 1 0\nyellow 0 0 0 1\n' >vectors.txt
    run 0 train art --vectors vectors.txt -o art.f0t --method linear --lambda 1 --ridge 0.1
    "$FAST0TAG" index art -c c.f0t --watch --settle 0.1 >log.txt 2>&1 &
    waits "SELECT count(*) FROM features" "24;"
    run 0 index art -c c.f0t --model art.f0t
    colour=pink draw art/p99.svg pink
    waits "SELECT count(*) FROM features" "25;"
    holds "SELECT count(*) FROM directions" "25;"
    kill -TERM $!
    wait $! || complain "it ended with $?: $(cat log.txt)"
}

case_mistakes() {
    make_pictures 1
    echo text >text.f0t
    refuse 2 "missing operand" index
    refuse 3 "nowhere" index nowhere -c c.f0t
    refuse 3 "not a catalogue" index art -c text.f0t
    refuse 3 "nowhere.f0t" index art -c c.f0t --model nowhere.f0t
    refuse 3 "nowhere.onnx" index art -c c.f0t --backbone nowhere.onnx
    refuse 3 "deep" index art -c deep/c.f0t
    grep -q text text.f0t || complain "it was changed"
}

run_cases
