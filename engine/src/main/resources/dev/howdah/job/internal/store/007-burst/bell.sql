-- Notifications of transactions that are prepared -------------------------------------------------
--
-- PREPARE TRANSACTION refuses a transaction that has executed NOTIFY, and no statement knows how
-- its transaction will end. Where transactions can be prepared, a row stands for a notification: it
-- is sent when the transaction ends, unless it is prepared. The row stays until a node has seen it,
-- within three seconds, so that the commit of a prepared transaction is noticed as well. Nothing is
-- read or deleted here: that could be a conflict in a transaction that is serializable.

CREATE TABLE howdah.bell (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    channel text NOT NULL CHECK (length(channel) < 64),
    payload text NOT NULL CHECK (length(payload) <= 100)
);
COMMENT ON TABLE howdah.bell IS
    'Notifications of transactions that could have been prepared, until a node has seen them.';

CREATE FUNCTION howdah.bell_ring()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    IF COALESCE(current_query(), '') !~* 'prepare[[:space:]]+transaction' THEN
        PERFORM pg_notify(NEW.channel, NEW.payload);
    END IF;
    RETURN NULL;
END
$howdah$;
REVOKE EXECUTE ON FUNCTION howdah.bell_ring() FROM PUBLIC;
CREATE CONSTRAINT TRIGGER bell_ring AFTER INSERT ON howdah.bell
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION howdah.bell_ring();
ALTER TABLE howdah.bell ENABLE ALWAYS TRIGGER bell_ring;

-- Notifies others when the transaction is committed.
CREATE FUNCTION howdah.tell(channel text, payload text)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    IF current_setting('max_prepared_transactions') = '0' THEN
        PERFORM pg_notify(channel, payload);
    ELSE
        INSERT INTO howdah.bell (channel, payload) VALUES (tell.channel, tell.payload);
    END IF;
END
$howdah$;

-- For nodes, whatever their roles may do: whether there are some; and to send them, those of
-- transactions that were prepared now, the others once more.
CREATE FUNCTION howdah.bell_waits()
RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT EXISTS (SELECT FROM howdah.bell)
$howdah$;

CREATE FUNCTION howdah.bell_answer()
RETURNS bigint
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
    WITH gone AS (
        DELETE FROM howdah.bell b
        WHERE b.id = ANY (ARRAY(
            SELECT o.id
            FROM howdah.bell o
            LIMIT 10000
            FOR UPDATE SKIP LOCKED))
        RETURNING b.channel, b.payload
    )
    SELECT count(pg_notify(d.channel, d.payload))
    FROM (SELECT DISTINCT g.channel, g.payload FROM gone g) d
$howdah$;

-- All functions that users' transactions run, in one place: in the files before they stand as they
-- were.
DO $howdah$
DECLARE
    each oid;
BEGIN
    FOR each IN
        SELECT p.oid
        FROM pg_proc p
        WHERE p.pronamespace = 'howdah'::regnamespace
            AND strpos(p.prosrc, 'pg_notify(''howdah_job') > 0
    LOOP
        EXECUTE replace(
            pg_get_functiondef(each), 'pg_notify(''howdah_job', 'howdah.tell(''howdah_job');
    END LOOP;
END
$howdah$;

ALTER FUNCTION howdah.allow(regrole, text) RENAME TO allow_unread;
COMMENT ON FUNCTION howdah.allow_unread(regrole, text) IS 'A part of howdah.allow.';

CREATE FUNCTION howdah.allow(role regrole, duty text)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    PERFORM howdah.allow_unread(role, duty);
    IF duty IN ('reader', 'operator', 'worker') THEN
        EXECUTE format('GRANT SELECT ON howdah.bell TO %s', role);
    END IF;
    IF duty IN ('producer', 'operator', 'worker') THEN
        EXECUTE format('GRANT EXECUTE ON FUNCTION howdah.tell(text, text) TO %s', role);
    END IF;
    IF duty = 'worker' THEN
        EXECUTE format(
            'GRANT EXECUTE ON FUNCTION howdah.bell_waits(), howdah.bell_answer() TO %s', role);
        EXECUTE format('GRANT INSERT, UPDATE, DELETE ON howdah.bell TO %s', role);
    END IF;
END
$howdah$;
COMMENT ON FUNCTION howdah.allow(regrole, text) IS
    'Grants a role what a producer, reader, operator, worker or handler needs, and no more. To '
    'be called again after an upgrade.';

REVOKE EXECUTE ON FUNCTION howdah.allow(regrole, text), howdah.tell(text, text),
    howdah.bell_waits(), howdah.bell_answer()
FROM PUBLIC;

-- A role that could add, change or claim before can do so without a further call of howdah.allow.
DO $howdah$
DECLARE
    each record;
BEGIN
    FOR each IN
        SELECT a.grantee::regrole AS role, bool_or(p.proname = 'claim_within') AS claims
        FROM pg_proc p
        CROSS JOIN LATERAL aclexplode(p.proacl) a
        WHERE p.pronamespace = 'howdah'::regnamespace
            AND p.proname IN ('added', 'pause_schedule', 'claim_within')
            AND a.grantee NOT IN (0, p.proowner)
        GROUP BY a.grantee
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION howdah.tell(text, text) TO %s', each.role);
        IF each.claims THEN
            EXECUTE format(
                'GRANT EXECUTE ON FUNCTION howdah.bell_waits(), howdah.bell_answer() TO %s',
                each.role);
        END IF;
    END LOOP;
END
$howdah$;
