-- Who works, and who has died.

-- name: process_node_enter
-- Nobody sees the node before its lock is held. $1 the name.
INSERT INTO howdah.process_node (name)
VALUES ($1)
RETURNING id, incarnation::text, pg_try_advisory_lock(1215264882, id);

-- name: process_node_enter_elsewhere
-- The same under a random id. No row: the id is taken. $1 the name.
INSERT INTO howdah.process_node (id, name)
OVERRIDING SYSTEM VALUE
VALUES ((1000000000 + random() * 1000000000)::integer, $1)
ON CONFLICT (id) DO NOTHING
RETURNING id, incarnation::text, pg_try_advisory_lock(1215264882, id);

-- name: process_node_replaced
-- The program of a node goes on as another node. $1 the former node, $2 its token.
UPDATE howdah.process_node
SET replaced = true
WHERE id = $1 AND incarnation = $2::uuid;

-- name: process_node_present
-- Takes the lock of a node again, and counts that in its row. No row: the node was taken for dead,
-- or the id is another node's now. $1 the node, $2 its token.
WITH held AS (
    SELECT n.id, pg_try_advisory_lock(1215264882, n.id) AS locked
    FROM howdah.process_node n
    WHERE n.id = $1 AND n.incarnation = $2::uuid
), counted AS (
    UPDATE howdah.process_node n
    SET returned = n.returned + 1
    FROM held h
    WHERE n.id = h.id AND h.locked
    RETURNING n.id
)
SELECT h.locked, EXISTS (SELECT FROM counted) FROM held h;

-- name: process_node_watch
-- Whether the node is there itself, whose locks are free, and how often those nodes have come back.
-- $1 the node, $2 its token.
SELECT EXISTS (SELECT FROM howdah.process_node n WHERE n.id = $1 AND n.incarnation = $2::uuid),
    f.ids, f.returned
FROM (
    SELECT COALESCE(array_agg(n.id), '{}') AS ids, COALESCE(array_agg(n.returned), '{}') AS returned
    FROM howdah.process_node n
    WHERE n.id <> $1 AND pg_try_advisory_xact_lock(1215264882, n.id)
) AS f;

-- name: process_node_death
-- Only one may bring home what a dead node had: true for whoever holds its lock until the end of
-- the transaction. And whether its end counts as a death: not if its program lives on. $1 the node,
-- $2 how often it had come back when its lock was seen free, $3 whether a session that is no node's
-- holds its lock.
SELECT $3::boolean
        OR pg_try_advisory_xact_lock(1215264882, $1)
        AND NOT EXISTS (SELECT FROM howdah.process_node n WHERE n.id = $1 AND n.returned <> $2),
    NOT EXISTS (SELECT FROM howdah.process_node n WHERE n.id = $1 AND n.replaced);

-- name: process_node_is_there
-- Whether the row of a node is its own. $1 the node, $2 its token.
SELECT EXISTS (SELECT FROM howdah.process_node n WHERE n.id = $1 AND n.incarnation = $2::uuid);

-- name: process_node_leave
-- $1 the node.
DELETE FROM howdah.process_node WHERE id = $1;

-- name: process_node_orphans
-- Processes of nodes that are not there any more: one took them in the moment it was declared dead.
SELECT DISTINCT p.node FROM howdah.process p
WHERE p.node IS NOT NULL AND NOT EXISTS (SELECT FROM howdah.process_node n WHERE n.id = p.node);

-- name: process_node_reap
-- What a dead node had is due again; what it was in the middle of is known by lost. $1 the node, $2
-- how many at most, $3 whether that counts as an attempt of their timers. It never does for what
-- was taken before the server's start.
UPDATE howdah.process p
SET node = NULL, turn = p.turn + 1, lost = true, due_at = now(),
    lane = CASE WHEN p.queued > 0 THEN 0 ELSE 1 END,
    timer_attempts = LEAST(
        p.timer_attempts + CASE
            WHEN p.task = p.timer_task
                AND $3::boolean
                AND p.taken > pg_postmaster_start_time()
            THEN 1
            ELSE 0
        END,
        32767),
    task = CASE WHEN p.task IS DISTINCT FROM p.timer_task THEN p.task END
WHERE p.number = ANY (
    ARRAY(
        SELECT o.number
        FROM howdah.process o
        WHERE o.node = $1
        ORDER BY o.node
        LIMIT $2
        FOR NO KEY UPDATE))
RETURNING p.namespace;

-- name: process_node_mine
-- $1 the node.
SELECT p.number, p.turn FROM howdah.process p WHERE p.node = $1;

-- name: process_node_give_back
-- Processes that a node has not begun to work on, or has stopped to. $1 the node, $2 the processes,
-- $3 their turns.
UPDATE howdah.process p
SET node = NULL, turn = p.turn + 1, task = CASE WHEN p.lost THEN p.task END,
    due_at = CASE WHEN p.queued > 0 THEN now() ELSE p.timer_at END,
    lane = CASE WHEN p.queued > 0 THEN 0 ELSE 1 END
FROM unnest($2::bigint[], $3::bigint[]) AS a (number, turn)
WHERE p.number = ANY ($2) AND p.number = a.number AND COALESCE(p.node, 0) = $1 AND p.turn = a.turn
RETURNING p.namespace;

-- name: process_node_replies_gone
DELETE FROM howdah.process_reply r WHERE r.at < now() - interval '10 minutes';
