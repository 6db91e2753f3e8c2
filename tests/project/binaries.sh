#!/usr/bin/env bash
# What the binaries show: the exported symbols, and no trace of the machine that built them.
. "$(dirname "$0")/../cli/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
library=$BUILD/libfast0tag.so archive=$BUILD/libfast0tag.a

exported() {
    nm -D --defined-only "$library" | awk '{ print $NF }' | sort
}

declared() {
    cat "$root"/include/*.h | tr '\n' ' ' | grep -oE 'F0T_API [^;(]*\(' | grep -oE 'f0t_[a-z0-9_]+\(' |
        tr -d '(' | sort
}

case_the_library_exports_exactly_the_public_functions() {
    diff <(declared) <(exported) >"$out" ||
        complain "declared (<) and exported (>) differ: $(cat "$out")"
}

case_the_exported_symbols_are_those_of_the_checked_list() {
    diff "$root/tests/project/exported-symbols.txt" <(exported) >"$out" ||
        complain "the interface changed; if that is meant: nm -D --defined-only" \
            "build/libfast0tag.so | awk '{print \$NF}' | sort >tests/project/exported-symbols.txt" \
            "$(cat "$out")"
}

case_every_global_name_of_the_static_library_has_our_prefix() {
    local other
    other=$(nm -g --defined-only "$archive" 2>/dev/null | awk 'NF == 3 { print $3 }' |
        grep -v '^f0t_' | head -n 20)
    [ -z "$other" ] || complain "$other"
}

# "./src" is how a path of ours shall look, also when the sources lie in /src.
our_paths() {
    local plain
    plain=$(printf '%s' "$root" | sed 's/[][\.*^$+?(){}|]/\\&/g')
    strings -n 2 "$1" | grep -E -m 3 "(^|[^.])$plain(/|\$)"
}

case_no_path_of_the_building_machine_is_inside() {
    local file
    for file in "$FAST0TAG" "$library" "$archive"; do
        ! our_paths "$file" >"$out" || complain "$(basename "$file"): $(cat "$out")"
        [ "${file%.a}" != "$file" ] || ! readelf -d "$file" | grep -qE 'RPATH|RUNPATH' ||
            complain "$(basename "$file") has a run path"
    done
    gcc -g -x c -c "$root/src/base/version.c" -I"$root/include" -o here.o
    our_paths here.o >"$out" || complain "a path that is inside was not seen: this test sees nothing"
}

case_nothing_is_compiled_for_the_building_machine() {
    ! grep -nE -- '-m(arch|tune|cpu)=native' "$BUILD/build.ninja" >"$out" || complain "$(head -n 3 "$out")"
}

# Wide registers belong to the kernels that are chosen by CPU at run time (src/base/cpu.h) alone.
case_only_the_chosen_kernels_use_wide_registers() {
    local name wide
    [ "$(uname -m)" = x86_64 ] || return 0
    for name in f0t_objects f0t_kernels_v1 fast0tag_cli; do
        wide=$(find "$BUILD/CMakeFiles/$name.dir" -name '*.o' -exec objdump -d {} + | grep -cE '%[yz]mm')
        [ "$wide" = 0 ] || complain "$name: $wide instructions with ymm or zmm registers"
    done
    find "$BUILD/CMakeFiles/f0t_kernels_v4.dir" -name '*.o' -exec objdump -d {} + | grep -q '%zmm' ||
        complain "the v4 kernels use no zmm register: this test sees nothing"
}

run_cases
