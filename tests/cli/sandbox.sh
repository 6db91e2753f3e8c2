#!/bin/bash
# The sandbox of the processes that decode pictures, and what is said where there is none.
# shellcheck disable=SC2034 # lib.sh
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tests/cli/lib.sh"

make_pictures() {
    mkdir -p pictures
    cp "$root"/tests/pictures/quarters.{png,bmp,jpg} pictures
}

# old ARGUMENTS…: the program on a kernel without Landlock.
old() {
    "$BUILD/tests/old_kernel" "$FAST0TAG" "$@" >"$out" 2>"$err" </dev/null
}

case_a_sandbox_that_is_required_is_there() {
    make_pictures
    run 0 features pictures -o data --no-cache
    if ! "$BUILD/tests/old_kernel" --new || ! ldd "$(dirname "$FAST0TAG")/fast0tag-picture" | grep -q libseccomp; then
        skip "this kernel has no Landlock or no seccomp, or the build no libseccomp"
        return
    fi
    grep -q "without a sandbox" "$err" && complain "there could be a sandbox, and there is none"
    run 0 features pictures -o other --no-cache --require-sandbox
    cmp -s data/features.npy other/features.npy || complain "features differ"
}

case_an_old_kernel_is_warned_of() {
    make_pictures
    old features pictures -o data --no-cache || complain "failed: $(cat "$err")"
    warns "pictures were decoded without a sandbox"
    old vectors -h && ! grep -q sandbox "$err" || complain "a warning without a picture"
}

case_an_old_kernel_is_refused() {
    make_pictures
    old features pictures -o data --no-cache --require-sandbox
    [ $? = 1 ] || complain "not refused"
    warns "--require-sandbox: there is none"
    [ ! -e data ] || complain "a dataset was made"
    F0T_REQUIRE_SANDBOX=1 old features pictures -o data --no-cache && complain "not refused"
    warns "a sandbox is required"
    F0T_REQUIRE_SANDBOX=0 old features pictures -o data --no-cache || complain "0 is not no"
}

# What the caller has must not reach the process: descriptors, environment, signals that it ignores.
case_nothing_of_the_caller_leaks_in() {
    make_pictures
    cat >look <<EOF
#!/bin/bash
ls -l /proc/\$\$/fd >$PWD/fds
tr '\\0' '\\n' </proc/\$\$/environ >$PWD/environment
sed -n 's/^SigIgn:\t/0x/p' /proc/\$\$/status >$PWD/ignored
exec "$(dirname "$FAST0TAG")/fast0tag-picture" "\$@"
EOF
    chmod +x look
    echo secret >secret
    (
        exec 7<secret
        trap '' USR1 HUP
        export PASSWORD=secret F0T_PICTURE=$PWD/look
        run 0 features pictures -o data --no-cache
    )
    [ -e fds ] || complain "it was not started"
    grep -q secret fds && complain "a descriptor leaked: $(cat fds)"
    grep -q PASSWORD environment && complain "the environment leaked"
    [ $(($(cat ignored) & 0x201)) = 0 ] || complain "it ignores SIGHUP or SIGUSR1: $(cat ignored)"
}

run_cases
