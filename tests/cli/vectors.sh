#!/usr/bin/env bash
# fast0tag vectors: converting, trimming, joining, asking for neighbours, and doing it wrongly.
. "$(dirname "$0")/lib.sh"

small() {
    printf 'dog 1 0.5 0\npuppy 0.9 0.6 0.1\ncar -1 0 2\npalm 0 1 1\ntree 0.1 1 0.7\n'
}

# word2vec's binary form, with (newline=1) or without a newline after each record.
binary() {
    /usr/bin/python3 - "$1" <<'PY'
import struct, sys
rows = [("dog", (1, .5, 0)), ("puppy", (.9, .6, .1)), ("car", (-1, 0, 2)), ("palm", (0, 1, 1)),
        ("tree", (.1, 1, .7))]
out = sys.stdout.buffer
out.write(b"5 3\n")
for word, values in rows:
    out.write(word.encode() + b" " + struct.pack("<3f", *values))
    out.write(b"\n" if sys.argv[1] == "1" else b"")
PY
}

case_every_form_is_converted_to_the_same_file() {
    small >plain.txt
    { echo "5 3" && small; } >header.vec
    small | sed 's/$/ \r/' >windows.txt
    gzip -k plain.txt
    binary 1 >newlines.bin
    binary 0 >bare.bin
    for file in plain.txt header.vec windows.txt plain.txt.gz newlines.bin bare.bin; do
        run 0 vectors convert $file -o $file.st --json
        json_holds 'd["words"] == 5 and d["dim"] == 3 and d["type"] == "float32"'
        run 0 vectors nearest $file.st dog -k 1
        says puppy
    done
    # All but the name of the source in the header, which has room for it.
    for file in header.vec windows.txt plain.txt.gz newlines.bin bare.bin; do
        cmp <(tail -c +8200 plain.txt.st) <(tail -c +8200 $file.st) || complain "$file differs"
    done
}

case_pipes_and_names_do_not_matter() {
    small >misleading.bin
    run 0 vectors convert misleading.bin -o v
    "$FAST0TAG" vectors convert /dev/stdin -o w < <(small) >"$out" 2>"$err" || complain "$(cat "$err")"
    says "w: 5 words x 3 float32"
}

case_float16_is_half_the_size() {
    small >v.txt
    run 0 vectors convert v.txt -o h.st --f16
    says "5 words x 3 float16"
    run 0 vectors nearest h.st dog --json
    json_holds 'd[0]["neighbours"][0]["word"] == "puppy" and len(d[0]["neighbours"]) == 4'
}

# The tensors as docs/formats.md has them, read with nothing but Python's standard library.
case_another_program_reads_the_converted_file() {
    small >v.txt
    run 0 vectors convert v.txt -o v.st
    /usr/bin/python3 - <<'PY' >"$out" 2>&1 || complain "$(cat "$out")"
import json, struct
data = open("v.st", "rb").read()
length = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + length])
def tensor(name, letter):
    begin, end = header[name]["data_offsets"]
    raw = data[8 + length + begin:8 + length + end]
    return struct.unpack("<%d%s" % (len(raw) // struct.calcsize(letter), letter), raw)
lines = [line.split() for line in open("v.txt")]
words, offsets = bytes(tensor("words", "B")), tensor("offsets", "q")
assert words.decode().split("\n") == [line[0] for line in lines] + [""]
assert [words[offsets[i]:offsets[i + 1] - 1].decode() for i in range(5)] == [l[0] for l in lines]
want = [struct.unpack("<f", struct.pack("<f", float(x)))[0] for line in lines for x in line[1:]]
assert list(tensor("vectors", "f")) == want
assert sorted(i for i in tensor("index", "i") if i) == [1, 2, 3, 4, 5]
assert all(abs(m - sum(want[j::3]) / 5) < 1e-6 for j, m in enumerate(tensor("mean", "f")))
assert header["__metadata__"]["format"] == "fast0tag-vectors"
PY
}

case_trim_keeps_what_a_vocabulary_needs() {
    small >v.txt
    printf 'dogs\nPalm Tree\nunicorn\n' >words.txt
    run 0 vectors trim v.txt --words words.txt -o t.st
    says "t.st: 3 words x 3"
    says "1 of 3 tags have no vector: unicorn"
    run 0 vectors convert v.txt -o all.st --json
    json_holds 'd["words"] == 5'
    run 0 vectors nearest t.st "palm trees" --json
    json_holds 'd[0]["match"] == "parts" and d[0]["used"] == "palm + tree"'
    json_holds '[n["word"] for n in d[0]["neighbours"]] == ["dog"]'
}

# A dictionary for the words of small(): another number of dimensions, spellings and phrases.
dictionary() {
    printf 'Dogs 1 2\npalm_tree 3 4\nunicorn -5 6\n'
}

case_join_puts_files_side_by_side() {
    small >a.txt
    dictionary >b.txt
    run 0 vectors join a.txt b.txt --weights 1,0.7 -o j.st --json
    json_holds 'd["words"] == 8 and d["dim"] == 5 and d["type"] == "float32"'
    json_holds 'd["source"]["rows"] == 8 and d["source"]["duplicates"] == 0'
    warns "a.txt: 5 words as they are, 1 by another spelling or form, 1 by the words of a phrase, 1 not at all"
    warns "b.txt: 3 words as they are, 1 by another spelling or form, 0 by the words of a phrase, 4 not at all"
    run 0 inspect j.st
    says "8 words x 5 float32"
    says "a.txt + 0.7 b.txt"
    says '"source":"b.txt"'
    run 0 vectors nearest j.st dog -k 1
    says "1.0000  Dogs"
}

case_joined_files_are_one_space_whatever_the_form_of_their_parents() {
    small >a.txt
    dictionary >b.txt
    printf 'dogs\nPalm Tree\n' >words.txt
    run 0 vectors convert a.txt -o a.st
    run 0 vectors trim b.txt -w words.txt -o b.st
    run 0 vectors join a.txt b.txt -o j.st
    space=$(sed 's/.* of space //' "$out")
    run 0 vectors join a.st b.st -o k.st --f16
    says "float16, of space $space"
    run 0 vectors join a.txt b.txt -w words.txt -o s.st
    says "s.st: 5 words x 5 float32, of space $space"
    says "0 of 2 tags have no vector"
    run 0 vectors join b.txt a.txt -o r.st
    ! grep -q "$space" "$out" || complain "the order does not matter"
}

case_wrong_joins_are_refused() {
    small >a.txt
    dictionary >b.txt
    printf 'xyzzy\n' >words.txt
    refuse 2 "missing operand" vectors join a.txt -o o.st
    refuse 2 "give -o OUT" vectors join a.txt b.txt
    refuse 2 "--weights: 3 for 2 files; give one per file" vectors join a.txt b.txt -o o.st --weights 1,2,3
    refuse 2 "--weights: '1;2' is not a list such as 1,0.7" vectors join a.txt b.txt -o o.st --weights '1;2'
    refuse 2 "--weights: '1,' is not a list such as 1,0.7" vectors join a.txt b.txt -o o.st --weights 1,
    refuse 2 "weight 2 is 0: give a number above 0" vectors join a.txt b.txt -o o.st --weights 1,0
    refuse 2 "weight 1 is nan: give a number above 0" vectors join a.txt b.txt -o o.st --weights nan,1
    refuse 2 "-o b.txt: is the file that is read" vectors join a.txt b.txt -o b.txt
    refuse 3 "nowhere.txt" vectors join a.txt nowhere.txt -o o.st
    refuse 3 "none of the files has one of the words" vectors join a.txt b.txt -w words.txt -o o.st
    [ ! -e o.st ] || complain "a file was written"
    cmp <(dictionary) b.txt || complain "a source was replaced"
}

case_left_out_rows_are_told() {
    { small && printf 'dog 9 9 9\nbad nan 1 1\n'; } >v.txt
    run 0 vectors convert v.txt -o v.st
    warns "warning: v.txt: 1 words that were there before left out"
    warns "warning: v.txt: 1 words with NaN or infinite numbers left out"
}

case_a_cut_file_fails_with_its_line_unless_tolerated() {
    small | head -c 60 >cut.txt
    refuse 3 "cut.txt:5: has 1 numbers where 3 are expected" vectors convert cut.txt -o v.st
    [ ! -e v.st ] || complain "a file was written"
    run 0 vectors convert cut.txt -o v.st --tolerant
    says "4 words"
}

case_a_missing_word_gets_a_suggestion() {
    small >v.txt
    refuse 3 "'pupy' has no vector; did you mean 'puppy'?" vectors nearest v.txt pupy
    refuse 3 "'xyzzyxyzzy' has no vector" vectors nearest v.txt xyzzyxyzzy
}

case_unknown_words_do_not_stop_the_others() {
    printf 'dog 1 0\npuppy 0.9 0.1\ntree 0 1\nforest 0.1 0.9\ngenerate 0.5 0.5\nwedding 1 1\n' >w.txt
    run 3 vectors nearest w.txt pupy dog xyzzyxyzzy tree -k 1
    says "dog"
    says "puppy"
    says "forest"
    warns "'pupy' has no vector; did you mean 'puppy'?"
    warns "'xyzzyxyzzy' has no vector"
    warns "2 of 4 words have no vector"
    run 3 vectors nearest w.txt pupy dog --json -k 1 -q
    json_holds '[a["query"] for a in d] == ["pupy", "dog"] and d[0]["suggestion"] == "puppy"'
    json_holds 'd[0]["neighbours"] == [] and d[1]["neighbours"][0]["word"] == "puppy"'
}

case_verb_forms_are_found() {
    printf 'generate 1 0\nrun 0 1\nstop 1 1\nwed 1 -1\nwedding 2 1\nr 0 2\nhere 1 2\n' >w.txt
    run 0 vectors nearest w.txt generated Running stopped ran -k 1 --json
    json_holds '[a["used"] for a in d] == ["generate", "run", "stop", "run"]'
    json_holds '{a["match"] for a in d} == {"base"}'
    run 0 vectors nearest w.txt wedding -k 1 --json
    json_holds 'd[0]["used"] == "wedding"'
    refuse 3 "'red' has no vector" vectors nearest w.txt red
    refuse 3 "'Hering' has no vector" vectors nearest w.txt Hering
}

case_wrong_uses_are_refused() {
    small >v.txt
    refuse 2 "give -o OUT" vectors convert v.txt
    refuse 2 "give --words FILE" vectors trim v.txt -o o.st
    refuse 3 "nowhere.txt" vectors convert nowhere.txt -o o.st
    refuse 3 "nowhere.txt" vectors trim v.txt -w nowhere.txt -o o.st
    echo "not vectors at all" >n.txt
    refuse 3 "n.txt: not word vectors" vectors convert n.txt -o o.st
    run 2 vectors convert
    run 2 vectors nearest v.txt
    run 2 vectors frobnicate
    [ ! -e o.st ] || complain "a file was written"
}

# Ctrl-C while it reads from a pipe that goes on: exit 1, and no file left behind.
case_only_vectors_are_replaced() {
    small >plain.txt
    echo mine >notes.txt
    printf '\377\330\377' >photo.jpg
    refuse 2 "-o notes.txt: exists and is not a vectors file" vectors convert plain.txt -o notes.txt
    refuse 2 "-o photo.jpg: exists and is not a vectors file" vectors convert plain.txt -o photo.jpg
    refuse 2 "is the file that is read" vectors convert plain.txt -o ./plain.txt
    cmp <(small) plain.txt || complain "the source was replaced"
    cmp <(echo mine) notes.txt || complain "the notes were replaced"
    run 0 vectors convert plain.txt -o plain.st
    run 0 vectors convert plain.txt -o plain.st
}

case_an_interruption_leaves_nothing() {
    mkdir work
    # Background commands of a script ignore SIGINT; Python gives it its meaning back.
    timeout 400 /usr/bin/python3 - "$FAST0TAG" >"$out" 2>"$err" <<'PY'
import os, signal, subprocess, sys, time
p = subprocess.Popen([sys.argv[1], "vectors", "convert", "/dev/stdin", "-o", "work/v.st"],
                     stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
sent = 0
try:
    while p.poll() is None and sent < 4000:
        p.stdin.write(b"".join(b"w%d 1 2 3\n" % (sent * 100000 + i) for i in range(100000)))
        sent += 1
        if sent == 30:
            p.send_signal(signal.SIGINT)
    p.stdin.close()
except BrokenPipeError:
    pass
sys.stderr.write(p.stderr.read().decode())
sys.exit(p.wait())
PY
    [ $? = 1 ] || complain "the exit code is not 1: $(cat "$err")"
    warns "interrupted"
    [ -z "$(ls work)" ] || complain "left behind: $(ls work)"
}

# As fastText writes them: a header, a blank at the end of each line, words with spaces, bytes that are no UTF-8.
case_aligned_languages_are_one_vocabulary() {
    printf '4 2\ndog 1 0 \nNew York .5 1 \nsea 0 1 \n\377bad 1 1 \n' >wiki.en.align.vec
    printf '3 2\nHund 1 .1 \nMeer .1 1 \nsea -1 -1 \n' >wiki.de.align.vec
    run 0 vectors join wiki.en.align.vec wiki.de.align.vec --aligned -o both.st
    warns "1 words are in several files, and mean what the first of them says"
    says "both.st: 5 words x 2 float32"
    run 0 vectors nearest both.st dog -k 1
    says Hund
    run 0 vectors nearest both.st "New York" -k 4
    make_collection
    sed -i 's/cat/Hund/g' photos/tags.txt
    run 0 train photos --vectors both.st -o m.f0t --method linear --quiet --lambda 1 --ridge 0.1
    printf 'dog\nMeer\n' >words
    run 0 tag m.f0t photos --vocab words --vectors both.st -k 1
    printf '1 3\na 1 2 3\n' >three.vec
    refuse 3 "three.vec has vectors of 3 dimensions" vectors join wiki.de.align.vec three.vec --aligned -o x.st -q
    run 2 vectors join wiki.en.align.vec wiki.de.align.vec --aligned --weights 1,2 -o x.st
}

run_cases
