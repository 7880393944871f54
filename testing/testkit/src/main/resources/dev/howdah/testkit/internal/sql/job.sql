-- What tests ask and do.

-- name: test_waiting(queue, kind)
-- Jobs that wait, first come first, those included that wait for another one of their key, and
-- those not whose handlers wait. :queue
-- the queue or NULL, :kind the kind or NULL.
SELECT j.id, l.queue, j.kind, COALESCE(j.payload, b.payload)::text, j.attempt, j.more ->> 'error'
FROM (
    SELECT w.id, w.lane, w.kind, w.payload, w.attempt, w.more, w.priority, w.run_at
    FROM howdah_internal.job w
    WHERE w.more -> 'wait' IS NULL OR w.run_at <= now()
      UNION ALL
      SELECT o.id, o.lane, o.kind, o.payload, 0, o.more, o.priority, o.run_at
      FROM howdah_internal.ordered o
      UNION ALL
      SELECT f.id, f.lane, f.kind, f.payload, 0, f.more, f.priority, f.run_at
      FROM howdah_internal.follower f
      UNION ALL
      -- Entries that a reader of a log queue has not read: 2^44 times its number is in their ids.
      SELECT r.number * 17592186044416 + e.id, r.lane, e.kind, e.payload, 0, e.more, 0, e.at
      FROM howdah_internal.log_reader r
      JOIN howdah_internal.log_segment s ON s.lane = r.log
      JOIN howdah_internal.log_entry e
          ON howdah_internal.log_segment_name(s.lane, s.number) = (
              SELECT c.relname FROM pg_class c WHERE c.oid = e.tableoid)
      CROSS JOIN LATERAL (
          SELECT l.at_segment, l.at_id, l.at_seen
          FROM howdah_internal.log_lease l
          WHERE l.reader = r.lane
          ORDER BY l.n DESC
          LIMIT 1) p
      WHERE p.at_segment < s.number
          OR p.at_segment = s.number
          AND (p.at_id < e.id OR NOT txid_visible_in_snapshot(e.xid, p.at_seen))) j
JOIN howdah_internal.lane l ON l.id = j.lane LEFT JOIN howdah_internal.body b ON b.job = j.id
WHERE l.queue = COALESCE(:queue, l.queue) AND j.kind = COALESCE(:kind, j.kind)
ORDER BY j.priority, j.run_at, j.id;

-- name: test_suspended(kind, name)
-- Jobs whose handlers wait, and what for. :kind the kind or NULL, :name the name of the wait or
-- NULL.
SELECT j.id, l.queue, j.kind, COALESCE(j.payload, b.payload)::text, j.attempt, NULL
FROM howdah_internal.job j
JOIN howdah_internal.lane l ON l.id = j.lane
LEFT JOIN howdah_internal.body b ON b.job = j.id
WHERE j.run_at > now()
    AND j.more -> 'wait' IS NOT NULL
    AND (:kind::text IS NULL OR j.kind = :kind::text)
    AND (:name::text IS NULL OR j.more -> 'wait' ->> 'name' = :name::text)
ORDER BY j.run_at, j.id;

-- name: test_failed(queue, kind)
-- Jobs that have failed. :queue the queue or NULL, :kind the kind or NULL.
SELECT f.id, l.queue, f.kind, COALESCE(f.payload, b.payload)::text, f.attempt,
    split_part(f.error, E'\n', 1)
FROM howdah_internal.failed f
JOIN howdah_internal.lane l ON l.id = f.lane
LEFT JOIN howdah_internal.body b ON b.job = f.id
WHERE l.queue = COALESCE(:queue, l.queue) AND f.kind = COALESCE(:kind, f.kind)
    AND f.state = 'failed'
ORDER BY f.ended, f.id;

-- name: test_advance
-- Time has passed: whatever waits was due that much earlier, schedules began then, and windows and
-- rates are used up since then. :micros microseconds.
WITH ordered AS (
    UPDATE howdah_internal.ordered
    SET run_at = run_at - :micros::bigint * interval '1 microsecond'
), followers AS (
    UPDATE howdah_internal.follower
    SET run_at = run_at - :micros::bigint * interval '1 microsecond'
), keys AS (
    UPDATE howdah_internal.key
    SET until = until - :micros::bigint * interval '1 microsecond'
    WHERE until IS NOT NULL
), rates AS (
    UPDATE howdah_internal.rate_use
    SET moments = ARRAY(SELECT m - :micros::bigint / 1000000.0 FROM unnest(moments) AS m),
        spread = spread - :micros::bigint / 1000000.0,
        until = until - :micros::bigint * interval '1 microsecond'
), schedules AS (
    UPDATE howdah.schedule
    SET starts_at = starts_at - :micros::bigint * interval '1 microsecond'
), waits AS (
    UPDATE howdah_internal.job_record
    SET until = until - :micros::bigint * interval '1 microsecond'
    WHERE closed IS NULL
), events AS (
    UPDATE howdah_internal.job_event
    SET until = until - :micros::bigint * interval '1 microsecond'
), tokens AS (
    UPDATE howdah_internal.job_token
    SET until = until - :micros::bigint * interval '1 microsecond'
)
UPDATE howdah_internal.job SET run_at = run_at - :micros::bigint * interval '1 microsecond';

-- name: test_schedules
SELECT s.name, s.next_at::text FROM howdah.schedule s WHERE s.next_at IS NOT NULL;

-- name: test_advance_schedules(schedules, times, micros)
-- A schedule that is changed has no next time any more: it gets back the one that it had. :times
-- their next times, :micros microseconds.
UPDATE howdah.schedule s
SET next_at = a.next_at::timestamptz - :micros::bigint * interval '1 microsecond'
FROM unnest(:schedules::text[], :times::text[]) AS a (name, next_at)
WHERE s.name = a.name;

-- name: test_now
-- The database's time in microseconds.
SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;

-- name: test_next_due(after, schedules)
-- In how many microseconds the next job is due that was not due at that time, or the next schedule
-- is; NULL: neither. :after the time in microseconds, :schedules whether schedules count, and ends
-- of waits for signals.
SELECT ceil(extract(epoch FROM min(d.due) - clock_timestamp()) * 1000000)::bigint
FROM (
    SELECT min(j.run_at) AS due
    FROM howdah_internal.job j
    JOIN howdah_internal.lane l ON l.id = j.lane
    WHERE l.paused IS NULL
        AND (
            :schedules::boolean
            OR COALESCE(j.more -> 'wait' ->> 'type', 'sleep') = 'sleep')
        AND (extract(epoch FROM j.run_at) * 1000000)::bigint > :after::bigint
      UNION ALL
      SELECT min(s.next_at)
      FROM howdah.schedule s
      WHERE :schedules::boolean AND s.paused IS NULL AND s.error IS NULL) AS d;
