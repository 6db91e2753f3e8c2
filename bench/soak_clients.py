"""Clients of bench/soak.py's server: each asks again and again, and knows what the answer must be."""
import glob
import json
import os
import random
import socket
import time
import xml.dom.minidom

from soak_world import start

PICTURES = 29  # of the catalogue: soak_world.make_files
WORDS = [f"word {i}" for i in range(12)]
DECISIONS = ("accepted", "rejected", "undecided")
JSON = {"Content-Type": "application/json"}
FULL = {"disk", "limit"}
LOST = ("cannot be read: it needs too much memory or time, or is damaged", "ended as it started: is there too little memory?")


def reference(model):
    """What an idle server answers: tags of pictures by name, thumbnails and similar pictures by number."""
    server = start(model)
    tags = {name: tag(server, name)[1]["pictures"] for name in os.listdir("art")}
    thumbnails = {i: server.ask("GET", f"/v1/pictures/{i}/thumbnail")[1] for i in range(1, PICTURES + 1)}
    assert server.end() == 0
    return {"tags": tags, "thumbnails": thumbnails}


def tag(server, name, connection=None):
    with open(f"art/{name}", "rb") as f:
        return server.ask("POST", f"/v1/tag?k=3&name={name}", f.read(), connection=connection)


def same_tags(a, b):
    """The last digits of a number are another batch's."""
    return len(a) == len(b) == 1 and [t["tag"] for t in a[0]["tags"]] == [t["tag"] for t in b[0]["tags"]] and all(
        abs(x[key] - y[key]) < 1e-3 for x, y in zip(a[0]["tags"], b[0]["tags"]) for key in ("score", "confidence"))


class Client:
    def __init__(self, world, number):
        self.world, self.number = world, number
        self.chance = random.Random(world.seeds + number)
        self.connection, self.server = None, None

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def call(self, *request):
        """The answer of the server of now."""
        if self.server is not self.world.server:
            self.close()
            self.server = self.world.server
        self.connection = self.connection or self.server.open(60)
        status, value, headers = self.server.ask(*request, connection=self.connection)
        if headers.get("Connection") == "close":
            self.close()
        self.world.count(f"status {status}")
        return status, value

    def is_excused(self, status, faults):
        """Too much is waiting, or the server ends, or may not write into memory that it shares with a process that decodes."""
        return status == 429 or (status == 503 and faults & {"restart", "kill", "limit"})

    def is_lost(self, message):
        """A process that was killed costs the picture that it had, or that it would have had next: one."""
        if not message.removesuffix(": it stays as it is").endswith(LOST):  # which a file that was to be written does
            return False
        with self.world.lock:
            self.world.pictures_lost += 1
            return self.world.pictures_lost <= self.world.counts["fault helper"]


class Tagger(Client):
    """Tags are those of a model that may answer."""

    def ask(self):
        name = self.chance.choice(sorted(self.world.references["one.f0t"]["tags"]))
        then = self.world.now()
        with open(f"art/{name}", "rb") as f:
            status, value = self.call("POST", f"/v1/tag?k=3&name={name}", f.read())
        self.judge(name, status, value, *self.world.since(then))

    def judge(self, name, status, value, faults, models):
        if status == 200:
            wanted = [self.world.references[m]["tags"][name] for m in models]
            assert any(same_tags(value["pictures"], w) for w in wanted), (name, models, value, wanted)
        else:
            assert self.is_excused(status, faults) or self.is_lost(value["error"]["message"]), (name, status, value)


class SlowTagger(Tagger):
    """Sends a picture bit by bit, or leaves in the middle of it."""

    def ask(self):
        name = self.chance.choice(sorted(self.world.references["one.f0t"]["tags"]))
        with open(f"art/{name}", "rb") as f:
            body = f.read()
        server, then = self.world.server, self.world.now()
        head = f"POST /v1/tag?k=3&name={name} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\n" \
               f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        data, leaves = head.encode() + body, self.chance.random() < 0.5
        if leaves:
            data = data[:self.chance.randrange(len(data))]
        with server.connect() as s:
            for i in range(8):
                s.sendall(data[len(data) * i // 8:len(data) * (i + 1) // 8])
                time.sleep(self.chance.uniform(0, 0.1))
            if not leaves:
                self.read(s, name, then)

    def read(self, s, name, then):
        answer = socket.SocketIO(s, "rb")
        text = b""
        while piece := answer.read(64):
            text += piece
        head, _, body = text.partition(b"\r\n\r\n")
        if not head:
            raise ConnectionError("no answer")
        self.judge(name, int(head.split()[1]), json.loads(body), *self.world.since(then))


class Hostile(Client):
    """Bytes that are no picture, or half of one."""

    def ask(self):
        with open("art/quarters.jpg", "rb") as f:
            data = f.read()
        data = bytes(self.chance.randrange(256) for _ in range(200)) if self.chance.random() < 0.5 else \
            data[:self.chance.randrange(1, 100)]
        then = self.world.now()
        status, value = self.call("POST", "/v1/tag?k=1", data)
        message = value["error"]["message"]  # of half a picture it says the same as of a process that was killed
        assert status == 422 or self.is_excused(status, self.world.since(then)[0]) or self.is_lost(message), (status, value)


class Decider(Client):
    """Of a tag of its own, decides about two pictures at once: both are so, or none. What was not answered may be so."""

    def ask(self):
        tag = f"{self.chance.choice(WORDS)} of {self.number}"
        first = self.chance.randrange(1, PICTURES)
        self.decide(tag, (first, first + 1), self.chance.choice(DECISIONS))

    def decide(self, tag, pictures, decision):
        keys = [(picture, tag) for picture in pictures]
        truth, then = self.world.decisions, self.world.now()
        before = {key: truth.get(key, {"undecided"}) for key in keys}
        for key in keys:
            truth[key] = before[key] | {decision}
        body = json.dumps({"decisions": [{"picture": p, "tag": tag, "decision": decision} for p in pictures]})
        status, value = self.call("POST", "/v1/decisions", body, JSON)
        for key in keys:
            truth[key] = {decision} if status == 200 else before[key]
        faults = self.world.since(then)[0]
        assert status == 200 or self.is_excused(status, faults) or (status == 500 and faults & FULL), (status, value)


class Reader(Client):
    """Looks at pictures: thumbnails as they were, what it decided, searches."""

    def ask(self):
        picture, then = self.chance.randrange(1, PICTURES + 1), self.world.now()
        path = self.chance.choice((f"/v1/pictures/{picture}/thumbnail", "/v1/find?q=sea&k=5", f"/v1/find?like={picture}&k=5",
                                   f"/v1/pictures?after={picture}&limit=10", "/v1/suggestions", "/v1/tags?prefix=w"))
        status, value = self.call("GET", path)
        if status == 200 and path.endswith("thumbnail"):
            assert value == self.world.references["one.f0t"]["thumbnails"][picture], path
        elif status != 200:
            assert self.is_excused(status, self.world.since(then)[0]), (path, status, value)


class Writer(Client):
    """Writes keywords into sidecars, seldom, and takes them back."""

    def ask(self):
        then = self.world.now()
        if self.chance.random() < 0.9:
            status, value = self.call("GET", "/v1/pictures?limit=29")
        else:
            status, value = self.call("POST", "/v1/write", json.dumps(self.chance.choice(({}, {}, {"dry_run": True}, {"undo": True}))), JSON)
        faults = self.world.since(then)[0]
        if status == 200:
            failed = [f["error"] for f in value.get("files", []) if f.get("error")]
            assert faults & FULL or all(map(self.is_lost, failed)), failed
        else:
            assert self.is_excused(status, faults) or (status == 500 and faults & FULL), (status, value)


def check_sidecars(world):
    """At the end all keywords are written: each file is whole and has what is accepted, nothing that is rejected, and no other file is left."""
    status, value, _ = world.server.ask("POST", "/v1/write", "{}", JSON)
    failed = [f for f in value.get("files", []) if f.get("error")]
    if status != 200 or failed:
        world.complain(f"keywords cannot be written: {status} {failed or value}")
    paths = {p["id"]: p["path"] for p in world.server.ask("GET", "/v1/pictures?limit=100")[1]["pictures"]}
    words = {}
    for path in glob.glob("art/*.xmp"):
        items = xml.dom.minidom.parse(path).getElementsByTagName("dc:subject")
        words[path] = {li.firstChild.data for i in items for li in i.getElementsByTagName("rdf:li")}
    for (picture, tag), may in world.decisions.items():
        there = tag in words.get(f"art/{os.path.basename(paths[picture])}.xmp", ())
        if len(may) == 1 and there != (may == {"accepted"}):
            world.complain(f"picture {picture}: '{tag}' is {may}, and in the sidecar: {there}")
    for left in set(os.listdir("art")) - set(world.references["one.f0t"]["tags"]) - {os.path.basename(p) for p in words}:
        world.complain(f"art/{left} was left behind")


CLIENTS = [Tagger, Decider, Tagger, Reader, SlowTagger, Decider, Writer, Hostile]
