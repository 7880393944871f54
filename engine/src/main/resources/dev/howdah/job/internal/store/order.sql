-- Jobs that run in order for each key. Three parts move them: the insert puts a job into
-- howdah_internal.ordered, and locks nothing; the job whose turn it is hands the turn on when it is
-- done (pass_on); and one node at a time looks after keys that no job holds (let_in). What is left
-- to do stands in the tables, as ordered.fresh and order_key.job IS NULL, so that no moment between
-- two of them, and no node's death, loses it.

-- name: order_add
-- $1 the lanes, $2 the kinds, $3 the priorities, $4 the times they are due or NULL, $5 in how many
-- microseconds they are due,
-- $6 the payloads, $7 what is unusual, $8 which are large, $9 the queues, $10 the keys.
SELECT o.id
FROM howdah_internal.put_ordered($1::integer[], $2::text[], $3::integer[],
    ARRAY(
        SELECT COALESCE(d.run_at, now() + (d.delay OPERATOR(pg_catalog.*) interval '1 microsecond'))
          FROM unnest($4::timestamptz[], $5::bigint[]) AS d (run_at, delay)),
    $6::text[], $7::text[], $8::boolean[], $9::text[], $10::text[]) AS o (id);

-- name: order_pass_on
-- Behind the statement that ends jobs of a batch, in its transaction: of those that are done, and
-- were ended here, the next of their keys are let in. Only the first one may be next: if another
-- session has it locked, which may be about to cancel it, it is left to let_in. $1 the node, $2 the
-- batch, $3 the jobs, $4 the token of the batch.
WITH over AS (
    SELECT k.queue, k.key FROM howdah_internal.order_key k
    WHERE k.job = ANY ($3::bigint[])
        AND EXISTS (
            SELECT FROM howdah_internal.batch b
            WHERE b.id = $2
                AND b.node = $1
                AND b.token = $4
                AND b.ended IS NOT NULL
                AND COALESCE(substr(b.outcomes, array_position(b.ids, k.job), 1), 'd') = 'd')
    FOR UPDATE
), next AS (
    DELETE FROM howdah_internal.ordered o
    WHERE o.ctid = ANY (ARRAY(
        SELECT l.ctid FROM howdah_internal.ordered l
        -- In the order of the index on keys, and of no other one: by their numbers alone all that
        -- wait would be walked over.
        WHERE l.id = ANY (ARRAY(
            SELECT f.id
            FROM over v
            CROSS JOIN LATERAL (
                SELECT o.queue, o.key, o.id
                FROM howdah_internal.ordered o
                WHERE (o.queue, o.key) >= (v.queue, v.key)
                ORDER BY o.queue, o.key, o.id LIMIT 1) f
            WHERE f.queue = v.queue AND f.key = v.key))
        FOR UPDATE SKIP LOCKED))
    RETURNING o.*
), moved AS (
    INSERT INTO howdah_internal.job (run_at, id, lane, priority, kind, payload, more)
    SELECT GREATEST(n.run_at, now()), n.id, n.lane, n.priority, n.kind, n.payload,
        n.more || jsonb_build_object('created', n.run_at)
    FROM next n
    RETURNING CASE WHEN lane < 0 THEN howdah_internal.ring(lane)
        WHEN NOT pg_try_advisory_xact_lock_shared(1215264875, lane)
        THEN pg_notify('howdah_job', lane::text) END
), held AS (
    UPDATE howdah_internal.order_key k
    SET job = (SELECT n.id FROM next n WHERE n.queue = k.queue AND n.key = k.key)
    FROM over v
    WHERE k.queue = v.queue AND k.key = v.key
)
SELECT count(*) FROM moved;

-- name: order_end
-- Ends batches of jobs with order keys that are all done, and takes the next job of each key into a
-- new batch of this node: those that are due in the lane $7 and of the kinds $8, but $6 at most,
-- since they overtake what waits in howdah_internal.job. The others go there. $1 the node; $2, $5,
-- $3, $4 the batches, their tokens, when their jobs began and how long they ran; $9 the token of
-- the new batch. Answers as job_claim does. Sessions of jobs join by nested loops only: two lists
-- are compared by NOT IN, which hashes one of them.
WITH finished AS (
    UPDATE howdah_internal.batch b
    SET ended = clock_timestamp(), begins = f.begins::integer[], runs = f.runs::integer[]
    FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[]) AS f (id, begins, runs, token)
    WHERE b.id = ANY ($2)
        AND b.id = f.id
        AND b.node = $1
        AND b.token = f.token
        AND COALESCE(b.ended, 'infinity') = 'infinity'
    RETURNING b.id, b.token, b.ids,
        CASE WHEN EXISTS (SELECT FROM howdah_internal.awaited)
            THEN howdah_internal.tell_ended(b.ids) END AS told
), over AS (
    SELECT k.queue, k.key FROM howdah_internal.order_key k
    WHERE k.job = ANY (ARRAY(SELECT unnest(f.ids) FROM finished f))
    FOR UPDATE
), next AS (
    DELETE FROM howdah_internal.ordered o
    WHERE o.ctid = ANY (ARRAY(
        SELECT l.ctid FROM howdah_internal.ordered l
        WHERE l.id = ANY (ARRAY(
            SELECT f.id
            FROM over v
            CROSS JOIN LATERAL (
                SELECT o.queue, o.key, o.id
                FROM howdah_internal.ordered o
                WHERE (o.queue, o.key) >= (v.queue, v.key)
                ORDER BY o.queue, o.key, o.id LIMIT 1) f
            WHERE f.queue = v.queue AND f.key = v.key))
        FOR UPDATE SKIP LOCKED))
    RETURNING o.*
), here AS MATERIALIZED (
    SELECT n.id, n.priority, n.kind, n.payload,
        concat('{"p": ', n.priority, ', "a": 0, "d": 0, "m": ',
            n.more || jsonb_build_object('created', n.run_at), '}') AS unusual
    FROM next n
    WHERE n.lane = $7
        AND n.run_at <= now()
        AND n.kind = ANY ($8::text[])
        AND NOT /*paused:*/false/*:paused*/
        AND EXISTS (
            SELECT
            FROM howdah_internal.lane l
            WHERE l.id = $7
                AND l.paused IS NULL
                AND COALESCE(cardinality(l.kinds_paused), 0) = 0
                AND (l.kind IS NULL OR NOT EXISTS (
                    SELECT
                    FROM howdah_internal.lane q
                    WHERE q.queue = l.queue
                        AND COALESCE(q.kind, '') = ''
                        AND q.home IS NULL
                        AND q.paused IS NOT NULL)))
    ORDER BY n.priority, n.id
    LIMIT $6
), leased AS (
    INSERT INTO howdah_internal.batch AS b (
        id, token, node, lane, begun, alone, jobs, first_id, last_id, ids, run_at, kinds, kind,
        payloads, rest)
    SELECT howdah_internal.batch_number(), $9::bigint, $1, $7, true, false, count(*), min(h.id),
        max(h.id),
        array_agg(h.id), now(),
        CASE WHEN min(h.kind COLLATE "C") <> max(h.kind COLLATE "C") THEN array_agg(h.kind) END,
        CASE WHEN min(h.kind COLLATE "C") = max(h.kind COLLATE "C")
            THEN min(h.kind COLLATE "C") END,
        array_agg(h.payload),
        ('{' || string_agg(concat('"', h.id, '": ', h.unusual), ', ') || '}')::jsonb
    FROM here h
    HAVING count(*) > 0
    RETURNING b.id, b.kind, b.jobs, b.ids
), moved AS (
    INSERT INTO howdah_internal.job (run_at, id, lane, priority, kind, payload, more)
    SELECT GREATEST(n.run_at, now()), n.id, n.lane, n.priority, n.kind, n.payload,
        n.more || jsonb_build_object('created', n.run_at)
    FROM next n
    WHERE n.id NOT IN (SELECT h.id FROM here h)
    RETURNING CASE WHEN lane < 0 THEN howdah_internal.ring(lane)
        WHEN NOT pg_try_advisory_xact_lock_shared(1215264875, lane)
        THEN pg_notify('howdah_job', lane::text) END
), held AS (
    UPDATE howdah_internal.order_key k
    SET job = n.id
    FROM next n
    WHERE k.queue = n.queue AND k.key = n.key
), freed AS (
    UPDATE howdah_internal.order_key k
    SET job = NULL
    FROM over v
    WHERE k.queue = v.queue
        AND k.key = v.key
        AND (v.queue, v.key) NOT IN (SELECT n.queue, n.key FROM next n)
)
SELECT l.id, h.id, h.payload::text, CASE WHEN l.kind IS NULL THEN h.kind END, h.unusual
FROM leased l
CROSS JOIN here h
UNION ALL
SELECT l.id, NULL, NULL, l.kind, CASE WHEN l.jobs > 1 THEN l.ids::text END FROM leased l
UNION ALL SELECT f.id, NULL, f.token::text, NULL, NULL FROM finished f;

-- name: order_lock
-- One node at a time lets in; until the end of the transaction, and no longer than a node may be
-- frozen in it.
SELECT pg_try_advisory_xact_lock(1215264876, 2),
    set_config('idle_in_transaction_session_timeout', '10s', true);

-- name: order_let_in
-- The first job of each key that no job holds goes on. $1 how many are looked at. What another
-- session has locked stays as it is, to be looked at again. Returns how many there were to look at.
WITH fresh AS (
    SELECT o.id, o.queue, o.key
    FROM howdah_internal.ordered o
    WHERE o.fresh
    ORDER BY o.id
    LIMIT $1
), free AS (
    SELECT k.queue, k.key
    FROM howdah_internal.order_key k
    WHERE k.job IS NULL
    LIMIT $1
    FOR UPDATE SKIP LOCKED
), wanted AS (
    SELECT f.queue, f.key, true AS known FROM free f
    UNION ALL
    SELECT DISTINCT f.queue, f.key, false FROM fresh f
    WHERE NOT EXISTS (SELECT FROM howdah_internal.order_key k WHERE k.queue = f.queue
        AND k.key = f.key)
), first AS (
    SELECT w.queue, w.key, w.known,
        (SELECT f.id
         FROM (
             SELECT o.queue, o.key, o.id
             FROM howdah_internal.ordered o
             WHERE (o.queue, o.key) >= (w.queue, w.key)
               ORDER BY o.queue, o.key, o.id LIMIT 1) f
         WHERE f.queue = w.queue AND f.key = w.key) AS id
    FROM wanted w
), taken AS (
    DELETE FROM howdah_internal.ordered o
    WHERE o.ctid = ANY (ARRAY(
        SELECT l.ctid
        FROM howdah_internal.ordered l
        WHERE l.id = ANY (ARRAY(SELECT f.id FROM first f WHERE f.id IS NOT NULL))
        FOR UPDATE SKIP LOCKED))
    RETURNING o.*
), moved AS (
    INSERT INTO howdah_internal.job (run_at, id, lane, priority, kind, payload, more)
    SELECT GREATEST(t.run_at, now()), t.id, t.lane, t.priority, t.kind, t.payload,
        t.more || jsonb_build_object('created', t.run_at)
    FROM taken t
    RETURNING lane
), rung AS (
    SELECT CASE WHEN m.lane < 0 THEN howdah_internal.ring(m.lane)
        WHEN NOT pg_try_advisory_xact_lock_shared(1215264875, m.lane)
        THEN pg_notify('howdah_job', m.lane::text) END AS ring
    FROM (SELECT DISTINCT lane FROM moved) m
), named AS (
    INSERT INTO howdah_internal.order_key (queue, key, job)
    SELECT t.queue, t.key, t.id
    FROM taken t
    WHERE t.id NOT IN (SELECT f.id FROM first f WHERE f.known AND f.id IS NOT NULL)
), held AS (
    UPDATE howdah_internal.order_key k
    SET job = t.id
    FROM taken t
    WHERE k.queue = t.queue AND k.key = t.key
), emptied AS (
    DELETE FROM howdah_internal.order_key k
    USING first f
    WHERE f.known AND f.id IS NULL AND k.queue = f.queue AND k.key = f.key
), stale AS (
    UPDATE howdah_internal.ordered o SET fresh = false
    WHERE o.ctid = ANY (ARRAY(
        SELECT l.ctid FROM howdah_internal.ordered l
        WHERE l.id = ANY (ARRAY(
            SELECT f.id FROM fresh f
            WHERE f.id NOT IN (SELECT t.id FROM taken t)
                AND (EXISTS (SELECT FROM taken t WHERE t.queue = f.queue AND t.key = f.key)
                     OR EXISTS (
                         SELECT
                         FROM howdah_internal.order_key k
                         WHERE k.queue = f.queue AND k.key = f.key AND k.job IS NOT NULL))))
        FOR UPDATE SKIP LOCKED))
)
SELECT (SELECT count(*) FROM fresh) + (SELECT count(*) FROM free),
    (SELECT count(*) FROM rung WHERE ring IS NOT NULL);
