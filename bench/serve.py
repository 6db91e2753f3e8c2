#!/usr/bin/env python3
"""Load on fast0tag serve, beside `fast0tag features` on the same cores and a Node server.

    python3 bench/serve.py DATA [--seconds 10] [--clients 64] [--rounds 3] [--node FOLDER] [--requests N]

DATA has flickr8k, photos, mobilenet_v2 and glove-300d-flickr8k.txt. Needs wrk. FOLDER is a copy of bench/serve-node in
which `npm ci --ignore-scripts` was run, or bench/serve-node itself after `scripts/deps-npm bench/serve-node`. Rounds are interleaved; medians are printed: pictures per second, and processor
time per picture, which other work on the machine hardly changes: that of the process, its helpers and those of them that have
ended, over the same number of pictures as were counted, without the start of the program. --requests N sends that many requests
with features, and --pictures N that many small JPEGs, and prints the memory of the server and its helpers before and after.
"""
import argparse
import contextlib
import glob
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.environ.get("FAST0TAG", os.path.join(HERE, "..", "build", "fast0tag"))


def wrk(port, path, kind, files, clients, seconds):
    """(requests per second, errors, ms at the median, ms at p99, requests)"""
    text = subprocess.run(["wrk", "-t", "1", "-c", str(clients), "-d", f"{seconds}s", "--timeout", "30s", "-s",
                           os.path.join(HERE, "serve.lua"), f"http://127.0.0.1:{port}{path}", "--", kind, *files],
                          capture_output=True, text=True, check=True).stdout
    count, micros, errors, p50, p99 = re.search(r"result (\d+) (\d+) (\d+) (\S+) (\S+)", text).groups()
    return int(count) / (int(micros) / 1e6), int(errors), float(p50), float(p99), int(count)


def family(pid):
    """A process and its children."""
    pids = [pid]
    for task in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(FileNotFoundError):  # a thread that has ended
            pids += open(f"/proc/{pid}/task/{task}/children").read().split()
    return pids


def processor_seconds(pid):
    """Of a process, its children, and those of them that have ended, so far: what wait4 says at the end."""
    total = 0
    for p in family(pid):
        fields = open(f"/proc/{p}/stat").read().rsplit(") ", 1)[1].split()
        total += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return total


def idle_seconds(pid):
    """The same once nothing goes on any more: requests of clients that are gone are finished, too."""
    before = -1
    while (now := processor_seconds(pid)) > before:
        before = now
        time.sleep(0.5)
    return now


def measure(server, path, kind, files, clients, seconds):
    """A server under load: (per second, errors, ms, ms, ms of processor time per request, with those under way at the end)"""
    wrk(server.port, path, kind, files, clients, 1)
    used = idle_seconds(server.process.pid)
    *rate, count = wrk(server.port, path, kind, files, clients, seconds)
    used = idle_seconds(server.process.pid) - used
    server.end()
    return (*rate, 1000 * used / (count + clients))


class Ours:
    def __init__(self, *arguments):
        self.process = subprocess.Popen([PROGRAM, "serve", *arguments, "--port", "0", "-q"], stdout=subprocess.PIPE, text=True)
        self.port = int(re.search(r":(\d+)/", self.process.stdout.readline())[1])

    def memory(self):
        """Megabytes that it and its helpers have to themselves."""
        text = "".join(open(f"/proc/{p}/smaps_rollup").read() for p in family(self.process.pid))
        return sum(map(int, re.findall(r"^Private_\w+: +(\d+) kB", text, re.M))) / 1e3

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


class Node:
    def __init__(self, folder, network, batch, port=18077):
        self.port = port
        self.process = subprocess.Popen(["node", os.path.join(folder, "server.js"), network, str(port)], text=True,
                                        stdout=subprocess.PIPE, env={**os.environ, "BATCH": str(batch)})
        self.process.stdout.readline()

    def end(self):
        self.process.terminate()
        self.process.wait()


def features_once(folder, network, *options):
    """(seconds, processor seconds) of fast0tag features and its helpers"""
    with tempfile.TemporaryDirectory() as out:
        began = time.monotonic()
        process = subprocess.Popen([PROGRAM, "features", folder, "-o", out + "/d", "--backbone", network, "--no-cache", "-q", *options],
                                   stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        if status:
            sys.exit("fast0tag features failed")
        return time.monotonic() - began, used.ru_utime + used.ru_stime


def features_rate(few, many, count, network):
    """The same for so many more pictures, without the start of the program."""
    (short, a), (long, b) = features_once(few, network), features_once(many, network)
    return count / (long - short), 0, 0, 0, 1000 * (b - a) / count


def write_requests(folder, rows, words):
    """Bodies of JSON: a row of features, 1,000 words."""
    files = []
    for i in range(20):
        files.append(f"{folder}/{i}.json")
        with open(files[-1], "w") as f:
            json.dump({"features": [[round(random.random(), 4) for _ in range(rows)]], "vocabulary": words, "k": 5}, f)
    return files


def watch_memory(server, requests, kind, files, a):
    """Sends so many requests, and prints the memory from time to time."""
    before, sent = server.memory(), 0
    while sent < requests:
        *_, errors, _, _, count = wrk(server.port, "/v1/tag", kind, files, a.clients, a.seconds)
        sent += count
        print(f"{kind}: after {sent} requests, {errors} errors: {server.memory():.0f} MB (before: {before:.0f})", flush=True)
    server.end()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data")
    p.add_argument("--seconds", type=int, default=10)
    p.add_argument("--clients", type=int, default=64)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--node")
    p.add_argument("--requests", type=int, default=0)
    p.add_argument("--pictures", type=int, default=0)
    p.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    p.add_argument("--options", default="", help="more options of serve")
    a = p.parse_args()
    work = tempfile.mkdtemp()
    network, vectors = f"{a.data}/mobilenet_v2/mobilenet_v2.onnx", f"{a.data}/glove-300d-flickr8k.txt"
    photos = sorted(glob.glob(f"{a.data}/photos/*.jpg"))
    many = f"{work}/many"
    os.mkdir(many)
    for i in range(20):
        for path in photos:
            shutil.copy(path, f"{many}/{i}-{os.path.basename(path)}")
    model = f"{work}/photos.f0t"
    subprocess.run([PROGRAM, "train", f"{a.data}/flickr8k", "--vectors", vectors, "-o", model, "--method", "linear", "-q"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    serve = [model, "--vectors", vectors, "--backbone", network, *a.options.split()]
    rates = {}
    for _ in range(a.rounds):
        rates.setdefault("features", []).append(features_rate(f"{a.data}/photos", many, 19 * len(photos), network))
        load = "/v1/tag", "image/jpeg", photos, a.clients, a.seconds
        for workers in a.workers:
            rates.setdefault(f"serve, workers {workers}", []).append(measure(Ours(*serve, "--workers", str(workers)), *load))
        for batch in (1, 8) if a.node else ():
            rates.setdefault(f"node, batches of {batch}", []).append(measure(Node(a.node, network, batch), *load))
    words = [line.split(" ", 1)[0] for line in open(vectors, encoding="utf-8")][:1000]
    bodies = write_requests(work, 1280, words)
    for _ in range(a.rounds):
        rates.setdefault("features as JSON, 1000 words", []).append(
            measure(Ours(*serve), "/v1/tag", "application/json", bodies, a.clients, a.seconds))
    if a.requests:
        watch_memory(Ours(*serve), a.requests, "application/json", bodies, a)
    if a.pictures:
        small = [f"{work}/small{i}.jpg" for i in range(8)]
        for path, source in zip(small, photos):
            subprocess.run(["vipsthumbnail", source, "-s", "64", "-o", path], check=True)
        watch_memory(Ours(*serve), a.pictures, "image/jpeg", small, a)
    if not a.rounds:
        return shutil.rmtree(work)
    base = statistics.median(r[0] for r in rates["features"])
    for name, all_rounds in rates.items():
        rate, errors, p50, p99, used = (statistics.median(column) for column in zip(*all_rounds))
        print(f"{name:30} {rate:8.1f} per second ({rate / base:.2f} of features), median {p50:.1f} ms, p99 {p99:.1f} ms, "
              f"{errors:.0f} errors, {used:.2f} ms of processor time each")
    shutil.rmtree(work)


if __name__ == "__main__":
    sys.exit(main())
