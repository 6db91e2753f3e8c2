#!/usr/bin/env bash
# The page of fast0tag serve in a browser: tests/server/page.mjs, where a browser and what drives it are there.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")/../server" && pwd)

# suggest PICTURE TAG=CONFIDENCE…: as a model would.
suggest() {
    /usr/bin/python3 - "$@" <<'PY'
import sqlite3, sys
c = sqlite3.connect("catalogue.f0t")
for tag, confidence in (pair.split("=") for pair in sys.argv[2:]):
    c.execute("INSERT OR IGNORE INTO tags(name) VALUES (?)", (tag,))
    c.execute("INSERT INTO suggestions SELECT p.id, t.id, ? FROM pictures p, tags t WHERE p.path LIKE ? AND t.name = ?",
              (float(confidence), "%/" + sys.argv[1], tag))
c.commit()
PY
}

# serve_catalogue CATALOGUE: its server is one of $servers, and what it says in CATALOGUE.out.
serve_catalogue() {
    "$FAST0TAG" serve -c "$1" --vectors v.txt --port 0 >"$1.out" 2>"$1.err" &
    servers+=($!)
}

# address CATALOGUE: of its server, as soon as it listens.
address() {
    local n
    for n in $(seq 1 200); do
        grep -q '/$' "$1.out" && break
        sleep 0.05
    done
    sed -n 's|.*\(http:.*/\)$|\1|p' "$1.out"
}

case_page() {
    local server servers=()
    if ! command -v node >/dev/null || ! command -v chromium >/dev/null || ! "$here/../../scripts/deps-npm" --check; then
        skip "no browser to drive: scripts/deps test, then scripts/deps-npm"
        return
    fi
    make_catalogue
    suggest new1.svg tulip=0.8 boat=0.3 fish=0.08
    mkdir none
    run 0 index none -c empty.f0t --model blend.f0t
    serve_catalogue catalogue.f0t
    serve_catalogue empty.f0t
    HOME=$PWD node "$here/page.mjs" "$(address catalogue.f0t)" "$(address empty.f0t)" "$PWD/art/red1.svg" ${F0T_SHOTS:+"$F0T_SHOTS"} || case_failed=1
    kill "${servers[@]}"
    for server in "${servers[@]}"; do wait "$server" || complain "a server ended with $?: $(cat *.err)"; done
}

run_cases
