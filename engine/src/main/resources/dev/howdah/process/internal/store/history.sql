-- How processes that are finished go. One node at a time does this.

-- name: history_lock
-- 1 for the node that gets the lock; it ends with the session.
SELECT CASE WHEN /*paused:*/false/*:paused*/ THEN NULL
    WHEN pg_try_advisory_lock(1215264888, 0) THEN 1 END;

-- name: history_retire(namespace, millis, most, archive, tell)
-- Processes of a namespace that have had nothing to do for a while. :millis for how many
-- milliseconds, :most how many of them at most, :archive whether they go to the archive, :tell
-- whether notices are written. A process that has just got a request is left alone.
WITH idle AS (
    SELECT p.number FROM howdah_internal.process p
    WHERE p.namespace = :namespace
        AND NOT /*paused:*/false/*:paused*/
        AND p.lane = 2
        AND p.due_at IS NOT NULL
        AND p.due_at <= now() - :millis::bigint * interval '1 ms'
    ORDER BY p.due_at LIMIT :most FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM howdah_internal.process p
    WHERE p.number = ANY (ARRAY(SELECT i.number FROM idle i))
    RETURNING p.*
), keys AS (
    DELETE FROM howdah_internal.process_key k
    WHERE k.process = ANY (ARRAY(SELECT g.number FROM gone g))
), archived AS (
    INSERT INTO howdah.process_archive (
        number, namespace, id, created, finished, last_event, metadata, aux_state)
    SELECT g.number, g.namespace, g.id, g.created, g.due_at, g.last_event, g.metadata, g.aux_state
    FROM gone g
    WHERE :archive::boolean
), rest AS (
    INSERT INTO howdah_internal.process_gone (number, archive)
    SELECT g.number, :archive::boolean
    FROM gone g
), told AS (
    INSERT INTO howdah_internal.process_outbox (namespace, process, at, kind)
    SELECT g.namespace, g.id, now(), 'removed'
    FROM gone g
    WHERE :tell::boolean
)
SELECT count(*) FROM gone;

-- name: history_purge(most, events)
-- What is left of processes that have gone, a part of it. :most of how many of them at most,
-- :events how many events, and how many tasks. How many rows went, and how many processes are still
-- left. By their places in the table: no other session touches these rows.
WITH these AS (
    SELECT g.number, g.archive
    FROM howdah_internal.process_gone g
    WHERE NOT /*paused:*/false/*:paused*/
    ORDER BY g.number
    LIMIT :most
    FOR UPDATE SKIP LOCKED
), events AS (
    DELETE FROM howdah_internal.process_event e WHERE e.ctid = ANY (ARRAY(
        SELECT f.place FROM these s
        CROSS JOIN LATERAL (
            SELECT v.ctid AS place
            FROM howdah_internal.process_event v
            WHERE v.process = s.number
            ORDER BY v.id
            LIMIT :events::bigint) AS f
        LIMIT :events::bigint))
    RETURNING e.*
), tasks AS (
    DELETE FROM howdah_internal.process_task t WHERE t.ctid = ANY (ARRAY(
        SELECT f.place FROM these s
        CROSS JOIN LATERAL (
            SELECT k.ctid AS place
            FROM howdah_internal.process_task k
            WHERE k.process = s.number
            ORDER BY k.id
            LIMIT :events::bigint) AS f
        LIMIT :events::bigint))
    RETURNING t.id
), kept AS (
    INSERT INTO howdah.process_archive_event (process, id, task, at, metadata, payload)
    SELECT e.process, e.id, e.task, e.at, e.metadata, e.payload FROM events e
    WHERE (e.process IN (SELECT s.number FROM these s WHERE s.archive)) IS TRUE
), counted AS (
    SELECT (SELECT count(*) FROM events e) AS events, (SELECT count(*) FROM tasks t) AS tasks
), done AS (
    DELETE FROM howdah_internal.process_gone g
    WHERE g.number = ANY (
        ARRAY(
            SELECT s.number
            FROM these s, counted c
            WHERE c.events < :events::bigint AND c.tasks < :events::bigint))
    RETURNING g.number
)
SELECT c.events + c.tasks, (SELECT count(*) FROM these s) - (SELECT count(*) FROM done d)
FROM counted c;

-- name: history_notice(namespaces, after, most)
-- Processes that have nothing to do, and of which it is not noted since when: what they did last
-- was done when it was not asked for. A page of the table: :after behind which number, :most how
-- many rows. The last number of the page; NULL: there are no more.
WITH page AS (
    SELECT p.number
    FROM howdah_internal.process p
    WHERE p.number > :after
    ORDER BY p.number
    LIMIT :most
), noticed AS (
    UPDATE howdah_internal.process p SET lane = 2, due_at = COALESCE(p.taken, now())
    WHERE p.number = ANY (ARRAY(
        SELECT q.number FROM howdah_internal.process q
        WHERE q.number = ANY (ARRAY(SELECT g.number FROM page g))
            AND q.namespace = ANY (:namespaces::integer[])
            AND q.status = 'running'
            AND COALESCE(q.node, 0) = 0
            AND q.due_at IS NULL
            AND q.queued = 0
            AND q.timer_type IS NULL
        FOR NO KEY UPDATE SKIP LOCKED))
)
SELECT max(g.number) FROM page g;
