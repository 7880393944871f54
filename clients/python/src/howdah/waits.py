"""Steps, children and waits of a job: what the server records, so that the handler goes on where it was after days and crashes."""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from datetime import datetime
from typing import Any, Callable, Dict, Generator, List, NamedTuple, Optional, Sequence, Union

from .client import NewJob
from .errors import ChildFailed, ClaimLost, Fatal, HowdahError, StepFailed, Stopped, Suspended, WaitTimedOut
from .http import Http
from .values import Duration, decode, duration, encode, moment, storable

_Flow = Generator[Callable[[], Any], Any, Any]
"""What a call does: it yields what may block, and gets what that has returned."""


class Signal(NamedTuple):
    """A signal, or an event, that was read. `payload` is None if it has none; `id` is that of its sender, of an event a number."""

    payload: Any
    id: Optional[str]
    sender: str
    sent: str


class Child(NamedTuple):
    """A job that the handler has added."""

    name: str
    number: int
    id: str


class Event(NamedTuple):
    """An event that is waited for together with others."""

    topic: str
    key: Optional[str] = None
    containing: Any = None
    only_new: bool = False


class OtherJob(NamedTuple):
    """A job that is no child, whose end is waited for together with others."""

    id: Union[str, int]


class First(NamedTuple):
    """Which of several has ended first: its place from 0, their number if the time was over.

    With the signal or the event, if it is one, or the result of a job that is no child.
    """

    index: int
    signal: Optional[Signal]
    result: Any = None


Awaitable = Union[str, Event, Child, OtherJob]
"""What several of are waited for: a signal by its name, an event, a child or another job."""


class Waits:
    """Of a job; in a coroutine function each of these is awaited.

    A wait ends the run: `Suspended`, which is no Exception, leaves the handler, and the job is given to a worker again when
    that which it waits for is there. The handler runs again from its top then, and steps, children and waits that were
    recorded give their results. So what has an effect, or differs from one run to the next, belongs into a step.
    """

    id: str
    _token: str
    _lease: float

    def __init__(self) -> None:
        self._http: Optional[Http] = None
        self._tell: Callable[[], object] = lambda: None
        self._is_async = False
        self._calls = 0
        self._steps: List[str] = []
        self._suspended: Optional[str] = None
        self._numbers = threading.Lock()

    def step(self, name: str, work: Callable[[], Any]) -> Any:
        """Does `work` once, however often the handler runs: what it has returned is recorded, as JSON has it.

        If it raises and the handler goes on, that is recorded too: StepFailed, or Fatal, here and in each later run.
        """
        return self._do(self._step(name, work))

    def await_signal(self, name: str, at_most: Duration) -> Any:
        """Waits for a signal; None: none came in time."""
        return self._do(self._signal(name, at_most, False))

    def await_signal_or_fail(self, name: str, at_most: Duration) -> Any:
        """Waits for a signal. WaitTimedOut: none came in time; a handler that does not catch it has failed for good."""
        return self._do(self._signal(name, at_most, True))

    def await_event(
        self, topic: str, at_most: Duration, *, key: Optional[str] = None, containing: Any = None, only_new: bool = False
    ) -> Any:
        """Waits for an event, as a Signal; None: none came in time."""
        fields = {"at_most": duration(at_most), "key": key, "containing": containing, "only_new": only_new or None}
        return self._do(self._read(self._wait("event", topic, **fields)))

    def child(self, name: str, job: NewJob, parent_end: str = "cancel") -> Any:
        """Adds a job once for this name; `parent_end` is what becomes of it with this one: "cancel", "leave" or "cancel_always"."""
        return self._do(self._children(name, [job], parent_end, True))

    def children(self, name: str, jobs: Sequence[NewJob], parent_end: str = "cancel") -> Any:
        """Adds up to 10,000 jobs once for this name, in one transaction; returns a Child for each."""
        return self._do(self._children(name, jobs, parent_end, False))

    def await_child(self, child: Child) -> Any:
        """Waits for the result of a child. ChildFailed: it has none; a handler that does not catch it has failed for good."""
        return self._do(self._result(self._wait("child", None, children=[child._asdict()])))

    def await_children(self, children: Sequence[Child]) -> Any:
        """Waits until all have ended, however."""
        return self._do(self._wait("children", None, children=[each._asdict() for each in children]))

    def await_job(self, name: str, id: Union[str, int], at_most: Duration) -> Any:
        """Waits for the result of a job that is no child. ChildFailed: it has none; WaitTimedOut: it has not ended in time."""
        return self._do(self._result(self._wait("job", name, job=str(int(id)), at_most=duration(at_most))))

    def await_any(self, name: str, *waits: Awaitable, at_most: Optional[Duration] = None) -> Any:
        """Waits for the first of several signals, by their names, events, children and other jobs; the others go on.

        Returns a First. ChildFailed: the first was another job, which has failed or was cancelled.
        """
        return self._do(self._any(name, waits, at_most))

    def patched(self, name: str) -> Any:
        """Whether this run passes this place with the code that has the change of that name.

        False: an earlier run has recorded something behind it, by the code of before. In a loop it needs the number in its name.
        """
        return self._do(self._change("patched", name))

    def renamed(self, old: str, name: str) -> Any:
        """Says, at the top of the handler, that records of before have another name in this code."""
        return self._do(self._change("renamed", name, old))

    def retired(self, name: str) -> Any:
        """Says, at the top of the handler, that records of that name are not asked for any more."""
        return self._do(self._change("retired", name))

    def signal_token(self, name: str, keep: Duration) -> Any:
        """Makes a secret with which an outside party can send one signal of that name to this job, such as by a link in a mail.

        To be called in the step that gives it away: it is kept nowhere, and each call makes another one.
        """
        return self._do(self._token_for(name, duration(keep)))

    def continue_as(self, payload: Any) -> Any:
        """Begins the job anew with that payload, no records and all unread signals; does not return."""
        return self._do(self._wait("continue", None, payload=payload))

    def _sleep(self, name: str, length: Union[Duration, datetime], spread: Optional[Duration]) -> Any:
        fields = {"until": moment(length)} if isinstance(length, datetime) else {"duration": duration(length)}
        if spread is not None:
            fields["spread"] = duration(spread)
        return self._do(self._wait("sleep", name, **fields))

    # ---- Each yields what may block ----

    def _step(self, name: str, work: Callable[[], Any]) -> _Flow:
        if name in self._steps:
            raise ValueError(f'step "{name}" runs already: each step needs a name of its own')
        known = yield from self._call("step", {"name": name})
        if known["done"]:
            if "failed" in known:
                raise _failed_step(name, known["failed"]["message"])
            return known["result"]
        self._steps.append(name)
        try:
            result = yield work
        except (Stopped, asyncio.CancelledError):
            raise
        except Exception as error:
            if isinstance(error, HowdahError) and not isinstance(error, (Fatal, StepFailed)):
                raise  # Such as Retry and Cancel: how the attempt ends.
            words = storable(f"{type(error).__name__}: {error}")
            yield from self._call("record", {"name": name, "error": words})
            raise _failed_step(name, words) from error
        finally:
            self._steps.remove(name)
        try:
            text = encode(result)
        except (TypeError, ValueError) as error:
            raise Fatal(f'step "{name}" is done, and its result is no JSON: {error}') from error
        yield from self._call("record", {"name": name, "result": result})
        return decode(text)

    def _signal(self, name: str, at_most: Duration, or_fail: bool) -> _Flow:
        answer = self._wait("signal", name, at_most=duration(at_most), or_fail=or_fail or None)
        return (yield from self._read(answer))

    def _token_for(self, name: str, keep: str) -> _Flow:
        answer = yield from self._call("token", {"name": name, "keep": keep})
        return answer["secret"]

    def _read(self, wait: _Flow) -> _Flow:
        answer = yield from wait
        return _signal(answer)

    def _result(self, wait: _Flow) -> _Flow:
        answer = yield from wait
        return answer["result"]

    def _children(self, name: str, jobs: Sequence[NewJob], parent_end: str, is_one: bool) -> _Flow:
        fields = {"name": name, "jobs": [each.fields() for each in jobs], "parent_end": parent_end}
        answer = yield from self._call("child", fields)
        children = [Child(each["name"], each["number"], each["id"]) for each in answer["children"]]
        return children[0] if is_one else children

    def _any(self, name: str, waits: Sequence[Awaitable], at_most: Optional[Duration]) -> _Flow:
        longest = None if at_most is None else duration(at_most)
        answer = yield from self._wait("any", name, any=[_any_of(each) for each in waits], at_most=longest)
        return First(answer["first"], _signal(answer), answer.get("result"))

    def _change(self, type: str, name: str, old: Optional[str] = None) -> _Flow:
        fields = {"type": type, "name": name} if old is None else {"type": type, "name": name, "old": old}
        answer = yield from self._call("change", fields)
        return answer.get("patched")

    def _wait(self, type: str, name: Optional[str], **fields: Any) -> _Flow:
        if self._steps:
            raise RuntimeError(f'job {self.id} cannot wait while step "{self._steps[0]}" runs, which would be done again')
        given = {field: value for field, value in fields.items() if value is not None or field == "payload"}
        return (yield from self._call("suspend", {"type": type, **({} if name is None else {"name": name}), **given}))

    def _call(self, route: str, fields: Dict[str, Any]) -> _Flow:
        if self._suspended is not None:
            raise Suspended(self._suspended)
        http = self._http
        if http is None:
            raise RuntimeError("only a job that a worker has can do that")
        with self._numbers:
            self._calls += 1
            number = self._calls
        body = encode({"token": self._token, "number": number, **fields})
        yield self._tell  # When the job waits, nothing more can be told of this run.
        try:
            answer = yield functools.partial(http.insist, "workers/" + route, body, None, self._lease)
        except ClaimLost as error:
            raise Stopped("lost") from error
        if answer["suspended"]:
            self._suspended = str(fields.get("name", fields.get("type")))
            raise Suspended(self._suspended)
        failed = answer.get("failed")
        # Of a step that is done it is what the step has raised, otherwise why the job cannot go on.
        if failed is not None and not answer.get("done"):
            kind = {"ChildFailedException": ChildFailed, "WaitTimeoutException": WaitTimedOut}.get(failed["type"], Fatal)
            error = kind(failed["message"])
            error.call = number
            raise error
        return answer

    # ---- In a thread, or in a loop ----

    def _do(self, flow: _Flow) -> Any:
        return self._in_loop(flow) if self._is_async else _in_thread(flow)

    async def _in_loop(self, flow: _Flow) -> Any:
        loop = asyncio.get_running_loop()
        given: Any = None
        try:
            blocking = next(flow)
            while True:
                try:
                    if inspect.iscoroutinefunction(blocking):
                        given = await blocking()
                    else:  # Such as a lambda that calls a coroutine function.
                        given = await loop.run_in_executor(None, blocking)
                        if inspect.isawaitable(given):
                            given = await given
                except BaseException as error:
                    blocking = flow.throw(error)
                else:
                    blocking = flow.send(given)
        except StopIteration as end:
            return end.value


def _in_thread(flow: _Flow) -> Any:
    try:
        blocking = next(flow)
        while True:
            try:
                given = blocking()
            except BaseException as error:
                blocking = flow.throw(error)
            else:
                blocking = flow.send(given)
    except StopIteration as end:
        return end.value


def _any_of(wait: Awaitable) -> Dict[str, Any]:
    if isinstance(wait, str):
        return {"signal": wait}
    if isinstance(wait, Child):
        return {"child": wait._asdict()}
    if isinstance(wait, OtherJob):
        return {"job": str(int(wait.id))}
    fields = {"event": wait.topic, "key": wait.key, "containing": wait.containing, "only_new": wait.only_new or None}
    return {field: value for field, value in fields.items() if value is not None}


def _signal(answer: Dict[str, Any]) -> Optional[Signal]:
    read = answer.get("signal")
    return None if read is None else Signal(read["payload"], read.get("id"), read["sender"], read["sent"])


def _failed_step(name: str, words: str) -> HowdahError:
    if words.startswith("Fatal: "):
        return Fatal(words[len("Fatal: ") :])
    return StepFailed(name, words)
