#!/usr/bin/env bash
# The server and its catalogue under load while things break: bench/soak.py, in little time and with pauses that leave the machine to others.
. "$(dirname "$0")/lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)

case_nothing_is_lost_under_load_and_faults() {
    PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$root/bench/soak.py" --seconds "${SECONDS_OF_LOAD:-12}" --seed 3 --clients 8 --pause 0.1 \
        --scale 0.6 --busy >"$out" 2>"$err" || complain "$(cat "$out" "$err" | head -c 6000)"
}

run_cases
