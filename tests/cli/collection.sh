#!/usr/bin/env bash
# The README's commands for a collection, on real photographs: what is found is what people saw in them.
. "$(dirname "$0")/lib.sh"
export LC_ALL=C.UTF-8 XDG_DATA_HOME=$scratch/.data

# found TAG: how many pictures the last run found, and how many of them have the tag in flickr8k.
found() {
    /usr/bin/python3 - "$out" "$F0T_DATA/flickr8k" "$1" <<'PY'
import json, sys
found = [p["path"].rsplit("/")[-1] for p in json.load(open(sys.argv[1]))["pictures"]]
names = [line.strip().rsplit("/")[-1] for line in open(sys.argv[2] + "/images.txt")]
tags = dict(zip(names, (line.strip().split("\t") for line in open(sys.argv[2] + "/tags.txt"))))
print(len(found), sum(sys.argv[3] in tags[name] for name in found))
PY
}

case_a_collection_of_photographs() {
    [ -n "${F0T_DATA-}" ] || { skip "F0T_DATA is not set"; return; }
    local glove=$F0T_DATA/glove-300d-flickr8k.txt count right
    run 0 train "$F0T_DATA/flickr8k" --vectors "$glove" --tags all --without direction,tags,votes -o photos.f0t
    run 0 index "$F0T_DATA/photos" --model photos.f0t --backbone "$F0T_DATA/mobilenet_v2/mobilenet_v2.onnx"
    says "40 pictures, 40 added"
    run 0 find dog --json --html dogs.html # 8 of them show one
    read -r count right <<<"$(found dog)"
    [ "$right" -ge 6 ] && [ "$count" -le $((right + 2)) ] || complain "dog: $right of $count are right"
    run 0 find dog -grass --json
    read -r count right <<<"$(found grass)"
    [ "$right" -le 1 ] || complain "without grass: $right of $count show it"
    run 0 find violin --vectors "$glove"
    [ ! -s "$out" ] || complain "no picture shows a violin: $(cat "$out")"
    warns "nothing certain: violin: new, from 7 %, best"
    run 0 find violin --nearest -k 3 # the vectors are remembered
    [ "$(wc -l <"$out")" = 4 ] || complain "the nearest three: $(cat "$out")"
    run 0 find --like "$F0T_DATA/photos/1056338697_4f7d7ce270.jpg" -k 3
    [ "$(wc -l <"$out")" = 4 ] || complain "three that are like it: $(cat "$out")"
}

run_cases
