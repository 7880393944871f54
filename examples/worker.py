#!/usr/bin/env python3
"""A worker of Howdah's jobs with the standard library only.

    worker.py http://127.0.0.1:8080 KIND[,KIND...] [QUEUE[,QUEUE...]]
    worker.py http://127.0.0.1:8080 --add KIND PAYLOAD [QUEUE]

The first form does jobs, as many at a time as HANDS says, until SIGTERM or SIGINT; the second one adds a job. What is done with a
job is in `work`. Of the environment: HOWDAH_TOKEN, the token of the console where that needs one; HANDS (1); LEASE (30), in
seconds; TIMEOUT (none), the seconds that a job may take; GRACE (10), those that jobs have to end by themselves when the worker
is stopped.
"""

import http.client
import json
import os
import random
import signal
import sys
import threading
import time
import traceback
import urllib.error
import urllib.request
import uuid
from decimal import Decimal

HANDS = int(os.environ.get("HANDS", "1"))
LEASE = int(os.environ.get("LEASE", "30"))
TIMEOUT = float(os.environ["TIMEOUT"]) if "TIMEOUT" in os.environ else None
GRACE = float(os.environ.get("GRACE", "10"))
WAIT = 5  # A claim waits as long for a job, and so may a stop of the worker.


# ---- What is done with jobs ----


def work(job):
    """Does a job; its result is kept with the job. Long work looks at `job.stop` now and then.

    Jobs run at least once. What another system is told has a key of the job, such as `job.key("charge")`, by which that system
    knows a repeat, or `job.fencing_token`, which grows with each attempt.
    """
    payload = job.payload if isinstance(job.payload, dict) else {}
    seconds = payload.get("seconds", 0)
    if not isinstance(seconds, (int, Decimal)):
        raise Fatal(f"seconds has to be a number, not {seconds!r}")
    if job.stop.wait(float(seconds)):
        raise Stopped(job.reason)
    if "error" in payload:
        raise ValueError(payload["error"])
    if "next" in payload:
        return Next(payload["next"], payload.get("payload"))
    return {"seen": job.payload}


class Fatal(Exception):
    """An attempt failed for a reason that the next one would meet again."""


class Stopped(Exception):
    """A handler has ended because `job.stop` was set."""


class Next:
    """In place of a result: the job goes on as one of this kind."""

    def __init__(self, kind, payload, queue=None):
        self.fields = {"kind": kind, "payload": payload} | ({} if queue is None else {"queue": queue})


# ---- The API ----


class NoAnswer(Exception):
    """Nothing has come that tells what became of the request: the same one again may be answered."""

    def __init__(self, words, pause=0.0):
        super().__init__(words)
        self.pause = pause


class Refused(Exception):
    """The server has refused the request, which the same again would not change."""

    def __init__(self, status, kind, words):
        super().__init__(words)
        self.status, self.kind = status, kind


def encode(value):
    """JSON in UTF-8, with numbers as they were read. What the database does not keep is refused here."""
    return json_of(value).encode()  # Half of a pair of surrogates is refused.


def json_of(value):
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError("the database keeps no text with the character 0")
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is no number of JSON")
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(json_of(str(name)) + ":" + json_of(each) for name, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(json_of, value)) + "]"
    return json.dumps(value, allow_nan=False)


def decode(text):
    """Values of JSON, with numbers that are exact, however many digits they have."""
    return json.loads(text, parse_float=Decimal, parse_int=lambda it: int(it) if len(it) < 4000 else Decimal(it))


def storable(words):
    """What the database takes as an error: 8,000 characters, without the character 0 or half of a pair of surrogates."""
    return words[:8000].replace("\0", "\ufffd").encode("utf-8", "replace").decode()


class Api:
    def __init__(self, address, refused_for_good):
        self.base = address.rstrip("/") + "/api/v1/"
        self.refused_for_good = refused_for_good

    def call(self, path, body, key=None, timeout=15.0):
        headers = {"Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        if "HOWDAH_TOKEN" in os.environ:
            headers["Authorization"] = "Bearer " + os.environ["HOWDAH_TOKEN"]
        try:
            with urllib.request.urlopen(urllib.request.Request(self.base + path, body, headers), timeout=timeout) as answer:
                return decode(answer.read())
        except urllib.error.HTTPError as error:
            raise self.problem(error) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise NoAnswer(f"no answer of {self.base}{path}: {error}") from error

    def problem(self, error):
        kind, words = "", str(error)
        try:
            problem = decode(error.read())
            kind = problem["type"].rsplit(":", 1)[-1]
            words = f"{error.code} {kind}: {problem.get('detail', problem.get('title'))}"
        except (OSError, http.client.HTTPException, ValueError, LookupError, AttributeError, TypeError):
            pass  # A proxy has answered, or half of the answer is missing: the status says enough.
        if error.code in (408, 429) or error.code >= 500:
            pause = error.headers.get("Retry-After", "")
            return NoAnswer(words, float(pause) if pause.isdigit() else 0.0)
        if error.code in (401, 403):
            self.refused_for_good(words)
        return Refused(error.code, kind, words)

    def insist(self, path, body, key=None, seconds=LEASE):
        """The same request until there is an answer, for some time."""
        until, pause = time.monotonic() + seconds, 0.2
        while True:
            try:
                return self.call(path, body, key)
            except NoAnswer as error:
                wait = max(error.pause, pause * random.uniform(0.5, 1.5))
                if time.monotonic() + wait > until:
                    raise
                time.sleep(wait)
                pause = min(2 * pause, 10)

    def add(self, kind, payload, queue="default", **options):
        """Adds a job, once, however often the request has to be made. Options such as `delay`: "PT90S"."""
        body = encode({"kind": kind, "payload": payload, "queue": queue} | options)
        return self.insist("jobs", body, str(uuid.uuid4()))


# ---- Jobs of this worker ----


class Job:
    """A job that this worker has, until its end is said or its lease is over."""

    def __init__(self, api, claim, sent):
        self.api, self.token, self.lease = api, claim["token"], claim["lease"]
        self.id, self.kind, self.payload = claim["id"], claim["kind"], claim["payload"]
        self.attempt, self.last_attempt = claim["attempt"], claim["last_attempt"]
        self.fencing_token = claim["fencing_token"]
        self.held_until = sent + self.lease
        self.stop, self.reason = threading.Event(), None
        self.cancelled = self.lost = False
        self.over, self.lock, self.said = threading.Event(), threading.Lock(), False
        # Also of a job that has not begun, and whatever its handler does.
        threading.Thread(target=self.keep, daemon=True).start()

    def key(self, purpose):
        """The same for each attempt."""
        return f"howdah-{self.id}-{purpose}"

    def keep(self):
        while not self.over.wait(self.lease / 3) and not self.lost:
            self.heartbeat()

    def heartbeat(self):
        sent = time.monotonic()
        try:
            answer = self.api.call("workers/heartbeat", encode({"token": self.token}), timeout=self.lease / 3)
            self.held_until = sent + answer["lease"]
            if answer["cancel"]:
                self.cancelled = True
                self.interrupt("cancelled")
        except Refused as error:
            if error.status == 410:
                self.held_until = sent
        except NoAnswer:
            pass  # The next one may come through.
        self.is_lost()

    def is_lost(self):
        """By the clock of this machine, from before the last request that was answered."""
        if time.monotonic() >= self.held_until and not self.lost:
            self.lost = True
            self.interrupt("lost")
        return self.lost

    def interrupt(self, reason):
        self.reason = self.reason or reason
        self.stop.set()

    def end(self, how, **fields):
        """Says once how the job ended."""
        with self.lock:
            if self.said:
                return
            self.said = True
        if self.is_lost():
            say("lost", self.id)
        else:
            self.tell(how, fields)
        self.over.set()

    def tell(self, how, fields, repeated=False):
        """With the same bytes until there is an answer."""
        try:
            self.api.insist("workers/" + how, encode({"token": self.token} | fields), seconds=self.lease)
            say("ended", self.id, how)
        except Refused as error:
            if error.status not in (413, 422) or how not in ("complete", "fail") or repeated:
                say("lost", self.id, error)  # 410: another attempt runs, or will. 409: its end is another one.
                return
            words = f"its {'result' if how == 'complete' else 'error'} was refused: {error}"
            say("refused", self.id, words)
            self.tell("fail", failure(words, retry=fields.get("retry", False)), repeated=how == "fail")
        except NoAnswer as error:
            say("lost", self.id, error)

    def run(self, handler):
        timer = threading.Timer(TIMEOUT or threading.TIMEOUT_MAX, self.interrupt, ["its time was over"])
        timer.daemon = True
        try:
            # The claim may have waited for longer than its lease, or this machine may have slept.
            if time.monotonic() >= self.held_until:
                self.heartbeat()
            if self.is_lost():
                say("lost", self.id)
                return
            say("began", self.id, "attempt", self.attempt, "fencing token", self.fencing_token)
            if TIMEOUT:
                timer.start()
            self.finish(handler)
        finally:
            timer.cancel()
            self.over.set()

    def finish(self, handler):
        try:
            done = handler(self)
            field = {"next": done.fields} if isinstance(done, Next) else {"result": done}
        except Stopped as stopped:
            # Of a cancelled job a failed attempt is its end; a job whose time was over is tried again.
            if self.reason == "stopping" and not self.cancelled:
                return self.end("release")
            return self.end("fail", **failure(f"Stopped: {stopped}"))
        except Exception as error:
            trace = f"{type(error).__name__}: {error}\n{traceback.format_exc()}"
            return self.end("fail", **failure(trace, retry=not isinstance(error, Fatal)))
        try:
            encode(field)
        except (TypeError, ValueError) as error:
            return self.end("fail", **failure(f"its result is no JSON: {error}", retry=False))
        return self.end("complete", **field)


def failure(words, retry=True):
    return {"error": storable(words), "retry": retry}


def say(*words):
    print(*words, flush=True)


# ---- The worker ----


class Worker:
    def __init__(self, address, kinds, queues):
        self.stopping, self.refusal = threading.Event(), None
        self.api = Api(address, self.give_up)
        self.handlers = {kind: work for kind in kinds}
        self.claim = {"kinds": kinds, "queues": queues, "lease": LEASE, "wait": WAIT, "worker": f"python {os.getpid()}"}
        self.running, self.free = {}, threading.Semaphore(HANDS)

    def give_up(self, words):
        self.refusal = words
        self.stopping.set()

    def signalled(self, *_):
        if self.stopping.is_set():
            os._exit(1)  # The leases bring the jobs back.
        # In a thread: the interrupted one may be in the middle of waiting for the same event.
        threading.Thread(target=self.stop).start()

    def stop(self):
        self.stopping.set()
        say("stopping")

    def main(self):
        signal.signal(signal.SIGTERM, self.signalled)
        signal.signal(signal.SIGINT, self.signalled)
        asked, pause = None, 0.2
        while not self.stopping.is_set():
            if asked is None:
                asked = self.question()
                if asked is None:
                    continue
            sent = time.monotonic()
            try:
                jobs = self.ask(asked, sent)
                asked, pause = None, 0.2
                for job in jobs:
                    self.begin(job)
                if not jobs:
                    self.stopping.wait(0.05)
            except NoAnswer as error:
                # The answer may have been lost: the same key gets the same jobs.
                say("no jobs:", error)
                self.stopping.wait(max(error.pause, pause * random.uniform(0.5, 1.5)))
                pause = min(2 * pause, 10)
            except Refused as error:
                asked = None
                missing = error.kind == "not-installed"
                say("no jobs:", "the tables of jobs are missing: howdah job install" if missing else error)
                self.stopping.wait(10 if missing else 1)
        if asked is not None and self.refusal is None:
            try:
                for job in self.ask(asked, time.monotonic()):
                    self.begin(job)
            except (NoAnswer, Refused) as error:
                say("no jobs:", error)
        self.end()
        if self.refusal is not None:
            sys.exit(self.refusal)

    def question(self):
        """A claim of as many jobs as there are free hands, with a key of its own; None: there are none yet."""
        if not self.free.acquire(timeout=0.2):
            return None
        self.free.release()
        return str(uuid.uuid4()), encode(self.claim | {"max": HANDS - len(self.running)})

    def ask(self, asked, sent):
        answer = self.api.call("workers/claim", asked[1], asked[0], timeout=WAIT + 15)
        return [Job(self.api, each, sent) for each in answer["claims"]]

    def begin(self, job):
        if self.stopping.is_set():
            job.end("release")
            return
        self.free.acquire()
        thread = threading.Thread(target=self.do, args=[job], daemon=True)
        self.running[job] = thread
        thread.start()

    def do(self, job):
        try:
            job.run(self.handlers[job.kind])
        finally:
            del self.running[job]
            self.free.release()

    def end(self):
        """Jobs may end by themselves, then they are told to; what has not ended then goes back."""
        self.join(GRACE)
        for job in list(self.running):
            job.interrupt("stopping")
        self.join(5)
        for job in list(self.running):
            if not job.cancelled:
                job.end("release")

    def join(self, seconds):
        until = time.monotonic() + seconds
        for thread in list(self.running.values()):
            thread.join(max(0, until - time.monotonic()))


def main(address, *words):
    sys.setrecursionlimit(20_000)  # Payloads may be as deep as the server allows.
    if words[0] == "--add":
        payload, queue = decode(words[2]), words[3] if len(words) > 3 else "default"
        added = Api(address, sys.exit).add(words[1], payload, queue)
        say("job", added["id"], "was added" if added.get("added", True) else "was there already")
    else:
        queues = words[1].split(",") if len(words) > 1 else ["default"]
        Worker(address, words[0].split(","), queues).main()


if __name__ == "__main__":
    if not (len(sys.argv) in (3, 4) and sys.argv[2] != "--add" or len(sys.argv) in (5, 6) and sys.argv[2] == "--add"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
