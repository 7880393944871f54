# limit: 240 s
# Server and program wake up after a sleep of five days: jobs run within seconds, although the tables of these days were never made.
. "$FINDINGS/lib.sh"
moved_clock
uri=$OWN/postgres
sql "$uri" "CREATE ROLE clerk LOGIN"
serve up --url "$uri" --console off --queues default --sql-role clerk
await_true 60 "$uri" "count(*) > 0 FROM howdah_internal.node"
run() {
    local id
    id=$(sql "$uri" "SELECT id FROM howdah.add('default', 'sql', '{\"sql\": \"SELECT 1\"}')")
    await 60 is_true "$uri" "state = 'done' FROM howdah.find($id)" ||
        fail "expected that a job is done $1, came $(sql "$uri" "SELECT string_agg(sentence, ' ') FROM howdah.why_job($id)")"
}
run "before the sleep"
clock +5d
await_true 30 "$uri" "now() > '$(date -u +%FT%TZ)'::timestamptz + interval '4 days'"
run "after the sleep"
