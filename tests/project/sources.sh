#!/usr/bin/env bash
# The layout of the sources, and the public headers alone under every warning.
. "$(dirname "$0")/../cli/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)

case_clang_format_has_nothing_to_change() {
    local folders=()
    for folder in include src cli server picture tests examples bench; do
        [ ! -d "$root/$folder" ] || folders+=("$root/$folder")
    done
    find "${folders[@]}" -name '*.[ch]' -not -path '*/node_modules/*' -print0 |
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

# Items begin with a file; what follows is another file, from there or from the root, or a name in the first one.
case_the_walk_in_architecture_md_names_what_is_there() {
    /usr/bin/python3 - "$root" >"$out" <<'PY' || complain "$(cat "$out")"
import os, re, sys
root = sys.argv[1]
text = open(os.path.join(root, "docs/architecture.md")).read()
walk = text.split("## From main to the result")[1].split("\n## ")[0]
items = re.findall(r"^\d+\. (.*(?:\n   .*)*)", walk, re.M)
wrong = [] if len(items) > 15 else ["%d items" % len(items)]
for item in items:
    first, *rest = re.findall(r"`([^`]+)`", item)
    source = open(os.path.join(root, first)).read()
    for name in rest:
        if re.search(r"\.[ch]$", name):
            found = any(os.path.exists(os.path.join(root, folder, name)) for folder in ("", os.path.dirname(first)))
        else:
            found = re.search(r"\b%s\b" % re.escape(name), source)
        if not found:
            wrong.append("%s: no %s" % (first, name))
print("\n".join(wrong))
sys.exit(bool(wrong))
PY
}

# checks NAME…: what CMake says of this list of tests.
checks() {
    printf 'include(%s/tests/names.cmake)\nf0t_check_tests(%s)\n' "$root" "$*" >names.cmake
    cmake -P names.cmake >"$out" 2>"$err"
}

case_a_list_of_tests_has_no_name_that_is_none() {
    checks math.product_gram model.net cli.demo project.deps python.errors || complain "$(cat "$err")"
    checks math.product_gram math.gram model.net && complain "math.gram is taken for a test"
    warns "'math.gram' names no test: there is no tests/unit/math/test_gram.c"
    checks cli.nothing && complain "cli.nothing is taken for a test"
}

# CMake sets properties of sources that are not there without a word.
case_the_sources_that_cmake_names_are_there() {
    local list name
    for list in CMakeLists.txt tests/CMakeLists.txt tests/cpu.cmake cmake/Cuda.cmake cmake/Mpi.cmake cmake/Onnx.cmake; do
        for name in $(grep -oE '(^|[ (])(src|picture|server|cli|unit|support|fuzz)/[a-z0-9_/]+\.c\b' "$root/$list" | tr -d ' ('); do
            echo "$name"
            [ -e "$root/$(dirname "$list")/$name" ] || [ -e "$root/$name" ] || complain "$list: there is no $name"
        done
    done >named
    [ "$(wc -l <named)" -gt 30 ] || complain "$(wc -l <named) sources: this test sees nothing"
}

run_cases
