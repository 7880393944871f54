# An error with the character 0, as programs write it to their standard error, does not end the worker of the examples.
. "$FINDINGS/lib.sh"
queue=w11$RANDOM
first=$(sql "$URI" "SELECT id FROM howdah.add('$queue', 'k', '{\"error\": \"a\\u0000b\"}'::json, attempts => 1)")
second=$(sql "$URI" "SELECT id FROM howdah.add('$queue', 'k', '{\"n\": 2}'::json)")
HOWDAH_TOKEN=$TOKEN LEASE=5 start worker "$PYTHON" "$ROOT/examples/worker.py" "$BASE" k "$queue"
worker=$last
await_true 60 "$URI" "state = 'failed' FROM howdah.find($first)"
await_true 60 "$URI" "state = 'done' FROM howdah.find($second)"
kill -0 "$worker" || fail "expected that the worker lives, came: $(tail -n 3 worker.err)"
