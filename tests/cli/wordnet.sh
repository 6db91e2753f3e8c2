#!/usr/bin/env bash
# fast0tag vectors build wordnet: with the WordNet of tests/wordnet, which is made by hand.
. "$(dirname "$0")/lib.sh"
tiny=$(realpath "$(dirname "$0")/../wordnet")

case_vectors_are_built_and_used() {
    run 0 vectors build wordnet --from "$tiny" --dim 16 -o v.st
    says "v.st: 37 words x 16 float32"
    run 0 vectors nearest v.st dog -k 3 --json
    json_holds '"puppy" in [n["word"] for n in d[0]["neighbours"]]'
    run 0 vectors nearest v.st "oak tree" -k 1 --json
    json_holds 'd[0]["match"] == "exact" and d[0]["neighbours"][0]["word"] == "oak"'
    run 0 inspect v.st
    says WordNet
}

case_json_says_what_was_written() {
    run 0 vectors build wordnet --from "$tiny" --dim 8 --f16 -o v.st --json
    json_holds 'd["words"] == 37 and d["dim"] == 8 and d["type"] == "float16" and d["source"]["words"] == 37'
}

case_threads_and_repetition_change_nothing() {
    run 0 vectors build wordnet --from "$tiny" -d 8 -o a.st --threads 1
    run 0 vectors build wordnet --from "$tiny" -d 8 -o b.st --threads 2
    cmp a.st b.st || complain "two threads write something else"
}

case_a_model_is_trained_with_them() {
    make_collection
    printf 'dog\ncar\ntree\nbird\nwolf\nsoil\n' >words
    sed -i 's/cat/wolf/g; s/sea/soil/g; s/sky/bird/g' photos/tags.txt
    run 0 vectors build wordnet --from "$tiny" -d 8 -o v.st
    run 0 train photos --vectors v.st -o m.f0t --method linear --quiet
    run 0 tag m.f0t photos --vocab words --vectors v.st -k 2
}

# dog, then what a dog is; the same in the sidecar, as words and as a path.
case_general_words_come_after_the_tags() {
    local i
    for i in $(seq 0 23); do colour="hsl($((i % 2 * 180 + i / 4)),90%,50%)" draw "art/p$i.svg" "$([ $((i % 2)) = 0 ] && echo puppy || echo car)"; done
    printf 'puppy 1 0\ncar 0 1\n' >vectors.txt
    run 0 train art --vectors vectors.txt -o art.f0t --quiet --epochs 1
    mkdir new
    colour="hsl(1,90%,50%)" draw new/1.svg
    run 0 tag art.f0t new -k 1 --hierarchy wordnet --wordnet "$tiny" --xmp
    says "new/1.svg: puppy, dog, animal"
    grep -q '<rdf:li>animal|dog|puppy</rdf:li>' new/1.svg.xmp && grep -q '<rdf:li>animal</rdf:li>' new/1.svg.xmp ||
        complain "$(cat new/1.svg.xmp)"
    run 0 tag art.f0t new -k 1 --hierarchy wordnet --wordnet "$tiny" --json
    json_holds '[t["confidence"] for t in d[0]["tags"]] == [d[0]["tags"][0]["confidence"]] * 3'
    run 0 tag art.f0t new -k 2 --hierarchy wordnet --wordnet "$tiny" --json
    json_holds 'len(d[0]["tags"]) == 6 and d[0]["tags"][2]["tag"] in ("dog", "animal")'
    run 0 tag art.f0t new -k 1
    says "new/1.svg: puppy"
    refuse 2 "--wordnet needs --hierarchy wordnet" tag art.f0t new --wordnet "$tiny"
    refuse 3 "wordnet-base" tag art.f0t new --hierarchy wordnet --wordnet nowhere
}

case_wrong_uses_are_refused() {
    refuse 2 "no file to write" vectors build wordnet --from "$tiny"
    refuse 2 "only be built from wordnet" vectors build glove -o v.st
    refuse 2 "'0' is not a whole number from 1" vectors build wordnet -d 0 -o v.st
    refuse 2 "at most 4096" vectors build wordnet -d 5000 -o v.st
    refuse 3 "wordnet-base" vectors build wordnet --from /nowhere -o v.st
    mkdir broken && cp "$tiny"/* broken && echo "junk" >>broken/data.noun
    refuse 3 "data.noun:26:" vectors build wordnet --from broken -o v.st
    [ ! -e v.st ] || complain "a failed build left a file"
}

run_cases
