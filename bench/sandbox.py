#!/usr/bin/env python3
"""What the sandbox of the process that decodes costs: processor time of its start, and of each picture.

    sandbox.py FOLDER WITH WITHOUT... [--count 25] [--runs 9]

WITH and WITHOUT are commands, each one argument, that run fast0tag-picture: "build/fast0tag-picture", say, and one of a
build without libseccomp behind build/tests/old_kernel, which hides Landlock. They take turns; the best of the runs
counts. Pictures are the first files of FOLDER, shrunk to 256 pixels.
"""
import argparse
import os
import resource
import shlex
import socket
import struct
import subprocess

DECODE, SIDE = 1, 256  # src/image/protocol.h


def used():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def receive(end, size):
    data = b""
    while len(data) < size:
        part = end.recv(min(size - len(data), 1 << 20))
        if not part:
            raise SystemExit("the process has ended")
        data += part
    return data


def decode(end, path):
    name = path.encode()
    with open(path, "rb") as file:
        socket.send_fds(end, [struct.pack("8I", DECODE, SIDE, 0, 0, 0, 0, len(name), 0)], [file.fileno()])
    end.sendall(name)
    status, _, _, length = struct.unpack("4I", receive(end, 16))
    text = receive(end, length)
    if status:
        raise SystemExit(f"{path}: {text.decode(errors='replace')}")


def run(command, paths):
    """Processor time of a process that decodes these, and whether it has a sandbox."""
    before = used()
    ours, its = socket.socketpair()
    process = subprocess.Popen(shlex.split(command) + ["decode"], stdin=its, stdout=its)
    its.close()
    _, confined = struct.unpack("2I", receive(ours, 8))
    for path in paths:
        decode(ours, path)
    ours.close()
    process.wait()
    return used() - before, confined == 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("commands", nargs="+")
    parser.add_argument("--count", type=int, default=25)
    parser.add_argument("--runs", type=int, default=9)
    o = parser.parse_args()
    paths = [os.path.join(o.folder, name) for name in sorted(os.listdir(o.folder))[: o.count]]
    whole = {c: [] for c in o.commands}
    start = {c: [] for c in o.commands}
    confined = {}
    for _ in range(o.runs):
        for c in o.commands:
            start[c].append(run(c, [])[0])
            seconds, confined[c] = run(c, paths)
            whole[c].append(seconds)
    for c in o.commands:
        each = (min(whole[c]) - min(start[c])) / len(paths)
        print(f"{c}: sandbox {'closed' if confined[c] else 'none'}, start {1e3 * min(start[c]):.1f} ms, "
              f"a picture {1e3 * each:.2f} ms")


main()
