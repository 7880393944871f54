-- What the table of transactions of frameworks asks.

-- name: test_bridge_rows
-- How many jobs, signals and processes there are.
SELECT
    (SELECT count(*) FROM howdah_internal.job)
    + (SELECT count(*) FROM howdah_internal.job_signal)
    + (SELECT count(*) FROM howdah_internal.job_event)
    + (SELECT count(*) FROM howdah_internal.process);
