# limit: 240 s
# Bodies that are not UTF-8, halves of characters and the character 0 are refused, or come back as they were. Also: jobs/D17, console/bad1 to bad7.
from client import *

queue = new_queue("w09")


def add(payload, kind=b'"k"', in_queue=None, **more):
    body = b'{"queue":%s,"kind":%s,"payload":%s}' % (in_queue or json.dumps(queue).encode(), kind, payload)
    return post("/jobs", body, **more)


for what, payload in (
        ("half a character", b'"\\ud83d"'), ("bytes ff fe", b'"\xff\xfe"'), ("Latin-1", b'"caf\xe9"'), ("a surrogate as UTF-8", b'"\xed\xa0\xbd"'),
        ("the character 0", b'"a\\u0000b"')):
    answer = add(payload)
    if answer.status not in (400, 422):
        fail(f"{what} in a payload is refused", answer)
for what, name in (("half a character", b'"mail\\ud800"'), ("bytes that are not UTF-8", b'"ma\xff\xfeil"')):
    for answer in (add(b"1", in_queue=name), add(b"1", kind=name)):
        if answer.status not in (400, 422):
            fail(f"{what} in a name is refused", answer)
answer = add('"café"'.encode("latin-1"), headers={"Content-Type": "application/json; charset=iso-8859-1"})
if answer.status < 400:
    expect("the payload in another charset", "café", claim(["k"], queue, wait=3)[0]["payload"])
answer = add('"café 😀"'.encode())
expect("a good payload", 201, answer.status)
held = claim(["k"], queue, wait=5)[0]
expect("the payload that the worker gets", "café 😀", held["payload"])
for action, more in (("fail", {"error": "disk full", "delay": "PT99999999H"}), ("snooze", {"delay": "PT99999999H"})):
    expect(f"{action} with a delay beyond a thousand years", 422, post("/workers/" + action, {"token": held["token"], **more}).status)
for more in ({"progress": 0.5, "message": "half"}, {"message": "three quarters"}):
    expect("a heartbeat", 200, post("/workers/heartbeat", {"token": held["token"], **more}).status)
wait(20, "the message of the last heartbeat", lambda: get(f"/jobs/{held['id']}/history").json.get("message") == "three quarters")
answer = post("/workers/complete", {"token": held["token"], "result": "a\0b"})
if answer.status < 400:
    fail("a result with the character 0 is refused", answer)
expect("its end", 200, post("/workers/fail", {"token": held["token"], "error": "no", "retry": False}).status)
expect("its error", "no", get(f"/jobs/{held['id']}")["error"])
