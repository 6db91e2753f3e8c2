#!/usr/bin/env bash
# Asking for help, and using the program wrongly.
. "$(dirname "$0")/lib.sh"

case_without_arguments_it_shows_the_verbs() {
    run 2
    warns "Usage: fast0tag COMMAND"
}

case_help_goes_to_stdout() {
    run 0 --help
    says "Usage: fast0tag COMMAND"
    run 0 -h
    says "Exit codes"
}

case_it_says_its_version() {
    run 0 --version
    says "fast0tag 0."
}

case_a_wrong_verb_is_named() {
    refuse 2 "there is no command 'frobnicate'" frobnicate
}

case_help_is_a_word_as_well() {
    run 0 help
    says "Usage: fast0tag COMMAND"
    local way
    for way in "help tag" "-h tag" "--help tag" "tag -h" "tag --help"; do
        run 0 $way
        says "Usage: fast0tag tag MODEL"
    done
    for way in "help vectors nearest" "-h vectors nearest" "vectors nearest -h"; do
        run 0 $way
        says "Usage: fast0tag vectors nearest"
    done
    for way in "help vectors" "vectors help" "vectors -h"; do
        run 0 $way
        says "Usage: fast0tag vectors COMMAND"
    done
    run 0 help help
    says "Usage: fast0tag COMMAND"
}

case_near_misses_are_told() {
    refuse 2 "did you mean 'fast0tag train'?" trian
    refuse 2 "did you mean 'fast0tag help'?" hlep
    refuse 2 "did you mean 'fast0tag vectors nearest'?" vectors neares
    refuse 2 "there is no command 'frobnicate'" help frobnicate
    refuse 2 "did you mean 'fast0tag vectors trim'?" help vectors trm
    refuse 2 "there is no command '--hilfe'" --hilfe
}

case_what_make_ends_with_works() {
    local said
    said=$(sed -n "s/.*or '\$(BUILD)\/fast0tag \([a-z]*\)'.*/\1/p" "$(dirname "$0")/../../Makefile")
    [ -n "$said" ] || complain "the Makefile says nothing to try"
    run 0 $said
}

# Options of which one makes the other void, in every verb that has such.
case_what_is_missing_or_too_much_is_said() {
    local long
    long=$(printf 'a%.0s' {1..5000})
    printf 'red 1 0\nblue 0 1\n' >v.txt
    echo red >tags.txt
    refuse 2 "--jobs needs --results FILE" eval d --vectors v --jobs 2
    refuse 2 "--jobs: 99999 is too many" eval d --vectors v --jobs 99999 --results r
    refuse 2 "--figure needs --html" eval d --vectors v --figure net
    refuse 2 "--compare-paper needs tables; --json has none" eval d --vectors v --compare-paper nuswide --json
    refuse 2 "--with-seen needs --vocab" tag m d --with-seen
    refuse 2 "--vocab needs MODEL" serve --vocab w
    refuse 2 "--workers: 1 to 16 are possible" serve m --workers 99
    refuse 2 "--max-body: at most 2047 megabytes, and not more than --max-memory" serve m --max-body 4000
    refuse 2 "--demo: the path of the folder is too long" serve --demo -o "$long"
    refuse 2 "--synonyms shows all groups: leave out -k" vectors nearest v.txt --synonyms d -k 3
    refuse 2 "--synonyms is about the tags of d: leave out 'red'" vectors nearest v.txt red --synonyms d
    refuse 2 "no dictionary: give --dictionary LANGUAGE, such as deu" vectors translate v.txt -o x.st
    refuse 2 "no model that will rank the words: give --model MODEL" vectors prepare v.txt -o x
    refuse 2 "--hidden: 'a,b' is not a list such as 2560,640" train d --vectors v -o m --hidden a,b
    refuse 2 "--hidden: at most 8 layers" train d --vectors v -o m --hidden 1,2,3,4,5,6,7,8,9
    refuse 2 "missing -o DATASET, the directory to make" features art
    refuse 2 "missing -o DIR, the folder for the page" demo
    refuse 2 "--val -0.5: a share from 0 to 1 is expected" import csv t -o x --val -0.5
    refuse 2 "--vocabulary-sizes: a list such as 1000,10000,all is expected" analyze tags.txt --vectors v.txt -o s --vocabulary-sizes ""
    refuse 2 "--lambdas: fewer than 100 values" analyze tags.txt --vectors v.txt -o s --lambdas "$(seq -s, 1 100)"
    refuse 2 "--undo knows where the tags went: leave out --embed" write -c c --undo --embed
    refuse 2 "pictures and tags come from --from f: leave out 'x'" accept x y --from f
    refuse 2 "--html v.txt: this file is no page of HTML, and is not replaced" find red --html v.txt -c none
}

case_contradictions_are_refused() {
    refuse 2 "--json and --format exclude each other" tag m.f0t d --format csv --json
    refuse 2 "--json and --format exclude each other" tag m.f0t d --json --format=text
    refuse 2 "--xmp and --embed exclude each other" tag m.f0t d --xmp --embed
    refuse 2 "--any-space needs --vocab" tag m.f0t d --any-space
    refuse 2 "--json and --format exclude each other" eval d --vectors v --json --format markdown
    refuse 2 "--no-tune and --trials exclude each other" eval d --vectors v --no-tune --trials 4
    refuse 2 "--no-tune and --budget exclude each other" eval d --vectors v --no-tune --budget 4
    refuse 2 "--budget needs a number of seconds above zero" eval d --vectors v --budget 0
    # Many of one letter are no more than one.
    run 2 tag -qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq
    warns "missing operand: MODEL"
}

case_options_with_another_name_now_are_told() {
    local verb
    for verb in "train d" "features d" "eval d"; do
        refuse 2 "'--precision': it is --arithmetic now" $verb --precision bf16
        refuse 2 "'--precision': it is --arithmetic now" $verb --precision=bf16
    done
    # There it is a share of right tags.
    refuse 2 "--precision: 'bf16' is not a number; what took it is --arithmetic now" tag m d --precision=bf16
    for verb in "train d" "tag m d" "features d" "eval d"; do
        refuse 2 "'half' is not one of f32|bf16" $verb --arithmetic half
    done
    refuse 2 "there is no option '--precision'; " inspect d --precision bf16
}

case_options_may_be_shortened_where_it_is_clear_which() {
    refuse 2 "--arithmetic: 'half' is not one of f32|bf16" train d --arith half
    refuse 2 "--arithmetic: 'half' is not one of f32|bf16" train d --arith=half
    refuse 2 "'--c' may be --count or --calibration" quantize n.onnx --c 3
    refuse 2 "there is no option '--countt'" quantize n.onnx --countt 3
    refuse 2 "there is no option '--'" quantize n.onnx --=3
    run 0 quantize --he
    says "make a network of eight bits"
}

run_cases
