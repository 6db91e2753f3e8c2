# Sourced by the scripts that run the commands of documents, after cli/lib.sh.
#
# ```console blocks: "$ " begins a command, "> " goes on with it, the rest is what it must print; a line
# "…" stands for any number of lines, "…" at the end of a line for the rest of it.
# ```sh blocks: every line is a command that must succeed.
export LC_ALL=C.UTF-8
root=$(cd "$(dirname "$0")/../.." && pwd)

# "fast0tag" is the program under test, whatever is installed, with less work than a reader's: a WordNet
# of 27 words, a small net, two epochs, one trial.
mkdir "$scratch/bin"
cat >"$scratch/bin/fast0tag" <<EOF
#!/usr/bin/env bash
more=()
case "\$1 \${2-} \${3-}" in
"vectors build wordnet") more=(--from '$root/tests/wordnet') ;;
"train "*)
    [[ " \$* " == *" --method linear "* ]] || more=(--epochs 2)
    [[ " \$* " != *" --method net "* ]] || more+=(--hidden 16)
    ;;
"eval "*) [[ " \$* " == *" --list "* ]] || more=(--trials 1 --epochs 2) ;;
esac
exec '$FAST0TAG' "\$@" "\${more[@]}"
EOF
chmod +x "$scratch/bin/fast0tag"
ln -s /usr/bin/python3 "$scratch/bin/python3"
PATH=$scratch/bin:$PATH

# check COMMAND WANTED: both may have many lines.
check() {
    local got pattern
    got=$(bash -c "$1" 2>&1 </dev/null)
    # In a pattern of bash every character is quoted but "…".
    pattern=$(printf '\n%s\n' "$2" | sed 's/[^[:alnum:]_ ]/\\&/g' | awk '
        /^\\…$/ { printf "*"; next }
        { sub(/\\…$/, "*([^\n])"); printf "%s%s", (NR > 1 ? "\n" : ""), $0 }
        END { printf "." }')
    # shellcheck disable=SC2053
    [[ $'\n'$got. == $pattern ]] || {
        complain "$1"
        diff <(printf '%s\n' "$2") <(printf '%s\n' "$got") >&2
    }
}

# succeed COMMAND. What is not for a test to do: make is asked whether it would, and the tests of the
# Python package install that.
succeed() {
    local said command=$1
    case $command in
    '' | '#'*) return ;;
    'sudo make '* | 'make' | 'make '*) command="F0T_SKIP_DEPS=1 make -n -C '$root' ${command#*make}" ;;
    'sudo ldconfig' | 'pip install bindings/python'*) return ;;
    esac
    said=$(bash -c "$command" 2>&1 </dev/null) || complain "$1: $said"
}

# run_document FILE [needed]: every block in turn, in one folder; those of sh when run_sh is set.
run_document() {
    local line command='' wanted='' inside='' count=0
    flush() {
        [ -z "$command" ] || { check "$command" "${wanted%$'\n'}" && count=$((count + 1)); }
        command='' wanted=''
    }
    while IFS= read -r line; do
        case $inside:$line in
        ':```console') inside=console ;;
        ':```sh') [ -z "${run_sh-}" ] || inside=sh ;;
        'console:```') flush && inside='' ;;
        'sh:```') inside='' ;;
        'sh:'*) succeed "$line" && count=$((count + 1)) ;;
        'console:$ '*) flush && command=${line#'$ '} ;;
        'console:>') command+=$'\n' ;;
        'console:> '*) command+=$'\n'${line#'> '} ;;
        'console:'*) wanted+=$line$'\n' ;;
        esac
    done <"$1"
    [ "$count" -gt 0 ] || [ -z "${2-}" ] || complain "no command was found in $1"
}

# What the documents take for granted: a dataset flickr8k, vectors glove.txt, features new.npy, words
# new-words.txt, and pictures with keywords in ~/Pictures.
make_reader() {
    local i tags=(dog tree car cat boat rain sky sea bird truck wolf wheel plant engine) colours=(red green blue)
    make_collection
    mv photos flickr8k
    printf 'tree\ncar\n' >flickr8k/unseen.txt
    mv vectors.txt glove.txt
    cp flickr8k/features.npy new.npy
    printf 'lake\nlorry\n' >new-words.txt
    export HOME=$PWD/home
    unset XDG_CACHE_HOME
    for i in $(seq 0 44); do
        colour=${colours[i % 3]} draw "home/Pictures/p$i.svg" "${tags[i % 14]}" animal
    done
    colour=blue draw home/Pictures/new/a.svg
}
