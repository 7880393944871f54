"""Adds jobs, reads them and changes them."""

from __future__ import annotations

import asyncio
import functools
import os
import ssl
import time
import uuid
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, TypeVar, Union

from .http import Http
from .values import Duration, duration, encode, moment

T = TypeVar("T")
ENDED = ("done", "failed", "cancelled")
_MANY, _MANY_BYTES = 1_000, 4_900_000


class Added(NamedTuple):
    """`added` is False if a job with the same key was there already: that one has the `id`."""

    id: str
    added: bool


@dataclass(frozen=True)
class NewJob:
    """A job to be added. What is None has its default."""

    kind: str
    payload: Any = None
    queue: str = "default"
    priority: Optional[int] = None
    run_at: Union[datetime, str, None] = None
    delay: Optional[Duration] = None
    key: Optional[str] = None
    attempts: Optional[int] = None
    timeout: Optional[Duration] = None
    tags: Optional[List[str]] = None
    metadata: Optional[Mapping[str, Any]] = None
    group: Optional[str] = None

    def fields(self) -> Dict[str, Any]:
        fields = {name: value for name, value in vars(self).items() if value is not None}
        for name, text in (("run_at", moment), ("delay", duration), ("timeout", duration)):
            if name in fields:
                fields[name] = text(fields[name])
        return fields


@dataclass(frozen=True)
class JobState:
    """A job as the server knows it; `fields` has all that it says."""

    id: str
    queue: str
    kind: str
    state: str
    result: Any = None
    error: Optional[str] = None
    fields: Dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def is_ended(self) -> bool:
        return self.state in ENDED


class Howdah:
    """The jobs of a server. Safe for use by many threads.

    `url` is that of the console, such as http://127.0.0.1:8080; `token` one of it, HOWDAH_TOKEN of the environment unless
    given. A request without an answer is made again, as the same one, for up to `patience` seconds.
    """

    def __init__(
        self, url: str, token: Optional[str] = None, *, patience: float = 30.0, tls: Optional[ssl.SSLContext] = None
    ) -> None:
        self.http = Http(url, token or os.environ.get("HOWDAH_TOKEN"), tls)
        self.patience = patience

    def add(self, kind: str, payload: Any = None, *, idempotency_key: Optional[str] = None, **options: Any) -> Added:
        """Adds a job, once, however often the request has to be made. Options are the other fields of NewJob."""
        body = encode(NewJob(kind, payload, **options).fields())
        return _added(self.http.insist("jobs", body, idempotency_key or str(uuid.uuid4()), self.patience))

    def add_many(self, jobs: Iterable[NewJob]) -> List[Added]:
        """Adds jobs, up to a thousand in a request: each request adds all of its jobs or none."""
        added: List[Added] = []
        texts: List[str] = []
        size = 0
        for job in jobs:
            text = encode(job.fields())
            size += len(text.encode()) + 1
            if texts and (len(texts) == _MANY or size > _MANY_BYTES):
                added += self._add_many(texts)
                texts, size = [], len(text.encode()) + 1
            texts.append(text)
        return added + self._add_many(texts) if texts else added

    def _add_many(self, texts: List[str]) -> List[Added]:
        body = '{"jobs":[' + ",".join(texts) + "]}"
        answer = self.http.insist("jobs/batch", body, str(uuid.uuid4()), self.patience)
        return [_added(each) for each in answer["jobs"]]

    def job(self, id: Union[str, int]) -> JobState:
        """Reads a job; NotFound: there is none with that id."""
        return _state(self._get(f"jobs/{int(id)}"))

    def history(self, id: Union[str, int]) -> Dict[str, Any]:
        """The attempts of a job, its steps, its log, and how far it is."""
        history: Dict[str, Any] = self._get(f"jobs/{int(id)}/history")
        return history

    def wait(self, id: Union[str, int], seconds: float = 60.0) -> JobState:
        """Waits until the job is done, failed or cancelled; TimeoutError: it is none of them by then."""
        until, left = time.monotonic() + seconds, seconds
        while True:
            # The server waits, for less than a request may take.
            job = _state(self._get(f"jobs/{int(id)}?wait={min(int(left), 10)}"))
            if job.is_ended:
                return job
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"job {id} is {job.state} after {seconds:g} s")
            if left < 1:
                time.sleep(left)

    def cancel(self, id: Union[str, int], reason: Optional[str] = None) -> None:
        """Cancels a job; one that runs is told so. Conflict: it has ended."""
        self._change(id, "cancel", reason)

    def retry(self, id: Union[str, int], reason: Optional[str] = None) -> None:
        """Lets a job that has failed or was cancelled begin anew. Conflict: it has not."""
        self._change(id, "retry", reason)

    def signal(
        self, id: Union[str, int], name: str, payload: Any = None, *, idempotency_key: Optional[str] = None
    ) -> None:
        """Sends a signal to a job, once, however often the request has to be made. Conflict: the job has ended."""
        body = encode({"name": name, "payload": payload})
        key = idempotency_key or str(uuid.uuid4())
        self.http.insist(f"jobs/{int(id)}/signal", body, key, self.patience)

    def _change(self, id: Union[str, int], action: str, reason: Optional[str]) -> None:
        # Without a key: whether it is right to ask again is seen by the state of the job.
        self.http.call(f"jobs/{int(id)}/{action}", encode({} if reason is None else {"reason": reason}))

    def _get(self, path: str) -> Any:
        return self.http.insist(path, None, seconds=self.patience)


class AsyncHowdah:
    """The same for asyncio: each call waits in a thread of the loop's executor."""

    def __init__(
        self, url: str, token: Optional[str] = None, *, patience: float = 30.0, tls: Optional[ssl.SSLContext] = None
    ) -> None:
        self.howdah = Howdah(url, token, patience=patience, tls=tls)

    async def add(self, kind: str, payload: Any = None, *, idempotency_key: Optional[str] = None, **options: Any) -> Added:
        return await _in_thread(self.howdah.add, kind, payload, idempotency_key=idempotency_key, **options)

    async def add_many(self, jobs: Iterable[NewJob]) -> List[Added]:
        return await _in_thread(self.howdah.add_many, jobs)

    async def job(self, id: Union[str, int]) -> JobState:
        return await _in_thread(self.howdah.job, id)

    async def history(self, id: Union[str, int]) -> Dict[str, Any]:
        return await _in_thread(self.howdah.history, id)

    async def wait(self, id: Union[str, int], seconds: float = 60.0) -> JobState:
        return await _in_thread(self.howdah.wait, id, seconds)

    async def cancel(self, id: Union[str, int], reason: Optional[str] = None) -> None:
        await _in_thread(self.howdah.cancel, id, reason)

    async def retry(self, id: Union[str, int], reason: Optional[str] = None) -> None:
        await _in_thread(self.howdah.retry, id, reason)

    async def signal(
        self, id: Union[str, int], name: str, payload: Any = None, *, idempotency_key: Optional[str] = None
    ) -> None:
        await _in_thread(self.howdah.signal, id, name, payload, idempotency_key=idempotency_key)


async def _in_thread(call: Callable[..., T], *arguments: Any, **named: Any) -> T:
    return await asyncio.get_running_loop().run_in_executor(None, functools.partial(call, *arguments, **named))


def _added(answer: Any) -> Added:
    return Added(str(answer["id"]), bool(answer["added"]))


def _state(answer: Any) -> JobState:
    named = {name: answer.get(name) for name in ("id", "queue", "kind", "state", "result", "error")}
    return JobState(**named, fields=answer)
