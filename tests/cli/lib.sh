# Sourced by each script of tests/cli: uses the program as a person does and looks at what it says.
# FAST0TAG is the program. Each function of the script whose name starts with "case_" is one case.
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
out=$scratch/.out err=$scratch/.err
case_failed=0 case_skipped=0

complain() {
    echo "  $*" >&2
    case_failed=1
}

# The case cannot run here, and says why.
skip() {
    echo "  $*" >&2
    case_skipped=1
}

# run CODE ARGUMENTS…: the program ends with this exit code. Its output is in the files $out and $err.
run() {
    local want=$1 got
    shift
    "$FAST0TAG" "$@" >"$out" 2>"$err" </dev/null
    got=$?
    [ "$got" = "$want" ] || complain "fast0tag $*: exit $got, wanted $want: $(head -c 400 "$err")"
}

# The last run's stdout (says) or stderr (warns) contains this text.
says() {
    grep -qF -- "$1" "$out" || complain "stdout has no '$1': $(head -c 400 "$out")"
}
warns() {
    grep -qF -- "$1" "$err" || complain "stderr has no '$1': $(head -c 400 "$err")"
}

# refuse CODE TEXT ARGUMENTS…: fails with this code, one line on stderr that contains the text, and
# nothing on stdout.
refuse() {
    local code=$1 text=$2
    shift 2
    run "$code" "$@"
    warns "$text"
    [ "$(wc -l <"$err")" = 1 ] || complain "stderr is not one line: $(head -c 400 "$err")"
    [ ! -s "$out" ] || complain "stdout is not empty: $(head -c 400 "$out")"
}

# The last run's stdout is JSON for which this Python condition on `d` is true.
json_holds() {
    /usr/bin/python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
sys.exit(0 if eval(sys.argv[2]) else 1)' "$out" "$1" ||
        complain "JSON is not so: $1: $(head -c 400 "$out")"
}

# Runs every case, each in an empty folder.
run_cases() {
    local failed=0 name
    for name in $(declare -F | sed -n 's/^declare -f case_//p'); do
        case_failed=0 case_skipped=0
        mkdir "$scratch/$name"
        cd "$scratch/$name" || exit 1
        "case_$name"
        if [ "$case_failed" = 1 ]; then
            echo "[  FAILED  ] $name"
            failed=1
        elif [ "$case_skipped" = 1 ]; then
            echo "[  SKIPPED ] $name"
        else
            echo "[       OK ] $name"
        fi
    done
    exit $failed
}
