# Tokens of viewers, operators, workers and producers read no audit log, by no page, export or route.
from client import *

for role in ("viewer", "operator", "worker", "producer"):
    token = post("/tokens", {"name": new_queue(role), "role": role, "queues": ["q"] if role in ("worker", "producer") else None})["token"]
    for path in (
            "/audit", "/audit/export", "/audit/export?format=csv", "/audit/export?format=json", "/api/v1/audit", "/api/v1/audit/export?format=csv",
            "/audit/./export?format=csv", "/audit%2fexport?format=csv", "/AUDIT/export", "//audit/export?format=csv", "/audit;x=1/export?format=csv"):
        answer = call("GET", path, token=token)
        if answer.status not in (400, 401, 403, 404):
            fail(f"{path} is refused to the role {role}", answer.status)
for path in ("/audit/export?format=csv", "/api/v1/audit"):
    expect(f"{path} for an administrator", 200, call("GET", path).status)
