-- Adding up ended batches.

-- name: stat_pending
-- Whether there is anything to add up: batches after the mark, those before it that were running,
-- or leases of log queues. Where nothing has run, this is all that is asked.
SELECT EXISTS (
        SELECT
        FROM howdah_internal.stat_mark m
        WHERE m.upto < m.seen OR EXISTS (SELECT FROM howdah_internal.batch b WHERE b.id > m.seen))
    OR EXISTS (SELECT FROM howdah_internal.stat_open)
    OR EXISTS (SELECT FROM howdah_internal.log_done);

-- name: stat_lock
-- One does it at a time; until the end of the transaction. In a statement of its own, before the
-- other ones look.
SELECT pg_try_advisory_xact_lock(1215264876, 1);

-- name: stat_step
-- Adds up the next $1 batches after the mark, and those before it that have ended since; says how
-- many followed the mark, and where tags are counted, how many jobs had which outcome, by tag.
-- Young ones wait: one with a lower number may still be about to commit.
WITH next AS (
    SELECT b.id, b.ended IS NOT NULL AS over
    FROM howdah_internal.batch b
    WHERE b.id > (SELECT m.upto FROM howdah_internal.stat_mark m)
        AND b.id <= (
            SELECT m.seen
            FROM howdah_internal.stat_mark m
            WHERE m.seen_at <= now() - interval '10 s')
    ORDER BY b.id LIMIT $1
), since AS (
    -- From there to the batches, never the other way round: there are millions of these.
    SELECT o.batch AS id FROM howdah_internal.stat_open o
    CROSS JOIN LATERAL (SELECT b.ended FROM howdah_internal.batch b WHERE b.id = o.batch
        LIMIT 1) AS b
    WHERE b.ended IS NOT NULL
), each AS (
    SELECT date_trunc('minute', b.ended) AS minute, COALESCE(l.home, l.id) AS lane,
        COALESCE(b.kind, u.kind) AS kind,
        COALESCE(substr(b.outcomes, u.n::integer, 1), 'd') AS letter, u.run
    FROM (SELECT n.id FROM next n WHERE n.over UNION ALL SELECT s.id FROM since s) AS over
    CROSS JOIN LATERAL (SELECT o.* FROM howdah_internal.batch o WHERE o.id = over.id LIMIT 1) AS b
    JOIN howdah_internal.lane l ON l.id = b.lane
    CROSS JOIN LATERAL unnest(b.ids, b.kinds, b.runs) WITH ORDINALITY AS u (id, kind, run, n)
), added AS (
    INSERT INTO howdah_internal.stat AS s (
        minute, lane, kind, done, retried, failed, cancelled, died, run_micros, run_max_micros)
    SELECT e.minute, e.lane, e.kind, count(*) FILTER (WHERE e.letter IN ('d', 'n')),
        count(*) FILTER (WHERE e.letter = 'r'), count(*) FILTER (WHERE e.letter = 'f'),
        count(*) FILTER (WHERE e.letter = 'c'), count(*) FILTER (WHERE e.letter = 'x'),
        COALESCE(sum(e.run) FILTER (WHERE e.letter IN ('d', 'n')), 0),
        COALESCE(max(e.run) FILTER (WHERE e.letter IN ('d', 'n')), 0)
    FROM each e
    WHERE e.letter IN ('d', 'n', 'r', 'f', 'c', 'x')
    GROUP BY e.minute, e.lane, e.kind
    ON CONFLICT (minute, lane, kind) DO UPDATE SET done = s.done + EXCLUDED.done,
        retried = s.retried + EXCLUDED.retried, failed = s.failed + EXCLUDED.failed,
        cancelled = s.cancelled + EXCLUDED.cancelled, died = s.died + EXCLUDED.died,
        run_micros = s.run_micros + EXCLUDED.run_micros,
        run_max_micros = GREATEST(s.run_max_micros, EXCLUDED.run_max_micros)
), opened AS (
    INSERT INTO howdah_internal.stat_open (batch)
    SELECT n.id
    FROM next n
    WHERE NOT n.over
    ON CONFLICT (batch) DO NOTHING
), closed AS (
    DELETE FROM howdah_internal.stat_open o WHERE o.batch IN (SELECT s.id FROM since s)
), marked AS (
    UPDATE howdah_internal.stat_mark m
    SET upto = (SELECT max(n.id) FROM next n)
    WHERE EXISTS (SELECT FROM next n)
)
SELECT count(*),
    howdah_internal.add_up_waits(ARRAY(
        SELECT n.id FROM next n WHERE n.over UNION ALL SELECT s.id FROM since s))::text,
    CASE WHEN EXISTS (SELECT FROM howdah_internal.counted_tag)
        THEN howdah_internal.add_up_tags(ARRAY(
        SELECT n.id FROM next n WHERE n.over UNION ALL SELECT s.id FROM since s)) END::text
FROM next;

-- name: stat_add_logs
-- Adds up what :most leases of log queues have come to; how many there were.
WITH gone AS (
    DELETE FROM howdah_internal.log_done d
    WHERE d.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM howdah_internal.log_done o
        ORDER BY o.id
        LIMIT :most))
    RETURNING d.*
), added AS (
    INSERT INTO howdah_internal.stat AS s (
        minute, lane, kind, done, retried, failed, cancelled, died, run_micros, run_max_micros)
    SELECT date_trunc('minute', g.at), g.lane, g.kind, sum(g.done), 0, 0, 0, 0, sum(g.run_micros),
        max(g.run_max_micros)
    FROM gone g
    GROUP BY date_trunc('minute', g.at), g.lane, g.kind
    ON CONFLICT (minute, lane, kind) DO UPDATE SET done = s.done + EXCLUDED.done,
        run_micros = s.run_micros + EXCLUDED.run_micros,
        run_max_micros = GREATEST(s.run_max_micros, EXCLUDED.run_max_micros)
)
SELECT count(*) FROM gone;

-- name: stat_look
-- All batches that were seen are added up: these are to be next.
UPDATE howdah_internal.stat_mark m
SET upto = m.seen, seen = GREATEST(m.seen, (SELECT max(b.id) FROM howdah_internal.batch b)),
    seen_at = now()
WHERE m.seen_at <= now() - interval '10 s';

-- name: stat_fold
-- Minutes that are older than two days become hours, up to :most of them; hours older than 400 days
-- go.
WITH gone AS (
    DELETE FROM howdah_internal.stat s WHERE s.ctid = ANY (ARRAY(
        SELECT o.ctid FROM howdah_internal.stat o
        WHERE o.minute < date_trunc('hour', now() - interval '2 days', 'UTC')
            AND o.minute <> date_trunc('hour', o.minute, 'UTC')
        ORDER BY o.minute LIMIT :most))
    RETURNING s.*
), old AS (
    DELETE FROM howdah_internal.stat s WHERE s.minute < now() - interval '400 days'
)
INSERT INTO howdah_internal.stat AS s (
    minute, lane, kind, done, retried, failed, cancelled, died, run_micros, run_max_micros)
SELECT date_trunc('hour', g.minute, 'UTC'), g.lane, g.kind, sum(g.done), sum(g.retried),
    sum(g.failed),
    sum(g.cancelled), sum(g.died), sum(g.run_micros), max(g.run_max_micros)
FROM gone g GROUP BY date_trunc('hour', g.minute, 'UTC'), g.lane, g.kind
ON CONFLICT (minute, lane, kind) DO UPDATE SET done = s.done + EXCLUDED.done,
    retried = s.retried + EXCLUDED.retried, failed = s.failed + EXCLUDED.failed,
    cancelled = s.cancelled + EXCLUDED.cancelled, died = s.died + EXCLUDED.died,
    run_micros = s.run_micros + EXCLUDED.run_micros,
    run_max_micros = GREATEST(s.run_max_micros, EXCLUDED.run_max_micros);

-- name: stat_fold_tags
-- The same by tag.
WITH gone AS (
    DELETE FROM howdah_internal.tag_stat s WHERE s.ctid = ANY (ARRAY(
        SELECT o.ctid FROM howdah_internal.tag_stat o
        WHERE o.minute < date_trunc('hour', now() - interval '2 days', 'UTC')
            AND o.minute <> date_trunc('hour', o.minute, 'UTC')
        ORDER BY o.minute LIMIT :most))
    RETURNING s.*
), old AS (
    DELETE FROM howdah_internal.tag_stat s WHERE s.minute < now() - interval '400 days'
)
INSERT INTO howdah_internal.tag_stat AS s (
    minute, tag, done, retried, failed, cancelled, died, run_micros, run_max_micros)
SELECT date_trunc('hour', g.minute, 'UTC'), g.tag, sum(g.done), sum(g.retried), sum(g.failed),
    sum(g.cancelled), sum(g.died), sum(g.run_micros), max(g.run_max_micros)
FROM gone g GROUP BY date_trunc('hour', g.minute, 'UTC'), g.tag
ON CONFLICT (minute, tag) DO UPDATE SET done = s.done + EXCLUDED.done,
    retried = s.retried + EXCLUDED.retried, failed = s.failed + EXCLUDED.failed,
    cancelled = s.cancelled + EXCLUDED.cancelled, died = s.died + EXCLUDED.died,
    run_micros = s.run_micros + EXCLUDED.run_micros,
    run_max_micros = GREATEST(s.run_max_micros, EXCLUDED.run_max_micros);

-- name: stat_fold_waits
-- The same of how long jobs waited.
WITH gone AS (
    DELETE FROM howdah_internal.stat_wait s WHERE s.ctid = ANY (ARRAY(
        SELECT o.ctid FROM howdah_internal.stat_wait o
        -- Those that no node was there for stay minutes.
        WHERE o.minute > now() - interval '9 days'
            AND o.minute < date_trunc('hour', now() - interval '2 days', 'UTC')
            AND o.minute <> date_trunc('hour', o.minute, 'UTC')
        ORDER BY o.minute LIMIT :most))
    RETURNING s.*
), old AS (
    DELETE FROM howdah_internal.stat_wait s WHERE s.minute < now() - interval '400 days'
)
INSERT INTO howdah_internal.stat_wait AS s (lane, kind, minute, waits)
SELECT h.lane, h.kind, h.hour, array_agg(h.jobs ORDER BY h.number)
FROM (
    SELECT g.lane, g.kind, date_trunc('hour', g.minute, 'UTC') AS hour, u.number,
        sum(u.jobs) AS jobs
    FROM gone g
    CROSS JOIN LATERAL unnest(g.waits) WITH ORDINALITY AS u (jobs, number)
    GROUP BY g.lane, g.kind, date_trunc('hour', g.minute, 'UTC'), u.number) h
GROUP BY h.lane, h.kind, h.hour
ON CONFLICT (lane, kind, minute)
DO UPDATE SET waits = howdah_internal.wait_sums(s.waits, EXCLUDED.waits);

-- name: stat_sample(most, lines)
-- Writes down how many jobs there are, once in a minute; in how many milliseconds to come again.
-- :most how many are counted at most, :lines how many lanes and kinds are written.
SELECT howdah_internal.sample_backlog(:most::bigint, :lines::integer);

-- name: stat_add_errors(most)
-- Adds up the errors of the next :most jobs that have failed; how many these were.
SELECT howdah_internal.add_up_errors(:most::integer);

-- name: tag_count(tag, most)
-- :tag the tag or pattern, :most how many different ones at most.
SELECT howdah.count_tag(:tag::text, :most::integer)::text;

-- name: tag_uncount
-- :tag the tag or pattern.
SELECT howdah.uncount_tag(:tag::text);

-- name: tag_list
SELECT c.pattern, c.most FROM howdah_internal.counted_tag c ORDER BY c.pattern;

-- name: stat_depth
-- How many jobs of each queue are due, and for how many seconds the first of them. :most how many
-- are counted at most for each priority of a lane, and for the groups of a lane, of which those are
-- looked at that a claim has heard of.
WITH levels AS (
    SELECT DISTINCT p.lane, p.priority FROM howdah_internal.lane_priority p
), depths AS (
    SELECT p.lane, w.jobs, o.run_at
    FROM levels p
    CROSS JOIN LATERAL (SELECT count(*) AS jobs
                        FROM (
                            SELECT
                            FROM howdah_internal.job j
                            WHERE j.lane = p.lane AND j.priority = p.priority AND j.run_at <= now()
                            ORDER BY j.run_at
                            LIMIT :most) d) AS w
    LEFT JOIN LATERAL (
        SELECT j.run_at
        FROM howdah_internal.job j
        WHERE j.lane = p.lane AND j.priority = p.priority AND j.run_at <= now()
        ORDER BY j.run_at LIMIT 1) AS o ON true
    UNION ALL
    SELECT h.lane, w.jobs, w.run_at
    FROM (SELECT DISTINCT v.lane FROM levels v) AS h
    CROSS JOIN LATERAL (
        SELECT count(*) AS jobs, min(d.run_at) AS run_at
        FROM (
            SELECT n.run_at
            FROM (
                SELECT o.lane
                FROM howdah_internal.group_state o
                WHERE o.home = h.lane AND o.due AND o.lane < 0
                ORDER BY o.pass
                LIMIT :most) AS g
            CROSS JOIN LATERAL (SELECT v.priority FROM levels v WHERE v.lane = h.lane) AS p
            CROSS JOIN LATERAL (
                SELECT j.run_at
                FROM howdah_internal.job j
                WHERE j.lane = g.lane AND j.priority = p.priority AND j.run_at <= now()
                ORDER BY j.run_at
                LIMIT :most) AS n
            LIMIT :most) AS d) AS w
    UNION ALL
    SELECT r.lane, b.jobs, b.oldest
    FROM howdah_internal.log_reader r
    CROSS JOIN LATERAL howdah_internal.log_behind(r.lane, :most::integer) AS b
)
SELECT l.queue, LEAST(sum(d.jobs), :most)::bigint,
    COALESCE(max(extract(epoch FROM now() - d.run_at)), 0)::float8
FROM depths d
JOIN howdah_internal.lane l ON l.id = d.lane
GROUP BY l.queue;

-- name: stat_unread(most)
-- How many signals no wait has read, and how many one has set aside, :most together at most.
SELECT count(*) FILTER (WHERE u.problem IS NULL), count(u.problem)
FROM (
    SELECT s.problem
    FROM howdah_internal.job_signal s
    WHERE s.read IS NULL
    LIMIT :most) u;

-- name: stat_suspended
-- How many jobs of each queue and kind are suspended, and for what type of wait. :most how many
-- jobs that are not due are looked at, at most, for each priority of a lane. Where nothing has
-- waited, this reads nothing.
WITH levels AS (
    SELECT DISTINCT p.lane, p.priority
    FROM howdah_internal.lane_priority p
    WHERE EXISTS (SELECT FROM howdah_internal.job_record)
)
SELECT l.queue, w.kind, w.type, sum(w.jobs)::bigint
FROM levels p
CROSS JOIN LATERAL (
    SELECT d.kind, d.more -> 'wait' ->> 'type' AS type, count(*) AS jobs
    FROM (
        SELECT j.kind, j.more
        FROM howdah_internal.job j
        WHERE j.lane = p.lane AND j.priority = p.priority AND j.run_at > now()
        ORDER BY j.run_at
        LIMIT :most) d
    WHERE d.more -> 'wait' IS NOT NULL
    GROUP BY d.kind, d.more -> 'wait' ->> 'type') w
JOIN howdah_internal.lane l ON l.id = p.lane
GROUP BY l.queue, w.kind, w.type;
