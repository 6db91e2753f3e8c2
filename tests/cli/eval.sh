#!/usr/bin/env bash
# Comparing methods: eval.
. "$(dirname "$0")/lib.sh"
bench=$(cd "$(dirname "$0")/../../bench" && pwd)

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
    json_holds 'all(0 < r["ece"] <= r["ece_first"] and r["set_f"] > 0 for r in d if r["method"] == "frequency" and r["miap"])'
    json_holds 'all(r[k] is None for r in d if r["method"] == "random" for k in ("ece", "ece_first", "brier", "set_threshold", "set_f"))'
    json_holds 'all(r["miap_low"] <= r["miap"] <= r["miap_high"] for r in d if r["miap"])'
    json_holds '[r["rival"] for r in d if r["scenario"] == "conventional"] == ["frequency", "random"]'
    json_holds 'all(x["low"] <= x["miap"] <= x["high"] and 0 < x["p"] <= 1 for r in d for x in r["differences"].values())'
    json_holds 'all(0 < r["rival_p"] <= 1 for r in d if r["rival"]) and sum(r["rival_difference"] for r in d if r["rival"]) == 0'
    run 0 eval photos --vectors vectors.txt --methods frequency --scenarios zero-shot --json --quiet -k 2
    json_holds 'list(d[0])[:6] == ["method", "scenario", "images", "tags", "miap", "p2"] and d[0]["miap"] is None'
    run 0 eval photos --vectors vectors.txt --methods frequency --scenarios zero-shot --format csv --quiet -k 2
    says "method,scenario,images,tags,repeats,miap,p2,r2,f2,"
    run 0 eval photos --vectors vectors.txt --methods random,frequency --json --quiet
    json_holds 'all(0 <= r["miap"] <= 100 for r in d if r["miap"] is not None)'
    [ ! -s "$err" ] || complain "--quiet is not quiet: $(cat "$err")"
}

case_tables_come_in_every_form() {
    make_split_collection
    local args="eval photos --vectors vectors.txt --methods random,frequency --scenarios conventional --no-tune"
    run 0 $args --format markdown --per-class
    says "| Method % | MiAP | P K = 3 |"
    says "means over tags (P*: of those ever predicted)"
    says "| Method % | P K = 3 | P* K = 3 | R K = 3 | F1 K = 3 | N+ K = 3 |"
    run 0 $args --format csv -k 1,2
    says "method,scenario,images,tags,repeats,miap,p1,r1,f1,p2,r2,f2,"
    [ "$(wc -l <"$out")" = 3 ] || complain "not a line for each method"
    run 0 $args --format text
    says "Conventional tagging, confidences: "
    [ "$(grep -c ^Random "$out")" = 1 ] || complain "random claims to be sure"
    run 0 $args --methods random
    ! grep -q confidences "$out" || complain "a table of confidences that nobody has"
    run 0 $args --format latex
    says '\begin{tabular}{lrrrrrrrrrrr}'
    run 0 $args --compare-paper iaprtc12
    says "is a misprint"
    ! grep -q "what chance" "$out" || complain "a table of chance without being asked"
    run 0 $args --repeat 3
    says "Conventional tagging, what chance may have done: 12 test images, 3 runs"
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
    run 0 eval photos --vectors vectors.txt --methods random,linear --html page --figure all --quiet
    grep -q '<th class="l">zero-shot<br>Random' page/index.html || complain "not all methods are shown"
    refuse 2 "none of the methods compared" \
        eval photos --vectors vectors.txt --methods random --html page2 --figure net --quiet
}

case_the_page_is_for_anybody_on_any_screen() {
    make_split_collection
    run 0 eval photos --vectors vectors.txt --methods random,frequency,linear --html page --figure all --quiet
    grep -q 'How to read this' page/index.html || complain "the page does not say how to read it"
    grep -q '<abbr title="how well the tags are ranked' page/index.html || complain "MiAP is not explained"
    [ "$(grep -c 'data-head="zero-shot, ' page/index.html)" -gt 0 ] || complain "cells of the gallery have no heads"
    fits_screens page/index.html
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
    warns "kept.jsonl: 5 of 10 results are there"
    ! grep -q "^random:" "$err" || complain "random was run again"
    [ "$(wc -l <kept.jsonl)" = 11 ] || complain "not a line for each result: $(wc -l <kept.jsonl)"
    refuse_seed=$(head -c 300 kept.jsonl)
    refuse 3 "another comparison" $args --methods random --seed 9
    [ "$(head -c 300 kept.jsonl)" = "$refuse_seed" ] || complain "refused results were changed"
}

case_an_interrupted_comparison_goes_on() {
    make_split_collection
    local args="eval photos --vectors vectors.txt --methods random,cca,linear,linear-rank --format csv --trials 3 --epochs 50"
    local signal
    for signal in INT KILL; do
        stop_when_something_is_kept $signal $args
        run 0 $args
        grep -qE "^fast0tag-eval-.*: [0-9]+ of 20 results are there" "$err" || complain "it began anew"
        [ -z "$(ls fast0tag-eval-*.jsonl fast0tag-eval-*.lock 2>/dev/null)" ] || complain "left: $(ls)"
        cut -d, -f1-18 "$out" >parts-$signal
        rm -f fast0tag-eval-*
    done
    run 0 $args
    ! grep -q "results are there" "$err" || complain "it did not begin anew"
    for signal in INT KILL; do
        cut -d, -f1-18 "$out" | cmp -s - parts-$signal || complain "the resumed results differ"
    done
}

# Starts the program, and sends the signal as soon as there is a results file.
stop_when_something_is_kept() {
    local signal=$1 code
    shift
    "$FAST0TAG" "$@" >"$out" 2>"$err" &
    local until=$((SECONDS + 60))
    until compgen -G 'fast0tag-eval-*.jsonl' >/dev/null || [ $SECONDS -gt $until ]; do :; done
    kill -$signal $!
    wait $! 2>/dev/null
    code=$?
    compgen -G 'fast0tag-eval-*.jsonl' >/dev/null || complain "nothing is kept after $signal"
    [ $signal = KILL ] && return
    [ $code = 1 ] || complain "exit $code after $signal: $(cat "$err")"
    warns "keeps what is done: the same comparison goes on from there"
    warns "interrupted"
}

case_results_of_a_larger_comparison_stay() {
    make_split_collection
    local args="eval photos --vectors vectors.txt --trials 3 --epochs 50"
    stop_when_something_is_kept INT $args --methods random,cca,linear,linear-rank
    run 0 $args --methods frequency --scenarios conventional
    warns "is kept: it has other results of this comparison as well"
    run 0 $args --methods random,cca,linear,linear-rank,frequency
    grep -qE "[0-9]+ of 25 results are there" "$err" || complain "they are lost: $(cat "$err")"
    [ -z "$(ls fast0tag-eval-* 2>/dev/null)" ] || complain "the results file was left"
}

case_results_that_could_not_be_shown_stay() {
    make_split_collection
    local args="eval photos --vectors vectors.txt --methods random --scenarios conventional"
    "$FAST0TAG" $args >/dev/full 2>"$err"
    [ $? = 1 ] || complain "a full disk is no failure"
    warns "keeps the results: the same command shows them"
    warns "could not be written to standard output"
    run 0 $args
    warns "1 of 1 results are there"
    [ -z "$(ls fast0tag-eval-* 2>/dev/null)" ] || complain "the results file was left"
}

case_one_process_at_a_time_has_the_file() {
    make_split_collection
    local args="eval photos --vectors vectors.txt --results kept.jsonl --methods random"
    exec 9>kept.jsonl.lock
    flock 9
    refuse 1 "kept.jsonl: another process works with it" $args
    exec 9>&-
    run 0 $args
    [ ! -e kept.jsonl.lock ] || complain "the lock was left"
}

case_what_cannot_be_written_is_told_at_once() {
    make_split_collection
    local args="eval photos --vectors vectors.txt --methods random"
    refuse 3 "nowhere/kept.jsonl: cannot be written" $args --results nowhere/kept.jsonl
    refuse 1 "is a folder" $args --results photos
    refuse 1 "--html vectors.txt: cannot be written: Not a directory" $args --html vectors.txt
    refuse 3 "--html nowhere/page: cannot be written" $args --html nowhere/page
    [ -z "$(ls -d fast0tag-eval-* *.lock 2>/dev/null)" ] || complain "left: $(ls)"
}

case_altered_results_are_refused() {
    make_split_collection
    local args="eval photos --vectors vectors.txt --methods random,linear --scenarios conventional --results kept.jsonl"
    run 0 $args
    sed -i '3s/"p3":[^,]*,//' kept.jsonl
    refuse 3 'kept.jsonl line 3: "values" has ' $args --json
    rm kept.jsonl
    run 0 $args
    /usr/bin/python3 -c '
data = bytearray(open("photos/features.npy", "rb").read())
data[-8 * 4 * 30] ^= 1
open("photos/features.npy", "wb").write(data)'
    refuse 3 "another comparison" $args
}

case_tags_without_a_vector_are_told() {
    make_collection
    sed -i '1s/$/\tzebra crossing/' photos/tags.txt
    run 0 eval photos --vectors vectors.txt --methods random,frequency --scenarios conventional --unseen 2
    warns "1 of 7 tags have no vector and no method ranks them; "
    warns "zebra crossing ("
    says "12 test images, 6 tags"
}

case_one_is_not_many() {
    make_split_collection
    awk '$1 == "test" && n++ { $1 = "train" } { print }' photos/split.txt >split && mv split photos/split.txt
    run 0 eval photos --vectors vectors.txt --methods "random, frequency" --scenarios conventional
    says "Conventional tagging: 1 test image, 6 tags"
}

# Colours on a terminal go by NO_COLOR, unless it is empty (no-color.org).
case_the_best_is_bold_on_a_terminal() {
    make_split_collection
    command -v script >/dev/null || { skip "there is no script(1)" && return; }
    local args="eval photos --vectors vectors.txt --methods random --scenarios conventional --quiet"
    local bold
    bold=$(printf '\033[1m')
    NO_COLOR= TERM=xterm script -qec "$FAST0TAG $args" /dev/null </dev/null >"$out"
    grep -qF "$bold" "$out" || complain "an empty NO_COLOR turns bold off"
    NO_COLOR=1 TERM=xterm script -qec "$FAST0TAG $args" /dev/null </dev/null >"$out"
    says "Random"
    ! grep -qF "$bold" "$out" || complain "NO_COLOR is not heard"
}

case_tags_without_a_split_are_compared_conventionally() {
    make_collection
    printf 'cat\ndog\nsea\nsky\ntree\n' >photos/seen.txt
    printf 'car\n' >photos/unseen.txt
    local args="eval photos --vectors vectors.txt --methods random,linear"
    run 0 $args --scenarios conventional
    says "12 test images, 6 tags"
    run 0 $args
    says "Conventional tagging: 12 test images, 6 tags"
    says "– Random, Fast0Tag (lin.): two seen and two unseen tags with a vector are needed; there are 5 and 1"
    refuse 3 "there are 5 and 1" $args --scenarios zero-shot,open
}

case_a_budget_limits_tuning() {
    make_split_collection
    local args="eval photos --vectors vectors.txt --methods random,linear-rank --epochs 20 --scenarios zero-shot"
    run 0 $args --budget 100 --quiet --json
    json_holds 'd[1]["trials"] > 1 and d[1]["trial_effort"] == 1 and 0 < d[1]["tune_counted_s"] <= 100'
    run 0 $args --budget 1e-9 --quiet --json
    json_holds 'd[1]["trials"] == 0 and d[1]["trial_fits"] == 0 and d[1]["tune_counted_s"] == 0'
    run 0 $args --budget 1e-9 --quiet
    says "up to 5 folds each, within 1e-09 s of one core (counted)"
    says "not tuned in zero-shot, for want of budget: linear-rank"
    run 0 $args --quiet
    says "at most 16 settings, 3 folds each, within 30 s of one core (counted)" # no more can be made of four seen tags
    ! grep -q "for want of budget" "$out" || complain "a method that was tuned is named"
    refuse 2 "--budget needs a number of seconds above zero" $args --budget -1
    refuse 2 "--budget needs a number of seconds above zero" $args --budget 0
}

case_methods_run_in_processes() {
    make_split_collection
    local args="eval photos --vectors vectors.txt --methods random,linear,frequency --epochs 1 --trials 2 --quiet --json"
    run 0 $args
    json_holds 'print([(r["method"], r["scenario"], r["miap"]) for r in d], file=open("alone.txt", "w")) is None'
    run 0 $args --jobs 2 --results kept.jsonl
    json_holds 'str([(r["method"], r["scenario"], r["miap"]) for r in d]) == open("alone.txt").read().strip()'
    [ "$(ls kept.jsonl*)" = kept.jsonl ] || complain "parts were left: $(ls kept.jsonl*)"
    [ "$(wc -l <kept.jsonl)" = 16 ] || complain "not one line for each of 15 results: $(wc -l <kept.jsonl)"
    # what was killed goes on from its parts
    mv kept.jsonl kept.jsonl.linear.part
    run 0 $args --jobs 3 --results kept.jsonl
    [ "$(wc -l <kept.jsonl)" = 16 ] || complain "results were made again"
    run 2 eval photos --vectors vectors.txt --jobs 2
}

case_learning_curves_are_drawn() {
    make_split_collection
    local args="eval photos --vectors vectors.txt --methods frequency,random,frequency-told --scenarios conventional,zero-shot"
    run 0 $args --train-images 4,1000 --html curves --results kept.jsonl
    says "Conventional tagging: MiAP by the number of training images"
    [ -s curves/curves-zero-shot.svg ] || complain "there is no plot"
    [ -s kept.jsonl.4 ] && [ -s kept.jsonl.1000 ] || complain "the results were not kept"
    run 0 $args --train-images 4,1000 --quiet --json
    json_holds 'print([r["miap"] for r in d if r["train_images"] == 1000], file=open("most.txt", "w")) is None'
    json_holds 'len(d) == 12 and [r["miap"] for r in d[:6]] != [r["miap"] for r in d[6:]]'
    run 0 $args --quiet --json
    json_holds 'str([r["miap"] for r in d]) == open("most.txt").read().strip()'
    run 0 $args --train-images 4,1000 --quiet --format csv
    says "method,scenario,train_images,miap,miap_sd,miap_low,miap_high"
    says "frequency,conventional,4,"
    for wrong in 0 1000,4 x 3,,5 -2 2,; do
        refuse 2 "rising numbers" $args --train-images $wrong
    done
}

case_draws_take_other_tags_than_the_lists() {
    make_split_collection
    run 0 eval photos --vectors vectors.txt --methods frequency-told --scenarios zero-shot --draws 3 --quiet --json
    json_holds 'd[0]["tags"] == 2 and d[0]["repeats"] == 3 and d[0]["miap_sd"] > 0'
    run 0 eval photos --vectors vectors.txt --methods frequency-told --scenarios zero-shot --repeat 3 --quiet --json
    json_holds 'd[0]["tags"] == 2 and d[0]["miap_sd"] == 0'
    run 2 eval photos --vectors vectors.txt --draws 3 --repeat 2
}

# Half of the tags are given: only where it is asked for, and only then the methods that need them.
case_lists_of_tags_are_completed() {
    make_split_collection
    run 0 eval photos --vectors vectors.txt --epochs 1 --trials 1 --hidden 8 --scenarios completion --quiet --json
    json_holds '{"vote", "sum", "promote", "direction+given", "ranksvm", "frequency", "linear-rank"} <= {r["method"] for r in d if r["miap"] is not None}'
    json_holds 'len({r["miap"] for r in d if r["method"] in ("vote", "random", "direction+given")}) == 3'
    run 0 eval photos --vectors vectors.txt --methods sum,frequency --scenarios completion,conventional --quiet --json
    json_holds '[r["refusal"] for r in d if r["method"] == "sum" and r["scenario"] == "conventional"] == ["completes a list of tags, of which there is none"]'
    json_holds 'len({r["miap"] for r in d if r["method"] == "frequency"}) == 2'
    run 0 eval photos --vectors vectors.txt --methods random --quiet --json
    json_holds '"completion" not in {r["scenario"] for r in d}'
}

# The frequent tags are learned, and open ranks more tags than zero-shot.
case_rare_tags_make_an_open_vocabulary() {
    make_split_collection
    awk 'BEGIN { OFS = "\t" } { print $0, "rare" NR % 6 }' photos/tags.txt >new && mv new photos/tags.txt
    awk 'END { for (i = 0; i < 6; i++) { printf "rare%d", i; for (k = 2; k <= NF; k++) printf " %g", sin(i * k + k); print "" } }' \
        vectors.txt >more && cat more >>vectors.txt
    /usr/bin/python3 "$bench/make_open.py" photos open --frequent 8 --unseen 0.5 >told ||
        complain "make_open.py failed"
    grep -q "60 images, 6 seen tags, 3 unseen, 3 others" told || complain "$(cat told)"
    run 0 eval open --vectors vectors.txt --scenarios zero-shot,open --methods random,conse --no-tune --quiet --json
    json_holds '[r["tags"] for r in d] == [3, 3, 6, 6] and all(r["miap"] > 0 for r in d)'
}

case_a_few_tags_of_each_kind_are_enough() {
    make_collection
    run 0 eval photos --vectors vectors.txt --unseen 4 --epochs 1 --trials 2 --hidden 8 --scenarios zero-shot,seen-unseen --quiet --json
    json_holds 'all(r["miap"] is not None for r in d if r["method"] in ("net", "labelem", "conse", "linear-rank", "linear"))'
}

case_unseen_tags_may_be_on_test_images_alone() {
    make_split_collection
    awk 'BEGIN { OFS = FS = "\t" } NR == FNR { part[NR] = $1; next }
        { line = ""; for (i = 1; i <= NF; i++) if (part[FNR] == "test" || ($i != "tree" && $i != "car"))
              line = line (line == "" ? "" : "\t") $i; print line }' photos/split.txt photos/tags.txt >new
    mv new photos/tags.txt
    run 0 eval photos --vectors vectors.txt --methods random,frequency,linear
    says "– Random, Frequency, Fast0Tag (lin.): none of the 36 training images has one of the 2 tags to learn"
    warns "linear: MiAP zero-shot"
}

case_what_cannot_be_measured_shows_a_dash() {
    make_split_collection
    awk 'BEGIN { OFS = FS = "\t" } NR == FNR { part[NR] = $1; next }
        { line = ""; for (i = 1; i <= NF; i++) if (part[FNR] != "test" || ($i != "tree" && $i != "car"))
              line = line (line == "" ? "" : "\t") $i; print line }' photos/split.txt photos/tags.txt >new
    mv new photos/tags.txt
    local args="eval photos --vectors vectors.txt --methods random --scenarios zero-shot --repeat 2"
    run 0 $args
    warns "run 2 of 2, zero-shot: no test image has one of the 2 tags that are ranked"
    warns "random: MiAP zero-shot –;"
    grep -qE '^Random +– ' "$out" || complain "not a dash: $(cat "$out")"
    run 0 $args --json --quiet
    json_holds 'd[0]["miap"] is None and d[0]["r3"] is None and d[0]["p3"] == 0 and d[0]["map"] is None'
}

case_features_that_are_no_numbers_are_told() {
    make_split_collection
    printf '\000\000\300\177' | dd of=photos/features.npy bs=1 seek=$((128 + 4 * 8)) conv=notrunc 2>/dev/null
    run 3 eval photos --vectors vectors.txt --methods cca,linear
    warns "row 1, column 0 (from 0) is NaN"
}

# What train chooses by itself, eval uses without tuning.
case_untuned_methods_are_as_train_has_them() {
    make_collection
    run 0 train photos --vectors vectors.txt -o m.f0t --method linear --json
    local chosen=$(python3 -c 'import json, sys; t = json.load(sys.stdin)["training"]; print("lambda %g, ridge %g" % (t["lambda"], t["ridge"]))' <"$out")
    run 0 eval photos --vectors vectors.txt --methods linear --scenarios conventional --no-tune --json
    json_holds "d[0][\"knobs\"] == \"$chosen\""
    [ "$chosen" != "lambda 1, ridge 1" ] || complain "the collection does not tell: train chose $chosen"
}

# The network that the dataset names need not be there, unlike the one that is given.
case_the_backbones_classes_are_used_or_told() {
    make_split_collection
    local args="eval photos --vectors vectors.txt --methods blend --scenarios zero-shot --epochs 1"
    printf '{"backbone": {"name": "a", "file": "gone.onnx", "crc32": "0", "preprocess": {}}}' >photos/dataset.json
    run 0 $args --json
    warns "the backbone's classes are not used: "
    json_holds 'd[0]["miap"] > 0 and d[0]["ece"] is not None'
    refuse 3 "gone.onnx" $args --classes gone.onnx
}

case_methods_are_listed() {
    run 0 eval --list
    says "frequency"
    says "Fast0Tag (blend)"
    says "Zero-Shot Image Tagging, CVPR 2016"
    run 0 eval --list --json
    json_holds 'd[0]["method"] == "random" and d[0]["source"]'
}

case_wrong_use_is_told() {
    make_split_collection
    refuse 2 "missing operand: DATASET" eval --vectors vectors.txt
    refuse 2 "missing --vectors FILE" eval photos
    refuse 3 "nothing.onnx" eval photos --vectors vectors.txt --classes nothing.onnx
    refuse 2 "no method is called 'nett'" eval photos --vectors vectors.txt --methods nett
    refuse 2 "no scenario is called 'zero'" eval photos --vectors vectors.txt --scenarios zero
    refuse 2 "a list of numbers" eval photos --vectors vectors.txt -k 3,x
    refuse 2 "K '1000001': at most 1000000" eval photos --vectors vectors.txt -k 1000001
    for option in --trials --repeat --epochs; do
        refuse 2 "a whole number from 1" eval photos --vectors vectors.txt $option 0
    done
    refuse 2 "--compare-paper needs tables" eval photos --vectors vectors.txt --compare-paper nuswide --json
    refuse 2 "--format csv has none" eval photos --vectors vectors.txt --compare-paper nuswide --format csv
    refuse 2 "hidden layers '0'" eval photos --vectors vectors.txt --hidden 16,0
    refuse 2 "a share such as 20%" eval photos --vectors vectors.txt --unseen lots
    refuse 2 "two at least" eval photos --vectors vectors.txt --unseen 6
    refuse 2 "is not one of" eval photos --vectors vectors.txt --format xml
    refuse 2 "is not one of" eval photos --vectors vectors.txt --compare-paper coco
    refuse 2 "exclude each other" eval photos --vectors vectors.txt --json --format csv
    refuse 2 "--html" eval photos --vectors vectors.txt --figure net
    refuse 2 "at most" eval photos --vectors vectors.txt --repeat 100000
    refuse 3 "nowhere" eval nowhere --vectors vectors.txt
    refuse 3 "nowhere" eval photos --vectors nowhere
    rm photos/features.npy
    refuse 3 "has no features" eval photos --vectors vectors.txt --methods random
    [ -z "$(ls fast0tag-eval-* 2>/dev/null)" ] || complain "a failed comparison left a file"
}

run_cases
