#!/usr/bin/env bash
# A picture is its content: whatever its files are called, a tag stays with the picture that it was decided for.
. "$(dirname "$0")/lib.sh"
export LC_ALL=C.UTF-8 XDG_DATA_HOME=$scratch/.data

# photos FOLDER FIRST LAST [SIDE]: different pictures FOLDER/trip_NN.png, sixteen blocks of grey by number.
photos() {
    mkdir -p "$1"
    /usr/bin/python3 - "$@" <<'PY'
import random, struct, sys, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
side = int(sys.argv[4]) if len(sys.argv) > 4 else 32
for number in range(int(sys.argv[2]), int(sys.argv[3]) + 1):
    draw = random.Random(number)
    grey = [[draw.randrange(256) for _ in range(4)] for _ in range(4)]
    rows = b"".join(b"\0" + bytes(grey[4 * y // side][4 * x // side] for x in range(side)) for y in range(side))
    with open("%s/trip_%02d.png" % (sys.argv[1], number), "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)) +
                chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
PY
}

# accept_all FOLDER FIRST LAST: each trip_NN.png is accepted as tagNN.
accept_all() {
    local n
    for n in $(seq -f %02.0f "$2" "$3"); do printf '%s\ttag%s\n' "$1/trip_$n.png" "$n"; done >lines
    run 0 accept -c c.f0t --from lines
}

# tag_is PICTURE TAG: the sidecar of PICTURE has this tag of ours and no other; - for TAG: there is no sidecar.
tag_is() {
    local is=-
    [ ! -e "$1.xmp" ] || is=$(grep -o 'tag[0-9][0-9]' "$1.xmp" | sort -u | tr '\n' ' ')
    [ "${is% }" = "$2" ] || complain "$1 has ${is:-nothing}, expected $2"
}

# The numbers of camera pictures close up behind one that was deleted.
case_renamed_by_one() {
    local n
    photos art 1 50
    run 0 index art -c c.f0t
    accept_all art 1 50
    rm art/trip_01.png
    for n in $(seq 2 50); do mv "art/trip_$(printf %02d "$n").png" "art/trip_$(printf %02d $((n - 1))).png"; done
    run 0 index art -c c.f0t
    says "49 pictures, 49 moved, 1 missing"
    run 0 write -c c.f0t
    for n in $(seq -w 1 49); do tag_is "art/trip_$n.png" "tag$(printf %02d $((10#$n + 1)))"; done
}

# The same after tags were written: the sidecars stay where they are, and become those of the pictures beside them.
case_sidecars_that_stay_behind() {
    photos art 1 4
    run 0 index art -c c.f0t
    accept_all art 1 3
    run 0 write -c c.f0t
    mv art/trip_01.png art/first.png
    mv art/trip_02.png art/trip_01.png
    mv art/trip_04.png art/trip_02.png
    mkdir deep && mv art/trip_03.png deep && mv deep art/deep
    run 0 index art -c c.f0t
    says "4 pictures, 4 moved"
    run 0 write -c c.f0t
    tag_is art/first.png tag01
    tag_is art/trip_01.png tag02
    tag_is art/trip_02.png -
    tag_is art/trip_03.png -
    tag_is art/deep/trip_03.png tag03
    run 0 index art -c c.f0t
    run 0 write -c c.f0t
    says "0 sidecars written"
}

case_sidecars_that_come_along() {
    photos art 1 2
    run 0 index art -c c.f0t
    accept_all art 1 2
    run 0 write -c c.f0t
    for n in .png .png.xmp; do
        mv "art/trip_01$n" "art/x$n" && mv "art/trip_02$n" "art/trip_01$n" && mv "art/x$n" "art/trip_02$n"
    done
    run 0 index art -c c.f0t
    says "2 pictures, 2 moved"
    run 0 write -c c.f0t
    says "0 sidecars written"
    tag_is art/trip_01.png tag02
    tag_is art/trip_02.png tag01
}

# Another picture takes the name of one that is gone.
case_another_picture_of_this_name() {
    photos art 1 3
    photos new 4 4
    run 0 index art -c c.f0t
    accept_all art 1 3
    run 0 write -c c.f0t
    mv new/trip_04.png art/trip_01.png
    cp -p art/trip_03.png art/trip_02.png
    run 1 write -c c.f0t --all
    warns "trip_02.png: is not what the catalogue knows"
    run 0 index art -c c.f0t
    says "3 pictures, 2 added, 1 unchanged, 2 missing"
    warns "trip_01.png: is another picture than the one there before (32 x 32, saved $(date -u +%Y-%m)"
    warns "that one is missing, and keeps its 1 decision (accepted: tag01) until index finds its file again"
    run 0 write -c c.f0t
    tag_is art/trip_01.png -
    tag_is art/trip_02.png -
    tag_is art/trip_03.png tag03
    photos back 1 1
    mv back/trip_01.png art/back.png
    run 0 index art -c c.f0t
    says "1 moved"
    run 0 write -c c.f0t
    tag_is art/back.png tag01
}

case_an_edited_picture_keeps_its_tags() {
    photos art 1 1
    run 0 index art -c c.f0t
    accept_all art 1 1
    printf 'more' >>art/trip_01.png
    run 0 index art -c c.f0t
    says "1 picture, 1 changed"
    touch art/trip_01.png && chmod 600 art/trip_01.png
    run 0 index art -c c.f0t
    says "1 picture, 1 unchanged"
    run 0 write -c c.f0t
    tag_is art/trip_01.png tag01
}

# The same pixels, but other sides: nobody can know.
case_a_picture_that_may_be_another() {
    photos art 1 1
    run 0 index art -c c.f0t
    run 0 accept -c c.f0t art/trip_01.png tag01 tag02
    photos art 1 1 64
    run 0 index art -c c.f0t
    says "1 picture, 1 added, 1 missing"
    warns "trip_01.png: may be the picture there before (32 x 32, saved"
    warns "that one is missing with its 2 decisions (accepted: tag01, tag02): accept them once more if it is the same"
    run 0 write -c c.f0t
    tag_is art/trip_01.png -
}

# Not even the size and the time of the file differ.
case_same_size_and_time() {
    colour=red draw art/a.svg
    colour=tan draw art/b.svg
    touch -d 2020-01-01 art/a.svg art/b.svg
    run 0 index art -c c.f0t
    run 0 accept -c c.f0t art/a.svg tag01
    mv art/a.svg art/x && mv art/b.svg art/a.svg && mv art/x art/b.svg
    run 1 write -c c.f0t
    warns "art/a.svg: is not what the catalogue knows; run fast0tag index first"
    refuse 3 "art/b.svg: is not what the catalogue knows; run fast0tag index first" accept -c c.f0t art/b.svg tag02
    run 0 index art -c c.f0t
    says "2 pictures, 2 moved"
    run 0 write -c c.f0t
    tag_is art/a.svg -
    tag_is art/b.svg tag01
}

# Between two looks, and between two folders.
case_watched_folders() {
    local watch
    photos art 1 4
    mkdir other
    "$FAST0TAG" index art other -c c.f0t --watch --settle 0.2 >watched 2>&1 &
    watch=$!
    wait_for "4 added"
    accept_all art 1 4
    mv art/trip_01.png other && mv art/trip_02.png art/trip_01.png && mv other/trip_01.png art/trip_02.png
    wait_for "2 moved"
    mv art/trip_03.png other && mv art/trip_04.png art/trip_03.png
    wait_for "1 picture, 1 moved|3 pictures, 1 moved|4 pictures, 2 moved"
    kill -INT $watch
    wait $watch
    run 0 index art other -c c.f0t
    run 0 write -c c.f0t
    tag_is art/trip_01.png tag02
    tag_is art/trip_02.png tag01
    tag_is art/trip_03.png tag04
    tag_is other/trip_03.png tag03
}

# wait_for PATTERN: until a line of the watch says so.
wait_for() {
    local i
    for i in $(seq 600); do
        ! grep -Eq "$1" watched || return
        sleep 0.1
    done
    complain "no '$1' in: $(cat watched)"
}

run_cases
