# An asynchronous trigger keeps values of hstore, and lets a statement through whose row has \u0000 in a json column.  Also: sql/013.
. "$FINDINGS/lib.sh"
own_postgres
uri=$OWN/postgres
sql "$uri" "SET client_min_messages = error; CREATE EXTENSION hstore" >out 2>&1 || skip "the extension hstore is not installed"
sql "$uri" "ALTER DATABASE postgres SET pg_task.functions = 'on'"
serve up --url "$uri" --console off
await_true 60 "$uri" "to_regproc('howdah.task_trigger') IS NOT NULL"
sql "$uri" "CREATE TABLE item (id int PRIMARY KEY, tags hstore, body json)" "CREATE TABLE item_log (id int, tags hstore, body text)" \
    "SELECT howdah.task_trigger('item', 'INSERT INTO public.item_log VALUES ((\$2).id, (\$2).tags, (\$2).body)')" >/dev/null
sql "$uri" "INSERT INTO item VALUES (1, NULL, NULL), (2, 'a=>1, \"b c\"=>NULL', '{\"text\": \"a\\u0000b\"}')"
await_true 60 "$uri" "count(*) = 2 FROM item_log"
expect "what the tasks have seen" 't' "$(sql "$uri" "SELECT bool_and(i.tags IS NOT DISTINCT FROM l.tags AND i.body::text IS NOT DISTINCT FROM l.body) FROM item i JOIN item_log l USING (id)")"
expect "tasks that failed" 0 "$(sql "$uri" "SELECT count(*) FROM task WHERE state = 'FAIL'")"
