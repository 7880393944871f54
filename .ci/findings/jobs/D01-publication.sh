# limit: 180 s
# A publication of all tables, as tools that copy changes make one, holds up no job of a daemon.  Also: faults/publication-stops-jobs.
. "$FINDINGS/lib.sh"
own_postgres "wal_level = logical"
uri=$OWN/postgres
sql "$uri" "CREATE ROLE clerk LOGIN"
serve up --url "$uri" --console off --queues work --sql-role clerk
await_true 60 "$uri" "count(*) > 0 FROM howdah_internal.node"
sql "$uri" "CREATE PUBLICATION everything FOR ALL TABLES"
id=$(sql "$uri" "SELECT id FROM howdah.add('work', 'sql', '{\"sql\": \"SELECT 2\"}')")
await_true 60 "$uri" "state = 'done' FROM howdah.find($id)"
sql "$uri" "SELECT howdah.limit('work', 3)" >/dev/null
id=$(sql "$uri" "SELECT id FROM howdah.add('work', 'sql', '{\"sql\": \"SELECT 3\"}')")
await_true 60 "$uri" "state = 'done' FROM howdah.find($id)"
