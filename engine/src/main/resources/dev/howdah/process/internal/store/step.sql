-- How a node works: it takes processes, and writes down what became of their steps.

-- name: step_claim(node, namespaces, most)
-- Takes processes that have something to do, calls before timers. :most how many of each at most.
-- It need not wait for the disk: when a crash undoes it the processes are due again, and whatever
-- their steps may commit comes after it in the server's log. Each claim gets a random turn:
-- numbers, nodes and turns that count come again when a failover loses the last of the log, and an
-- outcome of then would pass for one of now.
WITH due AS (
    SELECT d.number
    FROM unnest(:namespaces::integer[], :most::integer[]) AS s (namespace, most)
    CROSS JOIN (
        SELECT set_config('synchronous_commit', 'off', true)
        WHERE NOT /*paused:*/false/*:paused*/) AS c (durability)
    CROSS JOIN LATERAL (
        SELECT p.number FROM (VALUES (0), (1)) AS l (lane)
        CROSS JOIN LATERAL (
            SELECT q.number FROM howdah_internal.process q
            WHERE q.namespace = s.namespace
                AND q.lane = l.lane
                AND q.due_at <= now()
                AND q.due_at IS NOT NULL
            ORDER BY q.due_at LIMIT s.most FOR NO KEY UPDATE SKIP LOCKED) AS p
        LIMIT s.most) AS d
)
UPDATE howdah_internal.process p
SET node = :node, turn = (random() * 4611686018427387904)::bigint, due_at = NULL,
    taken = clock_timestamp(), task = CASE WHEN p.lost AND p.task IS NOT NULL THEN p.task
                WHEN p.queued > 0 THEN (SELECT t.id FROM howdah_internal.process_task t
                                        WHERE t.process = p.number AND t.finished IS NULL
                                        ORDER BY t.id
                                        LIMIT 1)
                ELSE p.timer_task END
WHERE p.number = ANY (ARRAY(SELECT d.number FROM due d))
RETURNING p.number, p.turn, p.namespace;

-- name: step_head(node, processes)
-- The call was accepted in the moment its process was taken.
UPDATE howdah_internal.process p
SET task = (
    SELECT t.id
    FROM howdah_internal.process_task t
    WHERE t.process = p.number AND t.finished IS NULL
    ORDER BY t.id
    LIMIT 1)
WHERE p.number = ANY (:processes::bigint[]) AND COALESCE(p.node, 0) = :node AND p.task IS NULL
RETURNING p.number;

-- name: step_load(node, processes)
-- The node is compared so that its index is not used: what else it has is not to be read. Processes
-- that were taken and what is to be done with them.
SELECT p.number, p.turn, p.namespace, p.id, p.status, p.previous_status, p.status_changed,
    p.created, p.detail, p.corrupted_by, p.last_event, p.aux_state, p.metadata::text, p.lost,
    p.task, p.timer_task, p.timer_type, p.timer_at, p.timer_context, p.timer_interval,
    p.timer_attempts, t.type, t.args, t.context, t.scheduled, t.backward, t.range_offset,
    t.range_limit, p.taken, t.trace, t.token
FROM howdah_internal.process p
LEFT JOIN howdah_internal.process_task t ON t.process = p.number AND t.id = p.task
WHERE p.number = ANY (:processes::bigint[]) AND COALESCE(p.node, 0) = :node;

-- name: step_events(processes, offsets, limits, backward)
-- The histories of several processes, each as far as it is asked for. :offsets after or before
-- which event (NULL: from the end), :limits how many (NULL: all), :backward whether from the last
-- to the first.
SELECT a.number, e.id, e.at, e.payload, e.metadata::text, e.task
FROM unnest(
    :processes::bigint[], :offsets::bigint[], :limits::bigint[], :backward::boolean[]
) WITH ORDINALITY AS a (number, offs, most, backward, n)
CROSS JOIN LATERAL (
    SELECT u.* FROM (
        SELECT f.* FROM howdah_internal.process_event f
        WHERE NOT a.backward
            AND f.process = a.number
            AND f.id > COALESCE(a.offs, -9223372036854775808)
        ORDER BY f.id
        LIMIT a.most) AS u
    UNION ALL
    SELECT v.* FROM (
        SELECT b.* FROM howdah_internal.process_event b
        WHERE a.backward AND b.process = a.number AND b.id < COALESCE(a.offs, 9223372036854775807)
        ORDER BY b.id DESC
        LIMIT a.most) AS v
) AS e;

-- name: step_commit
-- Ends steps, and begins the next ones of the same processes: one round trip, one commit for all of
-- them. What is written under a turn that is over is refused: it has no row in the answer.
-- The class
-- CommitParameters says what each parameter is. The steps are given in the order of their
-- processes' numbers, none twice.
WITH asked AS (
    SELECT a.*
    FROM unnest(
        :numbers::bigint[], :turns::bigint[], :tasks::bigint[], :timers::boolean[],
        :letters::text[], :types::text[], :times::timestamptz[], :delays::bigint[],
        :contexts::bytea[], :again::bigint[], :attempts::integer[], :responses::bytea[],
        :errors::text[], :details::text[], :corrupts::boolean[], :states::bytea[],
        :metadata::text[], :lasts::bigint[], :stays::boolean[], :tell::boolean[],
        :keeps::boolean[])
        WITH ORDINALITY AS a (
            number, turn, task, timer, letter, type, at, delay, context, again, attempts, response,
            error, detail, corrupts, aux, metadata, last, stays, tell, keeps, n)
), mine AS (
    -- In the order of their numbers, in which they are given, so that no two nodes wait for each
    -- other.
    SELECT a.*, clock_timestamp() AS ended,
        p.queued - CASE WHEN a.timer THEN 0 ELSE 1 END AS left_queued, p.namespace, p.id,
        p.status AS old_status, p.taken, p.previous_status AS old_previous,
        p.corrupted_by AS old_corrupted, p.timer_type AS old_type, p.timer_at AS old_at,
        p.timer_task AS old_task, p.timer_context AS old_context, p.timer_interval AS old_interval,
        p.timer_attempts AS old_attempts,
        p.timer_task IS NOT DISTINCT FROM p.corrupted_by AS old_broken
    FROM asked a
    CROSS JOIN LATERAL (SELECT q.* FROM howdah_internal.process q
                        WHERE q.number = a.number
                            AND COALESCE(q.node, 0) = :node
                            AND q.turn = a.turn
                        FOR NO KEY UPDATE) AS p
), timed AS (
    SELECT m.*,
        CASE m.letter WHEN 't' THEN m.type WHEN 'r' THEN m.old_type WHEN 's' THEN NULL
            WHEN 'e' THEN CASE WHEN m.timer THEN m.old_type END
            ELSE CASE WHEN NOT m.timer THEN m.old_type END END AS new_type,
        CASE
            WHEN m.letter IN ('t', 'r')
                OR m.letter = 'k' AND NOT m.timer AND m.old_broken AND m.old_type IS NOT NULL
            THEN nextval('howdah_internal.process_task_id')
            ELSE m.old_task
        END AS new_task,
        CASE WHEN m.letter IN ('t', 'r')
            THEN COALESCE(m.at, now() + m.delay * interval '1 microsecond')
            ELSE m.old_at END AS new_at,
        CASE WHEN m.letter = 't' THEN m.context ELSE m.old_context END AS new_context,
        CASE WHEN m.letter = 'r' THEN m.again
            WHEN m.letter = 't' OR m.old_broken THEN 0
            ELSE m.old_interval END AS new_interval,
        CASE WHEN m.letter = 'r' THEN m.attempts
            WHEN m.letter = 't' OR m.old_broken THEN 0
            ELSE m.old_attempts END AS new_attempts,
        CASE WHEN m.letter IN ('k', 's', 't') THEN 'running'
            WHEN m.letter = 'e' THEN 'error'
            ELSE m.old_status END AS new_status,
        CASE WHEN m.letter IN ('k', 's', 't') THEN NULL
            WHEN m.letter = 'e' THEN CASE WHEN m.corrupts THEN m.task END
             ELSE m.old_corrupted END AS new_corrupted
    FROM mine m
), planned AS (
    SELECT t.*, l.live, t.stays AND NOT /*paused:*/false/*:paused*/ AS stay,
        t.keeps AND t.left_queued = 0 AND t.new_type IS NULL AND t.new_status = 'running' AS idle,
        CASE WHEN t.left_queued > 0 THEN 'c' WHEN l.live AND t.new_at <= now() THEN 't' END AS go
    FROM timed t
    CROSS JOIN LATERAL (
        SELECT t.new_type IS NOT NULL AND t.new_task IS DISTINCT FROM t.new_corrupted AS live) AS l
), stepped AS (
    UPDATE howdah_internal.process p SET
        node = CASE WHEN d.go IS NOT NULL AND d.stay THEN :node END,
        turn = p.turn + 1,
        taken = d.ended,
        lost = false,
        queued = d.left_queued,
        task = CASE WHEN d.go = 't' THEN d.new_task
                    WHEN d.go = 'c' THEN (SELECT t.id FROM howdah_internal.process_task t
                                          WHERE t.process = d.number
                                              AND t.finished IS NULL
                                              AND t.id <> d.task
                                          ORDER BY t.id
                                          LIMIT 1) END,
        due_at = CASE WHEN d.go IS NOT NULL AND d.stay THEN NULL
            WHEN d.go = 'c' THEN now()
            WHEN d.live THEN d.new_at
            WHEN d.idle THEN now() END,
        lane = CASE WHEN d.go = 'c' THEN 0 WHEN d.idle THEN 2 ELSE 1 END,
        status = d.new_status,
        previous_status = CASE WHEN d.new_status <> d.old_status THEN d.old_status
                               WHEN d.letter IN ('k', 's', 't')
                                   AND d.old_previous
                                       = 'init' THEN 'running' ELSE d.old_previous END,
        status_changed = CASE WHEN d.new_status <> d.old_status THEN now()
            ELSE p.status_changed END,
        detail = CASE WHEN d.letter IN ('k', 's', 't') THEN NULL
            WHEN d.letter = 'e' THEN d.detail
            ELSE p.detail END,
        corrupted_by = d.new_corrupted,
        last_event = GREATEST(p.last_event, d.last),
        aux_state = COALESCE(d.aux, p.aux_state),
        metadata = COALESCE(d.metadata::jsonb, p.metadata),
        timer_type = d.new_type, timer_at = CASE WHEN d.new_type IS NOT NULL THEN d.new_at END,
        timer_task = CASE WHEN d.new_type IS NOT NULL THEN d.new_task END,
        timer_context = CASE WHEN d.new_type IS NOT NULL THEN d.new_context END,
        timer_interval = d.new_interval, timer_attempts = d.new_attempts
    FROM planned d
    WHERE p.number = d.number
    RETURNING d.n, d.go, d.stay, d.live, d.letter, d.new_task, d.new_type, d.new_at, d.new_interval,
        d.new_attempts, d.new_context, p.number, p.task
), ended AS (
    UPDATE howdah_internal.process_task t SET
        status = CASE WHEN d.letter IN ('e', 'f')
            THEN CASE WHEN d.letter = 'f' AND d.detail = 'cancelled' THEN 'cancelled'
                ELSE 'error' END
                      ELSE 'finished' END,
        started = d.taken, finished = d.ended, response = d.response, error = d.error
    FROM planned d
    WHERE NOT d.timer AND t.process = d.number AND t.id = d.task
    RETURNING t.id, t.caller
), ran AS (
    INSERT INTO howdah_internal.process_task (
        process, id, type, status, scheduled, started, finished, context, retry_interval, attempts,
        response, error)
    SELECT d.number, d.task, d.old_type,
        CASE WHEN d.letter IN ('e', 'r') THEN 'error' ELSE 'finished' END, d.old_at, d.taken,
        d.ended, d.old_context, d.old_interval, d.old_attempts, d.response, d.error
    FROM planned d WHERE d.timer
    UNION ALL
    SELECT d.number, d.old_task, d.old_type, 'cancelled', d.old_at, NULL, d.ended, d.old_context,
        d.old_interval, d.old_attempts, NULL, NULL
    FROM planned d
    WHERE NOT d.timer
        AND d.old_type IS NOT NULL
        AND NOT d.old_broken
        AND d.letter IN ('s', 't', 'e')
), happened AS (
    -- A hashed subplan: joined, each event would be compared with each step.
    SELECT e.*
    FROM unnest(
        :event_numbers::bigint[], :event_tasks::bigint[], :event_ids::bigint[],
        :event_times::timestamptz[], :event_payloads::bytea[], :event_metadata::text[],
        :event_tell::boolean[])
        WITH ORDINALITY AS e (number, task, event, at, payload, metadata, tell, m)
    WHERE (e.number IN (SELECT d.number FROM planned d)) IS TRUE
), events AS (
    INSERT INTO howdah_internal.process_event (process, id, task, at, payload, metadata)
    SELECT h.number, h.event, h.task, COALESCE(h.at, now()), h.payload, h.metadata::jsonb
    FROM happened h
), told AS (
    INSERT INTO howdah_internal.process_outbox (
        namespace, process, at, kind, event, detail, payload, metadata)
    SELECT o.namespace, o.process, o.at, o.kind, o.event, o.detail, o.payload, o.metadata
    FROM (SELECT d.n, 0 AS m, d.namespace, d.id AS process, now() AS at,
              CASE WHEN d.new_status = 'error' THEN 'failed'
                  WHEN d.old_status = 'init' THEN 'created'
                  ELSE 'repaired' END AS kind,
              NULL::bigint AS event, CASE WHEN d.new_status = 'error' THEN d.detail END AS detail,
              NULL::bytea AS payload,
              NULL::jsonb AS metadata
          FROM planned d
          WHERE d.tell AND d.letter <> 'r' AND (d.new_status <> d.old_status OR d.letter = 'e')
          UNION ALL
          SELECT d.n, h.m, d.namespace, d.id, COALESCE(h.at, now()), 'event', h.event, NULL,
              h.payload, h.metadata::jsonb
          FROM happened h JOIN planned d ON d.number = h.number WHERE h.tell
          ORDER BY 1, 2) AS o
), rung AS (
    SELECT count(pg_notify('howdah_process_' || e.caller, e.id::text)) AS callers
    FROM ended e
    WHERE e.caller <> :node
)
-- A call that follows is read here, so that it begins without another question; one that was
-- accepted in this moment is not seen yet.
SELECT d.n, d.go, CASE WHEN d.go = 't' THEN d.new_task ELSE d.task END, d.new_type, d.new_at,
    d.new_interval, d.new_attempts, CASE WHEN d.letter <> 't' THEN d.new_context END,
    CASE WHEN d.live AND d.go IS NULL
        THEN ceil(extract(epoch FROM d.new_at - now()) * 1000)::bigint END,
    now(), (SELECT r.callers FROM rung r), d.go IS NOT NULL AND d.stay, k.id, k.type, k.args,
    k.context, k.scheduled, k.backward, k.range_offset, k.range_limit, k.trace, k.token
FROM stepped d
LEFT JOIN LATERAL (SELECT t.* FROM howdah_internal.process_task t
                   WHERE d.go = 'c' AND d.stay AND t.process = d.number AND t.id = d.task
                   LIMIT 1) AS k ON true;

-- name: step_remove
-- Steps that end with the process; all of it goes, at a cost that depends on nothing but what it
-- had. :responses, :errors their answers, :tell whether a notice is written.
WITH gone AS (
    DELETE FROM howdah_internal.process p
    USING unnest(:processes::bigint[], :turns::bigint[], :tasks::bigint[], :responses::bytea[],
        :errors::text[], :tell::boolean[])
        AS a (number, turn, task, response, error, tell)
    WHERE p.number = ANY (:processes)
        AND p.number = a.number
        AND COALESCE(p.node, 0) = :node
        AND p.turn = a.turn
    RETURNING p.number, p.namespace, p.id, a.task, a.response, a.error, a.tell
), large AS (
    -- What has much goes later, in small steps; what waits for an answer gets it now.
    INSERT INTO howdah_internal.process_gone (number, archive)
    SELECT g.number, false
    FROM gone g
    WHERE (
        SELECT count(*)
        FROM (SELECT FROM howdah_internal.process_event e WHERE e.process = g.number
            LIMIT 501) AS few) > 500
        OR (
            SELECT count(*)
            FROM (SELECT FROM howdah_internal.process_task t WHERE t.process = g.number
                LIMIT 501) AS few
        ) > 500
    RETURNING number
), small AS (
    SELECT g.number
    FROM gone g
    WHERE (g.number IN (SELECT l.number FROM large l)) IS FALSE
), events AS (
    DELETE FROM howdah_internal.process_event e
    WHERE e.process = ANY (ARRAY(SELECT s.number FROM small s))
), keys AS (
    DELETE FROM howdah_internal.process_key k
    WHERE k.process = ANY (ARRAY(SELECT g.number FROM gone g))
), tasks AS (
    DELETE FROM howdah_internal.process_task t
    USING (
        SELECT s.number, a.id
        FROM small s
        CROSS JOIN LATERAL (SELECT k.id FROM howdah_internal.process_task k
            WHERE k.process = s.number) AS a
           UNION ALL
           SELECT l.number, o.id FROM large l
           CROSS JOIN LATERAL (
               SELECT k.id
               FROM howdah_internal.process_task k
               WHERE k.process = l.number AND k.finished IS NULL) AS o) AS d
    JOIN gone g ON g.number = d.number
    WHERE t.process = d.number AND t.id = d.id
    RETURNING t.process, t.id, t.token, t.caller, t.finished, t.id = g.task AS own,
        CASE WHEN t.id = g.task THEN g.response END AS response,
        CASE WHEN t.id = g.task THEN g.error ELSE 'process not found' END AS error
), replies AS (
    -- That of the step itself is kept for a caller at this node, too, which may ask the database
    -- before the writer has told it, or after the writer has lost its session.
    INSERT INTO howdah_internal.process_reply (task, token, response, error)
    SELECT t.id, t.token, t.response, t.error
    FROM tasks t
    WHERE t.finished IS NULL AND (t.caller <> :node OR t.own AND t.caller = :node)
    ON CONFLICT (task) DO NOTHING
), told AS (
    INSERT INTO howdah_internal.process_outbox (namespace, process, at, kind)
    SELECT g.namespace, g.id, now(), 'removed'
    FROM gone g
    WHERE g.tell
), rung AS (
    SELECT count(pg_notify('howdah_process_' || t.caller, t.id::text)) AS callers
    FROM tasks t
    WHERE t.finished IS NULL AND t.caller <> :node
)
SELECT g.number, NULL::bigint, r.callers, NULL::bigint
FROM gone g
CROSS JOIN rung r
UNION ALL
SELECT t.process, t.id, NULL, t.token
FROM tasks t
WHERE t.finished IS NULL AND t.caller = :node;

-- name: step_leftovers
-- Calls that were accepted in the moment in which their processes went.
DELETE FROM howdah_internal.process_task t
WHERE t.process = ANY (:processes::bigint[])
    AND (
        t.process IN (
            SELECT g.number FROM howdah_internal.process_gone g WHERE g.number = ANY (:processes))
    ) IS NOT TRUE;

-- name: step_next_due
-- In how many milliseconds the next timer of these namespaces is due; NULL: there is none. While
-- everything is paused nothing is due before the next look.
SELECT CASE WHEN /*paused:*/false/*:paused*/ THEN 1000
    ELSE ceil(extract(epoch FROM min(d.due_at) - clock_timestamp()) * 1000)::bigint END
FROM unnest(:namespaces::integer[]) AS s (namespace)
CROSS JOIN (VALUES (0), (1)) AS l (lane)
CROSS JOIN LATERAL (SELECT p.due_at FROM howdah_internal.process p
                    WHERE p.namespace = s.namespace AND p.lane = l.lane AND p.due_at IS NOT NULL
                    ORDER BY p.due_at
                    LIMIT 1) AS d;

-- name: step_ring
-- Notifies the nodes that sleep at these namespaces.
SELECT pg_notify('howdah_process', s.id::text)
FROM unnest(:namespaces::integer[]) AS s (id);
