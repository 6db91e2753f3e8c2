"""What bench/soak.py's clients and faults share: the server of now, what is known to be true, what was wrong."""
import collections
import contextlib
import http.client
import os
import shutil
import sqlite3
import subprocess
import threading
import time
import traceback

from client import LIMIT, PROGRAM, ROOT, Server

timeout = 5  # seconds that the server gives its clients
TOKEN = "0123456789abcdef0123456789abcdef"
GONE = (OSError, http.client.HTTPException)  # the server is
SVG = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:cc="http://creativecommons.org/ns#" xmlns:dc="http://purl.org/dc/elements/1.1/" width="8" height="8">
<metadata><rdf:RDF><cc:Work><dc:subject><rdf:Bag><rdf:li>%s</rdf:li></rdf:Bag></dc:subject></cc:Work></rdf:RDF></metadata>
<rect width="8" height="8" fill="hsl(%d,%d%%,50%%)"/></svg>"""


def program(*arguments):
    subprocess.run([PROGRAM, *arguments, "-q"], check=True, stdout=subprocess.DEVNULL)


def make_files():
    """art/ and its catalogue, and two models that do not agree: one.f0t and two.f0t, which has a tag more."""
    os.mkdir("art")
    for i in range(12):
        open(f"art/red{i}.svg", "w").write(SVG % ("rose", i * 4, 90))
        open(f"art/blue{i}.svg", "w").write(SVG % ("sea", 200 + i * 4, 80))
    open("v.txt", "w").write("rose 1 0 0\nsea 0 1 0\nflower .9 .1 0\nlake .1 .9 .1\n")
    open("token", "w").write(TOKEN + "\n")
    program("train", "art", "--vectors", "v.txt", "-o", "one.f0t", "--epochs", "2")
    shutil.copytree("art", "more")
    for i in range(4):
        open(f"more/green{i}.svg", "w").write(SVG % ("lake", 100 + i * 4, 80))
    program("train", "more", "--vectors", "v.txt", "-o", "two.f0t", "--epochs", "2")
    for name in ("quarters.jpg", "quarters.png", "quarters.webp", "cmyk.jpg", "grey.png"):
        shutil.copy(os.path.join(ROOT, "tests", "pictures", name), "art")
    program("index", "art", "-c", "catalogue.f0t", "--model", "one.f0t")
    shutil.copy("one.f0t", "live.f0t")


def start(model="live.f0t"):
    server = Server(model, "-c", "catalogue.f0t", "--vectors", "v.txt", "--token-file", "token", "--timeout", str(timeout))
    server.token = TOKEN
    return server


class World:
    def __init__(self, chance, references, options):
        self.random, self.references, self.pause, self.log, self.is_busy = chance, references, options.pause, options.log, options.busy
        self.seeds = chance.randrange(1 << 32)
        self.server, self.end, self.wrong = None, False, []
        self.lock = threading.Condition()
        self.parked, self.running, self.wants_quiet = 0, 0, False
        self.models, self.swaps = {"one.f0t"}, []  # those that may answer now; each that ever came in place of another
        self.active, self.begun = collections.Counter(), []  # faults: those of now, and each that ever began
        self.counts, self.began = collections.Counter(), time.monotonic()
        self.pictures_lost, self.decisions = 0, {}  # (picture, tag): what it may be

    # ---- What happens ------------------------------------------------------------------------------------------

    def tell(self, line):
        if self.log:
            print(f"{time.monotonic() - self.began:7.1f}  {line}", flush=True)

    def complain(self, line):
        with self.lock:
            if len(self.wrong) < 20:
                print("wrong:", line, flush=True)
            self.wrong.append(line)

    def count(self, what):
        with self.lock:
            self.counts[what] += 1

    def answers(self):
        with self.lock:
            return sum(count for what, count in self.counts.items() if what.startswith("status"))

    def report(self):
        print(", ".join(f"{what}: {count}" for what, count in sorted(self.counts.items())))
        print(f"{len(self.decisions)} decisions are kept, {self.pictures_lost} pictures were lost with the process that decoded them, "
              f"{len(self.wrong)} wrong")

    # ---- Faults: which may have touched a request ---------------------------------------------------------------------

    @contextlib.contextmanager
    def fault(self, name):
        with self.lock:
            self.active[name] += 1
            self.begun.append(name)
            self.counts["fault " + name] += 1
        yield
        with self.lock:
            self.active[name] -= 1

    def now(self):
        """To be given to `since` at a request's end."""
        with self.lock:
            return len(self.begun), {name for name, times in self.active.items() if times}, set(self.models), len(self.swaps)

    def since(self, then):
        """(faults, models) of any time since then: a model may have come and gone meanwhile."""
        with self.lock:
            return then[1] | set(self.begun[then[0]:]), then[2] | set(self.swaps[then[3]:])

    def wait_for(self, what, line):
        """As long as it takes, up to minutes; then it is wrong."""
        deadline = time.monotonic() + LIMIT
        while not what():
            if time.monotonic() > deadline:
                self.complain(line)
                return
            time.sleep(0.02)

    # ---- Clients ---------------------------------------------------------------------------------------------------

    def run(self, client, number):
        """A client's life: it asks until the end, and rests where quiet is wanted."""
        with self.lock:
            self.running += 1
        one = client(self, number)
        while not self.end and not self.wrong:
            self.rest(one)
            then = self.now()
            try:
                one.ask()
                self.count(client.__name__.lower())
            except GONE as e:
                one.close()
                if self.is_busy and isinstance(e, TimeoutError):
                    self.count("time-out")
                elif not self.since(then)[0] & {"restart", "kill"}:
                    self.complain(f"{client.__name__}: no answer: {e!r}")
                time.sleep(0.02)
            except Exception:  # what a client expects of an answer
                one.close()
                self.complain(f"{client.__name__}: {traceback.format_exc()}")
            time.sleep(self.pause)
        one.close()
        with self.lock:
            self.running -= 1
            self.lock.notify_all()

    def rest(self, client):
        with self.lock:
            if not self.wants_quiet:
                return
        client.close()
        with self.lock:
            self.parked += 1
            self.lock.notify_all()
            self.lock.wait_for(lambda: not self.wants_quiet)
            self.parked -= 1

    @contextlib.contextmanager
    def quiet(self):
        """Nobody asks, and nothing that was asked is under way."""
        with self.lock:
            self.wants_quiet = True
            is_quiet = self.lock.wait_for(lambda: self.parked >= self.running, LIMIT)
        if not is_quiet:
            self.complain("a client does not rest")
        self.wait_for(lambda: self.wrong or not self.server.metrics()["fast0tag_queue_length"], "what waits is never done")
        yield
        with self.lock:
            self.wants_quiet = False
            self.lock.notify_all()

    # ---- Truth ---------------------------------------------------------------------------------------------------------

    def check_decisions(self):
        """All that was answered is in the catalogue, which is whole; from now on what is there is true."""
        by_picture = collections.defaultdict(dict)
        for (picture, tag), may in list(self.decisions.items()):
            by_picture[picture][tag] = may
        with sqlite3.connect("catalogue.f0t") as c:
            if c.execute("pragma integrity_check").fetchone() != ("ok",):
                self.complain("the catalogue is damaged")
        c.close()
        for picture, tags in by_picture.items():
            there = {t["tag"]: t["decision"] for t in self.server.ask("GET", f"/v1/pictures/{picture}")[1]["tags"]}
            for tag, may in tags.items():
                if there.get(tag, "undecided") not in may:
                    self.complain(f"picture {picture}, '{tag}' is {there.get(tag)}, not one of {may}")
                self.decisions[picture, tag] = {there.get(tag, "undecided")}
