#!/usr/bin/env bash
# What people do most, once each: what `make check` runs of the command line. Each verb has a script of its own beside this.
. "$(dirname "$0")/lib.sh"

case_help_names_every_verb() {
    local verb
    run 0 help
    for verb in import features vectors train tag untag eval analyze index find review accept reject write serve inspect; do
        says " $verb "
    done
}

case_a_verb_explains_itself() {
    run 0 train -h
    says "--vectors"
}

case_a_wrong_verb_and_option_are_refused() {
    refuse 2 "paint" paint
    refuse 2 "--colour" train --colour
}

case_the_blend_is_trained() {
    fixtures
    run 0 train photos --vectors vectors.txt -o m.f0t --epochs 2
    cmp -s m.f0t blend.f0t || complain "the same training gives another model"
}

case_the_net_is_trained() {
    fixtures
    run 0 train photos --vectors vectors.txt -o m.f0t --method net --hidden 4 --epochs 2
    cmp -s m.f0t net.f0t || complain "the same training gives another model"
}

case_a_dataset_is_tagged() {
    fixtures
    for model in linear net blend; do
        run 0 tag $model.f0t photos --part test -k 2
        [ "$(wc -l <"$out")" = 12 ] || complain "$model: not a line for each test image"
    done
}

case_new_words_are_ranked() {
    fixtures
    printf 'lake\nlorry\n' >words.txt
    run 0 tag blend.f0t photos --vocab words.txt --vectors vectors.txt -k 2 --json
    json_holds 'len(d) == 60 and {t["tag"] for t in d[0]["tags"]} == {"lake", "lorry"}'
}

case_missing_and_damaged_files_are_named() {
    fixtures
    refuse 3 "absent.f0t" tag absent.f0t photos
    head -c 300 blend.f0t >cut.f0t
    refuse 3 "cut.f0t" tag cut.f0t photos
}

case_methods_are_compared() {
    fixtures
    run 0 eval photos --vectors vectors.txt --no-tune --epochs 2 --hidden 4 --methods random,frequency,linear,net,blend \
        --scenarios conventional --json
    json_holds 'len(d) == 5 and all(r["scenario"] == "conventional" and 0 < r["miap"] <= 100 for r in d)'
}

case_a_model_is_inspected() {
    fixtures
    run 0 inspect blend.f0t
    says "blend"
    run 0 inspect photos
    says "60"
}

case_vectors_are_read_and_converted() {
    fixtures
    run 0 vectors convert vectors.txt -o v.safetensors
    run 0 vectors nearest v.safetensors car -k 1
    says "lorry"
}

case_pictures_become_features() {
    draw art/one.svg rose
    colour=blue draw art/two.svg sea
    run 0 features art -o data --no-cache
    [ "$(cat data/tags.txt)" = "$(printf 'rose\nsea')" ] || complain "$(cat data/tags.txt)"
}

# One catalogue, from pictures with keywords to keywords in sidecars and back.
case_a_collection_is_learned_found_and_written() {
    make_catalogue
    run 0 find rose -c catalogue.f0t
    says "red1.svg"
    run 0 review -c catalogue.f0t --json
    json_holds 'any(p["picture"].endswith("new1.svg") for p in d)'
    run 0 accept -c catalogue.f0t art/new1.svg rose
    run 0 write -c catalogue.f0t
    grep -q rose art/new1.svg.xmp || complain "no keyword was written"
    run 0 write -c catalogue.f0t --undo
    [ ! -e art/new1.svg.xmp ] || complain "the sidecar is still there"
    run 0 reject -c catalogue.f0t art/new1.svg rose
    run 0 find rose -c catalogue.f0t
    ! grep -q new1.svg "$out" || complain "a rejected picture is found"
}

case_keywords_are_written_and_removed() {
    make_catalogue
    run 0 tag blend.f0t art/new1.svg --xmp --confidence 0.01
    [ -s art/new1.svg.xmp ] || complain "no sidecar"
    run 0 untag art/new1.svg
    [ ! -e art/new1.svg.xmp ] || complain "the sidecar is still there"
}

case_nothing_is_written_on_trial() {
    make_catalogue
    run 0 accept -c catalogue.f0t art/new1.svg rose
    run 0 write -c catalogue.f0t --dry-run
    says "new1.svg.xmp"
    [ ! -e art/new1.svg.xmp ] || complain "a sidecar was written"
}

case_a_table_becomes_a_dataset() {
    printf 'a.jpg,cat;dog\nb.jpg,sea\n' >table.csv
    run 0 import csv table.csv -o data
    [ "$(wc -l <data/tags.txt)" = 2 ] || complain "$(cat data/tags.txt)"
}

case_a_picture_that_is_none_is_named() {
    draw art/one.svg rose
    echo nonsense >art/two.jpg
    run 0 features art -o data --no-cache
    warns "two.jpg"
    [ "$(wc -l <data/images.txt)" = 1 ] || complain "$(cat data/images.txt)"
}

case_a_wrong_dataset_is_refused() {
    fixtures
    echo extra >>photos/tags.txt
    refuse 3 "tags.txt" train photos --vectors vectors.txt -o m.f0t
    [ ! -e m.f0t ] || complain "a model was written"
}

case_json_is_all_that_is_printed() {
    fixtures
    run 0 train photos --vectors vectors.txt -o m.f0t --method linear --json
    json_holds 'd["training"]["method"] == "linear"'
    run 0 inspect m.f0t --json
    json_holds 'isinstance(d, dict)'
}

case_one_thread_and_two_give_the_same_tags() {
    fixtures
    run 0 tag blend.f0t photos -k 3 --threads 1
    cp "$out" one
    run 0 tag blend.f0t photos -k 3 --threads 2
    cmp -s one "$out" || complain "other tags"
}

case_the_study_is_made() {
    fixtures
    run 0 analyze photos --vectors vectors.txt --unseen 2 -o study
    [ -s study/index.html ] || complain "no page"
}

case_the_server_tags() {
    fixtures
    "$FAST0TAG" serve linear.f0t --port 0 >served 2>&1 &
    local server=$! url
    for _ in $(seq 600); do
        url=$(grep -o 'http://[0-9.:]*' served | head -n 1)
        [ -z "$url" ] || break
        sleep 0.1
    done
    /usr/bin/python3 - "$url" >"$out" 2>"$err" <<'PY' || complain "no answer from '$url': $(cat "$err" served)"
import json, sys, urllib.request
body = json.dumps({"features": [[0.1] * 8], "k": 2}).encode()
request = urllib.request.Request(sys.argv[1] + "/v1/tag", body, {"Content-Type": "application/json"})
print(urllib.request.urlopen(request, timeout=60).read().decode())
PY
    says '"tag"'
    kill "$server"
    wait "$server" || complain "the server ends with $?"
}

run_cases
