#!/usr/bin/env bash
# Programs that are killed, and disks that are full, at each call that a file can see: the state is the old one or the
# new one, never a third. Calls that fail in other ways: one clear line, and nothing half done.
. "$(dirname "$0")/lib.sh"
export LC_ALL=C.UTF-8
root=$(cd "$(dirname "$0")/../.." && pwd)
shim=$BUILD/tests/faults.so
if [ ! -e "$shim" ]; then
    echo "  no faults.so: it cannot be loaded before a sanitizer" >&2
    echo "[  SKIPPED ] killed"
    exit 0
fi

# fail FAULT ARGUMENTS…: the program with this fault; gives its exit code.
fail() {
    local fault=$1
    shift
    { LD_PRELOAD=$shim F0T_FAULT=$fault F0T_FAULT_COUNT=$PWD/.count "$FAST0TAG" "$@" >"$out" 2>"$err" </dev/null; } 2>/dev/null
}

# state FILE…: what is in these files, and which of them are there.
state() {
    local file
    for file; do
        echo "$file"
        cat "$file" 2>/dev/null || echo "(none)"
    done | md5sum
}

# each CALLS WHAT MOST ARGUMENTS…: runs the command with the first, second, … of these calls failing, MOST of them at
# most, evenly chosen. Before each, reset sets the old state; look prints the state. It must be the old or the new one,
# and the new one where the command says that it succeeded.
each() {
    local calls=$1 what=$2 most=$3 before after now total step n code
    shift 3
    reset
    before=$(look)
    fail "$calls:0:EIO" "$@" || complain "$*: $(cat "$err")"
    after=$(look)
    total=$(cat .count)
    [ "$before" != "$after" ] || complain "$*: changes nothing"
    [ "$total" -gt 0 ] || complain "$*: no such call"
    step=$(((total + most - 1) / most))
    for ((n = 1; n <= total; n += step)); do
        reset
        fail "$calls:$n:$what" "$@"
        code=$?
        now=$(look)
        [ "$now" = "$before" ] || [ "$now" = "$after" ] || complain "$*: call $n of $total: a third state"
        [ "$code" != 0 ] || [ "$now" = "$after" ] || complain "$*: call $n of $total: nothing done, and nothing said"
        if [ "$what" != kill ] && [ "$code" != 0 ]; then
            [ "$(grep -c . "$err")" -ge 1 ] || complain "$*: call $n of $total: exit $code without a word"
            [ "$code" -le 3 ] || complain "$*: call $n of $total: exit $code: $(cat "$err")"
        fi
    done
}

# A model of colours, and a dataset of pictures whose features are there; made once, copied for each case.
make_model() {
    local i names=(red green blue yellow) kept=$scratch/.made
    if [ ! -e "$kept" ]; then
        mkdir "$kept"
        cd "$kept" || exit
        for i in $(seq 0 7); do
            colour="hsl($((i % 4 * 90 + i / 4)),90%,50%)" draw "art/p$i.svg" "${names[i % 4]}"
        done
        printf 'red 1 0 0 0\ngreen 0 1 0 0\nblue 0 0 1 0\nyellow 0 0 0 1\n' >vectors.txt
        run 0 features art -o art.data --no-cache
        run 0 train art.data --vectors vectors.txt -o art.f0t --method linear --lambda 1 --ridge 0.1
        cd "$OLDPWD" || exit
    fi
    cp -r "$kept/." .
    mkdir new
    cp "$root/tests/pictures/keywords-xmp.jpg" new/photo.jpg
    run 0 features new -o data --no-cache
}

case_sidecars() {
    make_model
    reset() { rm -rf new/.f0t* && printf '%s' "$old" >new/photo.jpg.xmp; }
    look() { state new/photo.jpg.xmp; }
    old='<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="4"/></rdf:RDF></x:xmpmeta>'
    each change kill 8 tag art.f0t data -k 1 --xmp
    each change ENOSPC 6 tag art.f0t data -k 1 --xmp
}

case_embedded_tags() {
    make_model
    cp new/photo.jpg whole.jpg
    reset() { cp whole.jpg new/photo.jpg; }
    look() { state new/photo.jpg; }
    each change kill 8 tag art.f0t data -k 1 --embed
    each change ENOSPC 6 tag art.f0t data -k 1 --embed
}

case_models() {
    make_model
    cp art.f0t old.f0t
    reset() { cp old.f0t art.f0t; }
    look() { state art.f0t; }
    each change kill 8 train art.data --vectors vectors.txt -o art.f0t --method linear --lambda 2 --ridge 0.1
    each change ENOSPC 6 train art.data --vectors vectors.txt -o art.f0t --method linear --lambda 2 --ridge 0.1
    local calls
    for calls in open:ENOMEM read:EIO stat:EIO map:ENOMEM; do
        each "${calls%:*}" "${calls#*:}" 5 train art.data --vectors vectors.txt -o art.f0t --method linear --lambda 2 --ridge 0.1
    done
}

# Short and interrupted calls are none of anybody's business: all is as without them.
case_short_and_interrupted_calls() {
    make_model
    local fault
    for fault in write:1+:short read:1+:short; do
        rm -f m.f0t
        fail "$fault" train art.data --vectors vectors.txt -o m.f0t --method linear --lambda 1 --ridge 0.1 ||
            complain "$fault: $(cat "$err")"
        cmp -s m.f0t art.f0t || complain "$fault: another model"
    done
    for fault in write:1:EINTR write:2:EINTR read:1:EINTR read:3:EINTR; do
        fail "$fault" train art.data --vectors vectors.txt -o m.f0t --method linear --lambda 1 --ridge 0.1 ||
            complain "$fault: $(cat "$err")"
    done
}

# What was made before a run was killed is used by the next, and nothing is made of a part that is cut.
case_datasets() {
    make_model
    cp -r art.data whole
    local n total
    fail change:0:EIO features art -o data2 --no-cache || complain "$(cat "$err")"
    total=$(cat .count)
    for ((n = 1; n <= total; n += (total + 5) / 6)); do
        rm -rf data2*
        fail "change:$n:kill" features art -o data2 --no-cache
        [ ! -e data2/features.npy ] || cmp -s whole/features.npy data2/features.npy || complain "call $n: a third state"
        [ -e data2 ] || run 0 features art -o data2 --no-cache
        cmp -s whole/features.npy data2/features.npy || complain "call $n: another dataset"
    done
}

# Pictures that the interrupted run has described are not opened again to be decoded.
case_what_was_made_is_not_made_again() {
    make_model
    local opened
    fail write:0:EIO features art -o data2 --no-cache || complain "$(cat "$err")"
    rm -rf data2*
    fail "write:$(($(cat .count) / 2)):kill" features art -o data2 --no-cache
    [ -s data2.part ] || complain "there is no part"
    fail open:0:EIO features art -o data2 --no-cache || complain "$(cat "$err")"
    opened=$(cat .count)
    cmp -s art.data/features.npy data2/features.npy || complain "other features"
    fail open:0:EIO features art -o data3 --no-cache || complain "$(cat "$err")"
    [ "$opened" -le $(($(cat .count) - 2)) ] || complain "$opened files were opened, $(cat .count) without the part"
}

# A decision is there or not, and the catalogue is whole.
case_catalogues() {
    make_model
    run 0 index art -c old.f0c --model art.f0t
    reset() { rm -f new.f0c* && cp old.f0c new.f0c; }
    look() {
        /usr/bin/python3 -c '
import sqlite3
c = sqlite3.connect("new.f0c")
assert c.execute("pragma integrity_check").fetchone()[0] == "ok"
print(c.execute("select picture, tag, decision, current from decisions").fetchall())' 2>&1
    }
    each change kill 8 accept art/p0.svg red -c new.f0c
    each change ENOSPC 6 accept art/p0.svg red -c new.f0c
}

run_cases
