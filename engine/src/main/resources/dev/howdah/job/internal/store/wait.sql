-- Waits of handlers: what a run reads and writes. That a job is suspended is written by
-- batch_settle.

-- name: wait_read
-- What earlier runs of a job have recorded. $1 the job, $2 its kind, $3 its queue. A sleep is over
-- when its time is, or something was recorded behind it. left: how many microseconds are left. The
-- row without a type has in left the time in microseconds since 1970, and over says whether this is
-- a log queue.
SELECT r.number, r.type, r.name, r.nth, r.until::text, s.id, s.given, s.payload::text, s.sender,
    s.sent,
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
                WHERE s.job = $1 AND s.kind = $2 AND abs(s.stretch) >= r.number)) AS over,
    LEAST(extract(epoch FROM r.until - clock_timestamp()) * 1000000, 9e18)::bigint AS left
FROM howdah_internal.job_record r
LEFT JOIN howdah_internal.job_signal s ON s.id = r.signal
WHERE r.job = $1 AND r.kind = $2
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    EXISTS (
        SELECT
        FROM howdah_internal.log_reader r
        JOIN howdah_internal.lane l ON l.id = r.lane
        WHERE l.queue = $3),
    (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;

-- name: wait_slept
-- A record that is closed when it is written, such as that of a sleep that was spent in the thread,
-- if the node still has the job: a row. $1 the node, $2 the token of the claim, $3 the job, $4 its
-- kind, $5 the number of the record, $6 its type, $7 its name, $8 which of this name.
WITH mine AS (
    SELECT b.id
    FROM howdah_internal.batch b
    WHERE b.node = $1 AND b.token = $2 AND b.ended IS NULL AND $3::bigint = ANY (b.ids)
    FOR SHARE
)
INSERT INTO howdah_internal.job_record (job, kind, number, type, name, nth, at, until, closed, node)
SELECT $3::bigint, $4::text, $5::integer, $6::text, $7::text, $8::integer, clock_timestamp(),
    clock_timestamp(), clock_timestamp(), $1
FROM mine m
RETURNING job;

-- name: wait_fail
-- The job fails for good because of a record. $1 the node, $2 the token of the claim, $3 the job,
-- $4 its kind, $5 the type of the record, $6 its name, $7 which of this name.
WITH mine AS (
    SELECT b.id
    FROM howdah_internal.batch b
    WHERE b.node = $1 AND b.token = $2 AND b.ended IS NULL AND $3::bigint = ANY (b.ids)
    FOR SHARE
), marked AS (
    UPDATE howdah_internal.job_record r
    SET fatal = true
    FROM mine m
    WHERE r.job = $3
        AND r.kind = $4::text
        AND r.type = $5::text
        AND r.name = $6::text
        AND r.nth = $7::integer
)
SELECT m.id FROM mine m;

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

-- name: signal_take
-- Ends the wait for a signal: with the first one that a wait may read, or because its time is over.
-- No row: the node does not have the job any more. closed is NULL: it has not ended. $1 the node,
-- $2 the token of the claim, $3 the job, $4 its kind, $5 the number of the record if the wait is a
-- new one, $6 the name of the signal, $7 which of this name, $8 whether a new wait ends at once.
WITH mine AS (
    SELECT b.id
    FROM howdah_internal.batch b
    WHERE b.node = $1 AND b.token = $2 AND b.ended IS NULL AND $3::bigint = ANY (b.ids)
    FOR SHARE
), first AS (
    SELECT s.id, s.given, s.once
    FROM howdah_internal.signals_unread($3::bigint) s
    WHERE s.name = $6::text
    ORDER BY s.id
    LIMIT 1
), known AS (
    SELECT r.until
    FROM howdah_internal.job_record r
    WHERE r.job = $3
        AND r.kind = $4::text
        AND r.type = 'signal'
        AND r.name = $6
        AND r.nth = $7::integer
), put AS (
    INSERT INTO howdah_internal.job_record AS r (
        job, kind, number, type, name, nth, at, closed, node, signal)
    SELECT $3, $4, $5::integer, 'signal', $6, $7, clock_timestamp(), clock_timestamp(), $1, f.id
    FROM mine m
    LEFT JOIN first f ON true
    WHERE f.id IS NOT NULL
        OR COALESCE(
            (SELECT k.until FROM known k) <= clock_timestamp(),
            $8::boolean AND NOT EXISTS (SELECT FROM known))
    ON CONFLICT (job, kind, type, name, nth) DO UPDATE
    SET closed = excluded.closed, signal = excluded.signal, fresh = false
    WHERE r.closed IS NULL
    RETURNING r.signal, r.closed
), taken AS (
    UPDATE howdah_internal.job_signal s
    SET read = p.closed, fresh = false
    FROM put p
    CROSS JOIN first f
    WHERE s.job = $3
        AND s.read IS NULL
        AND (s.id = p.signal OR s.given = f.given OR s.once AND s.name = $6)
)
SELECT p.closed, s.id, s.given, s.payload::text, s.sender, s.sent
FROM mine m
LEFT JOIN put p ON true
LEFT JOIN howdah_internal.job_signal s ON s.id = p.signal;

-- name: signal_set_aside
-- The payload of the signal that a wait has read cannot be read: the wait goes on. $1 the node, $2
-- the token of the claim, $3 the job, $4 its kind, $5 the signal, $6 why.
WITH mine AS (
    SELECT b.id
    FROM howdah_internal.batch b
    WHERE b.node = $1 AND b.token = $2 AND b.ended IS NULL AND $3::bigint = ANY (b.ids)
    FOR SHARE
), aside AS (
    UPDATE howdah_internal.job_signal s
    SET read = NULL, problem = $6::text
    FROM mine m
    WHERE s.id = $5::bigint AND s.job = $3
), opened AS (
    UPDATE howdah_internal.job_record r
    SET closed = NULL, signal = NULL
    FROM mine m
    WHERE r.job = $3 AND r.kind = $4::text AND r.signal = $5 AND r.until IS NOT NULL
), unmade AS (
    DELETE FROM howdah_internal.job_record r
    USING mine m
    WHERE r.job = $3 AND r.kind = $4 AND r.signal = $5 AND r.until IS NULL
)
SELECT m.id FROM mine m;

-- name: signal_pair
-- $1 how many marks of either kind at most.
SELECT p.looked, p.woken, p.waiting FROM howdah_internal.pair_signals($1::integer) p;

-- name: signal_list
-- The signals to a job, in the order in which they were sent. $1 the job, $2 how many at most.
SELECT s.id, s.name, s.payload::text, s.given, s.sender, s.sent, s.read, s.problem
FROM (
    -- By their numbers alone the signals to all jobs would be walked over.
    SELECT o.*
    FROM howdah_internal.job_signal o
    WHERE o.job = $1
    OFFSET 0) s
ORDER BY s.id
LIMIT $2::integer;

-- name: signal_send
-- $1 the job, $2 the name, $3 the payload, $4 the id or NULL, $5 whether it counts only once.
SELECT howdah.signal($1::bigint, $2::text, $3::text::json, $4::text, $5::boolean);

-- name: signal_send_by_key
-- $1 the queue, $2 the kind, $3 the key, $4 the name, $5 the payload, $6 the id or NULL, $7 whether
-- it counts only once.
SELECT howdah.signal(
    $1::text, $2::text, $3::text, $4::text, $5::text::json, $6::text, $7::boolean);

-- name: signal_delete_old
-- Signals to jobs that can not come back. $1 how many days they are kept at least, $2 how many go
-- at most.
WITH gone AS (
    DELETE FROM howdah_internal.job_signal s
    WHERE s.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM howdah_internal.job_signal o
        WHERE o.sent < now() - $1::integer * interval '1 day'
            AND NOT EXISTS (SELECT FROM howdah_internal.job j WHERE j.id = o.job)
            AND NOT EXISTS (SELECT FROM howdah_internal.failed f WHERE f.id = o.job)
            AND NOT EXISTS (SELECT FROM howdah_internal.ordered r WHERE r.id = o.job)
            AND NOT EXISTS (SELECT FROM howdah_internal.follower r WHERE r.id = o.job)
            AND NOT EXISTS (SELECT FROM howdah_internal.workflow_job w WHERE w.id = o.job)
            AND NOT EXISTS (
                SELECT
                FROM howdah_internal.batch b
                WHERE b.ended IS NULL AND o.job = ANY (b.ids))
        ORDER BY o.sent
        LIMIT $2
        FOR UPDATE SKIP LOCKED))
    RETURNING 1
)
SELECT count(*) FROM gone;
