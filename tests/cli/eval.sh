#!/usr/bin/env bash
# Comparing methods: eval.
. "$(dirname "$0")/lib.sh"

# A collection with lists of seen and unseen tags.
make_split_collection() {
    make_collection
    printf 'cat\ndog\nsea\nsky\n' >photos/seen.txt
    printf 'tree\ncar\n' >photos/unseen.txt
}

case_methods_are_compared() {
    make_split_collection
    run 0 eval photos --vectors vectors.txt --methods random,frequency,linear
    says "Conventional tagging: 12 test images, 6 tags"
    says "Zero-shot tagging: 12 test images, 2 tags"
    says "Open tagging"
    says "– Frequency: ranks only tags that it was trained with"
    warns "linear: MiAP zero-shot"
    [ -z "$(ls fast0tag-eval-* 2>/dev/null)" ] || complain "the results file was left"
}

case_json_is_as_the_design_says() {
    make_split_collection
    run 0 eval photos --vectors vectors.txt --methods random,frequency --json --quiet
    json_holds 'len(d) == 10 and all(r["images"] == 12 for r in d)'
    json_holds 'list(d[0])[:11] == ["method", "scenario", "images", "tags", "miap", "p3", "r3", "f3", "p5", "r5", "f5"]'
    json_holds 'all(k in d[0] for k in ["class_p3", "class_f5", "map", "train_s", "test_s", "n_plus5", "miap_all", "map_all"])'
    json_holds '[r["miap"] for r in d if r["method"] == "frequency" and r["scenario"] == "zero-shot"] == [None]'
    json_holds 'all(0 <= r["miap"] <= 100 for r in d if r["miap"] is not None)'
    [ ! -s "$err" ] || complain "--quiet is not quiet: $(cat "$err")"
}

case_tables_come_in_every_form() {
    make_split_collection
    local args="eval photos --vectors vectors.txt --methods random,frequency --scenarios conventional --no-tune"
    run 0 $args --format markdown --per-class
    says "| Method % | MiAP | P K = 3 |"
    says "means over tags"
    run 0 $args --format csv -k 1,2
    says "method,scenario,images,tags,repeats,miap,p1,r1,f1,p2,r2,f2,"
    [ "$(wc -l <"$out")" = 3 ] || complain "not a line for each method"
    run 0 $args --format latex
    says '\begin{tabular}{lrrrrrrrrrrr}'
    run 0 $args --compare-paper iaprtc12
    says "is a misprint"
    run 0 $args --repeat 3
    says "mean ± standard deviation of 3 runs"
}

case_the_paper_stands_under_ours() {
    make_split_collection
    run 0 eval photos --vectors vectors.txt --methods random,linear --scenarios zero-shot --compare-paper nuswide
    says "the paper's Table 2 ranks 81 tags"
    says "  the paper"
    says "  difference"
    says "is swapped"
    grep -qE '^  the paper +40\.1 +21\.8' "$out" || complain "not the published row: $(cat "$out")"
}

case_a_page_is_written() {
    make_split_collection
    run 0 eval photos --vectors vectors.txt --methods random,linear --html page --quiet
    grep -q '</html>' page/index.html || complain "no page"
    grep -q '<svg' page/index.html || complain "no chart"
    grep -qE 'class="(right|wrong)"' page/index.html || complain "no tags"
    ! grep -qE '(src|href)="(http|//)' page/index.html || complain "the page needs something else"
    run 0 eval photos --vectors vectors.txt --methods random --html page --figure random --quiet
    refuse 2 "none of the methods compared" \
        eval photos --vectors vectors.txt --methods random --html page2 --figure net --quiet
}

case_the_same_seed_gives_the_same_results() {
    make_collection
    local args="eval photos --vectors vectors.txt --methods random,linear --unseen 33% --format csv --seed 4"
    run 0 $args
    cut -d, -f1-17 "$out" >first
    run 0 $args
    cut -d, -f1-17 "$out" | cmp -s - first || complain "the results differ"
}

case_results_are_kept_and_used() {
    make_split_collection
    local args="eval photos --vectors vectors.txt --results kept.jsonl"
    run 0 $args --methods random
    run 0 $args --methods random,frequency
    warns "results of this comparison are there"
    ! grep -q "^random:" "$err" || complain "random was run again"
    [ "$(wc -l <kept.jsonl)" = 11 ] || complain "not a line for each result: $(wc -l <kept.jsonl)"
    refuse_seed=$(head -c 300 kept.jsonl)
    run 3 $args --methods random --seed 9
    warns "another comparison"
    [ "$(head -c 300 kept.jsonl)" = "$refuse_seed" ] || complain "refused results were changed"
}

case_an_interrupted_comparison_goes_on() {
    make_split_collection
    local args="eval photos --vectors vectors.txt --methods random,cca,linear,linear-rank --format csv --trials 3 --epochs 20"
    for wait in 0.1 0.2 0.4; do
        timeout -k 10 -s INT $wait "$FAST0TAG" $args >/dev/null 2>&1
        timeout -s KILL $wait "$FAST0TAG" $args >/dev/null 2>&1
    done
    run 0 $args
    cut -d, -f1-18 "$out" >parts
    run 0 $args
    cut -d, -f1-18 "$out" | cmp -s - parts || complain "the resumed results differ"
}

case_tags_without_a_vector_are_told() {
    make_collection
    sed -i '1s/$/\tzebra crossing/' photos/tags.txt
    run 0 eval photos --vectors vectors.txt --methods random,frequency --scenarios conventional --unseen 2
    warns "1 of 7 tags have no vector; no method ranks them: zebra crossing"
    says "12 test images, 6 tags"
}

case_methods_are_listed() {
    run 0 eval --list
    says "frequency"
    says "Zero-Shot Image Tagging, CVPR 2016"
    run 0 eval --list --json
    json_holds 'd[0]["method"] == "random" and d[0]["source"]'
}

case_wrong_use_is_told() {
    make_split_collection
    refuse 2 "a DATASET is missing" eval --vectors vectors.txt
    refuse 2 "--vectors FILE is missing" eval photos
    refuse 2 "there is no method 'nett'" eval photos --vectors vectors.txt --methods nett
    refuse 2 "there is no scenario 'zero'" eval photos --vectors vectors.txt --scenarios zero
    refuse 2 "a list of numbers" eval photos --vectors vectors.txt -k 3,x
    refuse 2 "hidden layers '0'" eval photos --vectors vectors.txt --hidden 16,0
    refuse 2 "a share such as 20%" eval photos --vectors vectors.txt --unseen lots
    refuse 2 "two at least" eval photos --vectors vectors.txt --unseen 6
    refuse 2 "is not one of" eval photos --vectors vectors.txt --format xml
    refuse 2 "is not one of" eval photos --vectors vectors.txt --compare-paper coco
    refuse 2 "exclude each other" eval photos --vectors vectors.txt --json --format csv
    refuse 2 "--html" eval photos --vectors vectors.txt --figure net
    refuse 2 "at the most" eval photos --vectors vectors.txt --repeat 100000
    refuse 3 "nowhere" eval nowhere --vectors vectors.txt
    refuse 3 "nowhere" eval photos --vectors nowhere
    rm photos/features.npy
    refuse 3 "has no features" eval photos --vectors vectors.txt --methods random
    [ -z "$(ls fast0tag-eval-* 2>/dev/null)" ] || complain "a failed comparison left a file"
}

run_cases
