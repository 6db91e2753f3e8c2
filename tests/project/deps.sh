#!/usr/bin/env bash
# scripts/deps, with every command that it would change the system with replaced by one that only tells.
. "$(dirname "$0")/../cli/lib.sh"
deps=$(cd "$(dirname "$0")/../.." && pwd)/scripts/deps

# pretend NAME SCRIPT: a command of this name that comes first.
pretend() {
    mkdir -p bin
    printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
    chmod +x "bin/$1"
}

# deps_says CODE ARGUMENTS…: runs it with the pretended commands.
deps_says() {
    local want=$1 got
    shift
    env -u F0T_SKIP_DEPS PATH="$PWD/bin:/usr/bin:/bin" OS_RELEASE="$PWD/os-release" "$deps" "$@" >"$out" 2>"$err"
    got=$?
    [ "$got" = "$want" ] || complain "exit $got, wanted $want: $(cat "$out" "$err")"
}

case_nothing_happens_when_all_is_there() {
    pretend dpkg-query 'shift 3; for p in "$@"; do echo "ii  $p"; done'
    pretend apt-get 'echo "apt-get $*"; exit 1'
    deps_says 0 build test bench
    [ ! -s "$out" ] && [ ! -s "$err" ] || complain "it says something: $(cat "$out" "$err")"
}

case_only_what_is_missing_is_installed() {
    echo 'ID=debian VERSION_ID=12' >os-release
    pretend dpkg-query 'shift 3; for p in "$@"; do [ "$p" = ninja-build ] || echo "ii  $p"; done; exit 1'
    pretend apt-get 'echo "apt-get $*"'
    pretend id 'echo 0'
    deps_says 0 build
    grep -q 'apt-get .*install .*--no-install-recommends ninja-build$' "$out" || complain "$(cat "$out")"
}

case_a_removed_package_counts_as_missing() {
    echo 'ID=debian VERSION_ID=12' >os-release
    pretend dpkg-query 'shift 3; for p in "$@"; do [ "$p" = gcc ] && echo "rc  $p" || echo "ii  $p"; done'
    pretend apt-get 'echo "apt-get $*"'
    pretend id 'echo 0'
    deps_says 0 build
    grep -q 'apt-get .*install .* gcc$' "$out" || complain "$(cat "$out")"
}

case_a_user_goes_through_sudo() {
    echo 'ID=debian VERSION_ID=12' >os-release
    pretend dpkg-query 'exit 1'
    pretend id 'echo 1000'
    pretend sudo 'echo "sudo $*"'
    deps_says 0 build
    grep -q '^sudo env .*apt-get .*install .*cmake' "$out" || complain "$(cat "$out")"
    ! grep -q cmocka "$out" || complain "group build must not bring the test packages"
}

case_another_system_is_told_what_is_needed() {
    echo 'ID=fedora VERSION_ID=39' >os-release
    pretend dpkg-query 'exit 127'
    pretend apt-get 'echo "apt-get was called"'
    deps_says 1 test
    warns "this is not Debian 12"
    warns "libcmocka-dev"
    warns "oneDNN: matrix products"
    warns "F0T_SKIP_DEPS=1"
    [ ! -s "$out" ] || complain "$(cat "$out")"
}

case_npm_of_another_nodejs_is_enough() {
    echo 'ID=debian VERSION_ID=12' >os-release
    pretend dpkg-query 'shift 3; for p in "$@"; do [ "$p" = npm ] || echo "ii  $p"; done; exit 1'
    pretend apt-get 'echo "apt-get $*"'
    pretend npm 'exit 1'
    deps_says 0 test
    [ ! -s "$out" ] || complain "it installs: $(cat "$out")"
}

case_without_the_registry_of_npm_it_goes_on() {
    local there list
    unset F0T_SKIP_DEPS # deps-npm does nothing with it
    cp -r "$(dirname "$deps")/deps-npm" . && mkdir -p tests/server scripts && mv deps-npm scripts/
    echo '{}' >tests/server/package-lock.json
    pretend npm 'echo "npm error code ENOTFOUND" >&2; exit 1'
    PATH=$PWD/bin:/usr/bin:/bin scripts/deps-npm >"$out" 2>"$err" || complain "it ended with $?"
    says "npm cannot install: npm error code ENOTFOUND"
    scripts/deps-npm --check && complain "what is not there is said to be there"
    pretend npm 'mkdir -p node_modules'
    PATH=$PWD/bin:/usr/bin:/bin scripts/deps-npm >"$out" 2>"$err" || complain "it ended with $?"
    [ ! -s "$out" ] || complain "it says: $(cat "$out")"
    scripts/deps-npm --check || complain "what is there is said to be missing"
    echo '{"other": 1}' >tests/server/package-lock.json
    scripts/deps-npm --check && complain "another list is said to be there"
    mkdir -p bench/serve-node && echo '{}' >bench/serve-node/package-lock.json
    pretend npm 'exit 1'
    PATH=$PWD/bin:/usr/bin:/bin scripts/deps-npm bench/serve-node >"$out" 2>"$err" || complain "it ended with $?"
    says "what needs bench/serve-node is left out"
    for list in tests/server bench/serve-node; do
        there=$(grep -c '"resolved"' "$(dirname "$deps")/../$list/package-lock.json")
        [ "$there" = 0 ] || complain "the list of $list names the host of $there packages"
    done
}

case_every_package_has_a_reason() {
    local bad
    bad=$(sed -n '/<<.EOF/,/^EOF/p' "$deps" | grep -vE '^(EOF| .*EOF.*)$' |
        grep -vE '^(build|test|coverage|bench|demo) +\| [a-z0-9.+-]+ +\| .{6,}$')
    [ -z "$bad" ] || complain "$bad"
}

case_no_group_is_a_usage_error() {
    deps_says 2
    warns "Usage: scripts/deps GROUP"
}

run_cases
