-- Waits of handlers: what a run reads and writes. That a job is suspended is written by
-- batch_settle.

-- name: wait_read
-- What earlier runs of a job have recorded. $1 the job, $2 its kind, $3 its queue. A sleep is over
-- when its time is, or something was recorded behind it. left: how many microseconds are left. The
-- row without a type has in left the time in microseconds since 1970, and over says whether this is
-- a log queue.
SELECT r.number, r.type, r.name, r.nth, r.until::text,
    r.closed IS NOT NULL
        OR r.type = 'sleep' AND (
            r.until <= clock_timestamp()
            OR EXISTS (
                SELECT
                FROM howdah_internal.job_record l
                WHERE l.job = $1 AND l.kind = $2 AND l.number > r.number)
            OR EXISTS (
                SELECT
                FROM howdah_internal.job_step s
                WHERE s.job = $1 AND s.kind = $2 AND s.stretch >= r.number)) AS over,
    LEAST(extract(epoch FROM r.until - clock_timestamp()) * 1000000, 9e18)::bigint AS left
FROM howdah_internal.job_record r
WHERE r.job = $1 AND r.kind = $2
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL,
    EXISTS (
        SELECT
        FROM howdah_internal.log_reader r
        JOIN howdah_internal.lane l ON l.id = r.lane
        WHERE l.queue = $3),
    (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;

-- name: wait_slept
-- A sleep that was spent in the thread, or whose time was over when it was asked for, if the node
-- still has the job: a row. $1 the node, $2 the token of the claim, $3 the job, $4 its kind, $5 the
-- number of the record, $6 the name of the sleep, $7 which of this name.
WITH mine AS (
    SELECT b.id
    FROM howdah_internal.batch b
    WHERE b.node = $1 AND b.token = $2 AND b.ended IS NULL AND $3::bigint = ANY (b.ids)
    FOR SHARE
)
INSERT INTO howdah_internal.job_record (job, kind, number, type, name, nth, at, until, closed, node)
SELECT $3::bigint, $4::text, $5::integer, 'sleep', $6::text, $7::integer, clock_timestamp(),
    clock_timestamp(), clock_timestamp(), $1
FROM mine m
RETURNING job;

-- name: wait_delete_old
-- Records of jobs that can not come back. $1 how many days they are kept at least, $2 how many go
-- at most.
WITH gone AS (
    DELETE FROM howdah_internal.job_record s
    WHERE s.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM howdah_internal.job_record o
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
