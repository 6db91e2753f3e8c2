"""Runs the program with faults of the system, one at each call that it makes, and looks at how it ends.

  run.py              some calls of each command, evenly chosen: what `make test` runs
  run.py --full       every call, once and from then on for ever
  run.py --places 2   of the calls from each place of the program, whatever the command, the first two alone
  run.py COMMAND…     these commands alone; --kinds read,write: these kinds of calls
  run.py --journal F  what was tried with which result is kept in F, and what is there without a fault found is not tried again

The program must end with its own line and exit code, or do what it was asked for as if nothing had been; files are the old
ones or the new ones, and after kill -9 the same command makes them new. tests/support/faults.c makes the calls fail.
"""
import argparse
import collections
import contextlib
import hashlib
import http.client
import json
import multiprocessing
import os
import re
import select
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

import commands

# What each kind of call is made to say: once, and from then on for ever (+).
FAULTS = {
    "write": ["ENOSPC", "EIO+", "short", "short+", "EINTR"],
    "sync": ["EIO", "EIO+"],
    "name": ["EACCES", "EIO+"],
    "open": ["EMFILE", "EACCES+"],
    "read": ["EIO", "EIO+", "short", "short+", "EINTR"],
    "map": ["ENOMEM", "ENOMEM+"],
    "stat": ["EIO", "EACCES+"],
    "path": ["EACCES", "EACCES+"],
    "folder": ["EIO", "EMFILE+"],
    "lock": ["EIO", "EIO+"],
    "close": ["EIO", "EIO+"],
    "spawn": ["EAGAIN", "EAGAIN+"],
    "thread": ["EAGAIN", "EAGAIN+"],
    "socket": ["EMFILE", "EMFILE+"],
    "talk": ["EPIPE", "EIO+", "short", "short+", "EINTR"],
    "mpi": ["EIO", "EIO+"],
    "memory": ["EMFILE", "EMFILE+"],
    "change": ["kill"],
    "any": ["kill"],  # of a helper, which writes no files
}
NO_FAULT = "any:0:EIO"  # calls are counted alone
HARMLESS = {"short", "short+", "EINTR"}
LIMIT = 300  # seconds that a command may take; the slowest needs two, where nothing else runs
SETTLED = 4  # that a file must have been as it is to be known again: src/onnx/keep.c
SILENCE = 20  # that it may take to say where it listens
PATIENCE = 3  # that a server with a fault may take to answer: it may also give no answer

# What a run leaves on purpose for the next, and what the next one makes anew.
TEMPORARY = re.compile(r"(^|/)\.fast0tag-[^/]*$|^tmp/")
LEFT = re.compile(r"(\.part|\.directions|\.lock|\.checkpoint|\.trials|-wal|-shm|-journal|\.trace|fast0tag-eval-[0-9a-f]*\.jsonl)$|"
                  r"^\.cache/|(^|/)\.fast0tag-|^tmp/")
SECONDS = re.compile(rb'"?(peer_value|ratio|tune_s|train_s|test_s|seconds|images_per_second|time|elapsed|written|saved|made)"?[:=] ?[-0-9.e"TZ:]+|[0-9.]+ (s|ms|min)\b|'
                     rb'[0-9.,]+ (images|pictures|words|rows)/s|"value": [-+0-9.e]+(?=,\s+"unit")')


# ---- What is there --------------------------------------------------------------------------------------------------


def dump(path):
    """What a catalogue says, but for times; it must be whole."""
    c = sqlite3.connect(path)
    try:
        if c.execute("pragma integrity_check").fetchone() != ("ok",):
            return "damaged"
        rows = []
        for (table,) in c.execute("select name from sqlite_schema where type = 'table' order by name").fetchall():
            names = [r[1] for r in c.execute("pragma table_info(%s)" % table)]
            # A picture's size, time and hash may be those before our tags came into it: then the next index reads it again.
            kept = [n for n in names if n not in ("bytes", "mtime", "at", "undone", "hash", "directions", "run", "seq")]
            rows.append((table, sorted(map(repr, c.execute("select %s from %s" % (",".join(kept), table))))))
        return hashlib.md5(repr(rows).encode()).hexdigest()
    except sqlite3.DatabaseError as e:
        return "no catalogue: %s" % e
    finally:
        c.close()


def checkpoint(data):
    """Where a training is and its arrays, but for the time that it took."""
    try:
        size = struct.unpack("<Q", data[:8])[0]
        head = json.loads(data[8:8 + size])
    except (ValueError, struct.error):
        return "damaged"
    head["__metadata__"].pop("seconds", None)
    return hashlib.md5(json.dumps(head, sort_keys=True).encode() + data[8 + size:]).hexdigest()


def pieces(data):
    """A kept network's, one line each: src/onnx/prepared.c."""
    header, record = struct.Struct("<8sQIIIIII"), struct.Struct("<IIQQQ")
    if len(data) < header.size:
        return "damaged"
    magic, size, _, _, key, count, checksum, _ = header.unpack_from(data)
    begin = header.size + key
    end = begin + count * record.size
    if magic != b"F0Tprep1" or size != len(data) or end > size or \
            zlib.crc32(data[:32] + bytes(4) + data[36:end]) != checksum:
        return "damaged"
    records = [record.unpack_from(data, begin + i * record.size) for i in range(count)]
    return "".join("%d %d %d %s\n" % (*r[:3], hashlib.md5(data[r[4]:r[4] + r[3]]).hexdigest()) for r in sorted(records))


def digest(path):
    if path.endswith(".f0c"):
        return dump(path)
    data = open(path, "rb").read()
    if path.endswith(".checkpoint"):
        return checkpoint(data)
    if "/network-" in path:
        return pieces(data)
    data = SECONDS.sub(b"", data)
    return data.decode() if path == "r.jsonl" else hashlib.md5(data).hexdigest()


def look(keeps=""):
    """Each file here and what is in it; also those whose names are of the form `keeps`."""
    state = {}
    for folder, _, names in os.walk("."):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), ".")
            if not LEFT.search(path) or keeps and re.search(keeps, path):
                state[path] = digest(path)
    return state


def temporaries():
    return [os.path.join(f, n) for f, _, names in os.walk(".") for n in names if TEMPORARY.search(os.path.join(f, n)[2:])]


# ---- Running --------------------------------------------------------------------------------------------------------


class Run:
    """How a command ended, and what is there then."""

    def __init__(self, code, out, err, state):
        self.code, self.out, self.err, self.state = code, SECONDS.sub(b"", out), err.decode("utf-8", "replace"), state

    def lines(self):
        return [line for line in self.err.split("\n") if line.startswith("fast0tag")]


def serve(process, command, patience):
    """Asks a server that has started some questions; it ends when it is told to. The answers to each, NUL between them."""
    answers = []
    started = select.select([process.stdout], [], [], SILENCE)[0]  # its line may be what could not be written
    line = process.stdout.readline() if started else b""
    match = re.search(rb":(\d+)/", line)
    for method, path, body in commands.REQUESTS[command.name] if match else []:
        answers.append(b"")
        for _ in range(2):  # a connection that is lost is made anew
            try:
                c = http.client.HTTPConnection("127.0.0.1", int(match[1]), timeout=patience)
                kind = "application/json" if body and body.startswith(b"{") else "image/svg+xml"
                c.request(method, path, body, {"Content-Type": kind} if body else {})
                answer = c.getresponse()
                answers[-1] += b"%d %s" % (answer.status, answer.read())
                c.close()
                break
            except (OSError, http.client.HTTPException):
                answers[-1] += b"none, " if process.poll() is None else b"ended, "
    process.send_signal(signal.SIGTERM)
    return b"\0".join(answers)


class Watch:
    """Ends a process and all that it has started when its time is over."""

    def __init__(self, process):
        self.process, self.is_late = process, False
        self.timer = threading.Timer(LIMIT, self.end)

    def __enter__(self):
        self.timer.start()
        return self

    def __exit__(self, *_):
        self.timer.cancel()

    def end(self):
        self.is_late = True
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)


class Pipe:
    """What is written to a pipe, in a file; nothing where it is not wanted."""

    def __init__(self, path, to, wanted):
        self.path, self.to, self.wanted, self.ended = path, to, wanted, False

    def __enter__(self):
        if self.wanted:
            with contextlib.suppress(FileExistsError):
                os.mkfifo(self.path)
            self.fd = os.open(self.path, os.O_RDWR | os.O_NONBLOCK)  # as a writer, too: else it would end with the first
            self.thread = threading.Thread(target=self.copy)
            self.thread.start()

    def __exit__(self, *_):
        if self.wanted:
            self.ended = True
            self.thread.join()
            os.close(self.fd)

    def copy(self):
        with open(self.to, "wb") as f:
            while select.select([self.fd], [], [], 0.1)[0] or not self.ended:
                with contextlib.suppress(BlockingIOError):
                    f.write(os.read(self.fd, 1 << 16))


class Journal:
    """What was tried of each command, one line each: command, kind of call, what it said, how often, how many were wrong."""

    def __init__(self, path):
        self.path = path
        lines = [line.split() for line in open(path)] if path and os.path.exists(path) else []
        self.last = {tuple(line[:3]): tuple(map(int, line[3:])) for line in lines}

    def has(self, *key):
        return self.last.get(key, (0, 1))[1] == 0

    def add(self, *line):
        if self.path:
            with open(self.path, "a") as f:
                f.write(" ".join(map(str, line)) + "\n")

    def sums(self):
        return tuple(sum(column) for column in zip((0, 0), *self.last.values()))


class Bench:
    """A folder where one command runs again and again."""

    def __init__(self, command, made, folder, options):
        self.command, self.made, self.folder, self.options = command, made, folder, options
        self.journal = Journal(options.journal)
        self.tried = collections.Counter()
        self.found = []
        self.cache = None  # of an earlier run

    def reset(self):
        os.chdir("/")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder + "/tmp")
        os.chdir(self.folder)
        for name in self.command.needs:
            if os.path.isdir(os.path.join(self.made, name)):
                shutil.copytree(os.path.join(self.made, name), name)
            else:
                shutil.copy2(os.path.join(self.made, name), name)
        for name in self.command.links:
            os.symlink(os.path.join(self.made, name), name)
        if self.cache:
            shutil.copytree(self.cache, ".cache")

    def words(self):
        words = [commands.PROGRAM, *self.command.arguments, "-q", "--threads", "1"]
        if self.command.processes:
            words = ["mpirun", "-q", "--oversubscribe", "-n", str(self.command.processes),
                     os.path.join(os.path.dirname(os.path.abspath(__file__)), "first"), *words]
        return words

    def run(self, fault=None, trace=False, stop=True):
        env = {**os.environ, "XDG_CACHE_HOME": self.folder + "/.cache", "XDG_DATA_HOME": self.folder, "LC_ALL": "C.UTF-8",
               "TMPDIR": self.folder + "/tmp", "LOGNAME": "ann", "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive",
               "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl": "self,vader"}
        if self.command.processes:
            env["F0T_FAULT_RANK"] = str(self.command.rank)
        if stop and self.command.stop:
            env["F0T_FAULT_STOP"] = str(self.command.stop)
            fault = fault or NO_FAULT
        if fault and self.command.helper:
            env["F0T_PICTURE"] = self.helper(fault, trace)
        elif fault:
            env[("SHIM" if self.command.processes else "LD_PRELOAD")] = self.options.shim
            env["F0T_FAULT"] = fault
        if trace:
            env["F0T_FAULT_TRACE"] = self.folder + "/.trace"
        with open(".err", "wb") as err, Pipe(self.folder + ".pipe", ".trace", trace and self.command.helper):
            process = subprocess.Popen(self.words(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err, env=env,
                                       start_new_session=True)
            with Watch(process) as watch:
                out = serve(process, self.command, PATIENCE if fault and fault != NO_FAULT else LIMIT) if self.command.server else b""
                out += process.communicate(self.command.stdin)[0]
            if watch.is_late:
                return Run("hangs", b"", open(".err", "rb").read(), {})
        text = open(".err", "rb").read()
        os.remove(".err")
        return Run(process.returncode, out, text, look(self.command.keeps))

    def helper(self, fault, trace):
        """A program in place of the one that reads pictures: the first of its processes in this role meets faults, or, where
        they last, each does. Its sandbox lets it write to a pipe alone."""
        real = os.path.join(os.path.dirname(commands.PROGRAM), "fast0tag-picture")
        first = "" if "+" in fault else "mkdir %s/.met 2>/dev/null && " % self.folder
        traced = "F0T_FAULT_TRACE=%s.pipe " % self.folder if trace else ""
        path = self.folder + ".picture"
        with open(path, "w") as f:
            f.write('#!/bin/sh\n[ "$1" = %s ] && %sexec env LD_PRELOAD=%s F0T_FAULT=%s %s%s "$@"\nexec %s "$@"\n' %
                    (self.command.helper, first, self.options.shim, fault, traced, real, real))
        os.chmod(path, 0o700)
        return path

    def complain(self, fault, place, text):
        self.found.append("%s: %s (%s): %s" % (self.command.name, fault, place, text))
        print("  " + self.found[-1], file=sys.stderr, flush=True)

    # ---- Judging ----------------------------------------------------------------------------------------------------

    def judge(self, fault, place, run):
        """What is wrong, or None. Each file is the old or the new one; all are new where the command says it is done."""
        kind, _, what = fault.split(":")
        killed = what == "kill" and run.code in (-signal.SIGKILL, 137)
        if run.code == "hangs":
            return "does not end"
        if not killed and not (isinstance(run.code, int) and 0 <= run.code <= 3):
            return "exit %s: %s" % (run.code, run.err[-400:])
        told = run.code == 0 and self.is_told(run)
        if told and self.command.helper and what in HARMLESS:
            return "a picture is not read, for nothing: %s" % run.err[-300:]
        done = run.code == 0 or run.code == self.code and run.lines() == self.lines
        for path in sorted({*run.state, *self.old, *self.new}):
            now = run.state.get(path)
            if (now or "").startswith(("damaged", "no catalogue")):
                return "%s: %s" % (path, now)
            if now not in (self.old.get(path), self.new.get(path)) and not self.is_between(path, now) and not told:
                return "%s is neither old nor new%s: exit %s" % (path, "" if now else " (none)", run.code)
        if run.code == 0 and self.command.server:
            return self.judge_answers(run)
        if done and not told:
            wrong = [p for p in {*run.state, *self.new} if run.state.get(p) != self.new.get(p) and not self.is_spare(p, run, kind)]
            if wrong:
                return "says it is done, and is not: %s; %s" % (wrong[:3], run.err[-300:])
            if run.out != self.out:
                return "prints something else: %r; %s" % (run.out[-300:], run.err[-300:])
        elif run.code != 0 and not killed:
            if len(run.lines()) != 1:
                return "exit %s with %d lines: %r" % (run.code, len(run.lines()), run.err[-400:])
            if what.rstrip("+") in HARMLESS:
                return "fails for nothing: %s" % run.err[-300:]
            left = temporaries()
            if left and not (kind == "name" or what.endswith("+")):
                return "leaves %s" % left[:3]
        return None

    def judge_answers(self, run):
        """A server may give no answer, or say that it cannot; what it was asked after that may have another answer. What it has
        confirmed is there."""
        refused = False
        for (method, path, body), answer, known in zip(commands.REQUESTS[self.command.name], run.out.split(b"\0"),
                                                       self.out.split(b"\0")):
            last = re.sub(rb"^((none|ended), )+", b"", answer)  # of several attempts
            refused = refused or last != answer
            if last == known:
                for check in commands.CONFIRMED.get(path, []):
                    if not check(run.state, self.new):
                        return "%s is confirmed, and not done: %r" % (path, answer[-300:])
            elif answer.startswith((b"none", b"ended", b"5")) or b'"error":"' in answer:
                refused = True
            elif not refused:
                return "%s: answers something else: %r" % (path, answer[-300:])
        return None if refused or run.state == self.new or not run.out else "says it is done, and is not"

    def is_told(self, run):
        """A command may end well with other results than those without a fault where a warning names a file that it was given and
        leaves as it is: that file was not read. Whatever else it warns of, the results are the same."""
        given = [path for path in self.old if self.new.get(path) == self.old[path]]
        return any(path in line for line in self.warnings(run) - self.warned for path in given)

    def warnings(self, run):
        return {line for line in run.err.split("\n") if line.startswith("warning: ")}

    def is_between(self, path, now):
        """Catalogues get their pictures one after the other, journals their lines, checkpoints what was learned. Results and
        kept networks are of those that the whole run has, and none that was there is lost. A training on pictures leaves the
        dataset that it made, which the next one makes anew, also where too few could be read."""
        grows = self.command.name.startswith(("index", "write", "train", "find", "serve"))
        if path == "r.jsonl" or "/network-" in path:
            lines, old, new = (set((text or "").split("\n")) for text in (now, self.old.get(path), self.whole.get(path)))
            return old <= lines <= new
        return path.endswith((".jsonl", ".checkpoint")) or path.endswith(".f0c") and grows or \
            path.startswith("m.f0t.data/")

    def is_spare(self, path, run, kind):
        """What the next run can do without, or with: a network that could not be kept, or whose file could not be looked at (it
        may be changing, which is not told), is prepared again, a checkpoint of what
        was learned whole that could not be removed gives the same model, and of a run that says that it was interrupted
        the log may lack lines."""
        return bool("/network-" in path and ("the prepared network is not kept" in run.err or kind in ("stat", "path")) or
                    path.endswith(".checkpoint") and not self.command.stop or path == "log.jsonl" and self.command.stop)

    def judge_next(self):
        """After an end by force the same command gives what it would have given."""
        again = self.run(stop=False)
        if again.code != 0:
            return "afterwards: exit %s: %s" % (again.code, again.err[-300:])
        wrong = [p for p in {*again.state, *self.whole}  # a log has the epochs of both runs
                 if again.state.get(p) != self.whole.get(p) and p != "log.jsonl"]
        if not wrong and self.command.keeps and again.out != self.whole_out:
            return "afterwards prints something else: %r; %s" % (again.out[-300:], again.err[-300:])
        return "afterwards other files: %s" % wrong[:3] if wrong else None

    # ---- All of it --------------------------------------------------------------------------------------------------

    def start(self):
        """The old state, the new one, and the calls that lead from one to the other: (kind, name, place) each."""
        for name in self.command.links:
            time.sleep(max(0, os.stat(os.path.join(self.made, name)).st_ctime + SETTLED - time.time()))
        if self.command.kept:
            self.reset()
            self.run()
            self.cache = self.made + "/" + self.command.name + ".cache"
            os.rename(".cache", self.cache)
        self.reset()
        self.old = look(self.command.keeps)
        first = self.run(NO_FAULT, True)
        if first.code != (1 if self.command.stop else 0):
            raise SystemExit("%s: exit %s: %s" % (self.command.name, first.code, first.err))
        self.new, self.out, self.warned = first.state, first.out, self.warnings(first)
        self.code, self.lines = first.code, first.lines()
        calls = [tuple(line.split()) for line in open(".trace")]
        self.find_whole(first)
        if self.options.full:
            self.check_repeats()
        return calls

    def find_whole(self, first):
        """What is there after a run that nobody stops."""
        if self.command.stop:
            self.reset()
            first = self.run(stop=False)
        self.whole, self.whole_out = first.state, first.out
        keeps = [path for path in {**self.old, **self.new} if re.search(self.command.keeps or "$.", path)]
        if self.command.keeps and not keeps and not self.command.name.startswith("train"):
            raise SystemExit("%s: nothing is kept" % self.command.name)

    def check_repeats(self):
        self.reset()
        second = self.run()
        wrong = [p for p in {*second.state, *self.new} if second.state.get(p) != self.new.get(p)]
        if wrong or second.out != self.out:
            raise SystemExit("%s: a second run differs: %s %r %r" % (self.command.name, wrong, self.out, second.out))

    def choose(self, calls, of):
        """The numbers of the calls to fail, from 1, and what they are."""
        chosen = []
        for n, (kind, name, place) in enumerate(calls, 1):
            key = "%s %s %s" % (of, name, place)
            if self.options.places and kept.get(key, 0) >= self.options.places:
                continue
            kept[key] = kept.get(key, 0) + 1
            chosen.append((n, name + " " + place))
        return chosen

    def some(self, chosen, what):
        """Three of the calls to be killed at, else one; which ones depends on nothing but names."""
        step = (len(chosen) + 2) // 3 if what == "kill" else len(chosen)
        return chosen[hash_of(self.command.name + what) % step::step]

    def each(self, kind, calls):
        all_chosen = self.choose(calls, kind)
        whats = FAULTS[kind]
        if self.options.quick:
            whats = [whats[hash_of(self.command.name + kind) % len(whats)]]
        if self.options.ever:
            whats = [what for what in whats if what.endswith("+")]
        for what in whats[:1 if self.options.once else None] if all_chosen else []:
            if self.journal.has(self.command.name, kind, what):
                continue
            chosen, before = all_chosen, len(self.found)
            if self.options.quick:
                chosen = self.some(chosen, what)
            for n, place in chosen:
                ever = "+" if what.endswith("+") else ""
                fault = "%s:%d%s:%s" % (kind, n, ever, what.rstrip("+"))
                self.reset()
                run = self.run(fault)
                self.tried[kind, what] += 1
                wrong = self.judge(fault, place, run)
                if not wrong and self.command.again and run.state != self.whole and (what == "kill" or self.command.keeps):
                    wrong = self.judge_next()
                if wrong:
                    self.complain(fault, place, wrong)
            self.journal.add(self.command.name, kind, what, len(chosen), len(self.found) - before)

    def all(self):
        calls, kinds = self.start(), self.options.kinds
        if self.options.quick and not kinds and not self.options.commands:
            kinds = (commands.QUICK[self.command.name] or "").split()
        for kind in FAULTS:
            changes = () if self.command.helper else ("write", "sync", "name")
            mine = [c for c in calls if c[0] == kind or kind == "change" and c[0] in changes or kind == "any" and self.command.helper]
            if mine and (not kinds or kind in kinds):
                self.each(kind, mine)
        return collections.Counter(c[0] for c in calls)


def hash_of(text):
    return int(hashlib.md5(text.encode()).hexdigest()[:8], 16)


def begin(scratch, seen, shim):
    """Each process of ours has its own files, in a place of its own: catalogues know the paths of pictures."""
    global folder, made, kept, problem
    kept, problem = seen, None
    own = tempfile.mkdtemp(dir=scratch)
    folder, made = own + "/work", own + "/made"
    os.mkdir(folder)
    os.chdir(folder)
    os.environ["XDG_CACHE_HOME"] = folder + "/.cache"
    try:
        commands.prepare(shim)
    except (Exception, SystemExit) as e:  # told by `work`: a pool whose processes cannot begin starts others for ever
        problem = "no files to work with: %s" % e
    os.chdir("/")
    os.rename(folder, made)


def work(job):
    command, options = job
    bench = Bench(command, made, folder, options)
    started = time.time()
    try:
        if problem:
            raise SystemExit(problem)
        calls = bench.all()
    except SystemExit as e:
        bench.found.append(str(e))
        print("  %s" % e, file=sys.stderr, flush=True)
        calls = collections.Counter()
    os.chdir("/")
    shutil.rmtree(folder, ignore_errors=True)
    return command.name, calls, bench.tried, bench.found, time.time() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs="*")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--places", type=int, default=0)
    parser.add_argument("--once", action="store_true", help="the first fault of each kind alone")
    parser.add_argument("--ever", action="store_true", help="the faults that last alone")
    parser.add_argument("--kinds", type=lambda t: t.split(","), default=[])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--journal", type=os.path.abspath, help="a file that keeps what was tried")
    parser.add_argument("--count", action="store_true", help="count calls alone")
    parser.add_argument("--shim", default=os.path.join(os.path.dirname(commands.PROGRAM), "tests", "faults.so"))
    options = parser.parse_args()
    options.quick = not (options.full or options.places or options.count)
    if options.count:
        FAULTS.clear()
    scratch = tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    try:
        jobs = [(c, options) for c in commands.COMMANDS
                if c.name in (options.commands or (commands.QUICK if options.quick else [c.name]))]
        found, total, tried = [], collections.Counter(), 0
        seen = multiprocessing.Manager().dict() if options.places else {}
        with multiprocessing.Pool(options.jobs, begin, [scratch, seen, options.shim]) as pool:
            for name, calls, counts, wrong, seconds in pool.imap_unordered(work, jobs, 1):
                total.update(calls)
                tried += sum(counts.values())
                found += wrong
                if not options.quick:
                    print("%-18s %5d calls, %6d faults, %3d wrong, %5.0f s  %s" % (
                        name, sum(calls.values()), sum(counts.values()), len(wrong), seconds,
                        " ".join("%s %d" % c for c in sorted(calls.items()))), flush=True)
        print("%d commands, %d calls, %d faults, %d wrong" % (len(jobs), sum(total.values()), tried, len(found)))
        if options.journal:
            print("by %s in all: %d faults, %d wrong" % (options.journal, *Journal(options.journal).sums()))
    finally:
        os.chdir("/")
        shutil.rmtree(scratch, ignore_errors=True)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
