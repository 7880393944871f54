# limit: 240 s
# Workers of several sets of kinds, idle and busy: adds, reads and claims of all are answered.  Also: attack/01, 01b and 01c.
import collections
import threading

from client import *

SETS, JOBS = 4, 40
queue = new_queue("w01")
seen = collections.Counter()
over = threading.Event()


def work(kind):
    while not over.is_set():
        answer = ask([kind], queue, max=5, wait=2)
        seen[f"claim {answer.status}"] += 1
        for each in answer.json.get("claims", []):
            answer = post("/workers/complete", {"token": each["token"]})
            seen[f"complete {answer.status}"] += 1


workers = [threading.Thread(target=work, args=[f"kind{i % SETS}"], daemon=True) for i in range(2 * SETS)]
for each in workers:
    each.start()
wait(100, "each worker is answered once", lambda: seen["claim 200"] >= len(workers) or seen["claim 503"] + seen["claim 500"])
for i in range(JOBS):
    seen[f"add {post('/jobs', {'queue': queue, 'kind': f'kind{i % SETS}', 'payload': i}).status}"] += 1
    seen[f"read {get('/queues').status}"] += 1
    for page in ("/", "/jobs", "/jobs/queues"):
        seen[f"page {call('GET', page).status}"] += 1
wait(60, "all jobs are completed", lambda: seen["complete 200"] >= JOBS)
over.set()
for each in workers:
    each.join()
expect("statuses", {"claim 200", "complete 200", "add 201", "read 200", "page 200"}, set(seen))
