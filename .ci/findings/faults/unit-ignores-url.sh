# What the shipped unit starts serves the database that its file of settings names, and makes no PostgreSQL of its own.
. "$FINDINGS/lib.sh"
uri=$(database finding_unit)
words=$(sed -n 's|^ExecStart=\S* ||p' "$ROOT/packaging/systemd/howdah.service")
expect "what the unit starts" "up --config /etc/howdah/howdah.properties" "$words"
cp "$ROOT/packaging/debian/howdah.properties" howdah.properties
printf 'url=%s\nport=0\n' "$uri" >>howdah.properties
mkdir state
# As systemd does it for StateDirectory.
export STATE_DIRECTORY=$WORK/state HOME=$WORK/state
# shellcheck disable=SC2086 # words
start up "$HOWDAH" ${words/\/etc\/howdah/$WORK} --json
await_true 90 "$uri" "to_regclass('public.task') IS NOT NULL"
await 60 test -s up || fail "expected that it is up, came $(tail -n 5 up.err)"
contains "what it serves" "$(field postgres <up)" /finding_unit
expect "a PostgreSQL of its own in the directory of its state" "" "$(find state -name PG_VERSION | head -n 1)"
