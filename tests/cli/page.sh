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
    for n in $(seq 1 12); do
        colour="hsl($((n * 4)),90%,50%)" draw art/red$n.svg rose
        colour="hsl($((200 + n * 4)),80%,50%)" draw art/blue$n.svg sea
    done
    colour='hsl(15,80%,45%)' draw art/new1.svg
    colour='hsl(215,90%,45%)' draw art/new2.svg
    sed -i 's/<metadata>.*<.metadata>//' art/new*.svg
    printf 'rose 1 0 0\nsea 0 1 0\nflower .9 .1 0\nlake .1 .9 .1\n' >v.txt
    run 0 train art --vectors v.txt -o blend.f0t --epochs 2
    run 0 index art -c catalogue.f0t --model blend.f0t
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
