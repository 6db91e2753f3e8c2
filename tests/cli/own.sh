#!/usr/bin/env bash
# Methods of one's own in a comparison: eval --scores, --add, --tasks.
. "$(dirname "$0")/lib.sh"

methods=$(cd "$(dirname "$0")/../../examples/methods" && pwd)

make_split_collection() {
    make_collection
    printf 'cat\ndog\nsea\nsky\n' >photos/seen.txt
    printf 'tree\ncar\n' >photos/unseen.txt
}

args="eval photos --vectors vectors.txt --quiet --methods random"
PATH=/usr/bin:$PATH # the Python that has numpy

# numpy CODE: with numpy as np.
numpy() { /usr/bin/python3 -c "import numpy as np; $1"; }

case_scores_stand_beside_methods() {
    make_split_collection
    run 0 $args --scenarios zero-shot,seen-unseen --tasks tasks
    [ "$(cat tasks/zero-shot/ranked.txt)" = "$(cat photos/unseen.txt)" ] || complain "not the unseen tags"
    [ "$(cat tasks/seen-unseen/learned.txt)" = "$(cat photos/seen.txt)" ] || complain "not the seen tags"
    numpy '
t = np.load("tasks/zero-shot/features.npy"); assert t.shape == (12, 8), t.shape
assert np.load("tasks/zero-shot/train_labels.npy").shape == (36, 4)
assert np.allclose(np.linalg.norm(t, axis=1), 1, atol=1e-5)
import json; d = json.load(open("tasks/zero-shot/task.json")); assert d["part"] == "zero-shot" and d["val"] == 12, d
truth = [l.split("\t") for l in open("photos/tags.txt").read().splitlines()][4::5]
perfect = np.array([[w in l for w in ("tree", "car")] for l in truth], float)
np.save("scores.npy", perfect)' || complain "not the task that was expected"
    run 0 $args --scenarios zero-shot --scores mine=scores.npy --json
    json_holds '[r["method"] for r in d] == ["random", "mine"]'
    json_holds 'd[1]["miap"] == 100 and d[1]["rival"] == "random" and 0 < d[1]["rival_p"] <= 1'
    mkdir given
    cp scores.npy given/zero-shot.npy
    run 0 $args --scenarios zero-shot,seen-unseen,open --scores mine=given
    says "– mine: no scores were given for it"
    says "Open tagging"
    run 0 $args --draws 2 --scenarios zero-shot --tasks both
    [ -f both/run-2/zero-shot/ranked.txt ] || complain "no task of the second run"
}

case_scores_that_do_not_fit_are_refused() {
    make_split_collection
    numpy 'np.save("wide.npy", np.zeros((12, 3))); np.save("nan.npy", np.full((12, 2), np.nan)); np.save("fine.npy", np.zeros((12, 2)))'
    head -c 90 fine.npy >cut.npy
    refuse 3 "wide.npy: has 12 x 3 scores; zero-shot has 12 images and 2 tags to rank" $args --scenarios zero-shot --scores mine=wide.npy
    refuse 3 "nan.npy: a score in row 1 is no finite number" $args --scenarios zero-shot --scores mine=nan.npy
    refuse 3 "cut.npy" $args --scenarios zero-shot --scores mine=cut.npy
    refuse 2 "one file of scores is for one scenario" $args --scores mine=fine.npy
    refuse 2 "no such file of scores" $args --scores mine=nowhere.npy
    refuse 2 "'net' is a method of fast0tag" $args --scenarios zero-shot --scores net=fine.npy
    refuse 2 "two methods are called 'a'" $args --scenarios zero-shot --scores a=fine.npy --scores a=fine.npy
    refuse 2 "cannot be the name of a method" $args --scenarios zero-shot --scores "a b=fine.npy"
    refuse 2 "NAME=SCORES is expected" $args --scenarios zero-shot --scores fine.npy
    [ -z "$(ls fast0tag-eval-*.lock 2>/dev/null)" ] || complain "a lock was left"
}

case_results_of_other_scores_are_not_taken() {
    make_split_collection
    numpy 'np.save("scores.npy", np.tile([1.0, 0.0], (12, 1)))'
    run 0 $args --scenarios zero-shot --scores mine=scores.npy --results kept.jsonl --json
    json_holds 'open("before", "w").write(str(d[1]["miap"])) > 0'
    numpy 'np.save("scores.npy", np.tile([0.0, 1.0], (12, 1)))'
    run 0 $args --scenarios zero-shot --scores mine=scores.npy --results kept.jsonl --json
    json_holds 'str(d[1]["miap"]) != open("before").read()'
}

case_programs_are_tuned_and_tested() {
    make_split_collection
    run 0 $args --scenarios conventional,zero-shot --add "knn=$methods/knn.py" --add "ridge=$methods/ridge.py" --trials 4 --json
    json_holds '[r["method"] for r in d] == ["random", "knn", "ridge"] * 2'
    json_holds '[r["miap"] is None for r in d] == [False, False, False, False, True, False]'
    json_holds 'd[1]["trials"] > 1 and d[1]["knobs"].startswith("k ") and d[5]["knobs"].startswith("ridge ")'
    json_holds 'd[2]["miap"] > d[0]["miap"] and d[5]["miap"] > d[3]["miap"]'
    [ -z "$(ls -d "${TMPDIR:-/var/tmp}"/fast0tag-task-* 2>/dev/null)" ] || complain "task folders were left"
}

case_knobs_can_be_fixed_and_every_run_is_told() {
    make_split_collection
    run 0 $args,linear --scenarios zero-shot --draws 2 --set linear.ridge=0.125 --json
    json_holds 'all(len(r["runs"]) == 2 and r["runs"][1]["seed"] == 1 for r in d)'
    json_holds '[run["knobs"]["ridge"] for run in d[1]["runs"]] == [0.125] * 2'
    json_holds 'abs(sum(run["miap"] for run in d[1]["runs"]) / 2 - d[1]["miap"]) < 1e-3'
    json_holds 'all(run["validation_miap_fold1"] > 0 for run in d[1]["runs"])'
    run 0 $args --scenarios conventional --add "knn=$methods/knn.py" --set knn.k=3 --json
    json_holds 'd[1]["knobs"] == "k 3" and d[1]["trials"] <= 1'
    refuse 2 "linear has no knob 'rat'; it has " $args,linear --set linear.rat=1
    refuse 2 "random has no knob 'rate'; it has none" $args --set random.rate=1
    refuse 2 "is of none of the methods compared" $args --set net.rate=1
    for wrong in rate net.rate net.=1 .rate=1 random.rate=x random.rate= random.rate=1e999; do
        refuse 2 "METHOD.KNOB=VALUE is expected" $args --set "$wrong"
    done
}

case_every_image_and_tag_is_told() {
    make_split_collection
    run 0 $args,frequency --scenarios conventional,zero-shot --draws 2 --details more --results kept.jsonl --json
    cp "$out" first.json
    cp -r more before
    run 0 $args,frequency --scenarios conventional,zero-shot --draws 2 --details more --results kept.jsonl --json
    cmp before/conventional-tags.csv more/conventional-tags.csv || complain "results that were kept give other details"
    [ "$(head -1 more/zero-shot-tags.csv)" = "run,tag,kind,images,random,frequency" ] || complain "another head"
    [ "$(ls more | wc -l)" = 4 ] || complain "other files: $(ls more)"
    /usr/bin/python3 - <<'PY' || complain "the details are not those of the row"
import csv, json
rows = json.load(open("first.json"))
for kind, name in (("images", "miap"), ("tags", "map")):
    lines = list(csv.DictReader(open(f"more/conventional-{kind}.csv")))
    for row in rows[:2]:
        for run in (0, 1):
            found = [float(l[row["method"]]) for l in lines if l["run"] == str(run + 1) and l[row["method"]]]
            want = row["runs"][run][name]
            assert abs(sum(found) / len(found) - want) < 1e-3, (row["method"], name, found, want)
assert all(l["frequency"] == "" for l in csv.DictReader(open("more/zero-shot-images.csv")))
PY
    refuse 3 "nowhere/more" $args --scenarios zero-shot --details nowhere/more
}

# program NAME LINES: a shell script.
program() { printf '#!/bin/sh\n%s\n' "$2" >"$1"; chmod +x "$1"; }

case_a_program_never_sees_what_it_is_tested_by() {
    make_split_collection
    program spy 'cp -r "$1" seen-by-it; exit 7'
    refuse 1 "./spy: exited with 7" $args --scenarios zero-shot --add spy=./spy --no-tune
    ls seen-by-it | grep -q train_labels.npy || complain "no labels to learn from"
    ! grep -l -r -E 'tree|car' seen-by-it | grep -v ranked.txt || complain "unseen tags are told"
    [ "$(ls seen-by-it | wc -l)" = 12 ] || complain "other files: $(ls seen-by-it)"
}

case_what_a_program_does_wrong_is_one_line() {
    make_split_collection
    program fails 'echo working; echo "no idea" >&2; exit 3'
    program silent 'exit 0'
    program slow 'sleep 60'
    program dies 'kill -9 $$'
    program narrow '/usr/bin/python3 -c "import numpy as np, sys; np.save(sys.argv[1] + \"/scores.npy\", np.zeros((2, 2)))" "$1"'
    refuse 1 "fails (seen tags): ./fails: exited with 3: no idea" $args --scenarios zero-shot --add fails=./fails
    refuse 3 "silent (seen tags): wrote no scores.npy" $args --scenarios zero-shot --add silent=./silent
    refuse 1 "slow (seen tags): ./slow: took longer than 1 s" $args --scenarios zero-shot --add slow=./slow --timeout 1
    refuse 1 "./dies: killed by signal 9" $args --scenarios zero-shot --add dies=./dies
    refuse 3 "has 2 x 2 scores; zero-shot has 12 images and 2 tags" $args --scenarios zero-shot --add narrow=./narrow
    refuse 1 "./nowhere: cannot be run" $args --scenarios zero-shot --add nowhere=./nowhere
    echo '{"knobs": {"k": [3, 2]}}' >silent.json
    refuse 3 'silent.json: knob "k": rising numbers are expected' $args --scenarios zero-shot --add silent=./silent
    echo '{"knobs": {"k": [1]}, "first": {"k": 4}}' >silent.json
    refuse 3 '"first" of knob "k" is none of its values' $args --scenarios zero-shot --add silent=./silent
    echo '{"nob": 1}' >silent.json
    refuse 3 "silent.json" $args --scenarios zero-shot --add silent=./silent
    [ -z "$(ls -d "${TMPDIR:-/var/tmp}"/fast0tag-task-* 2>/dev/null)" ] || complain "task folders were left"
}

run_cases
