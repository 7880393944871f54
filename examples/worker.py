#!/usr/bin/env python3
"""A worker of Howdah's jobs in Python, with the library of clients/python.

    worker.py http://127.0.0.1:8080 KIND[,KIND...] [QUEUE[,QUEUE...]]
    worker.py http://127.0.0.1:8080 --add KIND PAYLOAD [QUEUE]

The first form does jobs, as many at a time as HANDS says, until SIGTERM or SIGINT; the second one adds a job. What is done with a
job is in `work`. Of the environment: HOWDAH_TOKEN, the token of the console where that needs one; HANDS (1); LEASE (30), in
seconds; TIMEOUT (none), the seconds that a job may take; GRACE (10), those that jobs have to end by themselves when the worker
is stopped.
"""

import logging
import os
import sys
from decimal import Decimal

# Where the package is not installed: that of this checkout.
sys.path.append(os.path.join(os.path.dirname(__file__), "..", "clients", "python", "src"))

from howdah import Fatal, Howdah, HowdahError, Job, Next, Worker  # noqa: E402
from howdah.values import decode  # noqa: E402


def work(job: Job):
    """Does a job; its result is kept with the job. Long work looks at `job.stop` now and then, as `job.sleep` does.

    Jobs run at least once. What another system is told has a key of the job, such as `job.key("charge")`, by which that system
    knows a repeat, or `job.fencing_token`, which grows with each attempt.
    """
    payload = job.payload if isinstance(job.payload, dict) else {}
    seconds = payload.get("seconds", 0)
    if not isinstance(seconds, (int, Decimal)):
        raise Fatal(f"seconds has to be a number, not {seconds!r}")
    job.sleep(float(seconds))
    if "error" in payload:
        raise ValueError(payload["error"])
    if "next" in payload:
        return Next(payload["next"], payload.get("payload"))
    return {"seen": job.payload}


def main(address, *words):
    setting = os.environ.get
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    sys.setrecursionlimit(20_000)  # Payloads may be as deep as the server allows.
    howdah = Howdah(address)
    if words[0] == "--add":
        added = howdah.add(words[1], decode(words[2]), queue=words[3] if len(words) > 3 else "default")
        print("job", added.id, "was added" if added.added else "was there already")
        return
    worker = Worker(
        howdah,
        queues=words[1].split(",") if len(words) > 1 else ["default"],
        concurrency=int(setting("HANDS", "1")),
        lease=int(setting("LEASE", "30")),
        grace=float(setting("GRACE", "10")),
    )
    for kind in words[0].split(","):
        worker.job(kind, timeout=float(setting("TIMEOUT", "0")) or None)(work)
    worker.run()


if __name__ == "__main__":
    if not (len(sys.argv) in (3, 4) and sys.argv[2] != "--add" or len(sys.argv) in (5, 6) and sys.argv[2] == "--add"):
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except HowdahError as error:
        sys.exit(str(error))
