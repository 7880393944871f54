# A row whose mark a trigger drops in silence is worked on once, is an error of the row, and the sweep ends; with --sql its effect is rolled back.
. "$FINDINGS/lib.sh"
uri=$(database finding_003)
# shellcheck disable=SC2016 # of the program that is made
printf '#!/bin/sh\nread -r row\necho "$1" >>%s/sent\n' "$WORK" >send
chmod +x send
psql -X -q "$uri" <<'SQL'
CREATE TABLE letter (id int PRIMARY KEY, sent boolean DEFAULT false);
INSERT INTO letter SELECT i FROM generate_series(1, 20) i;
CREATE TABLE letter_log (id int);
CREATE FUNCTION keep_legal_hold() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF NEW.id % 5 = 0 THEN RETURN NULL; END IF; RETURN NEW; END';
CREATE TRIGGER hold BEFORE UPDATE ON letter FOR EACH ROW EXECUTE FUNCTION keep_legal_hold();
SQL
sweep() { timeout 60 "$HOWDAH" sweep --url "$uri" --table letter --key id --where "NOT sent" --mark "sent = true" --attempts 1 "$@" >out 2>&1; }
status=0
sweep --name by-program --exec "$WORK/send" || status=$?
[ $status != 124 ] || fail "expected that the sweep ends, came: $(tail -n 3 out)"
expect "letters sent, and to how many receivers" "20 20" "$(wc -l <sent) $(sort -u sent | wc -l)"
expect "rows that failed" 4 "$("$HOWDAH" sweep show by-program --url "$uri" --json | field failed)"
sql "$uri" "UPDATE letter SET sent = false"
status=0
sweep --name by-sql --sql "INSERT INTO letter_log SELECT id FROM batch" || status=$?
[ $status != 124 ] || fail "expected that the sweep by SQL ends, came: $(tail -n 3 out)"
expect "effects, different rows and effects of held rows" "16 16 0" \
    "$(sql "$uri" "SELECT count(*) || ' ' || count(DISTINCT id) || ' ' || count(*) FILTER (WHERE id % 5 = 0) FROM letter_log")"
