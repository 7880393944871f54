-- Lanes: the lines in which jobs wait.

-- name: lane_list
SELECT l.id, l.queue, l.kind FROM howdah.lane l;

-- name: lane_make
-- $1 the queue, $2 the kind, or NULL.
WITH made AS (
    INSERT INTO howdah.lane (queue, kind)
    VALUES ($1, $2)
    ON CONFLICT (queue, COALESCE(kind, '')) DO NOTHING
    RETURNING id
), first AS (
    INSERT INTO howdah.lane_priority (lane, priority) SELECT m.id, 0 FROM made m
)
SELECT m.id
FROM made m
UNION ALL
SELECT l.id
FROM howdah.lane l
WHERE l.queue = $1 AND COALESCE(l.kind, '') = COALESCE($2, '');

-- name: lane_priority_add
-- $1 the lane, $2 the priority.
INSERT INTO howdah.lane_priority (lane, priority)
SELECT $1, $2
WHERE NOT EXISTS (SELECT FROM howdah.lane_priority p WHERE p.lane = $1 AND p.priority = $2);
