# limit: 240 s
# A job that was cancelled while a worker had it is begun by nobody else, whatever the worker then says; it ends cancelled.
from client import *

queue = new_queue("w04")
for how, more in (("release", {}), ("snooze", {"delay": "PT0S"}), ("fail", {"error": "stopped", "delay": "PT0S"})):
    jobs = []
    for i in range(10):
        job = post("/jobs", {"queue": queue, "kind": how, "payload": i})["id"]
        held = claim([how], queue, wait=5)[0]
        expect("the answer to the cancellation", "asked", post(f"/jobs/{job}/cancel")["result"])
        expect(f"the answer to {how}", 200, post("/workers/" + how, {"token": held["token"], **more}).status)
        jobs.append(job)
    expect(f"claims after {how}", [], claim([how], queue, wait=1, max=10))
    for each in jobs:
        wait(20, f"job {each} is cancelled after {how}", lambda: get("/jobs/" + each)["state"] == "cancelled")
