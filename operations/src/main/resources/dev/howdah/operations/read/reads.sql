-- What pages of the console show and no class of the library returns: overviews of whole queues,
-- of errors, of nodes. Each reads a bounded number of rows.

-- name: database_snapshot
-- Changes with each transaction that writes, when it begins and when it ends: as long as it is the
-- same, no page has changed.
SELECT txid_current_snapshot()::text;

-- name: database_time
SELECT now() AS time;

-- name: database_features
SELECT to_regclass('howdah_internal.job') IS NOT NULL, to_regclass('howdah_internal.process') IS
    NOT NULL,
    to_regclass('howdah.sweep') IS NOT NULL;

-- name: database_server
-- Whether the table of versions is there, and may be read.
SELECT current_setting('server_version') AS version, current_database() AS database,
    current_user AS role,
    COALESCE(has_table_privilege(to_regclass('howdah.migration'), 'SELECT'), false) AS migrated;

-- name: table_versions
SELECT m.feature, max(m.version) AS version
FROM howdah.migration m
GROUP BY m.feature
ORDER BY m.feature;

-- name: stat_kinds(seconds, queue, most)
-- What has become of the jobs of each kind in the last :seconds seconds, as far as they are added
-- up; of :queue, or NULL for all. Those with the most failures first, :most of them.
SELECT s.kind, sum(s.done)::bigint AS done, sum(s.retried + s.died)::bigint AS retried,
    sum(s.failed)::bigint AS failed, sum(s.run_micros)::bigint AS run_micros,
    max(s.run_max_micros) AS run_max_micros
FROM howdah_internal.stat s
WHERE s.minute >= now() - :seconds * interval '1 second'
    AND (:queue::text IS NULL
        OR s.lane IN (SELECT l.id FROM howdah_internal.lane l WHERE l.queue = :queue))
GROUP BY s.kind
ORDER BY sum(s.failed) DESC, sum(s.retried + s.died) DESC, sum(s.done) DESC, s.kind
LIMIT :most;

-- name: job_error_groups(most, state, queue, kind, groups)
-- Errors of failed jobs, or of jobs that wait for a retry: grouped by their first line with
-- numbers, ids and quoted parts left out. :state failed or retrying; :queue, :kind or NULL; :groups
-- how many groups, those with the most jobs. Of the jobs of that queue and kind, the newest :most
-- are looked at: of those that have failed, of each lane its part, so that one in which many fail
-- hides no other. They are looked for among twice as many at most, where others have no index: by
-- their kind, and by their queue if they wait for a retry. Each row says whether these are all
-- there are, and since when each job that has failed was looked at; one row without a group: no job
-- has an error.
WITH lanes AS MATERIALIZED (
    SELECT l.id
    FROM howdah_internal.lane l
    LEFT JOIN LATERAL (
        -- In the order that failed_lane alone has: by failed_ended all could be read.
        SELECT f.id
        FROM howdah_internal.failed f
        WHERE f.lane = l.id AND f.state BETWEEN 'failed' AND 'failed'
        ORDER BY f.state DESC, f.ended DESC
        LIMIT 1) newest ON true
    WHERE (:queue::text IS NULL OR l.queue = :queue)
        AND (:state <> 'failed' OR newest.id IS NOT NULL)
), part AS MATERIALIZED (
    SELECT greatest(10, :most / greatest(count(*), 1)) AS jobs,
        greatest(10, CASE WHEN :kind::text IS NULL THEN 1 ELSE 2 END * :most / greatest(count(*),
            1))
            AS among
    FROM lanes
), older AS MATERIALIZED (
    -- Those that nobody looks at: of each lane the newest, or one.
    SELECT f.at
    FROM lanes l
    CROSS JOIN LATERAL (
        SELECT o.ended AS at
        FROM howdah_internal.failed o
        WHERE :state = 'failed' AND :kind::text IS NOT NULL
            AND o.lane = l.id AND o.state BETWEEN 'failed' AND 'failed'
        ORDER BY o.state DESC, o.ended DESC
        OFFSET (SELECT p.among FROM part p)
        LIMIT 1) f
    UNION ALL
    SELECT j.run_at
    FROM (
        SELECT o.run_at
        FROM howdah_internal.job o
        WHERE :state = 'retrying' AND COALESCE(:queue::text, :kind::text) IS NOT NULL
            AND o.attempt > 0
        ORDER BY o.id DESC
        OFFSET 2 * :most
        LIMIT 1) j
), seen AS MATERIALIZED (
    -- The beginning first: of a long stack trace only that is read.
    SELECT split_part(left(f.error, 500), E'\n', 1) AS line, f.lane, f.kind, f.ended AS at, f.id
    FROM lanes l
    CROSS JOIN LATERAL (
        SELECT n.*
        FROM (
            SELECT r.error, r.lane, r.kind, r.state, r.ended, r.id
            FROM howdah_internal.failed r
            WHERE :state = 'failed' AND r.lane = l.id AND r.state BETWEEN 'failed' AND 'failed'
            ORDER BY r.state DESC, r.ended DESC
            LIMIT (SELECT p.among + CASE WHEN :kind::text IS NULL THEN 1 ELSE 0 END FROM part p)) n
        WHERE :kind::text IS NULL OR n.kind = :kind
        ORDER BY n.state DESC, n.ended DESC
        LIMIT (SELECT p.jobs + 1 FROM part p)) f
    UNION ALL
    SELECT split_part(left(j.more ->> 'error', 500), E'\n', 1), j.lane, j.kind, j.run_at, j.id
    FROM (
        SELECT n.*
        FROM (
            SELECT r.*
            FROM howdah_internal.job r
            WHERE :state = 'retrying' AND r.attempt > 0
            ORDER BY r.id DESC
            LIMIT CASE WHEN COALESCE(:queue::text,
                :kind::text) IS NULL THEN :most + 1 ELSE 2 * :most END) n
        WHERE (:queue::text IS NULL OR n.lane IN (SELECT l.id FROM lanes l))
            AND (:kind::text IS NULL OR n.kind = :kind)
        ORDER BY n.id DESC
        LIMIT :most + 1) j
), bound AS MATERIALIZED (
    SELECT count(*) = 0 AS is_all, max(m.since) FILTER (WHERE :state = 'failed') AS since
    FROM (
        SELECT min(s.at) AS since
        FROM seen s
        GROUP BY CASE WHEN :state = 'failed' THEN s.lane END
        HAVING count(*) > CASE WHEN :state = 'failed' THEN (SELECT p.jobs FROM part p)
            ELSE :most END
        UNION ALL
        SELECT o.at
        FROM older o) m
), alike AS (
    -- Two of the three patterns of an error, by which thousands of texts become some hundreds: of
    -- an id that is replaced, as of a number, nothing is left that the other patterns could find.
    -- translate instead of the digits' pattern takes twice as long.
    SELECT regexp_replace(
            CASE WHEN e.line LIKE '%-%-%-%-%'
                THEN regexp_replace(e.line,
                    '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', '...', 'gi')
                ELSE e.line END,
            E'\\d+', '...', 'g') COLLATE "C" AS alike,
        e.lane, e.kind, count(*) AS jobs, min(e.line COLLATE "C") AS line, min(e.at) AS first,
        max(e.at) AS last, max(e.id) AS example
    FROM seen e
    WHERE e.line IS NOT NULL
    GROUP BY 1, 2, 3
)
SELECT b.is_all, b.since, n.*
FROM bound b
LEFT JOIN (
    SELECT g.pattern, sum(g.jobs)::bigint AS jobs, min(g.line) AS line,
        -- Named only here, and of the lines only their lanes are gathered: with the names of the
        -- queues of all lines, the groups did not fit into the memory of the statement.
        ARRAY(
            SELECT DISTINCT l.queue
            FROM unnest(array_agg(g.lane)) AS u (lane)
            JOIN howdah_internal.lane l ON l.id = u.lane
            ORDER BY l.queue) AS queues,
        ARRAY(SELECT DISTINCT u.name FROM unnest(array_agg(g.kind)) AS u (name) ORDER BY u.name)
            AS kinds,
        min(g.first) AS first, max(g.last) AS last, max(g.example) AS example
    FROM (
        -- The third pattern; not the function, which would cut what has become longer.
        SELECT a.*, regexp_replace(a.alike, '"[^"]*"|''[^'']*''', '"..."', 'g') AS pattern
        FROM alike a OFFSET 0) g
    GROUP BY g.pattern
    ORDER BY sum(g.jobs) DESC, g.pattern
    LIMIT :groups) n ON true
ORDER BY n.jobs DESC, n.pattern;

-- name: node_overview
-- The nodes, and whether each holds the lock that it has while it runs.
SELECT n.id, n.name, n.features, n.started, n.serves::text AS serves,
    CASE jsonb_typeof(n.serves::jsonb -> 'version')
        WHEN 'string' THEN n.serves::jsonb ->> 'version' END AS version,
    l.pid, a.backend_start, host(a.client_addr) AS address, COALESCE(b.jobs, 0)::bigint AS jobs
FROM howdah_internal.node n
LEFT JOIN pg_locks l
    ON l.locktype = 'advisory'
    AND l.classid = 1215264874
    AND l.objid::bigint = n.id
    AND l.objsubid = 2
    AND l.granted
    AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
LEFT JOIN pg_stat_activity a ON a.pid = l.pid
LEFT JOIN LATERAL (
    SELECT sum(o.jobs) AS jobs
    FROM howdah_internal.batch o
    WHERE o.node = n.id AND o.ended IS NULL) b ON true
ORDER BY n.id;

-- name: node_overview_of_processes
-- The same in a database without tables of jobs.
SELECT n.id, n.name, n.features, n.started, n.serves::text AS serves,
    CASE jsonb_typeof(n.serves::jsonb -> 'version')
        WHEN 'string' THEN n.serves::jsonb ->> 'version' END AS version,
    l.pid, a.backend_start, host(a.client_addr) AS address, 0::bigint AS jobs
FROM howdah_internal.node n
LEFT JOIN pg_locks l
    ON l.locktype = 'advisory'
    AND l.classid = 1215264874
    AND l.objid::bigint = n.id
    AND l.objsubid = 2
    AND l.granted
    AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
LEFT JOIN pg_stat_activity a ON a.pid = l.pid
ORDER BY n.id;

-- name: node_list_ended(seconds, most)
-- Nodes that have ended in the last :seconds seconds, the last one first, :most at most.
SELECT e.id, e.name, e.features, e.version, e.started, e.ended, e.reason
FROM howdah_internal.node_end e
WHERE e.ended >= now() - :seconds * interval '1 second'
ORDER BY e.ended DESC, e.incarnation
LIMIT :most;

-- name: node_processes(node, most)
-- :most how many at most.
SELECT s.name AS namespace, p.id, p.taken
FROM howdah_internal.process p
JOIN howdah_internal.process_namespace s ON s.id = p.namespace
WHERE p.node = :node
ORDER BY p.number
LIMIT :most;

-- name: job_latency(queue, claims, jobs)
-- How long the newest attempts that have ended waited after they were due, and how long they ran,
-- in seconds: the 50th, 95th and 99th percentile. :queue or NULL for all; :claims how many of the
-- newest claims are looked at, :jobs of about how many jobs.
WITH bound AS (
    SELECT min(s.id) AS batch
    FROM (
        SELECT b.id, sum(b.jobs) OVER (ORDER BY b.id DESC) - b.jobs AS newer
        FROM (
            SELECT n.id, n.jobs, n.lane
            FROM howdah_internal.batch n
            WHERE n.day >= CURRENT_DATE - 1
            ORDER BY n.id DESC
            LIMIT :claims) b
        WHERE :queue::text IS NULL
            OR b.lane IN (SELECT l.id FROM howdah_internal.lane l WHERE l.queue = :queue::text)) s
    WHERE s.newer < :jobs)
SELECT count(*) AS attempts,
    percentile_cont('{0.5, 0.95, 0.99}'::float8[]) WITHIN GROUP (
        ORDER BY GREATEST(extract(epoch FROM t.begun_at - t.run_at)::float8, 0)) AS waited,
    percentile_cont('{0.5, 0.95, 0.99}'::float8[]) WITHIN GROUP (
        ORDER BY GREATEST(extract(epoch FROM t.ended_at - t.begun_at)::float8, 0)) AS ran
FROM howdah.taken t
WHERE t.day >= CURRENT_DATE - 1
    AND t.batch >= (SELECT o.batch FROM bound o)
    AND t.ended IS NOT NULL
    AND t.begun_at IS NOT NULL
    AND t.ended_at IS NOT NULL
    AND (:queue::text IS NULL OR t.queue = :queue::text);

-- name: job_enter
-- $1 the queue, $2 the kind, $3 the payload, $4 the priority, $5 the time or NULL, $6 the delay or
-- NULL, $7 the key or NULL, $8 the most attempts or NULL, $9 options or NULL, $10 the timeout or
-- NULL.
SELECT a.id, a.added
FROM howdah_internal.add(
    $1::text, $2::text, $3::text::json, $4::integer, $5::timestamptz, $6::text::interval, $7::text,
    NULL::timestamptz, $8::integer, $10::text::interval, $9::text::jsonb) a;

-- name: job_claimed(jobs, batches)
-- What workers are told of running jobs. :batches the batches that have them. A timeout is in
-- milliseconds.
SELECT a.job, t.run_at, COALESCE((t.more ->> 'created')::timestamptz, t.run_at) AS created,
    ((t.more ->> 'timeout')::numeric * 1000)::bigint AS timeout, t.more ->> 'trace' AS trace,
    CASE WHEN t.more ? 'graph' THEN (
        SELECT json_object_agg(j.name,
            json_build_object('state', j.state, 'result', j.result, 'error', j.error) ORDER BY j.id)
        FROM howdah_internal.workflow_edge e
        JOIN howdah_internal.workflow_job j ON j.id = e.before
        WHERE e.after = a.job) END::text AS predecessors
FROM unnest(:jobs::bigint[], :batches::bigint[]) AS a (job, batch)
JOIN howdah_internal.batch b ON b.id = a.batch AND b.day >= CURRENT_DATE - 1
CROSS JOIN LATERAL unnest(b.ids, b.run_offsets) AS u (id, run_offset)
CROSS JOIN LATERAL (
    SELECT b.run_at + COALESCE(u.run_offset, 0) * interval '1 ms' AS run_at,
        b.rest -> u.id::text -> 'm' AS more) t
WHERE u.id = a.job;

-- name: server_connections_left
SELECT current_setting('max_connections')::integer
    - current_setting('superuser_reserved_connections')::integer
    - COALESCE(current_setting('reserved_connections', true)::integer, 0)
    -- Of pg_stat_activity a role without privileges does not see which sessions are of clients.
    - (SELECT sum(d.numbackends) FROM pg_stat_database d)::integer;

-- name: job_causes
-- In the transaction that has added the job :job.
SELECT w.sentence
FROM howdah.why_job(:job) w;

-- name: queue_failure_growth
-- Queues in which more jobs have failed in the last hour than in two usual hours of the day before.
-- What is not added up yet, of some seconds, is left out: the view howdah_internal.stat_parts reads
-- it.
SELECT f.queue, f.lately, f.before
FROM (
    SELECT l.queue,
        COALESCE(sum(s.failed) FILTER (WHERE s.minute >= now() - interval '1 hour'), 0)::bigint
            AS lately,
        COALESCE(sum(s.failed) FILTER (WHERE s.minute < now() - interval '1 hour'), 0)::bigint
            AS before
    FROM howdah_internal.stat s
    JOIN howdah_internal.lane l ON l.id = s.lane
    WHERE s.minute >= now() - interval '25 hours'
    GROUP BY l.queue) f
WHERE f.lately > 0 AND f.lately > 2 * f.before / 24.0
ORDER BY f.lately DESC;

-- name: queue_oldest_job
-- Of the jobs of the queue :queue that are due, the one that waits for longest.
SELECT o.id
FROM howdah_internal.lane l
JOIN (SELECT DISTINCT v.lane, v.priority FROM howdah_internal.lane_priority v) p
    ON p.lane = COALESCE(l.home, l.id)
CROSS JOIN LATERAL (
    SELECT n.id, n.run_at
    FROM howdah_internal.job n
    WHERE n.lane = l.id AND n.priority = p.priority AND n.run_at <= now()
    ORDER BY n.run_at
    LIMIT 1) o
WHERE l.queue = :queue
ORDER BY o.run_at
LIMIT 1;

-- name: job_workflow
SELECT w.workflow
FROM howdah.workflow_jobs w
WHERE w.id = :job;

-- name: schema_privilege
-- What is missing, when the tables cannot be created.
SELECT format('the role %s of the console may not create ', current_user)
    || CASE WHEN m.schema IS NOT NULL
        THEN format(
            'the schema %s. Run: GRANT CREATE ON DATABASE %I TO %I', m.schema, current_database(),
            current_user)
    ELSE format(
        'tables in the schema %s, which is not its own. Run: GRANT CREATE ON SCHEMA %I, %I TO %I',
        :schema, :schema, :schema || '_internal', current_user) END
FROM (
    SELECT min(s.name) AS schema
    FROM unnest(ARRAY[:schema, :schema || '_internal']) AS s (name)
    WHERE to_regnamespace(quote_ident(s.name)) IS NULL) m;

-- name: holiday_summaries
-- How many days each calendar has, and the next of them.
SELECT h.calendar, count(*) AS days, min(h.day) FILTER (WHERE h.day >= CURRENT_DATE)::text AS next,
    max(h.day)::text AS last
FROM howdah.holiday h
GROUP BY h.calendar
ORDER BY h.calendar;

-- name: workflow_enter
-- $1 the jobs, $2 the name or NULL, $3 whether it stays open, $4 to $6 what runs when all have
-- ended, are done, or one has failed, or NULL.
SELECT howdah.add_workflow($1::json, $2, $3::boolean, $4::json, $5::json, $6::json) AS id;

-- name: workflow_put_pipeline(name, stages)
SELECT howdah.put_pipeline(:name, :stages::json);

-- name: workflow_enter_pipeline(name, inputs)
-- :inputs an array.
SELECT howdah.add_to_pipeline(:name, input) AS id
FROM json_array_elements(:inputs::json) input;
