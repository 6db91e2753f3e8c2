#!/usr/bin/env bash
# Every #include against the table of src/README.md: a part uses only what stands in its row, and the
# program only the public headers.
. "$(dirname "$0")/../cli/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)

# wrong_arrows ROOT: one line per include that may not be.
wrong_arrows() {
    (cd "$1" && find src cli server -name '*.[ch]' | sort | xargs awk -v table=src/README.md '
        BEGIN {
            while ((getline line < table) > 0)
                if (split(line, cell, / *\| */) >= 4 && cell[2] ~ /^[a-z0-9]+$/)
                    allowed[cell[2]] = " " cell[2] " " cell[4] " "
        }
        # The bench verb measures the parts themselves.
        FILENAME ~ /^cli\/(cmd_)?bench[a-z0-9_]*\.[ch]$/ { next }
        /^[ \t]*#[ \t]*include[ \t]*"/ {
            split($0, quoted, "\"")
            to = quoted[2]
            n = split(FILENAME, from, "/")
            if (to ~ /^fast0tag(_tools)?\.h$/)
                next
            if (from[1] == "cli" && to !~ /\// && system("test -e cli/" to) == 0)
                next
            if (from[1] == "server" && to !~ /\// && system("test -e server/" to) == 0)
                next
            if (FILENAME == "cli/cmd_serve.c" && to == "server.h")
                next
            if (from[1] == "src" && n >= 3 && split(to, parts, "/") >= 2 &&
                index(allowed[from[2]], " " parts[1] " "))
                next
            print FILENAME ":" FNR ": may not include \"" to "\""
        }')
}

case_every_include_is_an_arrow_of_the_table() {
    local wrong
    wrong=$(wrong_arrows "$root")
    [ -z "$wrong" ] || complain "$wrong"
}

case_every_part_has_one_row() {
    local part
    for part in "$root"/src/*/; do
        part=$(basename "$part")
        [ "$(grep -c "^| $part |" "$root/src/README.md")" = 1 ] ||
            complain "src/README.md has not one row for $part"
    done
}

# parts LIBRARY: those that src/README.md has in its table.
parts() {
    awk -F ' *[|] *' -v library="## $1:" '
        /^## / { inside = index($0, library) == 1 }
        inside && $2 ~ /^[a-z0-9]+$/ && $2 != "part" { print $2 }' "$root/src/README.md"
}

case_the_build_has_the_same_two_libraries() {
    local built
    built=$(sed -n 's/^set(F0T_TOOLS_PARTS \(.*\))/\1/p' "$root/CMakeLists.txt" | tr ' ' '\n' | sort)
    [ "$built" = "$(parts libfast0tag-tools | sort)" ] || complain "CMakeLists.txt has $built"
    [ "$(parts libfast0tag | wc -l)" -ge 5 ] || complain "no parts of libfast0tag were seen"
}

case_no_part_of_the_core_uses_a_tool() {
    local part tools found
    tools=$(parts libfast0tag-tools | paste -sd '|')
    for part in $(parts libfast0tag); do
        found=$(grep -rnE "#include \"(($tools)/|fast0tag_tools\.h)" "$root/src/$part")
        [ -z "$found" ] || complain "$found"
    done
}

case_a_wrong_arrow_is_found() {
    mkdir -p src/base src/io cli server
    printf '| part | what | may use |\n|---|---|---|\n| base | x | |\n| io | x | base |\n' >src/README.md
    printf '#include "base/a.h"\n#include "io/b.h"\n#include "fast0tag.h"\n' >src/io/b.c
    printf '#include "cli.h"\n' >cli/a.c
    touch cli/cli.h
    [ -z "$(wrong_arrows .)" ] || complain "right arrows were refused: $(wrong_arrows .)"
    printf '#include "io/b.h"\n' >src/base/a.c
    printf '#include "b.h"\n' >src/io/c.c
    printf '#include "io/b.h"\n' >cli/b.c
    [ "$(wrong_arrows . | wc -l)" = 3 ] || complain "3 wrong arrows, found: $(wrong_arrows .)"
}

# Its header is included in one place, which the files with products and with layers share.
case_one_place_touches_onednn() {
    local files
    files=$(grep -rlE '#include *[<"](oneapi/)?dnnl' "$root/src" || true)
    [ "$files" = "$root/src/math/onednn.h" ] || complain "oneDNN's header is in: $files"
    files=$(grep -rl '"math/onednn.h"' "$root/src" | sort | xargs -n 1 basename | paste -sd ' ')
    [ "$files" = "layers_inside.h matmul.c onednn.c" ] || complain "oneDNN is used by: $files"
    files=$(grep -rlE 'dnnl_|DNNL_' "$root/src" | sort | xargs -n 1 basename | paste -sd ' ')
    [ "$files" = "layers.c layers_between.c layers_conv.c layers_inside.h layers_own.c layout.c onednn.c onednn.h" ] || complain "oneDNN's functions are in: $files"
}

run_cases
