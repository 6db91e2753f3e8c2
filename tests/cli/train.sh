#!/usr/bin/env bash
# Training and tagging: train, tag.
. "$(dirname "$0")/lib.sh"

case_a_model_is_trained_and_tags() {
    make_collection
    for method in net linear linear-rank; do
        run 0 train photos --vectors vectors.txt -o model.f0t --method $method
        says "model.f0t: $method, 8 features, 6 tags"
        run 0 tag model.f0t photos --part test -k 2
        [ "$(wc -l <"$out")" = 12 ] || complain "not a line for each test image"
    done
    [ ! -e model.f0t.checkpoint ] || complain "the checkpoint was left"
}

# Without --method all experts are asked, and each is told; 'zorb xyz' has no vector and is learned all the same.
case_the_default_is_the_blend() {
    make_collection
    sed -i '1~3s/$/\tzorb xyz/' photos/tags.txt
    local args="train photos --vectors vectors.txt -o m.f0t --epochs 2"
    run 0 $args
    says "m.f0t: blend, 8 features, 7 tags"
    for expert in direction tags votes ridge frequency blend; do
        grep -q "^$expert  *MiAP " "$err" || complain "nothing is said of $expert: $(cat "$err")"
    done
    [ ! -e m.f0t.checkpoint ] || complain "the checkpoint was left"
    run 0 tag m.f0t photos -k 7
    says "zorb xyz"
    printf 'lake\nlorry\n' >words.txt
    run 0 tag m.f0t photos --vocab words.txt --vectors vectors.txt --with-seen -k 20 --json
    json_holds 'len(d) == 60 and len(d[0]["tags"]) == 9'
    run 0 $args --json
    json_holds 'd["training"]["method"] == "blend" and "votes" in d["training"]["experts"]'
    json_holds 'd["reference"]["model"] == d["training"]["validation_miap"]'
    cp m.f0t whole.f0t
    run 0 $args
    cmp -s m.f0t whole.f0t || complain "the same training gives another model"
}

# Pictures that nobody has tagged yet are no examples of pictures without tags.
case_nothing_is_learned_from_untagged_pictures() {
    make_collection
    cp -r photos some
    for _ in $(seq 40); do echo >>some/tags.txt && echo train >>some/split.txt; done
    /usr/bin/python3 - <<'PY'
import numpy
x = numpy.load("photos/features.npy")
numpy.save("some/features.npy", numpy.concatenate([x, x[:40]]))
PY
    run 0 train photos --vectors vectors.txt -o photos.f0t --epochs 2
    run 0 train some --vectors vectors.txt -o some.f0t --epochs 2
    warns "40 images without a tag are not learned from"
    cmp -s photos.f0t some.f0t || complain "the model is another"
}

case_experts_are_switched_off() {
    make_collection
    local args="train photos --vectors vectors.txt -o m.f0t --epochs 2" expert
    for expert in direction tags votes ridge frequency prior; do
        run 0 $args --without $expert --json
        json_holds "len(d['training']['experts']) == 5 and '$expert' not in d['training']['experts']"
        run 0 tag m.f0t photos --part test -k 2
    done
    run 0 $args --without direction,tags,votes,ridge
    says "m.f0t: blend, 8 features, 6 tags"
    refuse 2 "--without: no expert is called 'vote'" $args --without vote,ridge
    refuse 2 "--without: no expert is called ''" $args --without votes,
    refuse 2 "no expert is left for learned tags" $args --without direction,tags,votes,ridge,frequency
    refuse 2 "the method net does not use 'without': it belongs to blend" $args --method net --without votes
}

# Classes are an extra where the dataset names its network, and wanted where they are given.
case_the_backbones_classes_are_used_or_told() {
    make_collection
    local args="train photos --vectors vectors.txt -o m.f0t --epochs 2"
    printf '{"backbone": {"name": "a", "file": "gone.onnx", "crc32": "0", "preprocess": {}}}' >photos/dataset.json
    run 0 $args --json
    warns "the backbone's classes are not used: "
    json_holds '"classes" not in d["training"]["experts"]'
    refuse 3 "gone.onnx" $args --classes gone.onnx
    refuse 2 "--classes and --without classes contradict" $args --classes gone.onnx --without classes
    refuse 2 "the method linear does not use 'classes'" train photos --vectors vectors.txt -o m.f0t --method linear --classes gone.onnx
    run 0 $args --without classes
    ! grep -q "classes are not used" "$err" || complain "classes that nobody wants are told of"
}

case_what_a_blend_does_not_use_names_the_method_that_does() {
    make_collection
    local args="train photos --vectors vectors.txt -o m"
    for bad in loss=ranknet hidden=8 optimizer=adam rate=1 decay=1 dropout=0 tune=5 log=x; do
        refuse 2 "the method blend does not use '${bad%=*}': it belongs to net" $args --$bad
        warns "; add --method net"
    done
    for bad in ridge=1 lambda=1 hinge=plain; do
        refuse 2 "the method blend does not use '${bad%=*}': it belongs to linear" $args --$bad
        warns "; add --method linear"
    done
    refuse 2 "the method blend does not use 'rate'" $args --method blend --rate 1
    ! grep -q "add --method" "$err" || complain "who chose a method is told to choose another"
    [ ! -e m ] && [ ! -e x ] || complain "a refused training left a file"
}

# Words of a person: every fifth picture has each of these, the first 40 also another spelling.
make_keywords() {
    make_collection
    rm photos/split.txt
    /usr/bin/python3 - <<'PY'
lines = open("photos/tags.txt").read().splitlines()
for m, line in enumerate(lines):
    more = ["mine", "IMG_%d" % (1000 + m), "Zorb" if m % 5 == 0 else "sky"]
    more += ["2014"] * (20 <= m < 32) + ["skies"] * (m % 5 == 0 and m < 30 and "sky" not in line) + ["SEA"] * (m < 3) + ["okapi"] * (m == 7)
    lines[m] = "\t".join([line] + more)
open("photos/tags.txt", "w").write("\n".join(lines) + "\n")
PY
    printf 'okapi 1 1 0 0 0 1\nmine 0 1 0 1 0 1\nzorb 0 0 1 0 1 1\n2014 1 1 1 0 0 0\n' >>vectors.txt
}

case_raw_keywords_are_cleaned_step_by_step() {
    make_keywords
    local args="train photos --vectors vectors.txt -o m.f0t --method linear --lambda 1 --ridge 0.1"
    run 0 $args --json
    json_holds 'd["tags"] == 8 and d["cleaning"]["keywords"] == 72 and d["cleaning"]["tags"] == 8'
    json_holds 'd["cleaning"]["merged"] == {"skies": "sky", "SEA": "sea"}'
    json_holds 'd["cleaning"]["file_words"] == 60 and d["cleaning"]["common"] == 1 and d["cleaning"]["rare"] == ["okapi"]'
    warns "1 keyword goes with another spelling: 'SEA' with 'sea' (--keep-spellings keeps it)"
    warns "1 keyword goes with its plural or singular: 'skies' with 'sky' (--plurals none keeps it)"
    warns "60 keywords are about files or no words, and are left out: 'IMG_10"
    warns "1 keyword is on nearly all pictures, and is left out: 'mine' (--keep-common keeps it)"
    warns "1 keyword is on too few pictures, and is not learned: 'okapi' (--least 1 learns it)"
    warns "1 keyword is about files or no word, but on many pictures, and is learned: '2014' (--file-words all leaves it out)"
    warns "72 keywords became 8 tags"
    run 0 $args --keep-common --least 1
    says "8 features, 10 tags"
    run 0 $args --plurals none --keep-spellings --json
    json_holds 'd["cleaning"]["tags"] == 10 and not d["cleaning"]["merged"]'
    run 0 $args --file-words none --json
    json_holds 'd["cleaning"]["file_words"] == 0 and len(d["cleaning"]["rare"]) == 61'
    run 0 $args --file-words all --json
    json_holds 'd["cleaning"]["file_words"] == 61 and d["cleaning"]["file_words_in_use"] == 0'
}

case_tags_are_kept_where_asked_for_or_prepared() {
    make_keywords
    local args="train photos --vectors vectors.txt -o m.f0t --method linear --lambda 1 --ridge 0.1"
    run 0 $args --keep-tags --json
    json_holds 'd["cleaning"] is None'
    warns "60 of 72 tags have no vector"
    refuse 2 "--least is for raw keywords: --keep-tags takes them as they are" $args --keep-tags --least 2
    cut -f1 photos/tags.txt | sort -u >photos/seen.txt
    run 0 $args --json
    json_holds 'd["cleaning"] is None'
    refuse 2 "--plurals is for raw keywords: photos has seen.txt" $args --plurals all
    refuse 2 "is not one of" $args --plurals some
}

case_all_pictures_are_learned_from_unless_some_are_for_testing() {
    make_keywords
    local args="train photos --vectors vectors.txt -o m.f0t --method linear --lambda 1 --ridge 0.1 --json"
    run 0 $args
    json_holds 'd["reference"]["compared"] == 54'
    run 0 $args --test 0.2
    json_holds 'd["reference"]["compared"] == 42'
    refuse 2 "val 0.1 and test 1 are no parts of the images" $args --test 1
    # What is left for testing is what the training left, with the seed of then.
    run 0 $args --test 0.25 --seed 5
    run 0 tag m.f0t photos --part test
    [ "$(wc -l <"$out")" = 15 ] || complain "not the quarter that was left"
    run 0 tag m.f0t photos --part train
    [ "$(wc -l <"$out")" = 39 ] || complain "not what was learned from"
    run 0 $args
    refuse 2 "drew no test images from it: the model has learned from all; 'train --test 0.2' leaves a fifth" \
        tag m.f0t photos --part test
    refuse 2 "a bare matrix has no parts" tag m.f0t photos/features.npy --part test
    cp -r photos more && tail -n 1 more/tags.txt >>more/tags.txt && rm more/features.npy
    /usr/bin/python3 - <<'PY'
import numpy
x = numpy.load("photos/features.npy")
numpy.save("more/features.npy", numpy.concatenate([x, x[:1]]))
PY
    refuse 2 "its 61 images are not the 60 of which the model's training drew some" tag m.f0t more --part val
    yes train | head -n 60 >photos/split.txt
    refuse 2 "--test: photos has a split.txt" $args --test 0.2
}

case_unseen_words_are_ranked() {
    make_collection
    printf 'lake\nlorry\nrain\n' >words.txt
    run 0 train photos --vectors vectors.txt -o model.f0t --method linear
    run 0 tag model.f0t photos/features.npy --vocab words.txt --vectors vectors.txt -k 1 --format csv
    says "image,rank,tag,score"
    says "1,1,"
    run 0 tag model.f0t photos --vocab words.txt --vectors vectors.txt --with-seen -k 20 --json
    json_holds 'len(d) == 60 and len(d[0]["tags"]) == 9'
}

case_a_prepared_vocabulary_ranks_alike() {
    make_collection
    printf 'lake\nlorry\nmissing\nLorry\n' >words.txt
    for method in linear blend; do
        run 0 train photos --vectors vectors.txt --method $method -o $method.f0t
        run 0 vectors prepare vectors.txt --model $method.f0t --words words.txt -o $method.vocab --json
        json_holds 'd["words"] == 2 and d["left_out"] == 2'
        run 0 tag $method.f0t photos --vocab words.txt --vectors vectors.txt -k 2 --format csv
        sed 's/\(\.[0-9][0-9][0-9]\)[0-9]*/\1/g' "$out" >plain.csv
        run 0 tag $method.f0t photos --vocab $method.vocab -k 2 --format csv
        sed 's/\(\.[0-9][0-9][0-9]\)[0-9]*/\1/g' "$out" | cmp - plain.csv || complain "$method ranks otherwise"
    done
    run 0 vectors prepare vectors.txt --model blend.f0t -o all.vocab
    run 0 tag blend.f0t photos --vocab all.vocab --with-seen -k 3 --diverse 0.5
    run 0 inspect all.vocab
    says "vocabulary of fast0tag"
    refuse 2 "leave --vectors out" tag blend.f0t photos --vocab all.vocab --vectors vectors.txt
    refuse 2 "give --model" vectors prepare vectors.txt -o other.vocab
    refuse 2 "give -o" vectors prepare vectors.txt --model blend.f0t
    refuse 2 "not replaced" vectors prepare vectors.txt --model blend.f0t -o blend.f0t
    head -c 3000 all.vocab >cut.vocab
    refuse 2 "--vectors" tag blend.f0t photos --vocab cut.vocab
}

case_tags_do_not_repeat_each_other() {
    make_collection
    printf 'dog\ndogs\nblack dog\nsky\nrain\n' >words.txt
    printf 'black 0.1 0 0 0 0 0.1\n' >>vectors.txt
    run 0 train photos --vectors vectors.txt -o model.f0t --method linear
    run 0 tag model.f0t photos --vocab words.txt --vectors vectors.txt -k 3 --diverse 0 --json
    json_holds 'any(sum("dog" in t["tag"] for t in p["tags"]) == 3 for p in d)'
    json_holds 'all(p["tags"][0]["score"] >= p["tags"][1]["score"] >= p["tags"][2]["score"] for p in d)'
    run 0 tag model.f0t photos --vocab words.txt --vectors vectors.txt -k 3 --diverse 2 --json
    json_holds 'all(sum("dog" in t["tag"] for t in p["tags"]) == 1 for p in d)'
    refuse 2 "diverse is -1; 0 or more is expected" tag model.f0t photos --diverse -1
}

case_two_files_are_a_dataset() {
    make_collection
    run 0 train photos/features.npy --labels photos/tags.txt --vectors vectors.txt -o m.f0t --method linear
    says "m.f0t: linear, 8 features, 6 tags"
    head -n 50 photos/tags.txt >few.txt
    refuse 3 "has 60 rows, but few.txt has 50 images" \
        train photos/features.npy --labels few.txt --vectors vectors.txt -o m.f0t
}

case_json_and_log() {
    make_collection
    run 0 train photos --vectors vectors.txt -o model.f0t --method net --hidden 4 --epochs 3 --log log.jsonl --json
    json_holds 'd["training"]["method"] == "net" and d["training"]["hidden"] == [4]'
    [ "$(wc -l <log.jsonl)" = 3 ] || complain "not a line of the log for each epoch"
    run 0 inspect model.f0t
    says "model"
}

case_features_come_through_standard_input() {
    make_collection
    run 0 train photos --vectors vectors.txt -o model.f0t --method linear
    "$FAST0TAG" tag model.f0t - -k 1 <photos/features.npy >"$out" 2>"$err" || complain "stdin failed"
    [ "$(wc -l <"$out")" = 60 ] || complain "not a line for each row"
}

case_wrong_use_is_told() {
    make_collection
    run 0 train photos --vectors vectors.txt -o model.f0t --method linear
    printf 'lake\n' >words.txt
    printf 'lake 1 2 3\nsea 2 3 4\n' >other.txt
    refuse 2 "missing --vectors FILE" train photos -o m
    refuse 2 "missing -o MODEL" train photos --vectors vectors.txt
    refuse 2 "is not one of" train photos --vectors vectors.txt -o m --loss sum
    refuse 2 "is not a list" train photos --vectors vectors.txt -o m --hidden a,b
    refuse 2 "--vocab needs --vectors" tag model.f0t photos --vocab words.txt
    refuse 2 "a whole number from 1" tag model.f0t photos -k 0
    refuse 3 "nowhere" train nowhere --vectors vectors.txt -o m
    refuse 3 "dimensions" tag model.f0t photos --vocab words.txt --vectors other.txt
    refuse 3 "vectors.txt" tag vectors.txt photos
    [ ! -e m ] || complain "a failed training left a model"
}

case_what_is_given_is_used_or_refused() {
    make_collection
    local args="train photos --vectors vectors.txt -o m" net="--method net"
    for bad in "--rate 0" "--rate -1" "--rate nan" "--decay -1" "--dropout -0.1" "--dropout 1" "--input-dropout -2" \
        "--init -1" "--hidden-rate -1" "--hidden-rate 1.5" \
        "--batch 0" "--batch -3" "--epochs 0" "--patience 0" "--tune 0" "--tune -5" "--threads 0" "--threads -1" "--seed -1" \
        "--method linear --lambda -1" "--method linear --lambda 0" "--method linear --ridge -1"; do
        case $bad in --method*) net= ;; esac
        refuse 2 "${bad##* }" $args $net $bad
    done
    for bad in loss=ranknet pairs=image target=loss hidden=8 batch=9 epochs=5 patience=5 optimizer=adam rate=1 schedule=cosine \
        decay=1 init=1 hidden-rate=1 input-dropout=0 dropout=0 arithmetic=f32; do
        refuse 2 "the method linear does not use '${bad%=*}': it belongs to net" $args --method linear --$bad
    done
    refuse 2 "does not use 'dropout': it belongs to net" $args --method linear-rank --dropout 0.3
    refuse 2 "does not use 'hidden': it belongs to net" $args --method linear-rank --hidden 8
    for bad in ridge=1 lambda=1 hinge=plain; do
        refuse 2 "the method net does not use '${bad%=*}': it belongs to linear" $args --method net --$bad
    done
    refuse 2 "the target ranksvm does not use 'loss'" $args --method net --target ranksvm --loss hinge
    [ ! -e m ] || complain "a refused training left a model"
    run 0 $args --method net --hidden 8 --decay 0 --dropout 0 --input-dropout 0 --epochs 1 --json
    json_holds '[d["training"][k] for k in ("decay", "hidden_dropout", "input_dropout", "epochs")] == [0, 0, 0, 1]'
    run 0 $args --method net --hidden 8 --epochs 1 --loss crammer-singer --init 0.2 --json
    json_holds '[d["training"][k] for k in ("init", "hidden_rate")] == [0.2, 0]'
    run 0 $args --method net --target ranksvm --lambda 2 --hinge plain --hidden 8 --epochs 1
    refuse 3 "a ridge of 0" $args --method linear --ridge 0
    run 0 $args --method linear --ridge 0.5 --lambda 3 --json
    json_holds 'd["training"]["ridge"] == 0.5 and d["training"]["lambda"] == 3'
}

# Beside the validation MiAP stands what needs no training; a model that is not better is told.
case_the_model_is_compared_with_simpler_ways() {
    make_collection
    sed -i 's/test/val/' photos/split.txt
    run 0 train photos --vectors vectors.txt -o m.f0t --method linear
    says " (by frequency "
    says "by nearest neighbours "
    run 0 train photos --vectors vectors.txt -o m.f0t --method net --hidden 2 --epochs 1 --rate 0.000001 --json
    json_holds 'd["reference"]["images"] == 24 and d["reference"]["compared"] == 36'
    json_holds '0 < d["reference"]["frequency"] < d["reference"]["neighbours"] <= 100'
    json_holds 'abs(d["reference"]["model"] - d["training"]["validation_miap"]) < 0.01'
    warns "looking at the nearest neighbours ranks the validation images' tags better"
    warns "try --tune 300"
    printf 'cat\tdog\tsea\n%s' "$(printf 'cat\tdog\n%.0s' {1..59})" >photos/tags.txt
    run 0 train photos --vectors vectors.txt -o m.f0t --method linear --keep-tags --json
    json_holds 'd["reference"]["model"] == d["reference"]["neighbours"] == 100'
    ! grep -q "tags better" "$err" || complain "as good is not better: $(cat "$err")"
    sed -i 's/val/train/' photos/split.txt
    run 0 train photos --vectors vectors.txt -o m.f0t --method linear --keep-tags --json
    json_holds 'd["reference"]["model"] is None and d["reference"]["images"] == 0'
}

case_what_loses_most_is_named_first() {
    make_collection
    sed -i 's/^/photograph xyz\t/; 1s/$/\trare xyz/' photos/tags.txt
    run 0 train photos --vectors vectors.txt -o m.f0t --method linear
    warns "2 of 8 tags have no vector and are left out; 60 of 60 images lose tags: photograph xyz (60 images), rare xyz (1)"
    run 0 analyze photos --vectors vectors.txt -o study --unseen none
    warns "2 of 8 tags have no vector and are left out of the study; 60 of 60 images lose tags: photograph xyz (60"
    sed -i 's/.*//' photos/tags.txt
    refuse 3 "none of its 60 images has a tag to learn from" train photos --vectors vectors.txt -o m.f0t
    refuse 2 "swapped; the order is: fast0tag eval" eval vectors.txt --vectors photos
    refuse 2 "swapped; the order is: fast0tag analyze" analyze vectors.txt --vectors photos -o study
    refuse 2 "swapped; the order is: fast0tag train" train photos/tags.txt --labels photos/features.npy --vectors vectors.txt -o m.f0t
    refuse 3 "no/study" analyze photos --vectors vectors.txt -o no/study
    refuse 3 "no/r.jsonl" eval photos --vectors vectors.txt --results no/r.jsonl
}

# Killed at any moment and run again with --resume: the same bytes as without.
case_a_killed_training_goes_on() {
    make_collection
    local args="train photos --vectors vectors.txt --method net --hidden 64,32 --epochs 40 --patience 40"
    run 0 $args -o whole.f0t
    for wait in 0.05 0.2 0.4; do
        timeout -s KILL $wait "$FAST0TAG" $args -o parts.f0t --resume >/dev/null 2>&1
        timeout -k 10 -s INT $wait "$FAST0TAG" $args -o parts.f0t --resume >/dev/null 2>&1
    done
    run 0 $args -o parts.f0t --resume
    cmp -s whole.f0t parts.f0t || complain "the resumed model differs"
}

case_a_killed_blend_goes_on() {
    make_collection
    local args="train photos --vectors vectors.txt --epochs 12"
    run 0 $args -o whole.f0t
    for wait in 0.1 0.3 0.6; do
        timeout -s KILL $wait "$FAST0TAG" $args -o parts.f0t --resume >/dev/null 2>&1
        timeout -k 10 -s INT $wait "$FAST0TAG" $args -o parts.f0t --resume >/dev/null 2>&1
    done
    run 0 $args -o parts.f0t --resume
    cmp -s whole.f0t parts.f0t || complain "the resumed blend differs"
    [ ! -e parts.f0t.checkpoint ] || complain "the checkpoint was left"
}

case_options_are_tuned_within_a_time() {
    make_collection
    run 0 train photos --vectors vectors.txt -o m.f0t --method linear-rank --tune 0.5 --json
    warns "trial 1: "
    json_holds 'd["tuning"]["trials"] >= 1 and d["tuning"]["chosen"] >= d["tuning"]["default"]'
    [ ! -e m.f0t.trials ] || complain "the journal of the search is left behind"
    refuse 2 "must be above 0" train photos --vectors vectors.txt -o m.f0t --method net --tune=-1
}

# What the vectors suggest, read by a person, becomes one tag.
case_synonyms_are_one_tag() {
    make_collection
    sed -i '1,20s/sea/ocean/; s/sky/Skies/' photos/tags.txt
    echo "ocean $(sed -n 's/^sea //p' vectors.txt)" >>vectors.txt
    run 0 vectors nearest vectors.txt --synonyms photos --least 0.99
    cp "$out" suggested.txt
    grep -q '^sea, ocean # 1.00$\|^ocean, sea # 1.00$' suggested.txt || complain "$(cat suggested.txt)"
    run 0 vectors nearest vectors.txt --synonyms photos --least 0.99 --json
    json_holds '[sorted(g["words"]) for g in d] == [["ocean", "sea"]] and d[0]["cosine"] > 0.99'
    echo 'Sea, ocean  # mine' >mine.txt
    run 0 train photos --vectors vectors.txt --synonyms mine.txt -o m.f0t --method linear --json
    warns "2 keywords go with their synonyms"
    json_holds 'd["cleaning"]["merged"]["ocean"] == "Sea" and d["cleaning"]["synonyms"] == 2'
    run 0 train photos --vectors vectors.txt --synonyms suggested.txt -o m.f0t --method linear
    echo 'sea' >wrong.txt
    refuse 3 "wrong.txt:1: 'sea' stands alone" train photos --vectors vectors.txt --synonyms wrong.txt -o m.f0t -q
    refuse 2 "--synonyms is for raw keywords" train photos --vectors vectors.txt --synonyms mine.txt --keep-tags -o m.f0t
    refuse 2 "--least needs --synonyms" vectors nearest vectors.txt sea --least 0.5
    refuse 2 "leave out 'sea'" vectors nearest vectors.txt sea --synonyms photos
    refuse 2 "missing operand: WORD, or --synonyms DATASET" vectors nearest vectors.txt
}

# Nothing can be chosen by them: the linear map has what it has without any.
case_validation_images_without_tags_choose_nothing() {
    local knob
    make_collection
    paste -d'|' photos/split.txt photos/tags.txt | awk -F'|' '{print $1 == "val" ? "" : $2}' >tags
    mv tags photos/tags.txt
    run 0 train photos --vectors vectors.txt -o m.f0t --method linear
    warns "no validation image has a tag"
    run 0 inspect m.f0t
    cp "$out" with
    sed -i s/val/test/ photos/split.txt
    run 0 train photos --vectors vectors.txt -o m.f0t --method linear
    run 0 inspect m.f0t
    for knob in lambda ridge; do
        [ "$(grep -oE "$knob[^0-9]*[0-9.]+" with)" = "$(grep -oE "$knob[^0-9]*[0-9.]+" "$out")" ] &&
            grep -q "$knob" with || complain "$knob is another: $(grep "$knob" with)"
    done
}

# bars FILE: what a terminal showed of them, one per line.
bars() {
    tr '\r' '\n' <"$1" | sed 's/\x1b\[K//g' | grep -aE '^[a-z ]+: [0-9.]+ ?[kM]? ?(%|of )'
}

case_one_bar_shows_all_of_a_training() {
    make_collection
    command -v script >/dev/null || { skip "there is no script(1)" && return; }
    local options
    for options in "--epochs 3" "--method net --epochs 3" "--method linear" "--method net --epochs 2 --tune 0.5"; do
        TERM=xterm script -qec "$FAST0TAG train photos --vectors vectors.txt -o p.f0t $options" shown.txt </dev/null >"$out"
        grep -qa "p.f0t: " shown.txt || complain "$options: no model: $(head -c 400 shown.txt)"
        bars shown.txt >bars.txt
        grep -qa "^learning: [0-9]* %" bars.txt || complain "$options: no bar: $(head -c 400 shown.txt)"
        ! grep -vqa "^learning: [0-9]* %" bars.txt || complain "$options: another bar: $(grep -va '^learning: ' bars.txt | head -n 3)"
        sed 's/^learning: \([0-9]*\) %.*/\1/' bars.txt | sort -nc || complain "$options: it goes back"
    done
    run 0 train photos --vectors vectors.txt -o p.f0t --epochs 3
    ! grep -q "%,\| of .* left" "$err" || complain "lines of a short training stay: $(cat "$err")"
}

run_cases
