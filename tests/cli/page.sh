#!/usr/bin/env bash
# The page of fast0tag serve in a browser: tests/server/page.mjs, where a browser and what drives it are there.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")/../server" && pwd)

case_page() {
    local n port server
    if ! command -v node >/dev/null || ! command -v chromium >/dev/null || ! "$here/../../scripts/deps-npm" --check; then
        skip "no browser to drive: scripts/deps test, then scripts/deps-npm"
        return
    fi
    make_catalogue
    "$FAST0TAG" serve -c catalogue.f0t --vectors v.txt --port 0 >server.txt 2>"$err" &
    server=$!
    for n in $(seq 1 200); do
        port=$(sed -n 's|.*:\([0-9]*\)/$|\1|p' server.txt)
        [ -z "$port" ] || break
        sleep 0.05
    done
    HOME=$PWD node "$here/page.mjs" "http://127.0.0.1:$port/" "$PWD/art/red1.svg" ${F0T_SHOTS:+"$F0T_SHOTS"} || case_failed=1
    kill "$server"
    wait "$server" || complain "the server ended with $?: $(cat "$err")"
}

run_cases
