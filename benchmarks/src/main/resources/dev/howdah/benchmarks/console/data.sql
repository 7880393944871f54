-- Makes the data that the console is measured on: statements run in their order, each in a
-- transaction of its own. The same seed makes the same rows, but for the times, which end now. In
-- each statement $1 is the seed and $2 the number of jobs that are done.

-- name: data_functions
-- A number from 0 to below the bound that looks random and is the same each time.
CREATE FUNCTION pg_temp.pick(number bigint, seed bigint, bound integer)
RETURNS integer
LANGUAGE sql IMMUTABLE
RETURN (abs(hashint8extended(number, seed) % bound))::integer;

-- name: data_tasks
-- A task for ten jobs: one in a hundred is planned, two have failed, the others are done; in 500
-- groups.
INSERT INTO task (plan, start, stop, state, "group", input, output, error)
SELECT t.at + CASE WHEN t.state = 'PLAN' THEN interval '30 days' ELSE interval '0' END,
    CASE WHEN t.state <> 'PLAN' THEN t.at + interval '5 ms' END,
    CASE WHEN t.state <> 'PLAN' THEN t.at + interval '25 ms' END, t.state,
    'group-' || pg_temp.pick(t.n, $1 + 1, 500), 'SELECT send_mail(' || t.n || ', ''welcome'')',
    CASE WHEN t.state = 'DONE' THEN 'sent to reader ' || t.n END,
    CASE WHEN t.state = 'FAIL'
        THEN 'ERROR:  no mailbox for reader ' || t.n || E'\nSQLSTATE:  P0001' END
FROM (
    SELECT n,
        now() - interval '7 days' + n * interval '7 days' / ($2 / 10) AS at,
        (CASE WHEN pg_temp.pick(n, $1, 100) = 0 THEN 'PLAN'
            WHEN pg_temp.pick(n, $1, 100) < 3 THEN 'FAIL'
            ELSE 'DONE' END)::state AS state
    FROM generate_series(1, $2 / 10) AS g (n)) t;

-- name: data_queues
SELECT count(howdah.add('queue-' || q, 'kind-1', '{}'))
FROM generate_series(1, 30) AS g (q);

-- name: data_days
SELECT howdah_internal.make_day(CURRENT_DATE - d)
FROM generate_series(0, 8) AS g (d);

-- name: data_done
-- Batches of a hundred jobs in seven days, over all queues and 60 kinds.
INSERT INTO howdah_internal.batch (
    day, id, token, node, lane, taken, ended, begun, alone, jobs, first_id, last_id, ids, run_at,
    kind, payloads, begins, runs)
SELECT b.at::date, (extract(epoch FROM b.at) * 1000000)::bigint, b.n, 1, l.id, b.at,
    b.at + interval '90 ms', true, false, 100, 1000000 + b.n * 100, 1000099 + b.n * 100,
    ARRAY(SELECT 1000000 + b.n * 100 + i FROM generate_series(0, 99) AS s (i)),
    b.at - interval '3 ms', 'kind-' || pg_temp.pick(b.n, $1 + 2, 60),
    ARRAY(
        SELECT ('{"customer":' || pg_temp.pick(b.n * 100 + i, $1, 50000) || '}')::json
        FROM generate_series(0, 99) AS s (i)),
    ARRAY(SELECT 400 + i * 20 FROM generate_series(0, 99) AS s (i)),
    ARRAY(SELECT 1000 + pg_temp.pick(b.n + i, $1, 80000) FROM generate_series(0, 99) AS s (i))
FROM (
    SELECT n, now() - interval '7 days' + n * interval '7 days' / ($2 / 100) AS at
    FROM generate_series(1, $2 / 100) AS g (n)) b
JOIN howdah_internal.lane l ON l.queue = 'queue-' || (1 + pg_temp.pick(b.n, $1 + 1, 30));

-- name: data_statistics
INSERT INTO howdah_internal.stat (
    minute, lane, kind, done, retried, failed, cancelled, died, run_micros, run_max_micros)
SELECT CASE WHEN b.ended > now() - interval '2 days' THEN date_trunc('minute', b.ended)
        ELSE date_trunc('hour', b.ended) END,
    b.lane, b.kind, sum(b.jobs), sum(b.jobs) / 50, sum(b.jobs) / 100, 0, 0, sum(b.jobs) * 41000,
    81000
FROM howdah_internal.batch b
WHERE $1 IS NOT NULL AND $2 > 0
GROUP BY 1, 2, 3;

-- name: data_mark
UPDATE howdah_internal.stat_mark
SET upto = (SELECT max(b.id) FROM howdah_internal.batch b),
    seen = (SELECT max(b.id) FROM howdah_internal.batch b);

-- name: data_waiting
-- One for fifty that are done, half of them due.
INSERT INTO howdah_internal.job (run_at, lane, kind, payload, attempt, more)
SELECT now() + (pg_temp.pick(n, $1 + 3, 7200) - 3600) * interval '1 s', l.id,
    'kind-' || pg_temp.pick(n, $1 + 2, 60), ('{"customer":' || n || '}')::json,
    CASE WHEN n % 10 = 0 THEN 1 ELSE 0 END,
    CASE WHEN n % 10 = 0 THEN jsonb_build_object('error', 'Timeout after ' || n || ' ms') END
FROM generate_series(1, $2 / 50) AS g (n)
JOIN howdah_internal.lane l ON l.queue = 'queue-' || (1 + pg_temp.pick(n, $1 + 1, 30));

-- name: data_failed
-- One for a hundred that are done, with 400 different errors.
INSERT INTO howdah_internal.failed (
    id, lane, state, kind, priority, attempt, deaths, run_at, ended, node, error, payload)
SELECT nextval('howdah_internal.job_id_seq'), l.id, 'failed', 'kind-'
    || pg_temp.pick(n, $1 + 2, 60), 0, 25,
    0, at - interval '1 hour', at, 1,
    'java.io.IOException: ' || (ARRAY['billing', 'shipping', 'mail', 'search', 'tax', 'image',
        'stock', 'risk', 'login', 'price', 'report', 'audit', 'chat', 'map', 'video', 'order',
        'print', 'cache', 'vault', 'queue'])[1 + pg_temp.pick(n, $1 + 4, 20)] || ' refused the '
    || (ARRAY['card', 'parcel', 'letter', 'query', 'form', 'upload', 'item', 'score', 'token',
        'offer', 'sheet', 'entry', 'line', 'tile', 'stream', 'cart', 'page', 'key', 'secret',
        'message'])[1 + pg_temp.pick(n, $1 + 5, 20)] || ' of customer ' || n
    || E'\n\tat com.example.Client.send(Client.java:42)\n\tat com.example.Main.main(Main.java:7)',
    ('{"customer":' || n || '}')::json
FROM (
    SELECT n, now() - interval '7 days' + n * interval '7 days' / ($2 / 100) AS at
    FROM generate_series(1, $2 / 100) AS g (n)) f
JOIN howdah_internal.lane l ON l.queue = 'queue-' || (1 + pg_temp.pick(f.n, $1 + 1, 30));

-- name: data_namespaces
INSERT INTO howdah_internal.process_namespace (name)
SELECT 'namespace-' || n
FROM generate_series(1, 4) AS g (n)
WHERE $1 IS NOT NULL AND $2 > 0;

-- name: data_processes
-- One for a hundred jobs that are done; one in five hundred is broken.
INSERT INTO howdah_internal.process (
    namespace, lane, last_event, created, status_changed, id, status, previous_status, detail,
    due_at, task)
SELECT s.id, 2, 10, now() - pg_temp.pick(n, $1 + 6, 604800) * interval '1 s',
    now() - pg_temp.pick(n, $1 + 7, 86400) * interval '1 s', 'order-' || lpad(n::text, 8, '0'),
    CASE WHEN n % 500 = 0 THEN 'error' ELSE 'running' END, 'running',
    CASE WHEN n % 500 = 0 THEN 'card service does not answer' END, now(), n
FROM generate_series(1, $2 / 100) AS g (n)
JOIN howdah_internal.process_namespace s ON s.name = 'namespace-' || (1 + n % 4);

-- name: data_process_tasks
INSERT INTO howdah_internal.process_task (process, id, scheduled, started, finished, type, status,
    args)
SELECT p.number, p.task, p.created, p.created, p.created + interval '4 ms', 'init', 'finished',
    '\x7b7d'
FROM howdah_internal.process p
WHERE $1 IS NOT NULL AND $2 > 0;

-- name: data_process_events
INSERT INTO howdah_internal.process_event (process, id, task, at, payload)
SELECT p.number, e.n, p.task, p.created + e.n * interval '1 min',
    convert_to('{"event":' || e.n || '}', 'UTF8')
FROM howdah_internal.process p
CROSS JOIN generate_series(1, 10) AS e (n)
WHERE $1 IS NOT NULL AND $2 > 0;

-- name: data_sweep
-- A sweep of as many rows as there are jobs, with two processes of eight workers.
WITH sweep AS (
    INSERT INTO howdah.sweep (name, definition, total, exact, done)
    SELECT 'anonymize', '{"table": "public.reader", "set": "email = NULL"}'::jsonb, $2, true, $2 / 3
    WHERE $1 IS NOT NULL
    RETURNING id
), process AS (
    INSERT INTO howdah_internal.sweep_process (sweep, name, workers, locks)
    SELECT s.id, 'host-' || n, 8, 100
    FROM sweep s
    CROSS JOIN generate_series(1, 2) AS g (n)
    RETURNING id
)
INSERT INTO howdah_internal.sweep_worker (process, worker, done, failed, rate)
SELECT p.id, w, $2 / 48, 10, 500
FROM process p
CROSS JOIN generate_series(1, 8) AS g (w);
