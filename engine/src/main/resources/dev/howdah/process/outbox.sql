-- What is to be told of processes.

-- name: lock
-- One node tells of a namespace at a time: true for whoever holds the lock, which ends with the session. $1 the namespace.
SELECT pg_try_advisory_lock(1215264884, $1);

-- name: next
-- Of one process the earlier have the smaller numbers: they are given while the process is locked. $1 the namespace, $2 how many.
SELECT o.id, o.process, o.kind, o.at, o.event, o.detail, o.payload, o.metadata::text
FROM howdah.process_outbox o WHERE o.namespace = $1 ORDER BY o.id LIMIT $2;

-- name: arrived
-- $1 the notices.
DELETE FROM howdah.process_outbox o WHERE o.id = ANY ($1::bigint[]);
