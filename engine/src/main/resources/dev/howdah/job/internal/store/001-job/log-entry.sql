-- Segments and entries ----------------------------------------------------------------------------

CREATE FUNCTION howdah_internal.log_segment_name(of_lane integer, number bigint)
RETURNS text
LANGUAGE sql IMMUTABLE
AS $howdah$
    SELECT pg_catalog.concat('entry_', $1, '_', $2)
$howdah$;

-- Makes the next segment of a log queue. A transaction has its number before it draws an id there:
-- so an id that is lower than a visible one belongs to a transaction that had a number when that
-- one was committed.
CREATE FUNCTION howdah_internal.log_make_segment(of_lane integer, with_number bigint)
RETURNS void
LANGUAGE plpgsql
SET client_min_messages = 'warning'
AS $howdah$
DECLARE
    name text := howdah_internal.log_segment_name(of_lane, with_number);
BEGIN
    EXECUTE format(
        'CREATE TABLE howdah_internal.%I (
            xid bigint DEFAULT txid_current(),
            id bigint DEFAULT CASE WHEN txid_current() IS NOT NULL
                THEN nextval(''howdah_internal.job_id_seq'') END,
            at timestamptz DEFAULT now(),
            PRIMARY KEY (id)
        ) INHERITS (howdah_internal.log_entry)
            WITH (autovacuum_enabled = off, toast_tuple_target = 8160)',
        name);
    EXECUTE format(
        'CREATE OR REPLACE VIEW howdah_internal.%I AS
            SELECT e.id, e.kind, e.payload, e.more FROM howdah_internal.%I e',
        'entry_' || of_lane, name);
    INSERT INTO howdah_internal.log_segment (lane, number) VALUES (of_lane, with_number);
END
$howdah$;

-- Adds jobs of one kind to a log queue; their ids, in their order.
CREATE FUNCTION howdah_internal.log_put(
    of_lane integer, of_kind text, payloads text[], more jsonb)
RETURNS bigint[]
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    ids bigint[];
BEGIN
    PERFORM howdah_internal.log_check_room(of_lane);
    IF cardinality(payloads) = 1 THEN
        -- Planned in half of the time.
        EXECUTE format(
            'INSERT INTO howdah_internal.%I (kind, payload, more) VALUES ($1, $2::json, $3)
            RETURNING ARRAY[id]', 'entry_' || of_lane)
        INTO ids USING of_kind, payloads[1], more;
        PERFORM howdah_internal.ring(r.lane) FROM howdah_internal.log_reader r
            WHERE r.log = of_lane;
        RETURN ids;
    END IF;
    EXECUTE format(
        'WITH added AS (
            INSERT INTO howdah_internal.%I (kind, payload, more)
            SELECT $1, p.payload::json, $3 FROM unnest($2) AS p (payload)
            RETURNING id
        )
        SELECT array_agg(a.id) FROM added a', 'entry_' || of_lane)
    INTO ids USING of_kind, payloads, more;
    PERFORM howdah_internal.ring(r.lane) FROM howdah_internal.log_reader r WHERE r.log = of_lane;
    RETURN ids;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.log_put(integer, text, text[], jsonb) IS
    'For the library: adds jobs to a log queue; their ids, in their order.';

-- The same where each has a kind and attributes of its own.
CREATE FUNCTION howdah_internal.log_put_each(
    of_lane integer, kinds text[], payloads text[], mores jsonb[])
RETURNS bigint[]
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    ids bigint[];
BEGIN
    PERFORM howdah_internal.log_check_room(of_lane);
    EXECUTE format(
        'WITH added AS (
            INSERT INTO howdah_internal.%I (kind, payload, more)
            SELECT p.kind, p.payload::json, p.more
            FROM unnest($1, $2, $3) AS p (kind, payload, more)
            RETURNING id
        )
        SELECT array_agg(a.id) FROM added a', 'entry_' || of_lane)
    INTO ids USING kinds, payloads, mores;
    PERFORM howdah_internal.ring(r.lane) FROM howdah_internal.log_reader r WHERE r.log = of_lane;
    RETURN ids;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.log_put_each(integer, text[], text[], jsonb[]) IS
    'For the library: adds different jobs to a log queue; their ids, in their order.';

-- The order key that an entry has, NULL: it has none, or none that a job can have.
CREATE FUNCTION howdah_internal.log_order_key(more jsonb)
RETURNS text
LANGUAGE sql IMMUTABLE
AS $howdah$
    SELECT $1 OPERATOR(pg_catalog.->>) 'ordered'
    WHERE pg_catalog.jsonb_typeof($1 OPERATOR(pg_catalog.->) 'ordered')
            OPERATOR(pg_catalog.=) 'string'
        AND pg_catalog.length($1 OPERATOR(pg_catalog.->>) 'ordered') BETWEEN 1 AND 200
$howdah$;

-- The lane of a log queue, NULL: it is an ordinary one; an error where a job of a log queue is to
-- have what it cannot have.
CREATE FUNCTION howdah_internal.log_lane(
    of_queue text, with_priority integer, run_at timestamptz, delay interval, key text,
    options jsonb)
RETURNS integer
LANGUAGE plpgsql STABLE
AS $howdah$
DECLARE
    lane integer;
    refused text;
BEGIN
    IF NOT EXISTS (SELECT FROM howdah_internal.log_queue) THEN
        RETURN NULL;
    END IF;
    SELECT l.id INTO lane
    FROM howdah_internal.lane l
    JOIN howdah_internal.log_queue q ON q.lane = l.id
    WHERE l.queue = of_queue AND l.kind IS NULL AND l.home IS NULL;
    IF lane IS NULL THEN
        RETURN NULL;
    END IF;
    refused := CASE
        WHEN COALESCE(with_priority, 0) <> 0 THEN format('a priority (%s)', with_priority)
        WHEN run_at > now() THEN format('a time at which it runs (%s)', run_at)
        WHEN delay > interval '0' THEN format('a delay (%s)', delay)
        WHEN key IS NOT NULL THEN format('a key (%s)', left(key, 40))
        ELSE (
            SELECT format('the option %s', min(o.name))
            FROM jsonb_object_keys(COALESCE(options, '{}')) AS o (name)
            WHERE o.name IN ('unique', 'group', 'weight')
            HAVING count(*) > 0)
    END;
    IF refused IS NOT NULL THEN
        RAISE 'a job with % cannot be added to the log queue "%"', refused, of_queue
            USING ERRCODE = 'feature_not_supported',
            HINT = 'Jobs of a log queue begin in the order in which they were added, and each is '
                'added once. Add it to another queue.';
    END IF;
    RETURN lane;
END
$howdah$;
