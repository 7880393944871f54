-- Queues of which only so many jobs run at a time. Taking from one is a transaction: lock, count, claim. Each is a statement
-- of its own, so that who has the lock sees all that was taken before.

-- name: lock
-- One takes from the queue at a time; who finds another one there comes again. Until the end of the transaction, which a node that
-- is frozen in it does not hold up for long. $1 the queue.
SELECT pg_try_advisory_xact_lock(1215264884, l.id), set_config('idle_in_transaction_session_timeout', '10s', true)
FROM howdah.lane l WHERE l.queue = $1 AND l.kind IS NULL;

-- name: room
-- How many more may run; no row: as many as one likes. $1 the queue.
SELECT q.most - COALESCE((SELECT sum(b.jobs) FROM howdah.batch b
                          WHERE b.node > 0 AND b.ended IS NULL AND b.lane = ANY (ARRAY(SELECT l.id FROM howdah.lane l WHERE l.queue = $1))), 0)
FROM howdah.queue_limit q WHERE q.queue = $1;

-- name: limited
SELECT ARRAY(SELECT q.queue FROM howdah.queue_limit q);
