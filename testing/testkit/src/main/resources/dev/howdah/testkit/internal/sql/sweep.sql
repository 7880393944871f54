-- What tests of sweeps do.

-- name: sweep_retry_now
-- Rows that have failed are tried again without waiting. :sweep the name of the sweep.
UPDATE howdah.sweep_error e
SET retry_at = now()
FROM howdah.sweep s
WHERE s.name = :sweep AND e.sweep = s.id AND e.retry_at > now();
