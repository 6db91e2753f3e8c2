#!/usr/bin/env bash
# `make install` into an empty prefix, and programs that are built against what lies there.
. "$(dirname "$0")/../cli/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
prefix=$scratch/prefix
# The folder is built when ctest runs: `make` finds nothing to do there.
F0T_SKIP_DEPS=1 make -C "$root" install BUILD="$BUILD" PREFIX="$prefix" >"$out" 2>&1 ||
    { cat "$out" && exit 1; }
libdir=$(dirname "$(find "$prefix" -name libfast0tag.a)")
export PKG_CONFIG_PATH=$libdir/pkgconfig

# The program that the cases below build: it needs both libraries to be found, linked and running, and what
# the tools say of a failure to be what the core has as the last error.
write_program() {
    cat >program.c <<'EOF'
#include <fast0tag.h>
#include <fast0tag_tools.h>
#include <stdio.h>
int main(void)
{
    f0t_inspection *none;
    if (!f0t_eval_method_name(0) || f0t_inspect(&none, "/nowhere", NULL, NULL) == F0T_OK ||
        !*f0t_last_error())
        return 1;
    printf("version %s, %s\n", f0t_version(), f0t_status_name(F0T_ERROR_FORMAT));
    return 0;
}
EOF
}

# runs COMMAND…: builds and runs the program; what it says must be right.
runs() {
    local said
    said=$(LD_LIBRARY_PATH=$libdir "$@" 2>&1) || complain "$*: $said"
    [ "$said" = "version $(sed -n 's/^Version: //p' "$PKG_CONFIG_PATH/fast0tag.pc"), bad format" ] ||
        complain "$*: says '$said'"
}

case_everything_is_there() {
    local file
    for file in bin/fast0tag include/fast0tag.h include/fast0tag_tools.h share/man/man1/fast0tag.1 \
        libexec/fast0tag/fast0tag-picture share/bash-completion/completions/fast0tag \
        share/zsh/site-functions/_fast0tag share/fish/vendor_completions.d/fast0tag.fish \
        share/doc/fast0tag/LICENSE; do
        [ -s "$prefix/$file" ] || complain "there is no $file"
    done
    for file in libfast0tag.so libfast0tag.so.0 libfast0tag.a pkgconfig/fast0tag.pc \
        libfast0tag-tools.so libfast0tag-tools.so.0 libfast0tag-tools.a pkgconfig/fast0tag-tools.pc \
        cmake/fast0tag/fast0tagConfig.cmake cmake/fast0tag/fast0tagConfigVersion.cmake; do
        [ -s "$libdir/$file" ] || complain "there is no $file in $(basename "$libdir")"
    done
    "$prefix/bin/fast0tag" --version >"$out" || complain "the installed program does not run"
}

# Each library that the program names is in the bill of materials, with a version.
case_the_bill_of_materials_is_complete() {
    python3 - "$prefix/share/doc/fast0tag/sbom.cdx.json" "$prefix/bin/fast0tag" \
        "$prefix/libexec/fast0tag/fast0tag-picture" <<'EOF' >"$out" 2>&1 || complain "$(cat "$out")"
import glob, json, os, re, subprocess, sys
parts = {c["name"]: c for c in json.load(open(sys.argv[1]))["components"]}
modules = glob.glob(os.path.dirname(sys.argv[3]) + "/*.so")
for binary in sys.argv[2:] + modules:
    for name in re.findall(r"NEEDED.*\[(.*)\]", subprocess.run(["readelf", "-d", binary], capture_output=True,
                                                               text=True, check=True).stdout):
        if name.startswith(("ld-linux", "libfast0tag")):
            continue
        assert parts[name]["scope"] == "required", name
        # CUDA may be installed otherwise than by packages.
        assert binary in modules or parts[name]["version"] != "unknown", name
        assert "+" not in parts[name].get("purl", ""), name
EOF
}

# A fresh clone has nothing but what `make` makes: each installed target must be asked for.
case_make_builds_all_that_is_installed() {
    local target
    make -n -C "$root" all 2>&1 | grep -q 'ninja.* fast0tag_installed$' || complain "not what make builds"
    for target in $(sed -n 's/^install(TARGETS \([a-z0-9_]*\).*/\1/p' "$root/cmake/Install.cmake"); do
        tr '\n' ' ' <"$root/cmake/Install.cmake" |
            grep -qE "add_custom_target\(fast0tag_installed [^)]*[ ]$target[ )]" ||
            complain "$target is installed and not made"
    done
}

# The picture program is found from where the library lies.
case_the_installed_program_reads_pictures() {
    colour=red draw art/a.svg rose && colour=blue draw art/b.svg sea
    env -u F0T_PICTURE "$prefix/bin/fast0tag" features art -o data >"$out" 2>"$err" || complain "$(cat "$err")"
    says "data          2"
}

case_the_installed_files_do_not_name_the_prefix() {
    local found
    # A unit of systemd has to.
    found=$(grep -rlF -e "$prefix" -e "$BUILD" "$prefix" | grep -v 'systemd/system/fast0tag.service$')
    [ -z "$found" ] || complain "$found"
}

case_destdir_is_put_before_the_prefix() {
    DESTDIR=$PWD/stage cmake --install "$BUILD" --prefix /opt/f0t >"$out" 2>&1 || complain "$(cat "$out")"
    grep -q '^ExecStart=/opt/f0t/bin/fast0tag serve ' stage/opt/f0t/lib/systemd/system/fast0tag.service ||
        complain "the unit of systemd does not start /opt/f0t/bin/fast0tag"
    [ -x stage/opt/f0t/bin/fast0tag ] || complain "the program is not in DESTDIR/opt/f0t/bin"
}

# examples_work FOLDER: the examples that were built there do what they say.
examples_work() {
    make_collection
    LD_LIBRARY_PATH=$libdir "$1/train" photos vectors.txt model.f0t >"$out" 2>"$err" ||
        complain "train: $(cat "$err")"
    says "epoch 1: loss"
    LD_LIBRARY_PATH=$libdir "$1/words" model.f0t photos/features.npy vectors.txt lake lorry cat dog \
        >"$out" 2>"$err" || complain "words: $(cat "$err")"
    [ "$(wc -l <"$out")" = 60 ] || complain "words: not one line per row"
    for i in $(seq 12); do
        colour=red draw "art/a$i.svg" rose && colour=blue draw "art/b$i.svg" sea
    done
    printf 'rose 1 0\nsea 0 1\n' >two.txt
    "$FAST0TAG" train art --vectors two.txt --method linear --lambda 1 --ridge 0.1 -o art.f0t >"$out" 2>"$err" ||
        complain "$(cat "$err")"
    F0T_PICTURE=$prefix/libexec/fast0tag/fast0tag-picture LD_LIBRARY_PATH=$libdir \
        "$1/tag" art.f0t art/b1.svg nowhere.jpg art/a1.svg >"$out" 2>"$err" ||
        complain "tag: $(cat "$err")"
    [ "$(cut -d' ' -f1,2 "$out")" = $'art/b1.svg: sea\nart/a1.svg: rose' ] || complain "tag: $(cat "$out")"
    warns "nowhere.jpg"
}

# build_examples OPTION…: by gcc, with what pkg-config says and these options.
build_examples() {
    local name
    for name in train tag words; do
        gcc -std=c11 -Wall -Wextra -Werror "$root/examples/$name.c" -o "$name" "$@" 2>"$err" ||
            complain "$(cat "$err")"
    done
}

case_the_examples_by_pkg_config() {
    # shellcheck disable=SC2046
    build_examples $(pkg-config --cflags --libs fast0tag)
    examples_work .
}

case_the_examples_by_pkg_config_with_the_static_library() {
    # shellcheck disable=SC2046
    build_examples $(pkg-config --cflags fast0tag) "$libdir/libfast0tag.a" \
        $(pkg-config --libs --static fast0tag | sed 's/-lfast0tag //')
    ! readelf -d train | grep -q 'NEEDED.*libfast0tag' || complain "it uses the shared library"
    examples_work .
}

case_the_examples_by_cmake() {
    cmake -S "$root/examples" -B made -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >"$out" 2>&1 &&
        ninja -C made >>"$out" 2>&1 || complain "$(tail -n 20 "$out")"
    readelf -d made/train | grep -q 'NEEDED.*libfast0tag\.so\.0' || complain "it does not use the library"
    examples_work made
}

case_the_examples_by_cmake_with_the_static_library() {
    cmake -S "$root/examples" -B made -G Ninja -DSTATIC=ON -DCMAKE_PREFIX_PATH="$prefix" >"$out" 2>&1 &&
        ninja -C made >>"$out" 2>&1 || complain "$(tail -n 20 "$out")"
    ! readelf -d made/train | grep -q 'NEEDED.*libfast0tag' || complain "it uses the shared library"
    examples_work made
}

case_cmake_refuses_another_version() {
    local version
    for version in 0.2 1.0 0.1.99; do
        printf 'cmake_minimum_required(VERSION 3.16)\nproject(c C)\nfind_package(fast0tag %s REQUIRED)\n' \
            "$version" >CMakeLists.txt
        ! cmake -S . -B "made-$version" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >"$out" 2>&1 ||
            complain "version $version was found"
        says "requested version \"$version\""
    done
}

case_python_finds_the_installed_library() {
    env -u FAST0TAG_LIBRARY -u LD_LIBRARY_PATH PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$root/bindings/python" \
        /usr/bin/python3 -c 'import fast0tag
print(fast0tag._lib._name, fast0tag.Backbone.open("builtin").dim)' >"$out" 2>"$err" || complain "$(cat "$err")"
    says "$libdir/libfast0tag.so.0 "
}

case_pkg_config_links_the_shared_library() {
    write_program
    # shellcheck disable=SC2046
    gcc program.c -o program $(pkg-config --cflags --libs fast0tag-tools) 2>"$err" || complain "$(cat "$err")"
    runs ./program
    readelf -d program | grep -q 'NEEDED.*libfast0tag\.so\.0' || complain "it does not use the library"
    readelf -d program | grep -q 'NEEDED.*libfast0tag-tools\.so\.0' || complain "it does not use the tools"
}

# Whole: so that a library which only some part of ours needs is missed when it is not named.
case_pkg_config_links_the_static_library() {
    write_program
    # shellcheck disable=SC2046
    gcc program.c -o program $(pkg-config --cflags fast0tag-tools) \
        -Wl,--whole-archive "$libdir/libfast0tag-tools.a" "$libdir/libfast0tag.a" -Wl,--no-whole-archive \
        $(pkg-config --libs --static fast0tag-tools | sed -E 's/-lfast0tag(-tools)? //g') 2>"$err" || complain "$(cat "$err")"
    runs ./program
    ! readelf -d program | grep -q 'NEEDED.*libfast0tag' || complain "it uses the shared library"
}

case_cmake_finds_the_package() {
    write_program
    cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.16)
project(client C)
find_package(fast0tag 0.1 REQUIRED COMPONENTS static)
add_executable(shared program.c)
target_link_libraries(shared fast0tag::tools)
add_executable(static program.c)
target_link_libraries(static -Wl,--whole-archive fast0tag::tools_static fast0tag::fast0tag_static
  -Wl,--no-whole-archive)
EOF
    cmake -S . -B build -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >"$out" 2>&1 && ninja -C build >>"$out" 2>&1 ||
        complain "$(tail -n 20 "$out")"
    runs build/shared
    runs build/static
}

run_cases
