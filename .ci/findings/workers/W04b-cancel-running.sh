# A job that runs on the worker of the examples is cancelled: it ends cancelled, in its first attempt.
. "$FINDINGS/lib.sh"
queue=w04b$RANDOM
HOWDAH_TOKEN=$TOKEN LEASE=6 start worker "$PYTHON" "$ROOT/examples/worker.py" "$BASE" slow "$queue"
id=$(sql "$URI" "SELECT id FROM howdah.add('$queue', 'slow', '{\"seconds\": 600}')")
await 30 grep -q "began $id" worker || fail "expected that the worker begins job $id, came: $(cat worker worker.err)"
contains "the answer" "$(api POST "/api/v1/jobs/$id/cancel")" asked
await_true 60 "$URI" "state NOT IN ('running', 'waiting', 'retrying') FROM howdah.find($id)"
expect "state and attempts" "cancelled 1" "$(sql "$URI" "SELECT state || ' ' || attempt FROM howdah.find($id)")"
expect "how often it began" 1 "$(grep -c "began $id" worker)"
