# limit: 240 s
# A token of a worker takes jobs of several sets of kinds for an hour and is gone: pages, the API and other workers go on.
from client import *

queue, name = new_queue("a01d"), new_queue("token-a01d")
token = post("/tokens", {"name": name, "role": "worker", "queues": [queue]})["token"]
for i in range(8):
    for n in range(3):
        expect("an add", 201, post("/jobs", {"queue": queue, "kind": f"k{i}", "payload": n}).status)
held = []
for i in range(8):
    # A claim is answered with what there is a moment after its first job.
    while len(held) < 3 * (i + 1):
        claims = claim([f"k{i}"], queue, token=token, max=3, wait=5, lease=3600)
        if not claims:
            fail(f"three jobs of set {i}", len(held) - 3 * i)
        held += claims
# Idle sets that hold claims, and requests of all kinds beside them.
for i in range(40):
    for path in ("/", "/jobs", "/jobs/queues", "/api/v1/queues", "/api/v1/overview"):
        began = time.monotonic()
        answer = call("GET", path)
        expect(f"{path} in round {i}", 200, answer.status)
        if time.monotonic() - began > 4.5:
            fail(f"{path} in round {i} within 4.5 s", time.monotonic() - began)
other = new_queue("a01d-other")
expect("an add to another queue", 201, post("/jobs", {"queue": other, "kind": "k", "payload": 1}).status)
expect("a claim of another worker", 1, len(claim(["k"], other, wait=5)))
for each in held:
    expect("a release", 200, post("/workers/release", {"token": each["token"]}, token=token).status)
