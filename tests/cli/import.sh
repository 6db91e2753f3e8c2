#!/usr/bin/env bash
# fast0tag import: from what people have to a dataset directory.
. "$(dirname "$0")/lib.sh"

case_a_table_becomes_a_dataset() {
    printf 'path,tags\na.jpg,sea;sky\nb.jpg,\nc.jpg,"palm tree"\n' >t.csv
    run 0 import csv t.csv -o made
    says "made          3"
    says "1 image has no tag and is kept"
    [ "$(cat made/tags.txt)" = "$(printf 'sea\tsky\n\npalm tree')" ] || complain "tags: $(cat made/tags.txt)"
    [ "$(cat made/images.txt)" = "$(printf 'a.jpg\nb.jpg\nc.jpg')" ] || complain "images"
    refuse 1 "made: exists already; with force it is replaced" import csv t.csv -o made
    run 0 import csv t.csv -o made --force
}

case_json_says_the_same() {
    printf 'id\tpalm tree\tsea\tsplit\n1\t1\t0\ttrain\n2\t0\t0\ttest\n' >t.tsv
    run 0 import csv t.tsv -o made --tag-columns --json --val 0
    json_holds 'd["datasets"] == [{"path": "made", "images": 2, "dim": 0, "tags": 1, "seen": 0,
        "unseen": 0, "train": 1, "val": 0, "test": 1, "untagged": 1}]'
    json_holds '{"count": 1, "what": "tag is on no image and is left out", "example": "sea"} in d["notes"]'
}

case_mulan_files_become_a_dataset() {
    echo '<labels><label name="sea"/></labels>' >x.xml
    printf '@attribute f numeric\n@attribute sea {0,1}\n@data\n0.5,1\n2,0\n' >x.arff
    run 0 import mulan x.arff x.xml -o made
    says "made          2         1     1"
    [ -s made/features.npy ] || complain "no features"
}

case_the_tagprop_layout_becomes_a_dataset() {
    mkdir r
    printf 'sea\nsky\n' >r/x_dictionary.txt
    printf '1\n2\n' >r/x_train_list.txt
    echo 3 >r/x_test_list.txt
    printf '\2\0\1\0\0\0\2\0\1\0\1\0' >r/x_train_annot.hvecs
    printf '\2\0\0\0\1\0' >r/x_test_annot.hvecs
    run 0 import tagprop r -o made --quiet --val 0.5
    [ "$(cat made/tags.txt)" = "$(printf 'sea\nsea\tsky\nsky')" ] || complain "tags: $(cat made/tags.txt)"
    [ "$(grep -c val made/split.txt)" = 1 ] || complain "split: $(cat made/split.txt)"
}

case_nuswide_becomes_three_datasets() {
    mkdir -p n/ImageList n/Groundtruth/AllLabels n/NUS_WID_Tags
    printf 'a\\1_1.jpg\nb\\2_2.jpg\n' >n/ImageList/Imagelist.txt
    printf 'a\\1_1.jpg\n' >n/ImageList/TrainImagelist.txt
    printf 'b\\2_2.jpg\n' >n/ImageList/TestImagelist.txt
    echo sky >n/Concepts81.txt
    printf '0\n1\n' >n/Groundtruth/AllLabels/Labels_sky.txt
    printf 'sky\nblue\n' >n/NUS_WID_Tags/TagList1k.txt
    printf '1\t1\t\n0\t1\t\n' >n/NUS_WID_Tags/AllTags1k.txt
    printf 'sky\nblue\nzoo\n' >n/NUS_WID_Tags/Final_Tag_List.txt
    printf '1   sky zoo\n2   blue\n' >n/NUS_WID_Tags/All_Tags.txt
    run 0 import nuswide n -o made
    says "made/81"
    says "made/1k"
    says "made/5k"
    says "1 tag of TagList1k.txt is also a concept"
    [ "$(cat made/1k/seen.txt made/1k/unseen.txt)" = "$(printf 'blue\nsky')" ] || complain "lists of 1k"
    [ "$(cat made/5k/tags.txt)" = "$(printf 'blue\tsky\tzoo\nblue')" ] || complain "tags of 5k"
    rm n/NUS_WID_Tags/All_Tags.txt
    run 0 import nuswide n -o made --force
    warns "the set 5k is not made: there is no All_Tags.txt"
    refuse 3 "which the set 5k needs" import nuswide n -o made --force --sets 5k
}

case_wrong_uses_get_one_line() {
    printf 'path,tags\na,b\n' >t.csv
    refuse 2 "-o DATASET" import csv t.csv
    refuse 2 "--delimiter is one character" import csv t.csv -o made --delimiter ab
    refuse 2 "goes with features" import csv t.csv -o made --ids t.csv
    refuse 2 "val is 2" import csv t.csv -o made --val 2
    refuse 2 "from 0 to 1" import csv t.csv -o made --val -0.5
    refuse 3 "nowhere.csv" import csv nowhere.csv -o made
    refuse 3 "has no column 'x'" import csv t.csv -o made --tags x
    refuse 3 "is it NUS-WIDE's folder?" import nuswide . -o made
    refuse 3 "_dictionary.txt" import tagprop . -o made
    refuse 2 "an .xml and one or two .arff" import mulan t.csv t.csv -o made
    refuse 1 "cannot be made" import csv t.csv -o t.csv/made
    [ ! -e made ] || complain "something was made"
}

case_input_that_cannot_be_read_is_named_by_line() {
    printf 'path,tags\na,b\nc\n' >t.csv
    refuse 3 "t.csv:3: has 1 cells, but the first record has 2" import csv t.csv -o made
    printf 'path,tags\na,\xff\n' >t.csv
    refuse 3 "t.csv:2: not UTF-8" import csv t.csv -o made
}

case_a_directory_with_other_files_is_never_replaced() {
    printf 'path,tags\na,b\n' >t.csv
    mkdir home
    echo dear >home/letter.txt
    refuse 1 "letter.txt: is no part of a dataset" import csv t.csv -o home --force
    [ "$(cat home/letter.txt)" = dear ] || complain "the letter is gone"
}

# Killed at any moment: the old dataset or the new one, whole.
case_a_killed_import_leaves_a_whole_dataset() {
    local i pid lines
    { echo path,tags && seq -f '%g.jpg,old' 2000; } >old.csv
    { echo path,tags && seq -f '%g.jpg,new;x' 3000; } >new.csv
    run 0 import csv old.csv -o made --quiet
    for i in $(seq 25); do
        "$FAST0TAG" import csv new.csv -o made --force --quiet >"$out" 2>"$err" &
        pid=$!
        sleep "0.0$(printf %02d $((i * 4 % 100)))"
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
        lines=$(wc -l <made/images.txt)
        [ "$lines" = "$(wc -l <made/tags.txt)" ] || complain "kill $i: images and tags differ"
        case $lines in
        2000) [ "$(sort -u made/tags.txt)" = old ] || complain "kill $i: not the old tags" ;;
        3000) run 0 import csv old.csv -o made --force --quiet ;;
        *) complain "kill $i: $lines images" ;;
        esac
    done
}

case_pictures_with_keywords_are_a_dataset() {
    draw art/a.svg cat "red car"
    draw art/old/b.svg cat
    draw art/c.svg
    echo "no picture" >art/d.png
    run 0 import photos art -o data
    says "data          3         0     2"
    says "1 picture cannot be read and is left out"
    says "1 image has no tag and is kept"
    warns "art/d.png: is not a known file format"
    [ "$(cat data/tags.txt)" = "$(printf 'cat\tred car\n\ncat')" ] || complain "tags: $(cat data/tags.txt)"
    grep -q "^$PWD/art/old/b.svg$" data/images.txt || complain "images: $(cat data/images.txt)"
    run 0 import photos art -o data --folders -f --json
    json_holds 'd["datasets"][0]["tags"] == 3'
    refuse 3 "art/d.png: " import photos art -o more --strict
    [ ! -e more ] || complain "a dataset was left behind"
    mkdir empty
    refuse 3 "has no pictures" import photos empty -o more
    refuse 3 "nowhere" import photos nowhere -o more
}

case_separators_are_found_out() {
    printf 'image,tags\na.jpg,"sea, mist, wave"\nb.jpg,dog\n' >t.csv
    run 0 import csv t.csv -o commas
    says "1 cell of tags is divided at ','"
    [ "$(cat commas/tags.txt)" = "$(printf 'sea\tmist\twave\ndog')" ] || complain "$(cat commas/tags.txt)"
    printf 'image\ttags\na.jpg\tsea|mist\n' >t.tsv
    run 0 import csv t.tsv -o bars
    says "divided at '|'"
    [ "$(cat bars/tags.txt)" = "$(printf 'sea\tmist')" ] || complain "$(cat bars/tags.txt)"
    printf 'image,tags\na.jpg,"Paris, France;sea"\n' >t.csv
    run 0 import csv t.csv -o both
    says "1 cell of tags has a comma, which is taken as part of a tag, unless it is the separator (Paris, France;sea)"
    { echo image,tags && seq -f '%g.jpg,dog' 20 && echo 'x.jpg,"Paris, France"'; } >t.csv
    run 0 import csv t.csv -o one
    says "1 cell of tags has a comma"
    grep -qx "Paris, France" one/tags.txt || complain "a name was divided"
    printf 'image;tags\na.jpg;sea, mist\n' >t.csv
    run 0 import csv t.csv -o semicolons
    [ "$(cat semicolons/tags.txt)" = "$(printf 'sea\tmist')" ] || complain "$(cat semicolons/tags.txt)"
    printf 'image,tags\na.jpg,sea,mist\n' >t.csv
    refuse 3 "t.csv:2: has 3 cells, but the first record has 2; tags with the delimiter between them need quotes" import csv t.csv -o never
    refuse 2 "swapped; the order is: fast0tag import csv SOURCE -o DATASET" import csv never -o t.csv
    refuse 3 "no/never" import csv t.csv -o no/never
}

case_a_table_comes_through_a_pipe() {
    { echo image,tags && seq -f '%g.jpg,"sea, mist"' 5000; } >t.csv
    run 0 import csv t.csv -o from-file --quiet
    run 0 import csv <(cat t.csv) -o from-pipe --quiet
    run 0 import csv <(gzip <t.csv) -o from-gzip --quiet
    run 0 import csv <(cat t.csv) -o from-separator --separator , --quiet
    local name file
    [ "$(wc -l <from-file/images.txt)" = 5000 ] || complain "$(wc -l from-file/images.txt)"
    for name in from-pipe from-gzip from-separator; do
        for file in images tags; do
            cmp from-file/$file.txt $name/$file.txt || complain "$name: $file.txt differs"
        done
    done
}

case_a_packed_sparse_matrix_of_nuswide_is_read() {
    /usr/bin/python3 - <<'PY'
import gzip, os
for folder in ("ImageList", "NUS_WID_Tags", "Groundtruth"):
    os.makedirs("n/" + folder)
names = ["a\\%d_%d.jpg" % (i, i) for i in range(20000)]
for name, some in (("Image", names), ("TrainImage", names[::2]), ("TestImage", names[1::2])):
    open("n/ImageList/%slist.txt" % name, "w").write("\n".join(some) + "\n")
open("n/NUS_WID_Tags/TagList1k.txt", "w").write("".join("tag%d\n" % i for i in range(1000)))
open("n/Concepts81.txt", "w").write("sky\n")
open("n/Groundtruth/Labels_sky.txt", "w").write("1\n" * 20000)
zeros = "0\t" * 1000
with gzip.open("n/NUS_WID_Tags/AllTags1k.txt", "wt") as f:
    for i in range(20000):
        at = 2 * (i * 7919 % 1000)
        f.write(zeros[:at] + "1\t" + zeros[at + 2:] + "\n")
PY
    run 0 import nuswide n -o made --quiet
    [ "$(grep -c tag made/1k/tags.txt)" = 20000 ] || complain "$(grep -c tag made/1k/tags.txt) images with tags"
}

# Zeros pack to a hundredth and less, and take no memory.
case_a_packed_sparse_table_is_read() {
    /usr/bin/python3 - <<'PY'
import gzip
zeros = ",0" * 1000
with gzip.open("sparse.csv.gz", "wt") as f:
    f.write("image," + ",".join("tag%d" % i for i in range(1000)) + "\n")
    for i in range(20000):
        at = 2 * (i * 7919 % 1000)
        f.write("%d.jpg%s,1%s\n" % (i, zeros[:at], zeros[at + 2:]))
PY
    [ "$(stat -c %s sparse.csv.gz)" -lt 500000 ] || complain "packs too little to show anything"
    run 0 import csv sparse.csv.gz -o made --tag-columns --quiet
    [ "$(wc -l <made/images.txt)" = 20000 ] || complain "$(wc -l made/images.txt)"
    { echo image,a,b && yes x,1,1 | head -c 40000000; } | gzip -9 >ones.csv.gz
    refuse 3 "ones.csv.gz: gzip data that unpacks to over 50 times its size" \
        import csv ones.csv.gz -o more --tag-columns --quiet
}

run_cases
