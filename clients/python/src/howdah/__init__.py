"""Howdah without Java: adds jobs and works them, with the standard library alone."""

from . import sql
from .client import Added, AsyncHowdah, Howdah, JobState, NewJob
from .errors import (
    Cancel,
    ChildFailed,
    ClaimLost,
    Conflict,
    Fatal,
    HowdahError,
    Invalid,
    NoAnswer,
    NotAllowed,
    NotFound,
    NotInstalled,
    Refused,
    Retry,
    Snooze,
    StepFailed,
    Stopped,
    Suspended,
    WaitTimedOut,
)
from .job import Job, Next
from .waits import Child, Event, First, OtherJob, Signal
from .worker import Worker

__all__ = [
    "Added", "AsyncHowdah", "Cancel", "Child", "ChildFailed", "ClaimLost", "Conflict", "Event", "Fatal", "First", "Howdah",
    "HowdahError", "Invalid", "Job", "JobState", "NewJob", "Next", "NoAnswer", "NotAllowed", "NotFound", "NotInstalled", "OtherJob",
    "Refused", "Retry", "Signal", "Snooze", "StepFailed", "Stopped", "Suspended", "WaitTimedOut", "Worker", "sql",
]  # fmt: skip
