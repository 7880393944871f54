"""Values as the server takes and gives them."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Union

Duration = Union[timedelta, str]
"""A length of time, or its text such as "PT90S"; never a number, whose unit is a guess."""


def encode(value: Any) -> str:
    """JSON, with numbers as they were read. What the database does not keep is a ValueError or TypeError."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except TypeError:
        text = ""  # There is a Decimal, or what has no JSON at all: the slower way tells.
    if not text or "\\u0000" in text:
        text = _encode(value)
    text.encode()  # Half of a pair of surrogates is refused.
    return text


def _encode(value: Any) -> str:
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError("the database keeps no text with the character 0")
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is no number of JSON")
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(_encode(_name(name)) + ":" + _encode(each) for name, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_encode, value)) + "]"
    return json.dumps(value, allow_nan=False)


def _name(name: Any) -> str:
    return name if isinstance(name, str) else str(json.loads(json.dumps({name: 0})).popitem()[0])


def decode(text: Union[str, bytes]) -> Any:
    """Values of JSON, with numbers that are exact, however many digits they have."""
    try:
        return json.loads(text, parse_float=Decimal)
    except json.JSONDecodeError:
        raise
    except ValueError:  # An integer has more digits than Python takes.
        return json.loads(text, parse_float=Decimal, parse_int=lambda it: int(it) if len(it) < 4000 else Decimal(it))


def storable(words: str) -> str:
    """What the database takes as an error: 8,000 characters, without the character 0 or half of a pair of surrogates."""
    return words[:8000].replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def duration(value: Duration) -> str:
    """As ISO 8601 has it."""
    if isinstance(value, timedelta):
        whole, micros = divmod(value // timedelta(microseconds=1), 1_000_000)
        return f"PT{whole}.{micros:06d}S" if micros else f"PT{whole}S"
    if isinstance(value, str):
        return value
    raise TypeError(f'a duration is a timedelta or a text such as "PT90S", not {value!r}')


def moment(value: Union[datetime, str]) -> str:
    """As RFC 3339 has it."""
    if isinstance(value, str):
        return value
    if value.tzinfo is None:
        raise ValueError(f"{value} has no time zone: datetime.now(timezone.utc) has one")
    return value.isoformat()
