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

# Makes photos, a dataset of 60 images whose features are sums of their tags' vectors, and vectors.txt.
make_collection() {
    /usr/bin/python3 - <<'PY'
import random, struct, os
random.seed(3)
words = ["cat", "dog", "sea", "sky", "tree", "car", "boat", "rain"]
vector = {w: [random.gauss(0, 1) for _ in range(6)] for w in words}
with open("vectors.txt", "w") as f:
    for w in words + ["lake", "lorry"]:
        v = vector.get(w) or [x + 0.1 for x in vector["sea" if w == "lake" else "car"]]
        f.write(w + " " + " ".join("%.4f" % x for x in v) + "\n")
os.mkdir("photos")
rows, lines = [], []
for m in range(60):
    tags = random.sample(words[:6], 2)
    lines.append("\t".join(tags))
    rows.append([sum(vector[t][k] for t in tags) for k in range(6)] + [random.gauss(0, .1), 1.0])
open("photos/tags.txt", "w").write("\n".join(lines) + "\n")
open("photos/split.txt", "w").write("\n".join(["train", "train", "train", "val", "test"][m % 5] for m in range(60)) + "\n")
head = "{'descr': '<f4', 'fortran_order': False, 'shape': (60, 8), }"
head += " " * (118 - 1 - len(head)) + "\n"
with open("photos/features.npy", "wb") as f:
    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
    for r in rows:
        f.write(struct.pack("<8f", *r))
PY
}

# draw NAME.svg KEYWORD…: a picture of $colour with keywords.
draw() {
    local name=$1 words= word
    shift
    for word; do words="$words<rdf:li>$word</rdf:li>"; done
    mkdir -p "$(dirname "$name")"
    cat >"$name" <<EOF
<svg xmlns="http://www.w3.org/2000/svg" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:cc="http://creativecommons.org/ns#" xmlns:dc="http://purl.org/dc/elements/1.1/" width="8" height="8">
<metadata><rdf:RDF><cc:Work><dc:subject><rdf:Bag>$words</rdf:Bag></dc:subject></cc:Work></rdf:RDF></metadata>
<rect width="8" height="8" fill="${colour:-red}"/></svg>
EOF
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
