CREATE VIEW howdah.errors AS
SELECT e.state, l.queue, e.kind, e.error, count(*) AS jobs, min(e.at) AS earliest,
    max(e.at) AS latest
FROM (
    SELECT 'retrying' AS state, j.lane, j.kind, split_part(j.more ->> 'error', E'\n', 1) AS error,
        j.run_at AS at
      FROM howdah_internal.job j
      WHERE j.attempt > 0 AND j.more ->> 'error' IS NOT NULL
      UNION ALL
      SELECT f.state, f.lane, f.kind, split_part(f.error, E'\n', 1), f.ended
      FROM howdah_internal.failed f
      WHERE f.error IS NOT NULL) e
JOIN howdah_internal.lane l ON l.id = e.lane
GROUP BY e.state, l.queue, e.kind, e.error
ORDER BY count(*) DESC, e.error;
COMMENT ON VIEW howdah.errors IS
    'Errors, by their first line, and how many jobs wait for a retry or have failed with each: '
    'most frequent first. earliest and latest: when those that wait are due, when the others '
    'failed.';

-- Views of jobs -----------------------------------------------------------------------------------

-- The jobs of batches, one by one.
CREATE VIEW howdah.taken AS
SELECT u.id, l.queue, COALESCE(b.kind, u.kind) AS kind,
    COALESCE((b.rest -> u.id::text ->> 'p')::smallint, 0::smallint) AS priority,
    LEAST(COALESCE((b.rest -> u.id::text ->> 'a')::integer, 0) + 1, 32767)::smallint AS attempt,
    COALESCE(
        (b.rest -> u.id::text -> 'm' ->> 'created')::timestamptz,
        b.run_at + COALESCE(u.run_offset, 0) * interval '1 ms') AS created,
    b.run_at + COALESCE(u.run_offset, 0) * interval '1 ms' AS run_at, b.taken, b.ended,
    b.taken + u.began * interval '1 microsecond' AS begun_at,
    b.taken + (u.began::bigint + u.ran) * interval '1 microsecond' AS ended_at,
    COALESCE(substr(b.outcomes, u.n::integer, 1), 'd') AS letter, b.node,
    b.rest -> u.id::text -> 'm' ->> 'error' AS error,
    b.details -> u.id::text -> 'result' AS result, u.payload, b.day, b.first_id, b.last_id,
    b.rest -> u.id::text -> 'm' ->> 'key' AS key, b.id AS batch,
    b.rest -> u.id::text -> 'm' -> 'tags' AS tags,
    b.rest -> u.id::text -> 'm' -> 'metadata' AS metadata, b.rest
FROM howdah_internal.batch b JOIN howdah_internal.lane l ON l.id = b.lane
CROSS JOIN LATERAL unnest(b.ids, b.run_offsets, b.kinds, b.payloads, b.begins, b.runs)
    WITH ORDINALITY AS u (id, run_offset, kind, payload, began, ran, n);
COMMENT ON VIEW howdah.taken IS
    'Jobs that nodes have claimed: those that run (ended is NULL), and the outcomes of the others '
    '(letter, as in howdah_internal.batch.outcomes). rest is that of the batch.';

-- The states are constants, so that a query for one state reads only its table.
CREATE VIEW howdah.jobs AS
SELECT j.id, l.queue, j.kind, 'waiting'::text AS state, j.priority, j.attempt,
    COALESCE((j.more ->> 'created')::timestamptz, j.run_at) AS created, j.run_at,
    NULL::timestamptz AS begun, NULL::timestamptz AS ended,
    NULL::integer AS node, j.more ->> 'error' AS error, NULL::jsonb AS result,
    COALESCE(j.payload, (SELECT b.payload FROM howdah_internal.body b
        WHERE b.job = j.id)) AS payload,
    NULL::date AS day, j.more ->> 'key' AS key, j.more -> 'tags' AS tags,
    j.more -> 'metadata' AS metadata
FROM howdah_internal.job j JOIN howdah_internal.lane l ON l.id = j.lane
WHERE j.run_at <= now()
UNION ALL
SELECT j.id, l.queue, j.kind, 'planned', j.priority, j.attempt,
    COALESCE((j.more ->> 'created')::timestamptz, j.run_at), j.run_at, NULL, NULL, NULL, NULL, NULL,
    COALESCE(j.payload, (SELECT b.payload FROM howdah_internal.body b WHERE b.job = j.id)), NULL,
    j.more ->> 'key', j.more -> 'tags', j.more -> 'metadata'
FROM howdah_internal.job j JOIN howdah_internal.lane l ON l.id = j.lane
WHERE j.run_at > now() AND j.attempt = 0 AND j.more -> 'wait' IS NULL
UNION ALL
SELECT j.id, l.queue, j.kind, 'retrying', j.priority, j.attempt,
    COALESCE((j.more ->> 'created')::timestamptz, j.run_at), j.run_at, NULL, NULL, NULL,
    j.more ->> 'error', NULL,
    COALESCE(j.payload, (SELECT b.payload FROM howdah_internal.body b WHERE b.job = j.id)), NULL,
    j.more ->> 'key', j.more -> 'tags', j.more -> 'metadata'
FROM howdah_internal.job j JOIN howdah_internal.lane l ON l.id = j.lane
WHERE j.run_at > now() AND j.attempt > 0 AND j.more -> 'wait' IS NULL
UNION ALL
SELECT j.id, l.queue, j.kind, 'suspended', j.priority, j.attempt,
    COALESCE((j.more ->> 'created')::timestamptz, j.run_at), j.run_at, NULL, NULL, NULL,
    j.more ->> 'error', NULL,
    COALESCE(j.payload, (SELECT b.payload FROM howdah_internal.body b WHERE b.job = j.id)), NULL,
    j.more ->> 'key', j.more -> 'tags', j.more -> 'metadata'
FROM howdah_internal.job j JOIN howdah_internal.lane l ON l.id = j.lane
WHERE j.run_at > now() AND j.more -> 'wait' IS NOT NULL
UNION ALL
SELECT f.id, l.queue, f.kind, 'following', f.priority, 0::smallint,
    COALESCE((f.more ->> 'created')::timestamptz, f.run_at), f.run_at, NULL, NULL, NULL, NULL, NULL,
    COALESCE(f.payload, (SELECT b.payload FROM howdah_internal.body b WHERE b.job = f.id)), NULL,
    f.more ->> 'key', f.more -> 'tags', f.more -> 'metadata'
FROM howdah_internal.follower f JOIN howdah_internal.lane l ON l.id = f.lane
UNION ALL
SELECT o.id, l.queue, o.kind, 'following', o.priority, 0::smallint,
    COALESCE((o.more ->> 'created')::timestamptz, o.run_at), o.run_at, NULL, NULL, NULL, NULL, NULL,
    COALESCE(o.payload, (SELECT b.payload FROM howdah_internal.body b WHERE b.job = o.id)), NULL,
        NULL,
    o.more -> 'tags', o.more -> 'metadata'
FROM howdah_internal.ordered o JOIN howdah_internal.lane l ON l.id = o.lane
UNION ALL
SELECT w.id, l.queue, w.kind, 'following', w.priority, 0::smallint,
    COALESCE((w.more ->> 'created')::timestamptz, w.run_at), w.run_at, NULL, NULL, NULL, NULL, NULL,
    COALESCE(w.payload, (SELECT b.payload FROM howdah_internal.body b WHERE b.job = w.id)), NULL,
        NULL,
    w.more -> 'tags', w.more -> 'metadata'
FROM howdah_internal.workflow_job w JOIN howdah_internal.lane l ON l.id = w.lane
WHERE w.state = 'held'
UNION ALL
SELECT t.id, t.queue, t.kind, 'running', t.priority, t.attempt, t.created, t.run_at, t.taken, NULL,
    t.node, t.error, NULL,
    COALESCE(t.payload, (SELECT y.payload FROM howdah_internal.body y WHERE y.job = t.id)), t.day,
        t.key,
    t.tags, t.metadata
FROM howdah.taken t WHERE t.ended IS NULL
UNION ALL
SELECT t.id, t.queue, t.kind, 'done', t.priority, t.attempt, t.created, t.run_at, t.begun_at,
    t.ended_at, t.node, NULL, t.result, t.payload, t.day, t.key, t.tags, t.metadata
FROM howdah.taken t WHERE t.ended IS NOT NULL AND t.letter = 'd'
UNION ALL
SELECT f.id, l.queue, f.kind, 'failed', f.priority, f.attempt,
    COALESCE((f.more ->> 'created')::timestamptz, f.run_at), f.run_at, NULL, f.ended, f.node,
    f.error, NULL, COALESCE(f.payload,
        (SELECT b.payload FROM howdah_internal.body b WHERE b.job = f.id)),
    NULL, f.more ->> 'key', f.more -> 'tags', f.more -> 'metadata'
FROM howdah_internal.failed f JOIN howdah_internal.lane l ON l.id = f.lane
WHERE f.state = 'failed'
UNION ALL
SELECT f.id, l.queue, f.kind, 'cancelled', f.priority, f.attempt,
    COALESCE((f.more ->> 'created')::timestamptz, f.run_at), f.run_at, NULL, f.ended, f.node,
    f.error, NULL, COALESCE(f.payload,
        (SELECT b.payload FROM howdah_internal.body b WHERE b.job = f.id)),
    NULL, f.more ->> 'key', f.more -> 'tags', f.more -> 'metadata'
FROM howdah_internal.failed f JOIN howdah_internal.lane l ON l.id = f.lane
WHERE f.state = 'cancelled';
COMMENT ON VIEW howdah.jobs IS
    'All jobs there are. Ask for a state, or for a day of the done ones; for one job see '
    'howdah.find.';

CREATE FUNCTION howdah.stages(job bigint)
RETURNS TABLE (stage text, node integer, attempts integer, begun timestamptz, ended timestamptz)
LANGUAGE sql STABLE
SET enable_seqscan = off
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT s ->> 'kind', (s ->> 'node')::integer, (s ->> 'attempts')::integer,
        (s ->> 'begun')::timestamptz, (s ->> 'ended')::timestamptz
    FROM (
        SELECT m.stages
        FROM (
            SELECT j.more -> 'stages' AS stages
            FROM howdah_internal.job j
            WHERE j.id = $1
            UNION ALL
            SELECT f.more -> 'stages'
            FROM howdah_internal.failed f
            WHERE f.id = $1
            UNION ALL
            SELECT b.rest -> $1::text -> 'm' -> 'stages'
            FROM howdah_internal.batch b
            WHERE $1 BETWEEN b.first_id AND b.last_id AND $1 = ANY (b.ids)
        ) m
        WHERE m.stages IS NOT NULL
        ORDER BY jsonb_array_length(m.stages) DESC
        LIMIT 1
    ) AS longest,
        jsonb_array_elements(longest.stages) AS s
$howdah$;
COMMENT ON FUNCTION howdah.stages(bigint) IS
    'The stages of its pipeline that a job has passed, the last hundred of them.';

-- Given back (g), unknown to its node (u) and moved to another batch (m) are not attempts: the job
-- goes on in another batch.
CREATE FUNCTION howdah.attempts(job bigint)
RETURNS TABLE (
    attempt integer, kind text, outcome text, node integer, begun timestamptz, ended timestamptz,
    error text)
LANGUAGE sql STABLE
SET enable_seqscan = off
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT COALESCE((b.rest -> $1::text ->> 'a')::integer, 0) + 1, COALESCE(b.kind, b.kinds[u.n]),
        CASE COALESCE(substr(b.outcomes, u.n, 1), CASE WHEN b.ended IS NULL THEN '' ELSE 'd' END)
            WHEN '' THEN 'running'
            WHEN 'd' THEN 'done'
            WHEN 'n' THEN 'next_stage'
            WHEN 'r' THEN 'retried'
            WHEN 's' THEN 'snoozed'
            WHEN 'w' THEN 'suspended'
            WHEN 'f' THEN 'failed'
            WHEN 'c' THEN 'cancelled'
            ELSE 'node_crashed'
        END,
        b.node, COALESCE(b.taken + b.begins[u.n] * interval '1 microsecond', b.taken),
        COALESCE(
            b.taken + (b.begins[u.n]::bigint + b.runs[u.n]) * interval '1 microsecond', b.ended),
        b.details -> $1::text ->> 'error'
    FROM howdah_internal.batch b
    CROSS JOIN LATERAL (SELECT array_position(b.ids, $1) AS n) AS u
    WHERE b.first_id <= $1
        AND b.last_id >= $1
        AND u.n IS NOT NULL
        AND COALESCE(substr(b.outcomes, u.n, 1), 'd') NOT IN ('g', 'u', 'm')
    ORDER BY b.taken, b.id
$howdah$;
COMMENT ON FUNCTION howdah.attempts(bigint) IS
    'The attempts of a job that the history still has, the earliest first: outcome is running, '
    'done, next_stage (of its pipeline), retried, snoozed, suspended (its handler waits), failed, '
    'cancelled or node_crashed.';
