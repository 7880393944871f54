# A schedule of a kind that HTTP workers do is kept while none of them asks.
from client import *

queue = new_queue("w10")
expect("the schedule", True, post("/schedules", {"name": queue, "kind": "tick", "queue": queue, "period": "PT2S"}).status in (200, 201))
wait(30, "two jobs of the schedule wait", lambda: len(get(f"/jobs?state=waiting&queue={queue}")["items"]) > 1)
post(f"/schedules/{queue}/remove")
