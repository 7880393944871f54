-- What is to be told of processes.

-- name: outbox_lock
-- One node relays for a namespace at a time: true for the holder of the lock, which ends with the
-- session.
SELECT CASE WHEN /*paused:*/false/*:paused*/ THEN false
    ELSE pg_try_advisory_lock(1215264887, :namespace) END;

-- name: outbox_next(namespace, after, most, bytes, excluded)
-- Of one process the earlier have the smaller numbers: they are given while the process is locked.
-- :after behind which number: what is up to there has been told for certain; :most how many, :bytes
-- how many bytes of payloads, :excluded processes that are left out. With the number of the oldest
-- transaction that still runs: nothing will appear that an older one has written.
SELECT b.id, b.process, b.kind, b.at, b.event, b.detail, b.payload, b.metadata::text,
    EXISTS (SELECT FROM howdah.process_held h WHERE h.namespace = :namespace
        AND h.process = b.process),
    txid_snapshot_xmin(txid_current_snapshot())
FROM (
    SELECT o.*, sum(COALESCE(octet_length(o.payload), 0)) OVER (ORDER BY o.id) AS bytes,
        row_number() OVER (ORDER BY o.id) AS n
      FROM (SELECT p.* FROM howdah_internal.process_outbox p
            WHERE p.namespace = :namespace
                AND NOT /*paused:*/false/*:paused*/
                AND p.id + 0 > :after
                AND NOT p.held
                AND p.process <> ALL (:excluded::text[])
            ORDER BY p.id + 0 LIMIT :most) AS o) AS b
WHERE b.bytes <= :bytes::bigint OR b.n = 1 ORDER BY b.id;

-- name: outbox_arrived
-- With the number of this transaction: a transaction that has written notices with smaller numbers
-- has an older one. It need not wait for the disk: what a crash brings back is told again, in its
-- order.
WITH durability AS (
    SELECT set_config('synchronous_commit', 'off', true) AS commit
), gone AS (
    DELETE FROM howdah_internal.process_outbox o WHERE o.id = ANY (:notices::bigint[])
)
SELECT txid_current(), d.commit FROM durability d;

-- name: outbox_hold(namespace, processes, notices, reason)
-- Notices that will never be taken as they are: one for each process. :reason why.
INSERT INTO howdah.process_held (namespace, process, notice, reason)
SELECT :namespace::integer, a.process, a.notice, a.reason
FROM unnest(:processes::text[], :notices::bigint[], :reason::text[]) AS a (process, notice, reason)
ON CONFLICT (namespace, process) DO UPDATE SET notice = EXCLUDED.notice, reason = EXCLUDED.reason,
    since = now(), decision = NULL;

-- name: outbox_set_aside
-- Notices that wait for such a one of their process, or are it.
UPDATE howdah_internal.process_outbox o SET held = true WHERE o.id = ANY (:notices::bigint[]);

-- name: outbox_release
-- What a user has decided. A notice that is given up goes, those behind it are told. How many
-- processes.
WITH decided AS (
    DELETE FROM howdah.process_held h
    WHERE h.namespace = :namespace AND h.decision IS NOT NULL AND NOT /*paused:*/false/*:paused*/
    RETURNING h.process, h.notice, h.decision
), skipped AS (
    DELETE FROM howdah_internal.process_outbox o
    WHERE o.id = ANY (ARRAY(SELECT d.notice FROM decided d WHERE d.decision = 'skip'))
        AND o.namespace = :namespace
), freed AS (
    UPDATE howdah_internal.process_outbox o SET held = false
    FROM (SELECT d.process, d.notice, d.decision FROM decided d) AS d
    WHERE o.namespace = :namespace
        AND o.process = d.process
        AND o.held
        AND (o.id <> d.notice OR d.decision = 'again')
)
SELECT count(*) FROM decided d;

-- name: outbox_lag
-- How much waits, and for how many seconds. :namespaces the names of namespaces.
SELECT v.namespace, v.waiting,
    COALESCE(GREATEST(extract(epoch FROM clock_timestamp() - v.oldest), 0), 0)::float8,
    v.held_processes, v.held
FROM howdah.process_notices v WHERE v.namespace = ANY (:namespaces::text[]);

-- name: outbox_held(namespace, most)
-- What a user has to decide on, the oldest first. :most how many.
SELECT h.process, h.notice, o.kind, o.event, h.reason, h.since,
    (SELECT count(*) FROM (SELECT FROM howdah_internal.process_outbox w
                           WHERE w.namespace = h.namespace
                               AND w.process = h.process
                               AND w.held
                               AND w.id > h.notice
                           LIMIT 100000) AS few)
FROM howdah.process_held h JOIN howdah_internal.process_outbox o ON o.id = h.notice
WHERE h.namespace = :namespace AND h.decision IS NULL
ORDER BY h.since, h.process
LIMIT :most;

-- name: outbox_decide(namespace, process, decision)
-- :decision again or skip. No row: nothing is held there. Rings for the relay.
UPDATE howdah.process_held h
SET decision = :decision
WHERE h.namespace = :namespace AND h.process = :process AND h.decision IS NULL
RETURNING h.notice, pg_notify('howdah_process_outbox', :namespace::integer::text);

-- name: outbox_alive
SELECT 1;
