-- Queues of which only so many jobs run at a time. Taking from one is a transaction: lock, count,
-- claim. Each is a statement of its own, so that the holder of the lock sees all earlier claims.
--
-- A node that finds no room says that it waits, by a lock that any number of them share, looks once
-- more, and only then sleeps. A node that ends a job of such a queue, and has left room behind its
-- own next claim, tries for that lock alone: if it cannot have it a node waits, and is notified.

-- name: limit_lock
-- One node claims from the queue at a time; one that finds another there tries again. Until the end
-- of the transaction, which a node that is frozen in it does not hold up for long. $1 the queue.
SELECT pg_try_advisory_xact_lock(1215264884, l.id),
    set_config('idle_in_transaction_session_timeout', '10s', true)
FROM howdah.lane l WHERE l.queue = $1 AND l.kind IS NULL;

-- name: limit_room
-- How many more may run in a lane, on all nodes together; NULL: as many as one likes. Of the jobs
-- of one claim no more run than its width. $1 the queue, $2 the kind that has the lane, or NULL.
SELECT min(q.most - COALESCE((
    SELECT sum(c.running)
    FROM (
        SELECT LEAST(min(b.width), sum(
            CASE WHEN q.kind IS NULL OR q.kind = b.kind THEN b.jobs
                 ELSE (
                     SELECT count(*)
                     FROM unnest(b.kinds) AS k (kind)
                     WHERE k.kind = q.kind) END)) AS running
        FROM howdah.batch b
        WHERE b.node > 0
            AND b.ended IS NULL
            AND b.lane = ANY (ARRAY(SELECT l.id FROM howdah.lane l WHERE l.queue = $1))
        GROUP BY b.token) c), 0))
FROM howdah.queue_limit q
WHERE q.queue = $1 AND (q.kind IS NULL OR q.kind = $2) AND NOT q.each_node;

-- name: limit_list
SELECT json_agg(q)::text FROM howdah.queue_limit q;

-- name: limit_wait
-- $1 the queues of which there was no room.
SELECT pg_advisory_lock_shared(1215264885, l.id)
FROM howdah.lane l
WHERE l.queue = ANY ($1::text[]) AND l.kind IS NULL;

-- name: limit_wait_no_more
-- $1 the same.
SELECT pg_advisory_unlock_shared(1215264885, l.id)
FROM howdah.lane l
WHERE l.queue = ANY ($1::text[]) AND l.kind IS NULL;

-- name: limit_room_left
-- Notifies the nodes that wait for room in these queues. $1 the queues.
SELECT pg_notify('howdah_job', l.id::text) FROM howdah.lane l
WHERE l.queue = ANY ($1::text[])
    AND l.kind IS NULL
    AND NOT pg_try_advisory_xact_lock(1215264885, l.id);
