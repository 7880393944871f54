# limit: 180 s
# A claim that waits while its token is revoked ends without a job.
import threading

from client import *

queue, name, came = new_queue("w07"), new_queue("token-w07"), []
token = post("/tokens", {"name": name, "role": "worker", "queues": [queue]})["token"]


thread = threading.Thread(target=lambda: came.append(ask(["k"], queue, token=token, wait=25)))
thread.start()
await_node(queue)
expect("the revocation", 200, post(f"/tokens/{name}/revoke").status)
wait(10, "a request with it is refused", lambda: post("/workers/heartbeat", {"token": "x"}, token=token).status == 401)
wait(10, "the claim that waits ends", lambda: came)
job = post("/jobs", {"queue": queue, "kind": "k", "payload": {"password": "secret"}})["id"]
thread.join()
expect("jobs of the revoked token", [], came[0].json.get("claims", []))
expect("the state of the job", "waiting", get("/jobs/" + job)["state"])
