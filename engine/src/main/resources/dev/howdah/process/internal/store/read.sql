-- What people and programs want to know of processes.

-- name: process_get(namespace, id, after, most, backward)
-- Its events: :after or before which one (NULL: from the end), :most how many (NULL: all),
-- :backward whether from the last to the first. One snapshot: state and history are of one moment.
-- A row for each event, or one without.
SELECT p.number, p.status, p.previous_status, p.status_changed, p.created, p.detail, p.corrupted_by,
    p.last_event, p.aux_state, p.metadata::text,
    CASE WHEN p.timer_task <> COALESCE(p.corrupted_by, 0) THEN p.timer_at END, e.id, e.at,
    e.payload, e.metadata::text, e.task
FROM howdah_internal.process p
LEFT JOIN LATERAL (
    SELECT u.* FROM (
        SELECT f.* FROM howdah_internal.process_event f
        WHERE NOT :backward AND f.process = p.number
            AND f.id > COALESCE(:after::bigint, -9223372036854775808)
        ORDER BY f.id
        LIMIT :most::bigint) AS u
    UNION ALL
    SELECT v.* FROM (
        SELECT b.* FROM howdah_internal.process_event b
        WHERE :backward AND b.process = p.number
            AND b.id < COALESCE(:after::bigint, 9223372036854775807)
        ORDER BY b.id DESC
        LIMIT :most::bigint) AS v
) AS e ON true
WHERE p.namespace = :namespace AND p.id = :id;

-- name: trace_read(namespace, id, most)
-- :most how many of the newest, or NULL for all. What has run, then what runs or waits, then what
-- never ran.
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
        LIMIT :most::bigint) k
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
WHERE p.namespace = :namespace AND p.id = :id
ORDER BY t.started NULLS LAST, t.finished NULLS LAST, t.id;

-- name: trace_events(namespace, id)
SELECT e.id, e.at, e.payload, e.metadata::text, e.task
FROM howdah_internal.process p JOIN howdah_internal.process_event e ON e.process = p.number
WHERE p.namespace = :namespace AND p.id = :id ORDER BY e.id;

-- name: process_list(namespace, status, after, most)
-- :status a status or NULL, :after which id, or before it in the other order, :most how many.
SELECT p.id, p.status, p.previous_status, p.status_changed, p.created, p.detail, p.last_event,
    p.queued, CASE WHEN p.timer_task <> COALESCE(p.corrupted_by, 0) THEN p.timer_at END, p.number
FROM howdah_internal.process p
WHERE p.namespace = :namespace
    AND (:status::text IS NULL OR p.status = :status)
    AND /*after:*/p.id > :after/*:after*/
ORDER BY p.id /*way:*/ASC/*:way*/
LIMIT :most::bigint;

-- name: process_list_broken(namespace, after, most)
-- The same of those that are broken. :after which id, :most how many.
SELECT p.id, p.status, p.previous_status, p.status_changed, p.created, p.detail, p.last_event,
    p.queued, CASE WHEN p.timer_task <> COALESCE(p.corrupted_by, 0) THEN p.timer_at END, p.number
FROM howdah_internal.process p
WHERE p.namespace = :namespace AND p.status = 'error' AND /*broken:*/p.id > :after/*:broken*/
ORDER BY p.id /*way:*/ASC/*:way*/
LIMIT :most::bigint;

-- name: process_list_prefix(namespace, status, after, prefix, looked, most)
-- The same of those whose ids begin with a text, of the first ones from there on: in another
-- collation than C, others can stand between them. :status a status or NULL, :after which id,
-- :prefix the text, :looked how many are looked at, :most how many are returned.
SELECT p.id, p.status, p.previous_status, p.status_changed, p.created, p.detail, p.last_event,
    p.queued, CASE WHEN p.timer_task <> COALESCE(p.corrupted_by, 0) THEN p.timer_at END, p.number
FROM (
    SELECT q.*
    FROM howdah_internal.process q
    WHERE q.namespace = :namespace AND /*from:*/q.id > :after/*:from*/ AND q.id >= :prefix
    ORDER BY q.id /*way:*/ASC/*:way*/
    LIMIT :looked::bigint) p
WHERE starts_with(p.id, :prefix) AND (:status::text IS NULL OR p.status = :status)
ORDER BY p.id /*way:*/ASC/*:way*/
LIMIT :most::bigint;

-- name: process_list_started(namespace, status, after, prefix, looked, most)
-- The same in the order of their start, of the first ones from there on, of whatever namespace.
-- :status a status or NULL, :after which number, or before it, :prefix the beginning of the
-- ids, :looked how many are looked at, :most how many are returned.
SELECT p.id, p.status, p.previous_status, p.status_changed, p.created, p.detail, p.last_event,
    p.queued, CASE WHEN p.timer_task <> COALESCE(p.corrupted_by, 0) THEN p.timer_at END, p.number
FROM (
    SELECT q.*
    FROM howdah_internal.process q
    WHERE q.number /*past:*/>/*:past*/ :after::bigint
    ORDER BY q.number /*way:*/ASC/*:way*/
    LIMIT :looked::bigint) p
WHERE p.namespace = :namespace AND starts_with(p.id, :prefix)
    AND (:status::text IS NULL OR p.status = :status)
ORDER BY p.number /*way:*/ASC/*:way*/
LIMIT :most::bigint;

-- name: process_bound(namespace, after, prefix, looked)
-- The last process that process_list_prefix looks at. :after which id, :prefix the beginning
-- of the ids, :looked how many are looked at.
SELECT q.id
FROM howdah_internal.process q
WHERE q.namespace = :namespace AND /*bound:*/q.id > :after/*:bound*/ AND q.id >= :prefix
ORDER BY q.id /*way:*/ASC/*:way*/
OFFSET :looked::bigint - 1
LIMIT 1;

-- name: process_bound_started(after, looked)
-- The same of process_list_started. :after which number, or before it, :looked how many.
SELECT q.number
FROM howdah_internal.process q
WHERE q.number /*past:*/>/*:past*/ :after::bigint
ORDER BY q.number /*way:*/ASC/*:way*/
OFFSET :looked::bigint - 1
LIMIT 1;

-- name: timer_list(namespace, most)
-- Timers in the order in which they are due. :most how many.
SELECT p.id, p.timer_type, p.timer_at, p.timer_attempts
FROM howdah_internal.process p
WHERE p.namespace = :namespace AND p.lane = 1 AND p.due_at IS NOT NULL
ORDER BY p.due_at
LIMIT :most::bigint;

-- name: namespace_list
SELECT n.id, n.name FROM howdah_internal.process_namespace n;

-- name: namespace_make
INSERT INTO howdah_internal.process_namespace (name)
VALUES (:name)
ON CONFLICT (name) DO NOTHING;

-- name: namespace_tell(name, tell)
-- Whether nodes of the namespace write notices.
UPDATE howdah_internal.process_namespace n
SET outbox = :tell
WHERE n.name = :name AND n.outbox <> :tell;

-- name: process_health
SELECT 1;

-- name: process_depth(namespaces, most)
-- How many processes wait that no node runs, and for how many seconds the first; lane 0: for calls,
-- 1: for timers. :most count so many at most.
SELECT s.id, l.lane, count(d.due_at),
    COALESCE(extract(epoch FROM clock_timestamp() - min(d.due_at)), 0)::float8
FROM unnest(:namespaces::integer[]) AS s (id) CROSS JOIN (VALUES (0), (1)) AS l (lane)
LEFT JOIN LATERAL (
    SELECT p.due_at FROM howdah_internal.process p
    WHERE p.namespace = s.id AND p.lane = l.lane AND p.due_at <= now() AND p.due_at IS NOT NULL
    ORDER BY p.due_at
    LIMIT :most::bigint) AS d ON true
GROUP BY s.id, l.lane;

-- name: process_why(namespace, id)
-- Why a process does nothing, the answer first.
SELECT w.code, w.sentence, w.detail::text AS detail, w.remedy
FROM howdah.why_process(:namespace, :id) w;

-- name: namespace_overview
-- The namespaces of processes. :most how many broken processes, steps that are due and notices are
-- counted at most.
SELECT n.name, n.outbox, b.processes AS broken, d.steps AS due, d.oldest, o.notices, h.blocked
FROM howdah_internal.process_namespace n
CROSS JOIN LATERAL (
    SELECT count(*) AS processes
    FROM (
        SELECT
        FROM howdah_internal.process p
        WHERE p.namespace = n.id AND p.status = 'error'
        -- In the order of an index: each namespace would read the table otherwise.
        ORDER BY p.id
        LIMIT :most) c) b
CROSS JOIN LATERAL (
    SELECT LEAST(count(*), :most) AS steps, min(c.due_at) AS oldest
    FROM (VALUES (0), (1)) AS l (lane)
    CROSS JOIN LATERAL (
        SELECT p.due_at
        FROM howdah_internal.process p
        WHERE p.namespace = n.id AND p.lane = l.lane AND p.due_at <= now()
        ORDER BY p.due_at
        LIMIT :most) c) d
CROSS JOIN LATERAL (
    SELECT count(*) AS notices
    FROM (
        SELECT
        FROM howdah_internal.process_outbox p
        WHERE p.namespace = n.id AND NOT p.held
        ORDER BY p.id + 0
        LIMIT :most) c) o
CROSS JOIN LATERAL (
    SELECT count(*) AS blocked
    FROM (
        SELECT
        FROM howdah.process_held p
        WHERE p.namespace = n.id AND p.decision IS NULL
        LIMIT :most) c) h
ORDER BY n.name;

-- name: process_watch(open, floors, seen, known, most)
-- How far processes have come, with those whose numbers are after :floors of those of the
-- transactions :open that have ended, of which one is 0, without what was written before any
-- transaction that ran at the snapshot :seen began; of 500 that nodes work on, of 100 of each
-- namespace that wait for a node, and :known. :most how many new ones at most.
WITH since AS MATERIALIZED (
    SELECT txid_snapshot_xmin(s.seen) AS xmin, txid_snapshot_xmax(txid_current_snapshot()) AS upto,
        (
            SELECT min(o.floor)
            FROM unnest(:open::bigint[], :floors::bigint[]) AS o (number, floor)
            WHERE txid_visible_in_snapshot(o.number, txid_current_snapshot())) AS after
    FROM (SELECT :seen::txid_snapshot AS seen) s
)
SELECT n.name, p.id, p.status, p.previous_status, p.status_changed, p.created, p.detail,
    p.last_event, p.queued,
    CASE WHEN p.timer_task <> COALESCE(p.corrupted_by, 0) THEN p.timer_at END AS timer, p.number,
    m.last,
    txid_current_snapshot()::text AS seen,
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS millis
FROM (SELECT COALESCE((SELECT max(a.number) FROM howdah_internal.process a), 0) AS last) m
LEFT JOIN (
    (
        SELECT f.number
        FROM howdah_internal.process f
        CROSS JOIN since s
        WHERE f.number > (SELECT g.after FROM since g)
            AND s.upto - ((s.upto - f.xmin::text::bigint) & 4294967295) >= s.xmin
        ORDER BY f.number
        LIMIT :most)
    UNION
    (
        SELECT w.number
        FROM howdah_internal.process w
        WHERE w.node IS NOT NULL
        ORDER BY w.node
        LIMIT 500)
    UNION
    SELECT d.number
    FROM howdah_internal.process_namespace s
    CROSS JOIN (VALUES (0), (1)) AS l (lane)
    CROSS JOIN LATERAL (
        SELECT q.number
        FROM howdah_internal.process q
        WHERE q.namespace = s.id AND q.lane = l.lane AND q.due_at <= now() + interval '2 seconds'
        ORDER BY q.due_at
        LIMIT 100) d
    UNION
    SELECT unnest(:known::bigint[])) c ON true
LEFT JOIN howdah_internal.process p ON p.number = c.number
LEFT JOIN howdah_internal.process_namespace n ON n.id = p.namespace
ORDER BY p.number;

-- name: process_left
-- What would be lost with the tables; NULL: nothing.
SELECT count(*) || CASE count(*) WHEN 1 THEN ' process is' ELSE ' processes are' END
    || ' still there'
FROM howdah_internal.process
HAVING count(*) > 0;
