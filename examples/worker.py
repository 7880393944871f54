#!/usr/bin/env python3
"""A worker of Howdah's jobs with the standard library only.

    worker.py http://127.0.0.1:8080 KIND [QUEUE]

It claims a job at a time, and prints its payload as what it does with it. The token of the console, where that needs one,
is in the environment variable HOWDAH_TOKEN.
"""

import json
import os
import signal
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid

LEASE = int(os.environ.get("LEASE", "30"))


class Lost(Exception):
    """The job is not ours any more."""


class Refused(Exception):
    """The server has refused the request, which the same again would not change."""


class Api:
    def __init__(self, address):
        self.base = address.rstrip("/") + "/api/v1/workers/"

    def call(self, name, body, key=None):
        headers = {"Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        if "HOWDAH_TOKEN" in os.environ:
            headers["Authorization"] = "Bearer " + os.environ["HOWDAH_TOKEN"]
        request = urllib.request.Request(self.base + name, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code == 410:
                raise Lost() from error
            kind = RuntimeError if error.code in (408, 429) or error.code >= 500 else Refused
            raise kind(f"{error.code}: {error.read().decode()}") from error

    def insist(self, name, body):
        """Says how a job ended until there is an answer: the same again is answered as before."""
        for wait in (0, 1, 2, 4, 8):
            time.sleep(wait)
            try:
                return self.call(name, body)
            except (RuntimeError, OSError) as error:
                last = error
        raise last


class Heartbeat(threading.Thread):
    """Says that this worker lives, and hears whether the job was cancelled."""

    def __init__(self, api, token):
        super().__init__(daemon=True)
        self.api, self.token = api, token
        self.over, self.cancelled = threading.Event(), threading.Event()

    def run(self):
        while not self.over.wait(LEASE / 3):
            try:
                if self.api.call("heartbeat", {"token": self.token})["cancel"]:
                    self.cancelled.set()
            except Lost:
                self.cancelled.set()
                return
            except (Refused, RuntimeError, OSError):
                pass  # The next one may come through.


def work(payload, cancelled):
    """What is done with a job. Long work looks at `cancelled` now and then."""
    seconds = payload.get("seconds", 0) if isinstance(payload, dict) else 0
    if cancelled.wait(seconds):
        raise RuntimeError("cancelled")
    if isinstance(payload, dict) and "error" in payload:
        raise ValueError(payload["error"])
    return {"seen": payload}


def text(words):
    """What the database takes as a text: no character 0, no half of a pair of surrogates."""
    return words.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def run(api, job):
    print("began", job["id"], flush=True)
    heartbeat = Heartbeat(api, job["token"])
    heartbeat.start()
    try:
        try:
            outcome = ("complete", {"result": work(job["payload"], heartbeat.cancelled)})
        except Exception as error:
            outcome = ("fail", {"error": text(f"{type(error).__name__}: {error}")})
        heartbeat.over.set()
        api.insist(outcome[0], {"token": job["token"], **outcome[1]})
        print("ended", job["id"], outcome[0], flush=True)
    except Lost:
        print("lost", job["id"], flush=True)
    except Refused as error:
        # Such as a result that is no JSON for the database. Without a word the job goes on when its lease is over.
        print("refused", job["id"], error, file=sys.stderr, flush=True)
        if outcome[0] == "complete":
            api.insist("fail", {"token": job["token"], "error": text(f"its result was refused: {error}")})
    finally:
        heartbeat.over.set()


def main(address, kind, queue="default"):
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    api = Api(address)
    claim = {"kinds": [kind], "queues": [queue], "lease": LEASE, "wait": 5, "worker": f"python {os.getpid()}"}
    key = str(uuid.uuid4())
    while not stopping.is_set():
        try:
            # After an answer that was lost the same key gets the same jobs.
            jobs = api.call("claim", claim, key)["claims"]
            key = str(uuid.uuid4())
        except (Refused, RuntimeError, OSError) as error:
            print("no jobs:", error, file=sys.stderr, flush=True)
            stopping.wait(1)
            continue
        for job in jobs:
            run(api, job)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
