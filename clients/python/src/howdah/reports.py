"""What the server is told of jobs: that their worker lives, and how they ended. Many in a request."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Set

from .errors import ClaimLost, HowdahError, NoAnswer, NotAllowed, Refused, refused
from .http import Http, Pauses
from .job import NEVER, Job
from .values import encode, storable

log = logging.getLogger("howdah")
MANY = 100
_REASONS = {"node-stopping": "stopping", "claim-lost": "lost"}
_BYTES = 900_000
_WRITERS = 3


class Beats:
    """Keeps the leases of jobs, also of those that have not begun, in a thread that handlers do not block."""

    def __init__(self, http: Http, refused_for_good: Callable[[HowdahError], object]) -> None:
        self._http, self._refused_for_good = http, refused_for_good
        self._jobs: Set[Job] = set()
        self._news = threading.Condition()
        self._wakes_at = NEVER
        self._closed = False
        threading.Thread(target=self._run, name="howdah-heartbeats", daemon=True).start()

    def add(self, jobs: List[Job]) -> None:
        for job in jobs:
            job._on_report = lambda job=job: self.soon(job)  # type: ignore[misc]
        with self._news:
            self._jobs.update(jobs)
            if any(_attention(job) < self._wakes_at for job in jobs):
                self._news.notify()

    def remove(self, job: Job) -> None:
        with self._news:
            self._jobs.discard(job)

    def soon(self, job: Job, seconds: float = 0.5) -> None:
        """There is something to tell of the job."""
        with self._news:
            job._next_beat = min(job._next_beat, time.monotonic() + seconds)
            if job._next_beat < self._wakes_at:
                self._news.notify()

    def until(self, job: Job, deadline: float) -> None:
        """The job is stopped then."""
        with self._news:
            job._deadline = deadline
            if deadline < self._wakes_at:
                self._news.notify()

    def close(self) -> None:
        with self._news:
            self._closed = True
            self._news.notify()

    def _run(self) -> None:
        while True:
            with self._news:
                if self._closed:
                    return
                jobs = list(self._jobs)
                self._wakes_at = min(map(_attention, jobs), default=NEVER)
                if self._wakes_at > time.monotonic():
                    self._news.wait(min(self._wakes_at - time.monotonic(), 3600))
                    continue
            due = []
            for job in jobs:
                if job._said or job._is_lost():
                    continue
                now = time.monotonic()
                if job._deadline <= now:
                    job._deadline = NEVER
                    job._interrupt("timeout")
                if job._next_beat <= now + job._lease / 12:
                    due.append(job)
            for first in range(0, len(due), MANY):
                self.send(due[first : first + MANY])

    def send(self, jobs: List[Job]) -> None:
        """A heartbeat of each job, with what there is to tell of it."""
        reports = [job._take_report() for job in jobs]
        body = encode({"jobs": [{"token": job._token, **report} for job, report in zip(jobs, reports)]})
        sent = time.monotonic()
        for job in jobs:
            job._next_beat = sent + job._lease / 3
        try:
            answer = self._http.call("workers/heartbeat/batch", body, timeout=min(job._lease for job in jobs) / 3)
            for job, each in zip(jobs, answer["jobs"]):
                self._answered(job, each, sent)
        except NoAnswer as error:
            log.debug("no heartbeat: %s", error)
            for job, report in zip(jobs, reports):
                job._put_back(report)
                job._next_beat = time.monotonic() + job._lease / 9
        except Refused as error:
            log.warning("a heartbeat was refused: %s", error)
            if isinstance(error, NotAllowed):
                self._refused_for_good(error)

    def _answered(self, job: Job, answer: Dict[str, Any], sent: float) -> None:
        problem = answer.get("problem")
        if problem is None:
            job._held_until = sent + answer["lease"]
            if answer["cancel"]:
                reason = answer.get("stop", "cancelled")
                job._interrupt(_REASONS.get(reason, reason))
        elif isinstance(refused(problem["status"], problem), ClaimLost) and not job._said:
            job._lose()


def _attention(job: Job) -> float:
    if job._said or job._lost:
        return NEVER
    return min(job._next_beat, job._held_until, job._deadline)


class End:
    """How a job ended, in the bytes that are sent until there is an answer."""

    def __init__(self, job: Job, outcome: str, fields: Dict[str, Any], is_repeated: bool = False) -> None:
        self.job, self.outcome, self.fields, self.is_repeated = job, outcome, fields, is_repeated
        self.text = encode({"token": job._token, "outcome": outcome, **fields})
        self.size = len(self.text.encode()) + 1
        self.until = time.monotonic() + job._lease

    def in_other_words(self, error: Refused) -> Optional[End]:
        """Of an end that cannot be stored; None: nothing else can be said."""
        if self.outcome not in ("complete", "fail") or self.is_repeated:
            return None
        words = f"its {'result' if self.outcome == 'complete' else 'error'} was refused: {error}"
        fields = {"error": storable(words), "retry": self.outcome == "fail" and self.fields.get("retry", True)}
        return End(self.job, "fail", fields, is_repeated=self.outcome == "fail")


class Ends:
    """Writes how jobs ended: what has ended while a request was on its way is in the next one."""

    def __init__(self, http: Http, refused_for_good: Callable[[HowdahError], object]) -> None:
        self._http, self._refused_for_good = http, refused_for_good
        self._waiting: List[End] = []
        self._unwritten = self._busy = 0
        lock = threading.Lock()
        self._news, self._written = threading.Condition(lock), threading.Condition(lock)
        self._closed = False
        for number in range(_WRITERS):
            threading.Thread(target=self._run, name=f"howdah-ends-{number}", daemon=True).start()

    def put(self, end: End) -> None:
        with self._news:
            self._waiting.append(end)
            self._unwritten += 1
            if len(self._waiting) in (1, MANY):
                self._news.notify()

    def await_below(self, most: int, seconds: float) -> bool:
        """Waits until fewer than so many are unwritten."""
        with self._written:
            return self._written.wait_for(lambda: self._unwritten < most, seconds)

    def close(self) -> None:
        with self._news:
            self._closed = True
            self._news.notify_all()

    def _run(self) -> None:
        while True:
            with self._news:
                while not self._waiting and not self._closed:
                    self._news.wait()
                if self._closed:
                    return
                if self._busy:  # More of them will have come by the time that the other request is answered.
                    self._news.wait_for(lambda: len(self._waiting) >= MANY or not self._busy, 0.01)
                batch = self._take()
                if self._waiting:
                    self._news.notify()
                if not batch:
                    continue
                self._busy += 1
            try:
                self._send(batch)
            finally:
                with self._news:
                    self._busy -= 1
                    if self._waiting:
                        self._news.notify()

    def _take(self) -> List[End]:
        size = number = 0
        for end in self._waiting[:MANY]:
            size += end.size
            if number and size > _BYTES:
                break
            number += 1
        batch, self._waiting = self._waiting[:number], self._waiting[number:]
        return batch

    def _send(self, batch: List[End]) -> None:
        """Until each is answered, or its lease is over."""
        pauses = Pauses()
        while True:
            batch = [end for end in batch if self._holds(end)]
            if not batch:
                return
            pause = 0.0
            try:
                answer = self._http.call("workers/end/batch", '{"jobs":[' + ",".join(end.text for end in batch) + "]}")
                batch = [end for end, each in zip(batch, answer["jobs"]) if not self._answered(end, each)]
                if batch:
                    pause = pauses.next(NoAnswer("not written"))
            except NoAnswer as error:
                pause = pauses.next(error)
                if all(time.monotonic() + pause > end.until for end in batch):
                    for end in batch:
                        self._done(end, "lost", error)
                    return
            except Refused as error:
                batch = self._refused(batch, error)
            time.sleep(pause)

    def _holds(self, end: End) -> bool:
        if time.monotonic() <= end.until:
            return True
        self._done(end, "lost", "its lease is over")
        return False

    def _answered(self, end: End, answer: Dict[str, Any]) -> bool:
        """False: it has to be sent again."""
        problem = answer.get("problem")
        if problem is None:
            self._done(end, "ended", end.outcome)
            return True
        status = problem["status"]
        if status in (408, 429) or status >= 500:
            return False
        self._cannot(end, refused(status, problem))
        return True

    def _refused(self, batch: List[End], error: Refused) -> List[End]:
        """The request was refused as a whole; returns what is sent anew."""
        if isinstance(error, NotAllowed):
            self._refused_for_good(error)
        wrong = {int(each.split("/")[2]) for each in error.pointers if each.startswith("/jobs/")}
        if len(batch) == 1:
            wrong = {0}
        elif not wrong:  # Such as too many bytes: it is seen of which.
            for end in batch:
                self._send([end])
            return []
        for each in wrong:
            self._cannot(batch[each], error)
        return [end for number, end in enumerate(batch) if number not in wrong]

    def _cannot(self, end: End, error: Refused) -> None:
        # 410: another attempt runs, or will. 409: its end is another one.
        other = end.in_other_words(error) if error.status in (413, 422) else None
        if other is None:
            self._done(end, "lost", error)
            return
        log.warning("refused %s %s", end.job.id, other.fields["error"])
        self._done(end, None)
        self.put(other)

    def _done(self, end: End, word: Optional[str], why: object = "") -> None:
        if word == "ended":
            log.info("ended %s %s", end.job.id, why)
        elif word is not None:
            log.warning("%s %s %s", word, end.job.id, why)
        with self._news:
            self._unwritten -= 1
            self._written.notify_all()
