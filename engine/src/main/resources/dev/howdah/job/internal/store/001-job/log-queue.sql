-- Log queues: adding, claiming, ending ------------------------------------------------------------

CREATE FUNCTION howdah.log_segment_name(of_lane integer, number bigint)
RETURNS text
LANGUAGE sql IMMUTABLE
AS $howdah$
    SELECT pg_catalog.concat('entry_', $1, '_', $2)
$howdah$;

-- Makes the next segment of a log queue. A transaction has its number before it draws an id there:
-- so an id that is lower than a visible one belongs to a transaction that had a number when that
-- one was committed.
CREATE FUNCTION howdah.log_make_segment(of_lane integer, with_number bigint)
RETURNS void
LANGUAGE plpgsql
SET client_min_messages = 'warning'
AS $howdah$
DECLARE
    name text := howdah.log_segment_name(of_lane, with_number);
BEGIN
    EXECUTE format(
        'CREATE TABLE howdah.%I (
            xid bigint DEFAULT txid_current(),
            id bigint DEFAULT CASE WHEN txid_current() IS NOT NULL
                THEN nextval(''howdah.job_id_seq'') END,
            at timestamptz DEFAULT now(),
            PRIMARY KEY (id)
        ) INHERITS (howdah.log_entry) WITH (autovacuum_enabled = off, toast_tuple_target = 8160)',
        name);
    EXECUTE format(
        'CREATE OR REPLACE VIEW howdah.%I AS
            SELECT e.id, e.kind, e.payload, e.more FROM howdah.%I e',
        'entry_' || of_lane, name);
    INSERT INTO howdah.log_segment (lane, number) VALUES (of_lane, with_number);
END
$howdah$;

-- Adds jobs of one kind to a log queue; their ids, in their order.
CREATE FUNCTION howdah.log_put(of_lane integer, of_kind text, payloads text[], more jsonb)
RETURNS bigint[]
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    ids bigint[];
BEGIN
    EXECUTE format(
        'WITH added AS (
            INSERT INTO howdah.%I (kind, payload, more)
            SELECT $1, p.payload::json, $3 FROM unnest($2) AS p (payload)
            RETURNING id
        )
        SELECT array_agg(a.id) FROM added a', 'entry_' || of_lane)
    INTO ids USING of_kind, payloads, more;
    PERFORM howdah.ring(r.lane) FROM howdah.log_reader r WHERE r.log = of_lane;
    RETURN ids;
END
$howdah$;
COMMENT ON FUNCTION howdah.log_put(integer, text, text[], jsonb) IS
    'For the library: adds jobs to a log queue; their ids, in their order.';

-- The same where each may have attributes of its own.
CREATE FUNCTION howdah.log_put_each(
    of_lane integer, of_kind text, payloads text[], mores jsonb[], more_of_all jsonb)
RETURNS bigint[]
LANGUAGE plpgsql
AS $howdah$
DECLARE
    ids bigint[];
BEGIN
    IF mores IS NULL THEN
        RETURN howdah.log_put(of_lane, of_kind, payloads, more_of_all);
    END IF;
    EXECUTE format(
        'WITH added AS (
            INSERT INTO howdah.%I (kind, payload, more)
            SELECT $1, p.payload::json, COALESCE(p.more, $4)
            FROM unnest($2, $3) AS p (payload, more)
            RETURNING id
        )
        SELECT array_agg(a.id) FROM added a', 'entry_' || of_lane)
    INTO ids USING of_kind, payloads, mores, more_of_all;
    PERFORM howdah.ring(r.lane) FROM howdah.log_reader r WHERE r.log = of_lane;
    RETURN ids;
END
$howdah$;

-- The lane of a log queue, NULL: it is an ordinary one; an error where a job of a log queue is to
-- have what it cannot have.
CREATE FUNCTION howdah.log_lane(
    of_queue text, with_priority integer, run_at timestamptz, delay interval, key text,
    options jsonb)
RETURNS integer
LANGUAGE plpgsql STABLE
AS $howdah$
DECLARE
    lane integer;
    refused text;
BEGIN
    IF NOT EXISTS (SELECT FROM howdah.log_queue) THEN
        RETURN NULL;
    END IF;
    SELECT l.id INTO lane
    FROM howdah.lane l
    JOIN howdah.log_queue q ON q.lane = l.id
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

-- The entries that a lease has.
CREATE FUNCTION howdah.log_entries(of_log integer, lease howdah.log_lease)
RETURNS SETOF howdah.log_entry
LANGUAGE plpgsql
AS $howdah$
BEGIN
    RETURN QUERY EXECUTE format(
        -- An entry that this snapshot shows, and whose transaction is to come, was restored from
        -- another server.
        'SELECT e.*
        FROM howdah.%1$I e
        WHERE e.id > $1 AND e.id <= $2
            AND NOT txid_visible_in_snapshot(e.xid, $3)
            AND (
                txid_visible_in_snapshot(e.xid, $4)
                OR e.xid >= txid_snapshot_xmax(txid_current_snapshot()))
            AND e.kind <> ALL ($7)
        UNION ALL
        SELECT e.*
        FROM howdah.%1$I e
        WHERE e.id > $5 AND e.id <= $6
            AND (
                txid_visible_in_snapshot(e.xid, $4)
                OR e.xid >= txid_snapshot_xmax(txid_current_snapshot()))
            AND e.kind <> ALL ($7)',
        howdah.log_segment_name(of_log, lease.segment))
    USING lease.late_after, lease.late_upto, lease.late_seen, lease.seen, lease.after, lease.upto,
        COALESCE(lease.apart, '{}');
END
$howdah$;

-- Takes up to so many entries for a reader, and answers as job_claim does; says "next" and a number
-- of milliseconds where another session claims for that reader. Entries of kinds that go alone
-- become ordinary jobs; where alone_kinds is NULL, because a limit holds, all do, as long as few of
-- them wait.
--
-- A transaction may commit entries later than others that have higher ids. What a reader has read
-- is therefore a part of a segment, up to an id, as it was visible in a snapshot: what lies before
-- that id and was not visible then is late, and comes with the next claim. Where late entries can
-- be is known from claims before: transactions that had no number at a claim draw ids above those
-- that it saw.
CREATE FUNCTION howdah.log_claim(
    of_node integer, with_token bigint, of_reader integer, most integer, alone_kinds text[])
RETURNS TABLE (batch bigint, job bigint, payload text, kind text, unusual text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    reader howdah.log_reader;
    part howdah.log_segment;
    last howdah.log_lease;
    made howdah.log_lease;
    got record;
    fresh boolean;
    known integer;
    step bigint;
BEGIN
    SELECT r.* INTO reader
    FROM howdah.log_reader r
    JOIN howdah.lane l ON l.id = r.lane
    WHERE r.lane = of_reader AND l.paused IS NULL;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF NOT pg_try_advisory_xact_lock(1215264893, of_reader) THEN
        RETURN QUERY SELECT NULL::bigint, NULL::bigint, NULL, NULL, 'next 1';
        RETURN;
    END IF;
    IF alone_kinds IS NULL
        AND (
            SELECT count(*)
            FROM (
                SELECT FROM howdah.job j WHERE j.lane = of_reader AND j.priority = 0 LIMIT 1000
            ) AS w) >= 1000 THEN
        RETURN QUERY SELECT NULL::bigint, NULL::bigint, NULL, NULL, 'next 20';
        RETURN;
    END IF;
    -- A claim that a crash undoes is as if it had not been: the position goes back with it.
    PERFORM set_config('synchronous_commit', 'off', true);
    step := reader.number * 17592186044416;
    FOR try IN 1..10 LOOP
        SELECT * INTO STRICT last
        FROM howdah.log_lease l
        WHERE l.reader = of_reader
        ORDER BY l.n DESC
        LIMIT 1;
        SELECT * INTO STRICT part
        FROM howdah.log_segment s
        WHERE s.lane = reader.log AND s.number = last.at_segment;
        fresh := txid_current_if_assigned() IS NULL;
        EXECUTE format(
            'WITH clock AS MATERIALIZED (
                SELECT txid_current_snapshot() AS now
            ), first AS MATERIALIZED (
                SELECT c.now, x.ended,
                    txid_snapshot_xmax($3) > txid_snapshot_xmax(c.now) AS restored,
                    LEAST(
                        x.ended,
                        CASE WHEN txid_snapshot_xmax(c.now) > txid_snapshot_xmax($3)
                            THEN txid_snapshot_xmax($3) END) AS xid
                FROM clock c
                LEFT JOIN LATERAL (
                    SELECT p.xid AS ended
                    FROM txid_snapshot_xip($3) AS p (xid)
                    WHERE txid_visible_in_snapshot(p.xid, c.now)
                    ORDER BY p.xid
                    LIMIT 1) AS x ON true
            ), late_from AS MATERIALIZED (
                SELECT CASE
                    WHEN $6 IS NOT NULL THEN $6
                    WHEN $9 THEN $2
                    WHEN f.restored THEN 0
                    WHEN f.xid IS NULL THEN $2
                    ELSE COALESCE((
                        SELECT max(u.id)
                        FROM unnest($4, $5) AS u (xid, id)
                        WHERE u.xid <= f.xid), 0)
                    END AS id
                FROM first f
            ), late AS MATERIALIZED (
                SELECT e.id, e.kind, e.payload::text AS payload, e.more
                FROM howdah.%1$I e
                WHERE e.id > (SELECT l.id FROM late_from l)
                    AND e.id <= $2
                    AND NOT txid_visible_in_snapshot(e.xid, $3)
                    AND ($7 IS NULL OR txid_visible_in_snapshot(e.xid, $7))
                    AND (
                        e.xid < txid_snapshot_xmax((SELECT f.now FROM first f))
                        OR (SELECT f.restored FROM first f))
                ORDER BY e.id
                LIMIT $1
            ), main AS MATERIALIZED (
                SELECT e.id, e.kind, e.payload::text AS payload, e.more
                FROM howdah.%1$I e
                WHERE e.id > $2 AND $7 IS NULL
                ORDER BY e.id
                LIMIT $1 - (SELECT count(*) FROM late)
            ), both_of AS (
                SELECT l.*, 0 AS part FROM late l UNION ALL SELECT m.*, 1 FROM main m
            ), mine AS (
                SELECT count(*) AS jobs, array_agg(b.id + $8) AS ids, array_agg(b.kind) AS kinds,
                    array_agg(b.payload) AS payloads,
                    CASE WHEN count(b.more) > 0 THEN array_agg(b.more) END AS mores,
                    min(b.kind COLLATE "C") = max(b.kind COLLATE "C") AS alike
                FROM both_of b
                WHERE b.kind <> ALL ($10)
            )
            SELECT f.now, f.ended IS NOT NULL AND NOT $9 AS ended_late, m.*,
                (SELECT l.id FROM late_from l) AS late_from,
                (SELECT count(*) FROM late) AS late, (SELECT max(l.id) FROM late l) AS late_last,
                (SELECT count(*) FROM main) AS main, (SELECT max(n.id) FROM main n) AS main_last
            FROM first f CROSS JOIN mine m',
            howdah.log_segment_name(reader.log, last.at_segment))
        INTO got
        USING most, last.at_id, last.at_seen, last.at_xids, last.at_ids, last.walk_after,
            last.walk_seen, step,
            part.sealed_by IS NOT NULL AND txid_visible_in_snapshot(part.sealed_by, last.at_seen),
            alone_kinds;
        made := last;
        made.n := last.n + 1;
        made.id := NULL;
        made.segment := last.at_segment;
        made.jobs := got.jobs;
        made.seen := COALESCE(last.walk_seen, got.now);
        made.late_after := CASE WHEN got.late > 0 THEN got.late_from END;
        made.late_upto := got.late_last;
        made.late_seen := CASE WHEN got.late > 0 THEN last.at_seen END;
        made.after := CASE WHEN got.main > 0 THEN last.at_id END;
        made.upto := got.main_last;
        made.apart := NULLIF(alone_kinds, '{}');
        IF got.late >= most THEN
            -- There may be more late entries than one lease is to have.
            made.walk_after := got.late_last;
            made.walk_seen := made.seen;
        ELSIF last.walk_seen IS NOT NULL THEN
            made.at_seen := last.walk_seen;
            made.walk_after := NULL;
            made.walk_seen := NULL;
        ELSIF got.late + got.main < most AND part.sealed_by IS NOT NULL THEN
            made.at_segment := last.at_segment + 1;
            made.at_id := 0;
            made.at_seen := got.now;
            made.at_xids := '{}';
            made.at_ids := '{}';
        ELSIF got.late + got.main > 0 OR got.ended_late THEN
            made.at_seen := got.now;
            made.at_id := COALESCE(got.main_last, last.at_id);
            -- Of those that are lower than all running transactions the last one is enough; and of
            -- the others the old ones may lie far apart.
            SELECT count(*) INTO known
            FROM unnest(last.at_xids) AS k (xid)
            WHERE k.xid <= txid_snapshot_xmin(got.now);
            made.at_xids := last.at_xids[GREATEST(known, 1):];
            made.at_ids := last.at_ids[GREATEST(known, 1):];
            IF fresh THEN
                -- This transaction has its number since it has read.
                made.at_xids := made.at_xids || txid_current();
                made.at_ids := made.at_ids || made.at_id;
            END IF;
            IF cardinality(made.at_xids) > 32 THEN
                SELECT array_agg(k.xid ORDER BY k.xid), array_agg(k.id ORDER BY k.xid)
                INTO made.at_xids, made.at_ids
                FROM unnest(made.at_xids, made.at_ids) WITH ORDINALITY AS k (xid, id, place)
                WHERE k.place % 2 = 1 OR k.place > 16;
            END IF;
        ELSE
            -- Nothing is made.
            RETURN;
        END IF;
        made.id := howdah.batch_number();
        made.node := CASE WHEN got.jobs > 0 THEN of_node END;
        made.token := CASE WHEN got.jobs > 0 THEN with_token END;
        made.taken := clock_timestamp();
        INSERT INTO howdah.log_lease SELECT made.*;
        DELETE FROM howdah.log_lease l WHERE l.id = last.id AND l.node IS NULL;
        IF got.late + got.main > got.jobs THEN
            PERFORM howdah.log_set_apart(reader, made);
        END IF;
        EXIT WHEN got.jobs > 0 OR got.late + got.main > 0;
    END LOOP;
    IF got.jobs > 0 THEN
        RETURN QUERY
        SELECT made.id, u.id, u.payload, CASE WHEN NOT got.alike THEN u.kind END,
            CASE WHEN u.more IS NOT NULL
                THEN concat('{"p": 0, "a": 0, "d": 0, "m": ', u.more, '}') END
        FROM unnest(got.ids, got.payloads, got.kinds, got.mores) AS u (id, payload, kind, more)
        UNION ALL
        SELECT made.id, NULL, NULL, CASE WHEN got.alike THEN got.kinds[1] END, NULL;
    END IF;
END
$howdah$;
COMMENT ON FUNCTION howdah.log_claim(integer, bigint, integer, integer, text[]) IS
    'For nodes: takes entries of a log queue.';

-- Entries of kinds that go alone, or of all kinds, become ordinary jobs.
CREATE FUNCTION howdah.log_set_apart(reader howdah.log_reader, lease howdah.log_lease)
RETURNS void
LANGUAGE plpgsql
AS $howdah$
DECLARE
    all_of howdah.log_lease := lease;
    step bigint := reader.number * 17592186044416;
BEGIN
    all_of.apart := NULL;
    WITH taken AS MATERIALIZED (
        SELECT e.*
        FROM howdah.log_entries(reader.log, all_of) e
        WHERE lease.apart IS NULL OR e.kind = ANY (lease.apart)
    ), bodies AS (
        INSERT INTO howdah.body (job, payload)
        SELECT t.id + step, t.payload FROM taken t WHERE howdah.is_large(t.payload)
    )
    INSERT INTO howdah.job (id, lane, kind, run_at, payload, more)
    SELECT t.id + step, reader.lane, t.kind, t.at,
        CASE WHEN NOT howdah.is_large(t.payload) THEN t.payload END, t.more
    FROM taken t;
END
$howdah$;

-- Ends leases whose jobs are all done; which of them were that node's.
CREATE FUNCTION howdah.log_end(of_node integer, leases bigint[], tokens bigint[])
RETURNS TABLE (lease bigint, token bigint)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    RETURN QUERY WITH asked AS (
        SELECT l.id, l.token AS proof,
            NOT EXISTS (
                SELECT
                FROM howdah.log_lease o
                WHERE o.reader = l.reader AND o.n > l.n) AS newest
        FROM unnest(leases, tokens) AS a (id, token)
        JOIN howdah.log_lease l ON l.id = a.id AND l.token = a.token AND l.node = of_node
    ), gone AS (
        DELETE FROM howdah.log_lease l
        USING asked a
        WHERE l.id = a.id AND NOT a.newest AND l.node = of_node AND l.token = a.proof
        RETURNING l.id, l.token AS proof
    ), kept AS (
        UPDATE howdah.log_lease l
        SET node = NULL, token = NULL
        FROM asked a
        WHERE l.id = a.id AND a.newest AND l.node = of_node AND l.token = a.proof
        RETURNING l.id, a.proof
    )
    SELECT g.id, g.proof FROM gone g UNION ALL SELECT k.id, k.proof FROM kept k;
END
$howdah$;
COMMENT ON FUNCTION howdah.log_end(integer, bigint[], bigint[]) IS
    'For nodes: ends leases of log queues.';

-- Makes an ordinary batch of those jobs of a lease, NULL: of all, and ends the lease. The id of the
-- batch; 0: there are no such jobs; NULL: the lease is not that node's.
CREATE FUNCTION howdah.log_unpack(
    of_node integer, of_lease bigint, with_token bigint, jobs bigint[])
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    lease howdah.log_lease;
    reader howdah.log_reader;
    step bigint;
    made bigint;
BEGIN
    SELECT l.* INTO lease
    FROM howdah.log_lease l
    WHERE l.id = of_lease AND l.node = of_node AND l.token = with_token
    FOR UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    PERFORM howdah.log_end(of_node, ARRAY[of_lease], ARRAY[with_token]);
    SELECT r.* INTO STRICT reader FROM howdah.log_reader r WHERE r.lane = lease.reader;
    step := reader.number * 17592186044416;
    WITH entries AS MATERIALIZED (
        SELECT e.id + step AS id, e.at, e.kind,
            CASE WHEN NOT howdah.is_large(e.payload) THEN e.payload END AS payload, e.more,
            CASE WHEN howdah.is_large(e.payload) THEN e.payload END AS body
        FROM howdah.log_entries(reader.log, lease) e
        WHERE jobs IS NULL OR e.id + step = ANY (jobs)
    ), bodies AS (
        INSERT INTO howdah.body (job, payload)
        SELECT e.id, e.body FROM entries e WHERE e.body IS NOT NULL
        ON CONFLICT ON CONSTRAINT body_pkey DO NOTHING
    ), earliest AS (
        SELECT min(e.at) AS at FROM entries e
    )
    INSERT INTO howdah.batch AS b (
        id, token, node, lane, taken, begun, alone, jobs, first_id, last_id, ids, run_at,
        run_offsets, kinds, kind, payloads, rest)
    SELECT howdah.batch_number(), with_token, of_node, reader.lane, lease.taken, true, false,
        count(*), min(e.id), max(e.id), array_agg(e.id ORDER BY e.id), min(e.at),
        array_agg(
            LEAST(extract(epoch FROM e.at - (SELECT m.at FROM earliest m)) * 1000, 2000000000
            )::integer ORDER BY e.id),
        array_agg(e.kind ORDER BY e.id), NULL, array_agg(e.payload ORDER BY e.id),
        jsonb_object_agg(e.id, jsonb_build_object('p', 0, 'a', 0, 'd', 0, 'm', e.more))
            FILTER (WHERE e.more IS NOT NULL)
    FROM entries e
    HAVING count(*) > 0
    RETURNING b.id INTO made;
    RETURN COALESCE(made, 0);
END
$howdah$;
COMMENT ON FUNCTION howdah.log_unpack(integer, bigint, bigint, bigint[]) IS
    'For nodes: makes an ordinary batch of jobs of a log queue.';

-- The same with up to so many leases of a node that has died; how many there were.
CREATE FUNCTION howdah.log_unpack_all(of_node integer, most integer)
RETURNS bigint
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT count(howdah.log_unpack(of_node, l.id, l.token, NULL))
    FROM (
        SELECT o.id, o.token
        FROM howdah.log_lease o
        WHERE o.node = of_node
        ORDER BY o.id
        LIMIT most
        FOR UPDATE SKIP LOCKED) l
$howdah$;

-- Log queues: operators and maintenance -----------------------------------------------------------

CREATE FUNCTION howdah.queue(queue text, storage text, keep interval DEFAULT interval '0')
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    of_lane integer;
    is_log boolean;
BEGIN
    PERFORM howdah.check_name('queue', queue.queue);
    IF queue.storage IS NULL OR queue.storage NOT IN ('table', 'log') THEN
        RAISE 'the storage % is not known: it has to be table or log',
            COALESCE('"' || left(queue.storage, 40) || '"', 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF queue.keep IS NULL OR queue.keep < interval '0' OR queue.keep > interval '100 years' THEN
        RAISE 'keep is %: it has to be from 0 to 100 years', COALESCE(queue.keep::text, 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    of_lane := howdah.lane_of(queue.queue, NULL, 0::smallint);
    is_log := EXISTS (SELECT FROM howdah.log_queue q WHERE q.lane = of_lane);
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
            FROM howdah.log_reader r
            JOIN howdah.lane l ON l.id = r.lane
            WHERE l.queue = queue.queue AND r.name <> '') THEN
        RAISE 'the queue "%" belongs to a reader of a log queue', queue.queue
            USING ERRCODE = 'feature_not_supported';
    END IF;
    INSERT INTO howdah.log_queue AS q (lane, keep)
    VALUES (of_lane, queue.keep)
    ON CONFLICT ON CONSTRAINT log_queue_pkey DO UPDATE SET keep = excluded.keep
    RETURNING q.xmax::text <> '0' INTO is_log;
    IF NOT is_log THEN
        PERFORM howdah.log_make_segment(of_lane, 1);
        PERFORM howdah.log_make_reader(of_lane, of_lane, '', 1, 0);
    END IF;
END
$howdah$;
COMMENT ON FUNCTION howdah.queue(text, text, interval) IS
    'Makes a queue whose jobs are entries of a log, if storage is log, or changes for how long '
    'such a queue keeps entries that all readers have read.';

-- A reader that has read the segment up to that id.
CREATE FUNCTION howdah.log_make_reader(
    of_lane integer, of_log integer, with_name text, segment bigint, upto bigint)
RETURNS void
LANGUAGE plpgsql
AS $howdah$
BEGIN
    IF with_name = '' THEN
        INSERT INTO howdah.log_reader (lane, log, name, number) OVERRIDING SYSTEM VALUE
        VALUES (of_lane, of_log, with_name, 0);
    ELSE
        INSERT INTO howdah.log_reader (lane, log, name) VALUES (of_lane, of_log, with_name);
    END IF;
    PERFORM howdah.log_move_reader(of_lane, segment, upto);
END
$howdah$;

-- That it goes on there. The caller has the lock of the reader, or made it.
CREATE FUNCTION howdah.log_move_reader(of_reader integer, to_segment bigint, upto bigint)
RETURNS void
LANGUAGE sql
AS $howdah$
    WITH last AS (
        SELECT l.id, l.n, l.node
        FROM howdah.log_lease l
        WHERE l.reader = of_reader
        ORDER BY l.n DESC
        LIMIT 1
    ), gone AS (
        DELETE FROM howdah.log_lease l
        WHERE l.id = (SELECT o.id FROM last o WHERE o.node IS NULL)
    )
    INSERT INTO howdah.log_lease (
        id, reader, n, jobs, segment, seen, at_segment, at_id, at_seen, at_xids, at_ids)
    SELECT howdah.batch_number(), of_reader, COALESCE((SELECT o.n FROM last o), 0) + 1, 0,
        to_segment, txid_current_snapshot(), to_segment, upto, txid_current_snapshot(), '{}', '{}'
$howdah$;

-- The lane of the log queue of that name; an error if there is none.
CREATE FUNCTION howdah.log_of(queue text)
RETURNS integer
LANGUAGE plpgsql STABLE
AS $howdah$
DECLARE
    lane integer;
BEGIN
    SELECT q.lane INTO lane
    FROM howdah.log_queue q
    JOIN howdah.lane l ON l.id = q.lane
    WHERE l.queue = log_of.queue;
    IF NOT FOUND THEN
        RAISE 'there is no log queue "%"', log_of.queue USING ERRCODE = 'undefined_object',
            HINT = 'SELECT howdah.queue(name, storage => ''log'') makes one.';
    END IF;
    RETURN lane;
END
$howdah$;

-- Where a reader goes on to have what was added since then: a segment, and the id before it.
CREATE FUNCTION howdah.log_place(
    of_log integer, since timestamptz, OUT segment bigint, OUT upto bigint)
LANGUAGE plpgsql
AS $howdah$
DECLARE
    part howdah.log_segment;
BEGIN
    FOR part IN
        SELECT s.*
        FROM howdah.log_segment s
        WHERE s.lane = of_log AND COALESCE(s.sealed, 'infinity') >= since
        ORDER BY s.number
    LOOP
        segment := part.number;
        EXECUTE format(
            'SELECT e.id - 1 FROM howdah.%I e WHERE e.at >= $1 ORDER BY e.id LIMIT 1',
            howdah.log_segment_name(of_log, part.number))
        INTO upto USING since;
        IF upto IS NOT NULL THEN
            RETURN;
        END IF;
    END LOOP;
    EXECUTE format(
        'SELECT COALESCE(max(e.id), 0) FROM howdah.%I e',
        howdah.log_segment_name(of_log, segment))
    INTO upto;
END
$howdah$;

CREATE FUNCTION howdah.add_reader(queue text, reader text, since timestamptz DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '10s'
AS $howdah$
DECLARE
    of_log integer := howdah.log_of(add_reader.queue);
    own_queue text := add_reader.queue || '/' || add_reader.reader;
    of_lane integer;
    place record;
BEGIN
    PERFORM howdah.check_name('reader', add_reader.reader), howdah.check_name('queue', own_queue);
    -- One at a time; and no segment is dropped meanwhile.
    PERFORM FROM howdah.log_queue q WHERE q.lane = of_log FOR UPDATE;
    of_lane := howdah.lane_of(own_queue, NULL, 0::smallint);
    IF EXISTS (SELECT FROM howdah.log_queue q WHERE q.lane = of_lane) THEN
        RAISE 'there is a log queue "%" already', own_queue USING ERRCODE = 'duplicate_object';
    END IF;
    IF NOT EXISTS (SELECT FROM howdah.log_reader r WHERE r.lane = of_lane) THEN
        SELECT * INTO place FROM howdah.log_place(of_log, COALESCE(since, 'infinity'));
        PERFORM howdah.log_make_reader(
            of_lane, of_log, add_reader.reader, place.segment, place.upto);
        PERFORM pg_notify('howdah_job', of_lane::text);
    END IF;
    RETURN own_queue;
END
$howdah$;
COMMENT ON FUNCTION howdah.add_reader(text, text, timestamptz) IS
    'Adds a reader to a log queue, which has all entries that are added from now on, or since '
    'that time, as far as they are kept; returns the name of its queue.';

CREATE FUNCTION howdah.seek_reader(queue text, reader text, since timestamptz)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '10s'
AS $howdah$
DECLARE
    of_log integer := howdah.log_of(seek_reader.queue);
    of_lane integer := howdah.log_reader_of(of_log, seek_reader.queue, seek_reader.reader);
    place record;
BEGIN
    IF since IS NULL THEN
        RAISE 'since is NULL: it has to be a time' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM FROM howdah.log_queue q WHERE q.lane = of_log FOR UPDATE;
    PERFORM pg_advisory_xact_lock(1215264893, of_lane);
    SELECT * INTO place FROM howdah.log_place(of_log, since);
    PERFORM howdah.log_move_reader(of_lane, place.segment, place.upto);
    PERFORM howdah.ring(of_lane);
END
$howdah$;
COMMENT ON FUNCTION howdah.seek_reader(text, text, timestamptz) IS
    'Moves a reader of a log queue, NULL: the first one, to what was added since that time, as far '
    'as it is kept.';

CREATE FUNCTION howdah.log_reader_of(of_log integer, queue text, reader text)
RETURNS integer
LANGUAGE plpgsql STABLE
AS $howdah$
DECLARE
    of_lane integer;
BEGIN
    SELECT r.lane INTO of_lane
    FROM howdah.log_reader r
    WHERE r.log = of_log AND r.name = COALESCE(log_reader_of.reader, '');
    IF NOT FOUND THEN
        RAISE 'the log queue "%" has no reader "%"', log_reader_of.queue, log_reader_of.reader
            USING ERRCODE = 'undefined_object',
            HINT = 'There are: ' || COALESCE((
                SELECT string_agg(r.name, ', ' ORDER BY r.name)
                FROM howdah.log_reader r
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
    of_log integer := howdah.log_of(drop_reader.queue);
    of_lane integer := howdah.log_reader_of(of_log, drop_reader.queue, drop_reader.reader);
BEGIN
    IF COALESCE(drop_reader.reader, '') = '' THEN
        RAISE 'the first reader of a log queue cannot be dropped'
            USING ERRCODE = 'feature_not_supported';
    END IF;
    PERFORM pg_advisory_xact_lock(1215264893, of_lane);
    DELETE FROM howdah.log_reader r WHERE r.lane = of_lane;
    DELETE FROM howdah.log_lease l WHERE l.reader = of_lane;
END
$howdah$;
COMMENT ON FUNCTION howdah.drop_reader(text, text) IS
    'Drops a reader of a log queue. Jobs of it that wait for a retry stay in its queue.';

-- How many entries a reader has not taken, up to so many, and since when the first of them is
-- there.
CREATE FUNCTION howdah.log_behind(
    of_reader integer, most integer, OUT jobs bigint, OUT oldest timestamptz)
LANGUAGE plpgsql STABLE
AS $howdah$
DECLARE
    last howdah.log_lease;
    part howdah.log_segment;
    more record;
BEGIN
    jobs := 0;
    SELECT * INTO last
    FROM howdah.log_lease l
    WHERE l.reader = of_reader
    ORDER BY l.n DESC
    LIMIT 1;
    FOR part IN
        SELECT s.*
        FROM howdah.log_segment s
        JOIN howdah.log_reader r ON r.log = s.lane
        WHERE r.lane = of_reader AND s.number >= last.at_segment
        ORDER BY s.number
    LOOP
        IF part.entries IS NOT NULL AND part.number > last.at_segment AND oldest IS NOT NULL THEN
            jobs := jobs + part.entries;
        ELSE
            EXECUTE format(
                'SELECT count(*) AS jobs, min(f.at) AS oldest
                FROM (
                    SELECT e.at FROM howdah.%I e WHERE e.id > $1 ORDER BY e.id LIMIT $2) AS f',
                howdah.log_segment_name(part.lane, part.number))
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
            FROM howdah.log_lease e
            WHERE e.reader = r.lane AND e.node IS NOT NULL),
        q.keep,
        (SELECT count(*) FROM howdah.log_segment s WHERE s.lane = q.lane)
    FROM howdah.log_reader r
    JOIN howdah.log_queue q ON q.lane = r.log
    JOIN howdah.lane l ON l.id = q.lane
    JOIN howdah.lane o ON o.id = r.lane
    CROSS JOIN LATERAL howdah.log_behind(r.lane, 1000000) AS b
    ORDER BY l.queue, r.name
$howdah$;
COMMENT ON FUNCTION howdah.log_readers() IS
    'The readers of log queues, NULL: the first one: how many entries each has not taken, up to a '
    'million, since when the first of these is there, and how many of its jobs run.';

-- Begins another segment when the last one is large enough. The lock waits for transactions that
-- have added to it; others that add wait meanwhile, and no longer than for this time.
CREATE FUNCTION howdah.log_rotate(of_log integer, bytes bigint)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '100ms'
AS $howdah$
DECLARE
    log howdah.log_queue;
BEGIN
    SELECT * INTO log
    FROM howdah.log_queue q
    WHERE q.lane = of_log
    FOR UPDATE SKIP LOCKED;
    IF NOT FOUND
        OR pg_relation_size(
            format('howdah.%I', howdah.log_segment_name(of_log, log.segment))::regclass) < bytes
    THEN
        RETURN false;
    END IF;
    EXECUTE format('LOCK TABLE howdah.%I IN ACCESS EXCLUSIVE MODE', 'entry_' || of_log);
    UPDATE howdah.log_segment s
    SET sealed = clock_timestamp(), sealed_by = txid_current()
    WHERE s.lane = of_log AND s.number = log.segment;
    PERFORM howdah.log_make_segment(of_log, log.segment + 1);
    UPDATE howdah.log_queue q SET segment = log.segment + 1 WHERE q.lane = of_log;
    RETURN true;
END
$howdah$;

-- Counts a segment that is full; whether there was one.
CREATE FUNCTION howdah.log_count(of_log integer)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    part howdah.log_segment;
    counted bigint;
BEGIN
    SELECT * INTO part
    FROM howdah.log_segment s
    WHERE s.lane = of_log AND s.sealed_by IS NOT NULL AND s.entries IS NULL
    ORDER BY s.number
    LIMIT 1
    FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    EXECUTE format(
        'SELECT count(*) FROM howdah.%I', howdah.log_segment_name(of_log, part.number))
    INTO counted;
    UPDATE howdah.log_segment s
    SET entries = counted
    WHERE s.lane = of_log AND s.number = part.number;
    RETURN true;
END
$howdah$;

-- Drops the first segment if all readers have read it and its time is over; whether it did.
CREATE FUNCTION howdah.log_drop(of_log integer)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '100ms'
AS $howdah$
DECLARE
    log howdah.log_queue;
    part howdah.log_segment;
BEGIN
    SELECT * INTO log
    FROM howdah.log_queue q
    WHERE q.lane = of_log
    FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    SELECT * INTO part
    FROM howdah.log_segment s
    WHERE s.lane = of_log
    ORDER BY s.number
    LIMIT 1;
    IF part.sealed_by IS NULL OR part.sealed > now() - log.keep
        OR EXISTS (
            SELECT
            FROM howdah.log_reader r
            JOIN howdah.log_lease l ON l.reader = r.lane
            WHERE r.log = of_log AND l.node IS NOT NULL AND l.segment <= part.number)
        OR EXISTS (
            SELECT
            FROM howdah.log_reader r
            CROSS JOIN LATERAL (
                SELECT l.at_segment
                FROM howdah.log_lease l
                WHERE l.reader = r.lane
                ORDER BY l.n DESC
                LIMIT 1) AS p
            WHERE r.log = of_log AND p.at_segment <= part.number) THEN
        RETURN false;
    END IF;
    EXECUTE format(
        'DROP TABLE howdah.%I', howdah.log_segment_name(of_log, part.number));
    DELETE FROM howdah.log_segment s WHERE s.lane = of_log AND s.number = part.number;
    RETURN true;
END
$howdah$;

-- Positions that a later lease has made superfluous, of readers whose lease was the last one when
-- it ended.
CREATE FUNCTION howdah.log_tidy()
RETURNS bigint
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
    WITH gone AS (
        DELETE FROM howdah.log_lease l
        WHERE l.node IS NULL
            AND EXISTS (
                SELECT FROM howdah.log_lease o WHERE o.reader = l.reader AND o.n > l.n)
        RETURNING 1
    )
    SELECT count(*) FROM gone
$howdah$;
