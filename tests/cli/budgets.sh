#!/usr/bin/env bash
# Small files that would become huge, inputs that never end: refused in little memory and time, and
# SIGTERM is answered while inputs are read.
. "$(dirname "$0")/lib.sh"

# bounded CODE TEXT ARGUMENTS…: as refuse, within 40 s of processor time and 600 MB of memory (a sanitizer's own memory
# beside).
bounded() {
    local code=$1 text=$2
    shift 2
    /usr/bin/python3 - "$code" "$out" "$err" "$FAST0TAG" "$@" <<'PY' || complain "fast0tag $*"
import os, resource, subprocess, sys
want, out, err = int(sys.argv[1]), sys.argv[2], sys.argv[3]
most = 600 if b"libasan" not in subprocess.run(["ldd", sys.argv[4]], capture_output=True).stdout else 1800
limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (40, 40))
try:
    got = subprocess.run(sys.argv[4:], stdin=subprocess.DEVNULL, stdout=open(out, "w"),
                         stderr=open(err, "w"), timeout=400, preexec_fn=limit).returncode
except subprocess.TimeoutExpired:
    sys.exit("  does not end")
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
if got != want or peak > most:
    sys.exit("  exit %d, wanted %d; %d MB: %s" % (got, want, peak, open(err).read(400)))
PY
    warns "$text"
    [ "$(wc -l <"$err")" = 1 ] || complain "stderr is not one line: $(head -c 400 "$err")"
}

# packed BYTES TEXT: gzip of the text again and again, up to so many bytes.
packed() {
    yes "$2" | head -c "$1" | gzip -9
}

case_packed_datasets_do_not_fill_the_memory() {
    make_collection
    local bomb name
    for name in empty-lines tabs one-tag one-line zeros; do mkdir $name; done
    yes '' | head -c 100000000 | gzip -9 >empty-lines/tags.txt
    packed 100000000 "$(printf 'a\tb\tc\td\te\tf')" >tabs/tags.txt
    packed 100000000 cat >one-tag/tags.txt
    yes a | tr '\n' '\t' | head -c 100000000 | gzip -9 >one-line/tags.txt
    head -c 100000000 /dev/zero | gzip -9 >zeros/tags.txt
    for bomb in empty-lines tabs one-tag one-line zeros; do
        bounded 3 "$bomb/tags.txt: gzip data that unpacks to over 50 times its size" \
            train $bomb --vectors vectors.txt -o m.f0t
        bounded 3 "$bomb/tags.txt" eval $bomb --vectors vectors.txt
    done
    for name in split images seen unseen; do
        cp -r photos with-$name
        cp empty-lines/tags.txt with-$name/$name.txt
        bounded 3 "with-$name/$name.txt" train with-$name --vectors vectors.txt -o m.f0t
    done
}

case_json_does_not_fill_the_memory() {
    make_collection
    { printf '{"a":[{}' && yes ',{}' | tr -d '\n' | head -c 15999999 && printf ']}'; } >bomb.json
    gzip -9 <bomb.json >photos/dataset.json
    bounded 3 "photos/dataset.json: is over 1048576 bytes long" \
        train photos --vectors vectors.txt -o m.f0t
    { printf '{"a":[{}' && yes ',{}' | tr -d '\n' | head -c 999999 && printf ']}'; } >photos/dataset.json
    bounded 3 "photos/dataset.json: its JSON has more than 262144 values" \
        train photos --vectors vectors.txt -o m.f0t
    bounded 3 "bomb.json: its JSON has more than 262144 values" inspect bomb.json
    /usr/bin/python3 - <<'PY'
import struct
text = '{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}' + "".join(
    ',"%d":{}' % i for i in range(2500000)) + "}"
open("bomb.safetensors", "wb").write(struct.pack("<Q", len(text)) + text.encode())
PY
    bounded 3 "bomb.safetensors: its JSON has more than 262144 values" \
        inspect bomb.safetensors
    bounded 3 "bomb.safetensors: " tag bomb.safetensors photos
    printf '%.0s[' $(seq 100000) >deep.json
    { printf '{"a":' && cat deep.json; } >photos/dataset.json
    bounded 3 "photos/dataset.json: line 1" train photos --vectors vectors.txt -o m.f0t
}

case_xml_with_many_attributes_is_refused_at_once() {
    { printf '<labels><label ' && seq -f "a%.0f='>'" 400000 | tr '\n' ' ' &&
        printf "name='x'/></labels>"; } >many.xml
    printf '@relation r\n@attribute x {0,1}\n@data\n1\n' >x.arff
    bounded 3 "many.xml:1: a tag or comment is longer than 65536 bytes" import mulan many.xml x.arff -o o
    bounded 3 "many.xml" inspect many.xml
    [ ! -e o ] || complain "a dataset was left"
}

# stops ARGUMENTS…: SIGTERM, once the program waits for an input, ends it soon, in the ordinary way.
# It waits if it catches the signal and is found asleep ten times without having used more of the processor: on a busy machine
# its start alone may take a second, and it wakes now and then to look around.
stops() {
    /usr/bin/python3 - "$out" "$err" "$FAST0TAG" "$@" <<'PY' || complain "fast0tag $*"
import re, signal, subprocess, sys, time
out, err = sys.argv[1:3]
child = subprocess.Popen(sys.argv[3:], stdin=subprocess.DEVNULL, stdout=open(out, "w"),
                         stderr=open(err, "w"))


def look():
    # Whether it catches SIGTERM and sleeps, and the processor time it has used.
    text = open("/proc/%d/status" % child.pid).read()
    caught = int(re.search(r"SigCgt:\s*(\w+)", text).group(1), 16) >> (signal.SIGTERM - 1) & 1
    fields = open("/proc/%d/stat" % child.pid).read().rpartition(")")[2].split()
    return caught and fields[0] == "S", fields[11:13]


last, asleep, began = None, 0, time.time()
while time.time() - began < 30 and child.poll() is None and asleep < 10:
    time.sleep(0.02)
    waits, used = look()
    asleep = 0 if used != last else asleep + bool(waits)
    last = used
child.terminate()
try:
    code = child.wait(20)
except subprocess.TimeoutExpired:
    child.kill()
    sys.exit("  does not answer SIGTERM")
if code != 1:
    sys.exit("  exit %d: %s" % (code, open(err).read(400)))
PY
    warns "interrupted while reading"
}

case_sigterm_is_answered_while_inputs_are_read() {
    make_collection
    mkfifo mute mute.csv mute.xml mute.arff
    printf '@relation r\n@attribute x {0,1}\n@data\n1\n' >x.arff
    printf '<labels><label name="x"/></labels>' >x.xml
    run 0 train photos --vectors vectors.txt -o m.f0t --method linear --lambda 1 --ridge 0.1
    mkdir silent && mkfifo silent/tags.txt
    stops train silent --vectors vectors.txt -o n.f0t
    stops eval silent --vectors vectors.txt
    stops analyze silent --vectors vectors.txt -o o
    stops train photos --vectors mute -o n.f0t
    stops tag m.f0t photos --vectors vectors.txt --vocab mute
    stops vectors convert mute -o v.safetensors
    stops vectors trim vectors.txt --words mute -o v.safetensors
    stops vectors join vectors.txt mute -o v.safetensors
    stops import csv mute.csv -o o
    stops import mulan x.xml mute.arff -o o
    stops import mulan mute.xml x.arff -o o
    cp -r photos no-split && rm no-split/split.txt && mkfifo no-split/split.txt
    stops train no-split --vectors vectors.txt -o n.f0t
    [ ! -e n.f0t ] && [ ! -e o ] && [ ! -e v.safetensors ] || complain "an output was left"
}

run_cases
