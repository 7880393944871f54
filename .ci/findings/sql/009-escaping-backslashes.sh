# Tables of tasks and jobs work in a database with standard_conforming_strings = off, and their functions warn nobody.
. "$FINDINGS/lib.sh"
uri=$(database finding_009)
sql "$uri" "ALTER DATABASE finding_009 SET standard_conforming_strings = off"
serve up --url "$uri" --console off
expect "the default of the column null" '\N' "$(sql "$uri" "INSERT INTO task (input) VALUES ('SELECT NULL') RETURNING \"null\"")"
warned=$(sql "$uri" "INSERT INTO task (input, cron) VALUES ('SELECT 1', '*/5 * * * *')" 2>&1) || fail "expected that a cron is taken, came $warned"
expect "warnings to a session that adds a cron" "" "$warned"
said=$("$HOWDAH" job install --url "$uri" 2>&1) || fail "expected that the tables of jobs are made, came $said"
warned=$(psql -X -q -At "$uri" -c "SELECT howdah.schedule('s', 'q', 'k', cron => '*/5 * * * *')" \
    -c "SELECT id > 0 FROM howdah.add('q', 'k', '{\"a\": 1}', key => 'one')" 2>&1 | grep -E 'WARNING|ERROR' || true)
expect "warnings to a session that adds a job" "" "$warned"
