"""What the suite of conformance starts in Python: its twin is worker.mjs.

    worker.py ADDRESS work KINDS [QUEUES]
    worker.py ADDRESS add KIND PAYLOAD QUEUE | add-many KIND NUMBER | wait ID SECONDS | cancel ID | retry ID
"""

import logging
import os
import sys

from howdah import (
    Cancel, Event, Fatal, Howdah, HowdahError, Job, NewJob, Next, OtherJob, Refused, Retry, Snooze, StepFailed, Worker,
)  # fmt: skip
from howdah.values import decode

setting = os.environ.get


def work(job: Job):
    payload = job.payload if isinstance(job.payload, dict) else {}
    if isinstance(payload.get("seconds"), str):
        raise Fatal("seconds has to be a number")
    if "order" in payload:
        return order(job)
    if "changes" in payload:
        return changed(job)
    if "log" in payload:
        job.log(payload["log"])
        job.progress(0.5, "half")
    job.sleep(payload.get("seconds", 0))
    if "error" in payload:
        raise ValueError(payload["error"])
    if "retry" in payload:
        raise Retry("later", payload["retry"])
    if "snooze" in payload:
        raise Snooze(payload["snooze"])
    if "cancel" in payload:
        raise Cancel(payload["cancel"])
    if "key" in payload:
        return job.key(payload["key"])
    if "next" in payload:
        return Next(payload["next"], payload.get("payload"))
    return {"seen": job.payload}


def refuse():
    raise ValueError("refused")


def order(job: Job):
    job.log("begins")
    payment = job.step("charge", lambda: {"of": job.payload["order"]})
    try:
        job.step("card", refuse)
    except StepFailed as error:
        job.step("invoice", lambda: error.words)
    try:
        approval = job.await_signal("approval", "P7D")
    except BaseException:  # As handlers do that catch everything.
        job.step("never", refuse)
    parcels = job.children("parcel", [NewJob("parcel", each) for each in range(2)])
    job.await_children(parcels)
    job.sleep("cool down", "PT72H")
    return [payment, approval.payload, [job.await_child(each) for each in parcels]]


def changed(job: Job):
    job.renamed("charge", "charge card")
    job.retired("mail")
    is_new = job.patched("2026-12 tax")
    first = job.await_any("first", "paid", Event("arrived", "7", {"a": 1}), OtherJob(41), at_most="P3D")
    return [is_new, first.index, first.result]


async def changed_async(job: Job):
    await job.renamed("charge", "charge card")
    await job.retired("mail")
    is_new = await job.patched("2026-12 tax")
    first = await job.await_any("first", "paid", Event("arrived", "7", {"a": 1}), OtherJob(41), at_most="P3D")
    return [is_new, first.index, first.result]


async def order_async(job: Job):
    async def charge():
        return {"of": job.payload["order"]}

    job.log("begins")
    payment = await job.step("charge", charge)
    try:
        await job.step("card", refuse)
    except StepFailed as error:
        words = error.words
        await job.step("invoice", lambda: words)
    try:
        approval = await job.await_signal("approval", "P7D")
    except BaseException:  # As handlers do that catch everything.
        await job.step("never", refuse)
    parcels = await job.children("parcel", [NewJob("parcel", each) for each in range(2)])
    await job.await_children(parcels)
    await job.sleep("cool down", "PT72H")
    return [payment, approval.payload, [await job.await_child(each) for each in parcels]]


async def work_async(job: Job):
    import asyncio

    if isinstance(job.payload, dict):
        return await (changed_async(job) if "changes" in job.payload else order_async(job))
    await asyncio.sleep(job.payload)
    return {"slept": job.payload}


def main(address, command, *words):
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    howdah = Howdah(address)
    if command == "add":
        added = howdah.add(words[0], decode(words[1]), queue=words[2])
        print("job", added.id, "was added" if added.added else "was there already")
    elif command == "add-many":
        print(len(howdah.add_many(NewJob(words[0], number) for number in range(int(words[1])))), "jobs")
    elif command == "wait":
        print("job", words[0], "is", howdah.wait(words[0], float(words[1])).state)
    elif command == "cancel":
        howdah.cancel(words[0])
    elif command == "retry":
        howdah.retry(words[0])
    else:
        worker = Worker(
            howdah,
            queues=words[1].split(",") if len(words) > 1 else ["default"],
            concurrency=int(setting("HANDS", "1")),
            grace=float(setting("GRACE", "10")),
        )
        for kind in words[0].split(","):
            worker.job(kind, timeout=float(setting("TIMEOUT", "0")) or None)(work_async if kind == "async" else work)
        worker.run()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Refused as error:
        sys.exit(f"{type(error).__name__} {error}")
    except (HowdahError, TimeoutError) as error:
        sys.exit(f"{type(error).__name__}")
