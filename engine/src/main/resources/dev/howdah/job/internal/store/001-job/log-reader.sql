-- Log queues and their readers, for operators -----------------------------------------------------

CREATE FUNCTION howdah_internal.queue(queue text, storage text, keep interval DEFAULT interval '0')
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    of_lane integer;
    is_log boolean;
BEGIN
    PERFORM howdah_internal.check_name('queue', queue.queue);
    IF queue.storage IS NULL OR queue.storage NOT IN ('table', 'log') THEN
        RAISE 'the storage % is not known: it has to be table or log',
            COALESCE('"' || left(queue.storage, 40) || '"', 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF queue.keep IS NULL OR queue.keep < interval '0' OR queue.keep > interval '100 years' THEN
        RAISE 'keep is %: it has to be from 0 to 100 years', COALESCE(queue.keep::text, 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    of_lane := howdah_internal.lane_of(queue.queue, NULL, 0::smallint);
    is_log := EXISTS (SELECT FROM howdah_internal.log_queue q WHERE q.lane = of_lane);
    IF queue.storage = 'table' THEN
        IF is_log THEN
            RAISE 'the queue "%" is a log queue, and cannot become another one', queue.queue
                USING ERRCODE = 'feature_not_supported',
                HINT = 'Add jobs to a queue of another name.';
        END IF;
        RETURN;
    END IF;
    IF EXISTS (
            SELECT
            FROM howdah_internal.log_reader r
            JOIN howdah_internal.lane l ON l.id = r.lane
            WHERE l.queue = queue.queue AND r.name <> '') THEN
        RAISE 'the queue "%" belongs to a reader of a log queue', queue.queue
            USING ERRCODE = 'feature_not_supported';
    END IF;
    INSERT INTO howdah_internal.log_queue AS q (lane, keep)
    VALUES (of_lane, queue.keep)
    ON CONFLICT ON CONSTRAINT log_queue_pkey DO UPDATE SET keep = excluded.keep
    RETURNING q.xmax::text <> '0' INTO is_log;
    IF NOT is_log THEN
        PERFORM howdah_internal.log_make_segment(of_lane, 1);
        PERFORM howdah_internal.log_make_reader(of_lane, of_lane, '', 1, 0);
    END IF;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.queue(text, text, interval) IS
    'Makes a queue whose jobs are entries of a log, if storage is log, or changes for how long '
    'such a queue keeps entries that all readers have read.';

-- A reader that has read the segment up to that id.
CREATE FUNCTION howdah_internal.log_make_reader(
    of_lane integer, of_log integer, with_name text, segment bigint, upto bigint)
RETURNS void
LANGUAGE plpgsql
AS $howdah$
BEGIN
    IF with_name = '' THEN
        INSERT INTO howdah_internal.log_reader (lane, log, name, number) OVERRIDING SYSTEM VALUE
        VALUES (of_lane, of_log, with_name, 0);
    ELSE
        INSERT INTO howdah_internal.log_reader (lane, log, name)
            VALUES (of_lane, of_log, with_name);
    END IF;
    PERFORM howdah_internal.log_move_reader(of_lane, segment, upto);
END
$howdah$;

-- That it goes on there. The caller has the lock of the reader, or made it.
CREATE FUNCTION howdah_internal.log_move_reader(of_reader integer, to_segment bigint, upto bigint)
RETURNS void
LANGUAGE sql
AS $howdah$
    WITH last AS (
        SELECT l.id, l.n, l.node
        FROM howdah_internal.log_lease l
        WHERE l.reader = of_reader
        ORDER BY l.n DESC
        LIMIT 1
    ), gone AS (
        DELETE FROM howdah_internal.log_lease l
        WHERE l.id = (SELECT o.id FROM last o WHERE o.node IS NULL)
    )
    INSERT INTO howdah_internal.log_lease (
        id, reader, n, jobs, segment, seen, at_segment, at_id, at_seen, at_xids, at_ids)
    SELECT howdah_internal.batch_number(), of_reader, COALESCE((SELECT o.n FROM last o), 0) + 1, 0,
        to_segment, txid_current_snapshot(), to_segment, upto, txid_current_snapshot(), '{}', '{}'
$howdah$;

-- The lane of the log queue of that name; an error if there is none.
CREATE FUNCTION howdah_internal.log_of(queue text)
RETURNS integer
LANGUAGE plpgsql STABLE
AS $howdah$
DECLARE
    lane integer;
BEGIN
    SELECT q.lane INTO lane
    FROM howdah_internal.log_queue q
    JOIN howdah_internal.lane l ON l.id = q.lane
    WHERE l.queue = log_of.queue;
    IF NOT FOUND THEN
        RAISE 'there is no log queue "%"', log_of.queue USING ERRCODE = 'undefined_object',
            HINT = 'SELECT howdah.queue(name, storage => ''log'') makes one.';
    END IF;
    RETURN lane;
END
$howdah$;

-- Where a reader goes on to have what was added since then: a segment, and the id before it.
CREATE FUNCTION howdah_internal.log_place(
    of_log integer, since timestamptz, OUT segment bigint, OUT upto bigint)
LANGUAGE plpgsql
SET enable_seqscan = off
SET jit = off
AS $howdah$
DECLARE
    part howdah_internal.log_segment;
BEGIN
    FOR part IN
        SELECT s.*
        FROM howdah_internal.log_segment s
        WHERE s.lane = of_log AND COALESCE(s.sealed, 'infinity') >= since
        ORDER BY s.number
    LOOP
        segment := part.number;
        EXECUTE format(
            'SELECT e.id - 1 FROM howdah_internal.%I e WHERE e.at >= $1 ORDER BY e.id LIMIT 1',
            howdah_internal.log_segment_name(of_log, part.number))
        INTO upto USING since;
        IF upto IS NOT NULL THEN
            RETURN;
        END IF;
    END LOOP;
    EXECUTE format(
        'SELECT COALESCE(max(e.id), 0) FROM howdah_internal.%I e',
        howdah_internal.log_segment_name(of_log, segment))
    INTO upto;
END
$howdah$;

CREATE FUNCTION howdah_internal.add_reader(queue text, reader text, since timestamptz DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '10s'
AS $howdah$
DECLARE
    of_log integer := howdah_internal.log_of(add_reader.queue);
    own_queue text := add_reader.queue || '/' || add_reader.reader;
    of_lane integer;
    place record;
BEGIN
    PERFORM howdah_internal.check_name('reader', add_reader.reader),
        howdah_internal.check_name('queue', own_queue);
    -- One at a time; and no segment is dropped meanwhile.
    PERFORM FROM howdah_internal.log_queue q WHERE q.lane = of_log FOR UPDATE;
    of_lane := howdah_internal.lane_of(own_queue, NULL, 0::smallint);
    IF EXISTS (SELECT FROM howdah_internal.log_queue q WHERE q.lane = of_lane) THEN
        RAISE 'there is a log queue "%" already', own_queue USING ERRCODE = 'duplicate_object';
    END IF;
    IF NOT EXISTS (SELECT FROM howdah_internal.log_reader r WHERE r.lane = of_lane) THEN
        SELECT * INTO place FROM howdah_internal.log_place(of_log, COALESCE(since, 'infinity'));
        PERFORM howdah_internal.log_make_reader(
            of_lane, of_log, add_reader.reader, place.segment, place.upto);
        PERFORM howdah_internal.tell('howdah_job', of_lane::text);
    END IF;
    RETURN own_queue;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.add_reader(text, text, timestamptz) IS
    'Adds a reader to a log queue, which has all entries that are added from now on, or since '
    'that time, as far as they are kept; returns the name of its queue.';

CREATE FUNCTION howdah_internal.seek_reader(queue text, reader text, since timestamptz)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '10s'
AS $howdah$
DECLARE
    of_log integer := howdah_internal.log_of(seek_reader.queue);
    of_lane integer := howdah_internal.log_reader_of(of_log, seek_reader.queue, seek_reader.reader);
    place record;
BEGIN
    IF since IS NULL THEN
        RAISE 'since is NULL: it has to be a time' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM FROM howdah_internal.log_queue q WHERE q.lane = of_log FOR UPDATE;
    PERFORM pg_advisory_xact_lock(1215264893, of_lane);
    SELECT * INTO place FROM howdah_internal.log_place(of_log, since);
    PERFORM howdah_internal.log_move_reader(of_lane, place.segment, place.upto);
    PERFORM howdah_internal.ring(of_lane);
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.seek_reader(text, text, timestamptz) IS
    'Moves a reader of a log queue, NULL: the first one, to what was added since that time, as far '
    'as it is kept.';

CREATE FUNCTION howdah_internal.log_reader_of(of_log integer, queue text, reader text)
RETURNS integer
LANGUAGE plpgsql STABLE
AS $howdah$
DECLARE
    of_lane integer;
BEGIN
    SELECT r.lane INTO of_lane
    FROM howdah_internal.log_reader r
    WHERE r.log = of_log AND r.name = COALESCE(log_reader_of.reader, '');
    IF NOT FOUND THEN
        RAISE 'the log queue "%" has no reader "%"', log_reader_of.queue, log_reader_of.reader
            USING ERRCODE = 'undefined_object',
            HINT = 'There are: ' || COALESCE((
                SELECT string_agg(r.name, ', ' ORDER BY r.name)
                FROM howdah_internal.log_reader r
                WHERE r.log = of_log AND r.name <> ''), 'the first one, which is NULL') || '.';
    END IF;
    RETURN of_lane;
END
$howdah$;

CREATE FUNCTION howdah.drop_reader(queue text, reader text)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '10s'
AS $howdah$
DECLARE
    of_log integer := howdah_internal.log_of(drop_reader.queue);
    of_lane integer := howdah_internal.log_reader_of(of_log, drop_reader.queue, drop_reader.reader);
BEGIN
    IF COALESCE(drop_reader.reader, '') = '' THEN
        RAISE 'the first reader of a log queue cannot be dropped'
            USING ERRCODE = 'feature_not_supported';
    END IF;
    PERFORM pg_advisory_xact_lock(1215264893, of_lane);
    DELETE FROM howdah_internal.log_reader r WHERE r.lane = of_lane;
    DELETE FROM howdah_internal.log_lease l WHERE l.reader = of_lane;
END
$howdah$;
COMMENT ON FUNCTION howdah.drop_reader(text, text) IS
    'Drops a reader of a log queue. Jobs of it that wait for a retry stay in its queue.';

-- How many entries a reader has not taken, up to so many, and since when the first of them is
-- there.
CREATE FUNCTION howdah_internal.log_behind(
    of_reader integer, most integer, OUT jobs bigint, OUT oldest timestamptz)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off
SET jit = off
AS $howdah$
DECLARE
    last howdah_internal.log_lease;
    part howdah_internal.log_segment;
    more record;
BEGIN
    jobs := 0;
    SELECT * INTO last
    FROM howdah_internal.log_lease l
    WHERE l.reader = of_reader
    ORDER BY l.n DESC
    LIMIT 1;
    FOR part IN
        SELECT s.*
        FROM howdah_internal.log_segment s
        JOIN howdah_internal.log_reader r ON r.log = s.lane
        WHERE r.lane = of_reader AND s.number >= last.at_segment
        ORDER BY s.number
    LOOP
        IF part.entries IS NOT NULL AND part.number > last.at_segment AND oldest IS NOT NULL THEN
            jobs := jobs + part.entries;
        ELSE
            EXECUTE format(
                'SELECT count(*) AS jobs, min(f.at) AS oldest
                FROM (
                    SELECT e.at FROM howdah_internal.%I e WHERE e.id > $1 ORDER BY e.id
                        LIMIT $2) AS f',
                howdah_internal.log_segment_name(part.lane, part.number))
            INTO more
            USING CASE WHEN part.number = last.at_segment THEN last.at_id ELSE 0 END, most;
            jobs := jobs + more.jobs;
            oldest := COALESCE(oldest, more.oldest);
        END IF;
        EXIT WHEN jobs >= most;
    END LOOP;
END
$howdah$;

CREATE FUNCTION howdah.log_readers(
    OUT log text, OUT reader text, OUT queue text, OUT waiting bigint, OUT oldest timestamptz,
    OUT running bigint, OUT keep interval, OUT segments bigint)
RETURNS SETOF record
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT l.queue, NULLIF(r.name, ''), o.queue, b.jobs, b.oldest,
        (
            SELECT COALESCE(sum(e.jobs), 0)::bigint
            FROM howdah_internal.log_lease e
            WHERE e.reader = r.lane AND e.node IS NOT NULL),
        q.keep,
        (SELECT count(*) FROM howdah_internal.log_segment s WHERE s.lane = q.lane)
    FROM howdah_internal.log_reader r
    JOIN howdah_internal.log_queue q ON q.lane = r.log
    JOIN howdah_internal.lane l ON l.id = q.lane
    JOIN howdah_internal.lane o ON o.id = r.lane
    CROSS JOIN LATERAL howdah_internal.log_behind(r.lane, 1000000) AS b
    ORDER BY l.queue, r.name
$howdah$;
COMMENT ON FUNCTION howdah.log_readers() IS
    'The readers of log queues, NULL: the first one: how many entries each has not taken, up to a '
    'million, since when the first of these is there, and how many of its jobs run.';
