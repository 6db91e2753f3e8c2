#!/usr/bin/env bash
# fast0tag serve: how it starts, and (tests/server/serve.py) how it answers.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)

make_models() {
    local n
    make_collection
    for n in 1 2 3 4 5 6; do
        colour=red draw art/red$n.svg rose
        colour=blue draw art/blue$n.svg sea
    done
    printf 'rose 1 0 0\nsea 0 1 0\nflower .9 .1 0\nlake .1 .9 .1\n' >v.txt
    run 0 train art --vectors v.txt -o art.f0t --method linear
    run 0 train photos --vectors vectors.txt -o photos.f0t --epochs 1
}

case_what_keeps_it_from_starting_is_said() {
    make_models
    refuse 2 "--host: an address that others reach needs --token-file" serve art.f0t --host 0.0.0.0 --port 0
    refuse 1 "cannot listen on 192.0.2.1" serve art.f0t --host 192.0.2.1 --port 0
    refuse 2 "--port: 0 to 65535" serve art.f0t --port 65536
    refuse 3 "none.f0t" serve none.f0t --port 0
    echo short >token
    refuse 3 "token: a token has 16 to 1024 characters" serve art.f0t --port 0 --token-file token
    refuse 1 "none: the file with the token cannot be read" serve art.f0t --port 0 --token-file none
    XDG_DATA_HOME=$PWD/none refuse 3 "catalogue.f0t" serve
    run 0 index art -c bare.f0t
    refuse 2 "the catalogue has no model: name MODEL" serve -c bare.f0t --port 0
    refuse 2 "--demo and --catalogue exclude each other" serve --demo -c bare.f0t
    refuse 2 "-o is the folder of --demo" serve art.f0t -o demo --port 0
    (ulimit -n 500 && refuse 2 "--connections: 4096 need 4224 open files" serve art.f0t --port 0 --connections 4096 && exit "$case_failed") ||
        case_failed=1
}

# Its cases are told one by one.
case_requests() {
    make_models
    PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$here/../server/serve.py" token small queue features end || case_failed=1
}

case_requests_about_a_catalogue() {
    make_catalogue
    PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$here/../server/serve.py" catalogue || case_failed=1
}

# One recipe: cleaned keywords, every picture learned from, the same bytes.
case_learning_is_what_the_program_trains() {
    make_catalogue
    colour='hsl(8,90%,50%)' draw art/red13.svg roses IMG_2041
    colour='hsl(12,90%,50%)' draw art/red14.svg roses IMG_2042
    run 0 index art -c catalogue.f0t
    cp catalogue.f0t own.f0t
    run 0 train -c own.f0t --vectors v.txt --refit -o refitted.f0t
    cp catalogue.f0t own.f0t
    run 0 train -c own.f0t --vectors v.txt -o trained.f0t
    warns "goes with its plural or singular: 'roses' with 'rose'"
    PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$here/../server/serve.py" learning || case_failed=1
}

run_cases
