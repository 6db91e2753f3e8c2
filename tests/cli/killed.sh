#!/usr/bin/env bash
# Programs that are killed, disks that are full, calls that fail, once or from then on for ever: the state is the old one or
# the new one, never a third, and one clear line says what went wrong. Some calls of some commands, the same each time;
# scripts/faults takes all of them.
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
    { timeout 60 env LD_PRELOAD="$shim" F0T_FAULT="$fault" F0T_FAULT_COUNT="$PWD/.count" "$FAST0TAG" "$@" >"$out" 2>"$err" </dev/null; } 2>/dev/null
}

case_faults_of_the_system() {
    PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$root/tests/faults/run.py" --jobs 1 --shim "$shim" >"$out" || case_failed=1
    says "0 wrong"
}

# A line of --log that is lost is told, and the model is there.
case_a_log_that_cannot_be_written() {
    make_collection
    fail write:5:ENOSPC train photos --vectors vectors.txt -o m.f0t --method net --hidden 4 --epochs 2 --log log.jsonl -q
    [ $? = 1 ] || complain "it is not told"
    warns "--log log.jsonl: not all of it could be written"
    run 0 inspect m.f0t
}

# Pictures that the interrupted run has described are not opened again to be decoded.
case_what_was_made_is_not_made_again() {
    local opened i
    for i in $(seq 0 5); do colour="hsl($((i * 60)),90%,50%)" draw "art/p$i.svg" red; done
    run 0 features art -o whole --no-cache
    fail write:0:EIO features art -o data --no-cache || complain "$(cat "$err")"
    rm -rf data*
    fail "write:$(($(cat .count) / 2)):kill" features art -o data --no-cache
    [ -s data.part ] || complain "there is no part"
    fail open:0:EIO features art -o data --no-cache || complain "$(cat "$err")"
    opened=$(cat .count)
    cmp -s whole/features.npy data/features.npy || complain "other features"
    fail open:0:EIO features art -o again --no-cache || complain "$(cat "$err")"
    [ "$opened" -le $(($(cat .count) - 2)) ] || complain "$opened files were opened, $(cat .count) without the part"
}

# Keywords, and then pixels, of a picture for which no process could be started: a warning names the picture that is left out.
case_a_picture_that_no_process_reads_is_named() {
    local fault i
    for i in $(seq 0 3); do colour="hsl($((i * 90)),90%,50%)" draw "art/p$i.svg" red; done
    for fault in spawn:1:EAGAIN socket:1:EMFILE talk:1:EPIPE; do
        rm -rf data
        fail $fault features art -o data --no-cache --threads 1 || complain "$fault: $(cat "$err")"
        warns "art/p0.svg: "
        [ "$(wc -l <data/images.txt)" = 3 ] || complain "$fault: $(cat data/images.txt)"
    done
}

# Pictures, and keywords alone, that no process could be started for are read by the next index, though they have not changed.
case_a_shortage_passes() {
    local fault i
    for i in $(seq 0 3); do colour="hsl($((i * 90)),90%,50%)" draw "art/p$i.svg" red; done
    for fault in spawn:1+:EAGAIN spawn:1:EAGAIN; do
        rm -f c.f0c*
        fail $fault index art -c c.f0c --threads 1 || complain "$fault: $(cat "$err")"
        warns "art/p0.svg: "
        run 0 index art -c c.f0c
        run 0 find tag:red -c c.f0c
        [ "$(grep -c "/art/p[0-3].svg" "$out")" = 4 ] || complain "$fault: not all are found: $(cat "$out")"
        run 0 index art -c c.f0c
        says "4 pictures, 4 unchanged"
    done
}

# A sidecar that could not be opened for a moment: the next index reads the keywords again, and neither picture nor features. What
# it would write of these is marked in the catalogue.
case_keywords_that_could_not_be_read_are_read_alone() {
    local n said=0
    mkdir art
    colour=red draw art/p0.svg
    cat >art/p0.svg.xmp <<'XMP'
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:subject><rdf:Bag><rdf:li>lake</rdf:li></rdf:Bag>
</dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>
XMP
    fail open:0:EIO index art -c c.f0c --threads 1 || complain "$(cat "$err")"
    for n in $(seq "$(cat .count)"); do
        rm -f c.f0c*
        fail "open:$n:EIO" index art -c c.f0c --threads 1
        grep -qF "art/p0.svg.xmp: " "$err" || continue
        said=$((said + 1))
        /usr/bin/python3 -c 'import sqlite3
c = sqlite3.connect("c.f0c")
c.execute("UPDATE pictures SET width = 4242")
c.commit()'
        run 0 index art -c c.f0c
        run 0 find tag:lake -c c.f0c
        says "/art/p0.svg"
        /usr/bin/python3 -c 'import sqlite3, sys
sys.exit(sqlite3.connect("c.f0c").execute("SELECT width FROM pictures").fetchall() != [(4242,)])' ||
            complain "open:$n: the picture was read again, too"
        run 0 index art -c c.f0c
        says "1 picture, 1 unchanged"
    done
    [ $said -gt 0 ] || complain "no sidecar could not be opened"
}

# A server serves though its line is lost, says where, and ends with 1.
case_a_server_whose_line_is_lost() {
    local pid i
    make_collection
    run 0 train photos --vectors vectors.txt -o m.f0t --method linear --lambda 1 --ridge 0.1 -q
    "$FAST0TAG" serve m.f0t --port 0 >/dev/full 2>"$err" </dev/null &
    pid=$!
    for i in $(seq 100); do grep -q listening "$err" && break || sleep 0.1; done
    kill $pid
    wait $pid
    [ $? = 1 ] || complain "not exit 1"
    warns "warning: cannot write to standard output; listening on http://127.0.0.1:"
    warns "fast0tag: the results could not be written to standard output"
    fail getsockname:1:EMFILE serve m.f0t --port 0 # whose port nobody would know
    [ $? = 1 ] || complain "it serves: $(cat "$out")"
    warns "fast0tag serve: "
}

# A disk that cannot be read for a moment is no damaged catalogue, for which the advice is to make a new one.
case_a_catalogue_that_cannot_be_read_is_not_damaged() {
    local n said=0
    draw art/p0.svg red
    run 0 index art -c c.f0c
    fail read:0:EIO find tag:red -c c.f0c || complain "$(cat "$err")"
    for n in $(seq "$(cat .count)"); do
        fail "read:$n:EIO" find tag:red -c c.f0c -q
        ! grep -q damaged "$err" || complain "read:$n: $(cat "$err")"
        ! grep -qF "cannot read ./c.f0c: Input/output error" "$err" || said=$((said + 1))
    done
    [ $said -gt 0 ] || complain "no failed read is told as one"
}

# A look at a sidecar that fails does not leave its picture out: there is none, as opening it tells.
case_a_sidecar_that_cannot_be_looked_at_may_be_none() {
    local n read=0
    draw art/p0.svg red
    fail stat:0:EIO features art -o data --no-cache || complain "$(cat "$err")"
    for n in $(seq "$(cat .count)"); do
        rm -rf data
        fail "stat:$n:EIO" features art -o data --no-cache -q && read=$((read + 1))
        ! grep -q "No such file" "$err" || complain "stat:$n: $(cat "$err")"
    done
    [ $read -gt 0 ] || complain "no picture is read"
}

run_cases
