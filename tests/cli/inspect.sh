#!/usr/bin/env bash
# fast0tag inspect: what people look at, and what they look at by mistake.
. "$(dirname "$0")/lib.sh"

# npy SHAPE DESCR: a header of version 1 on stdout.
npy() {
    local dict="{'descr': '$2', 'fortran_order': False, 'shape': $1, }"
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$dict"
}

# safetensors JSON: the header on stdout, of less than 256 bytes.
safetensors() {
    printf "\\x$(printf %02x ${#1})\0\0\0\0\0\0\0%s" "$1"
}

case_an_array_is_described() {
    { npy "(2, 2)" "|u1" && printf '\x01\x02\x03\x0a'; } >a.npy
    run 0 inspect a.npy
    says "a.npy: NumPy array, 2 x 2 uint8"
    says "132 bytes"
    says "crc32"
    says "row-major"
    says "  1 2"
    says "  3 10"
    run 0 inspect --rows 1 a.npy
    ! grep -q "  3 10" "$out" || complain "--rows 1 shows two"
}

case_json_has_the_same() {
    { npy "(2, 2)" "|u1" && printf '\x01\x02\x03\x0a'; } >a.npy
    run 0 inspect --json a.npy
    json_holds 'd["kind"] == "npy" and d["size"] == 132 and d["facts"]["version"] == 1'
    json_holds 'd["arrays"] == [{"name": "", "type": "uint8", "shape": [2, 2], "min": 1, "max": 10,
        "mean": 4, "nan": 0, "infinite": 0}]'
    json_holds 'd["rows"][1] == {"text": "", "values": [3, 10], "count": 2}'
    json_holds 'd["crc32"] == "%08x" % __import__("zlib").crc32(open("a.npy", "rb").read())'
    run 0 inspect --json --quick a.npy
    json_holds 'd["crc32"] is None and "min" not in d["arrays"][0]'
}

case_nan_is_null_in_json() {
    { npy "(1,)" "<f4" && printf '\x00\x00\xc0\x7f'; } >a.npy
    run 0 inspect --json a.npy
    json_holds 'd["arrays"][0]["nan"] == 1 and d["arrays"][0]["mean"] is None'
    json_holds 'd["rows"][0]["values"] == [None]'
}

case_a_safetensors_file_is_described() {
    safetensors '{"__metadata__":{"note":"a\nb"},"w":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}' >a
    run 0 inspect a
    says "safetensors, 1 tensors"
    says "note           a\nb"
    run 0 inspect --json a
    json_holds 'd["metadata"] == {"note": "a\nb"}'
}

case_a_dataset_is_described() {
    mkdir photos
    printf 'dog\tgrass\ncat\n' >photos/tags.txt
    run 0 inspect photos
    says "dataset photos, 2 images, 3 tags, without features"
    says "  dog, grass"
    run 0 inspect --json photos
    json_holds 'd["kind"] == "dataset" and d["facts"]["images"] == 2 and d["crc32"] is None'
    mkdir empty
    refuse 3 "empty: is a folder, and no dataset" inspect empty
}

case_word_vectors_are_described() {
    printf 'dog 0.5 1\ncat 2 -3\n' | gzip >glove.txt.gz
    run 0 inspect glove.txt.gz
    says "word vectors, text, 2 words x 2"
    says "  cat  2 -3"
    run 0 inspect --json glove.txt.gz
    json_holds 'd["facts"]["words"] == 2 and d["arrays"][0]["min"] == -3'
    json_holds 'd["facts"]["packed by"] == "gzip" and d["rows"][0]["text"] == "dog"'
}

case_sources_of_datasets_are_described() {
    printf 'image,tags\na.jpg,dog\n' >photos.txt
    run 0 inspect photos.txt
    says "comma-separated text, 2 records of 2 columns"
    printf '@relation r\n@attribute a numeric\n@data\n1\n' >r.txt
    run 0 inspect r.txt
    says "ARFF, 1 rows of 1 attributes"
    printf '@relation r\n@attribute a numeric\n@data\n1,2\n' >r.txt
    refuse 3 "r.txt:4:" inspect r.txt
}

case_text_may_be_packed() {
    printf 'dog\ncat\n' | gzip >words.gz
    run 0 inspect words.gz
    says "text, 2 lines"
    says "gzip"
    says "  cat"
}

case_what_a_file_contains_does_not_reach_the_terminal() {
    safetensors '{"__metadata__":{"a":"\u001b[2J\u009b"}}' >a
    run 0 inspect a
    ! grep -q $'\x1b' "$out" || complain "an escape came through"
    ! grep -q $'\xc2\x9b' "$out" || complain "a C1 control came through"
}

case_an_unknown_file_is_refused() {
    printf '\x7fELF\x02' >program
    refuse 3 "program: is no kind of file that fast0tag knows" inspect program
    : >nothing
    refuse 3 "nothing: is empty" inspect nothing
    refuse 3 "none: No such file" inspect none
    refuse 3 "none: No such file" inspect --json none
}

case_a_broken_file_is_refused() {
    npy "(2, 2)" "|u1" >a.npy
    refuse 3 "the file is cut: its header says 2 x 2 uint8, 4 bytes, and 0 are there" inspect a.npy
    npy "(2, 2)" "|O" >a.npy
    refuse 3 "Python objects" inspect a.npy
}

case_wrong_use_is_refused() {
    run 2 inspect
    run 2 inspect a b
    run 2 inspect --rows many a
}

run_cases
