-- Lanes: the lines in which jobs wait.

-- name: lane_list
-- Of the queues $1: a database may have very many, and a program needs its own. Those of groups are
-- not among them, since there may be very many; but whether a lane has some.
-- In the order of the index: where one queue has all groups, the planner would expect to find one
-- soon in any part of the table, and would read the whole of it for each queue that has none.
SELECT l.id, l.queue, l.kind,
    EXISTS (SELECT FROM howdah_internal.log_queue q WHERE q.lane = l.id) AS log,
    EXISTS (SELECT FROM howdah_internal.log_reader r WHERE r.lane = l.id) AS reader,
    (
        SELECT true
        FROM howdah_internal.lane g
        WHERE g.home = l.id
        ORDER BY g.group_name
        LIMIT 1) IS TRUE AS grouped
FROM howdah_internal.lane l
WHERE l.home IS NULL AND l.queue = ANY ($1::text[]);

-- name: lane_find
-- $1 the queue, $2 a kind, or NULL. That of the queue, and the kind's own.
SELECT l.id, l.kind,
    EXISTS (SELECT FROM howdah_internal.log_queue q WHERE q.lane = l.id) AS log,
    EXISTS (SELECT FROM howdah_internal.log_reader r WHERE r.lane = l.id) AS reader,
    -- What this transaction has written itself is not older than the transaction's id.
    age(l.xmin) > 0 AS committed
FROM howdah_internal.lane l
WHERE l.queue = $1 AND COALESCE(l.kind, '') IN ('', COALESCE($2, '')) AND l.home IS NULL;

-- name: lane_make
-- $1 the queue, $2 the kind, or NULL.
WITH made AS (
    INSERT INTO howdah_internal.lane (queue, kind)
    VALUES ($1, $2)
    ON CONFLICT (queue, COALESCE(kind, '')) WHERE home IS NULL DO NOTHING
    RETURNING id
)
INSERT INTO howdah_internal.lane_priority (lane, priority) SELECT m.id, 0 FROM made m;

-- name: lane_patience
-- How long the next statements wait for a lock, $1, unless that is limited already. Returns what it
-- was.
SELECT s.before, set_config(
        'lock_timeout',
        CASE s.before WHEN '0' THEN $1 ELSE s.before END,
        true)
FROM (SELECT current_setting('lock_timeout') AS before OFFSET 0) s;

-- name: lane_patience_end
-- $1 what it was.
SELECT set_config('lock_timeout', $1, true);

-- name: lane_priority_find
-- $1 the lane, $2 the priority. Returns whether no rollback can undo it, as in lane_find.
SELECT age(p.xmin) > 0 AS committed
FROM howdah_internal.lane_priority p
WHERE p.lane = $1 AND p.priority = $2
ORDER BY 1 DESC
LIMIT 1;

-- name: lane_priority_add
-- $1 the lane, $2 the priority.
INSERT INTO howdah_internal.lane_priority (lane, priority)
SELECT $1, $2
WHERE NOT EXISTS (SELECT FROM howdah_internal.lane_priority p WHERE p.lane = $1
    AND p.priority = $2);

-- name: lane_delete_old
-- Lanes of groups that nothing refers to any more, and what is known of them. $1 how many days
-- nothing has waited in them, $2 how many go at most. A lane is retired first, so that no job is
-- added to it, and goes when all transactions have ended that may have added one before. The
-- history of its jobs is older than the oldest day that is kept.
WITH oldest AS (
    SELECT COALESCE(min(to_date(substr(c.relname, 7), 'YYYYMMDD')), CURRENT_DATE) - 1 AS day
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'howdah_internal.batch'::regclass AND c.relname ~ '^batch_[0-9]{8}$'
), unused AS MATERIALIZED (
    SELECT g.lane
    FROM howdah_internal.group_state g
    WHERE g.idle < LEAST(now() - $1::integer * interval '1 day', (SELECT o.day FROM oldest o))
        AND g.lane < 0
        AND NOT EXISTS (SELECT FROM howdah_internal.job j WHERE j.lane = g.lane)
        AND NOT EXISTS (SELECT FROM howdah_internal.failed f WHERE f.lane = g.lane)
        AND g.lane NOT IN (
            SELECT o.lane FROM howdah_internal.ordered o
            UNION ALL
            SELECT f.lane FROM howdah_internal.follower f
            UNION ALL
            SELECT w.lane FROM howdah_internal.workflow_job w
            UNION ALL
            SELECT w.lane FROM howdah_internal.group_wake w)
    ORDER BY g.idle
    LIMIT $2
), retired AS (
    UPDATE howdah_internal.lane l
    SET retired = txid_current()
    WHERE l.id = ANY (ARRAY(SELECT u.lane FROM unused u)) AND l.retired IS NULL
), gone AS (
    DELETE FROM howdah_internal.lane l
    WHERE l.id = ANY (ARRAY(SELECT u.lane FROM unused u))
        AND l.retired < txid_snapshot_xmin(txid_current_snapshot())
    RETURNING l.id
), states AS (
    DELETE FROM howdah_internal.group_state g WHERE g.lane = ANY (ARRAY(SELECT o.id FROM gone o))
)
SELECT count(*) FROM gone;
