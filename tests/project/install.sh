#!/usr/bin/env bash
# `make install` into an empty prefix, and small programs that are built against what lies there.
. "$(dirname "$0")/../cli/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
prefix=$scratch/prefix
cmake --install "$BUILD" --prefix "$prefix" >"$out" 2>"$err" || { cat "$out" "$err" && exit 1; }
libdir=$(dirname "$(find "$prefix" -name libfast0tag.a)")
export PKG_CONFIG_PATH=$libdir/pkgconfig

# The program that the cases below build: it needs the library to be found, linked and running.
write_program() {
    cat >program.c <<'EOF'
#include <fast0tag.h>
#include <fast0tag_tools.h>
#include <stdio.h>
int main(void)
{
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
        share/bash-completion/completions/fast0tag share/zsh/site-functions/_fast0tag \
        share/fish/vendor_completions.d/fast0tag.fish share/doc/fast0tag/LICENSE; do
        [ -s "$prefix/$file" ] || complain "there is no $file"
    done
    for file in libfast0tag.so libfast0tag.a pkgconfig/fast0tag.pc cmake/fast0tag/fast0tagConfig.cmake; do
        [ -s "$libdir/$file" ] || complain "there is no $file in $(basename "$libdir")"
    done
    "$prefix/bin/fast0tag" --version >"$out" || complain "the installed program does not run"
}

case_the_installed_files_do_not_name_the_prefix() {
    local found
    found=$(grep -rlF -e "$prefix" -e "$BUILD" "$prefix")
    [ -z "$found" ] || complain "$found"
}

case_destdir_is_put_before_the_prefix() {
    DESTDIR=$PWD/stage cmake --install "$BUILD" --prefix /opt/f0t >"$out" 2>&1 || complain "$(cat "$out")"
    [ -x stage/opt/f0t/bin/fast0tag ] || complain "the program is not in DESTDIR/opt/f0t/bin"
}

case_the_examples_train_and_tag() {
    local name
    make_collection
    for name in train tag; do
        # shellcheck disable=SC2046
        gcc -std=c11 -Wall -Wextra -Werror "$root/examples/$name.c" -o "$name" \
            $(pkg-config --cflags --libs fast0tag) 2>"$err" || complain "$(cat "$err")"
    done
    LD_LIBRARY_PATH=$libdir ./train photos vectors.txt model.f0t >"$out" 2>"$err" ||
        complain "train: $(cat "$err")"
    says "epoch 1: loss"
    LD_LIBRARY_PATH=$libdir ./tag model.f0t photos/features.npy vectors.txt lake lorry cat dog \
        >"$out" 2>"$err" || complain "tag: $(cat "$err")"
    [ "$(wc -l <"$out")" = 60 ] || complain "tag: not a line for each row"
}

case_pkg_config_links_the_shared_library() {
    write_program
    # shellcheck disable=SC2046
    gcc program.c -o program $(pkg-config --cflags --libs fast0tag) 2>"$err" || complain "$(cat "$err")"
    runs ./program
    readelf -d program | grep -q 'NEEDED.*libfast0tag\.so\.0' || complain "it does not use the library"
}

# Whole: so that a library which only some part of ours needs is missed when it is not named.
case_pkg_config_links_the_static_library() {
    write_program
    # shellcheck disable=SC2046
    gcc program.c -o program $(pkg-config --cflags fast0tag) \
        -Wl,--whole-archive "$libdir/libfast0tag.a" -Wl,--no-whole-archive \
        $(pkg-config --libs --static fast0tag | sed 's/-lfast0tag //') 2>"$err" || complain "$(cat "$err")"
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
target_link_libraries(shared fast0tag::fast0tag)
add_executable(static program.c)
target_link_libraries(static -Wl,--whole-archive fast0tag::fast0tag_static -Wl,--no-whole-archive)
EOF
    cmake -S . -B build -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >"$out" 2>&1 && ninja -C build >>"$out" 2>&1 ||
        complain "$(tail -n 20 "$out")"
    runs build/shared
    runs build/static
}

run_cases
