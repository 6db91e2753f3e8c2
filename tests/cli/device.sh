#!/usr/bin/env bash
# --device: the GPU where there is one, and one clear line where something is missing.
. "$(dirname "$0")/lib.sh"

case_a_device_that_does_not_exist_is_a_usage_error() {
    refuse 2 "--device" train data --vectors v.txt -o model --device gpu
    warns "cpu|cuda"
    refuse 2 "device" inspect x --device cuda
}

case_a_module_that_is_not_there_is_named() {
    F0T_CUDA=$scratch/none.so refuse 3 "the module of the GPU cannot be loaded" tag model pictures --device cuda
    warns "none.so"
    echo "no module" >other.so
    F0T_CUDA=$scratch/other.so refuse 3 "the module of the GPU cannot be loaded" tag model pictures --device cuda
}

case_a_library_that_is_no_module_is_refused() {
    local other
    other=$(ldd "$FAST0TAG" | awk '/libjansson|libz\./ { print $3; exit }')
    F0T_CUDA=$other refuse 3 "is no module of fast0tag" tag model pictures --device cuda
}

# Whatever is missing here, the module, the driver or the GPU, one line says so before any work begins.
case_without_a_gpu_one_line_says_what_is_missing() {
    "$FAST0TAG" bench train --device cuda --only nothing >"$out" 2>"$err"
    if grep -q "no case's name contains" "$err"; then
        skip "there is a GPU here"
        return
    fi
    refuse 3 "" train data --vectors v.txt -o model --device cuda
    grep -qE "is not installed|cannot be loaded|no NVIDIA driver|driver is too old|no NVIDIA GPU|compute capability" "$err" ||
        complain "$(cat "$err")"
    [ ! -e model ] || complain "a model was written"
    refuse 3 "" eval data --vectors v.txt --device cuda
    refuse 3 "" serve model --device cuda
}

case_the_cpu_can_be_named() {
    refuse 3 "data" train data --vectors v.txt -o model --device cpu
}

run_cases
