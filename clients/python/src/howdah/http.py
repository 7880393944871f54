"""Requests to the server: made over connections that are kept, and made again where that is right."""

from __future__ import annotations

import http.client
import random
import ssl
import threading
import time
from typing import Any, Dict, Optional
from urllib.parse import urlsplit

from .errors import NoAnswer, refused
from .values import decode

IDLE = 10.0
"""The server closes a connection on which nothing comes for 30 s."""


class Http:
    """Safe for use by many threads: each has a connection of its own."""

    def __init__(self, url: str, token: Optional[str], tls: Optional[ssl.SSLContext]) -> None:
        parts = urlsplit(url if "//" in url else "//" + url, "http")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url} is no address such as http://127.0.0.1:8080")
        self._secure, self._host, self._port, self._tls = parts.scheme == "https", parts.hostname, parts.port, tls
        self._base = parts.path.rstrip("/") + "/api/v1/"
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if token is not None:
            self._headers["Authorization"] = "Bearer " + token
        self._own = threading.local()

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        known: Optional[http.client.HTTPConnection] = getattr(self._own, "connection", None)
        if known is not None and time.monotonic() - self._own.used > IDLE:
            known.close()
            known = None
        if known is None:
            if self._secure:
                known = http.client.HTTPSConnection(self._host, self._port, context=self._tls)
            else:
                known = http.client.HTTPConnection(self._host, self._port)
            self._own.connection, self._own.used = known, time.monotonic()
        known.timeout = timeout
        if known.sock is not None:
            known.sock.settimeout(timeout)
        return known

    def call(self, path: str, body: Optional[str], key: Optional[str] = None, timeout: float = 15.0) -> Any:
        """One request; without a body it reads. NoAnswer: the same one again may be answered."""
        headers: Dict[str, str] = self._headers if key is None else {**self._headers, "Idempotency-Key": key}
        connection = self._connection(timeout)
        try:
            connection.request("GET" if body is None else "POST", self._base + path, body and body.encode(), headers)
            answer = connection.getresponse()
            content = answer.read()
            self._own.used = time.monotonic()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise NoAnswer(f"no answer of {self._host} to {path}: {type(error).__name__} {error}") from error
        try:
            value = decode(content)
        except ValueError as error:
            value = None  # A proxy has answered, or half of the answer is missing.
            if answer.status < 300:
                raise NoAnswer(f"the answer of {self._host} to {path} is no JSON: {error}") from error
        if answer.status < 300:
            return value
        problem = refused(answer.status, value if isinstance(value, dict) else None)
        if answer.status in (408, 429) or answer.status >= 500:
            pause = answer.headers.get("Retry-After", "")
            raise NoAnswer(str(problem), float(pause) if pause.isdigit() else 0.0) from problem
        raise problem

    def insist(self, path: str, body: Optional[str], key: Optional[str] = None, seconds: float = 30.0) -> Any:
        """The same request until there is an answer, for some time."""
        until, pauses = time.monotonic() + seconds, Pauses()
        while True:
            try:
                return self.call(path, body, key)
            except NoAnswer as error:
                pause = pauses.next(error)
                if time.monotonic() + pause > until:
                    raise
                time.sleep(pause)


class Pauses:
    """Between requests without an answer: they grow, and differ from those of others."""

    def __init__(self) -> None:
        self._usual = 0.2

    def next(self, error: NoAnswer) -> float:
        pause = max(error.pause, self._usual * random.uniform(0.5, 1.5))
        self._usual = min(2 * self._usual, 10.0)
        return pause
