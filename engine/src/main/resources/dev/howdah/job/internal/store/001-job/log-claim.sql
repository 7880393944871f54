-- Claims from log queues --------------------------------------------------------------------------

-- The entries that a lease has; or all of its range, with those that were set apart.
CREATE FUNCTION howdah_internal.log_entries(of_log integer, lease howdah_internal.log_lease,
    everything boolean)
RETURNS SETOF howdah_internal.log_entry
LANGUAGE plpgsql
SET enable_seqscan = off
SET jit = off
AS $howdah$
BEGIN
    RETURN QUERY EXECUTE format(
        -- An entry that this snapshot shows, and whose transaction is to come, was restored from
        -- another server.
        'SELECT e.*
        FROM howdah_internal.%1$I e
        WHERE e.id > $1 AND e.id <= $2
            AND NOT txid_visible_in_snapshot(e.xid, $3)
            AND (
                txid_visible_in_snapshot(e.xid, $4)
                OR e.xid >= txid_snapshot_xmax(txid_current_snapshot()))
            AND ($8 OR e.kind <> ALL ($7) AND (e.more -> ''ordered'') IS NULL)
        UNION ALL
        SELECT e.*
        FROM howdah_internal.%1$I e
        WHERE e.id > $5 AND e.id <= $6
            AND (
                txid_visible_in_snapshot(e.xid, $4)
                OR e.xid >= txid_snapshot_xmax(txid_current_snapshot()))
            AND ($8 OR e.kind <> ALL ($7) AND (e.more -> ''ordered'') IS NULL)',
        howdah_internal.log_segment_name(of_log, lease.segment))
    USING lease.late_after, lease.late_upto, lease.late_seen, lease.seen, lease.after, lease.upto,
        COALESCE(lease.apart, '{}'), everything;
END
$howdah$;

-- Above which id entries can be late for a reader that goes on behind this lease, as this snapshot
-- shows them; an id that the reader has read up to, or a higher one: there are none. Whether a
-- transaction has ended that was running when it read.
CREATE FUNCTION howdah_internal.log_late(
    last howdah_internal.log_lease, now txid_snapshot, sealed boolean, OUT above bigint,
        OUT ended boolean)
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
DECLARE
    first bigint;
BEGIN
    IF txid_snapshot_xmin(last.at_seen) < txid_snapshot_xmax(last.at_seen) THEN
        SELECT p.xid INTO first
        FROM txid_snapshot_xip(last.at_seen) AS p (xid)
        WHERE txid_visible_in_snapshot(p.xid, now)
        ORDER BY p.xid
        LIMIT 1;
    END IF;
    ended := first IS NOT NULL AND NOT sealed;
    IF last.walk_after IS NOT NULL THEN
        above := last.walk_after;
        RETURN;
    ELSIF sealed THEN
        above := last.at_id;
        RETURN;
    ELSIF txid_snapshot_xmax(last.at_seen) > txid_snapshot_xmax(now) THEN
        -- Restored from another server.
        above := 0;
        RETURN;
    ELSIF txid_snapshot_xmax(now) > txid_snapshot_xmax(last.at_seen) THEN
        first := LEAST(first, txid_snapshot_xmax(last.at_seen));
    END IF;
    above := last.at_id;
    IF first IS NOT NULL THEN
        SELECT COALESCE(max(u.id), 0) INTO above
        FROM unnest(last.at_xids, last.at_ids) AS u (xid, id)
        WHERE u.xid <= first;
    END IF;
END
$howdah$;

-- Takes up to so many entries for a reader, and answers as job_claim does; says "next" and a number
-- of milliseconds where another session claims for that reader. Entries with an order key and those
-- of kinds that go alone become ordinary jobs; where alone_kinds is NULL, because a limit holds,
-- all do, as long as few of them wait.
--
-- A transaction may commit entries later than others that have higher ids. What a reader has read
-- is therefore a part of a segment, up to an id, as it was visible in a snapshot: what lies before
-- that id and was not visible then is late, and comes with the next claim. Where late entries can
-- be is known from claims before: transactions that had no number at a claim draw ids above those
-- that it saw.
CREATE FUNCTION howdah_internal.log_claim(
    of_node integer, with_token bigint, of_reader integer, most integer, alone_kinds text[])
RETURNS TABLE (batch bigint, job bigint, payload text, kind text, unusual text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
-- The last lease is the first row from the end of an index, which has all before it while a session
-- has an old snapshot.
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_sort = off
SET jit = off
AS $howdah$
DECLARE
    reader howdah_internal.log_reader;
    part howdah_internal.log_segment;
    last howdah_internal.log_lease;
    made howdah_internal.log_lease;
    got record;
    fresh boolean;
    sealed boolean;
    late boolean;
    name text;
    known integer;
    step bigint;
BEGIN
    SELECT r.* INTO reader
    FROM howdah_internal.log_reader r
    JOIN howdah_internal.lane l ON l.id = r.lane
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
                SELECT FROM howdah_internal.job j WHERE j.lane = of_reader AND j.priority = 0
                    LIMIT 1000
            ) AS w) >= 1000 THEN
        RETURN QUERY SELECT NULL::bigint, NULL::bigint, NULL, NULL, 'next 20';
        RETURN;
    END IF;
    -- A claim that a crash undoes is as if it had not been: the position goes back with it.
    PERFORM set_config('synchronous_commit', 'off', true);
    step := reader.number * 17592186044416;
    FOR try IN 1..10 LOOP
        SELECT * INTO STRICT last
        FROM howdah_internal.log_lease l
        WHERE l.reader = of_reader
        ORDER BY l.n DESC
        LIMIT 1;
        SELECT * INTO STRICT part
        FROM howdah_internal.log_segment s
        WHERE s.lane = reader.log AND s.number = last.at_segment;
        fresh := txid_current_if_assigned() IS NULL;
        sealed := part.sealed_by IS NOT NULL
            AND txid_visible_in_snapshot(part.sealed_by, last.at_seen);
        name := howdah_internal.log_segment_name(reader.log, last.at_segment);
        late := true;
        IF last.walk_after IS NULL
            AND txid_snapshot_xmin(last.at_seen) = txid_snapshot_xmax(last.at_seen) THEN
            -- Most probably there are no late entries: a statement without them is planned in less
            -- than half of the time.
            EXECUTE format(
                'SELECT txid_current_snapshot() AS now, false AS ended,
                    count(*) FILTER (WHERE e.mine) AS jobs,
                    array_agg(e.id + $3) FILTER (WHERE e.mine) AS ids,
                    array_agg(e.kind) FILTER (WHERE e.mine) AS kinds,
                    array_agg(e.payload) FILTER (WHERE e.mine) AS payloads,
                    CASE WHEN count(e.more) > 0
                        THEN array_agg(e.more) FILTER (WHERE e.mine) END AS mores,
                    min(e.kind COLLATE "C") FILTER (WHERE e.mine)
                        = max(e.kind COLLATE "C") FILTER (WHERE e.mine) AS alike,
                    NULL::bigint AS late_from, 0::bigint AS late, NULL::bigint AS late_last,
                    count(*) AS main, max(e.id) AS main_last
                FROM (
                    SELECT e.id, e.kind, e.payload::text AS payload, e.more,
                        e.kind <> ALL ($4) AND (e.more -> ''ordered'') IS NULL AS mine
                    FROM howdah_internal.%I e
                    WHERE e.id > $2
                    ORDER BY e.id
                    LIMIT $1) AS e',
                name)
            INTO got USING most, last.at_id, step, alone_kinds;
            SELECT l.above < last.at_id INTO late
                FROM howdah_internal.log_late(last, got.now, sealed) l;
        END IF;
        IF late THEN
            EXECUTE format(
                'WITH first AS MATERIALIZED (
                    SELECT c.now, l.above, l.ended,
                        txid_snapshot_xmax($3) > txid_snapshot_xmax(c.now) AS restored
                    FROM (SELECT txid_current_snapshot() AS now) AS c
                    CROSS JOIN LATERAL howdah_internal.log_late($4, c.now, $7) AS l
                ), late AS MATERIALIZED (
                    SELECT e.id, e.kind, e.payload::text AS payload, e.more
                    FROM howdah_internal.%1$I e
                    WHERE e.id > (SELECT f.above FROM first f)
                        AND e.id <= $2
                        AND NOT txid_visible_in_snapshot(e.xid, $3)
                        AND ($5 IS NULL OR txid_visible_in_snapshot(e.xid, $5))
                        AND (
                            e.xid < txid_snapshot_xmax((SELECT f.now FROM first f))
                            OR (SELECT f.restored FROM first f))
                    ORDER BY e.id
                    LIMIT $1
                ), main AS MATERIALIZED (
                    SELECT e.id, e.kind, e.payload::text AS payload, e.more
                    FROM howdah_internal.%1$I e
                    WHERE e.id > $2 AND $5 IS NULL
                    ORDER BY e.id
                    LIMIT $1 - (SELECT count(*) FROM late)
                ), both_of AS (
                    SELECT l.*, 0 AS part FROM late l UNION ALL SELECT m.*, 1 FROM main m
                ), mine AS (
                    SELECT count(*) AS jobs, array_agg(b.id + $6) AS ids,
                        array_agg(b.kind) AS kinds, array_agg(b.payload) AS payloads,
                        CASE WHEN count(b.more) > 0 THEN array_agg(b.more) END AS mores,
                        min(b.kind COLLATE "C") = max(b.kind COLLATE "C") AS alike
                    FROM both_of b
                    WHERE b.kind <> ALL ($8) AND (b.more -> ''ordered'') IS NULL
                )
                SELECT f.now, f.ended, m.*, f.above AS late_from,
                    (SELECT count(*) FROM late) AS late,
                    (SELECT max(l.id) FROM late l) AS late_last,
                    (SELECT count(*) FROM main) AS main, (SELECT max(n.id) FROM main n) AS main_last
                FROM first f CROSS JOIN mine m',
                name)
            INTO got
            USING most, last.at_id, last.at_seen, last, last.walk_seen, step, sealed, alone_kinds;
        END IF;
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
        ELSIF got.late + got.main > 0 OR got.ended THEN
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
        made.id := howdah_internal.batch_number();
        made.node := CASE WHEN got.jobs > 0 THEN of_node END;
        made.token := CASE WHEN got.jobs > 0 THEN with_token END;
        made.taken := clock_timestamp();
        INSERT INTO howdah_internal.log_lease SELECT made.*;
        DELETE FROM howdah_internal.log_lease l WHERE l.id = last.id AND l.node IS NULL;
        IF got.late + got.main > got.jobs THEN
            PERFORM howdah_internal.log_set_apart(reader, made, alone_kinds IS NULL);
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
        SELECT made.id, NULL, NULL, CASE WHEN got.alike THEN got.kinds[1] END, NULL
        UNION ALL
        SELECT NULL, NULL, NULL, p.kind, NULL
        FROM howdah_internal.lane l
        CROSS JOIN LATERAL unnest(l.kinds_paused) AS p (kind)
        WHERE l.id = of_reader;
    END IF;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.log_claim(integer, bigint, integer, integer, text[]) IS
    'For nodes: takes entries of a log queue.';

-- Entries with an order key, and those of kinds that go alone or of all, become ordinary jobs.
CREATE FUNCTION howdah_internal.log_set_apart(
    reader howdah_internal.log_reader, lease howdah_internal.log_lease, everything boolean)
RETURNS void
LANGUAGE plpgsql
AS $howdah$
DECLARE
    step bigint := reader.number * 17592186044416;
BEGIN
    WITH taken AS MATERIALIZED (
        SELECT e.id + step AS id, e.at, e.kind, e.payload, e.more,
            howdah_internal.is_large(e.payload) AS large,
                howdah_internal.log_order_key(e.more) AS order_key
        FROM howdah_internal.log_entries(reader.log, lease, true) e
        WHERE everything OR e.kind = ANY (lease.apart) OR (e.more -> 'ordered') IS NOT NULL
    ), bodies AS (
        INSERT INTO howdah_internal.body (job, payload)
        SELECT t.id, t.payload FROM taken t WHERE t.large
    ), added AS (
        INSERT INTO howdah_internal.job (id, lane, kind, run_at, payload, more)
        SELECT t.id, reader.lane, t.kind, t.at, CASE WHEN NOT t.large THEN t.payload END,
            t.more - 'ordered'
        FROM taken t
        WHERE t.order_key IS NULL
    )
    INSERT INTO howdah_internal.ordered (id, queue, key, run_at, lane, priority, kind, payload,
        more)
    SELECT t.id, l.queue, t.order_key, t.at, l.id, 0, t.kind,
        CASE WHEN NOT t.large THEN t.payload END, t.more
    FROM taken t
    JOIN howdah_internal.lane l ON l.id = reader.lane
    WHERE t.order_key IS NOT NULL;
    IF FOUND THEN
        PERFORM howdah_internal.tell('howdah_job_order', '');
    END IF;
END
$howdah$;
