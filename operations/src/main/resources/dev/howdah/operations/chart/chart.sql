-- What charts show: numbers over time, in steps. Each reads rows of the statistics, which are a few
-- for each minute or hour.

-- name: stat_throughput(step, seconds, queue, kind)
-- Jobs that ended by minute or longer, :step seconds together, in the last :seconds seconds; of
-- :queue and :kind, or NULL for all. What is not added up yet is read batch by batch, 20,000 of
-- them at most, which the view howdah_internal.stat_parts does not bound.
WITH lanes AS MATERIALIZED (
    SELECT l.id FROM howdah_internal.lane l WHERE l.queue = :queue::text
), recent AS (
    (
        SELECT b.*
        FROM howdah_internal.batch b
        WHERE b.id > (SELECT m.upto FROM howdah_internal.stat_mark m)
            AND b.id < 9223372036854775807
            AND b.ended IS NOT NULL
        ORDER BY b.id DESC
        LIMIT 20000)
    UNION ALL
    SELECT b.*
    FROM howdah_internal.stat_open o
    CROSS JOIN LATERAL (SELECT n.* FROM howdah_internal.batch n WHERE n.id = o.batch LIMIT 1) b
    WHERE b.ended IS NOT NULL
), parts AS (
    SELECT date_trunc('minute', r.ended) AS minute,
        COALESCE(substr(r.outcomes, u.n::integer, 1), 'd') AS letter, u.run
    FROM recent r
    CROSS JOIN LATERAL unnest(r.ids, r.runs, r.kinds) WITH ORDINALITY AS u (id, run, kind, n)
    WHERE (:queue::text IS NULL OR r.lane IN (SELECT l.id FROM lanes l))
        AND (:kind::text IS NULL OR COALESCE(r.kind, u.kind) = :kind)
)
SELECT to_timestamp(floor(extract(epoch FROM m.minute) / :step) * :step) AS time,
    sum(m.done)::bigint AS done, sum(m.retried)::bigint AS retried, sum(m.failed)::bigint AS failed,
    sum(m.run_micros)::bigint AS run_micros, max(m.run_max_micros) AS run_max_micros
FROM (
    -- First by minute: arithmetic with each row of a week would take longer than reading them.
    SELECT s.minute, sum(s.done) AS done, sum(s.retried + s.died) AS retried,
        sum(s.failed) AS failed, sum(s.run_micros) AS run_micros,
        max(s.run_max_micros) AS run_max_micros
    FROM howdah_internal.stat s
    WHERE s.minute >= now() - :seconds * interval '1 second'
        AND (:queue::text IS NULL OR s.lane IN (SELECT l.id FROM lanes l))
        AND (:kind::text IS NULL OR s.kind = :kind)
    GROUP BY s.minute
    UNION ALL
    SELECT date_trunc('minute', d.at), sum(d.done), 0, 0, sum(d.run_micros), max(d.run_max_micros)
    FROM howdah_internal.log_done d
    WHERE d.at >= now() - :seconds * interval '1 second'
        AND (:queue::text IS NULL OR d.lane IN (SELECT l.id FROM lanes l))
        AND (:kind::text IS NULL OR d.kind = :kind)
    GROUP BY date_trunc('minute', d.at)
    UNION ALL
    SELECT p.minute, count(*) FILTER (WHERE p.letter IN ('d', 'n')),
        count(*) FILTER (WHERE p.letter IN ('r', 'x')), count(*) FILTER (WHERE p.letter = 'f'),
        COALESCE(sum(p.run) FILTER (WHERE p.letter IN ('d', 'n')), 0),
        COALESCE(max(p.run) FILTER (WHERE p.letter IN ('d', 'n')), 0)
    FROM parts p
    WHERE p.minute >= now() - :seconds * interval '1 second'
        AND p.letter IN ('d', 'n', 'r', 'x', 'f')
    GROUP BY p.minute) m
GROUP BY 1
ORDER BY 1;

-- name: stat_throughput_of_tag(step, seconds, tag)
-- The same of the jobs with a tag that is counted.
SELECT to_timestamp(floor(extract(epoch FROM s.minute) / :step) * :step) AS time,
    sum(s.done)::bigint AS done, sum(s.retried + s.died)::bigint AS retried,
    sum(s.failed)::bigint AS failed, sum(s.run_micros)::bigint AS run_micros,
    max(s.run_max_micros) AS run_max_micros
FROM howdah_internal.tag_stat s
WHERE s.minute >= now() - :seconds * interval '1 second' AND s.tag = :tag
GROUP BY 1
ORDER BY 1;

-- name: stat_backlog(step, first, queue, kind)
-- How many jobs there were at the end of each step of :step seconds from :first on, or at the last
-- look in it, and whether that was at its end; of :queue and :kind, or NULL for all. The first row
-- is of the beginning of the first step.
WITH looks AS MATERIALIZED (
    SELECT a.*
    FROM howdah_internal.backlog a
    WHERE a.lane = 0 AND a.kind = '' AND a.at >= to_timestamp(:first::bigint)
), parts AS MATERIALIZED (
    SELECT b.at, sum(b.due) AS due, sum(b.later) AS later, sum(b.running) AS running,
        min(b.oldest) AS oldest, bool_and(b.is_all) AS is_all
    FROM howdah_internal.lane l
    CROSS JOIN LATERAL (
        SELECT o.*
        FROM howdah_internal.backlog o
        WHERE o.lane = l.id AND o.kind = COALESCE(:kind::text, '')
            AND o.at >= to_timestamp(:first::bigint)) b
    WHERE COALESCE(:queue::text, :kind::text) IS NOT NULL
        AND l.home IS NULL AND (:queue::text IS NULL OR l.queue = :queue)
    GROUP BY b.at
), each AS (
    SELECT k.at, k.due, k.later, k.running, k.oldest, k.is_all
    FROM looks k
    WHERE COALESCE(:queue::text, :kind::text) IS NULL
    UNION ALL
    SELECT k.at, COALESCE(p.due, 0), COALESCE(p.later, 0), COALESCE(p.running, 0), p.oldest,
        COALESCE(p.is_all, true)
    FROM looks k
    LEFT JOIN parts p ON p.at = k.at
    WHERE COALESCE(:queue::text, :kind::text) IS NOT NULL
)
SELECT DISTINCT ON (n.time) n.time, n.due::bigint AS due, n.later::bigint AS later,
    n.running::bigint AS running, n.oldest, n.is_all,
    n.at = n.time + :step * interval '1 second' AS is_end
FROM (
    SELECT e.*,
        to_timestamp(ceil(extract(epoch FROM e.at) / :step) * :step - :step) AS time
    FROM each e) n
ORDER BY n.time, n.at DESC;

-- name: stat_wait_counts(step, first, queue, kind)
-- How many jobs that ended in each step of :step seconds from :first on had waited for how long; of
-- :queue and :kind, or NULL for all.
WITH lanes AS MATERIALIZED (
    SELECT 0 AS id
    WHERE COALESCE(:queue::text, :kind::text) IS NULL
    UNION ALL
    SELECT l.id
    FROM howdah_internal.lane l
    WHERE COALESCE(:queue::text, :kind::text) IS NOT NULL
        AND l.home IS NULL AND (:queue::text IS NULL OR l.queue = :queue)
)
SELECT n.time, array_agg(n.jobs ORDER BY n.number) AS counts
FROM (
    SELECT to_timestamp(floor(extract(epoch FROM w.minute) / :step) * :step) AS time, u.number,
        sum(u.jobs)::bigint AS jobs
    FROM lanes l
    CROSS JOIN LATERAL (
        SELECT s.minute, s.waits
        FROM howdah_internal.stat_wait s
        WHERE s.lane = l.id AND s.kind = COALESCE(:kind::text, '')
            AND s.minute >= to_timestamp(:first::bigint)) w
    CROSS JOIN LATERAL unnest(w.waits) WITH ORDINALITY AS u (jobs, number)
    GROUP BY 1, 2) n
GROUP BY n.time
ORDER BY n.time;

-- name: node_versions(seconds)
-- When a version began to run in the last :seconds seconds, as far as ended nodes are known: when a
-- node of it was started while no other one of it ran, and the node that was started before had
-- another version.
WITH nodes AS MATERIALIZED (
    SELECT n.name, n.started, NULL::timestamptz AS ended,
        CASE jsonb_typeof(n.serves -> 'version') WHEN 'string' THEN n.serves ->> 'version' END
            AS version
    FROM howdah_internal.node n
    UNION ALL
    SELECT e.name, e.started, e.ended, e.version FROM howdah_internal.node_end e
), told AS (
    SELECT n.*, lag(n.version) OVER (ORDER BY n.started, n.name) AS before
    FROM nodes n
    WHERE n.version IS NOT NULL
)
SELECT t.started AS time, t.version, t.before, t.name
FROM told t
WHERE t.started >= now() - :seconds * interval '1 second'
    AND t.before <> t.version
    AND NOT EXISTS (
        SELECT
        FROM nodes o
        WHERE o.version = t.version
            AND o.started < t.started
            AND (o.ended IS NULL OR o.ended > t.started))
ORDER BY t.started DESC
LIMIT 50;

-- name: job_error_courses(step, first, errors, queue, kind)
-- How many jobs have failed with each of :errors, or NULL for all of them, in each step of :step
-- seconds from :first on, and when it was first seen; of :queue and :kind, or NULL for all.
SELECT t.pattern, t.first,
    to_timestamp(floor(extract(epoch FROM s.slot) / :step) * :step) AS time,
    sum(s.jobs)::bigint AS jobs
FROM howdah_internal.error_text t
LEFT JOIN howdah_internal.error_stat s
    ON s.error = t.id
    AND s.slot >= to_timestamp(:first::bigint)
    AND (:kind::text IS NULL OR s.kind = :kind)
    AND (:queue::text IS NULL
        OR s.lane IN (SELECT l.id FROM howdah_internal.lane l WHERE l.queue = :queue))
WHERE :errors::text[] IS NULL
    OR t.id = ANY (ARRAY(SELECT md5(e.pattern)::uuid FROM unnest(:errors::text[]) AS e (pattern)))
GROUP BY t.pattern, t.first, 3
ORDER BY t.pattern, 3;

-- name: job_error_text(id)
-- The text of the error of that digest.
SELECT t.pattern
FROM howdah_internal.error_text t
WHERE t.id = :id::uuid;

-- name: sweep_course(step, first, name)
-- How many rows of a sweep were done, and failed, in each step of :step seconds from :first on. A
-- count that is lower than before is that of another run.
SELECT to_timestamp(floor(extract(epoch FROM d.minute) / :step) * :step) AS time,
    sum(d.done)::bigint AS done, sum(d.failed)::bigint AS failed
FROM (
    SELECT c.minute,
        c.done - CASE WHEN c.done >= lag(c.done) OVER w THEN lag(c.done) OVER w ELSE 0 END AS done,
        c.failed - CASE WHEN c.failed >= lag(c.failed) OVER w THEN lag(c.failed) OVER w ELSE 0 END
            AS failed
    FROM howdah_internal.sweep_course c
    WHERE c.sweep = (SELECT s.id FROM howdah.sweep s WHERE s.name = :name)
    WINDOW w AS (ORDER BY c.minute)) d
WHERE d.minute >= to_timestamp(:first::bigint)
GROUP BY 1
ORDER BY 1;
