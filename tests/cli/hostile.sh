#!/usr/bin/env bash
# Pictures, sidecars and disks that make trouble: clear errors, and nothing is lost.
. "$(dirname "$0")/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)

# Two good pictures and a model of colours.
make_model() {
    local i names=(red green blue yellow)
    for i in $(seq 0 23); do
        colour="hsl($((i % 4 * 90 + i / 4)),90%,50%)" draw "art/p$i.svg" "${names[i % 4]}"
    done
    printf 'red 1 0 0 0\ngreen 0 1 0 0\nblue 0 0 1 0\nyellow 0 0 0 1\n' >vectors.txt
    run 0 train art --vectors vectors.txt -o art.f0t --method linear --lambda 1 --ridge 0.1
    mkdir new
    cp "$root/tests/pictures/quarters.jpg" new/a.jpg
    cp "$root/tests/pictures/quarters.png" new/z.png
}

# as_nobody COMMAND…: without root's right to everything.
as_nobody() {
    if [ "$(id -u)" != 0 ]; then
        "$@"
    else
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    fi
}
is_possible_as_nobody() {
    chmod 755 "$scratch" && as_nobody test -x "$FAST0TAG" && as_nobody test -r "$PWD" && return
    skip "another user cannot run the program here"
    return 1
}

case_bad_pictures_are_named_and_passed_over() {
    make_model
    head -c 400 "$root/tests/pictures/quarters.jpg" >new/cut.jpg
    head -c 100 /dev/urandom >new/noise.png
    : >new/nothing.webp
    mkdir new/folder.jpg
    mkfifo new/pipe.png
    ln -s nowhere new/link.png
    # A PNG that claims 60000 x 60000 pixels.
    { head -c 16 "$root/tests/pictures/quarters.png" && printf '\0\0\xea\x60\0\0\xea\x60'; } >huge
    { cat huge && printf '\x08\x02\0\0\0' && printf '\x0f\xb0\xe2\x15'; } >new/huge.png
    run 0 tag art.f0t new -k 1
    says "new/a.jpg:"
    says "new/z.png:"
    [ "$(wc -l <"$out")" = 2 ] || complain "$(cat "$out")"
    local bad
    for bad in cut.jpg noise.png nothing.webp huge.png; do warns "new/$bad: "; done
    [ "$(wc -l <"$err")" = 4 ] || complain "$(cat "$err")"
    run 3 tag art.f0t new/pipe.png
    warns "new/pipe.png: is no ordinary file"
    warns "none of the pictures can be read"
    refuse 3 "new/cut.jpg: " tag art.f0t new --strict
    refuse 3 "new/" train new --vectors vectors.txt -o strict.f0t --strict
    run 0 features new -o data
    says "data          2"
    says "4 pictures cannot be read and are left out"
    refuse 3 "new/" features new -o strict --strict
    [ ! -e strict ] || complain "a dataset was left behind"
}

case_bad_sidecars_stay_as_they_are() {
    make_model
    cp new/a.jpg new/b.jpg
    cp new/a.jpg new/c.jpg
    mkdir new/a.jpg.xmp
    printf '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>' >new/b.jpg.xmp
    cp new/b.jpg.xmp bomb
    run 1 tag art.f0t new -k 1 --xmp
    warns "new/a.jpg.xmp: is a folder"
    warns "new/b.jpg.xmp: is no XMP that can be read: it stays as it is"
    warns "2 sidecars written, 0 as they were"
    warns "2 sidecars could not be written"
    cmp -s bomb new/b.jpg.xmp || complain "the sidecar was changed"
    [ -e new/z.png.xmp ] || complain "the good ones were not written"
}

case_without_permission_nothing_is_lost() {
    make_model
    is_possible_as_nobody || return
    mkdir new/closed
    cp new/a.jpg new/closed/x.jpg
    cp new/a.jpg new/secret.jpg
    run 0 tag art.f0t new/z.png -k 1 --xmp
    cp new/z.png.xmp kept
    chmod 0 new/closed new/secret.jpg
    chmod 444 new/z.png.xmp
    chmod 777 new
    chmod 755 . art.f0t
    as_nobody "$FAST0TAG" tag art.f0t new -k 2 --xmp >"$out" 2>"$err" </dev/null
    [ $? = 1 ] || complain "exit: $(cat "$err")"
    warns "new/closed: Permission denied: passed over"
    warns "new/secret.jpg: Permission denied"
    warns "new/z.png.xmp: cannot be written: Permission denied"
    cmp -s kept new/z.png.xmp || complain "a protected sidecar was replaced"
    rm -f new/a.jpg.xmp
    chmod 555 new
    as_nobody "$FAST0TAG" tag art.f0t new/a.jpg -k 1 --xmp >"$out" 2>"$err" </dev/null
    [ $? = 1 ] || complain "exit: $(cat "$err")"
    warns "new/a.jpg.xmp: cannot be written: Permission denied"
    cp new/a.jpg before.jpg
    as_nobody "$FAST0TAG" tag art.f0t new/a.jpg -k 1 --embed >"$out" 2>"$err" </dev/null
    warns "new/a.jpg: cannot be written: Permission denied"
    cmp -s before.jpg new/a.jpg || complain "the picture was changed"
    chmod 755 new new/closed
    mkdir -m 555 locked
    as_nobody "$FAST0TAG" features new -o locked/data >"$out" 2>"$err" </dev/null
    [ $? = 1 ] || complain "exit: $(cat "$err")"
    warns "locked/data"
}

# The limit on a file's size stands for a full disk where nothing can be mounted; SIGXFSZ is ignored,
# so that writing fails as it does there.
case_a_full_disk_is_told_and_the_old_files_stay() {
    make_model
    run 0 tag art.f0t new -k 1 --xmp
    cp new/a.jpg.xmp kept.xmp
    cp new/a.jpg kept.jpg
    (trap '' XFSZ && ulimit -f 1 && exec "$FAST0TAG" tag art.f0t new -k 4 --xmp --force) >"$out" 2>"$err"
    [ $? = 1 ] || complain "exit: $(cat "$err")"
    warns "new/a.jpg.xmp: "
    warns "too large"
    cmp -s kept.xmp new/a.jpg.xmp || complain "the old sidecar is gone"
    (trap '' XFSZ && ulimit -f 1 && exec "$FAST0TAG" tag art.f0t new/a.jpg -k 4 --embed --force) >"$out" 2>"$err"
    [ $? = 1 ] || complain "exit: $(cat "$err")"
    cmp -s kept.jpg new/a.jpg || complain "the picture was changed"
    (trap '' XFSZ && ulimit -f 8 && exec "$FAST0TAG" features art -o data) >"$out" 2>"$err"
    [ $? = 1 ] || complain "exit: $(cat "$err")"
    warns "data.part"
    [ ! -e data ] || complain "half a dataset is there"
    find . -name '*.tmp' | grep -q . && complain "left behind: $(find . -name '*.tmp')"
    run 0 features art -o data
    says "data         24"
}

case_a_small_disk_is_told_and_the_old_files_stay() {
    make_model
    mkdir disk
    if [ "$(id -u)" != 0 ] || ! mount -t tmpfs -o size=48k none disk 2>/dev/null; then
        skip "no small disk can be mounted here"
        return
    fi
    cp new/a.jpg disk
    run 0 tag art.f0t disk -k 1 --xmp
    cp disk/a.jpg.xmp kept.xmp
    head -c 100k /dev/zero >disk/fill 2>/dev/null
    run 1 tag art.f0t disk/a.jpg -k 4 --xmp --force
    warns "disk/a.jpg.xmp: "
    warns "No space left on device"
    cmp -s kept.xmp disk/a.jpg.xmp || complain "the old sidecar is gone"
    run 1 tag art.f0t disk/a.jpg -k 4 --embed --force
    warns "No space left on device"
    cmp -s new/a.jpg disk/a.jpg || complain "the picture was changed"
    run 1 features art -o disk/data
    warns "No space left on device"
    [ ! -e disk/data ] || complain "half a dataset is there"
    find disk -name '*.tmp' | grep -q . && complain "left behind: $(find disk -name '*.tmp')"
    umount disk
}

run_cases
