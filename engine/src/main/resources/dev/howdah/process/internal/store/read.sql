-- What people and programs want to know of processes.

-- name: process_get
-- $1 the namespace, $2 the id; its events: $3 after or before which one (NULL: from the end), $4
-- how many (NULL: all), $5 whether from the last to the first. One snapshot: state and history are
-- of one moment. A row for each event, or one without.
SELECT p.number, p.status, p.previous_status, p.status_changed, p.created, p.detail, p.corrupted_by,
    p.last_event, p.aux_state, p.metadata::text,
    CASE WHEN p.timer_task <> COALESCE(p.corrupted_by, 0) THEN p.timer_at END, e.id, e.at,
    e.payload, e.metadata::text, e.task
FROM howdah_internal.process p
LEFT JOIN LATERAL (
    SELECT u.* FROM (
        SELECT f.* FROM howdah_internal.process_event f
        WHERE NOT $5 AND f.process = p.number AND f.id > COALESCE($3::bigint, -9223372036854775808)
        ORDER BY f.id
        LIMIT $4::bigint) AS u
    UNION ALL
    SELECT v.* FROM (
        SELECT b.* FROM howdah_internal.process_event b
        WHERE $5 AND b.process = p.number AND b.id < COALESCE($3::bigint, 9223372036854775807)
        ORDER BY b.id DESC
        LIMIT $4::bigint) AS v
) AS e ON true
WHERE p.namespace = $1 AND p.id = $2;

-- name: trace_read
-- $1 the namespace, $2 the id, $3 how many of the newest, or NULL for all. What has run, then what
-- runs or waits, then what never ran.
SELECT t.id, t.type, t.status, t.scheduled, t.started, t.finished, t.args, t.context, t.key,
    t.response, t.error, t.retry_interval, t.attempts, t.backward, t.range_offset, t.range_limit
FROM howdah_internal.process p
CROSS JOIN LATERAL (
    SELECT k.id, k.type,
        CASE WHEN k.finished IS NULL AND p.node IS NOT NULL AND p.task = k.id THEN 'running'
            ELSE k.status END AS status,
        k.scheduled,
        CASE WHEN k.finished IS NULL AND p.node IS NOT NULL AND p.task = k.id THEN p.taken
            ELSE k.started END AS started,
        CASE WHEN k.status <> 'cancelled' THEN k.finished END AS finished, k.args, k.context, k.key,
        k.response, k.error, k.retry_interval, k.attempts, k.backward, k.range_offset, k.range_limit
    FROM (
        SELECT n.*
        FROM howdah_internal.process_task n
        WHERE n.process = p.number
        ORDER BY n.id DESC
        LIMIT $3::bigint) k
    UNION ALL
    SELECT p.timer_task, p.timer_type,
        CASE WHEN p.node IS NOT NULL AND p.task = p.timer_task THEN 'running'
            WHEN p.queued > 0 THEN 'blocked'
            ELSE 'waiting' END,
        p.timer_at, CASE WHEN p.node IS NOT NULL AND p.task = p.timer_task THEN p.taken END, NULL,
        NULL, p.timer_context, NULL, NULL, NULL, p.timer_interval, p.timer_attempts, NULL, NULL,
        NULL
    WHERE p.timer_type IS NOT NULL AND p.timer_task IS DISTINCT FROM p.corrupted_by
) AS t
WHERE p.namespace = $1 AND p.id = $2
ORDER BY t.started NULLS LAST, t.finished NULLS LAST, t.id;

-- name: trace_events
-- $1 the namespace, $2 the id.
SELECT e.id, e.at, e.payload, e.metadata::text, e.task
FROM howdah_internal.process p JOIN howdah_internal.process_event e ON e.process = p.number
WHERE p.namespace = $1 AND p.id = $2 ORDER BY e.id;

-- name: process_list
-- $1 the namespace, $2 a status or NULL, $3 after which id, or before it in the other order, $4 how
-- many.
SELECT p.id, p.status, p.previous_status, p.status_changed, p.created, p.detail, p.last_event,
    p.queued, CASE WHEN p.timer_task <> COALESCE(p.corrupted_by, 0) THEN p.timer_at END, p.number
FROM howdah_internal.process p
WHERE p.namespace = $1
    AND ($2::text IS NULL OR p.status = $2)
    AND /*after:*/p.id > $3/*:after*/
ORDER BY p.id /*way:*/ASC/*:way*/
LIMIT $4::bigint;

-- name: process_list_broken
-- The same of those that are broken. $1 the namespace, $2 after which id, $3 how many.
SELECT p.id, p.status, p.previous_status, p.status_changed, p.created, p.detail, p.last_event,
    p.queued, CASE WHEN p.timer_task <> COALESCE(p.corrupted_by, 0) THEN p.timer_at END, p.number
FROM howdah_internal.process p
WHERE p.namespace = $1 AND p.status = 'error' AND /*broken:*/p.id > $2/*:broken*/
ORDER BY p.id /*way:*/ASC/*:way*/
LIMIT $3::bigint;

-- name: process_list_prefix
-- The same of those whose ids begin with a text, of the first ones from there on: in another
-- collation than C, others can stand between them. $1 the namespace, $2 a status or NULL, $3 after
-- which id, $4 the text, $5 how many are looked at, $6 how many are returned.
SELECT p.id, p.status, p.previous_status, p.status_changed, p.created, p.detail, p.last_event,
    p.queued, CASE WHEN p.timer_task <> COALESCE(p.corrupted_by, 0) THEN p.timer_at END, p.number
FROM (
    SELECT q.*
    FROM howdah_internal.process q
    WHERE q.namespace = $1 AND /*from:*/q.id > $3/*:from*/ AND q.id >= $4
    ORDER BY q.id /*way:*/ASC/*:way*/
    LIMIT $5::bigint) p
WHERE starts_with(p.id, $4) AND ($2::text IS NULL OR p.status = $2)
ORDER BY p.id /*way:*/ASC/*:way*/
LIMIT $6::bigint;

-- name: process_list_started
-- The same in the order of their start, of the first ones from there on, of whatever namespace. $1
-- the namespace, $2 a status or NULL, $3 after which number, or before it, $4 the beginning of the
-- ids, $5 how many are looked at, $6 how many are returned.
SELECT p.id, p.status, p.previous_status, p.status_changed, p.created, p.detail, p.last_event,
    p.queued, CASE WHEN p.timer_task <> COALESCE(p.corrupted_by, 0) THEN p.timer_at END, p.number
FROM (
    SELECT q.*
    FROM howdah_internal.process q
    WHERE q.number /*past:*/>/*:past*/ $3::bigint
    ORDER BY q.number /*way:*/ASC/*:way*/
    LIMIT $5::bigint) p
WHERE p.namespace = $1 AND starts_with(p.id, $4) AND ($2::text IS NULL OR p.status = $2)
ORDER BY p.number /*way:*/ASC/*:way*/
LIMIT $6::bigint;

-- name: process_bound
-- The last process that process_list_prefix looks at. $1 the namespace, $2 after which id, $3 the
-- beginning of the ids, $4 how many are looked at.
SELECT q.id
FROM howdah_internal.process q
WHERE q.namespace = $1 AND /*bound:*/q.id > $2/*:bound*/ AND q.id >= $3
ORDER BY q.id /*way:*/ASC/*:way*/
OFFSET $4::bigint - 1
LIMIT 1;

-- name: process_bound_started
-- The same of process_list_started. $1 after which number, or before it, $2 how many.
SELECT q.number
FROM howdah_internal.process q
WHERE q.number /*past:*/>/*:past*/ $1::bigint
ORDER BY q.number /*way:*/ASC/*:way*/
OFFSET $2::bigint - 1
LIMIT 1;

-- name: timer_list
-- Timers in the order in which they are due. $1 the namespace, $2 how many.
SELECT p.id, p.timer_type, p.timer_at, p.timer_attempts
FROM howdah_internal.process p
WHERE p.namespace = $1 AND p.lane = 1 AND p.due_at IS NOT NULL
ORDER BY p.due_at
LIMIT $2::bigint;

-- name: namespace_list
SELECT n.id, n.name FROM howdah_internal.process_namespace n;

-- name: namespace_make
-- $1 the name.
INSERT INTO howdah_internal.process_namespace (name)
VALUES ($1)
ON CONFLICT (name) DO NOTHING;

-- name: namespace_tell
-- Whether nodes of the namespace write notices. $1 the name, $2 whether.
UPDATE howdah_internal.process_namespace n
SET outbox = $2
WHERE n.name = $1 AND n.outbox <> $2;

-- name: process_health
SELECT 1;

-- name: process_depth
-- How many processes wait that no node runs, and for how many seconds the first; lane 0: for
-- calls, 1: for timers. $1 the namespaces, $2 count so many at most.
SELECT s.id, l.lane, count(d.due_at),
    COALESCE(extract(epoch FROM clock_timestamp() - min(d.due_at)), 0)::float8
FROM unnest($1::integer[]) AS s (id) CROSS JOIN (VALUES (0), (1)) AS l (lane)
LEFT JOIN LATERAL (
    SELECT p.due_at FROM howdah_internal.process p
    WHERE p.namespace = s.id AND p.lane = l.lane AND p.due_at <= now() AND p.due_at IS NOT NULL
    ORDER BY p.due_at
    LIMIT $2::bigint) AS d ON true
GROUP BY s.id, l.lane;

-- name: process_why
-- Why a process does nothing, the answer first. $1 the namespace, $2 the id.
SELECT w.code, w.sentence, w.detail::text AS detail, w.remedy
FROM howdah.why_process($1, $2) w;

-- name: namespace_overview
-- The namespaces of processes. $1 how many broken processes, steps that are due and notices are
-- counted at most.
SELECT n.name, n.outbox, b.processes AS broken, d.steps AS due, d.oldest, o.notices, h.blocked
FROM howdah_internal.process_namespace n
CROSS JOIN LATERAL (
    SELECT count(*) AS processes
    FROM (
        SELECT
        FROM howdah_internal.process p
        WHERE p.namespace = n.id AND p.status = 'error'
        LIMIT $1) c) b
CROSS JOIN LATERAL (
    SELECT count(*) AS steps, min(c.due_at) AS oldest
    FROM (
        SELECT p.due_at
        FROM howdah_internal.process p
        WHERE p.namespace = n.id AND p.lane < 2 AND p.due_at <= now()
        LIMIT $1) c) d
CROSS JOIN LATERAL (
    SELECT count(*) AS notices
    FROM (
        SELECT
        FROM howdah_internal.process_outbox p
        WHERE p.namespace = n.id AND NOT p.held
        LIMIT $1) c) o
CROSS JOIN LATERAL (
    SELECT count(*) AS blocked
    FROM (
        SELECT
        FROM howdah.process_held p
        WHERE p.namespace = n.id AND p.decision IS NULL
        LIMIT $1) c) h
ORDER BY n.name;

-- name: process_left
-- What would be lost with the tables; NULL: nothing.
SELECT count(*) || CASE count(*) WHEN 1 THEN ' process is' ELSE ' processes are' END
    || ' still there'
FROM howdah_internal.process
HAVING count(*) > 0;
