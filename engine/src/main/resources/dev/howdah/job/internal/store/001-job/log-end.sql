-- The end of leases -------------------------------------------------------------------------------

-- Notes how many jobs of each kind are done, and how long they ran.
CREATE FUNCTION howdah_internal.log_note(
    lanes integer[], kinds text[], done bigint[], micros bigint[], longest bigint[])
RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
    INSERT INTO howdah_internal.log_done (lane, kind, done, run_micros, run_max_micros)
    SELECT n.lane, n.kind, n.done, n.micros, n.longest
    FROM unnest($1, $2, $3, $4, $5) AS n (lane, kind, done, micros, longest)
$howdah$;
COMMENT ON FUNCTION howdah_internal.log_note(integer[], text[], bigint[], bigint[], bigint[]) IS
    'For nodes: counts jobs of log queues that are done.';

-- Ends leases whose jobs are all done; which of them were that node's. As log_note has them: how
-- many that are, NULL: it is not counted. Nothing is counted where one of them was not the node's.
CREATE FUNCTION howdah_internal.log_end(
    of_node integer, leases bigint[], tokens bigint[], lanes integer[], kinds text[], done bigint[],
    micros bigint[], longest bigint[])
RETURNS TABLE (lease bigint, token bigint)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    ended integer;
BEGIN
    IF EXISTS (SELECT FROM howdah_internal.awaited) THEN
        -- Those whose ids may be of these leases: who waits looks what has become of them.
        PERFORM howdah_internal.tell_ended(array_agg(w.job))
        FROM howdah_internal.awaited w
        JOIN howdah_internal.log_reader r ON r.number = w.job / 17592186044416
        JOIN howdah_internal.log_lease l ON l.reader = r.lane AND l.id = ANY (leases)
        WHERE w.job % 17592186044416 <= GREATEST(l.upto, l.late_upto);
    END IF;
    RETURN QUERY WITH asked AS (
        SELECT l.id, l.token AS proof,
            NOT EXISTS (
                SELECT
                FROM howdah_internal.log_lease o
                WHERE o.reader = l.reader AND o.n > l.n) AS newest
        FROM unnest(leases, tokens) AS a (id, token)
        JOIN howdah_internal.log_lease l ON l.id = a.id AND l.token = a.token AND l.node = of_node
    ), gone AS (
        DELETE FROM howdah_internal.log_lease l
        USING asked a
        WHERE l.id = a.id AND NOT a.newest AND l.node = of_node AND l.token = a.proof
        RETURNING l.id, l.token AS proof
    ), kept AS (
        UPDATE howdah_internal.log_lease l
        SET node = NULL, token = NULL
        FROM asked a
        WHERE l.id = a.id AND a.newest AND l.node = of_node AND l.token = a.proof
        RETURNING l.id, a.proof
    )
    SELECT g.id, g.proof FROM gone g UNION ALL SELECT k.id, k.proof FROM kept k;
    GET DIAGNOSTICS ended = ROW_COUNT;
    IF ended = cardinality(leases) AND lanes IS NOT NULL THEN
        PERFORM howdah_internal.log_note(lanes, kinds, done, micros, longest);
    END IF;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.log_end(
    integer, bigint[], bigint[], integer[], text[], bigint[], bigint[], bigint[]) IS
    'For nodes: ends leases of log queues.';

-- Makes an ordinary batch of those jobs of a lease, NULL: of all, and ends the lease. The id of the
-- batch; 0: there are no such jobs; NULL: the lease is not that node's.
CREATE FUNCTION howdah_internal.log_unpack(
    of_node integer, of_lease bigint, with_token bigint, jobs bigint[])
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    lease howdah_internal.log_lease;
    reader howdah_internal.log_reader;
    step bigint;
    made bigint;
BEGIN
    SELECT l.* INTO lease
    FROM howdah_internal.log_lease l
    WHERE l.id = of_lease AND l.node = of_node AND l.token = with_token
    FOR UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    PERFORM howdah_internal.log_end(
        of_node, ARRAY[of_lease], ARRAY[with_token], NULL, NULL, NULL, NULL, NULL);
    SELECT r.* INTO STRICT reader FROM howdah_internal.log_reader r WHERE r.lane = lease.reader;
    step := reader.number * 17592186044416;
    WITH entries AS MATERIALIZED (
        SELECT e.id + step AS id, e.at, e.kind,
            CASE WHEN NOT howdah_internal.is_large(e.payload) THEN e.payload END AS payload, e.more,
            CASE WHEN howdah_internal.is_large(e.payload) THEN e.payload END AS body
        FROM howdah_internal.log_entries(reader.log, lease, false) e
        WHERE jobs IS NULL OR e.id + step = ANY (jobs)
    ), bodies AS (
        INSERT INTO howdah_internal.body (job, payload)
        SELECT e.id, e.body FROM entries e WHERE e.body IS NOT NULL
        ON CONFLICT ON CONSTRAINT body_pkey DO NOTHING
    ), earliest AS (
        SELECT min(e.at) AS at FROM entries e
    )
    INSERT INTO howdah_internal.batch AS b (
        id, token, node, lane, taken, begun, alone, jobs, first_id, last_id, ids, run_at,
        run_offsets, kinds, kind, payloads, rest)
    SELECT howdah_internal.batch_number(), with_token, of_node, reader.lane, lease.taken, true,
        false,
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
COMMENT ON FUNCTION howdah_internal.log_unpack(integer, bigint, bigint, bigint[]) IS
    'For nodes: makes an ordinary batch of jobs of a log queue.';

-- The same with up to so many leases of a node that has died; how many there were.
CREATE FUNCTION howdah_internal.log_unpack_all(of_node integer, most integer)
RETURNS bigint
LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT count(howdah_internal.log_unpack(of_node, l.id, l.token, NULL))
    FROM (
        SELECT o.id, o.token
        FROM howdah_internal.log_lease o
        WHERE o.node = of_node
        ORDER BY o.id
        LIMIT most
        FOR UPDATE SKIP LOCKED) l
$howdah$;
