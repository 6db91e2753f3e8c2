#!/usr/bin/env bash
# The demo on a small folder of tagged pictures, with vectors made by hand and a WordNet of 30 words.
. "$(dirname "$0")/lib.sh"
wordnet=$(cd "$(dirname "$0")/../wordnet" && pwd)
quick=(--wordnet "$wordnet" --methods conse --epochs 2 --threads 1)

# 120 pictures: twelve hues and eight shapes with a keyword each, some in the plural, some useless.
make_pictures() {
    /usr/bin/python3 - <<'PY'
import os, random
random.seed(5)
hues = ["red", "rose", "orange", "gold", "lime", "green", "mint", "cyan", "azure", "blue", "violet", "pink"]
shapes = ["dog", "wolf", "goose", "bird", "wing", "pack", "machine", "vehicle"]
drawn = ['<rect x="{a}" y="8" width="16" height="48"/>', '<circle cx="{a}" cy="32" r="22"/>',
         '<path d="M4 60L{a} 4L60 60Z"/>', '<rect x="4" y="{a}" width="56" height="9"/>',
         '<circle cx="{a}" cy="20" r="9"/><circle cx="40" cy="{a}" r="9"/>', '<path d="M4 4L60 4L{a} 60Z"/>',
         '<rect x="8" y="8" width="{a}" height="{a}"/>', '<path d="M32 4L60 32L32 60L4 32Z"/>']
svg = '''<svg xmlns="http://www.w3.org/2000/svg" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:cc="http://creativecommons.org/ns#" xmlns:dc="http://purl.org/dc/elements/1.1/" width="64" height="64">
<metadata><rdf:RDF><cc:Work><dc:subject><rdf:Bag>%s</rdf:Bag></dc:subject></cc:Work></rdf:RDF></metadata>
<g fill="hsl(%d,90%%,50%%)">%s</g></svg>'''
os.mkdir("art")
for i in range(120):
    h, s = i % 12, (i // 2) % 8
    words = [hues[h], shapes[s] + ("s" if i % 5 == 0 and shapes[s] != "goose" else ""), "unsorted"]
    words += ["Clip-Art", "%04d" % i][i % 2:i % 2 + 1]
    with open("art/p%03d.svg" % i, "w") as f:
        f.write(svg % ("".join("<rdf:li>%s</rdf:li>" % w for w in words), h * 30 + random.randint(0, 9),
                       drawn[s].format(a=random.randint(18, 30))))
with open("words.txt", "w") as f:
    for w in hues + shapes + ["puppy", "beast", "animal", "entity", "leaf", "tree", "trunk", "house"]:
        f.write(w + " " + " ".join("%.3f" % random.gauss(0, 1) for _ in range(24)) + "\n")
PY
}

case_a_folder_of_tagged_pictures() {
    make_pictures
    run 0 demo art -o shown --vectors words.txt "${quick[@]}" --seed 3
    says "120 pictures"
    says "become 20 tags"
    says "7 plurals"
    says "Fast0Tag (blend)"
    says "times as well as chance"
    says "shown/index.html can be looked at, after"
    says "still to come: other methods, the blend that 'train' learns"
    says "shown/index.html is complete, after"
    local page=shown/index.html part
    for part in '<!DOCTYPE html>' 'data:image/png;base64,' 'id="search"' '<svg' 'class="held"' 'class="wrong"' \
        'class="right"' 'fast0tag demo ~/Pictures' '--vocab nouns.txt --vectors words.txt<' '</html>'; do
        grep -qF -- "$part" "$page" || complain "the page has no $part"
    done
    ! grep -qE 'not complete|Still to come|http-equiv="refresh"' "$page" || complain "the page is not complete"
    ! grep -qE '(src|href)="(https?:|/|\.)' "$page" || complain "the page needs something else"
    grep -q 'How to read this' "$page" || complain "the page does not say how to read it"
    fits_screens "$page"
    ! grep -q 'unsorted\|clip art' shown/collection/tags.txt || complain "meaningless tags are left"
    # Nothing is made again, and the page is the same.
    cp "$page" before.html
    touch stamp && sleep 0.01
    run 0 demo art -o shown --vectors words.txt "${quick[@]}" --seed 3 --json
    json_holds 'd["pictures"] == 120 and d["tags"] == 20 and d["unseen"] == 4 and d["nouns"] == 1'
    json_holds '{r["method"] for r in d["rows"]} >= {"random", "frequency", "linear", "net", "blend"}'
    for part in pictures/features.npy collection/features.npy results.jsonl model.f0t; do
        [ stamp -nt "shown/$part" ] || complain "$part was made again"
    done
    cmp -s before.html "$page" || complain "the second page differs"
}

case_wrong_uses() {
    refuse 2 "missing -o DIR" demo
    refuse 3 "nowhere" demo nowhere -o shown
    mkdir empty
    refuse 3 "empty: has no pictures" demo empty -o shown
    [ ! -e shown ] || complain "a folder was made for nothing"
    colour=red draw art/one.svg dog
    echo "dog 1 0" >words.txt
    mkdir taken && echo mine >taken/model.f0t
    refuse 1 "taken: is not empty" demo art -o taken --vectors words.txt --quiet
    [ "$(cat taken/model.f0t)" = mine ] || complain "somebody's file is gone"
    run 3 demo art -o shown --vectors words.txt "${quick[@]}"
    warns "such tags are needed"
    refuse 2 "no method is called 'fast'" demo art -o shown --methods fast
    [ -d /usr/share/openclipart/svg ] || refuse 3 "openclipart-svg" demo -o clipart
}

run_cases
