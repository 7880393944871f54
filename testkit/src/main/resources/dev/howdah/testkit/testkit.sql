-- What tests ask and do.

-- name: test_waiting
-- Jobs that wait, first come first, those included that wait for another one of their key. $1 the
-- queue or NULL, $2 the kind or NULL.
SELECT j.id, l.queue, j.kind, COALESCE(j.payload, b.payload)::text, j.attempt, j.more ->> 'error'
FROM (
    SELECT w.id, w.lane, w.kind, w.payload, w.attempt, w.more, w.priority, w.run_at
    FROM howdah.job w
      UNION ALL
      SELECT o.id, o.lane, o.kind, o.payload, 0, o.more, o.priority, o.run_at
      FROM howdah.ordered o
      UNION ALL
      SELECT f.id, f.lane, f.kind, f.payload, 0, f.more, f.priority, f.run_at
      FROM howdah.follower f) j
JOIN howdah.lane l ON l.id = j.lane LEFT JOIN howdah.body b ON b.job = j.id
WHERE l.queue = COALESCE($1, l.queue) AND j.kind = COALESCE($2, j.kind)
ORDER BY j.priority, j.run_at, j.id;

-- name: test_failed
-- Jobs that have failed. $1 the queue or NULL, $2 the kind or NULL.
SELECT f.id, l.queue, f.kind, COALESCE(f.payload, b.payload)::text, f.attempt,
    split_part(f.error, E'\n', 1)
FROM howdah.failed f
JOIN howdah.lane l ON l.id = f.lane
LEFT JOIN howdah.body b ON b.job = f.id
WHERE l.queue = COALESCE($1, l.queue) AND f.kind = COALESCE($2, f.kind) AND f.state = 'failed'
ORDER BY f.ended, f.id;

-- name: test_advance
-- Time has passed: whatever waits was due that much earlier. $1 microseconds.
WITH ordered AS (
    UPDATE howdah.ordered
    SET run_at = run_at - $1::bigint * interval '1 microsecond'
), followers AS (
    UPDATE howdah.follower
    SET run_at = run_at - $1::bigint * interval '1 microsecond'
)
UPDATE howdah.job SET run_at = run_at - $1::bigint * interval '1 microsecond';

-- name: test_next_due
-- In how many microseconds the next job is due; NULL: none waits. $1 the queue or NULL.
SELECT GREATEST(ceil(extract(epoch FROM min(j.run_at) - clock_timestamp()) * 1000000), 0)::bigint
FROM howdah.job j JOIN howdah.lane l ON l.id = j.lane
WHERE l.queue = COALESCE($1, l.queue) AND l.paused IS NULL;
