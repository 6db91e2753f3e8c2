#!/usr/bin/env bash
# Several processes under mpirun: the same results as one process gives, and one clear line where they cannot work together.
. "$(dirname "$0")/lib.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
export OMPI_MCA_odls_base_sigkill_timeout=0 # where one fails, the others are ended at once: else mpirun gives them a second
quick="--method net --keep-tags --batch 7 --epochs 4 -q"

# Whether several processes can be started here; else the case is skipped.
can_join() {
    if [ -n "$hung" ]; then
        complain "not tried, for this did not end: $hung"
        return 1
    elif ! command -v mpirun >/dev/null; then
        skip "there is no mpirun here (openmpi-bin)"
        return 1
    elif [ ! -e "$(dirname "$FAST0TAG")/fast0tag-mpi.so" ]; then
        skip "this build has no module of Open MPI (libopenmpi-dev, gcc, no sanitizer)"
        return 1
    fi
}

# start ARGUMENTS…: mpirun, which says nothing of its own, and ends on the busiest of machines. Where it does not, that is told
# whatever the case looks at, and the others are not tried: the limit of all of them together would end the script without a word.
limit=240 hung=
exec 3>&2
start() {
    local code
    timeout -k 10 $limit mpirun -q --oversubscribe "$@" </dev/null
    code=$?
    # Where a process ends while it joins, Open MPI 4.1's mpirun itself may crash: once more, then.
    if [ $code = 139 ] && grep -q "PMIX ERROR: UNREACHABLE" "$err"; then
        timeout -k 10 $limit mpirun -q --oversubscribe "$@" </dev/null 2>"$err"
        code=$?
    fi
    if [ $code = 124 ] || [ $code = 137 ]; then
        hung="mpirun $*"
        echo "  did not end within $limit s: $hung" >&3
        case_failed=1
    fi
    return $code
}

# together CODE PROCESSES ARGUMENTS…: as `run`, under mpirun.
together() {
    local want=$1 count=$2 got
    shift 2
    start -n "$count" "$FAST0TAG" "$@" >"$out" 2>"$err" </dev/null
    got=$?
    [ "$got" = "$want" ] || complain "$count processes, fast0tag $*: exit $got, wanted $want: $(head -c 400 "$err")"
}

# each.sh runs fast0tag in here/ as the first process, in there/ as any other.
write_each() {
    cat >each.sh <<EOF2
cd \$([ \$OMPI_COMM_WORLD_RANK = 0 ] && echo here || echo there) && exec "$FAST0TAG" "\$@"
EOF2
}

# Open MPI's own programs may have words of theirs, behind a bracket, when a process ends before it has joined.
one_line() {
    sed -i '/^\[/d' "$err"
    [ "$(wc -l <"$err")" = 1 ] || complain "stderr is not one line: $(head -c 400 "$err")"
    warns "$1"
}

# alike ONE OTHER MOST: the arrays of two models differ by MOST at most.
alike() {
    /usr/bin/python3 - "$@" <<'PY' || complain "$1 and $2 are not alike"
import json, struct, sys
def arrays(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    for name, a in json.loads(data[8:8 + size]).items():
        if name != "__metadata__" and a["dtype"] == "F32":
            begin, end = (8 + size + x for x in a["data_offsets"])
            yield name, struct.unpack("<%df" % ((end - begin) // 4), data[begin:end])
one, other = dict(arrays(sys.argv[1])), dict(arrays(sys.argv[2]))
most, what = max((max((abs(x - y) for x, y in zip(one[n], other[n])), default=0), n) for n in one)
print("  %s differs by %g" % (what, most), file=sys.stderr) if most > float(sys.argv[3]) else None
sys.exit(one.keys() != other.keys() or most > float(sys.argv[3]))
PY
}

case_two_and_four_processes_train_the_model_of_one() {
    local method n
    can_join || return
    make_collection
    for method in net linear-rank; do
        run 0 train photos --vectors vectors.txt -o one --method $method --keep-tags --batch 7 --epochs 4 -q
        for n in $([ $method = net ] && echo 2) 4; do
            together 0 $n train photos --vectors vectors.txt -o many --method $method --keep-tags --batch 7 --epochs 4 -q
            says "many: $method"
            [ "$(wc -l <"$out")" = 1 ] || complain "more than one process speaks: $(cat "$out")"
            alike one many 1e-5
        done
    done
    together 0 4 train photos --vectors vectors.txt -o few --method net --keep-tags --batch 2 --epochs 2 -q
    run 0 train photos --vectors vectors.txt -o one --method net --keep-tags --batch 2 --epochs 2 -q
    alike one few 1e-5
}

case_gradients_may_travel_as_bfloat16() {
    can_join || return
    make_collection
    run 0 train photos --vectors vectors.txt -o one $quick
    together 0 2 train photos --vectors vectors.txt -o many $quick --wire bf16
    alike one many 1e-3
    ! cmp -s one many || complain "nothing was rounded"
}

# Where memory cannot be shared, gradients and weights travel: the same bytes, rounded or not.
case_memory_in_common_and_messages_give_the_same_model() {
    local wire shim=$BUILD/tests/faults.so first options="--method net --keep-tags --hidden 256,128 --batch 7 --epochs 3"
    can_join || return
    [ -e "$shim" ] || { skip "no faults.so" && return; }
    first=$(dirname "$0")/../faults/first
    make_collection
    for wire in f32 bf16; do
        together 0 3 train photos --vectors vectors.txt -o common $options --wire $wire
        warns "each sent 0.00 MB per step"
        SHIM=$shim F0T_FAULT=memory:1+:EMFILE start -n 3 "$first" "$FAST0TAG" train photos --vectors vectors.txt -o sent \
            $options --wire $wire >"$out" 2>"$err" </dev/null || complain "by messages: $(head -c 400 "$err")"
        warns "each sent 0.$([ $wire = f32 ] && echo 19 || echo 14) MB per step"
        cmp -s common sent || complain "the models differ with --wire $wire"
    done
}

case_closed_forms_and_blends_are_the_same_too() {
    can_join || return
    make_collection
    run 0 train photos --vectors vectors.txt -o one --method linear --keep-tags -q
    together 0 2 train photos --vectors vectors.txt -o many --method linear --keep-tags -q
    alike one many 1e-4
    run 0 train photos --vectors vectors.txt -o one --epochs 2 --keep-tags -q
    together 0 2 train photos --vectors vectors.txt -o many --epochs 2 --keep-tags -q
    alike one many 1e-4
}

# same_tags ONE OTHER WHOSE: alike, but for the last digits of scores. Products of other numbers of rows round otherwise on
# some CPUs.
same_tags() {
    paste "$1" "$2" | awk -F '\t' -v whose="$3" '
        function far(a, b) { return a ~ /^-?[0-9.e-]+$/ && b ~ /^-?[0-9.e-]+$/ ? (a - b) ^ 2 > 1e-12 : a != b }
        { n = split($1, a, /[,: ]+/); if (n != split($2, b, /[,: ]+/)) exit bad = 1
          for (i = 1; i <= n; i++) if (far(a[i], b[i])) exit bad = 1 }
        END { if (bad || !NR) print whose " differ: line " NR ": " $1 " and " $2; exit bad || !NR }' || complain "$3 differ"
}

case_tags_come_once_and_in_order() {
    local format
    can_join || return
    make_collection
    run 0 train photos --vectors vectors.txt -o model $quick
    for format in text csv; do
        run 0 tag model photos -k 3 --format $format
        cp "$out" one
        together 0 3 tag model photos -k 3 --format $format
        same_tags one "$out" "three processes' tags as $format"
    done
    run 0 tag model photos --json
    cp "$out" one
    together 0 2 tag model photos --json
    same_tags one "$out" "two processes' tags as JSON"
    together 2 2 tag model -
    one_line "standard input is for one process"
    # a row that nobody can rank
    printf '\0\0\300\177' | dd of=photos/features.npy bs=1 seek=1900 conv=notrunc 2>/dev/null
    together 3 2 tag model photos
    one_line "is NaN"
}

case_pictures_that_cannot_be_read_are_reported_once() {
    local i
    can_join || return
    make_collection
    for i in 1 2 3 4 5 6; do colour=red draw "pictures/$i.svg" cat; done
    colour=blue draw pictures/7.svg dog
    echo "no picture" >pictures/8.png
    run 0 train pictures --vectors vectors.txt -o model --method linear --keep-tags -q
    run 0 tag model pictures -k 1 -q
    cp "$out" one
    cp "$err" one.err
    together 0 2 tag model pictures -k 1 -q
    cmp -s one "$out" || complain "two processes' tags differ: $(diff one "$out" | head -5)"
    cmp -s one.err "$err" || complain "two processes' warnings differ: $(diff one.err "$err" | head -5)"
}

case_features_are_those_of_one_process() {
    local i n
    can_join || return
    for i in $(seq 9); do colour=red draw "pictures/$i.svg" cat; done
    colour=blue draw pictures/10.svg dog
    echo "no picture" >pictures/8.png
    run 0 features pictures -o one -q --name photos
    cp "$out" one.out
    cp "$err" one.err
    for n in 2 4; do
        together 0 $n features pictures -o many -q --name photos --no-cache
        diff -r one many >/dev/null || complain "$n processes' dataset differs: $(diff -r one many | head -3)"
        sed 's/^many /one  /' "$out" | cmp -s one.out - || complain "$n processes say: $(cat "$out")"
        cmp -s one.err "$err" || complain "$n processes' warnings differ: $(diff one.err "$err" | head -5)"
        [ ! -e many.part ] || complain "many.part was left"
        rm -r many
    done
    together 2 2 import photos pictures -o many
    one_line "start it without mpirun"
}

# Whoever comes upon which of them first.
case_strict_names_the_first_bad_picture() {
    local i
    can_join || return
    for i in $(seq 10 40); do echo "no picture" >"$(mkdir -p bad && echo "bad/$i.png")"; done
    for i in 1 2 3; do
        together 3 3 features bad -o many --strict -q --no-cache
        one_line "bad/10.png: "
    done
}

# same_results ONE OTHER: but for what they took.
same_results() {
    /usr/bin/python3 - "$@" <<'PY' || complain "$1 and $2 differ"
import json, sys
def numbers(x, name=""):
    if isinstance(x, (dict, list)):
        for key, value in x.items() if isinstance(x, dict) else enumerate(x):
            if not str(key).endswith("_s"):
                yield from numbers(value, "%s/%s" % (name, key))
    else:
        yield name, x
one, other = (dict(numbers(json.load(open(path)))) for path in sys.argv[1:])
different = [name for name in one if one[name] != other.get(name) and
             not (isinstance(one[name], float) and abs(one[name] - (other.get(name) or 0)) < 1e-6)]
print("  %d differ, %s the first" % (len(different), different[0]), file=sys.stderr) if different else None
sys.exit(one.keys() != other.keys() or len(different) > 0)
PY
}

# Two processes take whole methods, four learn these three together.
case_methods_are_compared_as_by_one_process() {
    local n methods="--methods cca,fasttag,tagprop --scenarios conventional --trials 2"
    can_join || return
    make_collection
    run 0 eval photos --vectors vectors.txt $methods --json
    cp "$out" one
    for n in 2 4; do
        together 0 $n eval photos --vectors vectors.txt $methods --json --results kept
        same_results one "$out"
        warns "fasttag: MiAP conventional"
        [ "$(wc -l <kept)" = 4 ] || complain "$n processes' file has $(wc -l <kept) lines"
        mv kept kept.$n
    done
    together 0 2 eval photos --vectors vectors.txt $methods --json --results kept.4
    warns "kept.4: 3 of 3 results are there"
    same_results one "$out"
    together 2 2 eval photos --vectors vectors.txt --tasks tasks
    one_line "start it without mpirun"
}

# The second process as on another machine, whose kernel has no sandbox.
case_a_machine_without_a_sandbox_says_so() {
    local i
    can_join || return
    make_collection
    for i in $(seq 23); do colour=red draw "pictures/$i.svg" cat; done
    colour=blue draw pictures/24.svg dog
    run 0 train pictures --vectors vectors.txt -o model --method linear --keep-tags -q
    run 0 tag model pictures -k 1 -q
    if grep -q "without a sandbox" "$err"; then
        skip "this kernel has no Landlock or no seccomp"
        return
    elif [ ! -x "$BUILD/tests/old_kernel" ]; then
        skip "tests/old_kernel is not built"
        return
    fi
    cat >each.sh <<EOF2
[ \$OMPI_COMM_WORLD_RANK = 0 ] && exec "$FAST0TAG" "\$@"
export OMPI_COMM_WORLD_LOCAL_RANK=0
exec "$BUILD/tests/old_kernel" "$FAST0TAG" "\$@"
EOF2
    start -n 2 bash each.sh tag model pictures -k 1 -q --no-cache >"$out" 2>"$err" ||
        complain "it failed: $(head -c 400 "$err")"
    one_line "pictures were decoded without a sandbox"
}

case_what_one_process_must_do_is_refused() {
    can_join || return
    make_collection
    together 3 2 train photos --vectors vectors.txt -o model $quick --pairs batch
    one_line "start it without mpirun"
    together 2 2 train photos --vectors vectors.txt -o model $quick --tune 5
    one_line "start it without mpirun"
    together 2 2 inspect vectors.txt
    one_line "start it without mpirun"
    together 2 2 train photos --vectors vectors.txt -o model --nonsense
    one_line "there is no option '--nonsense'"
    [ ! -e model ] || complain "a model was written"
}

case_an_error_of_one_process_ends_all() {
    can_join || return
    make_collection
    mkdir here there
    mv photos here/photos
    write_each
    start -n 3 bash each.sh train photos --vectors ../vectors.txt -o model $quick >"$out" 2>"$err"
    [ $? = 3 ] || complain "the exit code is not 3"
    one_line "of 3: photos: No such file or directory" # whichever of both was the first
}

case_only_the_first_process_needs_a_place_for_the_model() {
    can_join || return
    make_collection
    mkdir -p here/models there
    write_each
    start -n 2 bash each.sh train ../photos --vectors ../vectors.txt -o models/one \
        --log models/log $quick >"$out" 2>"$err" || complain "it failed: $(head -c 400 "$err")"
    [ -s here/models/one ] || complain "there is no model"
    [ -z "$(ls there)" ] || complain "another process has written: $(ls there)"
}

case_another_dataset_or_command_is_refused() {
    can_join || return
    make_collection
    mkdir here there
    mv photos here/photos
    cp -r here/photos there/photos
    printf 'x' | dd of=there/photos/features.npy bs=1 seek=130 conv=notrunc 2>/dev/null
    write_each
    start -n 2 bash each.sh train photos --vectors ../vectors.txt -o model $quick >"$out" 2>"$err"
    [ $? = 3 ] || complain "the exit code is not 3"
    one_line "the dataset of process 1 is not that of process 0"
    start -n 1 "$FAST0TAG" train here/photos --vectors vectors.txt -o model $quick : \
        -n 1 "$FAST0TAG" train here/photos --vectors vectors.txt -o model $quick --rate 0.1 >"$out" 2>"$err"
    one_line "the command of process 1 is not that of process 0"
}

case_another_model_or_input_is_not_tagged() {
    local where
    can_join || return
    make_collection
    run 0 train photos --vectors vectors.txt -o model $quick
    for where in here there; do
        mkdir $where
        cp -r photos model $where
    done
    write_each
    run 0 train photos --vectors vectors.txt -o there/model $quick --seed 2
    start -n 2 bash each.sh tag model photos >"$out" 2>"$err"
    [ $? = 3 ] || complain "the exit code is not 3"
    one_line "the model of process 1 is not that of process 0"
    cp model there/model
    printf 'x' | dd of=there/photos/features.npy bs=1 seek=130 conv=notrunc 2>/dev/null
    start -n 2 bash each.sh tag model photos >"$out" 2>"$err"
    [ $? = 3 ] || complain "the exit code is not 3"
    one_line "the input of process 1 is not that of process 0"
    [ ! -s "$out" ] || complain "something was tagged: $(head -3 "$out")"
}

# Where a process cannot learn, the model of another training stays.
case_a_model_is_replaced_when_all_have_learned_theirs() {
    local where
    can_join || return
    make_collection
    run 0 train photos --vectors vectors.txt -o old $quick --seed 2
    for where in here there; do
        mkdir $where
        cp -r photos $where
        cp old $where/model
    done
    printf '\0\0\300\177' | dd of=there/photos/features.npy bs=1 seek=160 conv=notrunc 2>/dev/null # of a row that is not compared
    write_each
    start -n 2 bash each.sh train photos --vectors ../vectors.txt -o model $quick >"$out" 2>"$err"
    [ $? = 3 ] || complain "the exit code is not 3"
    one_line "process 1 of 2: "
    warns "NaN"
    cmp -s old here/model || complain "the old model was replaced"
}

# As under the mpirun of another Open MPI, whose processes do not find each other.
case_processes_that_are_not_together_do_nothing() {
    can_join || return
    make_collection
    OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 run 3 train photos --vectors vectors.txt -o model $quick
    one_line "is process 0 of 2 by mpirun, and 0 of 1 by the Open MPI"
    [ ! -e model ] || complain "a model was written"
}

# Versions, limits of messages and how a run ends, between two processes of the module's own test.
case_the_module_keeps_its_word() {
    local process
    can_join || return
    if [ ! -x "$BUILD/tests/unit_mpi" ]; then
        skip "tests/unit_mpi is not built"
        return
    fi
    # What two say at once may be mixed within a line. The last case is a run that fails: mpirun ends the others when the first has
    # ended, so that none does before both have said how it went.
    cat >each.sh <<'EOF2'
"$@" >"process$OMPI_COMM_WORLD_RANK" 2>&1
for i in $(seq 600); do
    [ "$(cat process? | grep -c "PASSED.* test\|FAILED.* test")" -lt 2 ] || break
    sleep 0.1
done
exit 1
EOF2
    start -n 2 bash each.sh "$BUILD/tests/unit_mpi" module >"$out" 2>"$err"
    for process in process0 process1; do
        grep -q "PASSED.* 10 test" $process || complain "not all cases passed in $process: $(grep -a "FAILED\|ERROR\|SKIPPED" $process | head -5)"
    done
}

# A training that lasts until it is stopped, and the first of its files.
long="--method net --keep-tags --batch 7 --epochs 20000000 --patience 20000000 --log log"
begin_long() {
    mpirun -q --oversubscribe --timeout 300 -n "$1" "$FAST0TAG" train photos --vectors vectors.txt -o model $long "${@:2}" >"$out" 2>"$err" &
    started=$!
    while kill -0 "$started" 2>/dev/null; do # mpirun ends by itself when its time is over
        if [ -s log ]; then return; fi
        sleep 0.1
    done
    complain "the training did not begin: $(head -c 400 "$err")"
}

# The exit code of that training. mpirun has a limit of its own, and may itself be what does not end: then that is told.
end_long() {
    local i
    for ((i = 0; i < 10 * limit; i++)); do
        kill -0 "$started" 2>/dev/null || break # bash has taken its exit code
        sleep 0.1
    done
    if kill -0 "$started" 2>/dev/null; then
        hung="a training that was told to end"
        complain "did not end within $limit s: $hung: $(ps -o pid,stat,wchan:20,args --ppid "$started" | head -c 600)"
        pkill -KILL -P "$started"
        kill -KILL "$started"
    fi
    wait "$started"
}

case_stopped_by_one_process_and_resumed_with_another_number() {
    can_join || return
    make_collection
    begin_long 2
    kill -TERM "$(pgrep -P "$started" -x fast0tag | tail -1)"
    end_long && complain "an interrupted training succeeded"
    warns "with resume, the same training goes on from there"
    [ -e model.checkpoint ] || complain "there is no checkpoint"
    cp model.checkpoint before
    mv log log.before
    begin_long 3 --resume
    /usr/bin/python3 -c 'import json
old = [json.loads(l) for l in open("log.before")][-1]["epoch"]
new = [json.loads(l) for l in open("log")][0]["epoch"]
assert old <= new <= old + 2, (old, new)' || complain "it did not go on where it had stopped"
    kill -TERM "$(pgrep -P "$started" -x fast0tag | tail -1)"
    end_long
}

case_a_killed_process_ends_the_run() {
    local code
    can_join || return
    make_collection
    OMPI_MCA_odls_base_sigkill_timeout=1 begin_long 2
    kill -KILL "$(pgrep -P "$started" -x fast0tag | tail -1)"
    end_long
    code=$?
    [ $code != 0 ] || complain "a run without one of its processes succeeded"
    [ $code != 110 ] || complain "the run goes on without one of its processes" # ETIMEDOUT
    [ ! -e model ] || complain "a model was written"
}

# One process's n-th call of Open MPI fails, once and for ever: one line, one end, and no model.
case_a_call_that_fails_ends_the_run() {
    local fault shim=$BUILD/tests/faults.so
    can_join || return
    [ -e "$shim" ] || { skip "no faults.so" && return; }
    make_collection
    for fault in 1 2 5 6 9 1+ 7+; do
        SHIM=$shim F0T_FAULT=mpi:$fault:EIO start -n 2 "$(dirname "$0")/../faults/first" "$FAST0TAG" train photos --vectors vectors.txt -o model $quick \
            >"$out" 2>"$err" </dev/null
        [ $? = 1 ] || complain "mpi:$fault: not exit 1: $(head -c 400 "$err")"
        one_line "Open MPI: MPI_"
        [ ! -e model ] || complain "mpi:$fault: a model was written"
    done
    SHIM=$shim F0T_FAULT=mpi:1:EIO start -n 2 "$(dirname "$0")/../faults/first" "$FAST0TAG" train photos --vectors vectors.txt -o model $quick 2>"$err"
    one_line "Open MPI: MPI_Init_thread failed"
    # Of the second one, also where it cannot tell the first.
    for fault in mpi:1 mpi:9 MPI_Igather:1; do
        SHIM=$shim F0T_FAULT_RANK=1 F0T_FAULT=$fault:EIO start -n 2 "$(dirname "$0")/../faults/first" "$FAST0TAG" train photos --vectors vectors.txt \
            -o model $quick >"$out" 2>"$err" </dev/null
        [ $? = 1 ] || complain "second process, $fault: not exit 1: $(head -c 400 "$err")"
        one_line "Open MPI: MPI_"
        [ ! -e model ] || complain "second process, $fault: a model was written"
    done
    # Of what the processes agree by: the second one waits for an answer that does not come.
    for fault in 4 5 6; do
        SHIM=$shim F0T_FAULT=MPI_Ibcast:$fault:EIO start -n 2 "$(dirname "$0")/../faults/first" "$FAST0TAG" train photos --vectors vectors.txt -o model \
            $quick >"$out" 2>"$err" </dev/null
        [ $? = 1 ] || complain "MPI_Ibcast:$fault: not exit 1: $(head -c 400 "$err")"
        warns "Open MPI: MPI_Ibcast failed"
    done
}

case_a_missing_module_is_named() {
    command -v mpirun >/dev/null || { skip "there is no mpirun here (openmpi-bin)"; return; }
    F0T_MPI=$scratch/none.so together 3 2 train photos --vectors v.txt -o model
    warns "the module of Open MPI cannot be loaded"
}

run_cases
