-- Lanes: the lines in which jobs wait.

-- name: lane_list
-- Those of groups are not among them, since there may be very many; but whether a lane has some.
SELECT l.id, l.queue, l.kind, EXISTS (SELECT FROM howdah.lane g WHERE g.home = l.id) AS grouped
FROM howdah.lane l
WHERE l.home IS NULL;

-- name: lane_make
-- $1 the queue, $2 the kind, or NULL.
WITH made AS (
    INSERT INTO howdah.lane (queue, kind)
    VALUES ($1, $2)
    ON CONFLICT (queue, COALESCE(kind, '')) WHERE home IS NULL DO NOTHING
    RETURNING id
), first AS (
    INSERT INTO howdah.lane_priority (lane, priority) SELECT m.id, 0 FROM made m
)
SELECT m.id
FROM made m
UNION ALL
SELECT l.id
FROM howdah.lane l
WHERE l.queue = $1 AND COALESCE(l.kind, '') = COALESCE($2, '') AND l.home IS NULL;

-- name: lane_priority_add
-- $1 the lane, $2 the priority.
INSERT INTO howdah.lane_priority (lane, priority)
SELECT $1, $2
WHERE NOT EXISTS (SELECT FROM howdah.lane_priority p WHERE p.lane = $1 AND p.priority = $2);
