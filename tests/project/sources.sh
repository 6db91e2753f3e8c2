#!/usr/bin/env bash
# The layout of the sources, and the public headers alone under every warning.
. "$(dirname "$0")/../cli/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)

case_clang_format_has_nothing_to_change() {
    local folders=()
    for folder in include src cli picture tests examples bench; do
        [ ! -d "$root/$folder" ] || folders+=("$root/$folder")
    done
    find "${folders[@]}" -name '*.[ch]' -print0 |
        xargs -0 clang-format --dry-run -Werror 2>"$err" || complain "$(head -c 2000 "$err")"
}

# alone LANGUAGE COMPILER…: each public header as the only thing in a file.
alone() {
    local language=$1 header
    shift
    for header in "$root"/include/*.h; do
        "$@" -x "$language" -I"$root/include" -Wall -Wextra -pedantic -Werror -fsyntax-only \
            - <<<"#include \"$(basename "$header")\"" 2>"$err" ||
            complain "$(basename "$header") with $*: $(head -c 1000 "$err")"
    done
}

case_the_public_headers_compile_alone_as_c11() {
    alone c gcc -std=c11
    alone c clang -std=c11
}

case_the_public_headers_compile_alone_as_cpp() {
    alone c++ g++ -std=c++11
    alone c++ clang++ -std=c++17
}

case_the_headers_and_the_build_say_the_same_version() {
    local header build
    header=$(sed -n 's/^#define F0T_VERSION_[A-Z]* //p' "$root/include/fast0tag.h" | paste -sd.)
    build=$(sed -n 's/^project(fast0tag VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
    [ "$header" = "$build" ] || complain "fast0tag.h says $header, CMakeLists.txt $build"
    grep -q "^## .*$build\|^## Unreleased" "$root/CHANGELOG.md" || complain "no entry in CHANGELOG.md"
}

run_cases
