-- One job, wherever it is -------------------------------------------------------------------------

-- A job of a log queue that has no row but its entry. howdah.find runs it for roles that cannot
-- read segments by themselves.
CREATE FUNCTION howdah_internal.log_find(of_job bigint)
RETURNS SETOF howdah.jobs
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    with_id bigint := of_job % 17592186044416;
    each record;
    entry howdah_internal.log_entry;
    lease howdah_internal.log_lease;
BEGIN
    IF NOT EXISTS (SELECT FROM howdah_internal.log_queue)
        OR EXISTS (SELECT FROM howdah_internal.job j WHERE j.id = of_job)
        OR EXISTS (SELECT FROM howdah_internal.failed f WHERE f.id = of_job)
        OR EXISTS (
            SELECT
            FROM howdah_internal.batch b
            WHERE b.first_id <= of_job AND b.last_id >= of_job AND of_job = ANY (b.ids)) THEN
        RETURN;
    END IF;
    FOR each IN
        SELECT r.lane, s.lane AS log, s.number, l.queue
        FROM howdah_internal.log_reader r
        JOIN howdah_internal.log_segment s ON s.lane = r.log
        JOIN howdah_internal.lane l ON l.id = r.lane
        WHERE r.number = of_job / 17592186044416
        ORDER BY s.number DESC
    LOOP
        EXECUTE format(
            'SELECT e.* FROM howdah_internal.%I e WHERE e.id = $1',
            howdah_internal.log_segment_name(each.log, each.number))
        INTO entry USING with_id;
        CONTINUE WHEN entry.id IS NULL;
        SELECT * INTO lease
        FROM howdah_internal.log_lease l
        WHERE l.reader = each.lane
            AND l.node IS NOT NULL
            AND l.segment = each.number
            AND (
                with_id > l.after AND with_id <= l.upto
                AND txid_visible_in_snapshot(entry.xid, l.seen)
                OR with_id > l.late_after AND with_id <= l.late_upto
                AND NOT txid_visible_in_snapshot(entry.xid, l.late_seen)
                AND txid_visible_in_snapshot(entry.xid, l.seen))
        LIMIT 1;
        RETURN QUERY
        SELECT of_job, each.queue, entry.kind,
            CASE
                WHEN lease.node IS NOT NULL THEN 'running'
                WHEN p.at_segment < each.number
                    OR p.at_segment = each.number
                    AND (
                        p.at_id < with_id OR NOT txid_visible_in_snapshot(entry.xid, p.at_seen))
                    THEN 'waiting'
                ELSE 'done'
            END,
            0::smallint, CASE WHEN lease.node IS NULL THEN 0 ELSE 1 END::smallint, entry.at,
            entry.at, lease.taken, NULL::timestamptz, lease.node, NULL::text, NULL::jsonb,
            entry.payload, NULL::date, NULL::text, entry.more -> 'tags', entry.more -> 'metadata'
        FROM howdah_internal.log_lease p
        WHERE p.reader = each.lane
        ORDER BY p.n DESC
        LIMIT 1;
        RETURN;
    END LOOP;
END
$howdah$;

-- That an id lies between two columns looks to the planner like a quarter of all rows, for which it
-- would read the whole history.
CREATE FUNCTION howdah.find(id bigint)
RETURNS SETOF howdah.jobs
LANGUAGE sql STABLE
SET enable_seqscan = off
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT v.*
    FROM howdah.jobs v
    WHERE v.id = $1 AND v.state NOT IN ('running', 'done')
    UNION ALL
    SELECT v.* FROM howdah.jobs v WHERE v.id = $1 AND v.state = 'running'
    UNION ALL
    SELECT t.id, t.queue, t.kind, 'done', t.priority, t.attempt, t.created, t.run_at, t.begun_at,
        t.ended_at, t.node, NULL, t.result, t.payload, t.day, t.key, t.tags, t.metadata
    FROM howdah.taken t
    WHERE t.first_id <= $1
        AND t.last_id >= $1
        AND t.ended IS NOT NULL
        AND t.id = $1
        AND t.letter = 'd'
    UNION ALL
    SELECT v.* FROM howdah_internal.log_find($1) v
$howdah$;
COMMENT ON FUNCTION howdah.find(bigint) IS
    'One job, wherever it is; no row, if it is not there or its history has been removed.';
