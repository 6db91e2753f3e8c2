# Sourced by each script of tests/cli: uses the program as a person does and looks at what it says.
# FAST0TAG is the program. Each function of the script whose name starts with "case_" is one case.
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
out=$scratch/.out err=$scratch/.err
export XDG_CACHE_HOME=$scratch/.cache # not the user's own
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

# fits_screens PAGE: a browser shows all of the page at the width of a phone, a tablet and a desk. What
# is wider than the screen scrolls in a box of its own, sentences are not in such a box, and charts do
# not shrink until nobody can read them.
fits_screens() {
    local page=$1 width said
    if ! command -v chromium >/dev/null; then
        skip "there is no chromium to look with"
        return
    fi
    cat >look.js <<'JS'
<script>addEventListener("load", () => {
  const wide = document.documentElement.clientWidth, wrong = [];
  const box = e => { for (e = e.parentElement; e; e = e.parentElement)
      if (e !== document.body && /auto|scroll/.test(getComputedStyle(e).overflowX)) return e; };
  document.querySelectorAll("details").forEach(d => d.open = true);
  if (document.documentElement.scrollWidth > wide) wrong.push("the page is " + document.documentElement.scrollWidth + " wide");
  for (const e of document.body.querySelectorAll("*")) {
    const r = e.getBoundingClientRect();
    if (r.right > wide + 1 && !box(e) && !e.closest("svg")) wrong.push(e.tagName + "." + e.className + " ends at " + Math.round(r.right));
    if (/^(P|H1|H2|H3|LI|DD|SUMMARY|CAPTION|FIGCAPTION)$/.test(e.tagName) && box(e)) wrong.push(e.tagName + " is in a box that scrolls");
    if (e.matches("td:first-child") && getComputedStyle(e).position === "sticky" && box(e) && r.width > 0.6 * box(e).clientWidth && e.nextSibling && wide < 500)
      wrong.push("the first column is " + Math.round(r.width) + " wide");
    if (e.tagName === "text" && e.textContent && r.height < 7) wrong.push("'" + e.textContent + "' is " + r.height.toFixed(1) + " high");
  }
  parent.postMessage("look: " + (wrong.slice(0, 4).join("; ") || "good"), "*");
});</script>
JS
    grep -v '^<meta http-equiv="Content-Security-Policy"' "$page" | cat - look.js >look.html # lets the script run
    for width in 360 800 1280; do
        echo "<!DOCTYPE html><p id=said></p><iframe src=look.html style='border:0;width:${width}px;height:900px'></iframe>
<script>addEventListener('message', e => said.textContent = e.data)</script>" >frame.html
        HOME=$PWD timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
            --window-size=1400,1000 --virtual-time-budget=9000 --dump-dom "file://$PWD/frame.html" >dom.html 2>/dev/null
        said=$(sed -n 's/.*<p id="said">\(look: [^<]*\)<.*/\1/p' dom.html)
        [ "$said" = "look: good" ] || complain "$page at $width pixels: ${said:-chromium says nothing}"
    done
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

# Makes art, 24 drawings with the tag rose or sea and two without one, v.txt, vectors of four words, the model
# blend.f0t and catalogue.f0t, the catalogue of art.
make_catalogue() {
    local n
    for n in $(seq 1 12); do
        colour="hsl($((n * 4)),90%,50%)" draw art/red$n.svg rose
        colour="hsl($((200 + n * 4)),80%,50%)" draw art/blue$n.svg sea
    done
    colour='hsl(15,80%,45%)' draw art/new1.svg
    colour='hsl(215,90%,45%)' draw art/new2.svg
    sed -i 's/<metadata>.*<.metadata>//' art/new*.svg
    printf 'rose 1 0 0\nsea 0 1 0\nflower .9 .1 0\nlake .1 .9 .1\n' >v.txt
    run 0 train art --vectors v.txt -o blend.f0t --epochs 2
    run 0 index art -c catalogue.f0t --model blend.f0t
}

make_fixtures() {
    make_collection
    run 0 train photos --vectors vectors.txt -o linear.f0t --method linear
    run 0 train photos --vectors vectors.txt -o net.f0t --method net --hidden 4 --epochs 2
    run 0 train photos --vectors vectors.txt -o blend.f0t --epochs 2
    [ "$case_failed" = 1 ] || touch .made
}

# fixtures: copies photos, vectors.txt and models of them, linear.f0t, net.f0t and blend.f0t, into this folder. They are made once
# for each program that is built, by the first script that asks.
fixtures() {
    local kept=$BUILD/tests/fixtures
    (
        flock 9
        [ "$kept/.made" -nt "$FAST0TAG" ] && exit
        rm -rf "$kept" && mkdir -p "$kept" && cd "$kept" && make_fixtures
        exit $case_failed
    ) 9>"$BUILD/tests/.fixtures" || complain "the fixtures cannot be made"
    cp -r "$kept/." .
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
