-- What a node does with jobs: takes them, writes down what came of them.

-- name: job_claim
-- Finishes batches whose jobs are all done, and takes up to $6 jobs of the lane $5 into a new
-- batch: one round trip, one commit. $1 the node; $2, $13, $3, $4 the batches, their tokens, when
-- their jobs began and how long they ran; $12 the token of this claim, which no other claim has:
-- numbers of batches and nodes may come again after a failover or a restore; $7, $8, $10 where in
-- each priority the due jobs begin, as far as is known, by time and number, and $11 how many
-- milliseconds earlier to look; $9 kinds whose jobs go alone. Columns of the answer: batch, job,
-- payload, kind where the jobs of the batch have several, what is unusual. Rows without a job name
-- the one kind of a batch and the places of its jobs, or a batch that was finished; the rows of the
-- jobs may come in another order than these places, as the plan has it; those without a batch say
-- where the due jobs of a priority begin now, or name a kind that is paused. That a batch has not
-- ended is not said by IS NULL: the index of those is short, but not while a session has an old
-- snapshot. A claim that finishes nothing need not wait for the disk: when a crash undoes it the
-- job is in its lane again, and whatever its handler may have committed comes after the claim in
-- the server's log. $14 how many of the jobs run at the same time at most; NULL: as many as the
-- node likes. $15 whether jobs with order keys share a batch, of their own; otherwise each goes
-- alone. $16 whether to say in how many milliseconds the next job of the lane is due. $17 the
-- queue, if the node knows of no limit, rate or ageing of it: nothing is taken if there is one by
-- now. What stands as of_day names the day of the batches that end, where the node knows it.
WITH pause AS MATERIALIZED (
    -- Once: the locks of the catalogs cost more than the look.
    SELECT /*paused:*/false/*:paused*/ AS is_set,
        EXISTS (
            SELECT
            FROM howdah_internal.queue_limit q
            WHERE q.queue = $17::text AND q.group_name IS NULL AND NOT q.each_group)
        OR EXISTS (SELECT FROM howdah_internal.rate_limit r WHERE r.queue = $17::text)
        OR EXISTS (SELECT FROM howdah_internal.queue_ageing g WHERE g.queue = $17::text) AS is_ruled
), finished AS (
    UPDATE howdah_internal.batch b
    SET ended = clock_timestamp(), begins = f.begins::integer[], runs = f.runs::integer[]
    FROM unnest($2::bigint[], $3::text[], $4::text[], $13::bigint[]) AS f (id, begins, runs, token)
    WHERE b.id = ANY ($2)
        AND /*of_day:*/true/*:of_day*/
        AND b.id = f.id
        AND b.node = $1
        AND b.token = f.token
        AND COALESCE(b.ended, 'infinity') = 'infinity'
    RETURNING b.id, b.token,
        CASE WHEN EXISTS (SELECT FROM howdah_internal.awaited)
            THEN howdah_internal.tell_ended(b.ids) END AS told
), taken AS (
    DELETE FROM howdah_internal.job j
    WHERE j.ctid = ANY (ARRAY(
        SELECT due.ctid
        FROM (SELECT DISTINCT p.priority FROM howdah_internal.lane_priority p
              WHERE p.lane = (SELECT l.id FROM howdah_internal.lane l
                              WHERE l.id = $5
                                  AND l.paused IS NULL
                                  AND NOT (SELECT s.is_set OR s.is_ruled FROM pause s)
                                  AND (l.kind IS NULL OR NOT /*=queue_paused:*/EXISTS (
                                  SELECT
                                  FROM howdah_internal.lane q
                                  WHERE q.queue = l.queue
                                      AND COALESCE(q.kind, '') = ''
                                      AND q.home IS NULL
                                      AND q.paused IS NOT NULL)/*:queue_paused*/))
              ORDER BY p.priority) AS p
        CROSS JOIN (SELECT CASE WHEN cardinality($2) = 0
            THEN set_config('synchronous_commit', 'off', true) END) AS c (durability)
        LEFT JOIN unnest(
            $7::integer[], $8::timestamptz[], $10::bigint[]
        ) AS k (priority, low, id) ON k.priority = p.priority
        CROSS JOIN LATERAL (
            SELECT d.ctid FROM howdah_internal.job d
            WHERE d.lane = $5 AND d.priority = p.priority AND d.run_at <= now()
                AND (d.run_at, d.id) >= (
                    COALESCE(k.low - $11::integer * interval '1 ms', '-infinity'), CASE WHEN $11 = 0
                    THEN COALESCE(k.id, 0) ELSE 0 END)
            ORDER BY d.run_at, d.id LIMIT $6 FOR UPDATE SKIP LOCKED) AS due
        LIMIT $6))
    RETURNING j.id, j.run_at, j.priority, j.attempt, j.deaths, j.kind, j.payload,
        -- As text: to build it as JSON takes three times as long, and twice as long to store.
        CASE WHEN j.priority <> 0 OR j.attempt <> 0 OR j.deaths <> 0 OR j.more IS NOT NULL
            THEN concat('{"p": ', j.priority, ', "a": ', j.attempt, ', "d": ', j.deaths, ', "m": ',
                COALESCE(j.more::text, 'null'), '}') END AS unusual,
        -- 0: with the others, 1: with those that have order keys, 2: alone
        CASE WHEN j.deaths > 1 OR j.kind = ANY ($9::text[]) THEN 2
             WHEN j.more -> 'ordered' IS NULL THEN 0
             WHEN $15::boolean THEN 1
             ELSE 2 END AS part
), due AS (
    -- Over both parts. Window functions would take a tenth of the time of the whole statement.
    SELECT min(t.run_at) AS first, max(t.run_at) AS last FROM taken t WHERE t.part < 2
), leased AS (
    INSERT INTO howdah_internal.batch AS b (
        id, token, node, lane, begun, alone, jobs, first_id, last_id, ids, run_at, run_offsets,
        kinds, kind, payloads, rest, width)
    SELECT howdah_internal.batch_number(), $12::bigint, $1, $5, max(t.deaths) < 2, t.part = 2,
        count(*),
        min(t.id), max(t.id), array_agg(t.id),
        CASE WHEN t.part = 2 THEN min(t.run_at) ELSE (SELECT d.first FROM due d) END,
        array_agg(
            LEAST(
                date_part('epoch', t.run_at - (SELECT d.first FROM due d)) * 1000, 2000000000
            )::integer
        ) FILTER (WHERE (SELECT d.first <> d.last FROM due d) AND t.part < 2),
        CASE WHEN min(t.kind COLLATE "C") <> max(t.kind COLLATE "C") THEN array_agg(t.kind) END,
        CASE WHEN min(t.kind COLLATE "C") = max(t.kind COLLATE "C")
            THEN min(t.kind COLLATE "C") END,
        array_agg(t.payload),
        ('{' || string_agg(concat('"', t.id, '": ', t.unusual), ', ')
            FILTER (WHERE t.unusual IS NOT NULL) || '}')::jsonb,
        $14::integer
    FROM taken t
    GROUP BY t.part, CASE WHEN t.part = 2 THEN t.id END
    RETURNING b.id, b.kind,
        CASE WHEN b.alone THEN 2
             WHEN b.rest -> b.first_id::text -> 'm' -> 'ordered' IS NULL THEN 0
             ELSE 1 END AS part,
        b.jobs, b.ids, b.first_id, b.payloads[1] AS payload, b.rest, b.day
)
SELECT l.id, t.id, t.payload::text, CASE WHEN l.kind IS NULL THEN t.kind END, t.unusual
FROM leased l
JOIN taken t ON t.part = l.part
WHERE l.part < 2
UNION ALL
SELECT l.id, l.first_id, l.payload::text, NULL, (l.rest -> l.first_id::text)::text
FROM leased l WHERE l.part = 2
UNION ALL
SELECT l.id, NULL, to_char(l.day, 'YYYY-MM-DD'), l.kind, CASE WHEN l.jobs > 1 THEN l.ids::text END
FROM leased l
UNION ALL SELECT f.id, NULL, f.token::text, NULL, NULL FROM finished f
UNION ALL SELECT NULL, m.priority, m.low::text, NULL,
    (SELECT min(t.id) FROM taken t WHERE t.priority = m.priority AND t.run_at = m.low)::text
FROM (SELECT t.priority, min(t.run_at) AS low FROM taken t GROUP BY t.priority) m
UNION ALL
SELECT NULL, NULL, NULL, p.kind, NULL
FROM howdah_internal.lane l
CROSS JOIN LATERAL unnest(l.kinds_paused) AS p (kind)
WHERE l.id = $5
UNION ALL
SELECT NULL, NULL, NULL, NULL, concat('next ', GREATEST(
    ceil(extract(epoch FROM min(n.run_at) - clock_timestamp()) * 1000)::bigint, 0))
FROM (SELECT DISTINCT p.priority FROM howdah_internal.lane_priority p
      WHERE $16::boolean AND p.lane = $5) AS p
CROSS JOIN LATERAL (
    SELECT j.run_at
    FROM howdah_internal.job j
    WHERE j.lane = $5 AND j.priority = p.priority AND j.run_at > now()
    ORDER BY j.run_at LIMIT 1) AS n
HAVING count(*) > 0
-- Nothing rings when a pause ends.
UNION ALL
SELECT NULL, NULL, NULL, NULL, CASE WHEN s.is_set THEN 'next 1000' ELSE 'ruled 0' END
FROM pause s WHERE s.is_set OR s.is_ruled;

-- name: job_claim_one
-- Takes the first due job of a lane that needs nothing else to be looked at, as most do: a lane of
-- a whole queue without priorities, limits, rates, ageing, and nothing paused. No row: there is
-- none, or the lane is another one, or another claim has locked the first job; job_claim knows. $1
-- the node, $2 the token of this claim, $3 the lane, $4 its queue, $5 kinds whose jobs go alone,
-- $6 whether jobs with order keys share a batch. Columns of the answer: batch, day of the batch,
-- job, payload, kind, what is unusual, in how many milliseconds the job behind it is due; NULL:
-- there is none.
-- Each node of a plan costs a claim of one job a few microseconds, and a lock for each relation: so
-- job_claim takes three times as long to find nothing.
WITH taken AS (
    DELETE FROM howdah_internal.job j
    WHERE j.ctid = ANY (ARRAY(
        SELECT d.ctid
        FROM howdah_internal.job d
        WHERE d.lane = (
                SELECT l.id
                FROM howdah_internal.lane l
                WHERE l.id = $3
                    AND l.paused IS NULL
                    AND l.kind IS NULL
                    AND l.kinds_paused IS NULL
                    -- Cheap, and more than a pause: job_claim looks closer.
                    AND to_regclass('howdah.paused') IS NULL
                    AND NOT EXISTS (
                        SELECT
                        FROM howdah_internal.lane_priority p
                        WHERE p.lane = $3 AND p.priority <> 0)
                    AND NOT EXISTS (
                        SELECT
                        FROM howdah_internal.queue_limit q
                        WHERE q.queue = $4::text AND q.group_name IS NULL AND NOT q.each_group)
                    AND NOT EXISTS (
                        SELECT
                        FROM howdah_internal.rate_limit r
                        WHERE r.queue = $4::text)
                    AND NOT EXISTS (
                        SELECT
                        FROM howdah_internal.queue_ageing g
                        WHERE g.queue = $4::text))
            AND d.priority = 0
            AND d.run_at <= now()
        ORDER BY d.run_at, d.id
        LIMIT 1
        FOR UPDATE SKIP LOCKED))
    RETURNING j.id, j.run_at, j.attempt, j.deaths, j.kind, j.payload, j.more
)
INSERT INTO howdah_internal.batch AS b (
    id, token, node, lane, begun, alone, jobs, first_id, last_id, ids, run_at, kind, payloads, rest)
SELECT howdah_internal.batch_number(), $2::bigint, $1::integer, $3, t.deaths < 2,
    t.deaths > 1
        OR t.kind = ANY ($5::text[])
        OR NOT $6::boolean AND t.more -> 'ordered' IS NOT NULL,
    1, t.id, t.id, ARRAY[t.id], t.run_at, t.kind, ARRAY[t.payload],
    CASE WHEN t.attempt <> 0 OR t.deaths <> 0 OR t.more IS NOT NULL
        THEN concat('{"', t.id, '": {"p": 0, "a": ', t.attempt, ', "d": ', t.deaths, ', "m": ',
            COALESCE(t.more::text, 'null'), '}}')::jsonb END
FROM taken t
-- As in job_claim: a claim that finishes nothing need not wait for the disk.
WHERE set_config('synchronous_commit', 'off', true) = 'off'
RETURNING b.id, to_char(b.day, 'YYYY-MM-DD'), b.first_id, b.payloads[1]::text, b.kind,
    (b.rest -> b.first_id::text)::text,
    (
        -- The job that is taken is there for this snapshot.
        SELECT ceil(date_part('epoch', n.run_at - now()) * 1000)::bigint
        FROM howdah_internal.job n
        WHERE n.lane = $3 AND n.priority = 0
        ORDER BY n.run_at, n.id
        OFFSET 1
        LIMIT 1);

-- name: batch_done
-- Ends batches whose jobs are all done, as job_claim does, and takes nothing. $1 the node, $2, $5,
-- $3, $4 the batches, their tokens, when their jobs began and how long they ran.
UPDATE howdah_internal.batch b
SET ended = clock_timestamp(), begins = f.begins::integer[], runs = f.runs::integer[]
FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[]) AS f (id, begins, runs, token)
WHERE b.id = ANY ($2)
    AND /*of_day:*/true/*:of_day*/
    AND b.id = f.id
    AND b.node = $1
    AND b.token = f.token
    AND COALESCE(b.ended, 'infinity') = 'infinity'
RETURNING b.id, b.token,
    CASE WHEN EXISTS (SELECT FROM howdah_internal.awaited)
        THEN howdah_internal.tell_ended(b.ids) END;

-- name: batch_turns(node, batches, turns, tokens)
-- Writes which jobs of open batches with runs are done, so that the next of their order keys may
-- begin. Answers which of the batches are this node's, and whether more of their jobs may begin:
-- nothing of them is paused.
UPDATE howdah_internal.batch b
SET turns = f.turns::bytea
FROM unnest(:batches::bigint[], :turns::text[], :tokens::bigint[]) AS f (id, turns, token)
WHERE b.id = ANY (:batches)
    AND /*of_day:*/true/*:of_day*/
    AND b.id = f.id
    AND b.node = :node
    AND b.token = f.token
    AND b.turns IS NOT NULL
    AND COALESCE(b.ended, 'infinity') = 'infinity'
RETURNING b.id, b.token, NOT /*paused:*/false/*:paused*/ AND EXISTS (
    SELECT
    FROM howdah_internal.lane l
    WHERE l.id = b.lane
        AND l.paused IS NULL
        AND COALESCE(cardinality(l.kinds_paused), 0) = 0
        AND (l.kind IS NULL OR NOT /*queue_paused:*/false/*:queue_paused*/));

-- name: batch_settle
-- Ends batches whose jobs did not all end well. $1 the node; $2 to $8, for each batch: its id, and
-- for each of its jobs in their order: when it began, how long it ran, its letter (see
-- howdah_internal.batch.outcomes), after how many microseconds it is due again, its error, its
-- result; $9 the jobs that are done and whose large payloads go; $10, for each batch, for each of
-- its jobs that moves to its next stage: its queue and kind there, whether its payload is large,
-- and the payload; and for each that is suspended: what it waits for, as a row of
-- howdah_internal.job_record, and whether it waits for that again. What is moved goes on in a batch
-- of its own, whose id is returned beside that of the old. $11 the tokens of the claims, which the
-- new batches keep.
WITH asked AS (
    SELECT a.*
    FROM unnest(
        $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
        $10::text[], $11::bigint[])
        AS a (id, begins, runs, letters, delays, errors, results, nexts, token)
), ended AS (
    UPDATE howdah_internal.batch b
    SET ended = clock_timestamp(), begins = a.begins::integer[], runs = a.runs::integer[],
        outcomes = array_to_string(a.letters::text[], ''),
        details = (
            SELECT jsonb_object_agg(
                u.id,
                jsonb_strip_nulls(jsonb_build_object('error', u.error, 'result', u.result::jsonb)))
                   FROM unnest(b.ids, a.errors::text[], a.results::text[]) AS u (id, error, result)
                   WHERE u.error IS NOT NULL OR u.result IS NOT NULL)
    FROM asked a
    WHERE b.id = ANY ($2)
        AND /*of_day:*/true/*:of_day*/
        AND b.id = a.id
        AND b.node = $1
        AND b.token = a.token
        AND COALESCE(b.ended, 'infinity') = 'infinity'
    RETURNING b.*, a.letters, a.delays, a.errors, a.nexts
), each AS (
    SELECT e.id AS batch, e.token, e.lane, e.taken, e.begun, e.alone, e.width, u.id,
        COALESCE(e.kind, u.kind) AS kind, u.payload, u.letter, u.next::json AS next,
        e.begins[u.n] AS begin, e.runs[u.n] AS run,
        e.run_at + COALESCE(u.run_offset, 0) * interval '1 ms' AS run_at, u.delay, u.error, u.n,
        COALESCE((r.rest -> u.id::text ->> 'p')::smallint, 0) AS priority,
        COALESCE((r.rest -> u.id::text ->> 'a')::smallint, 0) AS attempt,
        COALESCE((r.rest -> u.id::text ->> 'd')::smallint, 0) AS deaths,
        NULLIF(r.rest -> u.id::text -> 'm', 'null') AS more
    FROM ended e
    -- Read from where large values are kept once, and not for each job.
    CROSS JOIN LATERAL (SELECT e.rest || '{}'::jsonb AS rest OFFSET 0) r
    CROSS JOIN LATERAL unnest(
        e.ids, e.run_offsets, e.kinds, e.payloads, e.letters::text[], e.delays::bigint[],
        e.errors::text[], e.nexts::text[]
    ) WITH ORDINALITY AS u (id, run_offset, kind, payload, letter, delay, error, next, n)
    WHERE u.letter <> 'd'
), back AS (
    INSERT INTO howdah_internal.job (run_at, id, lane, priority, attempt, deaths, kind, payload,
        more)
    SELECT CASE WHEN e.letter IN ('g', 'u') THEN e.run_at
        WHEN e.letter = 'w' THEN COALESCE(
            (e.next ->> 'until')::timestamptz, now() + e.delay * interval '1 microsecond')
        ELSE now() + e.delay * interval '1 microsecond' END,
        e.id, CASE WHEN e.letter = 'u'
             THEN (
                 SELECT CASE WHEN q.home IS NULL THEN k.id
                     ELSE howdah_internal.group_lane(k.id, q.group_name) END
                 FROM howdah_internal.lane q
                 JOIN howdah_internal.lane k ON k.queue = q.queue AND k.kind = e.kind
                     AND k.home IS NULL
                 WHERE q.id = e.lane)
             ELSE e.lane END,
        CASE WHEN e.letter = 'w' AND e.next ->> 'priority' IS NOT NULL
            THEN howdah_internal.resume_level(e.lane, e.kind, (e.next ->> 'priority')::smallint)
            ELSE e.priority END,
        -- Behind a wait both counts begin anew.
        CASE WHEN e.letter = 'w' AND NOT (e.next ->> 'again')::boolean THEN 0
            ELSE LEAST(e.attempt + CASE WHEN e.letter = 'r' THEN 1 ELSE 0 END, 32767) END,
        -- An attempt that has asked to be called again has come to its end: nothing died of it.
        CASE WHEN e.letter = 's' OR e.letter = 'w' AND NOT (e.next ->> 'again')::boolean THEN 0
            ELSE e.deaths END, e.kind, e.payload,
        CASE WHEN e.letter IN ('g', 'u') THEN e.more
             WHEN e.letter = 'w' THEN COALESCE(e.more, '{}') - 'error' || jsonb_build_object(
                 'created', COALESCE(e.more -> 'created', to_jsonb(e.run_at)),
                 'wait', jsonb_strip_nulls(jsonb_build_object(
                     'type', e.next ->> 'type', 'name', e.next ->> 'name',
                     'error', e.next ->> 'error', 'times', (e.next ->> 'times')::integer,
                     'key', e.next ->> 'event_key', 'signals', e.next -> 'signals',
                     'children', e.next -> 'children', 'jobs', e.next -> 'jobs',
                     'throws', e.next -> 'throws')),
                 'waits', (e.next ->> 'number')::integer)
                 || jsonb_strip_nulls(jsonb_build_object(
                     'handler', COALESCE(e.more -> 'handler', to_jsonb(e.next ->> 'version'))))
             ELSE COALESCE(e.more, '{}') - 'wait' || jsonb_strip_nulls(
                 jsonb_build_object('created', COALESCE(e.more -> 'created', to_jsonb(e.run_at)),
                 -- The whole of it, with its stack trace, is in batch.details; what waits carries
                 -- its first line.
                 'error', split_part(e.error, E'\n', 1))) END
    FROM each e WHERE e.letter IN ('r', 's', 'g', 'u', 'w')
    RETURNING lane
), waits AS (
    INSERT INTO howdah_internal.job_record AS r (
        job, kind, number, type, name, nth, at, until, fresh, node, event_key, filter, since)
    SELECT e.id, e.kind, (e.next ->> 'number')::integer,
        CASE WHEN v.place > 0 THEN 'among'
            -- A child has a record since it was added.
            WHEN e.next ->> 'type' = 'children' THEN 'child'
            ELSE e.next ->> 'type' END,
        CASE WHEN v.place > 0 THEN v.event ->> 'topic' ELSE e.next ->> 'name' END,
        CASE WHEN v.place > 0 THEN 1000 * (e.next ->> 'number')::integer + v.place
            ELSE (e.next ->> 'nth')::integer END, clock_timestamp(),
        COALESCE((e.next ->> 'until')::timestamptz, now() + e.delay * interval '1 microsecond'),
        v.place = 0 AND e.next ->> 'type' <> 'sleep', $1, v.event ->> 'event_key',
        (v.event ->> 'filter')::jsonb,
        CASE WHEN v.event ->> 'event_key' IS NULL THEN NULL
            ELSE COALESCE(
                (v.event ->> 'since')::timestamptz, (e.more ->> 'since')::timestamptz,
                (e.more ->> 'created')::timestamptz, e.run_at)
        END
    FROM each e
    -- Beside the wait, each of the events among which it waits for the first.
    CROSS JOIN LATERAL (
        SELECT e.next AS event, 0 AS place
        UNION ALL
        SELECT a.event, (a.event ->> 'place')::integer
        FROM json_array_elements(e.next -> 'events') AS a (event)) v
    WHERE e.letter = 'w' AND e.next ->> 'type' NOT IN ('diverged', 'version')
    ON CONFLICT (job, kind, type, name, nth) DO UPDATE
    SET fresh = excluded.fresh,
        closed = CASE WHEN excluded.type <> 'among' THEN r.closed END
), woken AS (
    INSERT INTO howdah_internal.group_wake (home, lane)
    SELECT howdah_internal.home_of(b.lane), b.lane
    FROM back b
    WHERE b.lane < 0
    GROUP BY b.lane
), onward AS (
    INSERT INTO howdah_internal.job (run_at, id, lane, priority, kind, payload, more)
    SELECT clock_timestamp(), e.id,
        (
            SELECT CASE WHEN e.more -> 'group' IS NOT NULL
                    THEN howdah_internal.group_lane(l.id, e.more ->> 'group')
                ELSE l.id END
            FROM howdah_internal.lane l
            WHERE l.queue = e.next ->> 'queue'
                AND (l.kind = e.next ->> 'kind' OR l.kind IS NULL)
                AND l.home IS NULL
            ORDER BY l.kind NULLS LAST
            LIMIT 1),
        e.priority, e.next ->> 'kind',
        CASE WHEN NOT (e.next ->> 'large')::boolean THEN e.next -> 'payload' END,
        CASE WHEN (e.next ->> 'again')::boolean
            -- It has done a part of its work, and counts as one that has waited.
            THEN COALESCE(e.more, '{}') - '{error,wait,children,handler}'::text[]
                || jsonb_build_object(
                    'created', COALESCE(e.more -> 'created', to_jsonb(e.run_at)), 'waits', 0,
                    -- What it has read is not known any more.
                    'since', clock_timestamp())
            ELSE COALESCE(e.more, '{}') - '{error,wait}'::text[] || jsonb_build_object(
            'created', COALESCE(e.more -> 'created', to_jsonb(e.run_at)), 'stages',
            CASE WHEN jsonb_array_length(COALESCE(e.more -> 'stages', '[]')) >= 100
            THEN (e.more -> 'stages') - 0
                 ELSE COALESCE(e.more -> 'stages', '[]') END
            || jsonb_build_object('kind', e.kind, 'node', $1::integer, 'attempts', e.attempt + 1,
                'begun', e.taken + e.begin * interval '1 microsecond', 'ended',
                e.taken + (e.begin + e.run) * interval '1 microsecond')) END
    FROM each e WHERE e.letter = 'n'
    RETURNING lane
), forgotten AS (
    -- A stage that is entered again does its steps again.
    DELETE FROM howdah_internal.job_step s
    WHERE s.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM each e
        CROSS JOIN LATERAL (
            SELECT k.ctid
            FROM howdah_internal.job_step k
            WHERE k.job = e.id AND k.kind = e.next ->> 'kind'
            OFFSET 0) o
        WHERE e.letter = 'n'))
), unrecorded AS (
    DELETE FROM howdah_internal.job_record s
    WHERE s.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM each e
        CROSS JOIN LATERAL (
            SELECT k.ctid
            FROM howdah_internal.job_record k
            WHERE k.job = e.id AND k.kind = e.next ->> 'kind'
            OFFSET 0) o
        WHERE e.letter = 'n'))
), bodies AS (
    INSERT INTO howdah_internal.body (job, payload)
    SELECT e.id, e.next -> 'payload'
    FROM each e
    WHERE e.letter = 'n' AND (e.next ->> 'large')::boolean
    ON CONFLICT (job) DO UPDATE SET payload = EXCLUDED.payload
), rung AS (
    SELECT CASE WHEN o.lane < 0 THEN howdah_internal.ring(o.lane)
        WHEN NOT pg_try_advisory_xact_lock_shared(1215264875, o.lane)
        THEN pg_notify('howdah_job', o.lane::text) END AS ring
    FROM (SELECT DISTINCT lane FROM onward) o
), gone AS (
    INSERT INTO howdah_internal.failed (
        id, lane, state, kind, priority, attempt, deaths, run_at, node, error, payload, more)
    SELECT e.id, e.lane, CASE WHEN e.letter = 'f' THEN 'failed' ELSE 'cancelled' END, e.kind,
        e.priority, LEAST(e.attempt + 1, 32767), e.deaths, e.run_at, $1, e.error, e.payload, e.more
    FROM each e WHERE e.letter IN ('f', 'c')
), moved AS (
    INSERT INTO howdah_internal.batch AS b (
        id, token, node, lane, taken, begun, alone, jobs, first_id, last_id, ids, run_at,
        run_offsets, kinds, kind, payloads, rest, width)
    SELECT howdah_internal.batch_number(), e.token, $1, e.lane, e.taken, e.begun, e.alone, count(*),
        min(e.id), max(e.id), array_agg(e.id ORDER BY e.n), min(e.run_at),
        array_agg(
            LEAST(extract(epoch FROM e.run_at - e.first) * 1000, 2000000000)::integer ORDER BY e.n),
        array_agg(e.kind ORDER BY e.n), NULL, array_agg(e.payload ORDER BY e.n),
        jsonb_object_agg(
            e.id, jsonb_build_object('p', e.priority, 'a', e.attempt, 'd', e.deaths, 'm', e.more))
            FILTER (WHERE e.priority <> 0 OR e.attempt <> 0 OR e.deaths <> 0 OR e.more IS NOT NULL),
        e.width
    FROM (SELECT *, min(run_at) OVER (PARTITION BY batch) AS first FROM each WHERE letter = 'm') e
    GROUP BY e.batch, e.token, e.lane, e.taken, e.begun, e.alone, e.width
    RETURNING b.id
), dropped AS (
    DELETE FROM howdah_internal.body d
    WHERE d.job = ANY ($9::bigint[]) AND EXISTS (SELECT FROM ended)
), told AS (
    SELECT howdah_internal.tell_ended(e.ids) AS sent
    FROM ended e
    WHERE EXISTS (SELECT FROM howdah_internal.awaited)
)
SELECT e.id, (SELECT max(m.id) FROM moved m), (SELECT count(r.ring) FROM rung r),
    (SELECT count(t.sent) FROM told t)
FROM ended e;

-- name: kind_move
-- Moves the next due jobs of kinds that are not worked in a lane to the lanes of these kinds, after
-- settle has moved those that a claim had taken. $1 the lane, $2 the kinds, $3 the lanes of these,
-- $4 how many jobs are looked at, at most. Waits for no lock.
WITH levels AS MATERIALIZED (
    SELECT DISTINCT p.priority FROM howdah_internal.lane_priority p WHERE p.lane = $1
), seen AS MATERIALIZED (
    SELECT d.id, d.kind
    FROM (SELECT v.priority FROM levels v ORDER BY v.priority) AS p
    CROSS JOIN LATERAL (
        SELECT j.id, j.kind FROM howdah_internal.job j
        WHERE j.lane = $1 AND j.priority = p.priority AND j.run_at <= now()
        ORDER BY j.run_at, j.id LIMIT $4) AS d
    LIMIT $4
), known AS (
    INSERT INTO howdah_internal.lane_priority (lane, priority)
    SELECT k.lane, v.priority
    FROM unnest($3::integer[]) AS k (lane)
    CROSS JOIN levels v
    WHERE NOT EXISTS (
        SELECT
        FROM howdah_internal.lane_priority o
        WHERE o.lane = k.lane AND o.priority = v.priority)
), moved AS (
    UPDATE howdah_internal.job j
    SET lane = (
        SELECT k.lane
        FROM unnest($2::text[], $3::integer[]) AS k (kind, lane)
        WHERE k.kind = j.kind
        LIMIT 1)
    WHERE j.ctid = ANY (ARRAY(
        SELECT l.ctid FROM howdah_internal.job l
        WHERE l.id = ANY (ARRAY(SELECT s.id FROM seen s WHERE s.kind = ANY ($2))) AND l.lane = $1
        FOR UPDATE SKIP LOCKED))
    RETURNING 1
)
SELECT count(*) FROM moved;

-- name: batch_give_back
-- Returns the jobs of a crashed node to their lanes, one by one; a job that nodes have crashed with
-- three times, without getting further in between, has failed. Jobs that the node's last
-- transactions still hold stay for the next time. Of a run the first job that is not done goes back
-- so, and those behind it wait for it again. The node that does this holds the lock of that
-- node, or is that node and has lost track of them: then nothing is counted.
-- $1 the node, $2 how many batches at most, $3 the batches that a living node has lost track of,
-- and $4 their tokens; NULL: all of a dead one; $5 whether the death counts against its jobs. It
-- never counts against those that were taken before the server's start: that may have been what
-- ended the node. Answers how many are in each lane again, how many batches there were, and which
-- jobs have failed.
WITH ended AS (
    UPDATE howdah_internal.batch b
    SET ended = clock_timestamp(),
        outcomes = CASE WHEN b.turns IS NULL THEN repeat('x', b.jobs)
            ELSE howdah_internal.turn_letters(b.ids, b.rest, b.turns) END
    WHERE b.id = ANY (ARRAY(SELECT o.id FROM howdah_internal.batch o WHERE o.node = $1
        AND o.ended IS NULL
            AND ($3::bigint[] IS NULL OR o.id = ANY ($3) AND EXISTS (
                SELECT FROM unnest($3::bigint[], $4::bigint[]) AS f (id, token)
                WHERE f.id = o.id
                    AND f.token IS NOT DISTINCT FROM o.token)) LIMIT $2 FOR UPDATE SKIP LOCKED))
        AND b.node = $1 AND b.ended IS NULL
    RETURNING b.*,
        CASE WHEN b.turns IS NOT NULL AND EXISTS (SELECT FROM howdah_internal.awaited)
            THEN howdah_internal.tell_ended(b.ids) END AS told
), every AS (
    SELECT e.lane, c.counts AS begun, u.id, substr(e.outcomes, u.n::integer, 1) AS letter,
        COALESCE((e.rest -> u.id::text ->> 'h')::bigint, u.id) AS head, e.turns,
        COALESCE(e.kind, u.kind) AS kind, u.payload,
        e.run_at + COALESCE(u.run_offset, 0) * interval '1 ms' AS run_at,
        COALESCE((e.rest -> u.id::text ->> 'p')::smallint, 0) AS priority,
        COALESCE((e.rest -> u.id::text ->> 'a')::smallint, 0) AS attempt,
        -- A job that has recorded a step in this attempt has got further: the count begins again.
        -- Without OFFSET the planner hashes the whole table where it takes the table for empty.
        CASE WHEN NOT c.counts THEN COALESCE((e.rest -> u.id::text ->> 'd')::smallint, 0)
            WHEN EXISTS (
                SELECT
                FROM howdah_internal.job_step s
                WHERE s.job = u.id
                    AND s.attempt = COALESCE((e.rest -> u.id::text ->> 'a')::smallint, 0) + 1
                    AND GREATEST(s.stretch, -1 - s.stretch, 0) >= COALESCE(
                        (e.rest -> u.id::text -> 'm' ->> 'waits')::integer, 0)
                OFFSET 0)
            THEN 1
            ELSE COALESCE((e.rest -> u.id::text ->> 'd')::smallint, 0) + 1 END AS deaths,
        NULLIF(e.rest -> u.id::text -> 'm', 'null') AS more
    FROM ended e
    CROSS JOIN LATERAL (
        SELECT e.begun
            AND $3::bigint[] IS NULL
            AND $5::boolean
            AND e.taken > pg_postmaster_start_time() AS counts
    ) AS c
    CROSS JOIN LATERAL unnest(
        e.ids, e.run_offsets, e.kinds, e.payloads
    ) WITH ORDINALITY AS u (id, run_offset, kind, payload, n)
), each AS (
    SELECT e.* FROM every e WHERE e.letter = 'x'
), turned AS (
    UPDATE howdah_internal.order_key k
    SET job = t.job
    FROM (
        SELECT e.head, min(e.id) FILTER (WHERE e.letter = 'x') AS job
        FROM every e
        WHERE e.turns IS NOT NULL
        GROUP BY e.head) t
    WHERE k.job = t.head AND t.job IS DISTINCT FROM t.head
    RETURNING CASE WHEN k.job IS NULL THEN howdah_internal.tell('howdah_job_order', '') END
), behind AS (
    INSERT INTO howdah_internal.ordered (id, queue, key, fresh, run_at, lane, priority, kind,
        payload, more)
    SELECT e.id, (SELECT l.queue FROM howdah_internal.lane l WHERE l.id = e.lane),
        e.more ->> 'ordered', false, COALESCE((e.more ->> 'created')::timestamptz, e.run_at),
        e.lane, e.priority, e.kind, e.payload, e.more - 'created'
    FROM every e
    WHERE e.letter = 'g'
), back AS (
    INSERT INTO howdah_internal.job (run_at, id, lane, priority, attempt, deaths, kind, payload,
        more)
    SELECT e.run_at, e.id, e.lane, e.priority,
        LEAST(e.attempt + CASE WHEN e.begun THEN 1 ELSE 0 END, 32767), e.deaths, e.kind, e.payload,
        e.more
    FROM each e WHERE e.deaths < 3
    RETURNING lane
), woken AS (
    INSERT INTO howdah_internal.group_wake (home, lane)
    SELECT howdah_internal.home_of(b.lane), b.lane
    FROM back b
    WHERE b.lane < 0
    GROUP BY b.lane
), gone AS (
    INSERT INTO howdah_internal.failed (
        id, lane, state, kind, priority, attempt, deaths, run_at, node, error, payload, more)
    SELECT e.id, e.lane, 'failed', e.kind, e.priority, LEAST(e.attempt + 1, 32767), e.deaths,
        e.run_at, $1, 'the node that worked on it has died, ' || e.deaths || ' times in all',
        e.payload, e.more
    FROM each e WHERE e.deaths >= 3
    RETURNING id, lane, kind, attempt, error, payload
), late AS (
    INSERT INTO howdah_internal.key_late (job)
    SELECT e.id
    FROM each e
    WHERE e.more -> 'key' IS NOT NULL
)
SELECT howdah_internal.home_of(b.lane), count(*), (SELECT count(*) FROM ended), NULL::bigint,
    NULL::text,
    NULL::text, NULL::integer, NULL::text, NULL::text
FROM back b
GROUP BY b.lane
UNION ALL SELECT NULL, 0, count(*), NULL, NULL, NULL, NULL, NULL, NULL FROM ended
UNION ALL
SELECT NULL, 0, (SELECT count(*) FROM ended), g.id, l.queue, g.kind, g.attempt::integer, g.error,
    COALESCE(g.payload, (SELECT o.payload FROM howdah_internal.body o WHERE o.job = g.id))::text
FROM gone g
JOIN howdah_internal.lane l ON l.id = g.lane;

-- name: payload_is_json
-- $1 what a handler has left as its result.
SELECT $1::text::jsonb IS NOT NULL;

-- name: payload_is_text
-- $1 an error: refused if the encoding of the database does not have its characters.
SELECT $1::text IS NOT NULL;

-- name: batch_mine
-- $1 the node. Leases of log queues have no ids.
SELECT b.id, b.ids, b.token
FROM howdah_internal.batch b
WHERE b.node = $1 AND b.ended IS NULL
UNION ALL
SELECT l.id, NULL, l.token
FROM howdah_internal.log_lease l
WHERE l.node = $1;

-- name: key_settle
-- In the transaction that ends jobs with keys, or puts them back. $1 the jobs.
SELECT howdah_internal.keys_settle($1::bigint[], true)::text;

-- name: cancellation_of
-- Which of these jobs are to be cancelled. $1 the jobs.
SELECT c.job FROM howdah_internal.cancellation c WHERE c.job = ANY ($1);

-- name: batch_begin
-- A job that nodes have died with says that it begins, so that the next death is counted against it
-- and no other job. $1 the node, $2 the batch, $3 its token.
UPDATE howdah_internal.batch SET begun = true
WHERE id = $2 AND node = $1 AND token = $3 AND COALESCE(ended, 'infinity') = 'infinity';

-- name: batch_still_mine
-- Before work in the job's own transaction: the batch stays this node's until that ends; if the
-- node dies its lock shows others whose session it is. The setting ends with the transaction, so
-- that its end knows whether it is still the same.
-- $1 the node, $2 the batch, $3 its token.
SELECT b.id, pg_advisory_xact_lock_shared(1215264880, $1),
    set_config('howdah.own', $3::bigint::text, true)
FROM howdah_internal.batch b
WHERE b.id = $2
    AND /*of_day:*/true/*:of_day*/
    AND b.node = $1
    AND b.token = $3
    AND COALESCE(b.ended, 'infinity') = 'infinity'
FOR UPDATE;

-- name: body_read
-- $1 the jobs.
SELECT b.job, b.payload::text
FROM howdah_internal.body b
WHERE b.job = ANY ($1::bigint[]);

-- name: job_next_due
-- In how many milliseconds the next job of these lanes is due; NULL: none is planned. $1 the lanes.
SELECT ceil(extract(epoch FROM min(n.run_at) - clock_timestamp()) * 1000)::bigint
FROM (
    SELECT DISTINCT p.lane, p.priority
    FROM howdah_internal.lane_priority p
    WHERE p.lane = ANY ($1::integer[])) AS p
CROSS JOIN LATERAL (
    SELECT j.run_at
    FROM howdah_internal.job j
    WHERE j.lane = p.lane AND j.priority = p.priority AND j.run_at > now()
                    ORDER BY j.run_at LIMIT 1) AS n
WHERE (SELECT l.paused IS NULL AND NOT /*queue_paused:*/false/*:queue_paused*/
       FROM howdah_internal.lane l WHERE l.id = p.lane);

-- name: lane_try_asleep
-- What a node that sleeps asks of lanes at which another one is rung: whether that one has gone or
-- is awake, as lock_fall_asleep answers it, and in how many milliseconds the first job is due, less
-- than 1 if one is there: then the other node may be frozen. $1 the lanes.
SELECT s.id,
    CASE WHEN pg_try_advisory_lock(1215264875, s.id) THEN true
         WHEN pg_try_advisory_lock_shared(1215264875, s.id)
             THEN NOT pg_advisory_unlock_shared(1215264875, s.id) END,
    (
        SELECT ceil(date_part('epoch', min(n.run_at) - clock_timestamp()) * 1000)::bigint
        FROM (
            SELECT DISTINCT p.priority
            FROM howdah_internal.lane_priority p
            WHERE p.lane = s.id) AS p
        CROSS JOIN LATERAL (
            SELECT j.run_at
            FROM howdah_internal.job j
            WHERE j.lane = s.id AND j.priority = p.priority
            ORDER BY j.run_at
            LIMIT 1) AS n)
FROM unnest($1::integer[]) AS s (id);

-- name: lane_ring
-- Notifies all nodes that sleep at these lanes. A lane without the sign means the one node that
-- holds its doorbell. $1 the lanes.
SELECT pg_notify('howdah_job', '+' || l.id) FROM unnest($1::integer[]) AS l (id);

-- name: batch_end
-- In the job's own transaction: it is done. $1 the node, $2 the batch, $3 the job, $4 its result or
-- NULL, $5 when it began and $6 how long it ran, $7 the token of the batch.
UPDATE howdah_internal.batch b
SET ended = clock_timestamp(), begins = ARRAY[$5::integer], runs = ARRAY[$6::integer],
    details = CASE WHEN $4::text IS NOT NULL
        THEN jsonb_build_object($3::bigint::text, jsonb_build_object('result', $4::jsonb)) END
WHERE b.id = $2
    AND /*of_day:*/true/*:of_day*/
    AND b.node = $1
    AND b.token = $7
    AND COALESCE(b.ended, 'infinity') = 'infinity'
    AND current_setting('howdah.own', true) = $7::bigint::text
RETURNING b.id, (
    SELECT count(pg_notify('howdah_job_ended', $3::bigint::text))
        + COALESCE(max(howdah_internal.tell_ended(ARRAY[$3::bigint])), 0)
    -- Of another isolation the snapshot is as old as the transaction, older than the note perhaps.
    WHERE current_setting('transaction_isolation') <> 'read committed'
        OR EXISTS (SELECT FROM howdah_internal.awaited w WHERE w.job = $3));

-- name: batch_end_own
-- As batch_end, for a message that goes on with COMMIT: where the job is not this transaction's an
-- error keeps that from being executed. The time makes it one of its execution, not of its plan.
WITH own AS (
    UPDATE howdah_internal.batch b
    SET ended = clock_timestamp(), begins = ARRAY[$5::integer], runs = ARRAY[$6::integer],
        details = CASE WHEN $4::text IS NOT NULL
            THEN jsonb_build_object($3::bigint::text, jsonb_build_object('result', $4::jsonb)) END
    WHERE b.id = $2
        AND /*of_day:*/true/*:of_day*/
        AND b.node = $1
        AND b.token = $7
        AND COALESCE(b.ended, 'infinity') = 'infinity'
        AND current_setting('howdah.own', true) = $7::bigint::text
    RETURNING (
        SELECT count(pg_notify('howdah_job_ended', $3::bigint::text))
        + COALESCE(max(howdah_internal.tell_ended(ARRAY[$3::bigint])), 0)
        WHERE current_setting('transaction_isolation') <> 'read committed'
            OR EXISTS (SELECT FROM howdah_internal.awaited w WHERE w.job = $3)) AS told
)
SELECT CASE WHEN count(o.told) = 1::bigint THEN 1
    ELSE concat('howdah: not the transaction of the job, ', clock_timestamp())::integer END
FROM own o;

-- name: batch_end_own_all(node, batches, results, begins, runs, token)
-- The same for the jobs of several batches of one claim, all or none: for each batch the
-- result of its job or NULL, when the job began and how long it ran.
WITH own AS (
    UPDATE howdah_internal.batch b
    SET ended = clock_timestamp(), begins = ARRAY[f.began], runs = ARRAY[f.ran],
        details = CASE WHEN f.result IS NOT NULL
            THEN jsonb_build_object(
                b.first_id::text, jsonb_build_object('result', f.result::jsonb)) END
    FROM unnest(:batches::bigint[], :results::text[], :begins::integer[], :runs::integer[])
        AS f (id, result, began, ran)
    WHERE b.id = ANY (:batches)
        AND /*of_day:*/true/*:of_day*/
        AND b.id = f.id
        AND b.node = :node
        AND b.token = :token
        AND COALESCE(b.ended, 'infinity') = 'infinity'
        AND current_setting('howdah.own', true) = :token::bigint::text
    RETURNING (
        SELECT count(pg_notify('howdah_job_ended', t.job::text))
            + COALESCE(max(howdah_internal.tell_ended(ARRAY[t.job])), 0)
        FROM (SELECT b.first_id) AS t (job)
        WHERE current_setting('transaction_isolation') <> 'read committed'
            OR EXISTS (SELECT FROM howdah_internal.awaited w WHERE w.job = t.job)) AS told
)
SELECT CASE WHEN count(o.told) = cardinality(:batches::bigint[]) THEN 1
    ELSE concat(
        CASE WHEN current_setting('howdah.own', true) IS DISTINCT FROM :token::bigint::text
            THEN 'howdah: not the transaction of the jobs, '
            ELSE 'howdah: jobs of another node, ' END, clock_timestamp())::integer END
FROM own o;

-- name: day_today
-- The day of batches that this session makes now.
SELECT to_char(CURRENT_DATE, 'YYYY-MM-DD');

-- name: transaction_commit
COMMIT;

-- name: transaction_check
-- Whether this is still the transaction in which still_mine was asked. $1 the token of the batch.
SELECT current_setting('howdah.own', true) IS NOT DISTINCT FROM $1::bigint::text;

-- name: body_delete
-- $1 a job that is done.
DELETE FROM howdah_internal.body WHERE job = $1 RETURNING job;

-- name: delegated_begin
-- As still_mine, where the role of the session has no right on the tables. $1 the node, $2 the
-- batch, $3 its token.
SELECT howdah_internal.begin_own($1, $2, $3), set_config('howdah.own', $3::bigint::text, true);

-- name: delegated_end
-- As end_alone and what follows it.
SELECT CASE WHEN current_setting('howdah.own', true) = $7::bigint::text
    THEN howdah_internal.end_own($1, $2, $3, $4::jsonb, $5, $6, $7) ELSE false END;
