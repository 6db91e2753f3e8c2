#!/usr/bin/env bash
# Keywords that people have, and what becomes of them when tags are written and taken away again.
. "$(dirname "$0")/lib.sh"
export LC_ALL=C.UTF-8
root=$(cd "$(dirname "$0")/../.." && pwd)
if ! command -v exiftool >/dev/null; then
    echo "[  SKIPPED ] keywords: exiftool is not installed"
    exit 0
fi

# A model of four colours, art.f0t, which is learned once; new/ is for pictures.
make_model() {
    local i names=(red green blue yellow)
    mkdir new
    if [ -e "$scratch/art.f0t" ]; then
        cp "$scratch/art.f0t" "$scratch/vectors.txt" .
        return
    fi
    for i in $(seq 0 47); do
        colour="hsl($((i % 4 * 90 + i / 4)),90%,50%)" draw "art/p$i.svg" "${names[i % 4]}"
    done
    printf 'red 1 0 0 0\ngreen 0 1 0 0\nblue 0 0 1 0\nyellow 0 0 0 1\n' >vectors.txt
    run 0 train art --vectors vectors.txt -o art.f0t --method linear --lambda 1 --ridge 0.1
    cp art.f0t vectors.txt "$scratch"
}

# picture NAME ARGUMENTS…: a JPEG or PNG with what exiftool makes of the arguments.
picture() {
    cp "$root/tests/pictures/quarters.${1##*.}" "new/$1"
    [ $# = 1 ] || exiftool -q -q -overwrite_original -charset iptc=utf8 "${@:2}" "new/$1" ||
        complain "exiftool: $*"
}

# look FOLDER ARGUMENTS…: all that exiftool knows of its files, but for their dates and sizes.
look() {
    (cd "$1" && exiftool -a -G1 -s --System:all --File:all --ExifTool:all "${@:2}" ./*)
}

# Metadata as photo programs write it; made once.
annotate() {
    if [ -d "$scratch/annotated" ]; then
        cp "$scratch"/annotated/* new
        return
    fi
    picture plain.jpg
    picture plain.png
    picture rated.jpg -XMP-dc:Title=x -XMP-xmp:Rating=4
    picture rated.png -XMP-dc:Title=x -XMP-xmp:Rating=4 -XMP-dc:Subject=Möwe
    picture languages.jpg -XMP-dc:Title-de=Hund -XMP-dc:Title-en=dog -XMP-dc:Description='a & b <c> "d"'
    picture faces.jpg -XMP-mwg-rs:RegionInfo='{AppliedToDimensions={W=8,H=8,Unit=pixel},RegionList=[{Area={X=.5,Y=.5,W=.1,H=.1,Unit=normalized},Name=Anna,Type=Face}]}' \
        -XMP-iptcExt:PersonInImage=Anna
    picture history.jpg -XMP-xmpMM:DocumentID=xmp.did:1 \
        -XMP-xmpMM:History='[{Action=saved,InstanceID=xmp.iid:2,When=2020:01:02 03:04:05,SoftwareAgent=x},{Action=derived}]' \
        -XMP-xmpMM:DerivedFrom='{DocumentID=xmp.did:0}'
    picture develop.jpg -XMP-crs:Exposure2012=+0.50 -XMP-crs:HasSettings=True \
        -XMP-crs:ToneCurvePV2012='0, 0' -XMP-crs:ToneCurvePV2012='255, 255' -XMP-crs:RawFileName=x.dng
    picture panorama.jpg -XMP-GPano:ProjectionType=equirectangular -XMP-GPano:FullPanoWidthPixels=8000 -XMP-exif:FNumber=2.8
    picture iptc.jpg -IPTC:Keywords=Köln -IPTC:Keywords=Äpfel -IPTC:Caption-Abstract=x
    picture tree.jpg -XMP-lr:HierarchicalSubject='Orte|Köln' -XMP-dc:Subject=Köln -XMP-photoshop:City=Köln
    picture digikam.png -XMP-digiKam:TagsList=Tiere/Hund -XMP-digiKam:PickLabel=1 -XMP-tiff:Make=x
    head -c 90000 /dev/urandom | base64 -w 0 >data
    picture extended.jpg -XMP-xmp:Rating=2 '-XMP-photoshop:Instructions<=data'
    picture large.jpg -XMP-dc:Description="$(head -c 60000 /dev/zero | tr '\0' x)"
    cp -r new "$scratch/annotated"
}

case_tags_go_into_annotated_pictures_and_away_again() {
    make_model
    annotate
    cp -r new before
    local file lists='--XMP-dc:Subject --XMP-lr:HierarchicalSubject --XMP-digiKam:TagsList --XMP-f0t:all'
    run 0 tag art.f0t new -k 1 --embed
    warns "14 pictures written, 0 as they were"
    # shellcheck disable=SC2086
    diff <(look before $lists) <(look new $lists) >differs || complain "$(cat differs)"
    exiftool -p '$FileName: $XMP-dc:Subject' new >subjects 2>"$err"
    [ "$(grep -c 'red\|green\|blue\|yellow' subjects)" = 14 ] || complain "some have no tag: $(cat subjects)"
    for file in before new; do
        (cd $file && exiftool -validate -p '$FileName: $Validate' .) >$file.valid 2>"$err"
    done
    [ "$(wc -l <new.valid)" = 14 ] || complain "not all are looked at: $(cat new.valid)"
    diff before.valid new.valid | grep '^>' | grep -v ': OK$' && complain "a picture is not valid any more"
    run 0 untag new --dry-run
    says "would be removed from 0 sidecars and 14 pictures"
    run 0 untag new
    says "removed from 0 sidecars and 14 pictures; 14 pictures looked at"
    diff <(look before) <(look new) >differs || complain "$(cat differs)"
    ! grep -l fast0tag new/* || complain "a picture speaks of fast0tag"
    cmp new/plain.jpg before/plain.jpg && cmp new/plain.png before/plain.png && cmp new/iptc.jpg before/iptc.jpg ||
        complain "a picture without XMP is not what it was"
    cp -r new after
    run 0 untag new
    says "removed from 0 sidecars and 0 pictures"
    diff -r new after || complain "a second untag changed something"
}

case_sidecars_come_and_go() {
    make_model
    annotate
    exiftool -q -q -XMP-xmp:Rating=3 -XMP-dc:Subject=Hafen -XMP-crs:Exposure2012=+1 new/rated.jpg.xmp
    exiftool -q -q -XMP-lr:HierarchicalSubject='Leute|Anna' new/faces.xmp
    cp -r new before
    run 0 tag art.f0t new -k 1 --xmp
    warns "14 sidecars written"
    for file in before/*.jpg before/*.png; do
        cmp -s "$file" "new/${file#before/}" || complain "$file was written"
    done
    run 0 untag new --json
    json_holds 'd["sidecars"] == 14 and d["pictures"] == 0 and d["looked_at"] == 14'
    [ "$(ls new)" = "$(ls before)" ] || complain "$(ls new)"
    diff <(look before) <(look new) >differs || complain "$(cat differs)"
}

# A program that reads one list shows what the person had.
case_no_list_hides_a_persons_keywords() {
    make_model
    picture a.jpg -IPTC:Keywords=Köln -XMP-dc:Subject=Hafen -XMP-lr:HierarchicalSubject='Orte|Hafen'
    picture b.jpg -XMP-dc:Subject=Möwe
    cp new/b.jpg new/c.jpg
    exiftool -q -q -XMP-dc:Subject=Watt new/c.xmp
    cp -r new embedded
    run 0 tag art.f0t new -k 1 --xmp
    run 0 tag art.f0t embedded -k 1 --embed
    for file in new/a.jpg.xmp embedded/a.jpg; do
        exiftool -s3 -sep + -XMP-digiKam:TagsList "$file" | grep -q 'Köln+Orte/Hafen+\|Orte/Hafen+Köln+' ||
            complain "$file: $(exiftool -XMP-digiKam:TagsList "$file")"
    done
    exiftool -s3 -sep + -XMP-dc:Subject new/a.jpg.xmp | grep -q 'Hafen+Köln+' || complain "$(exiftool new/a.jpg.xmp)"
    exiftool -s3 -sep + -XMP-lr:HierarchicalSubject new/b.jpg.xmp | grep -q 'Möwe+' || complain "$(exiftool new/b.jpg.xmp)"
    exiftool -s3 -sep + -XMP-digiKam:TagsList new/c.xmp | grep -q 'Möwe+Watt+' || complain "$(exiftool new/c.xmp)"
    [ ! -e new/c.jpg.xmp ] || complain 'a second sidecar'
}

# Keywords that came after the tags are the person's; a tag that was removed stays away.
case_what_a_person_does_between_is_kept() {
    make_model
    picture a.jpg -IPTC:Keywords=Köln
    run 0 tag art.f0t new -k 2 --xmp
    exiftool -q -q -overwrite_original -XMP-dc:Subject+=Strand -XMP-xmp:Rating=5 new/a.jpg.xmp
    run 0 tag art.f0t new -k 1 --xmp
    exiftool -s3 -sep + -XMP-dc:Subject new/a.jpg.xmp | grep -q 'Köln+Strand+\|Strand+Köln+' || complain "$(exiftool new/a.jpg.xmp)"
    run 0 untag new
    [ "$(exiftool -s3 -sep + -XMP-dc:Subject new/a.jpg.xmp)" = Köln+Strand ] || complain "$(exiftool new/a.jpg.xmp)"
    [ "$(exiftool -s3 -Rating new/a.jpg.xmp)" = 5 ] || complain "the rating is lost"
}

# A tag is written where the collection's hierarchy has it; the most frequent place wins.
case_paths_of_the_collection_are_kept() {
    local i
    mkdir art
    for i in $(seq 0 47); do
        colour="hsl($((i % 4 * 90 + i / 4)),90%,50%)" draw "art/p$i.svg"
    done
    exiftool -q -q -XMP-lr:HierarchicalSubject='Farben|warm|rot' 0.xmp
    exiftool -q -q -XMP-digiKam:TagsList=Farben/grün -XMP-dc:Subject=grün 1.xmp
    exiftool -q -q -XMP-dc:Subject=blau 2.xmp
    exiftool -q -q -XMP-dc:Subject='Farben|gelb' 3.xmp
    for i in $(seq 0 47); do cp $((i % 4)).xmp art/p$i.svg.xmp; done
    exiftool -q -q -overwrite_original -XMP-lr:HierarchicalSubject='Wein|rot' art/p0.svg.xmp
    printf 'rot 1 0 0 0\ngrün 0 1 0 0\nblau 0 0 1 0\ngelb 0 0 0 1\n' >vectors.txt
    run 0 train art --vectors vectors.txt -o art.f0t --method linear --lambda 1 --ridge 0.1
    [ "$(sort art.f0t.data/paths.txt)" = "$(printf 'Farben|gelb\nFarben|grün\nFarben|warm|rot')" ] ||
        complain "$(cat art.f0t.data/paths.txt)"
    mkdir new
    for i in 0 90 180; do colour="hsl($i,90%,50%)" draw new/$i.svg; done
    run 0 tag art.f0t new -k 1 --xmp
    says "new/0.svg: rot"
    [ "$(exiftool -s3 -XMP-dc:Subject new/0.svg.xmp)" = rot ] || complain "$(exiftool new/0.svg.xmp)"
    [ "$(exiftool -s3 -XMP-lr:HierarchicalSubject new/0.svg.xmp)" = 'Farben|warm|rot' ] || complain "$(exiftool new/0.svg.xmp)"
    [ "$(exiftool -s3 -XMP-digiKam:TagsList new/0.svg.xmp)" = Farben/warm/rot ] || complain "$(exiftool new/0.svg.xmp)"
    [ "$(exiftool -s3 -XMP-digiKam:TagsList new/90.svg.xmp)" = Farben/grün ] || complain "$(exiftool new/90.svg.xmp)"
    [ "$(exiftool -s3 -XMP-digiKam:TagsList new/180.svg.xmp)" = blau ] || complain "$(exiftool new/180.svg.xmp)"
    run 0 untag new
    # A picture that has the path, or another one of its own, gets nothing twice.
    exiftool -q -q -XMP-lr:HierarchicalSubject='Farben|warm|Rot' new/0.svg.xmp
    run 0 tag art.f0t new/0.svg -k 1 --xmp
    warns "0 sidecars written, 1 as it was"
    run 0 train art.f0t.data --vectors vectors.txt -o again.f0t --method linear --lambda 1 --ridge 0.1
    cmp -s art.f0t again.f0t || complain "the model of the same dataset differs"
}

# Paths in lists of words, as Windows writes them; levels are learned where asked for, and go to their own places.
case_levels_of_paths_are_learned() {
    local i
    mkdir art
    for i in $(seq 0 47); do colour="hsl($((i % 2 * 180 + i / 4)),90%,50%)" draw "art/p$i.svg"; done
    exiftool -q -q -XMP-dc:Subject=Places/Europe/Paris -XMP-microsoft:LastKeywordXMP=Places/Europe/Paris even.xmp
    exiftool -q -q -XMP-dc:Subject=Places/Cuba -XMP-dc:Subject=AC/DC odd.xmp
    for i in $(seq 0 2 47); do cp even.xmp art/p$i.svg.xmp; done
    for i in $(seq 1 2 47); do cp odd.xmp art/p$i.svg.xmp; done
    run 0 import photos art -o leaf
    [ "$(sort -u leaf/tags.txt)" = "$(printf 'Cuba\tAC/DC\nParis')" ] || complain "leaf: $(sort -u leaf/tags.txt)"
    printf 'Places 1 1 0 0\nEurope 0 1 0 0\nParis 0 0 1 0\nCuba 0 0 0 1\n' >vectors.txt
    run 0 train art --hierarchy levels --vectors vectors.txt -o art.f0t --keep-tags --method linear --lambda 1 --ridge 0.1
    grep -qx 'Places|Europe' art.f0t.data/paths.txt && grep -qx 'Places|Cuba' art.f0t.data/paths.txt ||
        complain "$(cat art.f0t.data/paths.txt)"
    mkdir new
    colour="hsl(1,90%,50%)" draw new/1.svg
    run 0 tag art.f0t new -k 3 --xmp --diverse 0
    for i in Places Europe Paris; do says "$i"; done
    [ "$(exiftool -s3 -XMP-lr:HierarchicalSubject new/1.svg.xmp | tr -d ' ' | tr , '\n' | sort)" = "$(printf 'Places\nPlaces|Europe\nPlaces|Europe|Paris')" ] ||
        complain "$(exiftool new/1.svg.xmp)"
    # What the person has with slashes is not written again, and stays as it is.
    cp art/p0.svg art/p0.svg.xmp new
    run 0 tag art.f0t new/p0.svg -k 3 --xmp --diverse 0
    [ "$(exiftool -s3 -sep + -XMP-dc:Subject new/p0.svg.xmp | tr + '\n' | sort)" = "$(printf 'Europe\nPlaces\nPlaces/Europe/Paris')" ] ||
        complain "$(exiftool new/p0.svg.xmp)"
    [ "$(exiftool -s3 -XMP-microsoft:LastKeywordXMP new/p0.svg.xmp)" = Places/Europe/Paris ] || complain "$(exiftool new/p0.svg.xmp)"
    refuse 2 "--hierarchy is for a folder of pictures" train art.f0t.data --hierarchy levels --vectors vectors.txt -o a.f0t
}

# One word for all pictures is hardly meant.
case_all_words_on_every_picture_are_asked_for() {
    make_model
    picture a.jpg
    echo red >one.txt
    refuse 2 "-k 5 of 1 word: each picture would get it" tag art.f0t new --vocab one.txt --vectors vectors.txt --xmp
    refuse 2 "-k 4 of 4 words: each picture would get all of them" tag art.f0t new -k 4 --embed
    [ "$(ls new)" = a.jpg ] || complain "$(ls new)"
    run 0 tag art.f0t new --vocab one.txt --vectors vectors.txt
    run 0 tag art.f0t new --vocab one.txt --vectors vectors.txt --xmp --force
    [ -e new/a.jpg.xmp ] || complain "nothing was written"
}

case_what_cannot_be_untagged_is_named() {
    make_model
    mkdir empty
    refuse 3 "has no pictures" untag empty
    refuse 3 nowhere untag nowhere
    refuse 2 "" untag
    picture a.jpg
    run 0 untag new
    echo "<broken urn:fast0tag:xmp:" >new/a.jpg.xmp
    run 1 untag new
    warns "a.jpg.xmp: is no XMP that can be read"
    [ "$(cat new/a.jpg.xmp)" = "<broken urn:fast0tag:xmp:" ] || complain "it was changed"
}

# Programs that take the sidecar first see all that exiftool reads in the picture.
case_a_sidecar_hides_no_keyword_of_any_format() {
    make_model
    local kind word words
    for kind in avif dng gif heic jp2 jpg jxl png tif webp; do
        words=(-XMP-dc:Subject=Watt '-XMP-lr:HierarchicalSubject=Orte|Köln' -XMP-digiKam:TagsList=Tiere/Hund)
        case $kind in dng | jp2 | jpg | png | tif) words+=(-IPTC:Keywords=Möwe) ;; esac
        picture all.$kind -m "${words[@]}"
    done
    run 0 tag art.f0t new -k 1 --xmp
    warns "10 sidecars written, 0 as they were"
    for kind in avif dng gif heic jp2 jpg jxl png tif webp; do
        exiftool -s3 -sep + -XMP-dc:Subject new/all.$kind.xmp | tr + '\n' >subjects
        exiftool -s3 -sep + -charset iptc=utf8 -XMP-dc:Subject -XMP-lr:HierarchicalSubject -XMP-digiKam:TagsList \
            -IPTC:Keywords new/all.$kind | tr + '\n' | sed 's,.*[|/],,' >words
        [ "$(wc -l <words)" -ge 3 ] || complain "exiftool finds too few keywords in all.$kind: $(cat words)"
        while read -r word; do
            grep -qx "$word" subjects || complain "all.$kind.xmp hides $word: $(cat subjects)"
        done <words
    done
}

run_cases
