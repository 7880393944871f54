"""What can go wrong."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Type


class HowdahError(Exception):
    """Of each error of this package."""


class NoAnswer(HowdahError):
    """Nothing has come that tells what became of the request, however often it was made."""

    def __init__(self, words: str, pause: float = 0.0) -> None:
        super().__init__(words)
        self.pause = pause


class Refused(HowdahError):
    """The server has refused the request, which the same again would not change.

    `type` is the last part of the type of the problem, such as "claim-lost"; `problem` has all its fields.
    """

    def __init__(self, status: int, problem: Dict[str, Any]) -> None:
        self.status, self.problem = status, problem
        self.type = str(problem.get("type", "")).rsplit(":", 1)[-1]
        self.detail = str(problem.get("detail", problem.get("title", "")))
        super().__init__(f"{status} {self.type}: {self.detail}")

    @property
    def pointers(self) -> List[str]:
        """JSON pointers of the values that are wrong."""
        return [str(each.get("pointer", "")) for each in self.problem.get("errors", [])]


class NotAllowed(Refused):
    """There is no token, it holds no longer, or its role or queues do not allow that."""


class NotInstalled(Refused):
    """The database has no tables of jobs: `howdah job install` creates them."""


class NotFound(Refused):
    """There is no such object, or none any more."""


class ClaimLost(Refused):
    """The job is not this worker's any more."""


class Conflict(Refused):
    """The state of the object forbids it."""


class Invalid(Refused):
    """A value cannot be, or there is too much of it."""


_OF_TYPE: Dict[str, Type[Refused]] = {"not-installed": NotInstalled, "claim-lost": ClaimLost}
_OF_STATUS: Dict[int, Type[Refused]] = {
    400: Invalid, 401: NotAllowed, 403: NotAllowed, 404: NotFound, 409: Conflict, 410: NotFound, 413: Invalid, 422: Invalid,
}  # fmt: skip


def refused(status: int, problem: Optional[Dict[str, Any]]) -> Refused:
    """The error of a problem of the server; None: a proxy has answered, and the status says enough."""
    error = Refused(status, problem or {})
    return _OF_TYPE.get(error.type, _OF_STATUS.get(status, Refused))(status, problem or {})


class Fatal(HowdahError):
    """Raised by a handler: the attempt failed for a reason that the next one would meet again."""

    call: Optional[int] = None
    """The call to the server that was answered so."""


class ChildFailed(Fatal):
    """Raised where a handler waits for a child or another job that has failed or was cancelled, in each later run the same."""


class WaitTimedOut(Fatal):
    """Raised where a wait that has to be met was not, in each later run the same."""


class StepFailed(HowdahError):
    """Raised by a step whose work has raised something: in this run, and in each later one if the handler goes on."""

    def __init__(self, step: str, words: str) -> None:
        super().__init__(f'step "{step}" has failed: {words}')
        self.step, self.words = step, words


class Suspended(BaseException):
    """Leaves a handler that waits. Not to be caught: a handler that does is suspended all the same when it returns."""


class Retry(HowdahError):
    """Raised by a handler: the attempt failed, and the next one begins after `delay`."""

    def __init__(self, words: str, delay: Any) -> None:
        super().__init__(words)
        self.delay = delay


class Snooze(HowdahError):
    """Raised by a handler: the job is due again after `delay`; this was no attempt."""

    def __init__(self, delay: Any) -> None:
        super().__init__(f"for {delay}")
        self.delay = delay


class Cancel(HowdahError):
    """Raised by a handler: the job is cancelled, which is no failure."""


class Stopped(HowdahError):
    """Raised by a handler that has ended because `job.stop` was set."""
