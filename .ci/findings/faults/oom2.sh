# limit: 300 s
# Two daemons with 128 MB get more output than they can hold at once: all tasks end, each daemon lives or has ended and says so, and the next task runs.
. "$FINDINGS/lib.sh"
uri=$(database finding_oom2)
export HOWDAH_JAVA_OPTS=-Xmx128m
serve one --url "$uri" --console off --metrics-port "$(free_port)"
first=$last
serve two --url "$uri" --console off --metrics-port "$(free_port)"
second=$last
sql "$uri" "INSERT INTO task (input, \"group\", max) SELECT 'SELECT repeat(''x'', 15000000)', 'big', 40 FROM generate_series(1, 40)"
await_true 200 "$uri" "count(*) = 0 FROM task WHERE state IN ('PLAN', 'TAKE', 'WORK')"
lacks "the logs" "$(grep -hE 'Exception in thread|OutOfMemory' one.err two.err | head -n 3)" thread
id=$(sql "$uri" "INSERT INTO task (input, \"group\") VALUES ('SELECT 1', 'small') RETURNING id")
await_true 60 "$uri" "state = 'DONE' FROM task WHERE id = $id"
kill -0 "$first" && kill -0 "$second" || fail "expected that both daemons live"
stop "$first"
id=$(sql "$uri" "INSERT INTO task (input, \"group\") VALUES ('SELECT 1', 'small') RETURNING id")
await_true 60 "$uri" "state = 'DONE' FROM task WHERE id = $id"
