-- Steps of handlers.

-- name: step_read
-- $1 the job, $2 its kind, $3 its queue. A row without a name: this is a log queue.
SELECT s.name, s.result::text, s.attempt, s.problem
FROM howdah_internal.job_step s
WHERE s.job = $1 AND s.kind = $2
UNION ALL
SELECT NULL, NULL, NULL, NULL
FROM howdah_internal.log_reader r
JOIN howdah_internal.lane l ON l.id = r.lane
WHERE l.queue = $3;

-- name: step_read_resumed
-- As step_read, of a job that has waited or whose handler is strict. own: whether the handler's own
-- thread has done it; behind: the number of the last wait before it.
SELECT s.name, s.result::text, s.attempt, s.problem, COALESCE(s.stretch, 0) >= 0 AS own,
    GREATEST(s.stretch, -1 - s.stretch, 0) AS behind
FROM howdah_internal.job_step s
WHERE s.job = $1 AND s.kind = $2
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL
FROM howdah_internal.log_reader r
JOIN howdah_internal.lane l ON l.id = r.lane
WHERE l.queue = $3;

-- name: step_now
SELECT clock_timestamp() AS now;

-- name: step_write
-- A step is done, if the node still has the job: a row. The batch of the job stays the node's until
-- the end of the transaction. $1 the node, $2 the token of the claim, $3 the job, $4 its kind, $5
-- the name of the step, $6 the attempt, $7 the result as JSON, or NULL, $8 why it is missing, $9
-- the number of the last wait before it, in a thread of its own -1 less that, or NULL.
WITH mine AS (
    SELECT b.id
    FROM howdah_internal.batch b
    WHERE b.node = $1 AND b.token = $2 AND b.ended IS NULL AND $3::bigint = ANY (b.ids)
    FOR SHARE
)
INSERT INTO howdah_internal.job_step (job, kind, name, attempt, at, result, problem, stretch)
SELECT $3::bigint, $4::text, $5::text, $6::integer, clock_timestamp(), $7::text::json, $8::text,
    $9::integer
FROM mine m
RETURNING job;

-- name: step_delete_old
-- Steps of jobs that can not come back. $1 how many days they are kept at least, $2 how many go at
-- most.
WITH gone AS (
    DELETE FROM howdah_internal.job_step s
    WHERE s.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM howdah_internal.job_step o
        WHERE o.at < now() - $1::integer * interval '1 day'
            AND NOT EXISTS (SELECT FROM howdah_internal.job j WHERE j.id = o.job)
            AND NOT EXISTS (SELECT FROM howdah_internal.failed f WHERE f.id = o.job)
            AND NOT EXISTS (SELECT FROM howdah_internal.ordered r WHERE r.id = o.job)
            AND NOT EXISTS (
                SELECT
                FROM howdah_internal.batch b
                WHERE b.ended IS NULL AND o.job = ANY (b.ids))
        ORDER BY o.at
        LIMIT $2
        FOR UPDATE SKIP LOCKED))
    RETURNING 1
)
SELECT count(*) FROM gone;
