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
FROM howdah_internal.lane l WHERE l.queue = $1 AND l.kind IS NULL AND l.home IS NULL;

-- name: limit_room
-- How many more may run in a lane, on all nodes together; NULL: as many as one likes. $1 the queue,
-- $2 the kind that has the lane, or NULL.
SELECT howdah_internal.limit_room($1::text, $2::text);

-- name: limit_claim
-- Takes jobs of a lane and of its groups, and answers as job_claim does. $1 the node, $2 the token
-- of this claim, $3 the lane, $4 how many jobs at most, $5 kinds whose jobs go alone, $6 until when
-- it is known that jobs came to groups, or NULL, $7 how many of the jobs begin at once, $8 how many
-- microseconds they are given for that under a rate whose period is short.
SELECT c.batch, c.job, c.payload, c.kind, c.unusual
FROM howdah_internal.claim_within(
    $1::integer, $2::bigint, $3::integer, $4::integer, $5::text[], $6::timestamptz,
    $7::integer, $8::bigint) c
-- Asked before the function is called.
WHERE NOT /*paused:*/false/*:paused*/
-- Nothing rings when a pause ends.
UNION ALL
SELECT NULL, NULL, NULL, NULL, 'next 1000' WHERE /*paused:*/false/*:paused*/;

-- name: limit_list
-- What nodes have to know of limits; paced: the claims from its lanes are limit_claim.
SELECT howdah_internal.limits_known();

-- name: limit_wait
-- $1 the queues of which there was no room.
SELECT pg_advisory_lock_shared(1215264885, l.id)
FROM howdah_internal.lane l
WHERE l.queue = ANY ($1::text[]) AND l.kind IS NULL AND l.home IS NULL;

-- name: limit_wait_no_more
-- $1 the same.
SELECT pg_advisory_unlock_shared(1215264885, l.id)
FROM howdah_internal.lane l
WHERE l.queue = ANY ($1::text[]) AND l.kind IS NULL AND l.home IS NULL;

-- name: limit_room_left
-- Notifies the nodes that wait for room in these queues. $1 the queues.
SELECT pg_notify('howdah_job', l.id::text) FROM howdah_internal.lane l
WHERE l.queue = ANY ($1::text[])
    AND l.kind IS NULL
    AND l.home IS NULL
    AND NOT pg_try_advisory_xact_lock(1215264885, l.id);

-- name: limit_use_delete_old(days, most)
-- What was used of rates and counts no more. :days how many days ago, :most how many go at most.
WITH gone AS (
    DELETE FROM howdah_internal.rate_use u
    WHERE u.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM howdah_internal.rate_use o
        WHERE o.until < now() - :days::integer * interval '1 day'
        ORDER BY o.until
        LIMIT :most
        FOR UPDATE SKIP LOCKED))
    RETURNING 1
)
SELECT count(*) FROM gone;

-- name: limit_set(queue, limit, kind, group, each_group, each_node)
-- :limit how many, or NULL, :each_group whether it is for each group, :each_node
-- whether it is for each node.
SELECT howdah.limit(
    :queue::text, :limit::integer, :kind::text, :each_node::boolean, :group::text,
        :each_group::boolean)::text;

-- name: limit_set_rate
-- $1 the queue, $2 how many, or NULL, $3 in how many microseconds, or NULL, $4 how many at once, or
-- NULL, $5 the kind, or NULL, $6 the group, or NULL, $7 whether it is for each group.
SELECT howdah.rate_limit(
    $1::text, $2::integer, $3::bigint OPERATOR(pg_catalog.*) interval '1 microsecond', $4::integer,
    $5::text, $6::text, $7::boolean)::text;

-- name: limit_set_share(queue, group, share)
SELECT howdah.share(:queue::text, :group::text, :share::double precision)::text;

-- name: limit_set_ageing(queue, micros, most)
-- :micros every how many microseconds, or NULL, :most by how much at most.
SELECT howdah.age(
    :queue::text, :micros::bigint OPERATOR(pg_catalog.*) interval '1 microsecond',
        :most::integer)::text;

-- name: limit_list_all
SELECT l.queue, l.kind, l.group_name, l.each_group, l.each_node, l.setting, l.value
FROM howdah.limits l
ORDER BY l.queue, l.kind NULLS FIRST, l.group_name NULLS FIRST, l.setting, l.value;
