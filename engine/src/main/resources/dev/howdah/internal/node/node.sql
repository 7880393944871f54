-- The nodes: which there are, which have crashed. A node is a row and the advisory lock of its id.
-- The row says for which features the node has claims, or has left claims that are still to be
-- recovered: a node that crashed is recovered feature by feature.

-- name: node_enter
-- No other node sees the row before its lock is held. $1 the name, $2 the features.
INSERT INTO howdah_internal.node (name, features)
VALUES ($1, $2::text[])
RETURNING id, incarnation::text, pg_try_advisory_lock(1215264874, id);

-- name: node_enter_elsewhere
-- The same under a random id. No row: the id is taken. $1 the name, $2 the features.
INSERT INTO howdah_internal.node (id, name, features)
OVERRIDING SYSTEM VALUE
VALUES ((1000000000 + random() * 1000000000)::integer, $1, $2::text[])
ON CONFLICT (id) DO NOTHING
RETURNING id, incarnation::text, pg_try_advisory_lock(1215264874, id);

-- name: node_join
-- One more feature of a node that lives. No row: the claims of one of its features were recovered,
-- or the id is another node's now. $1 the node, $2 its token, $3 the feature, $4 its features so
-- far.
UPDATE howdah_internal.node n
SET features = array_append(array_remove(n.features, $3::text), $3::text)
WHERE n.id = $1 AND n.incarnation = $2::uuid AND n.features @> $4::text[]
RETURNING n.id;

-- name: node_wake
-- $1 the channel of a node, or howdah_node: all nodes look soon, with $2 'entered' only those that
-- know of no other one.
SELECT pg_notify($1, $2)::text;

-- name: node_word
-- That a node is there which has nothing to ask.
SELECT 1;

-- name: node_delete
-- A row whose lock could not be taken, and which has no claims. $1 the node.
DELETE FROM howdah_internal.node WHERE id = $1;

-- name: node_replaced
-- The program of a node goes on as another node. $1 the former node, $2 its token.
UPDATE howdah_internal.node SET replaced = true WHERE id = $1 AND incarnation = $2::uuid;

-- name: node_present
-- Takes the lock of a node again, and counts that in its row. No row: the claims of one of its
-- features were recovered, or the id is another node's now. $1 the node, $2 its token, $3 its
-- features.
WITH held AS (
    SELECT n.id, pg_try_advisory_lock(1215264874, n.id) AS locked
    FROM howdah_internal.node n
    WHERE n.id = $1 AND n.incarnation = $2::uuid AND n.features @> $3::text[]
), counted AS (
    UPDATE howdah_internal.node n
    SET returned = n.returned + 1
    FROM held h
    WHERE n.id = h.id AND h.locked AND n.features @> $3::text[]
    RETURNING n.id
)
SELECT h.locked, EXISTS (SELECT FROM counted) FROM held h;

-- name: node_watch
-- What a node asks from time to time: whether it is there itself, whether there are other nodes of
-- its features, which of these have free locks, how often those have come back, and their features.
-- It looks at the next 64 in the order of their ids only, the first of all coming after the last,
-- so that what it costs does not grow with their number: each node is looked at by 64 others. And
-- when the node is to look next: how many of these have all of its features, and how many of them
-- lower ids, and the milliseconds of the clock. $1 the node, $2 its token, $3 its features.
SELECT EXISTS (
        SELECT
        FROM howdah_internal.node n
        WHERE n.id = $1 AND n.incarnation = $2::uuid AND n.features @> $3::text[]) AS there,
    count(*) AS others,
    count(*) FILTER (WHERE n.features @> $3::text[]) AS peers,
    count(*) FILTER (WHERE n.id < $1 AND n.features @> $3::text[]) AS before,
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS clock,
    COALESCE(array_agg(n.id) FILTER (WHERE n.free), '{}') AS ids,
    COALESCE(array_agg(n.returned) FILTER (WHERE n.free), '{}') AS returned,
    COALESCE(array_agg(array_to_string(n.features, ' ')) FILTER (WHERE n.free), '{}') AS features,
    /*paused:*/false/*:paused*/ AS paused
FROM (
    SELECT w.id, w.returned, w.features, pg_try_advisory_xact_lock(1215264874, w.id) AS free
    FROM (
        (
            SELECT a.id, a.returned, a.features
            FROM howdah_internal.node a
            WHERE a.id > $1 AND a.features && $3::text[]
            ORDER BY a.id
            LIMIT 64)
        UNION ALL
        (
            SELECT b.id, b.returned, b.features
            FROM howdah_internal.node b
            WHERE b.id < $1 AND b.features && $3::text[]
            ORDER BY b.id
            LIMIT 64)
        LIMIT 64) AS w
    OFFSET 0) AS n;

-- name: node_death
-- Only one node may recover the claims of a dead node: true for the one that holds its lock until
-- the end of the transaction. And whether its end counts as a death: not if its program lives on.
-- $1 the node, $2 how often it had come back when its lock was seen free, $3 whether a session that
-- is no node's holds its lock, $4 the feature whose claims are recovered.
SELECT NOT /*paused:*/false/*:paused*/ AND ($3::boolean
        OR pg_try_advisory_xact_lock(1215264874, $1)
        AND NOT EXISTS (
            SELECT
            FROM howdah_internal.node n
            WHERE n.id = $1 AND n.returned <> $2 AND n.features @> ARRAY[$4::text])),
    NOT EXISTS (SELECT FROM howdah_internal.node n WHERE n.id = $1 AND n.replaced);

-- name: node_is_there
-- Whether the row of a node is its own, and nothing of these features was recovered. $1 the node,
-- $2 its token, $3 the features.
SELECT EXISTS (
    SELECT
    FROM howdah_internal.node n
    WHERE n.id = $1 AND n.incarnation = $2::uuid AND n.features @> $3::text[]);

-- name: node_leave
-- The node has no claims of that feature any more, and has left if that was the last one, which the
-- trigger of the table writes down. $1 the node, $2 the feature, $3 the token of a node that
-- leaves; NULL: the node is dead.
WITH said AS MATERIALIZED (
    SELECT set_config('howdah.node_stops', ($3::uuid IS NOT NULL)::text, true) AS stops
), part AS (
    UPDATE howdah_internal.node n
    SET features = array_remove(n.features, $2::text)
    WHERE n.id = $1
        AND ($3::uuid IS NULL OR n.incarnation = $3::uuid)
        AND n.features @> ARRAY[$2::text]
        AND NOT n.features <@ ARRAY[$2::text]
)
DELETE FROM howdah_internal.node n
USING said s
WHERE n.id = $1
    AND ($3::uuid IS NULL OR n.incarnation = $3::uuid)
    AND n.features <@ ARRAY[$2::text]
    AND s.stops IS NOT NULL;

-- name: node_alive
-- Which nodes of a feature live; NULL: none. $1 the feature.
SELECT string_agg(n.id || ' (' || n.name || ')', ', ' ORDER BY n.id)
FROM howdah_internal.node n
WHERE n.features @> ARRAY[$1::text]
    AND EXISTS (SELECT FROM pg_locks l
                WHERE l.locktype = 'advisory'
                    AND l.classid = 1215264874
                    AND l.objid = n.id
                    AND l.objsubid = 2
                    AND l.granted
                    AND l.database = (
                        SELECT d.oid
                        FROM pg_database d
                        WHERE d.datname = current_database()));

-- name: node_table_there
-- Whether a table is there. $1 its name.
SELECT EXISTS (
    SELECT
    FROM pg_class c
    WHERE c.relnamespace IN (to_regnamespace('howdah'), to_regnamespace('howdah_internal'))
        AND c.relname = $1::text);

-- name: node_installed
-- Whether the table is there, and whether in its present form.
SELECT EXISTS (
    SELECT
    FROM pg_attribute a
    WHERE a.attrelid = to_regclass('howdah_internal.node')
        AND a.attname = 'features'
        AND NOT a.attisdropped
);

-- name: node_forget
-- The tables of a feature are removed: no node has claims of it. $1 the feature.
WITH part AS (
    UPDATE howdah_internal.node n
    SET features = array_remove(n.features, $1::text)
    WHERE n.features @> ARRAY[$1::text] AND NOT n.features <@ ARRAY[$1::text]
)
DELETE FROM howdah_internal.node n WHERE n.features <@ ARRAY[$1::text];
