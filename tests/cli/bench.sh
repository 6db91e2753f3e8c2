#!/usr/bin/env bash
# Measuring: the form of the results. How fast it is here is not tested.
. "$(dirname "$0")/lib.sh"

case_products_are_measured_beside_each_peer() {
    run 0 bench matmul --quiet --only "1000x925x300 f32 x*W'" --json
    json_holds 'len(d) == 5 and {r["peer"] for r in d if not r["case"].endswith("packed")} == {
        "oneDNN matmul", "oneDNN inner product", "OpenBLAS"}'
    json_holds 'all(list(r) == ["bench", "case", "value", "unit", "peer", "peer_value", "ratio"]
        for r in d)'
    json_holds 'all(r["bench"] == "matmul" and r["unit"] == "GFLOP/s" and r["value"] > 0 and
        abs(r["ratio"] * r["peer_value"] / r["value"] - 1) < 1e-6 for r in d)'
}

case_a_table_is_for_people() {
    run 0 bench matmul --quiet --only "1000x925x300 f32 dy*W"
    says "oneDNN inner product"
    says "ratio"
}

case_without_a_peer_its_fields_are_null() {
    run 0 bench kernels --quiet --only rows --json
    says '"peer": null'
    says '"ratio": null'
}

case_losses_are_measured() {
    run 0 bench loss --quiet --only "max-out" --json
    json_holds 'len(d) == 1 and d[0]["unit"] == "images/s" and d[0]["value"] > 0'
    run 0 bench loss --quiet --only "across the batch"
    says "images/s"
    run 0 bench loss --quiet --only MiAP
    says "images/s"
}

case_rankings_are_measured_beside_what_memory_can_do() {
    run 0 bench rank --quiet --only "1 in 20000" --json
    json_holds 'len(d) >= 2 and {"the plain product", "reading its codes"} <= {r["peer"] for r in d}'
    json_holds 'all(r["unit"] == "rankings/s" and r["value"] > 0 for r in d)'
}

case_the_descriptor_and_its_steps_are_measured() {
    run 0 bench descriptor --quiet --only "171x128" --json
    json_holds 'len(d) == 1 and d[0]["unit"] == "pictures/s" and d[0]["value"] > 0'
    run 0 bench descriptor --quiet --only step
    says "Fisher vector"
}

case_a_training_step_is_measured_also_without_its_peer() {
    run 0 bench train --only "4096-300" --json
    warns "no bench/train_peer.py here"
    json_holds 'len(d) == 1 and d[0]["unit"] == "images/s" and d[0]["value"] > 0'
    json_holds 'd[0]["peer"] == "its products alone" and 0 < d[0]["ratio"] < 2'
}

case_ranking_svms_are_measured_also_without_their_peer() {
    run 0 bench ranksvm --only "squared hinge, lambda 1, 1 of" --json
    warns "no bench/ranksvm_peer.py here"
    json_holds 'len(d) == 1 and d[0]["unit"] == "rules/s" and d[0]["value"] > 0'
    json_holds 'd[0]["peer"] is None and d[0]["ratio"] is None'
    F0T_DATA= run 0 bench ranksvm --only "squared hinge, lambda 1, 1 of"
    warns "random vectors take their place"
    says "1 of 925 random vectors"
}

case_backbones_are_measured_also_without_their_peers() {
    F0T_DATA= run 3 bench backbone --only "mobilenet_v2 f32"
    warns "no mobilenet_v2 to measure"
    [ -n "${F0T_DATA:-}" ] || return 0
    run 0 bench backbone --threads 2 --only "mobilenet_v2 f32" --json
    json_holds 'len(d) == 4 and all(r["unit"] == "pictures/s" and r["value"] > 0 for r in d)'
}

# A peer that needs a file of ours is left out with a word where that cannot be written, and nothing is written elsewhere.
case_without_a_place_for_files_peers_are_missed() {
    mkdir bench
    printf '%s\n' 'import sys' 'print("ready none", flush=True)' 'for line in sys.stdin: print("done", flush=True)' >bench/ranksvm_peer.py
    printf '%s\n' 'import sys' 'open("asked", "a").write(sys.argv[3] + "\n")' 'print("ready")' >bench/backbone_peer.py
    F0T_DATA= run 0 bench ranksvm --only "squared hinge, lambda 1, 1 of" --json
    json_holds 'd[0]["peer"] == "none" and d[0]["ratio"] > 0'
    F0T_DATA= TMPDIR=$PWD/none run 0 bench ranksvm --only "squared hinge, lambda 1, 1 of" --json
    json_holds 'd[0]["peer"] is None'
    warns "none: No such file or directory: measuring without bench/ranksvm_peer.py"
    F0T_DATA= TMPDIR=$PWD/none run 1 bench backbone --only "mobilenet_v2 f32"
    warns "cannot make a folder in $PWD/none: No such file or directory"
    [ ! -e asked ] || complain "the peer was asked to write $(cat asked)"
    long=$PWD/a-folder-whose-name-is-longer-than-forty-bytes
    mkdir "$long"
    F0T_DATA= TMPDIR=$long run 3 bench backbone --only "mobilenet_v2 f32"
    grep -q "^$long/" asked || complain "the network is not asked for in $long: $(cat asked)"
    [ -z "$(ls "$long")" ] || complain "something is left there: $(ls "$long")"
}

case_a_name_that_fits_no_case_is_refused() {
    refuse 2 "no case's name contains 'nothing'" bench matmul --only nothing
    refuse 2 "no case's name contains 'nothing'" bench kernels --only nothing
}

run_cases
