#!/usr/bin/env bash
# From pictures to keywords: features, train on a folder, tag, sidecars.
. "$(dirname "$0")/lib.sh"
export LC_ALL=C.UTF-8
root=$(cd "$(dirname "$0")/../.." && pwd)

# 48 pictures in four colours, with their keyword, and vectors of the words.
make_pictures() {
    local i names=(red green blue yellow)
    for i in $(seq 0 47); do
        colour="hsl($((i % 4 * 90 + i / 4)),90%,50%)" draw "art/p$i.svg" "${names[i % 4]}"
    done
    printf 'red 1 0 0 0\ngreen 0 1 0 0\nblue 0 0 1 0\nyellow 0 0 0 1\ncrimson .9 .1 0 .1\n' >vectors.txt
}

case_features_of_pictures_are_a_dataset() {
    make_pictures
    run 0 features art -o data
    says "data         48"
    [ ! -e data.part ] || complain "the part was left behind"
    grep -q '"name": "builtin-' data/dataset.json || complain "no backbone: $(cat data/dataset.json)"
    cp data/features.npy before.npy
    refuse 1 "data" features art -o data
    colour=black draw art/new.svg black
    echo "no picture" >art/bad.png
    run 0 features art -o data -f --json
    warns "art/bad.png: is not a known file format"
    json_holds 'd["datasets"][0]["images"] == 49'
    refuse 3 "bad.png" features art -o other --strict
    refuse 3 "nowhere.onnx" features art -o other --backbone nowhere.onnx --preset clip
    refuse 2 "-o DATASET" features art
}

# An interrupted run is as good as none; killed.sh sees that what it has made is used.
case_an_interrupted_run_goes_on() {
    make_pictures
    run 0 features art -o whole
    timeout -s KILL 0.1 "$FAST0TAG" features art -o data --no-cache >/dev/null 2>&1
    [ ! -d data ] || rm -r data # a fast machine was done by then
    run 0 features art -o data --no-cache
    cmp -s whole/features.npy data/features.npy || complain "features differ"
}

case_a_folder_is_learned_and_tagged() {
    make_pictures
    mkdir new
    colour='hsl(93,90%,50%)' draw new/leaf.svg
    colour='hsl(3,90%,50%)' draw new/rose.svg
    run 0 train art --vectors vectors.txt -o art.f0t --method linear --lambda 1 --ridge 0.1
    says "art.f0t: linear"
    [ -e art.f0t.data/features.npy ] || complain "the features are not kept"
    run 0 tag art.f0t new -k 1
    says "new/leaf.svg: green"
    says "new/rose.svg: red"
    printf 'crimson\nblue\n' >words.txt
    run 0 tag art.f0t new/rose.svg --vocab words.txt --vectors vectors.txt -k 1
    says "new/rose.svg: crimson"
    refuse 2 "one dataset or matrix at a time" tag art.f0t art.f0t.data new
    refuse 2 "has features already" tag art.f0t art.f0t.data --backbone builtin
    refuse 3 "nowhere" tag art.f0t nowhere
    refuse 2 "--part is for datasets, not for pictures" tag art.f0t new --part test
    mkdir broken
    echo broken >broken/a.png
    run 3 tag art.f0t broken
    warns "none of the pictures can be read"
    cp -r art.f0t.data unnamed
    rm unnamed/images.txt
    refuse 2 "--xmp needs pictures: unnamed does not name them" tag art.f0t unnamed --xmp -k 1
    mkdir empty
    refuse 3 "has no pictures" tag art.f0t empty
}

case_sidecars_are_written_and_merged() {
    make_pictures
    mkdir new
    colour='hsl(93,90%,50%)' draw new/leaf.svg
    run 0 train art --vectors vectors.txt -o art.f0t --method linear --lambda 1 --ridge 0.1
    run 0 tag art.f0t new -k 2 --xmp --dry-run
    warns "new/leaf.svg.xmp would change: +green +"
    [ ! -e new/leaf.svg.xmp ] || complain "a dry run wrote"
    run 0 tag art.f0t new -k 2 --xmp
    warns "1 sidecar written, 0 as they were"
    grep -q '<rdf:li>green</rdf:li>' new/leaf.svg.xmp || complain "$(cat new/leaf.svg.xmp)"
    cp new/leaf.svg.xmp first.xmp
    run 0 tag art.f0t new -k 2 --xmp
    warns "0 sidecars written, 1 as it was"
    cmp -s first.xmp new/leaf.svg.xmp || complain "a second run changed the sidecar"
    sed -i 's|<dc:subject>|<dc:title><rdf:Alt><rdf:li xml:lang="x-default">mine</rdf:li></rdf:Alt></dc:title><dc:subject>|
            0,/<rdf:Bag>/s|<rdf:Bag>|<rdf:Bag><rdf:li>holiday</rdf:li>|' new/leaf.svg.xmp
    run 0 tag art.f0t new -k 1 --xmp
    grep -q '<rdf:li>holiday</rdf:li>' new/leaf.svg.xmp || complain "a person's keyword is lost"
    grep -q 'mine' new/leaf.svg.xmp || complain "a person's title is lost"
    run 0 tag art.f0t new -k 1 --xmp --plain-name # the sidecar that is there is used
    [ ! -e new/leaf.xmp ] || complain "a second sidecar"
    mv new/leaf.svg.xmp kept.xmp
    run 0 tag art.f0t new -k 1 --xmp --plain-name
    [ -e new/leaf.xmp ] || complain "no new/leaf.xmp"
    rm new/leaf.xmp && mv kept.xmp new/leaf.svg.xmp
    echo "<broken" >new/leaf.svg.xmp
    run 1 tag art.f0t new -k 1 --xmp
    warns "leaf.svg.xmp: is no XMP that can be read"
    [ "$(cat new/leaf.svg.xmp)" = "<broken" ] || complain "a sidecar that cannot be read was changed"
    refuse 2 "--dry-run needs --xmp or --embed" tag art.f0t new --dry-run
    refuse 2 "--plain-name needs --xmp" tag art.f0t new --plain-name
    refuse 2 "--xmp and --embed exclude each other" tag art.f0t new --xmp --embed
}

# Tags from a table beside the pictures, and from the names of folders, become features' tags.
case_tags_come_from_a_table_and_from_folders() {
    draw art/a/1.svg cat
    draw art/b/2.svg
    printf 'path,tags\na/1.svg,red car\n2.svg,"sea;palm tree"\n' >tags.csv
    run 0 features art -o data --csv tags.csv --folders
    [ "$(cat data/tags.txt)" = "$(printf 'cat\ta\tred car\nb\tsea\tpalm tree')" ] || complain "$(cat data/tags.txt)"
    printf 'name\twords\n2.svg\tsea,palm tree\nc.svg\tlost\n' >tags.tsv
    run 0 import photos art -o other --csv tags.tsv --image name --tags words --separator ,
    says "1 name of the table is of no picture that was found (c.svg)"
    [ "$(cat other/tags.txt)" = "$(printf 'cat\nsea\tpalm tree')" ] || complain "$(cat other/tags.txt)"
    refuse 2 "photos does not know columns" import photos art -o third --tags words
    refuse 3 "nowhere.csv" features art -o third --csv nowhere.csv
}

# Names without the picture's ending, or with another, and a table in which no name fits.
case_names_of_a_table_need_no_ending() {
    draw art/a/IMG_1.svg
    draw art/b/IMG_2.svg
    draw art/b/IMG_3.svg
    draw art/a/IMG_3.svg
    printf 'id,tags\nIMG_1,"sea, mist, wave"\nIMG_2.JPG,"palm tree, boat"\nIMG_3,"cat, dog"\n' >tags.csv
    run 0 features art -o data --csv tags.csv
    says "2 names of the table have another ending than the picture, or none"
    says "1 name of the table may be several pictures and is left out (IMG_3)"
    says "3 cells of tags are divided at ','"
    [ "$(cat data/tags.txt)" = "$(printf 'sea\tmist\twave\n\npalm tree\tboat\n\n')" ] || complain "$(cat data/tags.txt)"
    run 0 features art -o data -f --csv tags.csv --separator ';'
    [ "$(head -n 1 data/tags.txt)" = "sea, mist, wave" ] || complain "$(cat data/tags.txt)"
    printf 'id,tags\nDSC_1,sea\nDSC_2,dog\n' >other.csv
    refuse 3 "none of its 2 names is that of a picture: it has 'DSC_1', the pictures are named like 'IMG_1.svg'" \
        features art -o other --csv other.csv
    [ ! -e other ] || complain "a dataset was left"
}

case_a_folder_is_learned_by_table_and_folders() {
    make_pictures
    local i names=(red green blue yellow)
    echo "name;tags" >tags.csv
    for i in $(seq 0 47); do
        sed -i 's/<rdf:li>[a-z]*<.rdf:li>//' art/p$i.svg
        echo "p$i;${names[i % 4]} / thing" >>tags.csv
    done
    refuse 3 "none of its 48 pictures has a keyword to learn from: take tags from a CSV table" \
        train art --vectors vectors.txt -o art.f0t --method linear --lambda 1 --ridge 0.1
    [ ! -e art.f0t.data ] || complain "pictures were decoded for nothing"
    run 0 train art --csv tags.csv --separator ' / ' --vectors vectors.txt -o art.f0t --method linear --lambda 1 --ridge 0.1
    warns "48 names of the table have another ending"
    says "art.f0t: linear"
    for i in $(seq 0 47); do mkdir -p "sorted/${names[i % 4]}" && cp art/p$i.svg "sorted/${names[i % 4]}"; done
    run 0 train sorted --folders --vectors vectors.txt -o sorted.f0t --method linear --lambda 1 --ridge 0.1
    says "4 tags"
    refuse 2 "--separator needs --csv" train art --separator , --vectors vectors.txt -o art.f0t
    refuse 2 "--folders is for a folder of pictures" train art.f0t.data --folders --vectors vectors.txt -o art.f0t
    printf 'rouge 1 0 0\nvert 0 1 0\n' >french.txt
    refuse 3 "0 of the 4 keywords of its pictures (blue) have a vector, two are needed" \
        train sorted --folders --vectors french.txt -o sorted.f0t
}

# The preview of a raw file, with keywords from itself and its sidecar; BMP and JPEG 2000.
case_raw_files_and_other_formats_are_read() {
    mkdir art
    cp "$root"/tests/pictures/{keywords-xmp.dng,turned.dng,quarters.bmp,quarters.jp2,quarters.jxl} art
    cp "$root/tests/pictures/quarters.png" art/broken.cr2
    cat >art/turned.xmp <<'EOF'
<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
<rdf:Description rdf:about='' xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:subject><rdf:Bag><rdf:li>sea</rdf:li>
</rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>
EOF
    run 0 features art -o data
    warns "broken.cr2: cannot be read as a camera's raw file"
    says "1 picture cannot be read and is left out"
    grep -qx "$(printf 'dog\tMünchen\tRome\tAnna')" data/tags.txt || complain "$(cat data/tags.txt)"
    grep -qx sea data/tags.txt || complain "no keyword of the raw file's sidecar: $(cat data/tags.txt)"
    [ "$(wc -l <data/tags.txt)" = 5 ] || complain "$(cat data/images.txt)"
}

# Features are kept for the next command, of any kind; the results are the same without.
case_features_are_kept_for_other_commands() {
    local i file
    make_pictures
    find art -exec touch -d '1 hour ago' {} +
    sleep 3.1 # what was changed a moment ago is not kept
    export XDG_CACHE_HOME=$PWD/cache
    run 0 features art -o one --no-cache
    [ ! -e cache ] || complain "--no-cache kept something"
    run 0 features art -o two
    file=$(find cache -type f)
    [ "$(stat -c %s "$file")" -gt 100000 ] || complain "nothing is kept: $(ls -lR cache)"
    touch stamp
    run 0 features art -o three
    [ stamp -nt "$file" ] || complain "features were made again"
    cmp -s one/features.npy two/features.npy || complain "the cache changed features"
    cmp -s one/features.npy three/features.npy || complain "features of the cache differ"
    run 0 train art --vectors vectors.txt -o art.f0t --method linear --lambda 1 --ridge 0.1
    run 0 tag art.f0t art -k 1
    [ stamp -nt "$file" ] || complain "features were made again for train or tag"
    cp "$out" first
    (cd art && "$FAST0TAG" tag ../art.f0t . -k 1) 2>/dev/null | sed 's|^\./|art/|' | cmp -s - first || complain "another folder, other tags"
    for i in 1 2; do # damaged, and then no file of ours at all
        [ $i = 2 ] || { truncate -s 30000 "$file" && printf x | dd of="$file" bs=1 seek=2000 conv=notrunc 2>/dev/null; }
        [ $i = 1 ] || echo "something else" >"$file"
        run 0 features art -o again$i
        cmp -s one/features.npy again$i/features.npy || complain "a damaged cache changed features"
    done
    XDG_CACHE_HOME=/dev/null/no run 0 features art -o nowhere
    rm -r cache
    timeout -s KILL 0.2 "$FAST0TAG" features art -o killed >/dev/null 2>&1
    "$FAST0TAG" features art -o left >/dev/null 2>&1 &
    run 0 features art -o right
    wait
    cmp -s one/features.npy left/features.npy || complain "two at a time differ"
    cmp -s one/features.npy right/features.npy || complain "two at a time differ"
    export XDG_CACHE_HOME=$scratch/.cache
}

# What is no picture is counted; what is missing or swapped is found before a picture is decoded.
case_other_files_are_counted() {
    make_pictures
    touch art/a.mov art/b.MOV art/c.mov art/notes.txt art/README art/p1.svg.xmp
    run 0 features art -o data
    warns "5 files are no pictures that can be read, and skipped: 3 .mov, 1 .txt, 1 other"
    run 0 train art --vectors vectors.txt -o art.f0t --method linear --lambda 1 --ridge 0.1
    warns "3 .mov, 1 .txt, 1 other"
    run 0 tag art.f0t art
    warns "3 .mov, 1 .txt, 1 other"
}

case_everything_is_checked_before_pictures_are_read() {
    make_pictures
    mkdir -p folder
    run 0 train art --vectors vectors.txt -o art.f0t --method linear --lambda 1 --ridge 0.1
    rm -rf art.f0t.data
    export F0T_PICTURE=/bin/false # nothing can be decoded from here on
    refuse 3 "nowhere.txt" train art --vectors nowhere.txt -o m.f0t
    refuse 3 "p1.svg" train art --vectors art/p1.svg -o m.f0t
    refuse 1 "-o folder: is a folder, expected a file" train art --vectors vectors.txt -o folder
    refuse 3 "-o no/m.f0t: cannot be written" train art --vectors vectors.txt -o no/m.f0t
    refuse 3 "--log no/log: cannot be written" train art --vectors vectors.txt -o m.f0t --log no/log
    refuse 2 "-o vectors.txt: exists and is not a model" train art --vectors vectors.txt -o vectors.txt
    refuse 3 "no/data" features art -o no/data
    refuse 1 "is a file, a dataset is a directory" features art -o vectors.txt
    refuse 3 "no/data" import photos art -o no/data
    refuse 3 "nowhere.txt" tag art.f0t art --vocab vectors.txt --vectors nowhere.txt
    refuse 2 "swapped; the order is: fast0tag tag MODEL PICTURES" tag art art.f0t
    refuse 2 "swapped; the order is: fast0tag tag MODEL PICTURES" tag art/p1.svg art/p2.svg art.f0t
    refuse 2 "swapped; the order is: fast0tag train" train vectors.txt --vectors art -o m.f0t
    refuse 2 "swapped; the order is: fast0tag features FOLDER -o DATASET" features data -o art
    refuse 2 "swapped; the order is: fast0tag import photos SOURCE -o DATASET" import photos data -o art
    printf 'red\n' >words.txt
    refuse 2 "--vocab WORDS --vectors FILE" tag art.f0t art --vocab vectors.txt --vectors words.txt
    unset F0T_PICTURE
}

# From a folder to sidecars in three commands; exiftool reads them; a second run changes nothing.
case_three_commands_from_pictures_to_keywords() {
    command -v exiftool >/dev/null || skip "exiftool is not installed"
    make_pictures
    mkdir new
    colour='hsl(93,90%,50%)' draw new/leaf.svg
    cp "$root/tests/pictures/quarters.jpg" new/photo.jpg
    run 0 features art -o data
    run 0 train data --vectors vectors.txt -o art.f0t --method linear --lambda 1 --ridge 0.1
    run 0 tag art.f0t new -k 2 --xmp
    warns "2 sidecars written"
    [ "$case_skipped" = 1 ] || case $(exiftool -s3 -Subject new/leaf.svg.xmp) in
    green,*) ;;
    *) complain "exiftool: $(exiftool -s3 -Subject new/leaf.svg.xmp)" ;;
    esac
    stat -c '%Y %i %s' new/* >before
    run 0 tag art.f0t new -k 2 --xmp
    warns "0 sidecars written, 2 as they were"
    stat -c '%Y %i %s' new/* | cmp -s - before || complain "a second run touched a file"
    [ "$(find new -type f | wc -l)" = 4 ] || complain "$(ls new)"
}

# Into the pictures themselves, where asked for alone; what else is in them stays.
case_tags_are_embedded() {
    make_pictures
    mkdir new
    cp "$root"/tests/pictures/{keywords-iptc.jpg,keywords-xmp.png,turned.jpg,quarters.gif} new
    run 0 train art --vectors vectors.txt -o art.f0t --method linear --lambda 1 --ridge 0.1
    run 1 tag art.f0t new -k 1 --embed --dry-run
    warns "new/turned.jpg would change: +"
    warns "3 pictures would be written"
    cmp -s new/turned.jpg "$root/tests/pictures/turned.jpg" || complain "a dry run wrote"
    run 1 tag art.f0t new -k 1 --embed
    warns "3 pictures written"
    warns "quarters.gif: tags cannot go into it: only JPEG and PNG take them"
    cmp -s new/quarters.gif "$root/tests/pictures/quarters.gif" || complain "the GIF has changed"
    [ "$(find new -type f | wc -l)" = 4 ] || complain "something was left: $(ls new)"
    rm new/quarters.gif
    run 0 tag art.f0t new -k 1 --embed
    warns "0 pictures written, 3 as they were"
    command -v exiftool >/dev/null || { skip "exiftool is not installed" && return; }
    local file
    for file in new/*; do
        exiftool -validate -s3 "$file" | grep -q '^OK' || complain "$file: $(exiftool -validate -warning -error "$file")"
        case $(exiftool -s3 -XMP-dc:Subject "$file") in
        *red* | *green* | *blue* | *yellow*) ;;
        *) complain "$file: $(exiftool -s3 -XMP-dc:Subject "$file")" ;;
        esac
    done
    case $(exiftool -s3 -XMP-dc:Subject new/keywords-xmp.png) in dog,*) ;; *) complain "dog is lost" ;; esac
    [ "$(exiftool -s3 -IPTC:Keywords new/keywords-iptc.jpg)" = "cat, palm tree, Köln" ] || complain "IPTC has changed"
    [ "$(exiftool -n -s3 -Orientation new/turned.jpg)" = 6 ] || complain "EXIF has changed"
}

# An independent reader finds our keywords where photo programs look.
case_exiftool_reads_what_was_written() {
    command -v exiftool >/dev/null || skip "exiftool is not installed"
    make_pictures
    mkdir new
    colour='hsl(93,90%,50%)' draw new/leaf.svg
    run 0 train art --vectors vectors.txt -o art.f0t --method linear --lambda 1 --ridge 0.1
    run 0 tag art.f0t new -k 2 --xmp
    local property words
    for property in XMP-dc:Subject XMP-lr:HierarchicalSubject XMP-digiKam:TagsList; do
        words=$(exiftool -s3 -"$property" new/leaf.svg.xmp)
        case $words in green,*) ;; *) complain "$property: $words" ;; esac
    done
}

run_cases
