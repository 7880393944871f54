-- The locks of readers that sleep. The class of the locks is inserted.

-- name: lock_fall_asleep
-- Whether writers to each of these places will ring from now on; false: not yet, a writer has added
-- in a transaction that goes on; NULL: another reader sleeps there. $1 the places.
SELECT s.id, CASE WHEN pg_try_advisory_lock(/*class*/0, s.id) THEN true
                  WHEN pg_try_advisory_lock_shared(/*class*/0, s.id)
                      THEN NOT pg_advisory_unlock_shared(/*class*/0, s.id) END
FROM unnest($1::integer[]) AS s (id);

-- name: lock_wake_up
-- $1 the places.
SELECT pg_advisory_unlock(/*class*/0, s.id)
FROM unnest($1::integer[]) AS s (id);
