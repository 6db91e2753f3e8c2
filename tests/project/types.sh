#!/usr/bin/env bash
# A type name means one thing in all of the library.
. "$(dirname "$0")/../cli/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)

# doubles FOLDER…: a line for each name that is defined in two files.
doubles() {
    /usr/bin/python3 "$root/tests/project/type_names.py" "$@"
}

case_every_type_name_is_defined_once() {
    local found
    found=$(cd "$root" && doubles src include) || complain "$found"
}

case_a_name_with_two_meanings_is_found() {
    mkdir a b
    printf 'typedef struct f0t_one f0t_one; /* typedef int f0t_two; */\n' >a/a.h
    printf 'struct f0t_one {\n    int i;\n};\ntypedef struct own {\n    int i;\n} own;\n' >a/a.c
    printf '#define X typedef int f0t_one;\ntypedef struct f0t_one f0t_one;\ntypedef int (*f0t_two)(int);\n' >b/b.h
    printf 'typedef enum own { OWN } own;\nstatic int f(void)\n{\n    return 0;\n}\n' >b/b.c
    [ -z "$(doubles a b)" ] || complain "names that mean one thing were refused: $(doubles a b)"
    printf 'typedef union f0t_two {\n    struct f0t_one *one;\n} f0t_two;\n' >>a/a.c
    printf 'typedef unsigned f0t_one;\ntypedef int f0t_pair[2];\n' >>b/b.c
    printf 'extern int x;\n#ifdef __cplusplus\nextern "C" {\n#endif\ntypedef float f0t_pair;\n#ifdef __cplusplus\n}\n#endif\n' >>a/a.h
    [ "$(doubles a b | cut -d' ' -f1 | paste -sd' ')" = "f0t_one f0t_pair f0t_two" ] ||
        complain "three names mean two things, found: $(doubles a b)"
}

run_cases
