#!/usr/bin/env bash
# NULL where a public function needs something.
. "$(dirname "$0")/../cli/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)

case_null_is_refused_by_every_public_function() {
    /usr/bin/python3 "$root/tests/project/nulls.py" "$root/include" >nulls.c || complain "no program was written"
    cc -w -I"$root/include" nulls.c -o nulls -L"$BUILD" -lfast0tag-tools -lfast0tag -Wl,-rpath,"$BUILD" 2>"$err" ||
        complain "$(head -c 1000 "$err")"
    timeout 60 ./nulls >"$out" 2>&1 || complain "$(head -c 4000 "$out")"
    [ "$(grep -oE '^[0-9]+ calls' "$out" | cut -d' ' -f1)" -ge 100 ] || complain "too few calls: $(tail -n 1 "$out")"
}

run_cases
