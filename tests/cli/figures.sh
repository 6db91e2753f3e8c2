#!/usr/bin/env bash
# Whole figures of eval beside those of a second implementation: tests/python/figures.py, on a small collection.
. "$(dirname "$0")/lib.sh"
figures=$(cd "$(dirname "$0")/../python" && pwd)/figures.py

# A figure that is wrong by two tenths of a point is seen.
case_figures_are_those_of_numpy() {
    /usr/bin/python3 -c "import numpy" 2>/dev/null || { skip "no numpy"; return; }
    /usr/bin/python3 "$figures" "$FAST0TAG" --seed 7 --save said.json >"$out" 2>"$err" ||
        complain "$(grep differs "$out"; tail -3 "$err")"
    says "12 figures compared"
    /usr/bin/python3 -c '
import json
rows = json.load(open("said.json"))
next(r for r in rows if (r["method"], r["scenario"]) == ("linear", "zero-shot"))["miap"] += 0.2
json.dump(rows, open("said.json", "w"))'
    ! /usr/bin/python3 "$figures" "$FAST0TAG" --seed 7 --read said.json >"$out" 2>"$err" || complain "a wrong figure is not seen"
    [ "$(grep -c differs "$out")" = 1 ] || complain "more than one differs, or none: $(grep differs "$out")"
}

run_cases
