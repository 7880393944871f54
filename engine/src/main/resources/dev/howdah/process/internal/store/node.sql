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

-- name: process_rescue(node, most, attempt)
-- What a dead node had is due again; what it was in the middle of is known by lost. :most how many
-- at most, :attempt whether that counts as an attempt of their timers. It never does for what was
-- taken before the server's start.
UPDATE howdah_internal.process p
SET node = NULL, turn = p.turn + 1, lost = true, due_at = now(),
    lane = CASE WHEN p.queued > 0 THEN 0 ELSE 1 END,
    timer_attempts = LEAST(
        p.timer_attempts + CASE
            WHEN p.task = p.timer_task
                AND :attempt::boolean
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
        WHERE o.node = :node
        ORDER BY o.node
        LIMIT :most
        FOR NO KEY UPDATE))
RETURNING p.namespace;

-- name: process_mine
SELECT p.number, p.turn FROM howdah_internal.process p WHERE p.node = :node;

-- name: process_give_back(node, processes, turns)
-- Processes that a node has not begun to work on, or has stopped to.
UPDATE howdah_internal.process p
SET node = NULL, turn = p.turn + 1, task = CASE WHEN p.lost THEN p.task END,
    due_at = CASE WHEN p.queued > 0 THEN now() ELSE p.timer_at END,
    lane = CASE WHEN p.queued > 0 THEN 0 ELSE 1 END
FROM unnest(:processes::bigint[], :turns::bigint[]) AS a (number, turn)
WHERE p.number = ANY (:processes) AND p.number = a.number AND COALESCE(p.node, 0) = :node
    AND p.turn = a.turn
RETURNING p.namespace;

-- name: process_replies_gone
DELETE FROM howdah_internal.process_reply r WHERE r.at < now() - interval '10 minutes';

-- name: process_serves(node, token, namespaces, limits, version, replace)
-- What a node works, once when it starts. :limits how many processes of each at the same time,
-- :version the version of its program, or NULL, :replace false: what stands there already stays.
UPDATE howdah_internal.node n
SET serves = n.serves || jsonb_build_object('process', COALESCE(
    CASE WHEN NOT :replace::boolean THEN n.serves -> 'process' END, (
        SELECT COALESCE(jsonb_object_agg(s.namespace, s.slots), '{}')
        FROM unnest(:namespaces::text[], :limits::integer[]) AS s (namespace, slots))))
    || jsonb_strip_nulls(
        jsonb_build_object('version', COALESCE(n.serves ->> 'version', :version::text)))
WHERE n.id = :node AND n.incarnation = :token::uuid;
