# limit: 240 s
# The password of the daemon's role is changed while its session lives: tasks of other owners wait, and run when it is right again. None fails.
. "$FINDINGS/lib.sh"
own_postgres
sql "$OWN/postgres" "CREATE ROLE daemon SUPERUSER LOGIN PASSWORD 'old'" "CREATE ROLE app LOGIN" "CREATE ROLE late LOGIN"
as_postgres sed -i '1i host all daemon 127.0.0.1/32 scram-sha-256' "$DATA/pg_hba.conf"
sql "$OWN/postgres" "SELECT pg_reload_conf()" >/dev/null
uri=$OWN/postgres
PGPASSWORD=old serve up --url "${uri/postgres@/daemon@}" --console off
sql "$uri" "INSERT INTO task (input, owner) VALUES ('SELECT 1', 'app')"
await_true 60 "$uri" "count(*) = 1 FROM task WHERE state = 'DONE'"
sql "$uri" "ALTER ROLE daemon PASSWORD 'new'"
# The first task of an owner needs a new session of the daemon's role.
sql "$uri" "INSERT INTO task (input, owner, \"group\", max) SELECT 'SELECT 1', 'late', 'late', 30 FROM generate_series(1, 100)"
is_noticed() { grep -q 'password authentication failed' up.err; }
await 60 is_noticed || fail "expected that the log names the refused login, came: $(tail -n 5 up.err)"
expect "tasks that failed meanwhile" 0 "$(sql "$uri" "SELECT count(*) FROM task WHERE state = 'FAIL'")"
sql "$uri" "ALTER ROLE daemon PASSWORD 'old'"
await_true 90 "$uri" "count(*) = 101 FROM task WHERE state = 'DONE'"
