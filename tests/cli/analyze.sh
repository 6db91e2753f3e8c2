#!/usr/bin/env bash
# The study of rankability: analyze.
. "$(dirname "$0")/lib.sh"

# 120 images with two to five of eight tags; vectors of six dimensions.
make_labels() {
    make_collection
    /usr/bin/python3 - <<'PY'
import random
random.seed(5)
words = ["cat", "dog", "sea", "sky", "tree", "car", "boat", "rain"]
with open("tags.txt", "w") as f:
    for _ in range(120):
        f.write("\t".join(random.sample(words, random.randint(2, 6))) + "\n")
PY
}

files() {
    local name
    for name in "$@"; do
        [ -s "$name" ] || complain "$name is not there, or empty"
    done
}

case_labels_alone_are_enough() {
    make_labels
    run 0 analyze tags.txt --vectors vectors.txt -o study --unseen 2
    says "vectors.txt"
    says "Existence:"
    says "Generalisation:"
    says "study/index.html"
    files study/{index.html,existence.svg,satisfied.svg,generalisation.svg,directions.svg,curves.csv,study.json}
    files study/offsets-1{-pca.svg,-tsne.svg,.csv}
    [ "$(wc -l <study/curves.csv)" = 8 ] || complain "curves.csv has not a line for each lambda"
}

case_a_dataset_is_studied_and_read_by_programs() {
    make_labels
    run 0 analyze photos --vectors vectors.txt --unseen none --dims 2,6 --control --json -o study \
        --lambdas 0.01,1 --image 3
    json_holds 'd["rules"] > 10 and d["unseen"] == [] and d["lambdas"] == [0.01, 1]'
    json_holds '[(c["dim"], c["control"]) for c in d["curves"]] == [(2, False), (2, True), (6, False), (6, True)]'
    json_holds 'd["curves"][2]["existence"][0] > 99 and d["curves"][2]["generalisation"] is None'
    json_holds 'd["pictures"][0]["image"] == "3"'
    [ ! -e study/generalisation.svg ] || complain "there is a figure of what was not asked"
}

case_the_same_seed_gives_the_same_files() {
    local n name
    make_labels
    for n in 1 2; do
        run 0 analyze tags.txt --vectors vectors.txt --unseen 25% --seed 4 -o study$n --threads $n
    done
    for name in existence.svg offsets-1-pca.svg offsets-1-tsne.svg curves.csv; do
        cmp -s study1/$name study2/$name || complain "$name differs"
    done
    run 0 analyze tags.txt --vectors vectors.txt --unseen 25% --seed 5 -o study3
    cmp -s study1/curves.csv study3/curves.csv && complain "another seed changes nothing"
}

# Words that are no tags join the irrelevant ones; a file that has fewer than were asked for has all.
case_words_of_the_file_are_irrelevant_tags() {
    make_labels
    /usr/bin/python3 - <<'PY'
import random
random.seed(7)
with open("vectors.txt") as f:
    known = f.read()
with open("many.txt", "w") as f:
    f.write(known)
    for i in range(300):
        f.write("w%d " % i + " ".join("%.4f" % random.gauss(0, 1) for _ in range(6)) + "\n")
    twin = known.splitlines()[0].split(" ", 1)[1]
    f.write("twin %s\nsame 1 2 3 4 5 6\nagain 1 2 3 4 5 6\n" % twin)
PY
    run 0 analyze tags.txt --vectors many.txt --unseen 2 --lambdas 0.01,1 \
        --vocabulary-sizes 20,200,1000,all -o study
    says "dimension alone"
    files study/vocabulary.{svg,csv}
    [ "$(wc -l <study/vocabulary.csv)" = 19 ] || complain "vocabulary.csv has not 3 sizes x 2 x 3 lines"
    run 0 analyze tags.txt --vectors many.txt --unseen 2 --dims 3,6 --vocabulary-sizes 50,all --json -o study
    json_holds '[(v["images"]["dim"], v["tags"]) for v in d["vocabularies"]] == [(3, 56), (3, d["vocabularies"][1]["tags"]), (6, 56), (6, d["vocabularies"][1]["tags"])]'
    # 301 new words (one of those with one vector, none with a tag's), the other words of the file, the six seen tags
    json_holds "d['vocabularies'][1]['tags'] == 301 + $(wc -l <vectors.txt) - 8 + 6"
    json_holds 'd["vocabularies"][0]["chance"] < d["vocabularies"][2]["chance"] < 100'
    json_holds 'max(d["vocabularies"][3]["images"]["satisfied"]) <= max(d["vocabularies"][2]["images"]["satisfied"])'
    refuse 2 "must ascend" analyze tags.txt --vectors many.txt -o none --vocabulary-sizes 20,10
    refuse 2 "a list such as" analyze tags.txt --vectors many.txt -o none --vocabulary-sizes ""
    refuse 2 "'x' is not a list" analyze tags.txt --vectors many.txt -o none --vocabulary-sizes x,all
    refuse 2 "has a fraction" analyze tags.txt --vectors many.txt -o none --vocabulary-sizes 1.5
}

case_wrong_use_is_told() {
    make_labels
    refuse 2 "missing --vectors FILE" analyze tags.txt -o study
    refuse 2 "missing -o DIR" analyze tags.txt --vectors vectors.txt
    refuse 2 "--dims: 'a' is not a list" analyze tags.txt --vectors vectors.txt -o study --dims a
    refuse 2 "--dims: '2.5' has a fraction" analyze tags.txt --vectors vectors.txt -o study --dims 2.5
    refuse 2 "--lambdas: '1,0' is not a list" analyze tags.txt --vectors vectors.txt -o study --lambdas 1,0
    refuse 2 "must ascend" analyze tags.txt --vectors vectors.txt -o study --lambdas 10,1
    refuse 2 "unseen tags 'x'" analyze tags.txt --vectors vectors.txt -o study --unseen x
    refuse 2 "image 'nobody'" analyze tags.txt --vectors vectors.txt -o study --image nobody
    refuse 3 "nowhere" analyze nowhere --vectors vectors.txt -o study
    refuse 3 "nowhere" analyze tags.txt --vectors nowhere -o study
    printf 'xyz 1 2\nzyx 2 1\n' >other.txt
    refuse 3 "0 of its 8 tags have a vector" analyze tags.txt --vectors other.txt -o study
    [ ! -e study ] || complain "a study that failed left a folder"
}

# Interruption ends it soon and leaves nothing behind.
case_it_can_be_interrupted() {
    make_labels
    for _ in $(seq 400); do cat tags.txt; done | shuf --random-source=<(yes) >many.txt
    "$FAST0TAG" analyze many.txt --vectors vectors.txt -o study --lambdas \
        "$(seq -s, 0.001 0.011 0.9)" >"$out" 2>"$err" &
    local pid=$!
    sleep 0.3
    kill -INT $pid 2>/dev/null
    wait $pid
    local code=$?
    if [ $code = 0 ]; then
        skip "it was done before it could be interrupted"
        return
    fi
    [ $code = 1 ] || complain "exit $code"
    warns "interrupted"
    [ ! -e study ] || complain "it left a folder"
}

# What a browser makes of the page and a figure: nothing on its console, and a picture of some size.
case_a_browser_shows_it() {
    if ! command -v chromium >/dev/null; then
        skip "there is no chromium to look with"
        return
    fi
    make_labels
    mv vectors.txt a_name_of_a_file_that_is_longer_than_a_phone_is_wide_and_has_no_place_to_break.txt
    run 0 analyze tags.txt --vectors a_name_of_*.txt -o study --unseen 2
    local page
    for page in index.html offsets-1-pca.svg existence.svg; do
        HOME=$PWD timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
            --enable-logging=stderr --window-size=1000,1400 --screenshot="$PWD/shot.png" \
            "file://$PWD/study/$page" >"$out" 2>&1 ||
            complain "chromium failed on $page: $(tail -n 3 "$out")"
        ! grep -q 'CONSOLE' "$out" || complain "$page: $(grep CONSOLE "$out")"
        [ "$(stat -c %s shot.png 2>/dev/null || echo 0)" -gt 8000 ] || complain "$page shows nothing"
        rm -f shot.png
    done
    HOME=$PWD timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --dump-dom "file://$PWD/study/index.html" >dom.html 2>/dev/null
    [ "$(grep -o '<svg' dom.html | wc -l)" = "$(find study -name '*.svg' | wc -l)" ] ||
        complain "the page has not the figures that stand beside it"
    ! grep -q 'parsererror' dom.html || complain "the page has a figure that is not well-formed"
    grep -q 'How to read this' study/index.html || complain "the page does not say how to read it"
    fits_screens study/index.html
}

run_cases
