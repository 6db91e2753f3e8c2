"""A server under test, and requests whose answers are held to openapi.json."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import threading

PROGRAM = os.environ["FAST0TAG"]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
API = json.load(open(os.path.join(ROOT, "server", "openapi.json"), encoding="utf-8"))
LIMIT = 300  # seconds that anything may take on the busiest of machines
answered = set()  # (path, method, status) of all answers so far


def resolve(schema):
    while "$ref" in schema:
        schema = API["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def check(value, schema, at="answer"):
    """As much of JSON Schema as openapi.json uses."""
    schema = resolve(schema)
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    assert not names or any(is_type(value, n) for n in names), f"{at}: {value!r} is not {names}"
    assert "enum" not in schema or value in schema["enum"], f"{at}: {value!r}"
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for name in schema.get("required", []):
            assert name in value, f"{at} has no {name}"
        for name, member in value.items():
            assert name in known or schema.get("additionalProperties", True), f"{at}: {name} is not described"
            check(member, known.get(name, {}), f"{at}.{name}")
    if isinstance(value, list):
        for i, item in enumerate(value):
            check(item, schema.get("items", {}), f"{at}[{i}]")


def described(path):
    """The path of openapi.json that this one is of, or None."""
    path = path.split("?")[0]
    for form in API["paths"]:
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", form), path):
            return form
    return None


def check_answer(method, path, status, headers, body):
    assert headers["X-Content-Type-Options"] == "nosniff" and "script-src 'self'" in headers["Content-Security-Policy"]
    form, method = described(path), "GET" if method == "HEAD" else method
    if form is None:
        assert status in (401, 403, 404, 413, 421), f"{path} is not described, and answers {status}"
    elif method.lower() not in API["paths"][form]:
        assert status in (401, 403, 405, 413, 421), f"{method} {path} is not described, and answers {status}"
    kind = headers["Content-Type"].split(";")[0]
    value = json.loads(body) if kind == "application/json" and body else body
    if form is None or status in (405,):
        check(value, API["components"]["schemas"]["Error"])
        return value
    responses = API["paths"][form][method.lower()]["responses"]
    assert str(status) in responses, f"{method} {form} does not say that it answers {status}: {value}"
    content = responses[str(status)].get("content", {})
    assert kind in content, f"{method} {form} {status}: {kind} is not described"
    if kind == "application/json" and body:
        check(value, content[kind]["schema"])
    answered.add((form, method.lower(), str(status)))
    return value


class Server:
    def __init__(self, *arguments, **environment):
        self.process = subprocess.Popen([PROGRAM, "serve", *arguments, "--port", "0"], stdout=subprocess.PIPE,
                                        stderr=open("stderr.txt", "wb"), text=True, env={**os.environ, **environment})
        late = threading.Timer(LIMIT, self.process.kill)
        late.start()
        line = self.process.stdout.readline()
        late.cancel()
        match = re.search(r"http://(?:127\.0\.0\.1|\[::1\]|0\.0\.0\.0):(\d+)/", line)
        if not match:
            self.process.wait()
            raise AssertionError("the server did not start: " + open("stderr.txt").read())
        self.port = int(match[1])
        self.token = None
        self.pid = self.process.pid

    def connect(self, timeout=60):
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def open(self, timeout=LIMIT):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, method, path, body=None, headers=None, connection=None):
        """(status, value, headers) of an answer that is as it is described."""
        own = connection or self.open()
        headers = dict(headers or {})
        if self.token and "Authorization" not in headers:
            headers["Authorization"] = "Bearer " + self.token
        own.request(method, path, body, headers)
        answer = own.getresponse()
        data = answer.read()
        value = check_answer(method, path, answer.status, answer.headers, data)
        if not connection:
            own.close()
        return answer.status, value, answer.headers

    def raw(self, data, timeout=60):
        """What comes back for these bytes, until the server closes or has answered once."""
        with self.connect(timeout) as s:
            s.sendall(data)
            answer = http.client.HTTPResponse(s)
            answer.begin()
            return answer.status, answer.read()

    def metrics(self):
        text = self.ask("GET", "/metrics")[1].decode()
        return {k: float(v) for k, v in re.findall(r"^(\w+(?:\{[^}]*\})?) (\S+)$", text, re.M)}

    def helpers(self):
        """Processes that decode."""
        found = []
        for task in os.listdir(f"/proc/{self.pid}/task"):
            found += open(f"/proc/{self.pid}/task/{task}/children").read().split()
        return [int(pid) for pid in found]

    def end(self, how=signal.SIGTERM):
        """The exit status."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(LIMIT)
        self.process.stdout.close()
        return code
