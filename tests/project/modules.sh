#!/usr/bin/env bash
# A build that was configured without Open MPI, or CUDA, sees that it has been installed since, and that it has gone.
. "$(dirname "$0")/../cli/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
module=ompi-c.pc

# configure OPTION…: as `make` does it.
configure() {
    cmake -S "$root" -B built -G Ninja -DF0T_TESTS=OFF "$@" >"$out" 2>&1 || complain "$(tail -n 20 "$out")"
}

# configures_again: what ninja does of that before it builds anything.
configures_again() {
    ninja -C built build.ninja >"$out" 2>&1 || complain "$(tail -n 20 "$out")"
    grep -q "Re-running CMake" "$out"
}

# has FILE: the build makes it.
has() {
    ninja -C built -t query "$1" >/dev/null 2>&1
}

case_open_mpi_comes_and_goes() {
    local there folder
    there=$(pkg-config --variable=pcfiledir ompi-c)/$module
    [ -e "$there" ] || { skip "Open MPI is not installed for development here (libopenmpi-dev)" && return; }
    mkdir modules
    for folder in $(pkg-config --variable=pc_path pkg-config | tr : ' '); do
        [ ! -d "$folder" ] || find "$folder" -name '*.pc' ! -name $module -exec ln -sf -t modules {} +
    done
    export PKG_CONFIG_LIBDIR=$PWD/modules
    configure -DF0T_GPU=OFF
    has fast0tag-mpi.so && complain "the module of Open MPI is built without it: this test sees nothing"
    configures_again && complain "nothing changed: $(head -n 5 "$out")"
    ln -s "$there" modules/
    configures_again || complain "Open MPI came, and CMake did not run"
    ninja -C built fast0tag_mpi >"$out" 2>&1 || complain "$(tail -n 20 "$out")"
    [ -e built/fast0tag-mpi.so ] || complain "the module is not there"
    ninja -C built -t inputs fast0tag_installed | grep -q fast0tag-mpi.so || complain "make does not build the module"
    configures_again && complain "nothing changed: $(head -n 5 "$out")"
    rm modules/$module
    configures_again || complain "Open MPI went, and CMake did not run"
    has fast0tag-mpi.so && complain "the module is still to be built"
    unset PKG_CONFIG_LIBDIR
}

case_cuda_comes_and_goes() {
    local there
    there=$(PATH=$PATH:/usr/local/cuda/bin:/opt/cuda/bin command -v nvcc)
    [ -n "$there" ] || { skip "CUDA's compiler nvcc is not here" && return; }
    mkdir bin
    PATH=$PWD/bin:/usr/bin:/bin configure -DF0T_MPI=OFF "-DCMAKE_IGNORE_PATH=/usr/local/cuda/bin;/opt/cuda/bin"
    has fast0tag-cuda.so && complain "the module of the GPU is built without nvcc: this test sees nothing"
    ln -s "$there" bin/nvcc
    PATH=$PWD/bin:/usr/bin:/bin configures_again || complain "nvcc came, and CMake did not run"
    has fast0tag-cuda.so || skip "CUDA's libraries are not here, or not of version 12 or later"
    configures_again && complain "nothing changed: $(head -n 5 "$out")"
    rm bin/nvcc
    PATH=$PWD/bin:/usr/bin:/bin configures_again || complain "nvcc went, and CMake did not run"
    has fast0tag-cuda.so && complain "the module is still to be built"
}

run_cases
