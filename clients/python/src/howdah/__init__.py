"""Howdah without Java: adds jobs and works them, with the standard library alone."""

from . import sql
from .client import Added, AsyncHowdah, Howdah, JobState, NewJob
from .errors import (
    Cancel,
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
    Stopped,
)
from .job import Job, Next
from .worker import Worker

__all__ = [
    "Added", "AsyncHowdah", "Cancel", "ClaimLost", "Conflict", "Fatal", "Howdah", "HowdahError", "Invalid", "Job", "JobState",
    "NewJob", "Next", "NoAnswer", "NotAllowed", "NotFound", "NotInstalled", "Refused", "Retry", "Snooze", "Stopped", "Worker",
    "sql",
]  # fmt: skip
