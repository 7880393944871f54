-- What tests ask and do.

-- name: waiting
-- Jobs that wait, first come first. $1 the queue or NULL, $2 the kind or NULL.
SELECT j.id, l.queue, j.kind, COALESCE(j.payload, b.payload)::text, j.attempt, j.more ->> 'error'
FROM howdah.job j JOIN howdah.lane l ON l.id = j.lane LEFT JOIN howdah.body b ON b.job = j.id
WHERE l.queue = COALESCE($1, l.queue) AND j.kind = COALESCE($2, j.kind)
ORDER BY j.priority, j.run_at, j.id;

-- name: failed
-- Jobs that have failed. $1 the queue or NULL, $2 the kind or NULL.
SELECT f.id, l.queue, f.kind, COALESCE(f.payload, b.payload)::text, f.attempt, f.error
FROM howdah.failed f JOIN howdah.lane l ON l.id = f.lane LEFT JOIN howdah.body b ON b.job = f.id
WHERE l.queue = COALESCE($1, l.queue) AND f.kind = COALESCE($2, f.kind) AND f.state = 'failed'
ORDER BY f.ended, f.id;

-- name: advance
-- Time has passed: whatever waits was due that much earlier. $1 microseconds.
UPDATE howdah.job SET run_at = run_at - $1::bigint * interval '1 microsecond';

-- name: next_due
-- In how many microseconds the next job is due; NULL: none waits. $1 the queue or NULL.
SELECT GREATEST(ceil(extract(epoch FROM min(j.run_at) - clock_timestamp()) * 1000000), 0)::bigint
FROM howdah.job j JOIN howdah.lane l ON l.id = j.lane
WHERE l.queue = COALESCE($1, l.queue) AND l.paused IS NULL;
