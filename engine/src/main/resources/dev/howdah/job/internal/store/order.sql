-- Jobs that run in order for each key. Three parts move them: the insert puts a job into
-- howdah_internal.ordered, and locks nothing; the job whose turn it is hands the turn on when it is
-- done (pass_on); and one node at a time looks after keys that no job holds (let_in). What is left
-- to do stands in the tables, as ordered.fresh and order_key.job IS NULL, so that no moment between
-- two of them, and no node's death, loses it. Several jobs of a key that follow each other may be
-- in one batch, a run: then order_key.job is the first of them, its id is "h" in batch.rest of the
-- others, and each begins when batch.turns says that the one before it is done.

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
-- Behind the statement that ends jobs of a batch, in its transaction. $1 the node, $2 the batch, $4
-- its token, $7 its outcomes: only if they were written here. $3 jobs that have the turn of their
-- keys, $5 for each of them which one has it now: that job; 0: the next that waits; -1: a node is
-- to look. Only the first one may be next: if another session has it locked, which may be about to
-- cancel it, it is left to let_in. $6 jobs of the batch that went back to their lanes and come
-- after others of their keys: they wait again.
WITH mine AS (
    SELECT
    FROM howdah_internal.batch b
    WHERE b.id = $2
        AND b.node = $1
        AND b.token = $4
        AND b.ended IS NOT NULL
        AND b.outcomes IS NOT DISTINCT FROM $7::text
), over AS (
    SELECT k.queue, k.key, NULLIF(t.holder, -1) AS holder
    FROM unnest($3::bigint[], $5::bigint[]) AS t (job, holder)
    JOIN howdah_internal.order_key k ON k.job = t.job
    WHERE EXISTS (SELECT FROM mine)
    FOR UPDATE OF k
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
            WHERE v.holder = 0 AND f.queue = v.queue AND f.key = v.key))
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
    SET job = CASE WHEN v.holder = 0
        THEN (SELECT n.id FROM next n WHERE n.queue = k.queue AND n.key = k.key)
        ELSE v.holder END
    FROM over v
    WHERE k.queue = v.queue AND k.key = v.key
), back AS (
    DELETE FROM howdah_internal.job j
    WHERE j.id = ANY ($6::bigint[]) AND EXISTS (SELECT FROM mine)
    RETURNING j.*
), behind AS (
    INSERT INTO howdah_internal.ordered (id, queue, key, fresh, run_at, lane, priority, kind,
        payload, more)
    SELECT b.id, (SELECT l.queue FROM howdah_internal.lane l WHERE l.id = b.lane),
        b.more ->> 'ordered', false, COALESCE((b.more ->> 'created')::timestamptz, b.run_at),
        b.lane, b.priority, b.kind, b.payload, b.more - 'created'
    FROM back b
    RETURNING id
)
SELECT (SELECT count(*) FROM moved),
    (
        SELECT count(howdah_internal.tell('howdah_job_order', ''))
        FROM (SELECT FROM over v WHERE v.holder IS NULL LIMIT 1) u);

-- name: order_end
-- Ends batches of jobs with order keys that are all done, and takes the next jobs of each key into
-- a new batch of this node, $10 of a key at most: those that are due in the lane $7 and of the
-- kinds $8, but of $6 keys at most, since they overtake what waits in howdah_internal.job. The
-- first of each of the others goes there. $1 the node; $2, $5, $3, $4 the batches, their tokens,
-- when their jobs began and how long they ran; $9 the token of the new batch. Answers as job_claim
-- does. Sessions of jobs join by nested loops only: two lists are compared by NOT IN, or IN within
-- a larger expression, which hash one of them. A job is taken as this statement sees it, or not at
-- all: another session may have changed it meanwhile. What comes after a job that another session
-- has locked stays.
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
), first AS MATERIALIZED (
    SELECT f.*
    FROM over v
    CROSS JOIN LATERAL (
        -- In the order of the index on keys, as above.
        SELECT o.ctid AS place, o.queue, o.key, o.id, o.priority,
            o.lane = $7 AND o.run_at <= now() AND o.kind = ANY ($8::text[]) AS is_here
        FROM howdah_internal.ordered o
        WHERE o.queue = v.queue AND o.key >= v.key AND o.key <= v.key
        ORDER BY o.key, o.id
        LIMIT 1) f
), chosen AS MATERIALIZED (
    SELECT f.queue, f.key
    FROM first f
    WHERE f.is_here
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
    ORDER BY f.priority, f.id
    LIMIT $6
), wanted AS MATERIALIZED (
    SELECT r.place, r.queue, r.key, r.id
    FROM chosen c
    CROSS JOIN LATERAL (
        SELECT o.ctid AS place, o.queue, o.key, o.id
        FROM howdah_internal.ordered o
        WHERE o.queue = c.queue AND o.key >= c.key AND o.key <= c.key
        ORDER BY o.key, o.id
        LIMIT $10) r
    UNION ALL
    SELECT f.place, f.queue, f.key, f.id
    FROM first f
    WHERE (f.queue, f.key) NOT IN (SELECT c.queue, c.key FROM chosen c)
), locked AS MATERIALIZED (
    SELECT w.place, l.ctid AS place_now, l.*
    FROM wanted w
    JOIN howdah_internal.ordered l ON l.ctid = w.place
    FOR UPDATE OF l SKIP LOCKED
), missing AS MATERIALIZED (
    SELECT w.queue, w.key, w.id
    FROM wanted w
    WHERE w.id NOT IN (SELECT l.id FROM locked l WHERE l.place = l.place_now)
), turns AS MATERIALIZED (
    SELECT l.*, row_number() OVER k AS turn, min(l.id) OVER k AS head,
        bool_and(l.lane = $7 AND l.run_at <= now() AND l.kind = ANY ($8::text[])) OVER k
            AND min(l.priority) OVER k = max(l.priority) OVER k AS is_here,
        bool_and(l.payload IS NOT NULL AND NOT l.more ?| '{parent,waits}') OVER k AS is_plain
    FROM locked l
    WHERE l.place = l.place_now
        AND NOT EXISTS (
            SELECT
            FROM missing m
            WHERE m.queue = l.queue AND m.key = l.key AND m.id < l.id)
    WINDOW k AS (PARTITION BY l.queue COLLATE "C", l.key COLLATE "C" ORDER BY l.id)
), heads AS MATERIALIZED (
    SELECT t.id
    FROM turns t
    WHERE t.turn = 1
        AND t.is_here
        AND ((t.queue, t.key) IN (SELECT c.queue, c.key FROM chosen c)) IS TRUE
), here AS MATERIALIZED (
    SELECT t.id, t.kind, t.payload, t.turn,
        concat('{"p": ', t.priority, ', "a": 0, "d": 0, ',
            CASE WHEN t.turn > 1 THEN concat('"h": ', t.head, ', ') END,
            '"m": ', t.more || jsonb_build_object('created', t.run_at), '}') AS unusual
    FROM turns t
    WHERE t.is_here
        AND (t.turn = 1 OR t.is_plain)
        AND (t.head IN (SELECT h.id FROM heads h)) IS TRUE
), taken AS (
    DELETE FROM howdah_internal.ordered o
    WHERE o.ctid = ANY (ARRAY(
        SELECT t.place
        FROM turns t
        WHERE t.turn = 1 OR t.id IN (SELECT h.id FROM here h)))
), leased AS (
    INSERT INTO howdah_internal.batch AS b (
        id, token, node, lane, begun, alone, jobs, first_id, last_id, ids, run_at, kinds, kind,
        payloads, rest, turns)
    SELECT howdah_internal.batch_number(), $9::bigint, $1, $7, true, false, count(*), min(h.id),
        max(h.id),
        array_agg(h.id), now(),
        CASE WHEN min(h.kind COLLATE "C") <> max(h.kind COLLATE "C") THEN array_agg(h.kind) END,
        CASE WHEN min(h.kind COLLATE "C") = max(h.kind COLLATE "C")
            THEN min(h.kind COLLATE "C") END,
        array_agg(h.payload),
        ('{' || string_agg(concat('"', h.id, '": ', h.unusual), ', ') || '}')::jsonb,
        CASE WHEN max(h.turn) > 1 THEN ''::bytea END
    FROM here h
    HAVING count(*) > 0
    RETURNING b.id, b.kind, b.jobs, b.ids, b.day
), moved AS (
    INSERT INTO howdah_internal.job (run_at, id, lane, priority, kind, payload, more)
    SELECT GREATEST(t.run_at, now()), t.id, t.lane, t.priority, t.kind, t.payload,
        t.more || jsonb_build_object('created', t.run_at)
    FROM turns t
    WHERE t.turn = 1 AND t.id NOT IN (SELECT h.id FROM heads h)
    RETURNING CASE WHEN lane < 0 THEN howdah_internal.ring(lane)
        WHEN NOT pg_try_advisory_xact_lock_shared(1215264875, lane)
        THEN pg_notify('howdah_job', lane::text) END
), held AS (
    UPDATE howdah_internal.order_key k
    SET job = t.id
    FROM turns t
    WHERE t.turn = 1 AND k.queue = t.queue AND k.key = t.key
), freed AS (
    UPDATE howdah_internal.order_key k
    SET job = NULL
    FROM over v
    WHERE k.queue = v.queue
        AND k.key = v.key
        AND (v.queue, v.key) NOT IN (SELECT t.queue, t.key FROM turns t)
)
SELECT l.id, h.id, h.payload::text, CASE WHEN l.kind IS NULL THEN h.kind END, h.unusual
FROM leased l
CROSS JOIN here h
UNION ALL
SELECT l.id, NULL, to_char(l.day, 'YYYY-MM-DD'), l.kind, CASE WHEN l.jobs > 1 THEN l.ids::text END
FROM leased l
UNION ALL SELECT f.id, NULL, f.token::text, NULL, NULL FROM finished f;

-- name: order_release(jobs)
-- Jobs that wait in their handlers leave their turn to the next of their keys.
WITH kept AS (
    UPDATE howdah_internal.job j
    SET more = j.more - 'ordered' || jsonb_build_object('released', j.more -> 'ordered')
    WHERE j.id = ANY (:jobs::bigint[])
        AND j.more -> 'wait' IS NOT NULL
        AND j.more -> 'ordered' IS NOT NULL
    RETURNING j.id
), freed AS (
    UPDATE howdah_internal.order_key k
    SET job = NULL
    WHERE k.job = ANY (ARRAY(SELECT e.id FROM kept e))
    RETURNING k.key
)
SELECT howdah_internal.tell('howdah_job_order', ''), count(*) FROM freed;

-- name: order_return(jobs)
-- Jobs whose waits have ended wait for their turn again. They are older than those of their key
-- that wait there, and so before them, and behind those of a run that a node has claimed.
WITH gone AS (
    DELETE FROM howdah_internal.job j
    WHERE j.id = ANY (:jobs::bigint[]) AND j.more -> 'released' IS NOT NULL
    RETURNING j.*
), back AS (
    INSERT INTO howdah_internal.ordered (id, queue, key, run_at, lane, priority, kind, payload,
        more)
    SELECT g.id, l.queue, g.more ->> 'released',
        COALESCE((g.more ->> 'created')::timestamptz, g.run_at), g.lane, g.priority, g.kind,
        g.payload, g.more - 'released' || jsonb_build_object('ordered', g.more -> 'released')
    FROM gone g
    JOIN howdah_internal.lane l ON l.id = g.lane
    RETURNING id
)
SELECT howdah_internal.tell('howdah_job_order', ''), count(*) FROM back;

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
