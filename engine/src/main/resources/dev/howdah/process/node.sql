-- Who works, and who has died.

-- name: enter
-- Nobody sees the node before its lock is held. $1 the name.
INSERT INTO howdah.process_node (name) VALUES ($1) RETURNING id, pg_try_advisory_lock(1215264882, id);

-- name: present
-- The lock of a node: while it is held the node lives. No row: somebody has brought home what it had. $1 the node.
SELECT pg_try_advisory_lock(1215264882, n.id) FROM howdah.process_node n WHERE n.id = $1;

-- name: watch
-- Whether the node is there itself, and who is not. $1 the node.
SELECT EXISTS (SELECT FROM howdah.process_node n WHERE n.id = $1),
    ARRAY(SELECT n.id FROM howdah.process_node n WHERE n.id <> $1 AND pg_try_advisory_xact_lock(1215264882, n.id));

-- name: silent
-- PostgreSQL 13 does not end idle sessions: whoever is silent for so long is ended by others. $1 milliseconds.
SELECT count(pg_terminate_backend(a.pid))
FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.classid = 1215264882 AND l.objsubid = 2 AND l.granted AND l.pid <> pg_backend_pid()
    AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
    AND a.state = 'idle' AND a.state_change < clock_timestamp() - $1::bigint * interval '1 ms';

-- name: death
-- Only one may bring home what a dead node had: true for whoever holds its lock until the end of the transaction. $1 the node.
SELECT pg_try_advisory_xact_lock(1215264882, $1);

-- name: leave
-- $1 the node.
DELETE FROM howdah.process_node WHERE id = $1;

-- name: orphans
-- Processes of nodes that are not there any more: one took them in the moment it was declared dead.
SELECT DISTINCT p.node FROM howdah.process p
WHERE p.node IS NOT NULL AND NOT EXISTS (SELECT FROM howdah.process_node n WHERE n.id = p.node);

-- name: reap
-- What a dead node had is due again; what it was in the middle of is known by lost. $1 the node, $2 how many at most.
UPDATE howdah.process p SET node = NULL, turn = p.turn + 1, lost = true, due_at = now(),
    lane = CASE WHEN p.queued > 0 THEN 0 ELSE 1 END,
    timer_attempts = LEAST(p.timer_attempts + CASE WHEN p.task = p.timer_task THEN 1 ELSE 0 END, 32767),
    task = CASE WHEN p.task IS DISTINCT FROM p.timer_task THEN p.task END
WHERE p.number = ANY (ARRAY(SELECT o.number FROM howdah.process o WHERE o.node = $1 ORDER BY o.node LIMIT $2 FOR NO KEY UPDATE))
RETURNING p.namespace;

-- name: mine
-- $1 the node.
SELECT p.number, p.turn FROM howdah.process p WHERE p.node = $1;

-- name: give_back
-- Processes that a node has not begun to work on, or has stopped to. $1 the node, $2 the processes, $3 their turns.
UPDATE howdah.process p SET node = NULL, turn = p.turn + 1, task = CASE WHEN p.lost THEN p.task END,
    due_at = CASE WHEN p.queued > 0 THEN now() ELSE p.timer_at END,
    lane = CASE WHEN p.queued > 0 THEN 0 ELSE 1 END
FROM unnest($2::bigint[], $3::bigint[]) AS a (number, turn)
WHERE p.number = ANY ($2) AND p.number = a.number AND COALESCE(p.node, 0) = $1 AND p.turn = a.turn
RETURNING p.namespace;

-- name: replies_gone
DELETE FROM howdah.process_reply r WHERE r.at < now() - interval '10 minutes';
