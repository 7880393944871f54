-- Jobs, version 15: errors have a stack trace behind their first line. Nodes of earlier versions may go on beside it.

-- name: errors
COMMENT ON COLUMN howdah.batch.details IS
    'by id, of jobs that have some: error, result. The first line of an error is its class and message, its stack trace and causes follow';
COMMENT ON COLUMN howdah.failed.error IS
    'of the last attempt: class and message in the first line, then the stack trace and the causes; 8000 characters at most';

CREATE OR REPLACE VIEW howdah.errors AS
SELECT e.state, l.queue, e.kind, e.error, count(*) AS jobs, min(e.at) AS earliest, max(e.at) AS latest
FROM (SELECT 'retrying' AS state, j.lane, j.kind, split_part(j.more ->> 'error', E'\n', 1) AS error, j.run_at AS at
      FROM howdah.job j
      WHERE j.attempt > 0 AND j.more ->> 'error' IS NOT NULL
      UNION ALL
      SELECT f.state, f.lane, f.kind, split_part(f.error, E'\n', 1), f.ended
      FROM howdah.failed f
      WHERE f.error IS NOT NULL) e
JOIN howdah.lane l ON l.id = e.lane
GROUP BY e.state, l.queue, e.kind, e.error
ORDER BY count(*) DESC, e.error;
COMMENT ON VIEW howdah.errors IS
    'With which errors, by their first line, how many jobs wait for another attempt, or have failed: most frequent first. earliest and latest: when those that wait are due, when the others failed.';

INSERT INTO howdah.migration (feature, version) VALUES ('job', 15);
