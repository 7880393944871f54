"""Adds jobs in a transaction of one's own, with a connection of a driver such as psycopg or psycopg2.

The job is there when the caller commits, and not when it rolls back: nothing here does either.
"""

from __future__ import annotations

from typing import Any, Iterable, List

from .client import Added, NewJob
from .values import encode

_TYPES = {
    "queue": "text", "kind": "text", "payload": "json", "priority": "integer", "run_at": "timestamptz", "delay": "interval",
    "key": "text", "attempts": "integer", "timeout": "interval", "options": "jsonb",
}  # fmt: skip


def add(connection: Any, kind: str, payload: Any = None, *, schema: str = "howdah", **options: Any) -> Added:
    """Adds a job. Options are the other fields of NewJob."""
    return add_job(connection, NewJob(kind, payload, **options), schema)


def add_job(connection: Any, job: NewJob, schema: str = "howdah") -> Added:
    fields = job.fields()
    fields["payload"] = encode(job.payload)
    options = {name: fields.pop(name) for name in ("tags", "metadata", "group") if name in fields}
    if options:
        fields["options"] = encode(options)
    named = ", ".join(f"{name} => %s::{_TYPES[name]}" for name in fields)
    cursor = connection.cursor()
    try:
        cursor.execute(f"SELECT id, added FROM {_quoted(schema)}.add({named})", list(fields.values()))
        id, added = cursor.fetchone()
    finally:
        cursor.close()
    return Added(str(id), added)


def add_many(
    connection: Any, kind: str, payloads: Iterable[Any], queue: str = "default", schema: str = "howdah"
) -> List[str]:
    """Adds a job for each payload, by one statement; returns their ids, in that order."""
    cursor = connection.cursor()
    try:
        cursor.execute(
            f"SELECT id FROM {_quoted(schema)}.add_many(%s::text, %s::text, %s::text[]) AS id",
            [queue, kind, [encode(each) for each in payloads]],
        )
        return [str(row[0]) for row in cursor.fetchall()]
    finally:
        cursor.close()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
