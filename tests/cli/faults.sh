#!/usr/bin/env bash
# fast0tag serve when something breaks under it: tests/server/faults.py, whose cases are told one by one.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")/../server" && pwd)

case_faults() {
    make_catalogue
    cp -r art more
    colour=green draw more/one.svg lake # with this one a model has three tags
    colour=green draw more/two.svg lake
    run 0 train more --vectors v.txt -o three.f0t --epochs 2
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here /usr/bin/python3 "$here/faults.py" || case_failed=1
}

run_cases
