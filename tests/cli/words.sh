#!/usr/bin/env bash
# Words mean one thing everywhere: in other letters' case, number and spelling, and as synonyms.
. "$(dirname "$0")/lib.sh"
export LC_ALL=C.UTF-8 XDG_DATA_HOME=$scratch/.data LOGNAME=ann

# kind HUE COUNT NAME KEYWORDS…: drawings of one hue.
kind() {
    local hue=$1 count=$2 name=$3 n
    shift 3
    for n in $(seq 1 "$count"); do colour="hsl($((hue + n)),85%,$((45 + n % 5))%)" draw "art/$name$n.svg" "$@"; done
}

# c.f0t, a catalogue that has learned from drawings: forms of dog, of tree (with one more keyword) and of bicycle, and
# "glass" and "glasses", which are both in use.
learn_catalogue() {
    local w
    kind 0 14 dog dog
    kind 14 3 dogs dogs
    kind 17 2 capitals Dog
    kind 19 2 shouted DOGS
    kind 100 14 tree tree
    kind 114 3 trees trees
    kind 120 2 planted TREES "palm tree"
    kind 200 8 bike bike
    kind 208 4 bicycle Bicycles
    kind 280 12 glass glass
    kind 320 12 glasses glasses
    colour='hsl(8,85%,47%)' draw art/new1.svg
    colour='hsl(108,85%,47%)' draw art/new2.svg
    for w in "dog 1 0 0 0 0" "tree 0 1 0 0 0" "bike 0 0 1 0 0" "glass 0 0 0 1 0" "glasses 0 0 0 0 1" "bicycle 0 0 1 .1 0"; do
        echo "$w"
    done >vectors.txt
    echo "bicycle, bike, cycling" >synonyms.txt
    run 0 index art -c c.f0t --quiet
    run 0 train -c c.f0t --vectors vectors.txt --synonyms synonyms.txt -o m.f0t --without direction,tags --quiet
}

# No suggestion repeats a keyword, and some are left.
repeats_nothing() {
    run 0 review --json -c c.f0t --confidence 0 -k 99
    /usr/bin/python3 - "$out" <<'PY' || complain "a suggestion repeats a keyword"
import json, sys
one = {"dogs": "dog", "trees": "tree", "bike": "bicycle", "bikes": "bicycle", "bicycles": "bicycle", "cycling": "bicycle"}
same = lambda word: one.get(word.lower(), word.lower())
pictures = json.load(open(sys.argv[1]))
shown = [(p, s["tag"]) for p in pictures for s in p["suggestions"] if s["decision"] == "undecided"]
again = [(p["picture"], tag) for p, tag in shown if same(tag) in map(same, p["keywords"])]
sys.exit(bool(again) or not shown)
PY
}

# is_offered NAME TAG: the tag waits for a decision about art/NAME.svg.
is_offered() {
    run 0 review --json -c c.f0t --confidence 0 -k 99
    /usr/bin/python3 - "$out" "$@" <<'PY'
import json, sys
sys.exit(not any(s["tag"] == sys.argv[3] and s["decision"] == "undecided" for p in json.load(open(sys.argv[1]))
                 for s in p["suggestions"] if p["picture"].endswith("/" + sys.argv[2] + ".svg")))
PY
}

case_what_is_one_tag_is_one_everywhere() {
    local word
    learn_catalogue
    repeats_nothing
    for word in dog dogs Dog DOGS; do
        run 0 find "tag:$word" -c c.f0t -k 99 --json
        json_holds 'len(d["pictures"]) == 21'
    done
    run 0 find Trees -c c.f0t -k 99 --json
    json_holds 'd["words"][0]["kind"] == "learned" and sum(p["tagged"] for p in d["pictures"]) == 19'
    run 0 find dog -dogs -c c.f0t -k 99 --json
    json_holds 'not d["pictures"]'
    run 0 find tag:cycling -c c.f0t -k 99 --json
    json_holds 'len(d["pictures"]) == 12'
    run 0 find tag:glass -c c.f0t -k 99 --json # two tags: both are in use
    json_holds 'len(d["pictures"]) == 12'
}

case_decisions_are_about_tags() {
    learn_catalogue
    is_offered new1 dog || complain "dog is not offered"
    run 0 reject art/new1.svg DOGS -c c.f0t
    ! is_offered new1 dog || complain "dog is offered although DOGS is rejected"
    run 0 accept art/dogs1.svg Dog glass -c c.f0t # its keyword is "dogs"
    run 0 accept art/new2.svg Trees -c c.f0t
    run 0 write -c c.f0t
    grep -q glass art/dogs1.svg.xmp || complain "glass was not written"
    ! grep -q '>Dog<' art/dogs1.svg.xmp || complain "Dog was written beside dogs"
    grep -q Trees art/new2.svg.xmp || complain "Trees was not written"
    run 0 write -c c.f0t # nothing is left
    ! grep -q dogs1 "$out" || complain "the same again: $(cat "$out")"
    run 0 tag m.f0t art/shouted1.svg art/new1.svg --xmp --confidence 0.01
    ! grep -qi '>dog<' art/shouted1.svg.xmp || complain "dog was written beside DOGS"
    grep -q '>dog<' art/new1.svg.xmp || complain "dog was not written"
}

case_a_refit_has_no_new_forms_of_old_tags() {
    learn_catalogue
    kind 30 2 puppies Puppy
    kind 32 1 pups puppies
    kind 33 1 numbered IMG_1234 2025
    kind 130 2 grove "Tree"
    kind 132 2 ridden cycling
    run 0 index art -c c.f0t --quiet
    run 0 train -c c.f0t --refit --json
    json_holds 'd["tags"] == 6 + 1' # dog, tree, palm tree, bicycle, glass, glasses; Puppy
    repeats_nothing
}

case_a_catalogue_knows_it_without_its_model() {
    learn_catalogue
    rm m.f0t
    run 0 accept art/new1.svg bikes -c c.f0t
    ! is_offered new1 bicycle || complain "bicycle is offered although bikes is accepted"
    /usr/bin/python3 -c 'import sqlite3
c = sqlite3.connect("c.f0t")
print(c.execute("SELECT count(DISTINCT same) FROM tags WHERE lower(name) IN (\"bike\", \"bikes\", \"bicycles\", \"bicycle\")").fetchone()[0])' >"$out"
    says 1
}

run_cases
