-- Waits of handlers: what a run reads and writes. That a job is suspended is written by
-- batch_settle.

-- name: wait_read
-- What earlier runs of a job have recorded. $1 the job, $2 its kind, $3 its queue. A sleep is over
-- when its time is, or something was recorded behind it. left: how many microseconds are left. The
-- row without a type has in left the time in microseconds since 1970, and over says whether this is
-- a log queue.
SELECT r.number, r.type, r.name, r.nth, r.until::text, COALESCE(s.id, r.event) AS id, s.given,
    CASE WHEN r.event IS NULL THEN s.payload::text ELSE r.result::text END AS payload,
    COALESCE(s.sender, r.sender) AS sender, COALESCE(s.sent, r.sent) AS sent, r.child,
    r.child_kind, COALESCE(e.state, r.ended) AS state,
    COALESCE(e.kind, r.child_kind) AS end_kind, COALESCE(e.result, r.result)::text AS result,
    CASE WHEN e.child IS NULL THEN r.problem ELSE e.error END AS error, e.seen,
    r.winner, r.thrown, r.problem, r.parent_end, r.node,
    CASE WHEN r.child IS NULL THEN r.closed IS NOT NULL
        ELSE e.child IS NOT NULL OR r.ended IS NOT NULL END
        OR r.type = 'sleep' AND (
            r.until <= clock_timestamp()
            OR EXISTS (
                SELECT
                FROM howdah_internal.job_record l
                WHERE l.job = $1 AND l.kind = $2 AND l.number > r.number)
            OR EXISTS (
                SELECT
                FROM howdah_internal.job_step s
                WHERE s.job = $1
                    AND s.kind = $2
                    AND GREATEST(s.stretch, -1 - s.stretch) >= r.number)) AS over,
    LEAST(extract(epoch FROM r.until - clock_timestamp()) * 1000000, 9e18)::bigint AS left
FROM howdah_internal.job_record r
LEFT JOIN howdah_internal.job_signal s ON s.id = r.signal
LEFT JOIN howdah_internal.child_end e ON e.child = r.child
WHERE r.job = $1 AND r.kind = $2 AND r.type <> 'among'
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    EXISTS (
        SELECT
        FROM howdah_internal.log_reader r
        JOIN howdah_internal.lane l ON l.id = r.lane
        WHERE l.queue = $3),
    (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;

-- name: wait_list_jobs(after, most)
-- The next jobs behind :after that have records, in their order, as a claim would have them.
-- Without a kind: such a job does not wait now.
SELECT w.job, l.id AS lane, l.queue, j.kind,
    COALESCE(
        j.payload, (SELECT b.payload FROM howdah_internal.body b WHERE b.job = j.id)) AS payload,
    jsonb_build_object('p', j.priority, 'a', j.attempt, 'd', j.deaths, 'm', j.more) AS rest
FROM (
    SELECT DISTINCT r.job
    FROM howdah_internal.job_record r
    WHERE r.job > :after::bigint
    ORDER BY r.job
    LIMIT :most) w
LEFT JOIN howdah_internal.job j ON j.id = w.job AND j.more -> 'waits' IS NOT NULL
LEFT JOIN howdah_internal.lane l ON l.id = j.lane
ORDER BY w.job;

-- name: wait_slept
-- A record that is closed when it is written, such as that of a sleep that was spent in the thread,
-- if the node still has the job: a row. $1 the node, $2 the token of the claim, $3 the job, $4 its
-- kind, $5 the number of the record, $6 its type, $7 its name, $8 which of this name.
WITH mine AS (
    SELECT b.id
    FROM howdah_internal.batch b
    WHERE b.node = $1 AND b.token = $2 AND b.ended IS NULL AND $3::bigint = ANY (b.ids)
    FOR SHARE
)
INSERT INTO howdah_internal.job_record (job, kind, number, type, name, nth, at, until, closed, node)
SELECT $3::bigint, $4::text, $5::integer, $6::text, $7::text, $8::integer, clock_timestamp(),
    clock_timestamp(), clock_timestamp(), $1
FROM mine m
RETURNING job;

-- name: wait_fail
-- The job fails for good because of a record. $1 the node, $2 the token of the claim, $3 the job,
-- $4 its kind, $5 the type of the record, $6 its name, $7 which of this name.
WITH mine AS (
    SELECT b.id
    FROM howdah_internal.batch b
    WHERE b.node = $1 AND b.token = $2 AND b.ended IS NULL AND $3::bigint = ANY (b.ids)
    FOR SHARE
), marked AS (
    UPDATE howdah_internal.job_record r
    SET fatal = true
    FROM mine m
    WHERE r.job = $3
        AND r.kind = $4::text
        AND r.type = $5::text
        AND r.name = $6::text
        AND r.nth = $7::integer
)
SELECT m.id FROM mine m;

-- name: wait_delete_old
-- Records of jobs that can not come back. $1 how many days they are kept at least, $2 how many go
-- at most.
WITH gone AS (
    DELETE FROM howdah_internal.job_record s
    WHERE s.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM howdah_internal.job_record o
        WHERE o.at < now() - $1::integer * interval '1 day'
            AND NOT EXISTS (SELECT FROM howdah_internal.job j WHERE j.id = o.job)
            AND NOT EXISTS (SELECT FROM howdah_internal.failed f WHERE f.id = o.job)
            AND NOT EXISTS (SELECT FROM howdah_internal.ordered r WHERE r.id = o.job)
            AND NOT EXISTS (
                SELECT
                FROM howdah_internal.batch b
                WHERE b.ended IS NULL AND o.job = ANY (b.ids))
        ORDER BY o.at
        LIMIT $2
        FOR UPDATE SKIP LOCKED))
    RETURNING 1
)
SELECT count(*) FROM gone;

-- name: step_failed
-- Steps have thrown, and the handler goes on: later runs throw that again. The job counts as one
-- that has waited, so that they read it. A row for each, if the node still has the job. The class
-- FailedSteps says what each parameter is.
WITH mine AS (
    UPDATE howdah_internal.batch b
    SET rest = howdah_internal.rest_with(
        b.rest,
        :job,
        jsonb_build_object('waits', :first::integer + cardinality(:names::text[]) - 1))
    WHERE b.node = :node AND b.token = :token AND b.ended IS NULL AND :job::bigint = ANY (b.ids)
    RETURNING b.id
)
INSERT INTO howdah_internal.job_record (
    job, kind, number, type, name, nth, at, closed, node, thrown, problem)
SELECT :job, :kind::text, :first + u.n::integer - 1, 'thrown', u.name, u.nth, clock_timestamp(),
    clock_timestamp(), :node, u.thrown, u.problem
FROM mine m
CROSS JOIN unnest(:names, :nths::integer[], :thrown::text[], :problems::text[])
    WITH ORDINALITY AS u (name, nth, thrown, problem, n)
RETURNING job;

-- name: child_begin(node, token, job, number, always)
-- The job has children from now on, which are cancelled with it, and counts as one that has waited.
-- A row: the node has the job, whose batch stays the node's until the end of the transaction.
-- :token of the claim, :number of the last child's record, :always whether the children are
-- cancelled also when it is done.
UPDATE howdah_internal.batch b
SET rest = howdah_internal.rest_with(
    b.rest, :job,
    jsonb_build_object(
        'children',
        CASE WHEN :always::boolean THEN '"always"'
            ELSE COALESCE(b.rest -> :job::text -> 'm' -> 'children', 'true') END,
        'waits', :number::integer))
WHERE b.node = :node AND b.token = :token AND b.ended IS NULL AND :job::bigint = ANY (b.ids)
RETURNING b.id;

-- name: child_link
-- Jobs that this transaction has added become children; a row for each. blocker: an ancestor for
-- which the child would wait, since both have its order key. The class ChildLink says what each
-- parameter is.
WITH linked AS (
    UPDATE howdah_internal.job j
    SET more = COALESCE(j.more, '{}') || jsonb_build_object('parent', :job::bigint)
    WHERE j.id = ANY (:children::bigint[])
    RETURNING j.id, NULL::text AS queue, NULL::text AS key
), queued AS (
    UPDATE howdah_internal.ordered o
    SET more = o.more || jsonb_build_object('parent', :job::bigint)
    WHERE o.id = ANY (:children)
    RETURNING o.id, o.queue, o.key
), recorded AS (
    INSERT INTO howdah_internal.job_record (
        job, kind, number, type, name, nth, at, closed, node, child, child_kind, parent_end)
    SELECT :job, :kind::text, :first::integer + u.n::integer - 1, 'child', :name::text, u.n,
        clock_timestamp(), clock_timestamp(), :node::integer, u.id, u.kind, :parent_end::text
    FROM unnest(:children, :kinds::text[]) WITH ORDINALITY AS u (id, kind, n)
)
SELECT l.id, l.queue, l.key, howdah_internal.order_ancestor(:job, l.queue, l.key) AS blocker
FROM (SELECT * FROM linked UNION ALL SELECT * FROM queued) l;

-- name: child_seen(child)
-- The failure of a child is thrown in its parent. A row: it is still so; without one the child was
-- brought back meanwhile.
UPDATE howdah_internal.child_end e
SET seen = true
WHERE e.child = :child AND e.state <> 'done'
RETURNING e.child;

-- name: child_list(job, most)
-- The children of a job, in the order in which they were added. state: how it has ended; NULL: it
-- has not.
SELECT c.name, c.nth, c.child, c.child_kind, c.parent_end, COALESCE(e.state, c.ended) AS state,
    CASE WHEN c.ended IS NULL THEN e.error ELSE c.problem END AS error
FROM (
    SELECT r.number, r.name, r.nth, r.child, r.child_kind, r.parent_end, r.ended, r.problem
    FROM (
        SELECT o.*
        FROM howdah_internal.job_record o
        WHERE o.job = :job
        OFFSET 0) r
    WHERE r.child IS NOT NULL
    ORDER BY r.number
    LIMIT :most) c
LEFT JOIN howdah_internal.child_end e ON e.child = c.child
ORDER BY c.number;

-- name: child_parent(child)
-- A job that was run again awaits the children of the first one.
SELECT c.job
FROM (
    SELECT r.job
    FROM howdah_internal.job_record r
    WHERE r.child = :child
    OFFSET 0) c
ORDER BY c.job
LIMIT 1;

-- name: child_done(children, parents, kinds, results, over)
-- Behind the statement that ends them, in its transaction. :results as JSON; :over the jobs that
-- are done and have children which are cancelled then.
SELECT count(howdah_internal.child_done(u.child, u.parent, u.kind, u.result::jsonb)),
    howdah_internal.parent_done(:over::bigint[])
FROM unnest(:children::bigint[], :parents::bigint[], :kinds::text[], :results::text[])
    AS u (child, parent, kind, result);

-- name: child_delete_old(days, most)
-- Ends of children whose parents can not come back. :days for which they are kept at least, :most
-- how many go.
WITH gone AS (
    DELETE FROM howdah_internal.child_end s
    WHERE s.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM howdah_internal.child_end o
        WHERE o.at < now() - :days::integer * interval '1 day'
            AND NOT EXISTS (SELECT FROM howdah_internal.job j WHERE j.id = o.parent)
            AND NOT EXISTS (SELECT FROM howdah_internal.failed f WHERE f.id = o.parent)
            AND NOT EXISTS (SELECT FROM howdah_internal.ordered r WHERE r.id = o.parent)
            AND NOT EXISTS (
                SELECT
                FROM howdah_internal.batch b
                WHERE b.ended IS NULL AND o.parent = ANY (b.ids))
        ORDER BY o.at
        LIMIT :most
        FOR UPDATE SKIP LOCKED))
    RETURNING 1
)
SELECT count(*) FROM gone;

-- name: signal_take
-- Ends the wait for a signal: with the first one that a wait may read, or because its time is over.
-- No row: the node does not have the job any more. closed is NULL: it has not ended. $1 the node,
-- $2 the token of the claim, $3 the job, $4 its kind, $5 the number of the record if the wait is a
-- new one, $6 the name of the signal, $7 which of this name, $8 whether a new wait ends at once.
WITH mine AS (
    SELECT b.id
    FROM howdah_internal.batch b
    WHERE b.node = $1 AND b.token = $2 AND b.ended IS NULL AND $3::bigint = ANY (b.ids)
    FOR SHARE
), first AS (
    SELECT s.id, s.given, s.once
    FROM howdah_internal.signals_unread($3::bigint) s
    WHERE s.name = $6::text
    ORDER BY s.id
    LIMIT 1
), known AS (
    SELECT r.until
    FROM howdah_internal.job_record r
    WHERE r.job = $3
        AND r.kind = $4::text
        AND r.type = 'signal'
        AND r.name = $6
        AND r.nth = $7::integer
), put AS (
    INSERT INTO howdah_internal.job_record AS r (
        job, kind, number, type, name, nth, at, closed, node, signal)
    SELECT $3, $4, $5::integer, 'signal', $6, $7, clock_timestamp(), clock_timestamp(), $1, f.id
    FROM mine m
    LEFT JOIN first f ON true
    WHERE f.id IS NOT NULL
        OR COALESCE(
            (SELECT k.until FROM known k) <= clock_timestamp(),
            $8::boolean AND NOT EXISTS (SELECT FROM known))
    ON CONFLICT (job, kind, type, name, nth) DO UPDATE
    SET closed = excluded.closed, signal = excluded.signal, fresh = false
    WHERE r.closed IS NULL
    RETURNING r.signal, r.closed
), taken AS (
    UPDATE howdah_internal.job_signal s
    SET read = p.closed, fresh = false
    FROM put p
    CROSS JOIN first f
    WHERE s.job = $3
        AND s.read IS NULL
        AND (s.id = p.signal OR s.given = f.given OR s.once AND s.name = $6)
)
SELECT p.closed, s.id, s.given, s.payload::text, s.sender, s.sent
FROM mine m
LEFT JOIN put p ON true
LEFT JOIN howdah_internal.job_signal s ON s.id = p.signal;

-- name: wait_take_any
-- Ends a wait for the first of several: with the first of them that has ended. The columns, and no
-- row, as for signal_take; winner: which one; unknown: another job that is not there. The class
-- AnyTake says what each parameter is.
WITH mine AS (
    SELECT b.id
    FROM howdah_internal.batch b
    WHERE b.node = :node AND b.token = :token AND b.ended IS NULL AND :job::bigint = ANY (b.ids)
    FOR SHARE
), known AS (
    SELECT r.until
    FROM howdah_internal.job_record r
    WHERE r.job = :job
        AND r.kind = :kind::text
        AND r.type = 'any'
        AND r.name = :name::text
        AND r.nth = :nth::integer
), look AS (
    -- Earlier than the snapshot, so that no event is between the two.
    SELECT COALESCE(:looked::text::timestamptz, statement_timestamp()) AS at
), added AS (
    -- Events that were emitted earlier are for other waits.
    SELECT COALESCE(
        (
            SELECT (b.rest -> :job::text -> 'm' ->> 'since')::timestamptz
            FROM howdah_internal.batch b
            WHERE b.id = (SELECT m.id FROM mine m)),
        (SELECT f.created FROM howdah.find(:job) f LIMIT 1)) AS since
), first AS (
    SELECT u.n, s.id, s.name, s.given, v.id AS event, v.payload, v.sender, v.at, f.state, f.kind,
        f.result, split_part(f.error, E'\n', 1) AS error
    FROM unnest(
        :signals::text[], :children::bigint[], :others::bigint[], :topics::text[], :keys::text[],
        :filters::text[], :only_new::boolean[])
        WITH ORDINALITY AS u (signal, child, other, topic, key, filter, only_new, n)
    LEFT JOIN LATERAL (
        SELECT o.id, o.name, o.given
        FROM howdah_internal.signals_unread(:job::bigint) o
        WHERE o.name = u.signal
        ORDER BY o.id
        LIMIT 1) s ON true
    LEFT JOIN LATERAL (
        SELECT e.*
        FROM howdah_internal.events_unread(
            :job, u.topic, u.key, u.filter::jsonb,
            COALESCE(
                (
                    SELECT r.since
                    FROM howdah_internal.job_record r
                    WHERE r.job = :job
                        AND r.kind = :kind
                        AND r.type = 'among'
                        AND r.name = u.topic
                        AND r.nth = 1000 * :number::integer + u.n),
                CASE WHEN u.only_new THEN (SELECT l.at FROM look l) END,
                (SELECT a.since FROM added a))) e
        WHERE u.topic IS NOT NULL
        ORDER BY e.id
        LIMIT 1) v ON true
    LEFT JOIN LATERAL (
        SELECT o.*
        FROM howdah.find(u.other) o
        WHERE u.other IS NOT NULL AND o.state IN ('done', 'failed', 'cancelled')
        LIMIT 1) f ON true
    WHERE s.id IS NOT NULL
        OR v.id IS NOT NULL
        OR f.state IS NOT NULL
        OR EXISTS (SELECT FROM howdah_internal.child_end e WHERE e.child = u.child)
        OR u.n = :time::integer AND COALESCE(
            (SELECT k.until FROM known k) <= clock_timestamp(),
            :at_once::boolean AND NOT EXISTS (SELECT FROM known))
    ORDER BY u.n
    LIMIT 1
), put AS (
    INSERT INTO howdah_internal.job_record AS r (
        job, kind, number, type, name, nth, at, closed, node, signal, winner, event, sender, sent,
        child_kind, ended, result, problem)
    SELECT :job, :kind, :number, 'any', :name, :nth, clock_timestamp(), clock_timestamp(),
        :node, f.id, f.n, f.event, f.sender, f.at, f.kind, f.state, COALESCE(f.payload, f.result),
        f.error
    FROM mine m
    CROSS JOIN first f
    ON CONFLICT (job, kind, type, name, nth) DO UPDATE
    SET closed = excluded.closed, signal = excluded.signal, winner = excluded.winner, fresh = false,
        event = excluded.event, sender = excluded.sender, sent = excluded.sent,
        child_kind = excluded.child_kind, ended = excluded.ended, result = excluded.result,
        problem = excluded.problem
    WHERE r.closed IS NULL
    RETURNING r.*
), given_up AS (
    -- Its signal may be set aside, and the wait go on.
    UPDATE howdah_internal.job_record r
    SET closed = p.closed
    FROM put p
    WHERE r.job = :job
        AND r.kind = :kind
        AND r.type = 'among'
        AND r.number = p.number
        AND p.signal IS NOT NULL
), unneeded AS (
    -- Those of a wait that has ended for good: of this one, or of one before it.
    DELETE FROM howdah_internal.job_record r
    USING mine m
    LEFT JOIN put p ON true
    WHERE r.job = :job
        AND r.kind = :kind
        AND r.type = 'among'
        AND CASE WHEN r.number = :number
            THEN p.number IS NOT NULL AND p.signal IS NULL ELSE r.closed IS NOT NULL END
), others AS (
    SELECT u.other, EXISTS (SELECT FROM howdah.find(u.other)) AS known
    FROM unnest(:others) AS u (other)
    WHERE u.other IS NOT NULL AND NOT EXISTS (SELECT FROM put)
), noted AS (
    INSERT INTO howdah_internal.awaited AS w (job, waiter, until, noted, look)
    SELECT DISTINCT o.other, :job,
        COALESCE(
            (SELECT k.until FROM known k),
            clock_timestamp() + :micros::bigint * interval '1 microsecond') + interval '1 day',
        clock_timestamp(), clock_timestamp() + interval '1 second'
    FROM mine m
    CROSS JOIN others o
    WHERE o.known
    ON CONFLICT (job, waiter) DO UPDATE
    SET until = GREATEST(w.until, excluded.until), look = LEAST(w.look, excluded.look)
), removed AS (
    DELETE FROM howdah_internal.awaited w
    WHERE w.job = ANY (:others) AND w.waiter = :job AND EXISTS (SELECT FROM put)
), taken AS (
    UPDATE howdah_internal.job_signal s
    SET read = p.closed, fresh = false
    FROM put p
    CROSS JOIN first f
    WHERE s.job = :job
        AND s.read IS NULL
        AND (s.id = p.signal OR s.given = f.given OR s.once AND s.name = f.name)
)
SELECT p.closed, COALESCE(s.id, p.event) AS id, s.given,
    CASE WHEN p.event IS NULL THEN s.payload::text ELSE p.result::text END AS payload,
    COALESCE(s.sender, p.sender) AS sender, COALESCE(s.sent, p.sent) AS sent, p.winner,
    p.ended AS state, p.child_kind AS end_kind, p.result::text AS result, p.problem AS error,
    false AS seen, (SELECT min(o.other) FROM others o WHERE NOT o.known) AS unknown,
    (SELECT l.at::text FROM look l) AS looked
FROM mine m
LEFT JOIN put p ON true
LEFT JOIN howdah_internal.job_signal s ON s.id = p.signal;

-- name: wait_take_job
-- Ends the wait for another job, :target, if that has ended or the time is over; otherwise notes
-- that its end is to be told. The columns, and no row, as for signal_take; known: there is such a
-- job. The class WaitRecords.JobTake says what each parameter is.
WITH mine AS (
    SELECT b.id
    FROM howdah_internal.batch b
    WHERE b.node = :node AND b.token = :token AND b.ended IS NULL AND :job::bigint = ANY (b.ids)
    FOR SHARE
), begun AS (
    SELECT r.until
    FROM howdah_internal.job_record r
    WHERE r.job = :job
        AND r.kind = :kind::text
        AND r.type = 'job'
        AND r.name = :name::text
        AND r.nth = :nth::integer
), found AS (
    SELECT f.state, f.kind, f.result, split_part(f.error, E'\n', 1) AS error,
        f.state IN ('done', 'failed', 'cancelled') AS over
    FROM howdah.find(:target::bigint) f
), put AS (
    INSERT INTO howdah_internal.job_record AS r (
        job, kind, number, type, name, nth, at, closed, node, awaited, child_kind, ended, result,
        problem)
    SELECT :job, :kind, :number::integer, 'job', :name, :nth, clock_timestamp(), clock_timestamp(),
        :node, :target, f.kind, f.state, f.result, f.error
    FROM mine m
    LEFT JOIN found f ON f.over
    WHERE f.over
        OR COALESCE(
            (SELECT g.until FROM begun g) <= clock_timestamp(),
            :at_once::boolean AND NOT EXISTS (SELECT FROM begun))
    ON CONFLICT (job, kind, type, name, nth) DO UPDATE
    SET closed = excluded.closed, fresh = false, awaited = excluded.awaited,
        child_kind = excluded.child_kind, ended = excluded.ended, result = excluded.result,
        problem = excluded.problem
    WHERE r.closed IS NULL
    RETURNING r.closed, r.child_kind, r.ended, r.result, r.problem
), noted AS (
    INSERT INTO howdah_internal.awaited AS w (job, waiter, until, noted, look)
    SELECT :target, :job,
        COALESCE(
            (SELECT g.until FROM begun g),
            clock_timestamp() + :micros::bigint * interval '1 microsecond') + interval '1 day',
        clock_timestamp(), clock_timestamp() + interval '1 second'
    FROM mine m
    WHERE EXISTS (SELECT FROM found) AND NOT EXISTS (SELECT FROM put)
    ON CONFLICT (job, waiter) DO UPDATE
    SET until = GREATEST(w.until, excluded.until), look = LEAST(w.look, excluded.look)
), removed AS (
    DELETE FROM howdah_internal.awaited w
    WHERE w.job = :target AND w.waiter = :job AND EXISTS (SELECT FROM put)
)
SELECT p.closed, p.ended AS state, p.child_kind AS end_kind, p.result::text AS result,
    p.problem AS error, false AS seen, EXISTS (SELECT FROM found) AS known
FROM mine m
LEFT JOIN put p ON true;

-- name: job_event_take
-- Ends the wait for an event, as signal_take does for a signal. looked: its time, which is earlier
-- than its snapshot, so that no event is between the two. The class WaitRecords.EventTake says what
-- each parameter is.
WITH mine AS (
    SELECT b.id
    FROM howdah_internal.batch b
    WHERE b.node = :node AND b.token = :token AND b.ended IS NULL AND :job::bigint = ANY (b.ids)
    FOR SHARE
), begun AS (
    SELECT r.until, r.since
    FROM howdah_internal.job_record r
    WHERE r.job = :job
        AND r.kind = :kind::text
        AND r.type = 'event'
        AND r.name = :topic::text
        AND r.nth = :nth::integer
), first AS (
    SELECT e.*
    FROM (
        SELECT COALESCE(
            (SELECT g.since FROM begun g),
            CASE WHEN :only_new::boolean THEN statement_timestamp() END,
            (
                SELECT (b.rest -> :job::text -> 'm' ->> 'since')::timestamptz
                FROM howdah_internal.batch b
                WHERE b.id = (SELECT m.id FROM mine m)),
            (SELECT f.created FROM howdah.find(:job) f LIMIT 1)) AS since) s
    CROSS JOIN LATERAL howdah_internal.events_unread(
        :job, :topic, :key::text, :filter::text::jsonb, s.since) e
    ORDER BY e.id
    LIMIT 1
), put AS (
    INSERT INTO howdah_internal.job_record AS r (
        job, kind, number, type, name, nth, at, closed, node, event, event_key, filter, result,
        sender, sent)
    SELECT :job, :kind, :number::integer, 'event', :topic, :nth, clock_timestamp(),
        clock_timestamp(), :node, f.id, :key, :filter::jsonb, f.payload, f.sender, f.at
    FROM mine m
    LEFT JOIN first f ON true
    WHERE f.id IS NOT NULL
        OR COALESCE(
            (SELECT g.until FROM begun g) <= clock_timestamp(),
            :at_once::boolean AND NOT EXISTS (SELECT FROM begun))
    ON CONFLICT (job, kind, type, name, nth) DO UPDATE
    SET closed = excluded.closed, fresh = false, event = excluded.event, result = excluded.result,
        sender = excluded.sender, sent = excluded.sent
    WHERE r.closed IS NULL
    RETURNING r.closed, r.event, r.result, r.sender, r.sent
)
SELECT p.closed, p.event AS id, NULL AS given, p.result::text AS payload, p.sender, p.sent,
    statement_timestamp()::text AS looked
FROM mine m
LEFT JOIN put p ON true;

-- name: job_event_emit(topic, key, payload, micros)
-- :micros for how long the event is kept.
SELECT howdah.emit(
    :topic::text, :key::text, :payload::text::jsonb,
    :micros::bigint OPERATOR(pg_catalog.*) interval '1 microsecond');

-- name: job_event_delete_old(days, most)
-- Events whose time is over, :most at once. :days does not matter.
WITH gone AS (
    DELETE FROM howdah_internal.job_event e
    WHERE e.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM howdah_internal.job_event o
        WHERE o.until < now() AND :days::integer IS NOT NULL
        ORDER BY o.until
        LIMIT :most
        FOR UPDATE SKIP LOCKED))
    RETURNING 1
)
SELECT count(*) FROM gone;

-- name: token_make(job, name, micros)
SELECT howdah.signal_token(
    :job::bigint, :name::text,
    :micros::bigint OPERATOR(pg_catalog.*) interval '1 microsecond');

-- name: token_delete_old(days, most)
-- Tokens whose time is over for a week, or whose job has gone with the history, which is kept for
-- :days days; :most at once.
WITH gone AS (
    DELETE FROM howdah_internal.job_token t
    WHERE t.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM howdah_internal.job_token o
        WHERE o.until < now() - interval '7 days'
            OR o.used < now() - :days::integer * interval '1 day'
        ORDER BY o.until
        LIMIT :most
        FOR UPDATE SKIP LOCKED))
    RETURNING 1
)
SELECT count(*) FROM gone;

-- name: signal_set_aside
-- The payload of the signal that a wait has read cannot be read: the wait goes on. $1 the node, $2
-- the token of the claim, $3 the job, $4 its kind, $5 the signal, $6 why.
WITH mine AS (
    SELECT b.id
    FROM howdah_internal.batch b
    WHERE b.node = $1 AND b.token = $2 AND b.ended IS NULL AND $3::bigint = ANY (b.ids)
    FOR SHARE
), aside AS (
    UPDATE howdah_internal.job_signal s
    SET read = NULL, problem = $6::text
    FROM mine m
    WHERE s.id = $5::bigint AND s.job = $3
), opened AS (
    UPDATE howdah_internal.job_record r
    SET closed = NULL, signal = NULL, winner = NULL
    FROM mine m
    WHERE r.job = $3 AND r.kind = $4::text AND r.signal = $5 AND r.until IS NOT NULL
    RETURNING r.number
), reopened AS (
    UPDATE howdah_internal.job_record r
    SET closed = NULL
    FROM opened o
    WHERE r.job = $3 AND r.kind = $4 AND r.type = 'among' AND r.number = o.number
), unmade AS (
    DELETE FROM howdah_internal.job_record r
    USING mine m
    WHERE r.job = $3 AND r.kind = $4 AND r.signal = $5 AND r.until IS NULL
)
SELECT m.id FROM mine m;

-- name: signal_pair
-- $1 how many marks of either kind at most.
SELECT p.looked, p.woken, p.waiting FROM howdah_internal.pair_signals($1::integer) p;

-- name: signal_list
-- The signals to a job, in the order in which they were sent. $1 the job, $2 how many at most.
SELECT s.id, s.name, s.payload::text, s.given, s.sender, s.sent, s.read, s.problem
FROM (
    -- By their numbers alone the signals to all jobs would be walked over.
    SELECT o.*
    FROM howdah_internal.job_signal o
    WHERE o.job = $1
    OFFSET 0) s
ORDER BY s.id
LIMIT $2::integer;

-- name: signal_send
-- $1 the job, $2 the name, $3 the payload, $4 the id or NULL, $5 whether it counts only once.
SELECT howdah.signal($1::bigint, $2::text, $3::text::json, $4::text, $5::boolean);

-- name: signal_send_by_key
-- $1 the queue, $2 the kind, $3 the key, $4 the name, $5 the payload, $6 the id or NULL, $7 whether
-- it counts only once.
SELECT howdah.signal(
    $1::text, $2::text, $3::text, $4::text, $5::text::json, $6::text, $7::boolean);

-- name: signal_send_or_add
-- To the job that has a key, or to a new one. The class SignalSender.OrAdd says what each parameter
-- is.
SELECT s.result
FROM howdah_internal.signal_or_add(
    :queue::text, :kind::text, :key::text, :name::text, :payload::text::json, :body::text::json,
    :id::text, :once::boolean, :priority::integer,
    :delay::bigint OPERATOR(pg_catalog.*) interval '1 microsecond', :attempts::integer,
    :timeout::bigint OPERATOR(pg_catalog.*) interval '1 microsecond', :options::jsonb) s;

-- name: signal_delete_old
-- Signals to jobs that can not come back. $1 how many days they are kept at least, $2 how many go
-- at most.
WITH gone AS (
    DELETE FROM howdah_internal.job_signal s
    WHERE s.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM howdah_internal.job_signal o
        WHERE o.sent < now() - $1::integer * interval '1 day'
            AND NOT EXISTS (SELECT FROM howdah_internal.job j WHERE j.id = o.job)
            AND NOT EXISTS (SELECT FROM howdah_internal.failed f WHERE f.id = o.job)
            AND NOT EXISTS (SELECT FROM howdah_internal.ordered r WHERE r.id = o.job)
            AND NOT EXISTS (SELECT FROM howdah_internal.follower r WHERE r.id = o.job)
            AND NOT EXISTS (SELECT FROM howdah_internal.workflow_job w WHERE w.id = o.job)
            AND NOT EXISTS (
                SELECT
                FROM howdah_internal.batch b
                WHERE b.ended IS NULL AND o.job = ANY (b.ids))
        ORDER BY o.sent
        LIMIT $2
        FOR UPDATE SKIP LOCKED))
    RETURNING 1
)
SELECT count(*) FROM gone;
