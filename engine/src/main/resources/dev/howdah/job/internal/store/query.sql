-- What is read of jobs for programs that ask.

-- name: job_find
SELECT j.id, j.queue, j.kind, j.state, j.priority, j.attempt, j.key, j.created, j.run_at, j.begun,
    j.ended, j.node, j.error, j.result::text, j.payload::text, j.tags, j.metadata::text
FROM unnest(:jobs::bigint[]) AS a (id)
CROSS JOIN LATERAL howdah.find(a.id) j;

-- name: job_list_failed
-- Jobs that failed or were cancelled, from their table, so that its index gives the order. $1 the
-- state; $2 the queue, $3 the kind, $4 the key, $5 a part of the error, $6 JSON that the payload
-- contains, $7 from and $8 until when, each NULL for any; $9 the ids are less than this; $10 how
-- many jobs at most; $11 tags that the job has, $12 JSON that the metadata contain, $13 the pattern
-- of the error, as howdah.error_pattern has it, or NULL; $14 the ids are more than this. Where the
-- oldest come first, they are more than $9 and less than $14. $15 the node, or NULL for any.
SELECT t.id, l.queue, t.kind, t.state, t.priority, t.attempt, t.more ->> 'key' AS key,
    COALESCE((t.more ->> 'created')::timestamptz, t.run_at) AS created, t.run_at,
    NULL::timestamptz AS begun, t.ended, t.node, t.error, NULL::text AS result,
    COALESCE(t.payload, (SELECT b.payload FROM howdah_internal.body b
        WHERE b.job = t.id))::text AS payload,
    0::bigint AS batch, t.more -> 'tags' AS tags, t.more ->> 'metadata' AS metadata
FROM howdah_internal.failed t
JOIN howdah_internal.lane l ON l.id = t.lane
WHERE t.state = $1::text
    AND ($2::text IS NULL OR l.queue = $2::text)
    AND ($3::text IS NULL OR t.kind = $3::text)
    AND ($4::text IS NULL OR t.more ->> 'key' = $4::text)
    AND ($5::text IS NULL OR position($5::text IN t.error) > 0)
    AND ($7::timestamptz IS NULL OR t.ended >= $7::timestamptz)
    AND ($8::timestamptz IS NULL OR t.ended < $8::timestamptz)
    AND t.id /*past:*/</*:past*/ $9::bigint
    AND t.id /*upto:*/>/*:upto*/ $14::bigint
    AND ($15::integer IS NULL OR t.node = $15::integer)
    AND ($11::text[] IS NULL OR t.more -> 'tags' @> to_jsonb($11::text[]))
    AND ($12::text IS NULL OR t.more -> 'metadata' @> $12::jsonb)
    AND ($13::text IS NULL OR howdah.error_pattern(t.error) = $13::text)
    AND CASE WHEN $6::text IS NULL THEN true
        ELSE howdah_internal.payload_contains(
            COALESCE(t.payload, (SELECT b.payload FROM howdah_internal.body b WHERE b.job = t.id)),
            $6::jsonb) END
ORDER BY t.id /*way:*/DESC/*:way*/
LIMIT $10;

-- name: job_list_waiting
-- As job_list_failed, for jobs that are waiting, planned, suspended or retrying. Entries of log
-- queues wait, and have no key and no error; where the oldest come first, they are of statements of
-- their own.
SELECT j.*
FROM (
    SELECT t.id, l.queue, t.kind, $1::text AS state, t.priority, t.attempt, t.more ->> 'key' AS key,
        COALESCE((t.more ->> 'created')::timestamptz, t.run_at) AS created, t.run_at,
        NULL::timestamptz AS begun, NULL::timestamptz AS ended, NULL::integer AS node,
        t.more ->> 'error' AS error, NULL::text AS result,
        COALESCE(t.payload, (SELECT b.payload FROM howdah_internal.body b WHERE b.job = t.id))::text
            AS payload,
        0::bigint AS batch, t.more -> 'tags' AS tags, t.more ->> 'metadata' AS metadata
    FROM howdah_internal.job t
    JOIN howdah_internal.lane l ON l.id = t.lane
    WHERE CASE $1::text
            WHEN 'waiting' THEN t.run_at <= now()
            WHEN 'suspended' THEN t.run_at > now() AND t.more -> 'wait' IS NOT NULL
            WHEN 'planned' THEN t.run_at > now()
                AND t.attempt = 0
                AND CASE WHEN t.more -> 'wait' IS NULL THEN true ELSE false END
            -- That it IS NULL looks to the planner like few jobs, for which it would read all.
            ELSE t.run_at > now()
                AND t.attempt > 0
                AND CASE WHEN t.more -> 'wait' IS NULL THEN true ELSE false END END
        AND ($2::text IS NULL OR l.queue = $2::text)
        AND ($3::text IS NULL OR t.kind = $3::text)
        AND ($4::text IS NULL OR t.more ->> 'key' = $4::text)
        AND ($5::text IS NULL OR position($5::text IN t.more ->> 'error') > 0)
        AND ($7::timestamptz IS NULL OR t.run_at >= $7::timestamptz)
        AND ($8::timestamptz IS NULL OR t.run_at < $8::timestamptz)
        AND t.id /*past:*/</*:past*/ $9::bigint
        AND t.id /*upto:*/>/*:upto*/ $14::bigint
        AND ($11::text[] IS NULL OR t.more -> 'tags' @> to_jsonb($11::text[]))
        AND ($12::text IS NULL OR t.more -> 'metadata' @> $12::jsonb)
        AND ($13::text IS NULL OR howdah.error_pattern(t.more ->> 'error') = $13::text)
        AND CASE WHEN $6::text IS NULL THEN true
            ELSE howdah_internal.payload_contains(
                COALESCE(t.payload, (SELECT b.payload FROM howdah_internal.body b
                    WHERE b.job = t.id)),
                $6::jsonb) END
    ORDER BY t.id /*way:*/DESC/*:way*/
    LIMIT $10
) AS j
UNION ALL
SELECT w.id, w.queue, w.kind, w.state, w.priority, w.attempt, NULL, w.created, w.run_at, NULL, NULL,
    NULL, NULL, NULL, w.payload::text, 0, w.tags, w.metadata::text
FROM howdah_internal.log_waiting(
    $2::text, $3::text, $6::jsonb, $7::timestamptz, $8::timestamptz, $11::text[], $12::jsonb,
    $9::bigint, $14::bigint, $10::integer) w
WHERE /*entries:*/true/*:entries*/
    AND $1::text = 'waiting'
    AND COALESCE($4::text, $5::text, $13::text) IS NULL
ORDER BY id /*way:*/DESC/*:way*/
LIMIT $10;

-- name: job_entry_ranges
-- The ids of the entries that the readers of log queues have not read, in their order: more than
-- the first number, up to the second. :queue a queue, or NULL for all.
SELECT l.queue, (r.number << 44) + COALESCE(
        (
            SELECT o.at_id
            FROM howdah_internal.log_lease o
            WHERE o.reader = r.lane
            ORDER BY o.n DESC
            LIMIT 1), 0) AS after,
    w.id AS last
FROM howdah_internal.log_reader r
JOIN howdah_internal.lane l ON l.id = r.lane
CROSS JOIN LATERAL howdah_internal.log_waiting(
    l.queue, NULL, NULL, NULL, NULL, NULL, NULL, (r.number + 1) << 44, r.number << 44, 1) w
WHERE :queue::text IS NULL OR l.queue = :queue::text
ORDER BY r.number;

-- name: job_list_entries
-- Entries of a log queue with ids between two, the first come first, and how many of all there are
-- between them, in each row or in one of its own. $1 the queue, $2 the kind, $3 JSON that the
-- payload contains, $4 from and $5 until when, $6 tags that the job has, $7 JSON that the metadata
-- contain, each NULL for any; $8 the ids are less than this, $9 more than this, $10 how many are
-- looked at: the last of them, where there are more; $11 how many jobs at most.
WITH entries AS MATERIALIZED (
    SELECT w.id, w.queue, w.kind, w.state, w.priority, w.attempt, w.created, w.run_at,
        w.payload, w.tags, w.metadata
    FROM howdah_internal.log_waiting(
        $1::text, NULL, NULL, NULL, NULL, NULL, NULL, $8::bigint, $9::bigint, $10::integer) w
)
SELECT s.seen, j.id, j.queue, j.kind, j.state, j.priority, j.attempt, NULL::text AS key, j.created,
    j.run_at, NULL::timestamptz AS begun, NULL::timestamptz AS ended, NULL::integer AS node,
    NULL::text AS error, NULL::text AS result, j.payload::text AS payload, j.tags,
    j.metadata::text AS metadata
FROM (SELECT count(*) AS seen FROM entries) s
LEFT JOIN LATERAL (
    SELECT e.*
    FROM entries e
    WHERE ($2::text IS NULL OR e.kind = $2::text)
        AND ($4::timestamptz IS NULL OR e.run_at >= $4::timestamptz)
        AND ($5::timestamptz IS NULL OR e.run_at < $5::timestamptz)
        AND ($6::text[] IS NULL OR e.tags @> to_jsonb($6::text[]))
        AND ($7::text IS NULL OR e.metadata @> $7::jsonb)
        AND CASE WHEN $3::text IS NULL THEN true
            ELSE howdah_internal.payload_contains(e.payload, $3::jsonb) END
    ORDER BY e.id
    LIMIT $11) j ON true
ORDER BY j.id;

-- name: job_list
-- As job_list_failed, for jobs that follow others or run. $14 the node, or NULL for any.
SELECT j.id, j.queue, j.kind, j.state, j.priority, j.attempt, j.key, j.created, j.run_at, j.begun,
    j.ended, j.node, j.error, j.result::text, j.payload::text, 0::bigint AS batch, j.tags,
    j.metadata::text
FROM howdah.jobs j
WHERE j.state = $1::text
    AND ($2::text IS NULL OR j.queue = $2::text)
    AND ($3::text IS NULL OR j.kind = $3::text)
    AND ($4::text IS NULL OR j.key = $4::text)
    AND ($5::text IS NULL OR position($5::text IN j.error) > 0)
    AND ($7::timestamptz IS NULL OR COALESCE(j.ended, j.begun, j.run_at) >= $7::timestamptz)
    AND ($8::timestamptz IS NULL OR COALESCE(j.ended, j.begun, j.run_at) < $8::timestamptz)
    AND j.id /*past:*/</*:past*/ $9::bigint
    AND ($14::integer IS NULL OR j.node = $14::integer)
    AND ($11::text[] IS NULL OR j.tags @> to_jsonb($11::text[]))
    AND ($12::text IS NULL OR j.metadata @> $12::jsonb)
    AND ($13::text IS NULL OR howdah.error_pattern(j.error) = $13::text)
    AND CASE WHEN $6::text IS NULL THEN true
        ELSE howdah_internal.payload_contains(j.payload, $6::jsonb) END
ORDER BY j.id /*way:*/DESC/*:way*/
LIMIT $10;

-- name: job_list_done
-- As job_list_failed, for what is done, in the order of the batches. $1 to $6 the queue, the kind,
-- the key, JSON that the payload contains, from and until when; $7 and $8 the batch and the job
-- after which the page begins; $9 how many jobs at most; $10 tags that the job has, or NULL; $11
-- the day of the batch, or NULL: today and yesterday, and since $5; $12 JSON that the metadata
-- contain, or NULL; $13 the batches are more than this; $14 the node, or NULL for any.
SELECT t.id, t.queue, t.kind, 'done' AS state, t.priority, t.attempt, t.key, t.created, t.run_at,
    t.begun_at AS begun, t.ended_at AS ended, t.node, NULL::text AS error, t.result::text,
    t.payload::text, t.batch, t.tags, t.metadata::text
FROM howdah.taken t
WHERE t.ended IS NOT NULL
    -- Which is 'd' in other words: that a letter is equal looks to the planner like a job in 200,
    -- for which it would sort the whole history.
    AND t.letter NOT IN ('n', 'r', 's', 'w', 'g', 'f', 'c', 'm', 'u', 'x')
    AND t.day >= COALESCE($11::date, ($5::timestamptz)::date - 2, CURRENT_DATE - 1)
    AND t.day <= COALESCE($11::date, 'infinity')
    AND ($1::text IS NULL OR t.queue = $1::text)
    AND ($2::text IS NULL OR t.kind = $2::text)
    AND ($3::text IS NULL OR t.key = $3::text)
    AND ($5::timestamptz IS NULL OR t.ended_at >= $5::timestamptz)
    AND ($6::timestamptz IS NULL OR t.ended_at < $6::timestamptz)
    AND t.batch /*from:*/<=/*:from*/ $7::bigint
    AND t.batch /*upto:*/>/*:upto*/ $13::bigint
    AND ($14::integer IS NULL OR t.node = $14::integer)
    -- Batches without such a job are left out as a whole: taken apart, each job would be looked up
    -- in what the batch says of all.
    AND (
        $3::text IS NULL
        OR jsonb_path_exists(
            t.rest, '$.*.m.key ? (@ == $wanted)', jsonb_build_object('wanted', $3::text)))
    AND (
        $10::text[] IS NULL
        OR jsonb_path_exists(
            t.rest, '$.*.m.tags[*] ? (@ == $wanted)',
            jsonb_build_object('wanted', ($10::text[])[1])))
    AND ($12::text IS NULL OR jsonb_path_exists(t.rest, '$.*.m.metadata'))
    AND (
        t.batch /*past:*/</*:past*/ $7::bigint
        OR t.id /*past:*/</*:past*/ $8::bigint)
    AND ($10::text[] IS NULL OR t.tags @> to_jsonb($10::text[]))
    AND ($12::text IS NULL OR t.metadata @> $12::jsonb)
    AND CASE WHEN $4::text IS NULL THEN true
        ELSE howdah_internal.payload_contains(t.payload, $4::jsonb) END
ORDER BY t.batch /*way:*/DESC/*:way*/, t.id /*way:*/DESC/*:way*/
LIMIT $9;

-- name: job_search_bound_failed(below, most)
-- Before how many of the newest jobs a step of a search ends: its first job that is not looked at.
-- :below the ids are less than this, :most how many jobs are looked at.
SELECT f.id
FROM howdah_internal.failed f
WHERE f.id /*past:*/</*:past*/ :below::bigint
ORDER BY f.id /*way:*/DESC/*:way*/
OFFSET :most
LIMIT 1;

-- name: job_search_next_failed(queue, state, below, few)
-- Where a search goes on for the jobs of a queue that are few in a state: its newest job that has
-- not been looked at, or NULL. Without a row they are many, and so found by their ids. :below the
-- ids are less than this, :few how many are few, of jobs and of lanes.
WITH lanes AS MATERIALIZED (
    SELECT l.id
    FROM howdah_internal.lane l
    WHERE l.queue = :queue::text AND l.home IS NULL
    UNION ALL
    SELECT g.id
    FROM howdah_internal.lane l
    CROSS JOIN LATERAL (
        SELECT o.id
        FROM howdah_internal.lane o
        WHERE o.home = l.id
        ORDER BY o.home, o.group_name
        LIMIT :few::bigint + 1) g
    WHERE l.queue = :queue::text AND l.home IS NULL
    LIMIT :few::bigint + 1
), jobs AS MATERIALIZED (
    SELECT f.id
    FROM lanes l
    CROSS JOIN LATERAL (
        SELECT n.id
        FROM howdah_internal.failed n
        -- In the order of failed_lane, as in job_counts.
        WHERE n.lane = l.id AND n.state BETWEEN :state::text AND :state::text
        ORDER BY n.state, n.ended
        LIMIT :few::bigint + 1) f
    WHERE (SELECT count(*) FROM lanes) <= :few::bigint
    LIMIT :few::bigint + 1
)
SELECT /*edge:*/max/*:edge*/(j.id) FILTER (WHERE j.id /*past:*/</*:past*/ :below::bigint) AS id
FROM jobs j
HAVING count(*) <= :few::bigint AND (SELECT count(*) FROM lanes) <= :few::bigint;

-- name: job_search_bound_waiting(below, most)
-- As job_search_bound_failed.
SELECT j.id
FROM howdah_internal.job j
WHERE j.id /*past:*/</*:past*/ :below::bigint
ORDER BY j.id /*way:*/DESC/*:way*/
OFFSET :most
LIMIT 1;

-- name: job_search_bound_done(below, most, since, day)
-- The same for batches: :below the ids are this or less, :most how many batches are looked at,
-- :since from when, or NULL.
SELECT b.id
FROM howdah_internal.batch b
WHERE b.id /*from:*/<=/*:from*/ :below::bigint
    AND b.day >= COALESCE(:day::date, (:since::timestamptz)::date - 2, CURRENT_DATE - 1)
    AND b.day <= COALESCE(:day::date, 'infinity')
ORDER BY b.id /*way:*/DESC/*:way*/
OFFSET :most
LIMIT 1;

-- name: job_count
-- $1 to $8 as in job_list_failed; $9 tags that the job has, or NULL; $10 the day of what is done,
-- as in job_list_done; $11 JSON that the metadata contain, $12 the pattern of the error, or NULL;
-- $13 how many are counted at most, or NULL; $14 the node, or NULL for any.
SELECT count(*)
FROM (
    SELECT
    FROM howdah.jobs j
    WHERE j.state = $1::text
        AND (
            j.state <> 'done'
            OR j.day >= COALESCE($10::date, ($7::timestamptz)::date - 2, CURRENT_DATE - 1)
                AND j.day <= COALESCE($10::date, 'infinity'))
        AND ($2::text IS NULL OR j.queue = $2::text)
        AND ($3::text IS NULL OR j.kind = $3::text)
        AND ($4::text IS NULL OR j.key = $4::text)
        AND ($5::text IS NULL OR position($5::text IN j.error) > 0)
        AND ($7::timestamptz IS NULL OR COALESCE(j.ended, j.begun, j.run_at) >= $7::timestamptz)
        AND ($8::timestamptz IS NULL OR COALESCE(j.ended, j.begun, j.run_at) < $8::timestamptz)
        AND ($9::text[] IS NULL OR j.tags @> to_jsonb($9::text[]))
        AND ($11::text IS NULL OR j.metadata @> $11::jsonb)
        AND ($14::integer IS NULL OR j.node = $14::integer)
        AND ($12::text IS NULL OR howdah.error_pattern(j.error) = $12::text)
        AND CASE WHEN $6::text IS NULL THEN true
            ELSE howdah_internal.payload_contains(j.payload, $6::jsonb) END
    LIMIT $13::bigint) c;

-- name: job_counts
-- Jobs by their states, each counted by itself up to :most, and whether that is all. What is done
-- is what has been added up: the rest is not read, which may be long where no node runs.
WITH places AS MATERIALIZED (
    SELECT l.id AS lane, p.priority
    FROM howdah_internal.lane l
    JOIN (SELECT DISTINCT v.lane, v.priority FROM howdah_internal.lane_priority v) p
        ON p.lane = COALESCE(l.home, l.id)
), later AS MATERIALIZED (
    SELECT j.attempt, j.suspended
    FROM places p
    CROSS JOIN LATERAL (
        SELECT n.attempt, n.more -> 'wait' IS NOT NULL AS suspended
        FROM howdah_internal.job n
        WHERE n.lane = p.lane AND n.priority = p.priority AND n.run_at > now()
        ORDER BY n.run_at
        LIMIT :most + 1) j
    LIMIT :most + 1
), again AS MATERIALIZED (
    SELECT r.run_at, r.more -> 'wait' IS NOT NULL AS suspended
    FROM howdah_internal.job r
    WHERE r.attempt > 0
    ORDER BY r.id DESC
    LIMIT :most + 1
), bounded AS (
    -- Entries of log queues wait for each of their readers, and are not counted here.
    SELECT 'waiting' AS state, count(*) AS jobs,
        EXISTS (
            SELECT
            FROM howdah_internal.log_reader o
            CROSS JOIN LATERAL howdah_internal.log_behind(o.lane, 1) b
            WHERE b.jobs > 0) AS has_others
    FROM (
        SELECT
        FROM places p
        CROSS JOIN LATERAL (
            SELECT
            FROM howdah_internal.job n
            WHERE n.lane = p.lane AND n.priority = p.priority AND n.run_at <= now()
            ORDER BY n.run_at
            LIMIT :most + 1) j
        LIMIT :most + 1) w
    UNION ALL
    SELECT 'failed', count(*), false
    FROM (
        SELECT
        FROM howdah_internal.lane l
        CROSS JOIN LATERAL (
            SELECT
            FROM howdah_internal.failed n
            -- In the order that failed_lane alone has: by failed_ended all could be read.
            WHERE n.lane = l.id AND n.state BETWEEN 'failed' AND 'failed'
            ORDER BY n.state, n.ended
            LIMIT :most + 1) e
        LIMIT :most + 1) f
    UNION ALL
    SELECT 'cancelled', count(*), false
    FROM (
        SELECT
        FROM howdah_internal.lane l
        CROSS JOIN LATERAL (
            SELECT
            FROM howdah_internal.failed n
            WHERE n.lane = l.id AND n.state BETWEEN 'cancelled' AND 'cancelled'
            ORDER BY n.state, n.ended
            LIMIT :most + 1) e
        LIMIT :most + 1) f
    UNION ALL
    SELECT 'following', count(*), false
    FROM (SELECT FROM howdah.jobs o WHERE o.state = 'following' LIMIT :most + 1) o
)
SELECT b.state, LEAST(b.jobs, :most)::bigint AS jobs, b.jobs <= :most AND NOT b.has_others AS is_all
FROM bounded b
UNION ALL
-- The first ones of the lanes, among which there are retries.
SELECT 'planned', LEAST(count(*) FILTER (WHERE t.attempt = 0 AND NOT t.suspended), :most),
    count(*) <= :most
FROM later t
UNION ALL
SELECT 'suspended', LEAST(count(*) FILTER (WHERE t.suspended), :most), count(*) <= :most
FROM later t
UNION ALL
SELECT 'retrying', LEAST(count(*) FILTER (WHERE a.run_at > now() AND NOT a.suspended), :most),
    count(*) <= :most
FROM again a
UNION ALL
SELECT 'running', COALESCE(sum(r.jobs), 0)::bigint, true
FROM (
    SELECT b.jobs
    FROM howdah_internal.batch b
    WHERE b.ended IS NULL
    UNION ALL
    SELECT e.jobs
    FROM howdah_internal.log_lease e
    WHERE e.node IS NOT NULL) r
UNION ALL
SELECT 'done', COALESCE(sum(s.done), 0)::bigint, true
FROM howdah_internal.stat s
WHERE s.minute >= now() - interval '1 hour';

-- name: job_attempts
SELECT a.attempt, a.kind, a.outcome, a.node, a.begun, a.ended, a.error
FROM howdah.attempts(:job) a;

-- name: job_progress
SELECT p.done, p.message, p.at
FROM howdah.progress p
WHERE p.job = :job;

-- name: job_log(job, most)
-- The last lines of a job, the earliest of them first. :most how many at most.
SELECT l.at, l.attempt, l.line
FROM (
    SELECT o.at, o.attempt, o.line
    FROM howdah.log o
    WHERE o.job = :job
    ORDER BY o.at DESC
    LIMIT :most) l
ORDER BY l.at;

-- name: job_steps
-- $1 the job.
SELECT s.kind, s.name, s.attempt, s.at, s.result::text
FROM howdah_internal.job_step s
WHERE s.job = $1
ORDER BY s.at, s.name;

-- name: queue_overview
-- :most how many jobs of each priority of a lane, and of failed ones, are counted at most.
WITH depth_of_lanes AS (
    SELECT l.queue, sum(d.due) AS due, sum(w.later) AS later, min(d.oldest) AS oldest
    FROM howdah_internal.lane l
    JOIN (SELECT DISTINCT v.lane, v.priority FROM howdah_internal.lane_priority v) p
        ON p.lane = COALESCE(l.home, l.id)
    CROSS JOIN LATERAL (
        SELECT count(*) AS due, min(j.run_at) AS oldest
        FROM (
            SELECT n.run_at
            FROM howdah_internal.job n
            WHERE n.lane = l.id AND n.priority = p.priority AND n.run_at <= now()
            ORDER BY n.run_at
            LIMIT :most) j) d
    CROSS JOIN LATERAL (
        -- By itself: behind many jobs that are due, it would seem that there are none.
        SELECT count(*) AS later
        FROM (
            SELECT
            FROM howdah_internal.job n
            WHERE n.lane = l.id AND n.priority = p.priority AND n.run_at > now()
            ORDER BY n.run_at
            LIMIT :most) j) w
    GROUP BY l.queue
    UNION ALL
    SELECT l.queue, b.jobs, 0, b.oldest
    FROM howdah_internal.log_reader r
    JOIN howdah_internal.lane l ON l.id = r.lane
    CROSS JOIN LATERAL howdah_internal.log_behind(r.lane, :most::integer) b
), depth AS (
    SELECT d.queue, sum(d.due) AS due, sum(d.later) AS later, min(d.oldest) AS oldest
    FROM depth_of_lanes d
    GROUP BY d.queue
), running AS (
    SELECT l.queue, sum(b.jobs) AS jobs
    FROM (
        SELECT o.lane, o.jobs
        FROM howdah_internal.batch o
        WHERE o.ended IS NULL
        UNION ALL
        SELECT e.reader, e.jobs
        FROM howdah_internal.log_lease e
        WHERE e.node IS NOT NULL) b
    JOIN howdah_internal.lane l ON l.id = b.lane
    GROUP BY l.queue
), failed AS (
    SELECT l.queue, sum(f.jobs) AS jobs
    FROM howdah_internal.lane l
    CROSS JOIN LATERAL (
        SELECT count(*) AS jobs
        FROM (
            -- A part of an index in its order: lanes without failed jobs would read the table, or
            -- another index to its end.
            SELECT
            FROM howdah_internal.failed n
            WHERE (n.lane, n.state, n.ended) >= (l.id, 'failed', '-infinity'::timestamptz)
                AND (n.lane, n.state, n.ended) <= (l.id, 'failed', 'infinity'::timestamptz)
            ORDER BY n.lane, n.state, n.ended
            LIMIT :most) c) f
    GROUP BY l.queue
), ended AS (
    SELECT l.queue, sum(s.done) AS done, sum(s.retried + s.died) AS retried, sum(s.failed) AS failed
    FROM howdah_internal.stat_parts s
    JOIN howdah_internal.lane l ON l.id = s.lane
    WHERE s.minute >= now() - interval '1 hour'
    GROUP BY l.queue
), paused AS (
    SELECT l.queue, min(l.paused) AS since, min(l.paused_by) AS by,
        array_remove(array_agg(DISTINCT k.kind), NULL) AS kinds
    FROM howdah_internal.lane l
    LEFT JOIN LATERAL unnest(l.kinds_paused) AS k (kind) ON true
    WHERE l.home IS NULL AND l.kind IS NULL
    GROUP BY l.queue
)
SELECT q.queue, LEAST(COALESCE(d.due, 0), :most)::bigint AS due,
    LEAST(COALESCE(d.later, 0), :most)::bigint AS later, d.oldest,
    COALESCE(r.jobs, 0)::bigint AS running, LEAST(COALESCE(f.jobs, 0), :most)::bigint AS failed,
    COALESCE(e.done, 0)::bigint AS done_hour, COALESCE(e.retried, 0)::bigint AS retried_hour,
    COALESCE(e.failed, 0)::bigint AS failed_hour, p.since AS paused, p.by AS paused_by,
    p.kinds AS paused_kinds
FROM (SELECT DISTINCT l.queue FROM howdah_internal.lane l WHERE l.home IS NULL) q
LEFT JOIN depth d ON d.queue = q.queue
LEFT JOIN running r ON r.queue = q.queue
LEFT JOIN failed f ON f.queue = q.queue
LEFT JOIN ended e ON e.queue = q.queue
LEFT JOIN paused p ON p.queue = q.queue
ORDER BY q.queue;

-- name: job_watch_mark
-- How far jobs and batches have come, and which transactions are seen.
SELECT COALESCE((SELECT max(j.id) FROM howdah_internal.job j), 0)::bigint AS last_job,
    COALESCE((SELECT max(b.id) FROM howdah_internal.batch b), 0)::bigint AS last_batch,
    ARRAY(
        SELECT o.id FROM howdah_internal.batch o WHERE o.ended IS NULL ORDER BY o.id DESC
            LIMIT 200) AS open,
    txid_current_snapshot()::text AS seen,
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS millis;

-- name: job_watch_events
-- What became of jobs: those with ids after :floors of those of the transactions :open that have
-- ended, of which one is 0; those of batches after :after_batch and of the batches :batches; and
-- those that failed or were cancelled since three seconds before :times of these transactions;
-- without what was written before any transaction that ran at the snapshot :seen began; :most how
-- many of each at most. The last row of a job is what it is now.
WITH since AS MATERIALIZED (
    SELECT txid_snapshot_xmin(s.seen) AS xmin, txid_snapshot_xmax(txid_current_snapshot()) AS upto,
        e.floor AS after, to_timestamp(e.millis / 1000.0) - interval '3 seconds' AS ended
    FROM (SELECT :seen::txid_snapshot AS seen) s
    CROSS JOIN LATERAL (
        SELECT min(o.floor) AS floor, min(o.millis) AS millis
        FROM unnest(:open::bigint[], :floors::bigint[], :times::bigint[])
            AS o (number, floor, millis)
        WHERE txid_visible_in_snapshot(o.number, txid_current_snapshot())) e
)
SELECT e.id, (SELECT l.queue FROM howdah_internal.lane l WHERE l.id = e.lane) AS queue, e.kind,
    e.state, e.attempt, e.more ->> 'key' AS key, e.more -> 'tags' AS tags,
    (e.more -> 'metadata')::text AS metadata, e.error
FROM (
    (
        SELECT u.id, b.lane, COALESCE(b.kind, b.kinds[u.n]) AS kind,
            CASE WHEN b.ended IS NULL THEN 'RUNNING'
                ELSE CASE COALESCE(substr(b.outcomes, u.n::integer, 1), 'd')
                    WHEN 'd' THEN 'DONE'
                    WHEN 'f' THEN 'FAILED'
                    WHEN 'c' THEN 'CANCELLED'
                    WHEN 'r' THEN 'RETRYING'
                    WHEN 's' THEN 'PLANNED'
                    WHEN 'w' THEN 'SUSPENDED'
                    ELSE 'WAITING' END END AS state,
            COALESCE((b.rest -> u.id::text ->> 'a')::integer, 0) + 1 AS attempt,
            b.rest -> u.id::text -> 'm' AS more,
            b.details -> u.id::text ->> 'error' AS error, 1 AS step, b.id AS batch
        FROM (
            (
                SELECT n.id, n.lane, n.kind, n.kinds, n.ids, n.ended, n.outcomes, n.rest, n.details
                FROM howdah_internal.batch n
                CROSS JOIN since s
                WHERE n.id > :after_batch
                    AND s.upto - ((s.upto - n.xmin::text::bigint) & 4294967295) >= s.xmin
                ORDER BY n.id
                LIMIT :most)
            UNION ALL
            SELECT o.id, o.lane, o.kind, o.kinds, o.ids, o.ended, o.outcomes, o.rest, o.details
            FROM howdah_internal.batch o
            CROSS JOIN since s
            WHERE o.id = ANY (:batches::bigint[]) AND o.id <= :after_batch
                AND s.upto - ((s.upto - o.xmin::text::bigint) & 4294967295) >= s.xmin) b
        CROSS JOIN LATERAL unnest(b.ids) WITH ORDINALITY AS u (id, n)
        WHERE COALESCE(substr(b.outcomes, u.n::integer, 1), 'd') NOT IN ('m', 'u')
        LIMIT :most)
    UNION ALL
    (
        SELECT f.id, f.lane, f.kind, upper(f.state), f.attempt, f.more, f.error, 2, 0
        FROM howdah_internal.failed f
        CROSS JOIN since s
        WHERE f.ended > (SELECT g.ended FROM since g)
            AND s.upto - ((s.upto - f.xmin::text::bigint) & 4294967295) >= s.xmin
        ORDER BY f.ended
        LIMIT :most)
    UNION ALL
    (
        SELECT j.id, j.lane, j.kind,
            CASE WHEN j.attempt > 0 THEN 'RETRYING'
                WHEN j.run_at > now() THEN 'PLANNED'
                ELSE 'WAITING' END,
            j.attempt, j.more, j.more ->> 'error', 3, 0
        FROM howdah_internal.job j
        CROSS JOIN since s
        WHERE j.id > (SELECT g.after FROM since g)
            AND s.upto - ((s.upto - j.xmin::text::bigint) & 4294967295) >= s.xmin
        ORDER BY j.id
        LIMIT :most)) e
ORDER BY e.step, e.batch, e.id;
