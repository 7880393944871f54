# limit: 240 s
# The connection of a claim that waits is closed or reset: another worker gets the next jobs at once, in their only attempt.  Also: W03.
import socket
import struct

from client import *

at = urllib.parse.urlsplit(BASE)


def poll(queue, key):
    body = json.dumps({"kinds": ["k"], "queues": [queue], "wait": 25, "lease": 30, "worker": "gone"})
    head = [
        "POST /api/v1/workers/claim HTTP/1.1", f"Host: {at.netloc}", f"Authorization: Bearer {TOKEN}",
        "Content-Type: application/json", f"Content-Length: {len(body)}"] + ([f"Idempotency-Key: {uuid.uuid4()}"] if key else [])
    connection = socket.create_connection((at.hostname, at.port))
    connection.sendall("\r\n".join([*head, "", body]).encode())
    return connection


for how in ("closed", "reset"):
    queue = new_queue("w02")
    claim(["k"], queue, wait=1)
    gone = [poll(queue, key) for key in (True, False, True)]
    for each in gone:
        if how == "reset":
            each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        each.close()
    jobs = [post("/jobs", {"queue": queue, "kind": "k", "payload": i, "attempts": 1})["id"] for i in range(3)]
    got = {}
    # Less than the lease, after which another attempt would be due.
    end = time.monotonic() + 25
    while len(got) < 3 and time.monotonic() < end:
        for each in claim(["k"], queue, max=3, wait=5):
            got[each["id"]] = each["attempt"]
            expect("an end", 200, post("/workers/complete", {"token": each["token"]}).status)
    expect(f"attempts of the three jobs after claims were {how}", {each: 1 for each in jobs}, got)
    expect("states", ["done"] * 3, [get("/jobs/" + each)["state"] for each in jobs])
