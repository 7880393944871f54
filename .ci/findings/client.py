"""The HTTP API with the standard library alone, and what cases in Python share."""

import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

BASE = os.environ["BASE"]
TOKEN = os.environ["TOKEN"]


class Answer:
    def __init__(self, status, body):
        self.status = status
        try:
            self.json = json.loads(body)
        except ValueError:
            self.json = body.decode(errors="replace")

    def __getitem__(self, name):
        if self.status >= 400:
            fail("an answer with " + name, self)
        return self.json[name]

    def __str__(self):
        return f"{self.status} {self.json}"


def call(method, path, body=None, token=TOKEN, headers=None, base=BASE):
    """Bytes are sent as they are, anything else as JSON."""
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    words = {"Authorization": "Bearer " + token} if token else {}
    if data is not None:
        words["Content-Type"] = "application/json"
    words.update(headers or {})
    request = urllib.request.Request(base + path, data, words, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return Answer(answer.status, answer.read())
    except urllib.error.HTTPError as error:
        return Answer(error.code, error.read())


def get(path, **more):
    return call("GET", "/api/v1" + path, **more)


def post(path, body=None, **more):
    return call("POST", "/api/v1" + path, {} if body is None else body, **more)


def ask(kinds, queue, token=TOKEN, **more):
    """The answer to a claim. The sets of kinds of the cases before this one keep their room for a minute: there is none for another one meanwhile."""
    end = time.monotonic() + 90
    while True:
        answer = post("/workers/claim", {"kinds": kinds, "queues": [queue], **more}, token=token)
        if answer.status != 503 or time.monotonic() > end:
            return answer
        time.sleep(1)


def claim(kinds, queue, token=TOKEN, **more):
    return ask(kinds, queue, token, **more)["claims"]


def new_queue(name):
    return name + uuid.uuid4().hex[:6]


def fail(expected, came):
    print(f"expected: {expected}; came: {came}")
    sys.stdout.flush()
    os._exit(1)


def expect(what, expected, came):
    if expected != came:
        fail(f"{what}: {expected}", came)


def wait(seconds, what, condition):
    """Until it holds; what it gave then."""
    end = time.monotonic() + seconds
    while True:
        came = condition()
        if came:
            return came
        if time.monotonic() > end:
            fail(f"within {seconds} s: {what}", came)
        time.sleep(0.1)


def sql(statement):
    import subprocess

    run = subprocess.run(
        ["psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", os.environ["URI"], "-c", statement],
        capture_output=True, text=True, check=False)
    if run.returncode:
        fail(statement, run.stderr)
    return run.stdout.strip()


def await_node(queue):
    """Until a node for workers waits for jobs of the queue."""
    wait(120, "a node waits for queue " + queue, lambda: sql(f"SELECT count(*) > 0 FROM howdah_internal.node WHERE serves::text LIKE '%{queue}%'") == "t")
