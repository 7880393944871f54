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
FROM howdah.lane l WHERE l.queue = $1 AND l.kind IS NULL AND l.home IS NULL;

-- name: limit_room
-- How many more may run in a lane, on all nodes together; NULL: as many as one likes. $1 the queue,
-- $2 the kind that has the lane, or NULL.
SELECT howdah.limit_room($1::text, $2::text);

-- name: limit_claim
-- Takes jobs of a lane and of its groups, and answers as job_claim does. $1 the node, $2 the token
-- of this claim, $3 the lane, $4 how many jobs at most, $5 kinds whose jobs go alone, $6 until when
-- it is known that jobs came to groups, or NULL.
SELECT c.batch, c.job, c.payload, c.kind, c.unusual
FROM howdah.claim_within(
    $1::integer, $2::bigint, $3::integer, $4::integer, $5::text[], $6::timestamptz) c;

-- name: limit_list
-- What nodes have to know of limits; paced: the claims from its lanes are limit_claim.
SELECT howdah.limits_known();

-- name: limit_wait
-- $1 the queues of which there was no room.
SELECT pg_advisory_lock_shared(1215264885, l.id)
FROM howdah.lane l
WHERE l.queue = ANY ($1::text[]) AND l.kind IS NULL AND l.home IS NULL;

-- name: limit_wait_no_more
-- $1 the same.
SELECT pg_advisory_unlock_shared(1215264885, l.id)
FROM howdah.lane l
WHERE l.queue = ANY ($1::text[]) AND l.kind IS NULL AND l.home IS NULL;

-- name: limit_room_left
-- Notifies the nodes that wait for room in these queues. $1 the queues.
SELECT pg_notify('howdah_job', l.id::text) FROM howdah.lane l
WHERE l.queue = ANY ($1::text[])
    AND l.kind IS NULL
    AND l.home IS NULL
    AND NOT pg_try_advisory_xact_lock(1215264885, l.id);
