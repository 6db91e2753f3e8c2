#!/usr/bin/env bash
# The commands of docs/getting-started.md and docs/reproducing.md, with an installation.
. "$(dirname "$0")/../cli/lib.sh"
. "$(dirname "$0")/../documents/lib.sh" || exit 1
prefix=$scratch/prefix
cmake --install "$BUILD" --prefix "$prefix" >"$out" 2>&1 || { cat "$out" && exit 1; }
libdir=$(dirname "$(find "$prefix" -name libfast0tag.a)")
export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
export PYTHONPATH=$root/bindings/python PYTHONDONTWRITEBYTECODE=1

case_getting_started() {
    make_reader
    run_sh=1 run_document "$root/docs/getting-started.md" needed
}

case_the_papers_experiments() {
    /usr/bin/python3 "$root/tests/python/researcher.py" . 2>"$err" || complain "$(cat "$err")"
    run_sh=1 run_document "$root/docs/reproducing.md" needed
    [ -s table2/index.html ] || complain "there is no page of table 2"
}

run_cases
