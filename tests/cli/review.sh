#!/usr/bin/env bash
# From suggestions to keywords: review, accept, reject, write; in a terminal, by lines and by scripts.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
export LC_ALL=C.UTF-8 XDG_DATA_HOME=$scratch/.data LOGNAME=ann

# A catalogue c.f0t of new/0.svg to new/3.svg, which have no keywords and three suggestions each, and of one with a
# keyword in a hierarchy.
make_catalogue() {
    local i
    for i in 0 1 2 3; do colour="hsl($((i * 90)),90%,50%)" draw new/$i.svg; done
    draw new/4.svg "Colours|warm|red"
    run 0 index new -c c.f0t --quiet
    /usr/bin/python3 -c 'import sqlite3
c = sqlite3.connect("c.f0t")
for name in ("red", "green", "blue"): c.execute("INSERT OR IGNORE INTO tags(name) VALUES (?)", (name,))
c.execute("UPDATE tags SET same = id WHERE same IS NULL")
for p in c.execute("SELECT id FROM pictures WHERE path NOT LIKE \"%4.svg\"").fetchall():
    for name, sure in (("red", .9), ("green", .5), ("blue", .25)):
        c.execute("INSERT INTO suggestions SELECT ?, id, ? FROM tags WHERE name = ?", (p[0], sure, name))
c.commit()'
}

# press KEYS…: 'fast0tag review' on a terminal of 80 x 24; each argument is sent when the screen is drawn. What it showed
# is in $out, how it ended in $?. "@NAME" sends a signal, "!" checks that the terminal does not echo.
press() {
    /usr/bin/python3 - "$FAST0TAG" "$@" >"$out" 2>"$err" <<'PY'
import fcntl, os, pty, select, signal, struct, sys, termios, time
program, keys = sys.argv[1], sys.argv[2:]
fd, terminal = pty.openpty()
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(os.environ.get("COLUMNS_WANTED", 80)), 0, 0))
before = termios.tcgetattr(terminal)
pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    for stream in range(3):
        os.dup2(terminal, stream)
    os.closerange(3, terminal + 1)
    os.environ["TERM"] = os.environ.get("TERM_WANTED", "xterm")
    os.execv(program, [program, "review", "-c", "c.f0t"] + os.environ.get("REVIEW", "").split())
def has_ended():
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
# What is shown until nothing has come for so long; it begins within 5 s, or the program has ended.
def read(quiet=0.08):
    text, late = b"", time.monotonic() + 5
    while True:
        if select.select([fd], [], [], quiet if text else 0.02)[0]:
            text += os.read(fd, 65536)
        elif text or has_ended() or time.monotonic() > late:
            return text
shown = read()
for key in keys:
    if key == "!":
        assert not termios.tcgetattr(fd)[3] & termios.ECHO, "the terminal echoes"
        continue
    if key.startswith("@"):
        os.kill(pid, getattr(signal, key[1:]))
    else:
        os.write(fd, key.encode().decode("unicode_escape").encode("latin-1"))
    shown += read(0.5 if key.endswith("\\x1b") else 0.08) # Escape alone is known by what does not follow it
late = time.monotonic() + 60
while not has_ended() and time.monotonic() < late:
    shown += read()
if not has_ended():
    os.kill(pid, signal.SIGHUP)
shown += read()
status = os.waitpid(pid, 0)[1]
after = termios.tcgetattr(terminal)
sys.stdout.buffer.write(shown)
sys.stdout.write("\nlocal modes as before: %s\nended by signal: %d\n" % (after[:4] == before[:4], os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0))
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1)
PY
}

decided() {
    run 0 accept -c c.f0t --json --from /dev/null
    /usr/bin/python3 -c 'import sqlite3
for row in sqlite3.connect("c.f0t").execute("SELECT replace(p.path, rtrim(p.path, replace(p.path, \"/\", \"\")), \"\"), t.name, d.decision, d.who FROM decisions d JOIN pictures p ON p.id = d.picture JOIN tags t ON t.id = d.tag WHERE d.current AND d.decision ORDER BY 1, 2"): print(*row)'
}

expect_decided() {
    local got
    got=$(decided | tr '\n' ';')
    [ "$got" = "$1" ] || complain "decided: $got, expected $1"
}

case_keys_decide() {
    make_catalogue
    press ! q
    says "1 of 4"
    says "no keywords"
    says "y accept  n reject"
    says "local modes as before: True"
    says "> 1  red                               90 %"
    COLUMNS_WANTED=40 press j q # narrow: the end of the path, and lines that do not wrap
    says "…"
    says "new/0.svg"
    says "> 2  green                    50 %"
    press 'ynu\x1b[An tgr\t\r 3yb' q
    says "2 of 4"
    says "undone"
    says "tag (Tab completes, Esc leaves): green"
    says "4 decisions; 'fast0tag write' writes accepted tags"
    expect_decided "0.svg red 2 ann;1.svg green 1 ann;2.svg blue 1 ann;"
    press 'nnnu    uuuu' q
    says "all decided: space for the next picture"
    says "that was the last picture"
    says "there is nothing to undo"
    expect_decided "0.svg red 2 ann;1.svg green 1 ann;2.svg blue 1 ann;"
    press 'tb\t\x15palm tre\x7fee\n' 'tx\x1b' 'tK\xc3\xb6l\x7f\x7f\n' q
    expect_decided "0.svg K 1 ann;0.svg palm tree 1 ann;0.svg red 2 ann;1.svg green 1 ann;2.svg blue 1 ann;"
}

# Only suggestions that are worth a key are offered, and those that are sure are accepted by one, which is one step.
case_what_is_sure_is_accepted_together() {
    make_catalogue
    /usr/bin/python3 -c 'import sqlite3
c = sqlite3.connect("c.f0t")
for name, sure in (("sea", .8), ("sky", .61), ("doubt", .14)):
    c.execute("INSERT OR IGNORE INTO tags(name) VALUES (?)", (name,))
    c.execute("INSERT INTO suggestions SELECT 1, id, ? FROM tags WHERE name = ?", (sure, name))
c.commit()'
    press 'A' q
    says "suggestions of at least 15 % (--confidence)"
    says "A accept 3 of at least 60 %"
    says "3 accepted: u takes them back"
    ! grep -q doubt "$out" || complain "a suggestion of 14 %"
    expect_decided "0.svg red 1 ann;0.svg sea 1 ann;0.svg sky 1 ann;"
    for tag in red sea sky; do run 0 accept -c c.f0t --undo new/0.svg $tag; done
    press 'AAun' q
    says "no tag that is so sure is left to decide"
    says "undone"
    expect_decided "0.svg red 2 ann;"
    printf 'u\na\na\nu\na\nn\nb\nu\nu\nq\n' | "$FAST0TAG" review -c c.f0t >"$out" 2>"$err" || complain "$(cat "$err")"
    says "suggestions of at least 15 %, at most 9 per picture; --confidence and -k change it"
    says "     a accepts 2 of at least 60 %"
    says "no tag of at least 60 % is left to decide"
    says "there is nothing to undo"
    expect_decided "0.svg red 2 ann;"
    REVIEW="--sure 0.4 --confidence 0.3" press A q
    says "A accept 3 of at least 40 %"
    expect_decided "0.svg green 1 ann;0.svg red 2 ann;0.svg sea 1 ann;0.svg sky 1 ann;"
    refuse 2 "--sure: 7 is not between 0 and 1" review -c c.f0t --sure 7
    run 0 review -c c.f0t --json
    json_holds '"doubt" not in [s["tag"] for p in d for s in p["suggestions"]]'
    run 0 review -c c.f0t --json --confidence 0.1
    json_holds '"doubt" in [s["tag"] for p in d for s in p["suggestions"]]'
    /usr/bin/python3 -c 'import sqlite3
c = sqlite3.connect("c.f0t")
c.execute("INSERT INTO models(fingerprint, path) VALUES (1, ?)", ("m.f0t",))
c.execute("UPDATE chosen SET model = 1")
c.commit()'
    run 0 review -c c.f0t --confidence 0.95
    says "nothing is left to decide: no suggestion of at least 95 %; --confidence changes it"
}

# Whatever ends it, the terminal is as it was; what was decided is kept.
case_signals_leave_the_terminal_as_it_was() {
    make_catalogue
    local signal
    for signal in SIGINT SIGTERM SIGHUP SIGQUIT SIGSEGV; do
        press ! "@$signal"
        says "local modes as before: True"
        ! grep -q 'ended by signal: 0' "$out" || complain "$signal did not end it"
    done
    press y '\x03'
    says "ended by signal: 2"
    [ "$(decided | wc -l)" = 1 ] || complain "$(decided)"
    press '@SIGTSTP' '@SIGCONT' ! q
    says "local modes as before: True"
    says "ended by signal: 0"
}

case_lines_decide_without_a_terminal() {
    make_catalogue
    printf '?\n1 -2\nu\n9\nx\nt palm tree\nc pal\nn\nb\nb\nq\n' | "$FAST0TAG" review -c c.f0t >"$out" 2>"$err" || complain "$(cat "$err")"
    says "-3      reject tag 3"
    says "  yes"
    says "'9': no such tag"
    says "'x': no such tag"
    says "2 of 4"
    says "2 decisions"
    says "this is the first picture"
    TERM_WANTED=dumb press '\n' '\x03' # a terminal that cannot move its cursor
    says "? explains what can be said"
    says "2 of 4"
    says "ended by signal: 2"
    expect_decided "0.svg palm tree 1 ann;0.svg red 1 ann;"
    printf '' | "$FAST0TAG" review -c c.f0t --lines >"$out" 2>"$err" || complain "$(cat "$err")"
    refuse 2 "--confidence: 7 is not between 0 and 1" review -c c.f0t --confidence 7
    refuse 3 "no catalogue" review -c nowhere.f0t
    run 0 review -c c.f0t --json --order path
    json_holds 'len(d) == 4 and d[0]["picture"].endswith("new/0.svg") and d[0]["keywords"] == []'
    json_holds 'all(0 <= s["confidence"] <= 1 for p in d for s in p["suggestions"] if s["confidence"] is not None)'
}

case_a_folder_may_be_relative_or_a_link() {
    make_catalogue
    ln -s new link
    local folder
    for folder in new ./new/ link "$PWD/new"; do
        run 0 review -c c.f0t --json --folder "$folder"
        json_holds 'len(d) == 4'
    done
    run 0 review -c c.f0t --json --folder nowhere
    json_holds 'd == []'
}

# Numbers mean the tags that were shown, also where another program takes a suggestion away meanwhile.
case_numbers_are_those_that_were_shown() {
    make_catalogue
    touch shown.txt
    {
        for _ in $(seq 200); do
            grep -q '> ' shown.txt && break
            sleep 0.05
        done
        /usr/bin/python3 -c 'import sqlite3
c = sqlite3.connect("c.f0t")
c.execute("DELETE FROM suggestions WHERE tag = (SELECT id FROM tags WHERE name = ?)", ("green",))
c.commit()'
        printf '1 -2 3\nq\n'
    } | "$FAST0TAG" review -c c.f0t >shown.txt 2>&1 || complain "$(cat shown.txt)"
    expect_decided "0.svg blue 1 ann;0.svg green 2 ann;0.svg red 1 ann;"
}

# Another terminal of the same person decides between a decision and its undo.
case_undo_is_of_this_review() {
    make_catalogue
    {
        printf '1\n-1\n'
        for _ in $(seq 200); do
            decided | grep -q "red 2" && break
            sleep 0.05
        done
        "$FAST0TAG" accept -c c.f0t new/3.svg sea >/dev/null
        printf 'u\n2\nu\nu\nu\nq\n'
    } | "$FAST0TAG" review -c c.f0t >shown.txt 2>&1 || complain "$(cat shown.txt)"
    grep -q "there is nothing to undo" shown.txt || complain "$(cat shown.txt)"
    expect_decided "3.svg sea 1 ann;"
}

# Who waits for a pipe keeps nobody from writing.
case_a_slow_pipe_blocks_nobody() {
    make_catalogue
    mkfifo pipe
    "$FAST0TAG" accept -c c.f0t --from pipe >slow.txt 2>&1 &
    local pid=$!
    exec 3>pipe
    run 0 accept -c c.f0t new/0.svg red
    printf 'new/1.svg\tgreen\n' >&3
    exec 3>&-
    wait $pid || complain "$(cat slow.txt)"
    expect_decided "0.svg red 1 ann;1.svg green 1 ann;"
}

case_scripts_decide() {
    make_catalogue
    run 0 accept -c c.f0t new/0.svg red "palm tree"
    says "2 tags of 1 picture accepted"
    run 0 reject -c c.f0t new/0.svg green --by bob --json
    json_holds 'd[0]["tag"] == "green" and d[0]["decision"] == "rejected"'
    expect_decided "0.svg green 2 bob;0.svg palm tree 1 ann;0.svg red 1 ann;"
    printf 'new/1.svg\tgreen\tsea\nnew/2.svg\tblue\r\n\n' | "$FAST0TAG" accept -c c.f0t --from - >"$out" 2>"$err" || complain "$(cat "$err")"
    says "3 tags of 2 pictures accepted"
    run 0 accept -c c.f0t --undo new/0.svg "palm tree" green
    expect_decided "0.svg red 1 ann;1.svg green 1 ann;1.svg sea 1 ann;2.svg blue 1 ann;"
    # All of a file, or nothing.
    printf 'new/3.svg\tyellow\nnowhere.svg\tx\n' >bad.tsv
    refuse 3 "bad.tsv:2: nowhere.svg is not in the catalogue" accept -c c.f0t --from bad.tsv
    printf 'new/3.svg\n' >bad.tsv
    refuse 3 "bad.tsv:1: a picture, a tab and a tag are expected" accept -c c.f0t --from bad.tsv
    printf 'new/3.svg\tyellow\nnew/3.svg\tpink\0\tx\n' >bad.tsv
    refuse 3 "bad.tsv:2: a NUL byte; text is expected" accept -c c.f0t --from bad.tsv
    { printf new/3.svg && printf '\t%s' $(seq 1025); } >bad.tsv
    refuse 3 "bad.tsv:1: more than 1024 tags" accept -c c.f0t --from bad.tsv
    expect_decided "0.svg red 1 ann;1.svg green 1 ann;1.svg sea 1 ann;2.svg blue 1 ann;"
    refuse 2 "missing operand: TAG" reject -c c.f0t new/0.svg
    refuse 2 "missing operand: PICTURE TAG" accept -c c.f0t
    refuse 2 "leave out 'x'" accept -c c.f0t --from bad.tsv x y
    refuse 3 "no catalogue" accept new/0.svg red
}

case_what_was_accepted_is_written_and_taken_back() {
    make_catalogue
    run 0 accept -c c.f0t new/0.svg red boat
    run 0 accept -c c.f0t new/1.svg green
    run 0 reject -c c.f0t new/1.svg blue
    run 0 write -c c.f0t --dry-run
    says "new/0.svg.xmp: +red +boat"
    says "2 sidecars would be written, 0 as they were"
    [ "$(ls new)" = "$(printf '%s.svg\n' 0 1 2 3 4)" ] || complain "$(ls new)"
    run 0 write -c c.f0t
    says "2 sidecars written"
    grep -q '<rdf:li>Colours|warm|red</rdf:li>' new/0.svg.xmp && grep -q '<rdf:li>red</rdf:li>' new/0.svg.xmp ||
        complain "$(cat new/0.svg.xmp)"
    ! grep -q blue new/1.svg.xmp || complain "a rejected tag was written"
    ls --full-time new >before
    run 0 write -c c.f0t
    says "0 sidecars written"
    ls --full-time new | cmp -s - before || complain "a second run touched a file"
    # The index sees what we wrote, and does not take it for a person's.
    run 0 index new -c c.f0t --quiet
    run 0 write -c c.f0t --json
    json_holds 'd == []'
    run 0 reject -c c.f0t new/0.svg boat
    run 0 write -c c.f0t --json
    json_holds 'len(d) == 1 and d[0]["change"] == "-boat" and d[0]["changed"] and d[0]["error"] is None'
    run 0 write -c c.f0t --undo
    says "1 file put back"
    grep -q '<rdf:li>boat</rdf:li>' new/0.svg.xmp || complain "boat is not back"
    run 0 write -c c.f0t --undo
    says "2 files put back"
    [ "$(ls new)" = "$(printf '%s.svg\n' 0 1 2 3 4)" ] || complain "$(ls new)"
    refuse 2 "--undo knows where the tags went" write -c c.f0t --undo --embed
    refuse 2 "--touch needs --embed" write -c c.f0t --touch
    # A picture that takes no tags inside is named; the others are written.
    run 1 write -c c.f0t --embed
    warns "new/0.svg: tags cannot go into it"
    warns "2 files could not be written"
}

# take_out FILE WORD: as another program does, which does not know what we noted beside the lists.
take_out() {
    sed -i '/<dc:subject>/,/<\/dc:subject>/s|<rdf:li>'"$2"'</rdf:li>||; /hierarchicalSubject>/,/hierarchicalSubject>/s|<rdf:li>'"$2"'</rdf:li>||
        /<digiKam:TagsList>/,/<\/digiKam:TagsList>/s|<rdf:li>'"$2"'</rdf:li>||' "$1"
    ! sed -n '/<dc:subject>/,/<\/dc:subject>/p' "$1" | grep -q "$2" || complain "$2 is still there: $(cat "$1")"
}

# The file is the person's last word; one that is gone, or older than what we wrote, says nothing.
case_a_keyword_that_was_taken_out_is_rejected() {
    make_catalogue
    run 0 accept -c c.f0t new/0.svg sea boat
    run 0 accept -c c.f0t new/1.svg sea
    run 0 accept -c c.f0t new/2.svg boat
    run 0 write -c c.f0t
    cp -p new/2.svg.xmp older.xmp
    touch -d '2020-01-01' older.xmp
    take_out new/0.svg.xmp boat
    rm new/1.svg.xmp
    take_out older.xmp boat && touch -d '2020-01-01' older.xmp && cp -p older.xmp new/2.svg.xmp
    run 0 index new -c c.f0t
    warns "1 accepted tag that was removed from a file counts as rejected"
    expect_decided "0.svg boat 2 file;0.svg sea 1 ann;1.svg sea 1 ann;2.svg boat 1 ann;"
    run 0 find tag:boat -c c.f0t --json
    json_holds '[p["path"][-5:] for p in d["pictures"]] == ["2.svg"]'
    cp new/0.svg.xmp kept.xmp
    run 0 write -c c.f0t --json
    json_holds 'd == []'
    cmp -s kept.xmp new/0.svg.xmp || complain "the sidecar was written"
    run 0 index new -c c.f0t --quiet
    expect_decided "0.svg boat 2 file;0.svg sea 1 ann;1.svg sea 1 ann;2.svg boat 1 ann;"
    # Who accepts it again means it.
    run 0 accept -c c.f0t new/0.svg boat
    run 0 write -c c.f0t
    grep -q '<rdf:li>boat</rdf:li>' new/0.svg.xmp || complain "boat was not written again: $(cat new/0.svg.xmp)"
    run 0 index new -c c.f0t --quiet
    expect_decided "0.svg boat 1 ann;0.svg sea 1 ann;1.svg sea 1 ann;2.svg boat 1 ann;"
    # A write before the next index does not undo what was taken out.
    take_out new/0.svg.xmp boat
    run 0 accept -c c.f0t new/0.svg red
    run 0 write -c c.f0t
    run 0 index new -c c.f0t --quiet
    expect_decided "0.svg boat 2 file;0.svg red 1 ann;0.svg sea 1 ann;1.svg sea 1 ann;2.svg boat 1 ann;"
}

case_undo_is_byte_for_byte() {
    make_catalogue
    local pictures=$here/../pictures
    cp "$pictures/keywords-xmp.jpg" "$pictures/keywords-xmp.png" "$pictures/keywords-iptc.jpg" "$pictures/quarters.png" new
    run 0 index new -c c.f0t --quiet
    cp -r new before
    printf 'new/%s\tsea\n' keywords-xmp.jpg keywords-xmp.png keywords-iptc.jpg quarters.png >sea.tsv
    run 0 accept -c c.f0t --from sea.tsv
    run 0 write -c c.f0t --embed
    says "4 pictures written"
    run 0 accept -c c.f0t new/keywords-xmp.jpg boat
    run 0 write -c c.f0t --embed
    run 0 write -c c.f0t --undo
    run 0 write -c c.f0t --undo --json
    json_holds 'len(d) == 4 and all(w["exact"] for w in d)'
    diff -r before new || complain "a picture is not what it was"
    # A sidecar as another program lays it out, and one that it changes afterwards.
    printf '%s\n' '<x:xmpmeta xmlns:x="adobe:ns:meta/"> <rdf:RDF   xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' \
        "<rdf:Description xmlns:dc='http://purl.org/dc/elements/1.1/' rdf:about=''" "xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:Rating='3'>" \
        '<dc:subject><rdf:Bag><rdf:li>holiday</rdf:li>   </rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>' >new/0.xmp
    cp new/0.xmp new/1.svg.xmp
    cp new/0.xmp odd.xmp
    run 0 accept -c c.f0t --undo new/keywords-xmp.jpg sea boat
    run 0 accept -c c.f0t --undo new/keywords-xmp.png sea
    run 0 accept -c c.f0t --undo new/keywords-iptc.jpg sea
    run 0 accept -c c.f0t --undo new/quarters.png sea
    run 0 accept -c c.f0t new/0.svg red
    run 0 accept -c c.f0t new/1.svg red
    run 0 accept -c c.f0t new/2.svg red
    run 0 write -c c.f0t
    sed -i 's/Rating="3"/Rating="4"/; s/Rating=.3./Rating="4"/' new/1.svg.xmp
    run 0 write -c c.f0t --undo
    says "3 files put back, 0 as they were"
    says "1 of them with the same meaning, not byte for byte"
    cmp -s odd.xmp new/0.xmp || complain "0.xmp is not what it was: $(cat new/0.xmp)"
    grep -q 'Rating="4"' new/1.svg.xmp && ! grep -q red new/1.svg.xmp || complain "$(cat new/1.svg.xmp)"
    [ ! -e new/2.svg.xmp ] || complain "a sidecar of ours was left"
}

# Killed at any moment, the next run goes on, and all of it can be taken back.
case_a_killed_write_goes_on() {
    local i pid
    for i in $(seq 10 33); do colour="hsl($i,90%,50%)" draw new/$i.svg; done
    run 0 index new -c c.f0t --quiet
    for i in $(seq 10 33); do printf 'new/%s.svg\tsea\n' "$i"; done >sea.tsv
    run 0 accept -c c.f0t --from sea.tsv
    for i in 1 2 3; do
        "$FAST0TAG" write -c c.f0t --quiet >/dev/null 2>&1 &
        pid=$!
        sleep 0.0$i
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
    done
    run 0 write -c c.f0t
    [ "$(grep -l '<rdf:li>sea</rdf:li>' new/*.xmp | wc -l)" = 24 ] || complain "$(ls new)"
    [ -z "$(find new -name '*.xmp' -size 0)" ] || complain "an empty sidecar"
    run 0 write -c c.f0t
    says "0 sidecars written"
    for i in 1 2 3 4; do run 0 write -c c.f0t --undo; done
    [ "$(find new -name '*.svg.xmp' | wc -l)" = 0 ] || complain "$(ls new)"
}

run_cases
