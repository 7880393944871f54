# A sweep ends although a trigger takes back the mark of a row after it was set; that row has failed.
. "$FINDINGS/lib.sh"
uri=$(database finding_005)
psql -X -q "$uri" <<'SQL'
CREATE TABLE product (id int PRIMARY KEY, indexed boolean DEFAULT false);
INSERT INTO product SELECT i FROM generate_series(1, 50) i;
CREATE FUNCTION stale_again() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN IF NEW.id = 7 AND pg_trigger_depth() = 1 THEN UPDATE product SET indexed = false WHERE id = 7; END IF; RETURN NULL; END';
CREATE TRIGGER stale AFTER UPDATE ON product FOR EACH ROW EXECUTE FUNCTION stale_again();
SQL
status=0
timeout 60 "$HOWDAH" sweep --url "$uri" --name products --table product --key id --where "NOT indexed" --mark "indexed = true" >out 2>&1 || status=$?
[ $status != 124 ] || fail "expected that the sweep ends, came: $(tail -n 3 out)"
shown=$("$HOWDAH" sweep show products --url "$uri" --json)
expect "state, rows done and failed" "done 49 1" "$(field state <<<"$shown") $(field done <<<"$shown") $(field failed <<<"$shown")"
