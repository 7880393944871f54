"""A job that a worker has, until its end is said or its lease is over."""

from __future__ import annotations

import threading
import time
from datetime import datetime
from typing import Any, Callable, Dict, List, Optional, Union

from .errors import Stopped
from .values import Duration, storable
from .waits import Waits

NEVER = float("inf")


class Next:
    """In place of a result: the job goes on as one of this kind, with its own payload and queue unless others are given."""

    _SAME = object()

    def __init__(self, kind: str, payload: Any = _SAME, queue: Optional[str] = None) -> None:
        self.fields = {"kind": kind}
        if payload is not Next._SAME:
            self.fields["payload"] = payload
        if queue is not None:
            self.fields["queue"] = queue


class Job(Waits):
    """What a handler is given.

    `stop` is set when the handler shall end, and `reason` says why: "cancelled", "timeout", "stopping" (the worker or the
    server ends) or "lost" (another attempt runs, or will). Jobs run at least once: what another system is told has a key of
    the job, such as `job.key("charge")`, by which that system knows a repeat, or `fencing_token`, which grows with each attempt.
    """

    def __init__(self, claim: Dict[str, Any], sent: float) -> None:
        super().__init__()
        self.fields = claim
        self.id: str = claim["id"]
        self.queue: str = claim.get("queue", "default")
        self.kind: str = claim["kind"]
        self.payload: Any = claim.get("payload")
        self.attempt: int = claim["attempt"]
        self.last_attempt: bool = claim["last_attempt"]
        self.fencing_token: str = claim["fencing_token"]
        self.run_at: Optional[str] = claim.get("run_at")
        self.created: Optional[str] = claim.get("created")
        self.timeout: Optional[str] = claim.get("timeout")
        self.tags: List[str] = claim.get("tags", [])
        self.metadata: Dict[str, Any] = claim.get("metadata", {})
        self.trace: Dict[str, str] = claim.get("trace", {})
        self.predecessors: Dict[str, Any] = claim.get("predecessors", {})
        self.stop = threading.Event()
        self.reason: Optional[str] = None
        self._token, self._lease = claim["token"], float(claim["lease"])
        self._held_until, self._next_beat = sent + self._lease, sent + self._lease / 3
        self._deadline = NEVER
        self._cancelled = self._lost = self._said = False
        self._lock = threading.Lock()
        self._report: Dict[str, Any] = {}
        self._on_stop: Optional[Callable[[], object]] = None
        self._on_report: Callable[[], object] = lambda: None

    def key(self, purpose: str) -> str:
        """The same for each attempt."""
        return f"howdah-{self.id}-{purpose}"

    def check(self) -> None:
        """Stopped: the handler shall end."""
        if self.stop.is_set():
            raise Stopped(self.reason)

    def sleep(
        self, name: Union[str, float], length: Union[Duration, datetime, None] = None, spread: Optional[Duration] = None
    ) -> Any:
        """Waits without a thread, for a time or until one, up to `spread` longer: see Waits. Awaited in a coroutine function.

        With a number alone it waits for so many seconds in this thread; Stopped: the handler shall end.
        """
        if isinstance(name, str):
            if length is None:
                raise TypeError(f'for how long is sleep "{name}"?')
            return self._sleep(name, length, spread)
        if self.stop.wait(name):
            raise Stopped(self.reason)
        return None

    def progress(self, done: float, message: Optional[str] = None) -> None:
        """Says how far it is, from 0 to 1. It is sent within a second."""
        if not 0 <= done <= 1:
            raise ValueError(f"progress is from 0 to 1, not {done}")
        with self._lock:
            self._report["progress"] = float(done)
            if message is not None:
                self._report["message"] = storable(message)
        self._on_report()

    def log(self, *lines: str) -> None:
        """Lines for the log of the job. They are sent within a second, and before its end."""
        with self._lock:
            self._report.setdefault("log", []).extend(map(storable, lines))
        self._on_report()

    def _take_report(self) -> Dict[str, Any]:
        """A request takes up to 100 lines; those that are left are for the next one."""
        with self._lock:
            report, rest = self._report, self._report.get("log", [])[100:]
            self._report = {"log": rest} if rest else {}
        if rest:
            report["log"] = report["log"][:100]
        return report

    def _put_back(self, report: Dict[str, Any]) -> None:
        with self._lock:
            lines = report.get("log", []) + self._report.get("log", [])
            self._report = {**report, **self._report}
            if lines:
                self._report["log"] = lines

    def _interrupt(self, reason: str) -> None:
        with self._lock:
            self._cancelled = self._cancelled or reason == "cancelled"
            if self.reason is not None:
                return
            self.reason = reason
            on_stop = self._on_stop
        self.stop.set()
        if on_stop is not None:
            on_stop()

    def _when_stopped(self, on_stop: Callable[[], object]) -> None:
        with self._lock:
            self._on_stop = on_stop
            late = self.reason is not None
        if late:
            on_stop()

    def _lose(self) -> None:
        self._lost = True
        self._interrupt("lost")

    def _is_lost(self) -> bool:
        """By the clock of this machine, from before the last request that was answered was sent."""
        if time.monotonic() >= self._held_until and not self._lost:
            self._lose()
        return self._lost

    def _say(self) -> bool:
        """Whether this is the first end that is said of the job."""
        with self._lock:
            first, self._said = not self._said, True
        return first
