# The log of a daemon that serves several databases says in which one a task has failed.
. "$FINDINGS/lib.sh"
database finding_019a >/dev/null
database finding_019b >/dev/null
serve up --url "$SERVER/postgres" --console off --tables '[{"data":"finding_019a","user":"postgres"},{"data":"finding_019b","user":"postgres"}]'
for each in finding_019a finding_019b; do
    await_true 60 "$SERVER/$each" "to_regclass('public.task') IS NOT NULL"
    sql "$SERVER/$each" "INSERT INTO task (input) VALUES ('SELECT 1 / 0')"
done
is_said() { grep -q "$1.*task 1 has failed" up.err; }
for each in finding_019a finding_019b; do
    await 60 is_said "$each" || fail "expected a line that names $each and its task, came: $(grep 'has failed' up.err)"
done
