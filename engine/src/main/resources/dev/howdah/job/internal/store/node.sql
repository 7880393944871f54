-- Who works, and who has died.

-- name: node_search_path
SELECT set_config('search_path', 'pg_catalog, pg_temp', false);

-- name: node_enter
-- Nobody sees the node before its lock is held. $1 the name.
INSERT INTO howdah.node (name)
VALUES ($1)
RETURNING id, incarnation::text, pg_try_advisory_lock(1215264874, id);

-- name: node_enter_elsewhere
-- The same under a random id. No row: the id is taken. $1 the name.
INSERT INTO howdah.node (id, name)
OVERRIDING SYSTEM VALUE
VALUES ((1000000000 + random() * 1000000000)::integer, $1)
ON CONFLICT (id) DO NOTHING
RETURNING id, incarnation::text, pg_try_advisory_lock(1215264874, id);

-- name: node_replaced
-- The program of a node goes on as another node. $1 the former node, $2 its token.
UPDATE howdah.node SET replaced = true WHERE id = $1 AND incarnation = $2::uuid;

-- name: node_present
-- Takes the lock of a node again, and counts that in its row. No row: the node was taken for dead,
-- or the id is another node's now. $1 the node, $2 its token.
WITH held AS (
    SELECT n.id, pg_try_advisory_lock(1215264874, n.id) AS locked
    FROM howdah.node n
    WHERE n.id = $1 AND n.incarnation = $2::uuid
), counted AS (
    UPDATE howdah.node n
    SET returned = n.returned + 1
    FROM held h
    WHERE n.id = h.id AND h.locked
    RETURNING n.id
)
SELECT h.locked, EXISTS (SELECT FROM counted) FROM held h;

-- name: node_watch
-- What a node asks from time to time: whether it is there itself, whose locks are free, whether
-- there are new lanes, whether something is left of keys or of cancelled jobs, in how many
-- milliseconds a schedule is due, whether a job waits to be let in, which limits there are, and how
-- often the nodes whose locks are free have come back. $1 the node, $2 its token.
SELECT EXISTS (SELECT FROM howdah.node n WHERE n.id = $1 AND n.incarnation = $2::uuid),
    f.ids,
    -- Lanes are never removed; one with a lower number than the last may commit after it.
    (SELECT count(*) FROM howdah.lane l),
    now()::date::text,
    EXISTS (SELECT FROM howdah.key_late) OR EXISTS (SELECT FROM howdah.cancellation),
    (
        SELECT GREATEST(
            COALESCE(extract(epoch FROM s.next_at - clock_timestamp()) * 1000, 0), 0)::bigint
     FROM howdah.schedule s
     WHERE s.paused IS NULL AND s.error IS NULL
     ORDER BY s.next_at NULLS FIRST
     LIMIT 1),
    EXISTS (SELECT FROM howdah.ordered o WHERE o.fresh)
        OR EXISTS (SELECT FROM howdah.order_key k WHERE k.job IS NULL),
    (SELECT json_agg(q)::text FROM howdah.queue_limit q),
    f.returned
FROM (
    SELECT COALESCE(array_agg(n.id), '{}') AS ids, COALESCE(array_agg(n.returned), '{}') AS returned
    FROM howdah.node n
    WHERE n.id <> $1 AND pg_try_advisory_xact_lock(1215264874, n.id)
) AS f;

-- name: node_end_work
-- Handlers of a dead node that are in the middle of their job's transaction keep the job from going
-- on elsewhere. $1 the node,
-- $2 whether a session that is no node's holds its lock.
SELECT count(pg_terminate_backend(l.pid))
FROM pg_locks l
WHERE (SELECT $2::boolean OR pg_try_advisory_xact_lock(1215264874, $1))
    AND l.locktype = 'advisory'
    AND l.classid = 1215264880
    AND l.objid = $1
    AND l.objsubid = 2
    AND l.granted
    AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database());

-- name: node_death
-- Only one may bring home what a dead node had: true for whoever holds its lock until the end of
-- the transaction. And whether its end counts as a death: not if its program lives on. $1 the node,
-- $2 how often it had come back when its lock was seen free, $3 whether a session that is no node's
-- holds its lock.
SELECT $3::boolean
        OR pg_try_advisory_xact_lock(1215264874, $1)
        AND NOT EXISTS (SELECT FROM howdah.node n WHERE n.id = $1 AND n.returned <> $2),
    NOT EXISTS (SELECT FROM howdah.node n WHERE n.id = $1 AND n.replaced);

-- name: node_leave
-- $1 the node.
DELETE FROM howdah.node WHERE id = $1;

-- name: node_is_there
-- Whether the row of a node is its own. $1 the node, $2 its token.
SELECT EXISTS (SELECT FROM howdah.node n WHERE n.id = $1 AND n.incarnation = $2::uuid);

-- name: node_orphans
-- Open batches of nodes that are not there any more: one took them in the moment it was declared
-- dead.
SELECT DISTINCT b.node FROM howdah.batch b
WHERE b.ended IS NULL AND NOT EXISTS (SELECT FROM howdah.node n WHERE n.id = b.node);

-- name: day_make
SELECT howdah.make_days();

-- name: day_may_make
-- Who only adds may not, and need not.
SELECT has_function_privilege('howdah.make_days()', 'EXECUTE');

-- name: day_drop
-- $1 the table.
SELECT howdah.drop_day($1)::text;

-- name: day_lock
-- One keeps house at a time; until the end of the transaction.
SELECT pg_try_advisory_xact_lock(1215264876, 0);

-- name: day_list_old
-- Tables of days that are older than $1 days and have no open batch. What is open that long moves
-- on by itself.
SELECT c.relname
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = 'howdah.batch'::regclass AND c.relname ~ '^batch_[0-9]{8}$'
    AND to_date(substr(c.relname, 7), 'YYYYMMDD') < CURRENT_DATE - $1::integer
    AND NOT EXISTS (SELECT FROM howdah.batch b
                    WHERE b.day = to_date(substr(c.relname, 7), 'YYYYMMDD') AND b.ended IS NULL);

-- name: failed_delete_old
-- $1 how many days failed jobs are kept, $2 how many go at most.
WITH gone AS (
    DELETE FROM howdah.failed f
    WHERE f.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM howdah.failed o
        WHERE o.ended < now() - $1::integer * interval '1 day'
        ORDER BY o.ended
        LIMIT $2
        FOR UPDATE SKIP LOCKED))
    RETURNING f.id
), bodies AS (
    DELETE FROM howdah.body b WHERE b.job IN (SELECT g.id FROM gone g)
)
SELECT count(*) FROM gone;

-- name: key_settle_late
SELECT howdah.keys_late()::text;

-- name: key_delete_old
-- Versions of keys are remembered for as long as failed jobs. $1 how many days, $2 how many go at
-- most.
WITH gone AS (
    DELETE FROM howdah.key k
    WHERE k.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM howdah.key o
        WHERE o.ended < now() - $1::integer * interval '1 day'
        ORDER BY o.ended
        LIMIT $2
        FOR UPDATE SKIP LOCKED))
    RETURNING k.job
)
SELECT count(*) FROM gone;

-- name: cancellation_list
-- Jobs of a node that somebody wants to end. $1 the node.
SELECT c.job FROM howdah.cancellations($1) AS c (job);

-- name: node_alive
-- Who works here; NULL: nobody.
SELECT string_agg(n.id || ' (' || n.name || ')', ', ' ORDER BY n.id)
FROM howdah.node n
WHERE EXISTS (SELECT FROM pg_locks l
              WHERE l.locktype = 'advisory'
                  AND l.classid = 1215264874
                  AND l.objid = n.id
                  AND l.objsubid = 2
                  AND l.granted
                  AND l.database = (
                      SELECT d.oid
                      FROM pg_database d
                      WHERE d.datname = current_database()));

-- name: job_count_left
-- Which jobs there are that have not ended; NULL: none.
SELECT NULLIF(concat_ws(', ',
    (
        SELECT count(*) || ' wait'
        FROM (
            SELECT
            FROM howdah.job
            UNION ALL
            SELECT
            FROM howdah.ordered
            UNION ALL
            SELECT
            FROM howdah.follower) w
     HAVING count(*) > 0),
    (
        SELECT sum(b.jobs) || ' run'
        FROM howdah.batch b
        WHERE b.ended IS NULL
        HAVING count(*) > 0)), '');
