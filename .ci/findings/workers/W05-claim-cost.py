# limit: 240 s
# A claim of a hundred jobs asks the database for each of them no more. Also: W06, ends of one claim that are told one after the other do not wait
# for each other.
from client import *

queue = new_queue("w05")
sql(f"SELECT count(*) FROM (SELECT howdah.add_many('{queue}', 'k', array_agg(to_jsonb(i))) FROM generate_series(1, 600) i) x")


def timed(work):
    began = time.monotonic()
    return work(), time.monotonic() - began


claim(["k"], queue, max=1, wait=5)
one = min(timed(lambda: claim(["k"], queue, max=1, wait=5))[1] for _ in range(5))
hundred = [timed(lambda: claim(["k"], queue, max=100, wait=5)) for _ in range(3)]
if not all(0 < len(each[0]) <= 100 for each in hundred):
    fail("each claim of a hundred brings some", [len(each[0]) for each in hundred])
# It was 40 times as long.
if min(each[1] for each in hundred) > 20 * one:
    fail(f"the fastest claim of a hundred takes less than 20 times {one:.4f} s, which one of one job takes", [each[1] for each in hundred])
slowest = []
for _ in range(6):
    claims = claim(["k"], queue, max=10, wait=5)
    slowest.append(max(timed(lambda: post("/workers/complete", {"token": each["token"]})["id"])[1] for each in claims))
# It was 0.2 s in each round.
if min(slowest) > 0.15:
    fail("in the best of six rounds no end of a claim of ten takes more than 0.15 s", slowest)
