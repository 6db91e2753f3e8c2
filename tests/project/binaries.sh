#!/usr/bin/env bash
# What the binaries show: the exported symbols, direct calls, and no trace of the machine that built them.
. "$(dirname "$0")/../cli/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
libraries="fast0tag fast0tag-tools"

# exported LIBRARY VERSION: names that the shared library has under a symbol version that begins so.
exported() {
    nm -D --defined-only --with-symbol-versions "$BUILD/lib$1.so" |
        sed -n "s/.* T \\(.*\\)@@$2.*/\\1/p" | sort
}

# declared LIBRARY: the functions of its header.
declared() {
    tr '\n' ' ' <"$root/include/${1/-/_}.h" | grep -oE 'F0T_API [^;(]*\(' | grep -oE 'f0t_[a-z0-9_]+\(' |
        tr -d '(' | sort
}

public_version() {
    [ "$1" = fast0tag ] && echo FAST0TAG_0 || echo FAST0TAG_TOOLS_0
}

case_a_library_exports_exactly_the_functions_of_its_header() {
    local library
    for library in $libraries; do
        diff <(declared "$library") <(exported "$library" "$(public_version "$library")") >"$out" ||
            complain "$library: declared (<) and exported (>) differ: $(cat "$out")"
    done
}

case_the_exported_symbols_are_those_of_the_checked_lists() {
    local library
    for library in $libraries; do
        diff "$root/tests/project/exported-$library.txt" \
            <(exported "$library" "$(public_version "$library")") >"$out" ||
            complain "the interface changed (<: the list). If that is meant, edit" \
                "tests/project/exported-$library.txt: $(cat "$out")"
    done
}

# What the tools use of the core has a version that says so; the tools have no such symbols.
case_other_symbols_are_private() {
    local version other
    version=FAST0TAG_PRIVATE_$(sed -n 's/^project(fast0tag VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
    other=$(nm -D --defined-only --with-symbol-versions "$BUILD/libfast0tag.so" |
        grep -vE " (A FAST0TAG_[A-Z0-9_.]+|T [^ ]*@@FAST0TAG_0|[A-Z] f0t_[a-z0-9_]*@@$version)\$")
    [ -z "$other" ] || complain "libfast0tag: $other"
    [ -n "$(exported fast0tag "$version")" ] || complain "no private symbols: this test sees nothing"
    other=$(nm -D --defined-only --with-symbol-versions "$BUILD/libfast0tag-tools.so" |
        grep -vE ' (A FAST0TAG_TOOLS_0|T [^ ]*@@FAST0TAG_TOOLS_0)$')
    [ -z "$other" ] || complain "libfast0tag-tools: $other"
    ! readelf -d "$BUILD/libfast0tag.so" | grep -q 'NEEDED.*fast0tag' || complain "the core needs the tools"
}

# Exported or not, a function of the library is called directly.
case_no_call_inside_a_library_is_looked_up() {
    local library
    for library in $libraries; do
        readelf -rW "$BUILD/lib$library.so" | grep -oE ' f0t_[a-z0-9_]+' | tr -d ' ' | sort -u |
            comm -12 - <(exported "$library" "") >"$out"
        [ ! -s "$out" ] || complain "$library: $(head -n 5 "$out")"
    done
}

case_every_global_name_of_the_static_libraries_has_our_prefix() {
    local library other
    for library in $libraries; do
        other=$(nm -g --defined-only "$BUILD/lib$library.a" 2>/dev/null | awk 'NF == 3 { print $3 }' |
            grep -vE '^(f0t_|\.gomp_critical_user_f0t_)' | head -n 20)
        [ -z "$other" ] || complain "$library: $other"
    done
}

# "./src" is how a path of ours shall look, also when the sources lie in /src.
our_paths() {
    local plain
    plain=$(printf '%s' "$root" | sed 's/[][\.*^$+?(){}|]/\\&/g')
    strings -n 2 "$1" | grep -E -m 3 "(^|[^.])$plain(/|\$)"
}

case_no_path_of_the_building_machine_is_inside() {
    local file
    for file in "$FAST0TAG" "$BUILD"/libfast0tag.so "$BUILD"/libfast0tag-tools.so "$BUILD"/libfast0tag*.a; do
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

# Wide registers belong to the kernels that are chosen by CPU at run time (src/base/cpu.h) alone, and to tiles.c and tiles_conv.c, whose
# functions say one by one what they are compiled for.
# Tiles, Winograd's convolutions, depthwise ones and those of points and of small groups ask for the CPU themselves (f0t_tiles_native, f0t_panels_native, f0t_cpu_level);
# dots.c, which only measures, is asked for after oneDNN's word (f0t_matmul_has_bf16).
case_only_the_chosen_kernels_use_wide_registers() {
    local name wide
    [ "$(uname -m)" = x86_64 ] || return 0
    for name in f0t_objects f0t_tools_objects f0t_kernels_base fast0tag_cli; do
        wide=$(find "$BUILD/CMakeFiles/$name.dir" -name '*.o' ! -name 'tiles*.c.o' ! -name grouped.c.o ! -name depthwise_eight.c.o ! -name interleave.c.o ! -name points.c.o ! -name points_eight.c.o ! -name dots.c.o -exec objdump -d {} + | grep -cE '%[yz]mm')
        [ "$wide" = 0 ] || complain "$name: $wide instructions with ymm or zmm registers"
    done
    find "$BUILD/CMakeFiles/f0t_kernels_widest.dir" -name '*.o' -exec objdump -d {} + | grep -q '%zmm' ||
        complain "the widest kernels use no zmm register: this test sees nothing"
}

# Every object of ours has what the compiler offers against bytes that slip past a check (CMakeLists.txt, f0t_harden).
case_everything_is_hardened() {
    local flag
    grep -q 'F0T_SANITIZE:STRING=.' "$BUILD/CMakeCache.txt" && return
    grep -q 'CMAKE_BUILD_TYPE:STRING=Release' "$BUILD/CMakeCache.txt" || return 0
    awk '/^build .*\.c\.o: C_COMPILER/ { name = $2 } / FLAGS = / && name { print name, $0; name = "" }' "$BUILD/build.ninja" |
        grep -E '/(f0t_|fast0tag)[a-z_]*\.dir/' | grep -vE '/f0t_kernels_|/fast0tag_mpi|/fast0tag_cuda' >flags
    [ "$(wc -l <flags)" -gt 400 ] || complain "$(wc -l <flags) objects: this test sees nothing"
    for flag in -fstack-clash-protection -fcf-protection=full; do
        ! grep -v -e "$flag" flags >"$out" || complain "without $flag: $(cut -d' ' -f1 "$out" | head -n 3)"
    done
    grep -vE '/src/(compute|cuda|expert|image|math|model|mpi|onnx|rank)/' flags | grep -v -e -ftrivial-auto-var-init=zero >"$out" &&
        complain "variables do not begin as zeros: $(cut -d' ' -f1 "$out" | head -n 3)"
    [ "$(uname -m)" = x86_64 ] || return 0
    for file in "$FAST0TAG" "$BUILD"/fast0tag-picture "$BUILD"/libfast0tag.so "$BUILD"/libfast0tag-tools.so; do
        objdump -d "$file" | grep -q endbr64 || complain "$(basename "$file"): no endbr64"
        nm -D "$file" | grep -q '__stack_chk_fail' || complain "$(basename "$file"): no stack protector"
        nm -D "$file" | grep -qE '__(memcpy|memset|snprintf|fprintf|read)_chk' || complain "$(basename "$file"): not fortified"
    done
}

run_cases
