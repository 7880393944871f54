# limit: 400 s
# The clock of the server was hours ahead and is set right: cron, repeat and schedules of jobs go on at once, not hours later.
. "$FINDINGS/lib.sh"
moved_clock
uri=$OWN/postgres
sql "$uri" "CREATE ROLE clerk LOGIN"
serve up --url "$uri" --console off --queues default --sql-role clerk
await_true 60 "$uri" "count(*) > 0 FROM howdah_internal.node"
sql "$uri" "INSERT INTO task (\"group\", input, cron, delete) VALUES ('cron', 'SELECT 1', '*/5 * * * * *', false)" \
    "INSERT INTO task (\"group\", input, repeat) VALUES ('repeat', 'SELECT 1', '5 s')" \
    "SELECT howdah.schedule('jobs', 'default', 'sql', '{\"sql\": \"SELECT 1\"}', cron => '*/5 * * * * *')" >/dev/null
runs() {
    sql "$uri" "SELECT count(*) FILTER (WHERE \"group\" = 'cron'), count(*) FILTER (WHERE \"group\" = 'repeat'),
        (SELECT COALESCE(sum(jobs), 0) FROM howdah_internal.batch WHERE ended IS NOT NULL) FROM task WHERE state = 'DONE'"
}
more_than() {
    local before after
    IFS='|' read -r -a before <<<"$1"
    IFS='|' read -r -a after <<<"$(runs)"
    for i in 0 1 2; do [ "${after[$i]}" -gt "${before[$i]}" ] || return 1; done
}
await 60 more_than '0|0|0' || fail "expected runs by cron, repeat and schedule, came $(runs)"
clock +8h
await_true 30 "$uri" "now() > '$(date -u +%FT%TZ)'::timestamptz + interval '7 h'"
then=$(runs)
await 60 more_than "$then" || fail "expected runs 8 h ahead, more than $then, came $(runs)"
clock +0
await_true 30 "$uri" "now() < '$(date -u +%FT%TZ)'::timestamptz + interval '1 h'"
then=$(runs)
# The leader looks at its clock once a minute.
await 150 more_than "$then" || fail "expected runs after the clock was set right, more than $then, came $(runs)"
