-- Requests to processes. No NOTIFY is sent while a node is awake: see package
-- dev.howdah.internal.doorbell.

-- name: request_init
-- New processes. For each: :namespaces the namespace, :ids the id, :args the arguments, :contexts
-- the context, :backward, :offsets, :limits which part of its history is wanted, :keys a key, :mine
-- whether the node takes it, :traces the context of traces, :tokens a random token. In the order of
-- their ids, so that no two sessions wait for each other. No row: there is such a process. Its
-- place among those asked for stands in timer_interval, which means nothing without a timer:
-- joined, each new process would be compared with each that was asked for.
WITH made AS (
    INSERT INTO howdah_internal.process (
        namespace, id, status, previous_status, queued, task, node, turn, taken, due_at,
        timer_interval)
    SELECT a.namespace, a.id, 'init', 'init', 1, nextval('howdah_internal.process_task_id'),
        CASE WHEN a.take THEN :node::integer END,
        -- Operators of equal types: this also runs with the search path of a caller.
        CASE WHEN a.take THEN (random() * 4611686018427387904::double precision)::bigint
            ELSE 0 END,
        CASE WHEN a.take THEN clock_timestamp() END, CASE WHEN NOT a.take THEN now() END, a.n
    FROM (
        SELECT g.namespace, g.id, g.wish AND NOT /*paused:*/false/*:paused*/ AS take, g.n
        FROM unnest(:namespaces::integer[], :ids::text[], :mine::boolean[])
            WITH ORDINALITY AS g (namespace, id, wish, n)) AS a
    ORDER BY a.namespace, a.id
    ON CONFLICT (namespace, id) DO NOTHING
    RETURNING number, task, namespace, node, timer_interval AS n
), tasks AS (
    INSERT INTO howdah_internal.process_task (
        process, id, type, status, scheduled, args, context, backward, range_offset, range_limit,
        key, caller, trace, token)
    SELECT m.number, m.task, 'init', 'waiting', now(), (:args::bytea[])[m.n],
        (:contexts::bytea[])[m.n],
        (:backward::boolean[])[m.n], (:offsets::bigint[])[m.n], (:limits::bigint[])[m.n],
            (:keys::text[])[m.n], :node,
        (:traces::text[])[m.n], (:tokens::bigint[])[m.n]
    FROM made m
), rung AS (
    SELECT count(CASE WHEN NOT pg_try_advisory_xact_lock_shared(1215264883, r.namespace)
        THEN pg_notify('howdah_process', r.namespace::text) END) AS told
    FROM (SELECT DISTINCT m.namespace FROM made m WHERE m.node IS NULL) AS r
)
SELECT m.n, m.number, m.task, m.node IS NOT NULL, r.told
FROM made m
CROSS JOIN rung r;

-- name: request_enter
-- Calls, notices, repairs and removals of processes that there are, one for each process at most.
-- As init but :waits whether a caller waits, :traces the context of traces, :tokens a random token.
-- No row: the process is not there, or not in the state for it.
WITH asked AS MATERIALIZED (
    SELECT a.*,
        (
            SELECT q.number
            FROM howdah_internal.process q
            WHERE q.namespace = a.namespace AND q.id = a.id) AS known
    FROM unnest(
        :namespaces::integer[], :ids::text[], :args::bytea[], :contexts::bytea[],
            :backward::boolean[], :offsets::bigint[],
        :limits::bigint[], :keys::text[], :mine::boolean[], :types::text[], :waits::boolean[],
            :traces::text[],
        :tokens::bigint[])
        WITH ORDINALITY AS a (
            namespace, id, args, context, backward, offs, most, key, take, type, waits, trace,
            token, n)
), found AS (
    SELECT a.*, p.number,
        a.take AND p.node IS NULL AND p.queued = 0 AND NOT /*paused:*/false/*:paused*/ AS taken,
        p.node IS NULL AS idle
    FROM (SELECT * FROM asked ORDER BY known) AS a
    CROSS JOIN LATERAL (
        SELECT q.number, q.node, q.queued FROM howdah_internal.process q
        WHERE q.number = a.known
            AND (a.type IN ('call', 'notify') AND q.status = 'running'
                OR a.type = 'repair' AND q.status = 'error' AND q.node IS NULL AND q.queued = 0
                OR a.type = 'remove')
        FOR NO KEY UPDATE) AS p
), numbered AS (
    -- Numbers are given when the process is locked: they are the order in which it has accepted
    -- them.
    SELECT f.*, nextval('howdah_internal.process_task_id') AS task FROM found f
), accepted AS (
    UPDATE howdah_internal.process p SET queued = p.queued + 1,
        node = CASE WHEN m.taken THEN :node::integer ELSE p.node END,
        turn = CASE WHEN m.taken THEN (random() * 4611686018427387904)::bigint ELSE p.turn END,
        task = CASE WHEN m.taken THEN m.task ELSE p.task END,
        taken = CASE WHEN m.taken THEN clock_timestamp() ELSE p.taken END,
        due_at = CASE WHEN m.idle AND NOT m.taken
            THEN CASE WHEN p.lane = 0 AND p.due_at IS NOT NULL THEN p.due_at ELSE now() END END,
        lane = CASE WHEN m.idle THEN 0 ELSE p.lane END
    FROM numbered m WHERE p.number = m.number
    RETURNING m.n
), tasks AS (
    INSERT INTO howdah_internal.process_task (
        process, id, type, status, scheduled, args, context, backward, range_offset, range_limit,
        key, caller, trace, token)
    SELECT m.number, m.task, m.type, 'waiting', now(), m.args, m.context, m.backward, m.offs,
        m.most, m.key, CASE WHEN m.waits THEN :node END, m.trace, m.token
    FROM numbered m
), rung AS (
    SELECT count(CASE WHEN NOT pg_try_advisory_xact_lock_shared(1215264883, r.namespace)
        THEN pg_notify('howdah_process', r.namespace::text) END) AS told
    FROM (SELECT DISTINCT m.namespace FROM numbered m WHERE m.idle AND NOT m.taken) AS r
)
SELECT m.n, m.number, m.task, m.taken, r.told FROM numbered m CROSS JOIN rung r;

-- name: request_why(namespace, id)
SELECT p.status FROM howdah_internal.process p WHERE p.namespace = :namespace AND p.id = :id;

-- name: request_key(namespace, key)
SELECT k.process, k.task, k.request, t.token
FROM howdah_internal.process_key k
LEFT JOIN howdah_internal.process_task t ON t.process = k.process AND t.id = k.task
WHERE k.namespace = :namespace AND k.key = :key;

-- name: request_keep_key(namespace, key, process, task, request)
-- No row: another one has it.
INSERT INTO howdah_internal.process_key (namespace, key, process, task, request)
VALUES (:namespace, :key, :process, :task, :request)
ON CONFLICT (namespace, key) DO NOTHING RETURNING task;

-- name: request_answers(processes, tasks, tokens)
-- What came of tasks: with a row for each that has ended, or will never end because its process is
-- gone. :tokens the tokens of the requests. Ids come again after a failover that lost WAL or after
-- a restore: a task with another token is another request, and the one that was asked for is lost.
SELECT a.task, a.token,
    CASE WHEN s.same THEN COALESCE(t.response, r.response) END,
    CASE WHEN NOT s.same THEN 'the request was lost: the database has gone back to an earlier state'
         WHEN t.finished IS NOT NULL THEN t.error
         WHEN r.task IS NOT NULL THEN r.error
         ELSE 'process not found' END
FROM unnest(:processes::bigint[], :tasks::bigint[], :tokens::bigint[]) AS a (process, task, token)
LEFT JOIN howdah_internal.process_task t ON t.process = a.process AND t.id = a.task
LEFT JOIN howdah_internal.process p ON p.number = a.process
LEFT JOIN howdah_internal.process_reply r ON r.task = a.task
    AND (r.token = a.token OR r.token IS NULL OR a.token IS NULL)
CROSS JOIN LATERAL (
    SELECT t.id IS NULL OR a.token IS NULL OR COALESCE(t.token = a.token, false) AS same) AS s
WHERE t.finished IS NOT NULL OR p.number IS NULL OR r.task IS NOT NULL OR NOT s.same;

-- name: request_put
-- A process that has lived elsewhere. :since when it has that status,
-- :state its aux state; its events: :event_ids ids, :event_times times,
-- :event_payloads payloads, :event_metadata metadata; a timer: :timer_type its type, :timer_at its
-- time, :timer_delay or in how many microseconds. No row: there is one.
WITH made AS (
    INSERT INTO howdah_internal.process (
        namespace, id, status, previous_status, status_changed, created, detail, aux_state,
        metadata, last_event, timer_type, timer_task, timer_at, due_at, lane)
    SELECT :namespace::integer, :id::text, :status::text, :previous::text,
        COALESCE(:since::timestamptz, now()),
        COALESCE(:created::timestamptz, now()), :detail::text, :state::bytea,
            :metadata::text::jsonb,
        COALESCE((SELECT max(e.id) FROM unnest(:event_ids::bigint[]) AS e (id)), 0), t.type,
        CASE WHEN t.type IS NOT NULL
            THEN nextval('howdah_internal.process_task_id') END, t.at, t.at, 1
    FROM (SELECT :timer_type::text AS type, CASE WHEN :timer_type::text IS NOT NULL
        THEN COALESCE(
            :timer_at::timestamptz,
                now() + :timer_delay::bigint * interval '1 microsecond') END AS at) AS t
    ON CONFLICT (namespace, id) DO NOTHING
    RETURNING number, due_at
), task AS (
    INSERT INTO howdah_internal.process_task (process, id, type, status, scheduled, started,
        finished)
    SELECT m.number, nextval('howdah_internal.process_task_id'), 'init', 'finished', now(), now(),
        now()
    FROM made m
    RETURNING process, id
), events AS (
    INSERT INTO howdah_internal.process_event (process, id, task, at, payload, metadata)
    SELECT t.process, e.id, t.id, COALESCE(e.at, now()), e.payload, e.metadata::jsonb
    FROM task t
    CROSS JOIN unnest(
        :event_ids::bigint[], :event_times::timestamptz[], :event_payloads::bytea[],
            :event_metadata::text[]
    ) AS e (id, at, payload, metadata)
)
SELECT m.number,
    CASE WHEN m.due_at IS NOT NULL AND NOT pg_try_advisory_xact_lock_shared(1215264883, :namespace)
        THEN pg_notify('howdah_process', :namespace::integer::text) END
FROM made m;

-- name: request_simple_repair(namespace, id, context)
-- Runs the timer again that has broken the process, or, if it was none, lets it go on as it is.
-- Says the status that forbids it, or NULL. No row: there is no such process. The caller need not
-- run the namespace: whether notices are written stands there.
WITH found AS (
    SELECT p.number, p.id, p.namespace, p.status, p.timer_type IS NOT NULL AS timed,
        p.timer_task IS NOT DISTINCT FROM p.corrupted_by AS broken, p.node IS NULL AS idle, p.queued
    FROM howdah_internal.process p WHERE p.namespace = :namespace AND p.id = :id FOR NO KEY UPDATE
), done AS (
    SELECT f.*,
        CASE WHEN f.status <> 'error' OR f.timed AND NOT f.broken THEN 'nothing'
            WHEN f.timed THEN 'timer'
            ELSE 'running' END AS what
    FROM found f
), changed AS (
    UPDATE howdah_internal.process p SET
        timer_task = CASE WHEN d.what = 'timer' THEN nextval('howdah_internal.process_task_id')
            ELSE p.timer_task END,
        timer_at = CASE WHEN d.what = 'timer' THEN now() ELSE p.timer_at END,
        timer_context = CASE WHEN d.what = 'timer' THEN :context::bytea ELSE p.timer_context END,
        timer_interval = 0, timer_attempts = 0,
        due_at = CASE WHEN d.what = 'timer' AND d.idle AND d.queued = 0 THEN now()
            ELSE p.due_at END,
        lane = CASE WHEN d.what = 'timer' AND d.idle AND d.queued = 0 THEN 1 ELSE p.lane END,
        status = CASE WHEN d.what = 'running' THEN 'running' ELSE p.status END,
        previous_status = CASE WHEN d.what = 'running' THEN 'error' ELSE p.previous_status END,
        status_changed = CASE WHEN d.what = 'running' THEN now() ELSE p.status_changed END,
        detail = CASE WHEN d.what = 'running' THEN NULL ELSE p.detail END,
        corrupted_by = CASE WHEN d.what = 'running' THEN NULL ELSE p.corrupted_by END
    FROM done d WHERE p.number = d.number AND d.what IN ('timer', 'running')
), told AS (
    INSERT INTO howdah_internal.process_outbox (namespace, process, at, kind)
    SELECT d.namespace, d.id, now(), 'repaired'
    FROM done d
    JOIN howdah_internal.process_namespace n ON n.id = d.namespace
    WHERE d.what = 'running' AND n.outbox
)
SELECT NULLIF(d.status, 'error') AS forbidden,
    CASE WHEN d.what = 'timer' AND NOT pg_try_advisory_xact_lock_shared(1215264883, :namespace)
        THEN pg_notify('howdah_process', :namespace::integer::text) END
FROM done d;
