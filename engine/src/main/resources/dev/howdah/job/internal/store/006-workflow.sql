-- To a workflow that was asked to close, no job is added while a node carries that out: the
-- workflow and what was asked of it are read by one statement. Read by two, the first could come
-- before the commit of the node and the second after it, so that neither saw the end.
CREATE OR REPLACE FUNCTION howdah.workflow_keep(of_workflow bigint)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    takes boolean;
BEGIN
    SELECT w.open AND w.ended IS NULL AND w.cancel_asked IS NULL AND NOT EXISTS (
        SELECT
        FROM howdah.workflow_event e
        WHERE e.workflow = w.id AND e.asked IS NOT NULL)
    INTO takes
    FROM howdah.workflow w
    WHERE w.id = of_workflow
    FOR KEY SHARE OF w;
    IF NOT FOUND THEN
        RAISE 'there is no workflow %, or it has been removed',
            COALESCE(of_workflow::text, 'NULL')
            USING ERRCODE = 'undefined_object';
    ELSIF NOT takes THEN
        RAISE 'nothing can be added to workflow %: it is not open', of_workflow
            USING ERRCODE = 'object_not_in_prerequisite_state',
                HINT = 'Jobs can be added to a workflow that was added as open, until it is closed '
                    'or cancelled.';
    END IF;
END
$howdah$;

-- Logical replication -----------------------------------------------------------------------------
--
-- Under a publication FOR ALL TABLES a row of a table without a replica identity cannot be changed.

-- Instead of an index on the id alone, so that a row costs one entry as before. The whole row as
-- identity would write payloads a second time, and a subscriber cannot compare values of json.
-- Tables of days get the key of their parent.
DROP INDEX howdah.batch_id;
ALTER TABLE howdah.batch ADD PRIMARY KEY (id, day);

-- Small rows that may stand there more than once.
ALTER TABLE howdah.group_wake REPLICA IDENTITY FULL;
ALTER TABLE howdah.key_late REPLICA IDENTITY FULL;
ALTER TABLE howdah.lane_priority REPLICA IDENTITY FULL;
ALTER TABLE howdah.log REPLICA IDENTITY FULL;
ALTER TABLE howdah.queue_limit REPLICA IDENTITY FULL;
ALTER TABLE howdah.stat_mark REPLICA IDENTITY FULL;
-- It has no rows: segments have keys of their own.
ALTER TABLE howdah.log_entry REPLICA IDENTITY FULL;

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

-- Notifies others when the transaction is committed. Any role may call it, as any may notify.
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
    IF duty = 'worker' THEN
        EXECUTE format('GRANT INSERT, UPDATE, DELETE ON howdah.bell TO %s', role);
    END IF;
END
$howdah$;
COMMENT ON FUNCTION howdah.allow(regrole, text) IS
    'Grants a role what a producer, reader, operator, worker or handler needs, and no more. To '
    'be called again after an upgrade.';
REVOKE EXECUTE ON FUNCTION howdah.allow(regrole, text) FROM PUBLIC;

-- The days of the history and the lock table ------------------------------------------------------
--
-- A statement that is planned once for all locks the tables of all days, and their indexes. The
-- lock table is that of the whole server: where it is full, sessions of other databases fail. So a
-- day counts as 16 of its places, which leaves half of them to others while four nodes claim.
CREATE FUNCTION howdah.retention_fits()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    sessions CONSTANT integer := current_setting('max_connections')::integer
        + current_setting('max_prepared_transactions')::integer;
    each CONSTANT integer := current_setting('max_locks_per_transaction')::integer;
    days CONSTANT numeric := ceil(extract(epoch FROM NEW.keep) / 86400);
BEGIN
    IF days * 16 > each::bigint * sessions THEN
        RAISE 'a retention of % days: there is a table for each day, and the lock table of this '
            'server bears % of them', days, each::bigint * sessions / 16
            USING ERRCODE = 'configuration_limit_exceeded',
                HINT = format(
                    'Set max_locks_per_transaction to %s or more, instead of %s, and restart the '
                    'server.', ceil(days * 16 / sessions), each);
    END IF;
    RETURN NEW;
END
$howdah$;
CREATE TRIGGER retention_fits BEFORE INSERT OR UPDATE OF keep ON howdah.retention
    FOR EACH ROW WHEN (NEW.outcome = 'done' AND NOT NEW.by_default)
    EXECUTE FUNCTION howdah.retention_fits();
REVOKE EXECUTE ON FUNCTION howdah.retention_fits() FROM PUBLIC;

INSERT INTO howdah.migration (feature, version, file)
VALUES ('job', 6, '006-workflow.sql');
