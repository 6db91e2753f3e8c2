#!/usr/bin/env bash
# `make demo` gets through, and shows what it says it shows.
. "$(dirname "$0")/../cli/lib.sh"
demo=$(cd "$(dirname "$0")/../.." && pwd)/scripts/demo

case_the_tour_on_its_own_files() {
    env -u F0T_DATA "$demo" "$PWD" >"$out" 2>"$err" </dev/null || complain "it failed: $(cat "$err")"
    says "54 words x 50 float32"
    says "puppies (puppy)"
    says "palm trees (palm + tree)"
    says "photos: dataset photos, 6 images, 15 tags"
    says "1 of 15 tags have no vector: bycicle"
    warns "did you mean 'bicycle'?"
    warns "cut.safetensors: the file is cut"
    [ "$(grep -c 'exit code 3' "$out")" = 2 ] || complain "the failures that it shows are not two"
}

case_the_tour_on_real_data() {
    [ -d "${F0T_DATA:-}" ] || { skip "F0T_DATA is not set" && return; }
    "$demo" "$PWD" >"$out" 2>"$err" </dev/null || complain "it failed: $(cat "$err")"
    says "1662 words x 300 float32"
    says "skateboarder"
    says "dataset flickr8k, 8091 images, 226 tags"
}

run_cases
