-- Schedules, as nodes keep them.

-- name: schedule_patience
-- A node that is frozen in the middle does not hold up the schedules.
SELECT set_config('idle_in_transaction_session_timeout', '10s', true);

-- name: schedule_due
-- The schedules whose time has come, and those that are new, each for this transaction alone: a job
-- is added by the node that moves the schedule past its time. :most how many of either sort: in one
-- condition they would be looked for among all there are. What the last job does is asked only
-- where it matters, as single values, since for an EXISTS the planner could read all of
-- howdah_internal.job, and in the order of ids, which only the primary key has: job_ready would be
-- read as a whole.
SELECT s.name, s.queue, s.kind, s.priority, s.payload::text, s.cron,
    (extract(epoch FROM s.period) OPERATOR(pg_catalog.*) 1000000)::bigint AS micros, s.zone,
    s.missed, s.starts_at, s.next_at, s.overlap, s.last_job,
    (extract(epoch FROM s.jitter) OPERATOR(pg_catalog.*) 1000000)::bigint AS jitter,
    (extract(epoch FROM s.catch_up) OPERATOR(pg_catalog.*) 1000000)::bigint AS catch_up,
    s.key, s.calendar, s.on_holiday, s.skipped_hour, s.doubled_hour, s.options::text,
    CASE WHEN s.calendar IS NOT NULL
        THEN array_to_string(howdah_internal.holidays(s.calendar, COALESCE(s.next_at, now())), ',')
    END AS holidays,
    now() AS now,
    CASE
        WHEN s.overlap = 'allow' THEN NULL
        WHEN COALESCE(
            (
                SELECT j.id
                FROM howdah_internal.job j
                WHERE j.id BETWEEN s.last_job AND s.last_job
                ORDER BY j.id
                LIMIT 1),
            (
                SELECT o.id
                FROM howdah_internal.ordered o
                WHERE o.id BETWEEN s.last_job AND s.last_job
                ORDER BY o.id
                LIMIT 1)) IS NOT NULL THEN 'waits'
        WHEN (
            SELECT b.jobs FROM howdah_internal.batch b
            WHERE b.ended IS NULL
                AND b.first_id <= s.last_job
                AND b.last_id >= s.last_job
                AND s.last_job = ANY (b.ids)
            LIMIT 1) IS NOT NULL THEN 'runs'
    END AS last_job_does
FROM howdah.schedule s
WHERE NOT /*paused:*/false/*:paused*/ AND s.ctid = ANY (
    ARRAY(
        SELECT n.ctid
        FROM howdah.schedule n
        WHERE n.paused IS NULL AND n.error IS NULL AND n.next_at IS NULL
          LIMIT :most FOR UPDATE SKIP LOCKED)
    || ARRAY(
        SELECT d.ctid
        FROM howdah.schedule d
        WHERE d.paused IS NULL AND d.error IS NULL AND d.next_at <= now()
             ORDER BY d.next_at LIMIT :most FOR UPDATE SKIP LOCKED))
ORDER BY s.next_at NULLS FIRST;

-- name: schedule_move(schedules, times, last, errors, jobs, skipped)
-- :times their next times, :last the last times for which something was added or NULL, :errors what
-- is wrong or NULL, :jobs the last jobs that were added or NULL, :skipped how many times were
-- skipped.
UPDATE howdah.schedule s
SET next_at = m.next_at::timestamptz, last_at = COALESCE(m.last_at::timestamptz, s.last_at),
    error = m.error, last_job = COALESCE(m.last_job, s.last_job),
    skipped = s.skipped OPERATOR(pg_catalog.+) m.skipped
FROM unnest(:schedules::text[], :times::text[], :last::text[], :errors::text[], :jobs::bigint[],
    :skipped::bigint[])
    AS m (name, next_at, last_at, error, last_job, skipped)
WHERE s.name = m.name;

-- name: schedule_after_clock
-- The schedules for which something was added at a time that has not come: the clock of the server
-- was ahead, and was set back. Their next times are found anew, from now on.
UPDATE howdah.schedule s
SET next_at = NULL, last_at = NULL
WHERE s.last_at > now() + interval '1 minute'
RETURNING s.name;

-- name: schedule_cancel
-- :jobs the last jobs of schedules whose next job takes their place.
SELECT count(howdah.cancel(c.job)) FROM unnest(:jobs::bigint[]) AS c (job);

-- name: schedule_next
-- In how many milliseconds something is to be done; NULL: never.
SELECT CASE WHEN n.next_at IS NULL THEN 0
    ELSE GREATEST(ceil(extract(epoch FROM n.next_at - clock_timestamp()) * 1000), 0) END::bigint
FROM (SELECT s.next_at FROM howdah.schedule s WHERE s.paused IS NULL AND s.error IS NULL
      ORDER BY s.next_at NULLS FIRST LIMIT 1) AS n;

-- name: schedule_put
-- The class Schedules says what each parameter is; times are in microseconds.
SELECT howdah.schedule(
    :name, :queue, :kind, :payload::json, :cron,
    :period::bigint OPERATOR(pg_catalog.*) interval '1 microsecond', :zone, :missed,
    :priority::integer, :begins::timestamptz, :overlap,
    :jitter::bigint OPERATOR(pg_catalog.*) interval '1 microsecond',
    :catch_up::bigint OPERATOR(pg_catalog.*) interval '1 microsecond', :key::text,
    :calendar::text, :on_holiday::text, :skipped_hour::text, :doubled_hour::text,
    :options::text::jsonb)::text IS NOT NULL;

-- name: schedule_remove
-- :schedule the name.
SELECT howdah.unschedule(:schedule);

-- name: schedule_pause
-- :schedule the name. Whether it went on until now; no other pauses or resumes it in between.
WITH found AS MATERIALIZED (
    SELECT s.paused
    FROM howdah.schedule s
    WHERE s.name = :schedule
    FOR UPDATE
)
SELECT COALESCE((
    SELECT CASE WHEN f.paused IS NULL THEN howdah.pause_schedule(:schedule) ELSE false END
    FROM found f), false);

-- name: schedule_resume
-- :schedule the name. Whether it was paused until now.
WITH found AS MATERIALIZED (
    SELECT s.paused
    FROM howdah.schedule s
    WHERE s.name = :schedule
    FOR UPDATE
)
SELECT COALESCE((
    SELECT CASE WHEN f.paused IS NULL THEN false ELSE howdah.resume_schedule(:schedule) END
    FROM found f), false);

-- name: schedule_run
-- :schedule the name.
SELECT howdah.run_schedule(:schedule);

-- name: schedule_list
-- :schedule the name; NULL: all.
SELECT s.name, s.queue, s.kind, s.priority, s.payload::text, s.cron,
    (extract(epoch FROM s.period) OPERATOR(pg_catalog.*) 1000000)::bigint AS micros, s.zone,
    s.missed, s.starts_at, s.next_at, s.overlap, s.last_job,
    (extract(epoch FROM s.jitter) OPERATOR(pg_catalog.*) 1000000)::bigint AS jitter,
    (extract(epoch FROM s.catch_up) OPERATOR(pg_catalog.*) 1000000)::bigint AS catch_up,
    s.key, s.calendar, s.on_holiday, s.skipped_hour, s.doubled_hour, s.options::text,
    CASE WHEN s.calendar IS NOT NULL
        THEN array_to_string(howdah_internal.holidays(s.calendar, now()), ',')
    END AS holidays,
    s.skipped, s.last_at, s.paused, s.error
FROM howdah.schedule s
WHERE :schedule::text IS NULL OR s.name = :schedule::text
ORDER BY s.name;

-- name: schedule_jobs(schedule, times, claims)
-- Jobs that were due at times of a schedule: of each time those that wait, by their index, those of
-- the first claims after it, whose ids are their time, and the first that were cancelled after it.
-- A job can be due later by the jitter, and by a rounded millisecond. :claims how many claims of
-- each.
WITH of_schedule AS MATERIALIZED (
    SELECT s.kind, s.priority, s.options ->> 'group' AS group_name,
        s.jitter OPERATOR(pg_catalog.+) interval '2 ms' AS late,
        ARRAY(
            SELECT l.id
            FROM howdah_internal.lane l
            WHERE l.home IS NULL
                AND l.queue = s.queue
                AND COALESCE(l.kind, '') IN ('', s.kind)) AS homes
    FROM howdah.schedule s
    WHERE s.name = :schedule
), with_lanes AS MATERIALIZED (
    SELECT o.kind, o.priority, o.late,
        o.homes || ARRAY(
            SELECT g.id
            FROM unnest(o.homes) AS h (id)
            CROSS JOIN LATERAL (
                SELECT n.id
                FROM howdah_internal.lane n
                WHERE n.home = h.id AND n.group_name = o.group_name
                LIMIT 10) g) AS lanes
    FROM of_schedule o
)
SELECT DISTINCT f.id
FROM with_lanes o
CROSS JOIN LATERAL (
    SELECT t.at, t.at - interval '2 ms' AS least, t.at + o.late AS most,
        ((extract(epoch FROM t.at) - 1) * 1000000)::bigint AS batch
    FROM unnest(:times::text[]::timestamptz[]) AS t (at)
    OFFSET 0) w
CROSS JOIN LATERAL (
    SELECT j.id
    FROM unnest(o.lanes) AS l (id)
    CROSS JOIN LATERAL (
        SELECT n.id, n.kind
        FROM howdah_internal.job n
        WHERE n.lane = l.id
            AND n.priority = o.priority
            AND n.run_at >= w.least
            AND n.run_at <= w.most
        ORDER BY n.run_at
        LIMIT 20) j
    WHERE j.kind = o.kind
    UNION ALL
    SELECT u.id
    FROM (
        SELECT b.lane, b.ids, b.run_at, b.run_offsets, b.kinds, b.kind
        FROM howdah_internal.batch b
        WHERE b.id >= w.batch AND b.day >= w.at::date - 1
        ORDER BY b.id
        LIMIT :claims) c
    CROSS JOIN LATERAL unnest(c.ids, c.run_offsets, c.kinds) AS u (id, run_offset, kind)
    WHERE c.lane = ANY (o.lanes)
        AND c.run_at <= w.most
        AND (c.kind IS NULL OR c.kind = o.kind)
        AND COALESCE(c.kind, u.kind) = o.kind
        AND c.run_at + COALESCE(u.run_offset, 0) * interval '1 ms' BETWEEN w.least AND w.most
    UNION ALL
    SELECT d.id
    FROM unnest(o.lanes) AS l (id)
    CROSS JOIN LATERAL (
        SELECT x.id, x.kind, x.run_at
        FROM howdah_internal.failed x
        WHERE x.lane = l.id AND x.state = 'cancelled' AND x.ended >= w.least
        ORDER BY x.ended
        LIMIT 20) d
    WHERE d.kind = o.kind AND d.run_at BETWEEN w.least AND w.most) f;

-- name: schedule_add_keyed
-- The job of a schedule with a key. $1 the queue, $2 the kind, $3 the payload, $4 the priority, $5
-- when it is due, $6 the key, $7 the options.
SELECT a.id, a.added, a.problem
FROM howdah_internal.add_scheduled(
    $1::text, $2::text, $3::text::json, $4::integer, $5::timestamptz, $6::text, $7::text::jsonb) a;

-- name: holiday_add(calendar, days)
SELECT howdah.add_holidays(:calendar::text, :days::text[]::date[]);

-- name: holiday_remove(calendar, days)
-- or NULL for all.
SELECT howdah.remove_holidays(:calendar::text, :days::text[]::date[]);

-- name: holiday_calendars
SELECT h.calendar, count(*) AS days FROM howdah.holiday h GROUP BY h.calendar ORDER BY h.calendar;

-- name: holiday_list
SELECT h.day::text FROM howdah.holiday h WHERE h.calendar = :calendar::text ORDER BY h.day;
