"""Claims jobs, gives them to handlers, and says how they ended."""

from __future__ import annotations

import asyncio
import functools
import inspect
import logging
import os
import queue
import re
import signal
import threading
import time
import traceback
import uuid
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from .client import Howdah
from .errors import (
    Cancel, Fatal, HowdahError, NoAnswer, NotAllowed, NotInstalled, Refused, Retry, Snooze, Stopped, Suspended,
)  # fmt: skip
from .http import Pauses
from .job import Job, Next
from .reports import MANY, Beats, End, Ends
from .values import duration, encode, storable

log = logging.getLogger("howdah")
Handler = Callable[[Job], Any]
_LAST_WORDS = 5.0
"""So long handlers have to end after they were told to, in seconds."""


class _Kind(NamedTuple):
    handler: Handler
    timeout: Optional[float]
    is_async: bool


class Worker:
    """Works jobs until it is stopped.

    `concurrency` jobs at a time, of `queues`; up to `claim` of them in a request, `claims` requests at the same time while
    there are more jobs: unless given, 12 of small ones, of up to 10 jobs, or one of large ones. A job whose worker was silent for `lease`
    seconds goes to another one; heartbeats are sent by themselves. On SIGTERM and SIGINT, or `stop`, no further job begins,
    those that run have `grace` seconds to end, are told to, and go back. Jobs that have waited under another `version` of
    their handlers are another worker's, but for those that `also_runs` names.
    """

    def __init__(
        self,
        howdah: Howdah,
        *,
        queues: Sequence[str] = ("default",),
        concurrency: int = 10,
        claim: int = MANY,
        claims: Optional[int] = None,
        lease: int = 30,
        wait: int = 20,
        grace: float = 10.0,
        name: Optional[str] = None,
        version: Optional[str] = None,
        also_runs: Sequence[str] = (),
    ) -> None:
        if concurrency < 1:
            raise ValueError(f"concurrency is 1 or more, not {concurrency}")
        self.howdah, self.concurrency, self.grace = howdah, concurrency, grace
        self._most, self._wait, self._queues, self._lease = min(claim, MANY), wait, list(queues), lease
        self._claims = max(claims or (12 if claim <= 10 else 1), 1)
        self._versions = {} if version is None else {"version": version, "also_runs": list(also_runs)}
        self._name = name or f"python {os.getpid()}"
        self._kinds: Dict[str, _Kind] = {}
        self._state = threading.Condition()
        self._running: Set[Job] = set()
        self._stopping = threading.Event()
        self._stopper: Optional[threading.Thread] = None
        self._refusal: Optional[HowdahError] = None
        self._asked: Set[str] = set()
        self._wanted = 0  # How many jobs the claims that are under way may bring.
        self._plenty = False  # Whether the latest claim has brought all that it asked for.
        self._jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._threads = 0
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._tasks: Set[Any] = set()

    def job(self, kind: str, *, timeout: Optional[float] = None) -> Callable[[Handler], Handler]:
        """Of a function, or a coroutine function, that does jobs of that kind; what it returns is the job's result.

        After `timeout` seconds the job is told to stop; one that the job was added with holds as well.
        """

        def decorate(handler: Handler) -> Handler:
            self._kinds[kind] = _Kind(handler, timeout, inspect.iscoroutinefunction(handler))
            return handler

        return decorate

    # ---- Until it is stopped ----

    def run(self) -> None:
        """Works until SIGTERM, SIGINT or `stop`; a second signal ends the program at once. NotAllowed: no token allows it."""
        if threading.current_thread() is threading.main_thread():
            for each in (signal.SIGTERM, signal.SIGINT):
                signal.signal(each, self._signalled)
        self._work()

    async def run_async(self) -> None:
        """The same, in the loop of the caller, for coroutine functions; others run in threads. Cancelled, it stops first."""
        self._loop = asyncio.get_running_loop()
        for each in (signal.SIGTERM, signal.SIGINT):
            try:
                self._loop.add_signal_handler(each, self._signalled)
            except (NotImplementedError, RuntimeError, ValueError):
                pass  # Not the main thread, or a system without signals.
        work = self._loop.run_in_executor(None, self._work)
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            self.stop()
            await work
            raise

    def stop(self) -> None:
        """No further job begins; what runs may end. Returns at once."""
        with self._state:
            if self._stopper is None:
                self._stopper = threading.Thread(target=self._withdraw, daemon=True)
                self._stopper.start()

    def _signalled(self, *_: Any) -> None:
        if self._stopping.is_set():
            os._exit(1)  # The leases bring the jobs back.
        self._stopping.set()
        # In a thread: the interrupted one may hold a lock.
        threading.Thread(target=self.stop, daemon=True).start()

    def _withdraw(self) -> None:
        """The claim that waits is taken back; jobs that it has brought, and that have not begun, go back."""
        log.info("stopping")
        with self._state:
            self._stopping.set()
            keys = list(self._asked)
            self._state.notify_all()
        for key in keys if self._refusal is None else ():
            try:
                self.howdah.http.insist("workers/withdraw", encode({"key": key}), seconds=_LAST_WORDS)
            except HowdahError as error:
                log.warning("a claim could not be withdrawn: %s", error)

    def _refused_for_good(self, error: HowdahError) -> None:
        self._refusal = self._refusal or error
        self.stop()

    def _work(self) -> None:
        if not self._kinds:
            raise ValueError("no handler: decorate one by worker.job(kind)")
        self._beats = Beats(self.howdah.http, self._refused_for_good)
        self._ends = Ends(self.howdah.http, self._refused_for_good)
        try:
            others = [threading.Thread(target=self._claim, args=(True,), daemon=True) for _ in range(self._claims - 1)]
            for each in others:
                each.start()
            self._claim()
            self.stop()
            assert self._stopper is not None
            self._stopper.join()
            for each in others:
                each.join()
            self._finish()
        finally:
            self._ends.close()
            self._beats.close()
        if self._refusal is not None:
            raise self._refusal

    def _finish(self) -> None:
        """Jobs may end by themselves, then they are told to; what has not ended then goes back."""
        self._await_end(self.grace)
        for job in list(self._running):
            job._interrupt("stopping")
        self._await_end(_LAST_WORDS)
        for job in list(self._running):
            if not job._cancelled:
                self._end(job, "release", {})
        self._ends.await_below(1, self._lease)

    def _await_end(self, seconds: float) -> None:
        with self._state:
            self._state.wait_for(lambda: not self._running, seconds)

    # ---- Claims ----

    def _claim(self, more: bool = False) -> None:
        """Claims until it is stopped; `more`: only while there is plenty, so that an idle worker waits by one request."""
        wait = 0 if more else self._wait
        asks = {"kinds": list(self._kinds), "queues": self._queues, "lease": self._lease, "wait": wait, "worker": self._name}
        asks.update(self._versions)
        key, body, free, pauses, filled = None, "", 0, Pauses(), False
        while not self._stopping.is_set():
            if key is None:
                if more and not self._await_plenty():
                    continue
                free = self._free(filled)
                if free == 0:
                    continue
                key, body = str(uuid.uuid4()), encode({**asks, "max": free})
            with self._state:
                if self._stopping.is_set():
                    return
                self._asked.add(key)
            sent = time.monotonic()
            try:
                answer = self.howdah.http.call("workers/claim", body, key, timeout=wait + 15)
                jobs = [Job(each, sent) for each in answer["claims"]]
                filled = len(jobs) == free
                self._begin(jobs, key, free, filled)
                key, pauses = None, Pauses()
                if not jobs and not more:
                    self._stopping.wait(0.05)
            except NoAnswer as error:
                # The answer may have been lost: the same key gets the same jobs.
                log.warning("no jobs: %s", error)
                self._stopping.wait(pauses.next(error))
            except Refused as error:
                self._back(key, free)
                key = None
                if isinstance(error, NotAllowed):
                    self._refused_for_good(error)
                missing = isinstance(error, NotInstalled)
                log.warning("no jobs: %s", "the tables of jobs are missing: howdah job install" if missing else error)
                self._stopping.wait(10 if missing else 1)

    def _await_plenty(self) -> bool:
        with self._state:
            self._state.wait_for(lambda: self._plenty or self._stopping.is_set(), 10.0)
            return self._plenty and not self._stopping.is_set()

    def _back(self, key: str, free: int) -> None:
        """A claim is over."""
        with self._state:
            self._asked.discard(key)
            self._wanted -= free
            self._state.notify_all()

    def _taken(self) -> int:
        return len(self._running) + self._wanted

    def _free(self, is_busy: bool) -> int:
        """How many jobs may be claimed; 0: none yet. Where there are more, it waits a little for more hands."""
        with self._state:
            if not self._state.wait_for(lambda: self._taken() < self.concurrency or self._stopping.is_set(), 1.0):
                return 0
            if is_busy:
                least = self.concurrency - min(self.concurrency - self.concurrency // 2, self._most)
                self._state.wait_for(lambda: self._taken() <= least or self._stopping.is_set(), 0.005)
            free = max(min(self.concurrency - self._taken(), self._most), 0)
            self._wanted += free
        # Ends that are not written are jobs of this worker to the server.
        self._ends.await_below(self.concurrency + MANY, 1.0)
        return free

    def _begin(self, jobs: List[Job], key: str, free: int, filled: bool) -> None:
        with self._state:
            self._asked.discard(key)
            self._wanted -= free
            self._plenty = filled
            self._state.notify_all()
            begins = not self._stopping.is_set()
            if begins:
                self._running.update(jobs)
        for job in jobs:
            job._http, job._tell = self.howdah.http, functools.partial(self._tell, job)
            job._is_async = self._kinds[job.kind].is_async
        if not begins:
            for job in jobs:
                self._end(job, "release", {})
            return
        # The claim may have waited for longer than its lease: whether its jobs are still this worker's is asked.
        late = [job for job in jobs if time.monotonic() >= job._held_until]
        if late:
            self._beats.send(late)
        self._beats.add(jobs)
        own = [job for job in jobs if self._kinds[job.kind].is_async]
        if own:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="howdah-loop", daemon=True).start()
            self._loop.call_soon_threadsafe(self._spawn, own)
        for job in jobs:
            if not self._kinds[job.kind].is_async:
                self._jobs.put(job)
        with self._state:
            missing = range(self._threads, min(self.concurrency, len(self._running)))
            self._threads += len(missing)
        for number in missing:
            threading.Thread(target=self._hand, name=f"howdah-{number + 1}", daemon=True).start()

    # ---- One job ----

    def _hand(self) -> None:
        while True:
            job = self._jobs.get()
            try:
                kind = self._kinds[job.kind]
                if self._starts(job, kind):
                    outcome = self._outcome(job, lambda: kind.handler(job))
                    self._tell(job)
                    self._end(job, *outcome)
            finally:
                self._ended(job)

    def _spawn(self, jobs: List[Job]) -> None:
        assert self._loop is not None
        for job in jobs:
            task = self._loop.create_task(self._do(job))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _do(self, job: Job) -> None:
        try:
            kind = self._kinds[job.kind]
            if not self._starts(job, kind):
                return
            task = asyncio.ensure_future(kind.handler(job))
            loop = asyncio.get_running_loop()
            job._when_stopped(lambda: loop.call_soon_threadsafe(task.cancel))
            await asyncio.wait([task])
            outcome = self._outcome(job, lambda: _result(task))
            if job._report:  # A request does not block the loop.
                await loop.run_in_executor(None, self._tell, job)
            self._end(job, *outcome)
        finally:
            self._ended(job)

    def _starts(self, job: Job, kind: _Kind) -> bool:
        if job._is_lost():
            log.warning("lost %s", job.id)
            return False
        log.info("began %s attempt %s fencing token %s", job.id, job.attempt, job.fencing_token)
        limits = [each for each in (kind.timeout, _seconds(job.timeout)) if each]
        if limits:
            self._beats.until(job, time.monotonic() + min(limits))
        return True

    def _outcome(self, job: Job, call: Callable[[], Any]) -> Tuple[str, Dict[str, Any]]:
        """How the job ended, and the fields of that."""
        try:
            result = call()
            return "complete", {"next": result.fields} if isinstance(result, Next) else {"result": result}
        except Suspended:
            return "complete", {}  # Not said: the job waits.
        except Stopped as error:
            return _stopped(job, error)
        except Snooze as error:
            return "snooze", {"delay": duration(error.delay)}
        except Cancel as error:
            return "cancel", {"error": storable(str(error))}
        except asyncio.CancelledError as error:
            return _stopped(job, Stopped(job.reason)) if job.stop.is_set() else _failed(error)
        except BaseException as error:  # Such as SystemExit: it ends the attempt, not the worker.
            return _failed(error)

    def _tell(self, job: Job) -> None:
        """What there is to tell of the job: after its end nothing more can be told."""
        left = -1
        while job._suspended is None and job._report and not job._is_lost() and len(job._report.get("log", ())) != left:
            left = len(job._report.get("log", ()))
            self._beats.send([job])

    def _end(self, job: Job, outcome: str, fields: Dict[str, Any]) -> None:
        """Says once how the job ended."""
        if job._suspended is not None:
            if job._say():
                log.info("suspended %s", job.id)
        elif job._is_lost():
            log.warning("lost %s", job.id)
        elif job._say():
            try:
                end = End(job, outcome, fields)
            except (TypeError, ValueError) as error:
                end = End(job, "fail", {"error": storable(f"its result is no JSON: {error}"), "retry": False})
            self._ends.put(end)

    def _ended(self, job: Job) -> None:
        self._beats.remove(job)
        with self._state:
            self._running.discard(job)
            self._state.notify_all()


def _result(task: "asyncio.Future[Any]") -> Any:
    return task.result()


def _stopped(job: Job, error: Stopped) -> Tuple[str, Dict[str, Any]]:
    words = {"error": storable(f"Stopped: {error}")}
    if job._cancelled:
        return "cancel", words
    return ("release", {}) if job.reason == "stopping" else ("fail", {**words, "retry": True})


def _failed(error: BaseException) -> Tuple[str, Dict[str, Any]]:
    stack = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    fields = {"error": storable(f"{type(error).__name__}: {error}\n{stack}"), "retry": not isinstance(error, Fatal)}
    if isinstance(error, Fatal) and error.call is not None:
        fields["cause"] = error.call
    if isinstance(error, Retry):
        fields["delay"] = duration(error.delay)
    return "fail", fields


def _seconds(text: Optional[str]) -> Optional[float]:
    """Of a duration as the server gives it, such as PT1H2M3.5S."""
    parts = re.fullmatch(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?", text or "")
    if parts is None:
        return None
    return sum(float(part or 0) * unit for part, unit in zip(parts.groups(), (86_400, 3_600, 60, 1)))
