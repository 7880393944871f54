-- Segments: maintenance ---------------------------------------------------------------------------

-- Begins another segment when the last one is large enough. The lock waits for transactions that
-- have added to it; others that add wait meanwhile, and no longer than for this time.
CREATE FUNCTION howdah_internal.log_rotate(of_log integer, bytes bigint)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '100ms'
AS $howdah$
DECLARE
    log howdah_internal.log_queue;
BEGIN
    SELECT * INTO log
    FROM howdah_internal.log_queue q
    WHERE q.lane = of_log
    FOR UPDATE SKIP LOCKED;
    IF NOT FOUND
        OR pg_table_size(
            format('howdah_internal.%I',
                howdah_internal.log_segment_name(of_log, log.segment))::regclass) < bytes
    THEN
        RETURN false;
    END IF;
    EXECUTE format('LOCK TABLE howdah_internal.%I IN ACCESS EXCLUSIVE MODE', 'entry_' || of_log);
    UPDATE howdah_internal.log_segment s
    SET sealed = clock_timestamp(), sealed_by = txid_current()
    WHERE s.lane = of_log AND s.number = log.segment;
    PERFORM howdah_internal.log_make_segment(of_log, log.segment + 1);
    UPDATE howdah_internal.log_queue q SET segment = log.segment + 1 WHERE q.lane = of_log;
    RETURN true;
END
$howdah$;

-- Counts a segment that is full; whether there was one.
CREATE FUNCTION howdah_internal.log_count(of_log integer)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    part howdah_internal.log_segment;
    counted bigint;
BEGIN
    SELECT * INTO part
    FROM howdah_internal.log_segment s
    WHERE s.lane = of_log AND s.sealed_by IS NOT NULL AND s.entries IS NULL
    ORDER BY s.number
    LIMIT 1
    FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    EXECUTE format(
        'SELECT count(*) FROM howdah_internal.%I',
        howdah_internal.log_segment_name(of_log, part.number))
    INTO counted;
    UPDATE howdah_internal.log_segment s
    SET entries = counted
    WHERE s.lane = of_log AND s.number = part.number;
    RETURN true;
END
$howdah$;

-- Drops the first segment if all readers have read it and its time is over; whether it did.
CREATE FUNCTION howdah_internal.log_drop(of_log integer)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '100ms'
AS $howdah$
DECLARE
    log howdah_internal.log_queue;
    part howdah_internal.log_segment;
BEGIN
    SELECT * INTO log
    FROM howdah_internal.log_queue q
    WHERE q.lane = of_log
    FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    SELECT * INTO part
    FROM howdah_internal.log_segment s
    WHERE s.lane = of_log
    ORDER BY s.number
    LIMIT 1;
    IF part.sealed_by IS NULL OR part.sealed > now() - log.keep
        OR EXISTS (
            SELECT
            FROM howdah_internal.log_reader r
            JOIN howdah_internal.log_lease l ON l.reader = r.lane
            WHERE r.log = of_log AND l.node IS NOT NULL AND l.segment <= part.number)
        OR EXISTS (
            SELECT
            FROM howdah_internal.log_reader r
            CROSS JOIN LATERAL (
                SELECT l.at_segment
                FROM howdah_internal.log_lease l
                WHERE l.reader = r.lane
                ORDER BY l.n DESC
                LIMIT 1) AS p
            WHERE r.log = of_log AND p.at_segment <= part.number) THEN
        RETURN false;
    END IF;
    EXECUTE format(
        'DROP TABLE howdah_internal.%I', howdah_internal.log_segment_name(of_log, part.number));
    DELETE FROM howdah_internal.log_segment s WHERE s.lane = of_log AND s.number = part.number;
    RETURN true;
END
$howdah$;

-- Positions that a later lease has made superfluous, of readers whose lease was the last one when
-- it ended.
CREATE FUNCTION howdah_internal.log_tidy()
RETURNS bigint
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
    WITH gone AS (
        DELETE FROM howdah_internal.log_lease l
        WHERE l.node IS NULL
            AND EXISTS (
                SELECT FROM howdah_internal.log_lease o WHERE o.reader = l.reader AND o.n > l.n)
        RETURNING 1
    )
    SELECT count(*) FROM gone
$howdah$;
