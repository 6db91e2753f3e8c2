"""fast0tag serve when something breaks under it: a full disk, kill -9, files that are replaced. Called by
tests/cli/faults.sh in a folder that has catalogue.f0t of art/, blend.f0t and v.txt."""
import json
import os
import resource
import shutil
import signal
import sqlite3
import sys
import threading
import time
import traceback
import xml.dom.minidom

import client
from client import Server

RED, BLUE = (open(f"art/{name}1.svg", "rb").read() for name in ("red", "blue"))


def start(*more):
    return Server("-c", "catalogue.f0t", "--vectors", "v.txt", *more)


def post(s, path, value):
    return s.ask("POST", path, json.dumps(value), {"Content-Type": "application/json"})


def decide(s, tag, picture=1, decision="accepted"):
    return post(s, "/v1/decisions", {"decisions": [{"picture": picture, "tag": tag, "decision": decision}]})


def accepted(s, picture=1):
    return {t["tag"] for t in s.ask("GET", f"/v1/pictures/{picture}")[1]["tags"] if t["decision"] == "accepted"}


def learn(s):
    """The last event."""
    body = s.ask("POST", "/v1/learn")[1].decode()
    return body.strip().split("\n\n")[-1]


def sidecars():
    return sorted(f"art/{name}" for name in os.listdir("art") if name.endswith(".xmp"))


def is_whole(catalogue="catalogue.f0t"):
    with sqlite3.connect(catalogue) as c:
        return c.execute("pragma integrity_check").fetchone() == ("ok",)


# ---- A full disk ----------------------------------------------------------------------------------------------


def full(s, is_full):
    """No file can be written any more; the system says so to a process that may write files of no size."""
    resource.prlimit(s.pid, resource.RLIMIT_FSIZE, (0 if is_full else resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def a_full_disk_loses_no_decision():
    s = start()
    assert decide(s, "before")[0] == 200
    model = open("blend.f0t", "rb").read()
    full(s, True)
    status, value, _ = decide(s, "during")
    assert status == 500 and value["error"]["message"], value
    status, value, _ = post(s, "/v1/write", {})
    assert status == 500 or all(f.get("error") for f in value["files"] if f["changed"] or f.get("error")), value
    assert not sidecars(), sidecars()
    assert learn(s).startswith("event: error"), learn(s)
    assert open("blend.f0t", "rb").read() == model
    assert s.ask("GET", "/v1/pictures?tag=sea")[1]["count"] == 12 and accepted(s) == {"before"}  # reading goes on
    full(s, False)
    assert decide(s, "after")[0] == 200 and accepted(s) == {"before", "after"}
    assert s.end() == 0 and is_whole()
    s = start()
    assert accepted(s) == {"before", "after"}
    for tag in ("before", "after"):
        assert decide(s, tag, decision="undecided")[0] == 200
    assert s.end() == 0


# ---- kill -9 ---------------------------------------------------------------------------------------------------


def kill(s, delay):
    time.sleep(delay)
    s.process.kill()
    s.process.wait()
    s.process.stdout.close()


def decisions_survive_kill_9():
    """What was answered is there; of what was not, all or nothing."""
    kept = set()
    for turn, delay in enumerate((0.05, 0.11, 0.17)):
        s = start()
        killer = threading.Thread(target=kill, args=(s, delay))
        killer.start()
        asked = None
        try:
            for i in range(100000):
                asked = f"kept {turn} {i}"
                pair = [{"picture": p, "tag": asked, "decision": "accepted"} for p in (1, 2)]
                status = post(s, "/v1/decisions", {"decisions": pair})[0]
                assert status == 200, status
                kept.add(asked)
        except (OSError, client.http.client.HTTPException):
            pass
        killer.join()
        s = start()
        now = [accepted(s, picture) for picture in (1, 2)]
        assert now[0] == now[1] and kept <= now[0] <= kept | {asked}, (kept, now, asked)
        kept = now[0]
        assert s.end() == 0 and is_whole()
    assert kept


def keywords_survive_kill_9():
    """Each sidecar is written as a whole or not at all, and the next call writes the rest."""
    s = start()
    for picture in range(1, 27):
        assert decide(s, "mine", picture)[0] == 200
    for delay in (0.004, 0.02, 0.05):
        killer = threading.Thread(target=kill, args=(s, delay))
        killer.start()
        try:
            post(s, "/v1/write", {})
        except (OSError, client.http.client.HTTPException):
            pass
        killer.join()
        for path in sidecars():
            assert "mine" in xml.dom.minidom.parse(path).toxml(), path
        s = start()
        assert {"mine"} <= accepted(s, 1)
    assert post(s, "/v1/write", {})[0] == 200
    assert len(sidecars()) == 26 and all("mine" in open(path, encoding="utf-8").read() for path in sidecars()), sidecars()
    assert not any(f["changed"] for f in post(s, "/v1/write", {"dry_run": True})[1]["files"])
    left = [name for name in os.listdir("art") if not name.endswith((".svg", ".xmp"))]
    assert not left, left
    assert s.end() == 0 and is_whole()


# ---- Files that are replaced -----------------------------------------------------------------------------------


def a_catalogue_that_is_replaced_is_refused():
    s = start()
    assert decide(s, "old")[0] == 200
    os.rename("catalogue.f0t", "aside.f0t")
    status, value, _ = decide(s, "lost")
    assert status == 500 and "the catalogue's file is gone" in value["error"]["message"], value
    os.rename("aside.f0t", "catalogue.f0t")
    assert decide(s, "back")[0] == 200 and {"old", "back"} <= accepted(s)
    with sqlite3.connect("catalogue.f0t") as a, sqlite3.connect("other.f0t") as b:
        a.backup(b)
    b.execute("pragma journal_mode = delete")
    b.close()
    a.close()
    os.rename("other.f0t", "catalogue.f0t")
    for path in ("/v1/pictures", "/v1/find?q=sea", "/v1/pictures/1/thumbnail"):
        status, value, _ = s.ask("GET", path)
        assert status == 500 and "was replaced by another one" in value["error"]["message"], value
    assert decide(s, "lost")[0] == 500 and post(s, "/v1/write", {})[0] == 500
    assert "was replaced by another one" in learn(s)
    assert s.ask("POST", "/v1/tag?k=1&name=a.svg", RED)[0] == 200 and s.ask("GET", "/healthz")[0] == 200
    assert s.end() == 0 and is_whole()
    s = start()
    assert {"old", "back"} <= accepted(s) and "lost" not in accepted(s)
    assert s.end() == 0


def a_model_that_is_no_file_leaves_the_old_one():
    """SIGHUP with a pipe in the model's place, from which nothing comes."""
    shutil.copy("blend.f0t", "live.f0t")
    s = Server("live.f0t")
    os.unlink("live.f0t")
    os.mkfifo("live.f0t")
    os.kill(s.pid, signal.SIGHUP)
    deadline = time.monotonic() + 30
    while "the model stays as it was" not in open("stderr.txt").read():
        assert time.monotonic() < deadline, open("stderr.txt").read()
        time.sleep(0.02)
    assert s.ask("POST", "/v1/tag?k=1&name=a.svg", RED)[0] == 200
    os.unlink("live.f0t")
    assert s.end() == 0


def the_file_that_was_read_last_is_served():
    """Many reload at the same time while requests come; none is lost, and the model is the newest file's."""
    token = "0123456789abcdef0123456789abcdef"
    open("token", "w").write(token + "\n")
    shutil.copy("blend.f0t", "live.f0t")
    s = Server("live.f0t", "--vectors", "v.txt", "--token-file", "token")
    s.token = token
    wrong, end = [], threading.Event()

    def ask(picture, tag):
        with_connection = s.open()
        while not end.is_set():
            status, value, _ = s.ask("POST", "/v1/tag?k=1&name=a.svg", picture, connection=with_connection)
            if status != 200 or value["pictures"][0]["tags"][0]["tag"] != tag:
                wrong.append((status, value))

    def reload():
        for _ in range(4):
            status, value, _ = s.ask("POST", "/v1/model/reload")
            if status != 200:
                wrong.append((status, value))
            os.kill(s.pid, signal.SIGHUP)

    askers = [threading.Thread(target=ask, args=((RED, "rose") if i else (BLUE, "sea"))) for i in range(3)]
    reloaders = [threading.Thread(target=reload) for _ in range(4)]
    for t in askers + reloaders:
        t.start()
    shutil.copy("three.f0t", "new.f0t")
    os.rename("new.f0t", "live.f0t")
    for t in reloaders:
        t.join()
    end.set()
    for t in askers:
        t.join()
    assert not wrong, wrong[0]
    assert s.ask("POST", "/v1/model/reload")[1]["tags"] == 3 and s.ask("GET", "/v1/model")[1]["tags"] == 3
    assert s.end() == 0


def lists_of_words_do_not_pile_up():
    s = Server("blend.f0t", "--vectors", "v.txt")
    kept = lambda: s.metrics()["fast0tag_word_lists"]
    first = ["flower", "lake"]
    features = [[1.0] + [0.0] * (s.ask("GET", "/v1/model")[1]["features"] - 1)]

    def best(words):
        connection = s.open()  # without holding thousands of unknown words to openapi.json
        connection.request("POST", "/v1/tag", json.dumps({"features": features, "vocabulary": words, "k": 2}), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        value = json.loads(answer.read())
        connection.close()
        assert answer.status == 200, value
        return value["pictures"][0]["tags"]

    before = best(first)
    for i in range(40):
        best(first + [f"unknown {i}"])
    assert kept() == 32 and best(first) == before  # made anew
    for i in range(6):
        best(first + [f"u {i} {j}" for j in range(19000)])
    assert kept() <= 5, kept()
    threads = [threading.Thread(target=lambda i=i: [best(first + [f"t {i} {j}"]) for j in range(8)]) for i in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert kept() <= 32 and best(first) == before
    assert s.end() == 0


CASES = [a_full_disk_loses_no_decision, decisions_survive_kill_9, keywords_survive_kill_9, a_model_that_is_no_file_leaves_the_old_one,
         the_file_that_was_read_last_is_served, lists_of_words_do_not_pile_up, a_catalogue_that_is_replaced_is_refused]


def main(only):
    failed = False
    for case in CASES:
        if only and case.__name__ not in only:
            continue
        began = time.monotonic()
        try:
            case()
            print(f"[       OK ] {case.__name__}", flush=True)
        except Exception:  # whatever it is, the case failed
            traceback.print_exc()
            print(open("stderr.txt").read()[-2000:], file=sys.stderr)
            print(f"[  FAILED  ] {case.__name__}", flush=True)
            failed = True
        if os.environ.get("TIMES"):
            print(f"  {time.monotonic() - began:.2f} s", file=sys.stderr)
    sys.exit(failed)


if __name__ == "__main__":
    main(sys.argv[1:])
