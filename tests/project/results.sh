#!/usr/bin/env bash
# The directives of scripts/results: each says what a small file of results says, and refuses what that does not support.
. "$(dirname "$0")/../cli/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
script=$(cd "$here/../.." && pwd)/scripts/results

# Four draws. "a" is before "b" beyond chance and before "c" not; tuned, "a" loses in each draw, and "b" gains in each.
make_results() {
    mkdir -p results
    cat >results/plain.json <<'J'
{"command": "fast0tag eval photos --vectors glove.txt --no-tune --unseen 20% --draws 4 --scenarios zero-shot --methods a,b,c,refused", "rows": [
{"method": "a", "scenario": "zero-shot", "repeats": 4, "miap": 40.04, "miap_sd": 1.25, "map": 12.3, "leads": true, "draws": [39, 40, 41, 40.16],
 "differences": {"b": {"miap": 5, "low": 2.04, "high": 8, "p": 0.01}, "c": {"miap": 0.5, "low": -1, "high": 2, "p": 0.4}}},
{"method": "b", "scenario": "zero-shot", "repeats": 4, "miap": 35.04, "miap_sd": 2, "map": 11, "draws": [34, 35, 36, 35.16],
 "differences": {"a": {"miap": -5, "low": -8, "high": -2.04, "p": 0.01}}},
{"method": "c", "scenario": "zero-shot", "repeats": 4, "miap": 39.54, "miap_sd": 2, "leads": true, "draws": [39, 39, 40, 40.16]},
{"method": "refused", "scenario": "zero-shot", "repeats": 4}]}
J
    cat >results/tuned.json <<'J'
{"command": "fast0tag eval photos --draws 4", "rows": [
{"method": "a", "scenario": "zero-shot", "repeats": 4, "miap": 38, "draws": [38, 38, 38.5, 39.16]},
{"method": "b", "scenario": "zero-shot", "repeats": 4, "miap": 36, "draws": [35, 37, 36.5, 36.16]}]}
J
}

# with_script CODE: Python in which the script is `module`.
with_script() {
    /usr/bin/python3 - "$script" >"$out" 2>"$err" <<P
import importlib.machinery, importlib.util, os, sys
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("results", sys.argv[1])
module = importlib.util.module_from_spec(importlib.util.spec_from_loader("results", loader))
loader.exec_module(module)
module.FOLDER = os.path.abspath("results")
$1
P
}

# page TEXT: what the directives of a page become.
page() {
    printf '%s\n' "$1" >results/page.in
    with_script 'module.SIGNIFICANT = float(os.environ.get("LEVEL", module.SIGNIFICANT))
print(module.page())'
}

# becomes TEXT LINE…: a page with this text has these lines.
becomes() {
    local text=$1
    page "$text" || complain "'$text' is refused: $(tail -1 "$err")"
    shift
    for line; do
        grep -qxF -- "$line" "$out" || complain "'$text' has no line '$line': $(cat "$out")"
    done
}

# is_refused TEXT WHY: a page with this text is not made.
is_refused() {
    ! page "$1" || complain "'$1' becomes $(cat "$out")"
    grep -qF -- "$2" "$err" || complain "'$1' is refused without '$2': $(cat "$err")"
}

case_numbers_and_tables_are_those_of_the_file() {
    make_results
    becomes '{{value plain a zero-shot}} and {{value plain a zero-shot map}}' "40.0 and 12.3"
    becomes '{{value plain c zero-shot map}}' "–"
    becomes '{{order plain zero-shot b,a,c}}' "a 40, c 40, b 35"
    becomes '{{table plain}}' "| method | zero-shot |" "| a | **40.0 ± 1.2** |" "| b | 35.0 ± 2.0 |" "| c | **39.5 ± 2.0** |"
    ! grep -q refused "$out" || complain "a method without any number has a row"
    becomes '{{table plain without=a}}' "| b | 35.0 ± 2.0 |"
    ! grep -q "| a |" "$out" || complain "a row that was left out is there"
    becomes '{{table plain values=map methods=b,a}}' "| b | 11.0 |" "| a | 12.3 |"
    becomes '{{table plain values=map digits=2 methods=a}}' "| a | 12.30 |"
    becomes '{{table plain values=miap,map methods=c,a}}' "| method | zero-shot: miap | zero-shot: map |" "| c | **39.5 ± 2.0** | – |" "| a | **40.0 ± 1.2** | 12.3 |"
    becomes '{{command plain}}' "fast0tag eval photos --vectors glove.txt --no-tune --unseen 20% --draws 4 --scenarios zero-shot \\" "    --methods a,b,c,refused"
}

case_a_claim_is_made_only_where_it_holds() {
    make_results
    becomes 'by {{better plain zero-shot a b}}' "by +5.0 (+2.0 to +8.0)"
    becomes 'by {{even plain zero-shot a c}}' "by +0.5 (-1.0 to +2.0)"
    is_refused '{{better plain zero-shot a c}}' "claims that a is before c in zero-shot of plain: +0.5 (-1.0 to +2.0), p = 0.400"
    is_refused '{{better plain zero-shot b a}}' "claims that b is before a"
    is_refused '{{even plain zero-shot a b}}' "says that a and b do not differ"
    is_refused '{{better plain zero-shot c a}}' "c and a are not compared"
    is_refused '{{better plain open a b}}' "no row of a in open"
}

# All sixteen signs of four differences: as much in the same direction by two of them.
case_gains_are_paired_over_the_draws() {
    make_results
    becomes '{{gains plain tuned}}' "| method | zero-shot, defaults | tuning |" "| a | 40.0 | -1.6 (p 0.12) |" "| b | 35.0 | +1.1 (p 0.12) |"
    becomes '{{worse plain tuned}}' "none"
    sed -i 's/, 39.16\]/]/' results/tuned.json
    is_refused '{{gains plain tuned}}' "plain and tuned have not the same draws of a in zero-shot"
    make_results
    LEVEL=0.2 becomes '{{worse plain tuned}}' "a in zero-shot by 1.6"
    cat >results/more.json <<'J'
{"command": "fast0tag eval photos --unseen 20% --draws 2", "rows": [
{"method": "a", "scenario": "zero-shot", "repeats": 2, "miap": 99, "draws": [99, 99]},
{"method": "c", "scenario": "zero-shot", "repeats": 2, "miap": 41, "draws": [40, 42]}]}
J
    becomes '{{gains plain tuned more}}' "| a | 40.0 | -1.6 (p 0.12) |" "| c (2 draws) | 39.0 | +2.0 (p 0.5) |"
    LEVEL=0.6 becomes '{{worse plain tuned more}}' "a in zero-shot by 1.6"
    sed -i 's/\[40, 42\]/[30, 32]/' results/more.json
    LEVEL=0.6 becomes '{{worse plain tuned more}}' "a in zero-shot by 1.6, c in zero-shot by 8.0"
    sed -i 's/unseen 20%/unseen 30%/' results/more.json
    is_refused '{{gains plain tuned more}}' "plain and more do not draw alike"
}

case_a_page_that_is_refused_leaves_the_old_one() {
    make_results
    echo old >page.md
    printf '%s\n' '{{value plain nobody zero-shot}}' >results/page.in
    ! with_script 'module.PAGE = os.path.abspath("page.md")
module.main("write", [])' || complain "it was written"
    [ "$(cat page.md)" = old ] || complain "the old page is gone: $(cat page.md)"
}

# The draws that both have.
case_draws_stand_side_by_side() {
    make_results
    sed -i 's/photos --draws 4/photos --unseen 20% --draws 3/; s/, 36.16\]/]/' results/tuned.json
    becomes '{{draws plain a tuned b zero-shot}}' "| drawn by | zero-shot: a | b | more |" "| seed 0 | 39.0 | 35.0 | -4.0 |" \
        "| seed 2 | 41.0 | 36.5 | -4.5 |" "| mean | 40.0 | 36.2 | -3.8 |"
    ! grep -q "seed 3" "$out" || complain "a draw that one of them lacks has a row"
    is_refused '{{draws plain refused tuned b zero-shot}}' "plain and tuned have no draws of refused and b in zero-shot"
    sed -i 's/20% --draws 4/20% --seed 7 --draws 4/' results/plain.json
    is_refused '{{draws plain a tuned b zero-shot}}' "plain and tuned do not draw alike"
    sed -i 's/20% --draws 3/20% --seed 7 --draws 3/' results/tuned.json
    becomes '{{draws plain a tuned b zero-shot}}' "| seed 7 | 39.0 | 35.0 | -4.0 |"
}

# The larger network's trial does not count, and neither does the setting that was not chosen.
case_losses_are_those_of_the_trainings() {
    make_results
    cat >results/losses.jsonl <<'J'
{"key": {"held_out": true, "hidden": "", "loss": "a", "setting": {"rate": 0.01, "decay": 1, "dropout": 0.2}}, "result": {"known": 50, "new": 31}}
{"key": {"held_out": true, "hidden": "", "loss": "a", "setting": {"rate": 0.02, "decay": 1, "dropout": 0.2}}, "result": {"known": 51, "new": 30}}
{"key": {"held_out": true, "hidden": "", "loss": "a", "setting": {"rate": 0.02, "decay": 1, "dropout": 0.8}}, "result": {"known": 40, "new": 32}}
{"key": {"held_out": true, "hidden": "8", "loss": "a", "setting": {"rate": 0.02, "decay": 1, "dropout": 0.2}}, "result": {"known": 60, "new": 60}}
{"key": {"held_out": false, "hidden": "", "loss": "a", "setting": {"rate": 0.01, "decay": 1, "dropout": 0.2}}, "result": {"new": 20, "both": 10, "many_new": 5, "many_both": 4}}
{"key": {"held_out": false, "hidden": "", "loss": "a", "setting": {"rate": 0.01, "decay": 1, "dropout": 0.2}}, "result": {"new": 22, "both": 11, "many_new": 7, "many_both": 5}}
{"key": {"held_out": false, "hidden": "", "loss": "a", "setting": {"rate": 0.02, "decay": 1, "dropout": 0.8}}, "result": {"new": 90, "both": 90, "many_new": 9, "many_both": 9}}
J
    becomes '{{trials a}}' "| \`a\` | 51.0 | 32.0 |"
    becomes '{{tested a}}' "| \`a\` | 0.01, 1 | 21.0 (20.0, 22.0) | 10.5 (10.0, 11.0) | 6.0 | 4.5 |"
}

# Of two draws the mean and the deviation; of one, the number.
case_keywords_are_those_of_the_draws() {
    make_results
    cat >results/keywords.json <<'J'
{"command": "bench/keywords.py fast0tag a glove.txt keywords.jsonl && bench/keywords.py fast0tag b glove.txt keywords.jsonl", "rows": [
{"collection": "a", "pictures": "50", "seed": 0, "learned": 50, "tagged": 1000, "keywords": 400, "methods": {"ridge": {"miap": 20, "p5": 10}, "blend": {"miap": 22, "p5": 11}}},
{"collection": "a", "pictures": "50", "seed": 1, "learned": 50, "tagged": 1002, "keywords": 402, "methods": {"ridge": {"miap": 24, "p5": 12}, "blend": {"miap": 23, "p5": 13}}},
{"collection": "b", "pictures": "all", "seed": 0, "learned": 7091, "tagged": 990, "keywords": 8597, "methods": {"ridge": {"miap": 29.66, "p5": 44.2}, "blend": {"miap": 32.2, "p5": 46.1}}}]}
J
    becomes '{{keywords}}' "| pictures of | learned from | draws | keywords | tagged | ridge | blend |" \
        "| a | 50 | 2 | 401 | 1,001 | 22.0 ± 2.8, 11.0 ± 1.4 | 22.5 ± 0.7, 12.0 ± 1.4 |" "| b | 7,091 | 1 | 8,597 | 990 | 29.7, 44.2 | 32.2, 46.1 |"
    becomes 'in {{ahead blend ridge}} draws, {{ahead ridge blend}}' "in 2 of 3 draws, 1 of 3"
    becomes '{{command keywords}}' "bench/keywords.py fast0tag a glove.txt keywords.jsonl" "bench/keywords.py fast0tag b glove.txt keywords.jsonl"
}

# Those of Table 2, the best first.
case_published_figures_are_the_papers() {
    make_results
    becomes '{{published nuswide zero-shot linear,net}} and {{published iapr zero-shot net,conse}}' "net 42.2, linear 40.1 and conse 24.1, net 20.3"
    is_refused '{{published nuswide zero-shot net,wsabie}}' "the paper has no wsabie in zero-shot of nuswide"
    is_refused '{{published corel5k zero-shot net}}' "the paper has no net in zero-shot of corel5k"
}

# Numbers inside words are names, those of directives are results, and those of the text are not in a table.
case_a_number_that_is_typed_in_a_table_is_refused() {
    make_results
    becomes '| IAPR TC-12 | Flickr8k | F1@3 | conventional¹ | {{value plain a zero-shot}} |' "| IAPR TC-12 | Flickr8k | F1@3 | conventional¹ | 40.0 |"
    becomes 'With 50 pictures 1.04 times' "With 50 pictures 1.04 times"
    for cell in 40.0 "net 42" "+1.9" "−3.8" ".5" "**31.7**" "{{value plain a zero-shot}}, 7" "(2)"; do
        is_refused "| a | $cell |" "page.in, line 1: a number of a table is typed"
    done
    is_refused $'Text.\n\n  | a | 3 |' "page.in, line 3: a number of a table is typed"
}

# What an experiment reads is made, each thing after what it is made of, and nothing else.
case_an_experiment_makes_what_it_needs() {
    with_script 'for name in ("flickr8k", "corel5k", "blend", "open-clipart", "keywords"):
    print(name + ":", *(one for one, _ in module.needed([module.EXPERIMENTS[name]])))'
    [ "$(cat "$out")" = "flickr8k:
corel5k: corel5k
blend: wordnet.safetensors joined.safetensors
open-clipart: wordnet.safetensors clipart/pictures open-clipart
keywords: corel5k wordnet.safetensors joined.safetensors clipart/pictures" ] || complain "$(cat "$out" "$err")"
}

case_what_is_not_there_is_refused() {
    make_results
    is_refused '{{value nothing a zero-shot}}' "there are no results of 'nothing'"
    is_refused '{{value plain d zero-shot}}' "no row of d in zero-shot"
    is_refused '{{shout plain}}' "{{shout plain}} is none of"
}

run_cases
