-- Changes of many objects, for any console that shows them.

-- name: change_table
SELECT to_regclass('howdah_internal.console_change') IS NOT NULL;

-- name: change_add(title, list, objects)
-- :list the list that it was started from, :objects how many objects there are, or NULL. The newest
-- thousand changes are kept.
WITH old AS (
    DELETE FROM howdah_internal.console_change c
    WHERE c.id <= (SELECT max(n.id) FROM howdah_internal.console_change n) - 1000
)
INSERT INTO howdah_internal.console_change (title, back, expected)
VALUES (:title::text, :list::text, :objects::bigint)
RETURNING id;

-- name: change_save
-- How far the change $1 is: $2 changed, $3 not, $4 started and $5 ended or NULL, $6 whether it is
-- to stop, $7 an error or NULL. Returns whether it was asked to stop elsewhere.
UPDATE howdah_internal.console_change c
SET changed = $2, unchanged = $3, started = $4::timestamptz, ended = $5::timestamptz, seen = now(),
    stopping = c.stopping OR $6, error = $7
WHERE c.id = $1
RETURNING c.stopping;

-- name: change_stop
UPDATE howdah_internal.console_change c
SET stopping = true
WHERE c.id = :change AND c.ended IS NULL;

-- name: change_list
-- The newest $2, or the one with the id $1. One whose program has said nothing for half a minute
-- was ended with it.
SELECT c.id, c.title, c.back, c.expected, c.changed, c.unchanged, c.created, c.started, c.ended,
    c.error, c.stopping, c.seen,
    c.ended IS NULL AND c.seen < now() - interval '30 seconds' AS lost
FROM howdah_internal.console_change c
WHERE $1::bigint IS NULL OR c.id = $1
ORDER BY c.id DESC
LIMIT $2;
