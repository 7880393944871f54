-- Notifications of transactions that are prepared -------------------------------------------------
--
-- PREPARE TRANSACTION refuses a transaction that has executed NOTIFY, and no statement knows how
-- its transaction will end. Where transactions can be prepared, a row stands for a notification: it
-- is sent when the transaction ends, unless it is prepared. The row stays until a node has seen it,
-- within six seconds, so that the commit of a prepared transaction is noticed as well. Nothing is
-- read or deleted here: that could be a conflict in a transaction that is serializable.

CREATE TABLE howdah_internal.bell (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    channel text NOT NULL CHECK (length(channel) < 64),
    payload text NOT NULL CHECK (length(payload) <= 100)
);
COMMENT ON TABLE howdah_internal.bell IS
    'Notifications of transactions that could have been prepared, until a node has seen them.';

CREATE FUNCTION howdah_internal.bell_ring()
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
CREATE CONSTRAINT TRIGGER bell_ring AFTER INSERT ON howdah_internal.bell
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION howdah_internal.bell_ring();
ALTER TABLE howdah_internal.bell ENABLE ALWAYS TRIGGER bell_ring;

-- Notifies others when the transaction is committed.
CREATE FUNCTION howdah_internal.tell(channel text, payload text)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    IF current_setting('max_prepared_transactions') = '0' THEN
        PERFORM pg_notify(channel, payload);
    ELSE
        INSERT INTO howdah_internal.bell (channel, payload) VALUES (tell.channel, tell.payload);
    END IF;
END
$howdah$;

-- For nodes, whatever their roles may do: whether there are some; and to send them, those of
-- transactions that were prepared now, the others once more.
CREATE FUNCTION howdah_internal.bell_waits()
RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT EXISTS (SELECT FROM howdah_internal.bell)
$howdah$;

CREATE FUNCTION howdah_internal.bell_answer()
RETURNS bigint
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
    WITH gone AS (
        DELETE FROM howdah_internal.bell b
        WHERE b.id = ANY (ARRAY(
            SELECT o.id
            FROM howdah_internal.bell o
            LIMIT 10000
            FOR UPDATE SKIP LOCKED))
        RETURNING b.channel, b.payload
    )
    SELECT count(pg_notify(d.channel, d.payload))
    FROM (SELECT DISTINCT g.channel, g.payload FROM gone g) d
$howdah$;
