-- Recovery of the processes of crashed nodes.

-- name: process_orphans
-- Processes of nodes that have none according to their rows: the node took them in the moment it
-- was declared dead.
SELECT DISTINCT p.node
FROM howdah_internal.process p
WHERE p.node IS NOT NULL
    AND NOT EXISTS (
        SELECT
        FROM howdah_internal.node n
        WHERE n.id = p.node AND n.features @> ARRAY['process']);

-- name: process_rescue
-- What a dead node had is due again; what it was in the middle of is known by lost. $1 the node, $2
-- how many at most, $3 whether that counts as an attempt of their timers. It never does for what
-- was taken before the server's start.
UPDATE howdah_internal.process p
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
        FROM howdah_internal.process o
        WHERE o.node = $1
        ORDER BY o.node
        LIMIT $2
        FOR NO KEY UPDATE))
RETURNING p.namespace;

-- name: process_mine
-- $1 the node.
SELECT p.number, p.turn FROM howdah_internal.process p WHERE p.node = $1;

-- name: process_give_back
-- Processes that a node has not begun to work on, or has stopped to. $1 the node, $2 the processes,
-- $3 their turns.
UPDATE howdah_internal.process p
SET node = NULL, turn = p.turn + 1, task = CASE WHEN p.lost THEN p.task END,
    due_at = CASE WHEN p.queued > 0 THEN now() ELSE p.timer_at END,
    lane = CASE WHEN p.queued > 0 THEN 0 ELSE 1 END
FROM unnest($2::bigint[], $3::bigint[]) AS a (number, turn)
WHERE p.number = ANY ($2) AND p.number = a.number AND COALESCE(p.node, 0) = $1 AND p.turn = a.turn
RETURNING p.namespace;

-- name: process_replies_gone
DELETE FROM howdah_internal.process_reply r WHERE r.at < now() - interval '10 minutes';

-- name: process_serves
-- What a node works, once when it starts. $1 the node, $2 its token, $3 the namespaces, $4 how many
-- processes of each at the same time, $5 the version of its program, or NULL, $6 false: what stands
-- there already stays.
UPDATE howdah_internal.node n
SET serves = n.serves || jsonb_build_object('process', COALESCE(
    CASE WHEN NOT $6::boolean THEN n.serves -> 'process' END, (
        SELECT COALESCE(jsonb_object_agg(s.namespace, s.slots), '{}')
        FROM unnest($3::text[], $4::integer[]) AS s (namespace, slots))))
    || jsonb_strip_nulls(jsonb_build_object('version', $5::text))
WHERE n.id = $1 AND n.incarnation = $2::uuid;
