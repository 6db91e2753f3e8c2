#!/usr/bin/env bash
# What `make` uses comes with the packages of `scripts/deps build`, and with nothing that only the tests need: tests/project/packages.py.
. "$(dirname "$0")/../cli/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

# build_packages: the group, one package per line.
build_packages() {
    sed -n 's/^build *| *\([^ ]*\) .*/\1/p' "$root/scripts/deps"
}

# Whether Debian's data say what is installed here; else the case is skipped.
knows_packages() {
    local package
    if ! command -v dpkg-query >/dev/null; then
        skip "there is no dpkg here to say which package has a file"
        return 1
    fi
    for package in $(build_packages); do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -q '^installed' && continue
        skip "$package is not installed as a package of Debian"
        return 1
    done
}

case_the_build_uses_what_its_packages_bring() {
    knows_packages || return
    build_packages | /usr/bin/python3 "$here/packages.py" "$root" "$BUILD" "$PWD/configured" >"$out" 2>"$err" || complain "$(cat "$err")"
    [ ! -s "$out" ] || complain "scripts/deps build does not install (package: files of it that the build uses): $(cat "$out")"
}

# A library that only pkg-config names, a program that CMake calls, headers, and modules of pkg-config that others require.
case_a_package_that_is_left_out_is_named() {
    local package
    knows_packages || return
    build_packages | grep -vE '^(libstdc|protobuf-c-comp|libutf8proc|libvips)' |
        /usr/bin/python3 "$here/packages.py" "$root" "$BUILD" "$PWD/configured" >"$out" 2>"$err" || complain "$(cat "$err")"
    for package in libstdc++-12-dev protobuf-c-compiler libutf8proc-dev libvips-dev libpango1.0-dev; do
        says "$package: /usr/"
    done
}

run_cases
