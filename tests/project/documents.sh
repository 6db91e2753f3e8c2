#!/usr/bin/env bash
# What the documents name is there: files, links, fuzz targets, options of commands.
. "$(dirname "$0")/../cli/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)

documents() {
    find "$root" -maxdepth 1 -name '*.md'
    find "$root/docs" "$root/bindings" "$root/src" -name '*.md'
}

case_every_link_leads_somewhere() {
    local document link
    while read -r document; do
        while read -r link; do
            [ -e "$(dirname "$document")/${link%%#*}" ] || complain "${document#"$root"/}: $link"
        done < <(grep -oE '\]\([^)]+\)' "$document" | sed 's/^](//; s/)$//' | grep -vE '^(https?:|#)')
    done < <(documents)
}

# docs/results.md is made of what experiments found: nobody types a number of theirs.
case_the_page_of_results_says_what_the_files_say() {
    /usr/bin/python3 "$root/scripts/results" check 2>"$err" || complain "$(cat "$err")"
}

case_every_document_is_linked_from_the_readme() {
    local document
    for document in "$root"/docs/*.md; do
        grep -qF "(docs/$(basename "$document")" "$root/README.md" ||
            complain "README.md does not name docs/$(basename "$document")"
    done
}

# Files in backquotes, with or without "NAME: what of it" after them.
case_every_file_that_a_document_names_exists() {
    local document file
    for document in paper-map security architecture; do
        while read -r file; do
            [ -e "$root/$file" ] || complain "docs/$document.md: there is no $file"
        done < <(grep -oE '`(src|include|cli|picture|tests|cmake|scripts|bindings|examples)/[^` ]*`' \
            "$root/docs/$document.md" | tr -d '`' | grep -vE 'NAME|<|\*')
    done
    [ "$(grep -cE '`(src|include)/' "$root/docs/paper-map.md")" -gt 40 ] || complain "paper-map.md: few files"
}

case_the_paper_map_has_every_equation_table_and_figure() {
    local n
    for n in 1 2 3 4 5 6; do
        grep -q "^| ($n) |" "$root/docs/paper-map.md" || complain "equation ($n)"
        grep -qE "^\| $n( |\(| left|\|)" "$root/docs/paper-map.md" || complain "figure $n"
    done
    for n in 1 2 3 3.1 3.2 3.3 4.1 4.2 4.3 5.1 5.2 5.3 6 6.1 6.2 7 8; do
        grep -qF "| $n " "$root/docs/paper-map.md" || complain "section $n"
    done
}

case_the_list_of_fuzz_targets_is_whole() {
    diff <(find "$root/tests/fuzz" -name 'fuzz_*.c' -exec basename {} .c \; | sed 's/^fuzz_//' | sort) \
        <(sed -n '/^| target |/,/^$/s/^| `\([a-z_]*\)` .*/\1/p' "$root/docs/security.md" | sort) >"$out" ||
        complain "targets (<) and docs/security.md (>): $(cat "$out")"
}

# Commands in backquotes and in blocks of sh: each option is one that the command's help names.
case_every_option_of_a_command_exists() {
    /usr/bin/python3 - "$FAST0TAG" "$root"/README.md "$root"/docs/*.md "$root"/bindings/python/README.md <<'EOF' 2>"$err" ||
import re, subprocess, sys
program, wrong, seen, helps = sys.argv[1], [], 0, {}
def help_of(words):
    for count in (2, 1):
        key = " ".join(words[:count])
        if key not in helps:
            done = subprocess.run([program, *words[:count], "-h"], capture_output=True, text=True)
            helps[key] = done.stdout if done.returncode == 0 else None
        if helps[key]:
            return helps[key]
    return None
for path in sys.argv[2:]:
    text = open(path, encoding="utf-8").read()
    blocks = "\n".join(re.findall(r"```(?:sh|console)\n(.*?)```", text, re.S))
    found = re.findall(r"(?m)^(?:[$>] )?fast0tag ((?:[a-z]+ )+[^\n]*)", blocks)
    found += [c for c in re.findall(r"`fast0tag ((?:[a-z]+ )+[^`]*)`", re.sub(r"```.*?```", "", text, flags=re.S))]
    for command in found:
        command = re.split(r" #|[|&;]", command)[0]
        words = [word for word in command.split()[:2] if re.fullmatch("[a-z]+", word)]  # no "-o -h"
        options = re.findall(r"(?<![\w-])(--[a-z][a-z0-9-]*)", command)
        known = help_of(words)
        seen += len(options)
        if known is None:
            wrong.append(f"{path}: fast0tag {command}: no such command")
            continue
        wrong += [f"{path}: fast0tag {command}: no option {o}" for o in options
                  if not re.search(re.escape(o) + r"(?![\w-])", known)]
print("\n".join(wrong), file=sys.stderr)
sys.exit(1 if wrong or seen < 50 else 0)
EOF
        complain "$(cat "$err")"
}

run_cases
