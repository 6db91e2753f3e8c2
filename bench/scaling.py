#!/usr/bin/env python3
"""Two processes of one thread against one process of two: images per second of 'fast0tag train' at the paper's size,
4096-8192-2048-300 and mini-batches of 1000, unless told otherwise.

    bench/scaling.py FAST0TAG FOLDER [--rounds N] [--images N] [--batch N] [--only TEXT] [--link RATE]

FOLDER takes the dataset (made anew when it has another number of images) and the models. Cases alternate, and each shows its best epoch, and the
processor time of all its processes per image: the difference of a long and a short run, which other work on the machine
changes less. With --link, as root, the two processes are in network namespaces of their
own, joined by a link of RATE (as tc has it: 1gbit, 10gbit), which are removed at the end.
"""
import argparse
import json
import os
import re
import resource
import signal
import subprocess
import sys

import numpy

INPUTS, OUTPUTS, TAGS, RELEVANT = 4096, 300, 925, 5
SHORT, LONG = 1, 3  # epochs
NAMESPACES = ("f0t-bench-a", "f0t-bench-b")

# name, processes, options
CASES = (
    ("one process, f32", 1, ["--arithmetic", "f32"]),
    ("two processes, f32", 2, ["--arithmetic", "f32"]),
    ("two processes, f32, wire bf16", 2, ["--arithmetic", "f32", "--wire", "bf16"]),
    ("one process, bf16", 1, ["--arithmetic", "bf16"]),
    ("two processes, bf16", 2, ["--arithmetic", "bf16"]),
    ("two processes, bf16, wire bf16", 2, ["--arithmetic", "bf16", "--wire", "bf16"]),
)


def make(folder: str, images: int) -> None:
    made = folder + "/data/features.npy"
    if os.path.exists(made) and len(numpy.load(made, mmap_mode="r")) == images + 10:
        return
    os.makedirs(folder + "/data", exist_ok=True)
    random = numpy.random.default_rng(1)
    words = ["word%d" % i for i in range(TAGS)]
    vectors = random.standard_normal((TAGS, OUTPUTS)).astype("f4")
    with open(folder + "/vectors.txt", "w") as f:
        for word, vector in zip(words, vectors):
            f.write(word + " " + " ".join("%.4f" % x for x in vector) + "\n")
    numpy.save(made, random.standard_normal((images + 10, INPUTS)).astype("f4"))
    with open(folder + "/data/tags.txt", "w") as f:
        for _ in range(images + 10):
            f.write("\t".join(words[i] for i in random.choice(TAGS, RELEVANT, replace=False)) + "\n")
    with open(folder + "/data/split.txt", "w") as f:
        f.write("train\n" * images + "val\n" * 10)


def open_link(rate: str) -> None:
    a, b = NAMESPACES
    run = lambda words: subprocess.run(words.split(), check=True)
    close_link()
    for i, name in enumerate(NAMESPACES):
        run("ip netns add " + name)
    run("ip link add f0tbench0 netns %s type veth peer name f0tbench1 netns %s" % (a, b))
    for i, name in enumerate(NAMESPACES):
        run("ip -n %s addr add 10.77.7.%d/24 dev f0tbench%d" % (name, i + 1, i))
        run("ip -n %s link set f0tbench%d up" % (name, i))
        run("ip -n %s link set lo up" % name)
        run("tc -n %s qdisc add dev f0tbench%d root tbf rate %s burst 2mb latency 100ms" % (name, i, rate))


def close_link() -> None:
    for name in NAMESPACES:
        subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL)


def sent(number: int) -> int:
    """Bytes that went out of a namespace's end of the link."""
    shown = subprocess.run(["ip", "-n", NAMESPACES[number], "-s", "-j", "link", "show", "f0tbench%d" % number],
                           check=True, capture_output=True).stdout
    return json.loads(shown)[0]["stats64"]["tx"]["bytes"]


def mpirun(folder: str, link: bool) -> list:
    """The words before the program."""
    words = ["mpirun", "-q", "-n", "2"]
    if not link:
        return words + ["--bind-to", "core"]
    agent = folder + "/agent.sh"
    with open(agent, "w") as f:  # "logs in" on the other machine
        f.write("#!/bin/bash\nshift\nexec ip netns exec %s unshare --uts bash -c \"hostname f0t-bench-b; $*\"\n"
                % NAMESPACES[1])
    os.chmod(agent, 0o755)
    return ["ip", "netns", "exec", NAMESPACES[0], *words, "--host", "10.77.7.1,10.77.7.2", "--bind-to", "none",
            "--mca", "plm_rsh_agent", agent, "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "10.77.7.0/24",
            "--mca", "oob_tcp_if_include", "10.77.7.0/24", "--mca", "pml", "ob1"]


def train(program: str, folder: str, processes: int, options: list, batch: int, link: bool,
          epochs: int) -> tuple:
    log = folder + "/log"
    if os.path.exists(log):
        os.remove(log)
    words = [program, "train", folder + "/data", "--vectors", folder + "/vectors.txt", "-o", folder + "/model",
             "--method", "net", "--keep-tags", "--hidden", "8192,2048", "--batch", str(batch), "--epochs", str(epochs),
             "--threads", str(2 // processes), "--log", log, *options]
    before = sent(0) if link else 0
    used = processor_time()
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    done = subprocess.run((mpirun(folder, link) if processes > 1 else []) + words, env=environment,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    rate = max(json.loads(line)["images_per_second"] for line in open(log))
    said = re.search(r"sent ([\d.]+) MB per step; messages took ([\d.]+) s per step, of which it waited ([\d.]+)",
                     done.stderr)
    return (rate, [float(x) for x in said.groups()] if said else None, sent(0) - before if link else 0,
            processor_time() - used)


def processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(*given: object) -> tuple:
    """Images per second, traffic, bytes on the link per epoch, processor time per epoch."""
    short, long = train(*given, SHORT), train(*given, LONG)
    return (max(short[0], long[0]), long[1], (long[2] - short[2]) / (LONG - SHORT), (long[3] - short[3]) / (LONG - SHORT))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--images", type=int, default=8000)
    parser.add_argument("--batch", type=int, default=1000, help="images of a mini-batch")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--link", help="rate of a link between the two processes")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # and the namespaces are removed
    folder = os.path.abspath(given.folder)
    make(folder, given.images)
    cases = [c for c in CASES if given.only in c[0]]
    best: dict = {}
    try:
        if given.link:
            open_link(given.link)
        for _ in range(given.rounds):
            for name, processes, options in cases:
                got = measure(os.path.abspath(given.program), folder, processes, options, given.batch,
                              bool(given.link) and processes > 1)
                old = best.get(name, (0, None, 0, float("inf")))
                best[name] = (*(got if got[0] > old[0] else old)[:3], min(got[3], old[3]))
    finally:
        if given.link:
            close_link()
    for name, (rate, traffic, bytes_out, seconds) in best.items():
        alone = best.get("one process, bf16" if ", bf16" in name.replace("wire bf16", "") else "one process, f32")
        line = "%-31s %5.0f images/s, %.2f ms of processors per image" % (name, rate, 1e3 * seconds / given.images)
        if alone and traffic:
            line += "; of one process %.2f by the clock, %.2f by processors" % (rate / alone[0], alone[3] / seconds)
        if traffic:
            line += "; %.1f MB per step, %.3f s under way, %.3f s waited" % tuple(traffic)
        if bytes_out:
            line += "; %.1f MB per step on the link" % (bytes_out / 1e6 / (given.images / given.batch))
        print(line)


main()
