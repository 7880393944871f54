-- What the readers of a log queue have not read: it can be bounded, so that entries that no node
-- takes do not fill the disk; and it is listed.

-- How many bytes of entries no node has taken for a reader: whole pages of its segments from the
-- entry on that it has come to. The same costs no more where these are many.
CREATE FUNCTION howdah_internal.log_unread(of_reader integer)
RETURNS bigint
LANGUAGE plpgsql STABLE
SET enable_seqscan = off
SET jit = off
AS $howdah$
DECLARE
    last howdah_internal.log_lease;
    part howdah_internal.log_segment;
    of_table regclass;
    pages bigint;
    taken bigint;
    bytes bigint := 0;
BEGIN
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
    LOOP
        BEGIN
            of_table := format('howdah_internal.%I',
                howdah_internal.log_segment_name(part.lane, part.number));
            pages := pg_relation_size(of_table) / current_setting('block_size')::bigint;
            taken := NULL;
            IF part.number = last.at_segment THEN
                EXECUTE format(
                    'SELECT (e.ctid::text::point)[0]::bigint + 1 FROM %s e
                    WHERE e.id <= $1 ORDER BY e.id DESC LIMIT 1', of_table)
                INTO taken USING last.at_id;
            END IF;
            IF pages > 0 THEN
                bytes := bytes
                    + COALESCE(pg_table_size(of_table), 0) * (pages - COALESCE(taken, 0)) / pages;
            END IF;
        EXCEPTION WHEN undefined_table THEN
            -- All readers have read it meanwhile, and it was dropped.
            NULL;
        END;
    END LOOP;
    RETURN bytes;
END
$howdah$;

-- An error if a reader has as much to read as it may have. Without a bound it costs a look at the
-- row of the queue.
CREATE FUNCTION howdah_internal.log_check_room(of_lane integer)
RETURNS void
LANGUAGE plpgsql STABLE
AS $howdah$
DECLARE
    behind record;
BEGIN
    SELECT l.queue, r.name, u.bytes, q.most_unread INTO behind
    FROM howdah_internal.log_queue q
    JOIN howdah_internal.lane l ON l.id = q.lane
    JOIN howdah_internal.log_reader r ON r.log = q.lane
    CROSS JOIN LATERAL howdah_internal.log_unread(r.lane) AS u (bytes)
    WHERE q.lane = of_lane AND q.most_unread IS NOT NULL AND u.bytes >= q.most_unread
    ORDER BY u.bytes DESC
    LIMIT 1;
    IF FOUND THEN
        RAISE 'the log queue "%" is full: % has % to read, of % at most',
            behind.queue,
            CASE behind.name
                WHEN '' THEN 'its first reader'
                ELSE format('its reader "%s"', behind.name)
            END,
            pg_size_pretty(behind.bytes), pg_size_pretty(behind.most_unread)
            USING ERRCODE = '53H01',
            HINT = 'Add again when nodes have claimed from the queue of that reader. '
                'howdah.limit_unread changes the bound, howdah.drop_reader drops a reader.';
    END IF;
END
$howdah$;

-- For operators -----------------------------------------------------------------------------------

CREATE FUNCTION howdah.limit_unread(queue text, most text)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    of_log integer := howdah_internal.log_of(limit_unread.queue);
    bytes bigint := pg_size_bytes(limit_unread.most);
BEGIN
    IF bytes < 1048576 THEN
        RAISE 'the most that may be unread is "%": it has to be 1 MB or more, or NULL', most
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    UPDATE howdah_internal.log_queue q SET most_unread = bytes WHERE q.lane = of_log;
END
$howdah$;
COMMENT ON FUNCTION howdah.limit_unread(text, text) IS
    'Sets how much a reader of a log queue may have to read, as in 10 GB: jobs beyond that are '
    'refused with SQLSTATE 53H01. NULL: there is no bound.';

CREATE FUNCTION howdah.unread(
    OUT log text, OUT reader text, OUT unread bigint, OUT most_unread bigint)
RETURNS SETOF record
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT l.queue, NULLIF(r.name, ''), howdah_internal.log_unread(r.lane), q.most_unread
    FROM howdah_internal.log_reader r
    JOIN howdah_internal.log_queue q ON q.lane = r.log
    JOIN howdah_internal.lane l ON l.id = q.lane
    ORDER BY l.queue, r.name
$howdah$;
COMMENT ON FUNCTION howdah.unread() IS
    'How many bytes each reader of a log queue, NULL: the first one, has to read, and how many it '
    'may have, NULL: any number.';

-- Lists -------------------------------------------------------------------------------------------

-- Entries that no node has taken, the newest first for each reader: of that queue, or of all
-- readers, NULL. Their ids as jobs are less than below and more than above. Where more than the
-- queue is asked for, the newest 10,000 of a segment are looked at, in ten segments at most.
CREATE FUNCTION howdah_internal.log_waiting(
    of_queue text, of_kind text, payload jsonb, since timestamptz, until timestamptz, tags text[],
    metadata jsonb, below bigint, above bigint, most integer)
RETURNS SETOF howdah.jobs
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET enable_seqscan = off
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    is_filtered boolean := COALESCE(
        of_kind, payload::text, since::text, until::text, tags::text, metadata::text) IS NOT NULL;
    looked_at integer := CASE WHEN is_filtered THEN GREATEST(most, 10000) ELSE most END;
    of_reader record;
    part record;
    rows bigint;
    found bigint;
    segments integer;
BEGIN
    FOR of_reader IN
        SELECT l.queue, r.log, r.number << 44 AS first, p.at_segment, p.at_id
        FROM howdah_internal.log_reader r
        JOIN howdah_internal.lane l ON l.id = r.lane
        CROSS JOIN LATERAL (
            SELECT o.at_segment, o.at_id
            FROM howdah_internal.log_lease o
            WHERE o.reader = r.lane
            ORDER BY o.n DESC
            LIMIT 1) AS p
        WHERE of_queue IS NULL OR l.queue = of_queue
    LOOP
        found := 0;
        segments := 0;
        FOR part IN
            SELECT s.number,
                CASE WHEN s.number = of_reader.at_segment THEN of_reader.at_id END AS id
            FROM howdah_internal.log_segment s
            WHERE s.lane = of_reader.log AND s.number >= of_reader.at_segment
            ORDER BY s.number DESC
        LOOP
            BEGIN
                RETURN QUERY EXECUTE format(
                    'SELECT $1 + e.id, $2, e.kind, ''waiting'', 0::smallint, 0::smallint, e.at,
                        e.at, NULL::timestamptz, NULL::timestamptz, NULL::integer, NULL,
                        NULL::jsonb, e.payload, NULL::date, NULL, e.more -> ''tags'',
                        e.more -> ''metadata''
                    FROM (
                        SELECT n.*
                        FROM howdah_internal.%I n
                        WHERE n.id > $3 AND n.id < $4
                        ORDER BY n.id DESC
                        LIMIT $5) AS e
                    WHERE ($6 IS NULL OR e.kind = $6)
                        AND ($7 IS NULL OR howdah_internal.payload_contains(e.payload, $7))
                        AND ($8 IS NULL OR e.at >= $8)
                        AND ($9 IS NULL OR e.at < $9)
                        AND ($10 IS NULL OR e.more -> ''tags'' @> to_jsonb($10))
                        AND ($11 IS NULL OR e.more -> ''metadata'' @> $11)
                    ORDER BY e.id DESC
                    LIMIT $12', howdah_internal.log_segment_name(of_reader.log, part.number))
                USING of_reader.first, of_reader.queue,
                    GREATEST(COALESCE(part.id, 0), above - of_reader.first),
                    below - of_reader.first, looked_at, of_kind, payload, since, until, tags,
                    metadata, most;
                GET DIAGNOSTICS rows = ROW_COUNT;
                found := found + rows;
                segments := segments + 1;
            EXCEPTION WHEN undefined_table THEN
                -- As above.
                NULL;
            END;
            EXIT WHEN found >= most OR is_filtered AND segments >= 10;
        END LOOP;
    END LOOP;
END
$howdah$;
