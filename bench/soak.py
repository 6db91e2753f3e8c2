#!/usr/bin/env python3
"""fast0tag serve with a catalogue, at full load, while things break under it.

    bench/soak.py [--seconds 3600] [--seed N] [--clients 16] [--pause 0] [--scale 2] [--busy] [--log]

Clients tag pictures, decide, search, write keywords, send slowly, leave early and send rubbish, while at random processes that
decode are killed or stopped, the disk is full, the model is swapped for another and for a broken one, and the server ends or is
killed and starts again, each of these at least once. The last third of the time, counted from when the server is warm again, has
no restart, so that memory can be watched. It fails where

- a decision that was answered is not in the catalogue after a restart, or half of a list of decisions is;
- a picture has other tags than an idle server gives it, or something fails that nothing has broken;
- memory, descriptors or threads grow, or a process that decodes outlives its server.

The seed chooses what breaks and when; it is printed, and the same one breaks the same things in the same order. Files are
made in a temporary folder. FAST0TAG names the program; tests/cli/load.sh runs it for a short time.
"""
import argparse
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
os.environ.setdefault("FAST0TAG", os.path.join(HERE, "..", "build", "fast0tag"))
os.environ["FAST0TAG"] = os.path.abspath(os.environ["FAST0TAG"])
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tests", "server")]
import soak_faults  # noqa: E402
import soak_world  # noqa: E402
from client import LIMIT  # noqa: E402
from soak_clients import CLIENTS, check_sidecars, reference  # noqa: E402
from soak_world import World, make_files, start  # noqa: E402

QUIET_POINTS = 9  # at which memory is read, in the last third
# Answers after which a server has all that it keeps, where all has also been broken once: three models are read by then.
WARM = 200
DISK = "96m"


def take_a_disk(folder):
    """A small one of memory, which can be full: False where this process may not mount it."""
    return subprocess.run(["mount", "-t", "tmpfs", "-o", "size=" + DISK, "tmpfs", folder], stderr=subprocess.DEVNULL).returncode == 0


def enter_own_mounts():
    """Starts again where mounts are nobody else's."""
    own = ["unshare", "--user", "--map-root-user", "--mount"]
    if not os.environ.get("SOAK_INSIDE") and subprocess.run([*own, "true"], stderr=subprocess.DEVNULL).returncode == 0:
        os.environ["SOAK_INSIDE"] = "1"
        os.execvp(own[0], [*own, sys.executable, *sys.argv])


class Growth:
    """What the server holds while nobody asks, from the time when it is warm."""

    def __init__(self):
        self.points = []

    def look(self, server):
        status = open(f"/proc/{server.pid}/status").read()
        anonymous = int(status.split("RssAnon:")[1].split()[0]) / 1000
        threads = int(status.split("Threads:")[1].split()[0])
        self.points.append((anonymous, len(os.listdir(f"/proc/{server.pid}/fd")), threads, len(server.helpers())))

    def wrong(self, kept):
        """The last third beside the first one; the allocator may keep so many MB more than it had."""
        points = self.points
        third = len(points) // 3
        (memory, files, threads, helpers), after = (tuple(statistics.median(p[i] for p in part) for i in range(4))
                                                    for part in (points[:third], points[-third:]))
        print(f"memory {memory:.0f} MB, then {after[0]:.0f}; descriptors {files:.0f}, {after[1]:.0f}; "
              f"threads {threads:.0f}, {after[2]:.0f}; processes that decode {helpers:.0f}, {after[3]:.0f}")
        grown = []
        for name, was, now, room in (("memory", memory, after[0], kept + memory / 20), ("descriptors", files, after[1], 4 + 2 * os.cpu_count()),
                                     ("threads", threads, after[2], 4), ("processes", helpers, after[3], 1 + os.cpu_count())):
            if now > was + room:
                grown.append(f"{name}: {was:.0f}, then {now:.0f}")
        return grown


def again_and_again(world, faults):
    """All of them in some order, then in another one, and so on."""
    while True:
        yield from world.random.sample(faults, len(faults))


def break_things(world, faults, until, scale, at_least=0):
    """So many things, and others until that time, or until something is wrong."""
    done = 0
    while (done < at_least or time.monotonic() < until) and not world.wrong:
        fault = next(faults)
        pause = world.random.uniform(0.1, 1) * scale
        world.tell(fault.__name__.replace("_", " "))
        fault(world, world.random)
        done += 1
        time.sleep(min(pause, max(until - time.monotonic(), 0)))


def soak(world, faults, seconds, clients, scale):
    began, growth = time.monotonic(), Growth()
    threads = [threading.Thread(target=world.run, args=(CLIENTS[i % len(CLIENTS)], i), daemon=True) for i in range(clients)]
    for t in threads:
        t.start()
    everything = soak_faults.RESTARTS + faults
    break_things(world, again_and_again(world, everything), began + seconds * 2 / 3, scale, len(everything))
    soak_faults.end_and_start(world, world.random)
    begin, order = world.answers(), again_and_again(world, faults)
    break_things(world, order, 0, scale, len(faults))
    world.wait_for(lambda: world.wrong or world.answers() >= begin + WARM, "the server does not become warm")
    warm = time.monotonic()
    for i in range(QUIET_POINTS):
        break_things(world, order, warm + seconds / 3 * (i + 1) / QUIET_POINTS, scale)
        with world.quiet():
            growth.look(world.server)
    world.end = True
    for t in threads:
        t.join(LIMIT)
    for line in [] if world.wrong else growth.wrong(64 if world.is_busy else 16):
        world.complain(line)
    check_sidecars(world)
    world.check_decisions()
    if world.server.end() != 0:
        world.complain("the server does not end well")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seconds", type=float, default=3600)
    p.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    p.add_argument("--clients", type=int, default=16)
    p.add_argument("--pause", type=float, default=0, help="seconds that a client waits after each answer")
    p.add_argument("--scale", type=float, default=2, help="seconds between two faults, at most")
    p.add_argument("--busy", action="store_true", help="others use the machine: nobody is too slow, time-outs are not wrong, and\n"
                   "memory that a short run has kept is no growth")
    p.add_argument("--log", action="store_true", help="say what breaks as it breaks")
    a = p.parse_args()
    enter_own_mounts()
    soak_world.timeout = LIMIT if a.busy else soak_world.timeout
    print(f"seed {a.seed}", flush=True)
    home = os.getcwd()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        has_disk = take_a_disk(folder)
        os.chdir(folder)
        make_files()
        world = World(random.Random(a.seed), {model: reference(model) for model in ("one.f0t", "two.f0t")}, a)
        world.server = start()
        try:
            soak(world, soak_faults.faults(has_disk), a.seconds, a.clients, a.scale)
        finally:
            if world.server.process.poll() is None:
                world.server.end(signal.SIGKILL)
            os.chdir(home)
            if has_disk:
                subprocess.run(["umount", folder], check=True)
        world.report()
    sys.exit(bool(world.wrong))


if __name__ == "__main__":
    main()
