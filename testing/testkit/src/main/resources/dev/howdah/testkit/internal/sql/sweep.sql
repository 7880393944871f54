-- What tests of sweeps do.

-- name: sweep_retry_now
-- Rows that have failed are tried again without waiting. $1 the name of the sweep.
UPDATE howdah.sweep_error e
SET retry_at = now()
FROM howdah.sweep s
WHERE s.name = $1 AND e.sweep = s.id AND e.retry_at > now();
