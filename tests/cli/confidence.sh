#!/usr/bin/env bash
# Tags that are sure enough: --confidence, --precision, --recall.
. "$(dirname "$0")/lib.sh"

# A model of 60 images that says how sure it is.
make_sure_model() {
    make_collection
    [ -e "$scratch/.sure" ] || run 0 train photos --vectors vectors.txt -o "$scratch/.sure" --method blend --epochs 4
    cp "$scratch/.sure" m.f0t
}

case_every_tag_has_a_confidence() {
    make_sure_model
    run 0 tag m.f0t photos -k 6 --json
    json_holds 'all(0 < t["confidence"] < 1 for r in d for t in r["tags"])'
    json_holds 'all(a["confidence"] >= b["confidence"] for r in d for a, b in zip(r["tags"], r["tags"][1:]))'
    run 0 tag m.f0t photos -k 2 --format csv
    says "image,rank,tag,score,confidence"
    grep -qE '^1,1,[a-z]+,-?[0-9.e-]+,0\.[0-9]+$' "$out" || complain "no confidence: $(head -2 "$out")"
    run 0 train photos --vectors vectors.txt -o linear.f0t --method linear
    run 0 tag linear.f0t photos -k 2 --json
    json_holds 'all(t["confidence"] is None for r in d for t in r["tags"])'
    run 0 tag linear.f0t photos -k 2 --format tsv
    grep -qP '^1\t1\t[a-z]+\t[^\t]+\t$' "$out" || complain "a confidence from nowhere: $(head -2 "$out")"
}

case_only_sure_tags_are_taken() {
    make_sure_model
    run 0 tag m.f0t photos -k 6 --json
    cp "$out" all.json
    run 0 tag m.f0t photos --confidence 0.5 --json
    json_holds '[[t["tag"] for t in r["tags"]] for r in d] == [[t["tag"] for t in r["tags"] if t["confidence"] >= 0.5] for r in json.load(open("all.json"))]'
    json_holds 'any(len(r["tags"]) < 6 for r in d)'
    run 0 tag m.f0t photos --confidence 0.01 --max 2 --json
    json_holds 'max(len(r["tags"]) for r in d) == 2'
    run 0 tag m.f0t photos --confidence 0.999999 --part test
    [ "$(head -n 1 "$out")" = "1:" ] || [ "$(head -n 1 "$out")" = "5:" ] || complain "not an empty set: $(head -n 1 "$out")"
    printf 'lake\nlorry\n' >words.txt
    run 0 tag m.f0t photos --vocab words.txt --vectors vectors.txt --with-seen --confidence 0.3 --json
    json_holds 'all(t["confidence"] >= 0.3 for r in d for t in r["tags"])'
}

case_promises_are_kept_or_refused() {
    make_sure_model
    run 0 tag m.f0t photos --precision 0.3 --json
    warns "learned tags: a precision of 0.3 is promised to those of confidence "
    json_holds 'sum(len(r["tags"]) for r in d) > 0'
    run 0 tag m.f0t photos --recall 0.9 --json
    warns "learned tags: a recall of 0.9 is promised to those of confidence "
    run 3 tag m.f0t photos --precision 0.99
    warns "a precision of 0.99 cannot be promised from 48 held-out images: 0."
    warns " is the most they promise"
}

case_what_cannot_be_meant_is_told() {
    make_sure_model
    run 0 train photos --vectors vectors.txt -o linear.f0t --method linear
    for option in confidence precision recall; do
        refuse 2 "--$option needs a model that says how sure it is, of 'train --method blend'; this one is of linear" \
            tag linear.f0t photos --$option 0.5
        refuse 2 "--$option: 2 is not between 0 and 1" tag m.f0t photos --$option 2
        refuse 2 "--$option: 0 is not between 0 and 1" tag m.f0t photos --$option 0
        refuse 2 "--top and --$option exclude each other" tag m.f0t photos --$option 0.5 -k 3
        refuse 2 "--$option: 'high' is not a number" tag m.f0t photos --$option high
    done
    refuse 2 "--precision: 'bf16' is not a number; what took it is --arithmetic now" tag m.f0t photos --precision bf16
    refuse 2 "--confidence and --precision exclude each other" tag m.f0t photos --confidence 0.5 --precision 0.5
    refuse 2 "--max and --recall exclude each other" tag m.f0t photos --recall 0.5 --max 3
    refuse 2 "--max needs --confidence or --precision" tag m.f0t photos --max 3
}

# Red and green pictures, some of which are neither.
case_sidecars_hold_what_is_sure() {
    local i names=(red green blue yellow)
    for i in $(seq 0 47); do
        colour="hsl($((i % 4 * 90 + i / 4)),90%,50%)" draw "art/p$i.svg" "${names[i % 4]}"
    done
    printf 'red 1 0 0 0\ngreen 0 1 0 0\nblue 0 0 1 0\nyellow 0 0 0 1\n' >vectors.txt
    run 0 train art --vectors vectors.txt -o art.f0t --method blend --epochs 4
    mkdir new
    colour='hsl(93,90%,50%)' draw new/leaf.svg
    # Without any option that chooses tags only what is sure is written, and the output says so.
    colour='hsl(45,30%,50%)' draw new/doubt.svg
    run 0 tag art.f0t new --confidence 0.6 --max 5 --json
    cp "$out" sure.json
    run 0 tag art.f0t new --xmp --json
    warns "tags of at least 60 %, at most 5 per picture; --confidence changes it"
    cmp -s "$out" sure.json || complain "not what is sure: $(cat "$out")"
    json_holds 'sum(len(r["tags"]) for r in d) < 2 * len(d)'
    warns "picture"
    run 0 tag art.f0t new --xmp --max 3
    warns "tags of at least 60 %, at most 3 per picture"
    run 0 tag art.f0t new --json
    json_holds 'all(len(r["tags"]) == 4 for r in d)' # to be looked at: all of them
    run 0 tag art.f0t new --confidence 0.999999 --xmp --dry-run
    warns "2 of 2 pictures have no tag that is sure enough"
    run 0 tag art.f0t new -k 3 --xmp --dry-run
    ! grep -qE "at least|changes it" "$err" || complain "$(cat "$err")"
    refuse 2 "--max needs --confidence or --precision" tag art.f0t new -k 3 --max 3 --xmp
    run 0 train art --vectors vectors.txt -o linear.f0t --method linear
    run 0 tag linear.f0t new --xmp --force --dry-run
    warns "a model of linear does not say how sure it is: the best 5 tags of each picture, right or wrong; -k changes it"
    refuse 2 "--max needs --confidence or --precision" tag linear.f0t new --max 3 --xmp
    rm new/*.xmp new/doubt.svg
    run 0 tag art.f0t new -k 2 --xmp
    [ "$(grep -cE '<rdf:li>(red|green|blue|yellow)</rdf:li>' new/leaf.svg.xmp)" -ge 2 ] || complain "not two tags"
    run 0 tag art.f0t new --confidence 0.3 --json
    json_holds 'len(d[0]["tags"]) == 1'
    run 0 tag art.f0t new --confidence 0.3 --xmp
    [ "$(grep -oE '<rdf:li>(red|green|blue|yellow)</rdf:li>' new/leaf.svg.xmp | sort -u | wc -l)" = 1 ] ||
        complain "more than what is sure: $(cat new/leaf.svg.xmp)"
    # Nothing is sure: what was written before goes, and nothing new comes.
    run 0 tag art.f0t new --confidence 0.999999 --xmp
    ! grep -qE '<rdf:li>(red|green|blue|yellow)</rdf:li>' new/leaf.svg.xmp || complain "a tag that is not sure stayed"
    rm new/leaf.svg.xmp
    run 0 tag art.f0t new --confidence 0.999999 --xmp
    [ ! -e new/leaf.svg.xmp ] || complain "a sidecar for nothing: $(cat new/leaf.svg.xmp)"
}

run_cases
