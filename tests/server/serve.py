"""fast0tag serve as clients meet it, good ones and bad ones. Called by tests/cli/serve.sh in an empty folder that has
photos.f0t (features alone, a blend) and art.f0t (pictures, linear), vectors.txt, art/ and some pictures."""
import http.client
import json
import os
import resource
import shutil
import signal
import socket
import struct
import sys
import threading
import time
import traceback
import zlib

import client
from client import Server

RED, BLUE = (open(f"art/{name}1.svg", "rb").read() for name in ("red", "blue"))
PICTURES = os.path.join(client.ROOT, "tests", "pictures")
JPEG = open(os.path.join(PICTURES, "quarters.jpg"), "rb").read()


def form(*parts, boundary=b"b0undary", end=True):
    """(body, headers) of multipart/form-data; a part is (field, filename or None, bytes)."""
    body = b""
    for field, filename, data in parts:
        name = f'; filename="{filename}"' if filename else ""
        body += b"--" + boundary + f'\r\nContent-Disposition: form-data; name="{field}"{name}\r\n\r\n'.encode() + data + b"\r\n"
    body += b"--" + boundary + b"--\r\n" if end else b""
    return body, {"Content-Type": "multipart/form-data; boundary=" + boundary.decode()}


def tags(picture):
    return [t["tag"] for t in picture["tags"]]


def png(width, height):
    """A picture of one colour in a thousandth of its size."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    packer, rows = zlib.compressobj(9), b""
    for _ in range(height):
        rows += packer.compress(bytes(width + 1))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", rows + packer.flush()) + chunk(b"IEND", b""))


def refused(want, words, answer):
    """An answer of Server.ask that says no with this status, and why."""
    status, value, _ = answer
    assert status == want and words in value["error"]["message"], (want, words, status, value)


# ---- What is asked as it should be ------------------------------------------------------------------------


def a_picture_gets_its_tags(s):
    status, value, _ = s.ask("POST", "/v1/tag?k=1&name=a.svg", RED)
    assert status == 200 and value["pictures"][0]["name"] == "a.svg" and tags(value["pictures"][0]) == ["rose"], value
    status, value, _ = s.ask("POST", "/v1/tag?k=2", JPEG, {"Content-Type": "image/jpeg"})
    assert status == 200 and len(tags(value["pictures"][0])) == 2, value


def other_words_are_ranked(s):
    for _ in range(2):  # the second time they are known
        _, value, _ = s.ask("POST", "/v1/tag?k=9&name=a.svg&vocabulary=flower,%20lake&vocabulary=zzz", BLUE)
        assert tags(value["pictures"][0]) == ["lake", "flower"] and value["unknown"] == ["zzz"], value
    counts = lambda: [s.metrics()['fast0tag_pictures_total{result="%s"}' % result] for result in ("tagged", "failed")]
    tagged, failed = counts()
    status, value, _ = s.ask("POST", "/v1/tag?vocabulary=zzz", BLUE)
    assert status == 422 and "none of its words has a vector" in value["error"]["message"], value
    assert counts() == [tagged, failed + 1], counts()
    for i in range(34):  # more lists than are kept
        assert s.ask("POST", f"/v1/tag?k=1&name=a.svg&vocabulary=lake,w{i}", BLUE)[0] == 200


def other_words_need_vectors(s):
    refused(422, "this server has no word vectors: start it with --vectors", s.ask("POST", "/v1/tag?vocabulary=sea", RED))


def a_form_has_several_pictures(s):
    body, headers = form(("a", "red.svg", RED), ("k", None, b"1"), ("b", "../../blue.svg", BLUE),
                         ("c", "broken.jpg", JPEG[:20]), ("vocabulary", None, b"rose,lake"))
    status, value, _ = s.ask("POST", "/v1/tag", body, headers)
    red, blue, broken = value["pictures"]
    assert status == 200 and tags(red) == ["rose"] and tags(blue) == ["lake"] and blue["name"] == "blue.svg", value
    assert "tags" not in broken and "broken.jpg" in broken["error"]["message"], value


def a_form_may_come_byte_by_byte(s):
    body, headers = form(("k", None, b"1"), ("a", "red.svg", RED), ("vocabulary", None, b"rose,lake"), ("b", "blue.svg", BLUE))
    status, value, _ = s.ask("POST", "/v1/tag", [bytes([byte]) for byte in body], headers)  # each a chunk
    assert status == 200 and [tags(p) for p in value["pictures"]] == [["rose"], ["lake"]], value


def wrong_parameters_are_named(s):
    for query, words in (("k=0", "k: "), ("k=1e99", "k: "), ("k=nan", "k: "), ("confidence=2", "confidence: "),
                         ("confidence=", "confidence: "), ("size=3", "the parameters are"),
                         ("vocabulary=" + "x" * 2000, "vocabulary: ")):
        status, value, _ = s.ask("POST", "/v1/tag?" + query, RED)
        assert status == 400 and words in value["error"]["message"], (query, value)
    status, value, _ = s.ask("POST", "/v1/tag?confidence=0.5&name=a.svg", RED)
    assert status == 422, value  # a linear map has none
    refused(400, "the body is empty: send a picture, a form", s.ask("POST", "/v1/tag", b""))
    status, value, _ = s.ask("POST", "/v1/tag?name=notes.txt", b"no picture")
    assert status == 422 and value["error"]["message"] == "notes.txt: is not a known file format", value


def no_request_brings_a_network(s):
    """Nor a model, nor the path of a file: what computes is what the command line names."""
    for query in ("backbone=net.onnx", "model=other.f0t", "vectors=v.txt", "path=a.svg", "file=/etc/passwd"):
        status, value, _ = s.ask("POST", "/v1/tag?" + query, RED)
        assert status == 400 and "the parameters are" in value["error"]["message"], (query, value)
    network = b"\x08\x08\x12\x07pytorch:\x10\n\x01x\x12\x01y\"\x04Relu\x12\x01g"
    for name in ("net.onnx", "model.f0t", "weights.safetensors"):
        status, value, _ = s.ask("POST", "/v1/tag?name=" + name, network)
        assert status == 422 and value["error"]["message"] == name + ": is not a known file format", value
    body = json.dumps({"features": [[1.0] * 8], "backbone": "net.onnx"})
    status, value, _ = s.ask("POST", "/v1/tag", body, {"Content-Type": "application/json"})
    assert status == 400, value
    for path in ("/v1/model", "/v1/backbone", "/v1/network"):
        assert s.ask("POST", path, network)[0] in (404, 405), path


def features_are_json(s):
    row = [1.0] * 8
    ask = lambda value, path="/v1/tag": s.ask("POST", path, value if isinstance(value, bytes) else json.dumps(value),
                                              {"Content-Type": "application/json; charset=utf-8"})
    status, value, _ = ask({"features": [row, [0] * 8], "k": 2, "vocabulary": ["cat", "lake", "straße"]})
    assert status == 200 and [len(tags(p)) for p in value["pictures"]] == [2, 2] and value["unknown"] == ["straße"], value
    status, value, _ = ask({"features": [row], "confidence": 0.999999})
    assert status == 200 and value["pictures"][0]["tags"] == [], value
    for wrong, words in ((b"{", "is not JSON: line 1"), (b"[]", "not a JSON object"), ({}, "no features"),
                         ({"features": []}, "features: "), ({"features": [[]]}, "features: "),
                         ({"features": [row, [1]]}, "row 2"), ({"features": [["a"] + row[1:]]}, "row 1, place 1"),
                         (b'{"features": [[1e999]]}', "is not JSON"), (b'{"features": [[1e300]]}', "place 1"),
                         ({"features": [row] * 65}, "65 rows"), ({"features": [row], "vocabulary": "cat"}, "vocabulary"),
                         ({"features": [row], "vocabulary": [1]}, "vocabulary"), ({"features": [row], "k": 1.5}, "k: "),
                         ({"features": [row], "extra": 1}, "'extra'"), (b'{"features": [[' + b"1," * 1100000 + b"1]]}", "too many values"),
                         (b"[" * 100000, "is not JSON")):
        status, value, _ = ask(wrong)
        assert status == 400 and words in value["error"]["message"], (str(wrong)[:80], value)
    status, value, _ = ask({"features": [[1, 2]]})
    assert status == 422 and "the model takes 8" in value["error"]["message"], value
    status, value, _ = ask({"features": [row]}, "/v1/tag?k=3")
    assert status == 400 and "members of the body" in value["error"]["message"], value
    status, value, _ = s.ask("POST", "/v1/tag", RED)
    assert status == 400 and "features only" in value["error"]["message"], value


def the_server_tells_how_it_is(s):
    assert s.ask("GET", "/healthz")[1] == {"status": "ok"} and s.ask("GET", "/readyz")[1] == {"status": "ready"}
    assert s.ask("HEAD", "/healthz")[0] == 200
    page = s.ask("GET", "/", headers={"Authorization": ""})[1].decode()
    for name in ("app.js", "style.css", "icon.svg"):
        assert f"/page/{name}" in page and s.ask("GET", "/page/" + name, headers={"Authorization": ""})[0] == 200
    assert s.ask("GET", "/page/none.js")[0] == 404 and s.ask("GET", "/page/..%2fopenapi.json")[0] == 404
    assert s.ask("GET", "/openapi.json")[1] == client.API
    model = s.ask("GET", "/v1/model")[1]
    assert model["takes_pictures"] and model["takes_words"] and model["tags"] == 2, model
    metrics = s.metrics()
    assert metrics['fast0tag_requests_total{route="/healthz",status="200"}'] >= 2, metrics
    assert metrics["fast0tag_resident_memory_bytes"] > 1e6 and metrics["fast0tag_queue_length"] == 0


def only_what_is_described_answers(s):
    for path in ("/page", "/v1", "/v1/", "/v1/tag/", "/v1/tags", "/healthz/x", "/..%2f..%2fetc/passwd", "//healthz"):
        if client.described(path) is None:
            refused(404, "there is no such path; /openapi.json lists them", s.ask("GET", path))
    for method in ("GET", "PUT", "DELETE", "OPTIONS", "PATCH"):
        answer = s.ask(method, "/v1/tag")
        refused(405, "this path has another method", answer)
        assert answer[2]["Allow"] == "POST", method
    assert s.ask("POST", "/healthz", b"x")[0] == 405


# ---- Who may ask ----------------------------------------------------------------------------------------------


def other_names_and_other_sites_are_refused(s):
    for host in ("evil.example", "evil.example:%d" % s.port, "127.0.0.1.evil.example", "[::2]", "", "a:b:c"):
        refused(421, "this server has another name; --allow-host names one", s.ask("GET", "/healthz", headers={"Host": host}))
    for host in ("localhost", "LOCALHOST:%d" % s.port, "[::1]:80", "tags.example:443"):
        assert s.ask("GET", "/healthz", headers={"Host": host})[0] == 200, host
    own = "127.0.0.1:%d" % s.port
    for origin, site, want in (("http://evil.example", None, 403), ("null", None, 403), ("http://" + own, None, 200),
                               ("http://" + own + ".evil.example", None, 403), ("http://" + own, "cross-site", 403),
                               (None, "same-site", 403), (None, "none", 200), ("http://" + own, "same-origin", 200)):
        headers = {k: v for k, v in (("Origin", origin), ("Sec-Fetch-Site", site)) if v}
        answer = s.ask("GET", "/readyz", headers=headers)
        assert answer[0] == want, headers
        if want == 403:
            refused(403, "pages of other sites may not ask this server", answer)
    assert s.ask("GET", "/", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})[0] == 200  # a link


def the_token_is_needed(s):
    for wrong in ("Bearer " + s.token[:-1], "Bearer " + s.token + "x", "Bearer ", "Basic " + s.token, s.token, "Bearer " + s.token.upper()):
        answer = s.ask("POST", "/v1/tag", RED, {"Authorization": wrong})
        refused(401, "the token is missing or wrong: Authorization: Bearer TOKEN", answer)
        assert answer[2]["WWW-Authenticate"] == "Bearer", wrong
        for path in ("/metrics", "/openapi.json", "/v1/model"):
            assert s.ask("GET", path, headers={"Authorization": wrong})[0] == 401
        assert s.ask("POST", "/v1/model/reload", headers={"Authorization": wrong})[0] == 401
    assert s.ask("GET", "/nowhere", headers={"Authorization": ""})[0] == 401
    assert s.ask("GET", "/healthz", headers={"Authorization": ""})[0] == 200
    assert s.ask("POST", "/v1/tag?name=a.svg", RED)[0] == 200


# ---- What goes wrong ------------------------------------------------------------------------------------------


HEAD = b"POST /v1/tag HTTP/1.1\r\nHost: localhost\r\n"


def half_sent_bodies_and_slow_senders_are_closed(s):
    """The server closes them after --timeout 1, while others are answered."""
    slow = [s.connect() for _ in range(4)]
    slow[0].sendall(HEAD + b"Content-Length: 1000\r\n\r\nhalf")
    slow[1].sendall(HEAD[:30])
    slow[2].sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab")
    began = time.monotonic()
    slow[3].sendall(HEAD + b"Content-Length: 100000\r\n\r\n")
    open_still = True
    while open_still and time.monotonic() - began < 30:  # a byte from time to time does not help
        try:
            slow[3].sendall(b"x")
            slow[3].settimeout(0.1)
            open_still = slow[3].recv(1) != b""
        except socket.timeout:
            pass
        except OSError:
            open_still = False
        assert s.ask("POST", "/v1/tag?k=1&name=a.svg", RED)[0] == 200
    assert not open_still
    for c in slow[:3]:
        c.settimeout(30)
        try:
            assert c.recv(100) == b""
        except ConnectionResetError:
            pass
    for c in slow:
        c.close()


SLOW = (b'<svg xmlns="http://www.w3.org/2000/svg" width="512" height="512"><filter id="f" x="0" y="0" width="1" height="1">'
        b'<feTurbulence baseFrequency=".05" numOctaves="9000"/></filter><rect width="512" height="512" filter="url(#f)"/></svg>')


def a_slow_picture_holds_up_nobody(s):
    """It is ended after its time, and others that came later are answered before."""
    order = []

    def one():
        status, value, _ = s.ask("POST", "/v1/tag?name=slow.svg", SLOW)
        order.append(("slow", status))

    batches = s.metrics()["fast0tag_batches_total"]
    slow = threading.Thread(target=one)
    slow.start()
    while s.metrics()["fast0tag_requests_active"] < 2 or s.metrics()["fast0tag_queue_length"]:  # until a worker has it
        time.sleep(0.01)
        if s.metrics()["fast0tag_batches_total"] > batches:
            break
    for _ in range(2):
        assert s.ask("POST", "/v1/tag?k=1&name=a.svg", RED)[0] == 200
        order.append(("quick", 200))
    slow.join()
    assert order[-1] == ("slow", 422), order


def clients_that_leave_harm_nobody(s):
    for _ in range(20):
        c = s.connect()
        c.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(RED) + RED)
        c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        c.close()  # with a reset, before the answer
    assert s.ask("POST", "/v1/tag?k=1&name=a.svg", RED)[0] == 200


def wrong_forms_are_refused(s):
    good, headers = form(("a", "a.svg", RED))
    body, _ = form(("a", "a.svg", RED), end=False)
    truncated, nothing = "the multipart body is malformed or truncated", "the form has no picture: a part with a filename"
    for (data, head), words in (((body, headers), truncated), ((b"nothing", headers), nothing),
                                ((b"", headers), "the form has no picture"),
                                ((good, {"Content-Type": "multipart/form-data"}), "multipart/form-data without a boundary"),
                                ((good, {"Content-Type": "multipart/form-data; boundary=other"}), nothing),
                                (form(("size", None, b"3")), "a form has pictures, which have a filename"),
                                (form(("k", None, b"3")), nothing),
                                (form(("a", "a.svg", RED), ("k", None, b"-3")), "k: a whole number from 1 to")):
        refused(400, words, s.ask("POST", "/v1/tag", data, head))
    for one, count in ((RED, 9), (b"", 99)):
        status, value, _ = s.ask("POST", "/v1/tag", *form(*[("a", f"{i}.svg", one) for i in range(count)]))
        assert status == 413, value


def what_is_too_large_is_refused_at_once(s):
    status, body = s.raw(HEAD + b"Content-Length: 2147483648\r\n\r\nsome")
    assert status == 413 and b"at most 1 megabytes" in body, body
    with s.connect() as c:  # without a length, it is known when it has come
        c.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        for _ in range(40):
            c.sendall(b"10000\r\n" + bytes(65536) + b"\r\n")
        c.sendall(b"0\r\n\r\n")
        answer = http.client.HTTPResponse(c)
        answer.begin()
        assert answer.status == 413, answer.status
    for bad in (b"Content-Length: -1\r\n\r\n", b"Content-Length: x\r\n\r\n"):
        try:
            assert s.raw(HEAD + bad)[0] == 400
        except (ConnectionError, http.client.HTTPException):
            pass
    long = s.raw(b"GET /" + b"x" * 100000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert long[0] in (414, 431), long
    end = time.monotonic() + 5  # a connection gives its memory back when it is closed, after the answer
    while s.metrics()["fast0tag_request_body_bytes"] and time.monotonic() < end:
        time.sleep(0.05)
    assert s.metrics()["fast0tag_request_body_bytes"] == 0


def a_picture_bomb_is_refused(s):
    bomb = png(4000, 4000)
    assert len(bomb) < 1 << 20
    status, value, _ = s.ask("POST", "/v1/tag?name=bomb.png", bomb)
    assert status == 422 and value["error"]["message"] == "bomb.png: has 4000 x 4000 pixels: at most 2 million", value
    entities = b'<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa">' + b"".join(
        b'<!ENTITY %c "%s">' % (98 + i, b"&%c;" % (97 + i) * 10) for i in range(9)) + b']><svg xmlns="http://www.w3.org/2000/svg">&j;</svg>'
    status, value, _ = s.ask("POST", "/v1/tag?name=bomb.svg", entities)
    assert status in (200, 422), value


def idle_connections_cost_little(s):
    """2,000 of them, or as many as may be."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    count = min(2000, most - 200)
    before = s.metrics()["fast0tag_resident_memory_bytes"]
    idle = []
    for _ in range(count):
        idle.append(s.connect())
    assert s.ask("POST", "/v1/tag?k=1&name=a.svg", RED)[0] == 200
    metrics = s.metrics()
    assert metrics["fast0tag_connections"] >= count, metrics["fast0tag_connections"]
    assert metrics["fast0tag_resident_memory_bytes"] - before < 80e6
    for c in idle:
        c.close()


def dies(pid):
    """Whether a process that was killed still has threads."""
    return (open(f"/proc/{pid}/stat").read().rsplit(") ", 1)[1][0] != "Z" or len(os.listdir(f"/proc/{pid}/task")) > 1)


def a_decoder_that_is_killed_is_started_again(s):
    assert s.ask("POST", "/v1/tag?name=a.svg", RED)[0] == 200
    helpers = s.helpers()
    assert helpers, "no process decodes"
    for pid in helpers:
        os.kill(pid, signal.SIGKILL)
        while dies(pid):
            time.sleep(0.01)
    for picture in (RED, BLUE):
        assert s.ask("POST", "/v1/tag?name=a.svg", picture)[0] == 200


def many_clients_get_their_own_answers(s, seconds=0.5, between=lambda: None):
    """Each connection asks again and again; how many answers there were."""
    wrong, counts, end = [], [], threading.Event()

    def one(picture, tag):
        connection, count = s.open(), 0
        while not end.is_set():
            status, value, _ = s.ask("POST", "/v1/tag?k=1&name=a.svg", picture, connection=connection)
            if status != 200 or tags(value["pictures"][0]) != [tag]:
                wrong.append((status, value))
            count += 1
        counts.append(count)

    threads = [threading.Thread(target=one, args=((RED, "rose") if i % 2 else (BLUE, "sea"))) for i in range(8)]
    for t in threads:
        t.start()
    between()
    time.sleep(seconds)
    end.set()
    for t in threads:
        t.join()
    assert not wrong, wrong[0]
    assert min(counts) > 0
    return sum(counts)


def the_model_is_swapped_under_load(s):
    first = s.ask("GET", "/v1/model")[1]["number"]

    def swap():
        for _ in range(3):
            status, model, _ = s.ask("POST", "/v1/model/reload")
            assert status == 200, model
        os.kill(s.pid, signal.SIGHUP)

    many_clients_get_their_own_answers(s, between=swap)
    deadline = time.monotonic() + 30
    while s.ask("GET", "/v1/model")[1]["number"] < first + 4 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert s.ask("GET", "/v1/model")[1]["number"] == first + 4


def a_damaged_model_leaves_the_old_one(s):
    before = s.ask("GET", "/v1/model")[1]
    shutil.copy("live.f0t", "good.f0t")
    with open("live.f0t", "r+b") as f:
        f.truncate(os.path.getsize("live.f0t") // 2)
    status, value, _ = s.ask("POST", "/v1/model/reload")
    assert status == 500 and "live.f0t" in value["error"]["message"], value
    assert s.ask("GET", "/v1/model")[1] == before
    assert s.ask("POST", "/v1/tag?k=1&name=a.svg", RED)[0] == 200
    assert s.metrics()['fast0tag_model_loads_total{result="failed"}'] == 1
    os.rename("good.f0t", "live.f0t")


def a_full_queue_says_so(s):
    """A queue of one request: of many at a time some are refused, with Retry-After, and none is lost."""
    seen, lock = [], threading.Lock()

    def one():
        answer = s.ask("POST", "/v1/tag?k=1&name=a.svg", RED)
        with lock:
            seen.append((answer[0], answer[2].get("Retry-After")))
        if answer[0] == 429:
            refused(429, "too many requests are waiting; try again", answer)

    for _ in range(20):
        threads = [threading.Thread(target=one) for _ in range(24)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        if (429, "1") in seen:
            break
    assert {status for status, _ in seen} == {200, 429} and (429, "1") in seen, set(seen)
    assert s.ask("POST", "/v1/tag?k=1&name=a.svg", RED)[0] == 200


def reloading_needs_a_token(s):
    refused(403, "this is for servers with a token alone; SIGHUP does the same", s.ask("POST", "/v1/model/reload"))


def end_listening(s):
    """SIGTERM; then until no connection is taken any more."""
    s.process.send_signal(signal.SIGTERM)
    for _ in range(1000):
        try:
            s.connect().close()
            time.sleep(0.01)
        except OSError:
            break


def ending_finishes_what_is_under_way(s):
    """A request whose body is half sent when SIGTERM comes is answered; new connections are not taken."""
    c = s.connect()
    c.sendall(HEAD.replace(b"tag ", b"tag?k=1&name=a.svg ") + b"Content-Length: %d\r\n\r\n" % len(RED) + RED[:50])
    idle = s.connect()
    kept = s.open()
    assert s.ask("GET", "/readyz", connection=kept)[0] == 200
    while s.metrics()["fast0tag_requests_active"] < 2:  # that one, and this
        time.sleep(0.01)
    end_listening(s)
    answer = s.ask("GET", "/readyz", connection=kept)
    refused(503, "the server is ending", answer)
    assert answer[2]["Connection"] == "close", answer
    c.sendall(RED[50:])
    answer = http.client.HTTPResponse(c)
    answer.begin()
    assert answer.status == 200 and b"rose" in answer.read()
    c.close()
    idle.close()
    assert s.process.wait(60) == 0  # a second signal would end it at once
    assert open("stderr.txt").read() == "", open("stderr.txt").read()


def everything_that_is_described_was_answered(s):
    """What every path can answer by itself; the rest (no memory, no disk) is hard to bring about."""
    with_catalogue = s.ask("GET", "/v1/model")[1]["catalogue"]
    for path, methods in client.API["paths"].items():
        if ("(serve -c)" in str(methods)) != with_catalogue:
            continue
        wanted = ("200",) if path == "/v1/learn" else ("200", "400", "401", "413", "422", "429") if path == "/v1/tag" else ("200", "400") if with_catalogue else ("200",) if path.startswith("/page") or path == "/" else ("200", "401")
        for method, operation in methods.items():
            for status in wanted:
                if status in operation["responses"]:
                    assert (path, method, status) in client.answered, f"{method} {path}: {status} never came"


# ---- A catalogue ------------------------------------------------------------------------------------------------


def post(s, path, value):
    return s.ask("POST", path, json.dumps(value), {"Content-Type": "application/json"})


def pictures_are_listed(s):
    count = s.ask("GET", "/v1/pictures?limit=3")[1]["count"]
    ids, after = [], 0
    while True:
        page = s.ask("GET", f"/v1/pictures?limit=7&after={after}")[1]["pictures"]
        if not page:
            break
        ids += [p["id"] for p in page]
        after = ids[-1]
    assert ids == s.ask("GET", "/v1/pictures?ids=1")[1]["ids"] and len(ids) == count == 26, ids
    assert s.ask("GET", "/v1/pictures?tag=sea")[1]["count"] == 12
    untagged = s.ask("GET", "/v1/pictures?untagged=1&order=path")[1]["pictures"]
    assert [os.path.basename(p["path"]) for p in untagged] == ["new1.svg", "new2.svg"], untagged
    assert s.ask("GET", "/v1/pictures?from=0")[1]["count"] == 0  # none has a date
    all_at_once = s.ask("GET", "/v1/pictures?ids=1&order=path")[1]
    assert len(all_at_once["ids"]) == len(all_at_once["names"]) == 26 and all_at_once["names"][0] == "blue1.svg", all_at_once
    sures = lambda path: [t["confidence"] for p in s.ask("GET", path)[1]["pictures"] for t in p["tags"]]
    offered, weak = sures("/v1/suggestions?limit=1000"), sures("/v1/suggestions?limit=1000&confidence=0")
    least = s.ask("GET", "/v1/model")[1]["confidences"]["offered"]
    assert min(weak) < least and sorted(offered) == sorted(c for c in weak if c >= least), (offered, weak)
    one = next(p for p in s.ask("GET", "/v1/suggestions?limit=1000&confidence=0")[1]["pictures"] if p["tags"][0]["confidence"] < least)["id"]
    open_tags = lambda query: [t for t in s.ask("GET", "/v1/pictures/%d%s" % (one, query))[1]["tags"] if not t["keyword"]]
    assert not open_tags("") and open_tags("?confidence=0")
    one = s.ask("GET", "/v1/pictures/%d" % ids[0])[1]
    assert [t["tag"] for t in one["tags"] if t["keyword"]] == ["sea"], one
    status, data, headers = s.ask("GET", "/v1/pictures/%d/thumbnail" % ids[0])
    assert status == 200 and data[:3] == b"\xff\xd8\xff" and "max-age" in headers["Cache-Control"]
    for path in ("/v1/pictures/999", "/v1/pictures/0", "/v1/pictures/-1/thumbnail", "/v1/pictures/1e9", "/v1/pictures/%2e%2e",
                 "/v1/pictures/99999999999999999999/thumbnail", "/v1/pictures/999/why?tag=sea"):
        refused(404, "has no picture 999" if "/999" in path and "9999" not in path else "there is no picture of this number", s.ask("GET", path))
    wide, other = "a whole number in its range is expected", "there is no such parameter; /openapi.json lists them"
    for query, words in (("limit=0", "limit: " + wide), ("limit=9999", wide), ("limit=x", wide), ("after=-1", "after: " + wide),
                         ("order=size", "order: id, date or path is expected"), ("confidence=3", "confidence: a number from 0 to 1"),
                         ("path=x", other), ("from=", "from: " + wide), ("tag=%ff", "a parameter is not UTF-8"), ("ids=1&x=1", other)):
        refused(400, words, s.ask("GET", "/v1/pictures?" + query))
        assert s.ask("GET", "/v1/suggestions?" + query)[0] == 400, query
    assert s.ask("GET", "/v1/pictures/1?x=1")[0] == 400 and s.ask("GET", "/v1/pictures/1/thumbnail?x=1")[0] == 400


def pictures_are_found(s):
    found = s.ask("GET", "/v1/find?q=sea")[1]
    assert found["certain"] and len(found["pictures"]) >= 12 and all("blue" in p["path"] for p in found["pictures"][:12]), found
    found = s.ask("GET", "/v1/find?q=lake&k=3")[1]  # nothing is certain of a word that is hardly known
    assert len(found["pictures"]) == 3 and found["words"][0]["kind"] == "new", found
    found = s.ask("GET", "/v1/find?q=tag%3Asea%20-rose")[1]
    assert len(found["pictures"]) == 12, found
    like = s.ask("GET", "/v1/find?like=1&k=5")[1]["pictures"]
    assert len(like) == 5 and all("blue" in p["path"] or "new2" in p["path"] for p in like), like
    for query, want in (("", 400), ("q=", 400), ("q=%22", 400), ("q=zzz", 404), ("like=999", 404), ("like=/etc/passwd", 400), ("q=sea&k=0", 400)):
        assert s.ask("GET", "/v1/find?" + query)[0] == want, query
    why = s.ask("GET", "/v1/pictures/25/why?tag=rose")[1]
    assert why["learned"] and why["near"][0]["tag"] == "sea" and all("red" in p["path"] for p in why["pictures"]), why
    refused(400, "tag: one of the picture's tags is expected", s.ask("GET", "/v1/pictures/25/why"))


def what_is_decided_is_kept_and_written(s):
    first = s.ask("GET", "/v1/suggestions?confidence=0.01&order=path")[1]["pictures"][-1]
    tag = first["tags"][0]["tag"]
    assert s.ask("GET", "/v1/tags?prefix=S")[1]["tags"][0]["tag"] == "sea" and s.ask("GET", "/v1/tags?limit=x")[0] == 400
    one = {"picture": first["id"], "tag": tag, "decision": "accepted"}
    few, form_of = "decisions: an array of at most 1000 is expected", "decisions: an array of {"
    for wrong, words in (({}, few), ([], "the body is not a JSON object"),
                         ({"decisions": [one], "x": 1}, "the body has a member that is not known"), ({"decisions": one}, few),
                         ({"decisions": [{**one, "decision": "maybe"}]}, "decision: accepted, rejected or undecided is expected"),
                         ({"decisions": [{**one, "picture": "1"}]}, form_of), ({"decisions": [{**one, "tag": ""}]}, form_of),
                         ({"decisions": [one] * 1001}, few), ({"decisions": ["x" * (1 << 20)]}, "the body is too long for this request")):
        refused(400, words, post(s, "/v1/decisions", wrong))
    # not said to be JSON: a page of another site may send it
    refused(400, "the body must be JSON", s.ask("POST", "/v1/decisions", b"{}"))
    status, value, _ = post(s, "/v1/decisions", {"decisions": [one, {**one, "picture": 999}]})
    assert status == 404, value  # all or none
    state = lambda: [t["decision"] for t in s.ask("GET", "/v1/pictures/%d?confidence=0" % first["id"])[1]["tags"] if t["tag"] == tag]
    assert state() == ["undecided"]
    assert post(s, "/v1/decisions", {"decisions": [one, {**one, "tag": "a dog"}]})[1] == {"decided": 2}
    assert state() == ["accepted"]
    undone = s.ask("POST", "/v1/decisions/undo")[1]["undone"]  # the request as a whole
    assert undone == {"picture": first["id"], "tag": tag, "was": "accepted", "is": "undecided", "count": 2}, undone
    assert state() == ["undecided"] and s.ask("POST", "/v1/decisions/undo")[1] == {"undone": None}
    assert post(s, "/v1/decisions", {"decisions": [one]})[1] == {"decided": 1}
    assert s.ask("POST", "/v1/decisions/undo?x=1")[0] == 400
    sidecar = first["path"] + ".xmp"
    files = post(s, "/v1/write", {"dry_run": True})[1]["files"]
    assert [(f["file"], f["changed"]) for f in files] == [(sidecar, True)] and not os.path.exists(sidecar), files
    for wrong in ({"where": "/tmp"}, {"dry_run": 1}, {"dry_run": "true"}, {"dry_run": None}, {"dry_run": True, "undo": 0}):
        refused(400, "the body has a member that is not known" if "where" in wrong else "true or false is expected",
                post(s, "/v1/write", wrong))
        assert not os.path.exists(sidecar), wrong
    assert post(s, "/v1/write", {})[0] == 200 and tag in open(sidecar).read()
    assert post(s, "/v1/write", {"undo": True})[0] == 200 and not os.path.exists(sidecar)
    s.process.kill()  # what was answered is on the disk
    s.process.wait()
    again = start("catalogue")
    assert [t["decision"] for t in again.ask("GET", "/v1/pictures/%d?confidence=0" % first["id"])[1]["tags"] if t["tag"] == tag] == ["accepted"]
    s.process, s.port, s.pid = again.process, again.port, again.pid


def only_the_model_that_is_served_learns(s):
    shutil.copy("blend.f0t", "copy.f0t")
    os.symlink("blend.f0t", "link.f0t")
    for model, want in (("copy.f0t", 409), ("link.f0t", 200)):
        other = Server(model, "-c", "catalogue.f0t", "--vectors", "v.txt")
        answer = other.ask("POST", "/v1/learn")
        assert other.end() == 0 and answer[0] == want, (model, answer)
        if want == 409:
            refused(409, "the catalogue's model learns, and another one is served", answer)


def corrections_are_learned(s):
    ids = s.ask("GET", "/v1/pictures?tag=rose&limit=6")[1]["pictures"]
    post(s, "/v1/decisions", {"decisions": [{"picture": p["id"], "tag": "crimson", "decision": "accepted"} for p in ids]})
    before = s.ask("GET", "/v1/model")[1]
    busy = s.open()
    busy.request("POST", "/v1/learn")
    first = busy.getresponse()
    answer = s.ask("POST", "/v1/learn")
    if answer[0] != 200:  # else the first one has ended
        refused(409, "the server is learning already", answer)
    text = client.check_answer("POST", "/v1/learn", first.status, first.headers, first.read())
    events = [e.split("\n") for e in text.decode().strip().split("\n\n")]
    names = [e[0] for e in events]
    assert names[-1] == "event: done" and set(names[:-1]) <= {"event: progress"}, events[-1]
    done = json.loads(events[-1][1][len("data: "):])
    assert done["pictures"] >= 24 and done["tags"] == 3 and done["seconds"] > 0, done
    after = s.ask("GET", "/v1/model")[1]
    assert after["number"] > before["number"] and after["tags"] == 3, after
    found = s.ask("GET", "/v1/find?q=crimson")[1]  # the new model is asked
    assert found["words"][0]["kind"] == "learned" and len(found["pictures"]) >= 6, found
    assert s.ask("POST", "/v1/learn?x=1")[0] == 400
    left = s.connect()  # one who leaves ends nothing
    left.sendall(b"POST /v1/learn HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
    left.recv(10)
    left.close()


def learned(s, how=""):
    """Learns, and returns what the last event says."""
    status, text, _ = s.ask("POST", "/v1/learn" + how)
    assert status == 200, text
    name, data = (text if isinstance(text, str) else text.decode()).strip().split("\n\n")[-1].split("\n")
    assert name == "event: done", data
    return json.loads(data[len("data: "):])


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def what_the_page_learns_is_what_the_program_trains(s):
    """refitted.f0t and trained.f0t are of the command line, from copies of the catalogue."""
    first = bytes_of("blend.f0t")
    done = learned(s)
    assert done["new_tags"] == [] and done["pictures"] == 26, done  # "roses" is the model's "rose"
    refitted = bytes_of("blend.f0t")
    assert refitted == bytes_of("refitted.f0t") != first
    done = learned(s, "?anew=1")
    trained = bytes_of("blend.f0t")
    assert done["pictures"] == 26 and trained == bytes_of("trained.f0t") != refitted
    assert bytes_of("blend.f0t.before") == refitted
    done = learned(s, "?undo=1")
    assert done["pictures"] == 0 and done["suggested"] == 28 and done["tags"] == 2, done
    assert (bytes_of("blend.f0t"), bytes_of("blend.f0t.before")) == (refitted, trained)
    assert learned(s, "?undo=1")["tags"] == 2 and bytes_of("blend.f0t") == trained
    refused(400, "anew and undo exclude each other", s.ask("POST", "/v1/learn?anew=1&undo=1"))


def nothing_is_learned_at_the_end(s):
    """A request that is half sent keeps the server from ending before it is asked to learn."""
    half, kept = s.connect(), s.open()
    half.sendall(HEAD + b"Content-Length: 1000\r\n\r\nhalf")
    assert s.ask("GET", "/readyz", connection=kept)[0] == 200
    while s.metrics()["fast0tag_requests_active"] < 2:  # that one, and this
        time.sleep(0.01)
    end_listening(s)
    status, value, _ = s.ask("POST", "/v1/learn", connection=kept)
    assert status == 503 and value["error"]["message"] == "the server is ending", (status, value)
    half.close()
    assert s.process.wait(60) == 0


def without_a_catalogue_there_are_no_pictures(s):
    for path in ("/v1/pictures", "/v1/find?q=sea", "/v1/pictures/1/thumbnail"):
        assert s.ask("GET", path)[0] == 404, path


CASES = {
    "token": [a_picture_gets_its_tags, other_words_are_ranked, a_form_has_several_pictures,
              a_form_may_come_byte_by_byte, wrong_parameters_are_named, no_request_brings_a_network,
              the_server_tells_how_it_is, only_what_is_described_answers, other_names_and_other_sites_are_refused,
              the_token_is_needed, a_decoder_that_is_killed_is_started_again, idle_connections_cost_little,
              the_model_is_swapped_under_load, a_damaged_model_leaves_the_old_one],
    "small": [other_words_need_vectors, half_sent_bodies_and_slow_senders_are_closed, clients_that_leave_harm_nobody, wrong_forms_are_refused,
              what_is_too_large_is_refused_at_once, a_picture_bomb_is_refused, reloading_needs_a_token],
    "queue": [a_slow_picture_holds_up_nobody, a_full_queue_says_so],
    "features": [features_are_json],
    "catalogue": [pictures_are_listed, pictures_are_found, what_is_decided_is_kept_and_written,
                  only_the_model_that_is_served_learns, corrections_are_learned,
                  everything_that_is_described_was_answered, nothing_is_learned_at_the_end],
    "learning": [what_the_page_learns_is_what_the_program_trains],
    "end": [without_a_catalogue_there_are_no_pictures, everything_that_is_described_was_answered, ending_finishes_what_is_under_way],
}
TOKEN = "0123456789abcdef0123456789abcdef"


def start(name):
    arguments = {
        "token": ["live.f0t", "--vectors", "v.txt", "--token-file", "token", "--allow-host", "tags.example"],
        "small": ["art.f0t", "--timeout", "1", "--max-body", "1", "--max-pixels", "2", "--max-pictures", "8", "--workers", "2"],
        "queue": ["art.f0t", "--queue", "1", "--batch", "1", "--max-picture-time", "3"],
        "features": ["photos.f0t", "--vectors", "vectors.txt"],
        "catalogue": ["-c", "catalogue.f0t", "--vectors", "v.txt"],
        "learning": ["-c", "catalogue.f0t", "--vectors", "v.txt"],
        "end": ["art.f0t", "--quiet"],
    }[name]
    s = Server(*arguments)
    if name == "token":
        s.token = TOKEN
    return s


def main(only):
    failed = False
    if os.path.exists("art.f0t"):
        shutil.copy("art.f0t", "live.f0t")
    open("token", "w").write(TOKEN + "\n")
    for name, cases in CASES.items():
        cases = [c for c in cases if not only or name in only or c.__name__ in only]
        s = start(name) if cases else None
        for case in cases:
            began = time.monotonic()
            try:
                case(s)
                print(f"[       OK ] {case.__name__}", flush=True)
            except Exception:  # whatever it is, the case failed
                traceback.print_exc()
                print(f"[  FAILED  ] {case.__name__}", flush=True)
                failed = True
            if os.environ.get("TIMES"):
                print(f"  {time.monotonic() - began:.2f} s", file=sys.stderr)
        if s and s.end() != 0:
            print(f"  {name}: the server ended with {s.process.returncode}: {open('stderr.txt').read()[-3000:]}", file=sys.stderr)
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main(sys.argv[1:])
