-- Statements that add jobs. No NOTIFY is sent while a node is awake: see package
-- dev.howdah.internal.doorbell. Operators of types that differ are named with their schema: these
-- statements run in connections of the caller's, whose search_path may have one that fits better.

-- name: job_add_one
-- $1 the lane, $2 the kind, $3 the priority, $4 the time it is due or NULL, $5 in how many
-- microseconds it is due, $6 the payload, $7 what is unusual.
INSERT INTO howdah_internal.job (lane, kind, priority, run_at, payload, more)
VALUES (
    $1, $2, $3,
    COALESCE($4::timestamptz, now() + ($5::bigint OPERATOR(pg_catalog.*) interval '1 microsecond')),
    $6::json, $7::jsonb)
RETURNING id,
    CASE WHEN NOT pg_try_advisory_xact_lock_shared(1215264875, lane)
        THEN howdah_internal.tell('howdah_job', lane::text) END;

-- name: job_add_many
-- The same for many, an element of each array for each; the ids come in their order.
WITH added AS (
    INSERT INTO howdah_internal.job (lane, kind, priority, run_at, payload, more)
    SELECT a.lane, a.kind, a.priority,
        COALESCE(a.run_at, now() + (a.delay OPERATOR(pg_catalog.*) interval '1 microsecond')),
        a.payload::json, a.more::jsonb
    FROM unnest(
        $1::integer[], $2::text[], $3::integer[], $4::timestamptz[], $5::bigint[], $6::text[],
        $7::text[])
        AS a (lane, kind, priority, run_at, delay, payload, more)
    RETURNING id
), rung AS (
    SELECT CASE WHEN NOT pg_try_advisory_xact_lock_shared(1215264875, r.lane)
        THEN howdah_internal.tell('howdah_job', r.lane::text) END AS ring
    FROM unnest($8::integer[]) AS r (lane)
)
SELECT a.id, (SELECT count(*) FROM rung r WHERE r.ring IS NOT NULL)
FROM added a;

-- name: job_add_alike
-- The same for some that differ in nothing but their payloads, $6. Their ids in one text: a row for
-- each would cost more than writing it.
WITH added AS (
    INSERT INTO howdah_internal.job (lane, kind, priority, run_at, payload, more)
    SELECT $1, $2, $3,
        COALESCE(
            $4::timestamptz, now() + ($5::bigint OPERATOR(pg_catalog.*) interval '1 microsecond')),
        p.payload::json, $7::jsonb
    FROM unnest($6::text[]) AS p (payload)
    RETURNING id
)
SELECT NULL::bigint, array_agg(a.id)::text,
    (SELECT CASE WHEN NOT pg_try_advisory_xact_lock_shared(1215264875, $1)
        THEN howdah_internal.tell('howdah_job', $1::integer::text) END)
FROM added a;

-- name: job_bulk_begin
-- The same for very many takes three statements of one message: that which writes them tells
-- nothing, since it would take an eighth longer.
SELECT set_config('howdah.before', nextval('howdah_internal.job_id_seq')::text, true);

-- name: job_bulk_add
INSERT INTO howdah_internal.job (lane, kind, priority, run_at, payload, more)
SELECT $1, $2, $3,
    COALESCE($4::timestamptz, now() + ($5::bigint OPERATOR(pg_catalog.*) interval '1 microsecond')),
    p.payload::json, $7::jsonb
FROM unnest($6::text[]) AS p (payload);

-- name: job_bulk_end(last, lane)
-- The last id of those :last, in lane :lane: the others are those before it, unless another session
-- took some meanwhile. Then they are looked for.
SELECT ids.last - :last::integer + 1,
    CASE WHEN ids.last - ids.before <> :last::integer
        THEN howdah_internal.added(ids.before, ids.last)::text END,
    CASE WHEN NOT pg_try_advisory_xact_lock_shared(1215264875, :lane::integer)
        THEN howdah_internal.tell('howdah_job', :lane::integer::text) END
FROM (
    SELECT currval('howdah_internal.job_id_seq') AS last,
        current_setting('howdah.before')::bigint AS before
) AS ids;

-- name: job_add_large
-- The same for one whose payload is too large to travel with it.
SELECT howdah_internal.put_large($1, $2, $3,
    COALESCE($4::timestamptz, now() + ($5::bigint OPERATOR(pg_catalog.*) interval '1 microsecond')),
    $6::json, $7::jsonb),
    CASE WHEN NOT pg_try_advisory_xact_lock_shared(1215264875, $1)
        THEN howdah_internal.tell('howdah_job', $1::integer::text) END;

-- name: job_add_grouped
-- The same for jobs of groups, an element of each array for each: $1 the lanes that they would be
-- in without a group, $2 the kinds, $3 the priorities, $4 the times they are due or NULL, $5 in how
-- many microseconds they are due, $6 the payloads, $7 what is unusual. Their ids, in their order.
SELECT g.id
FROM howdah_internal.put_grouped($1::integer[], $2::text[], $3::integer[],
    ARRAY(
        SELECT COALESCE(d.run_at, now() + (d.delay OPERATOR(pg_catalog.*) interval '1 microsecond'))
        FROM unnest($4::timestamptz[], $5::bigint[]) AS d (run_at, delay)),
    $6::text[], $7::text[]) AS g (id);

-- name: trace_set
-- For what is added by a function in this transaction: :trace the context of the trace, a JSON
-- object of headers.
SELECT set_config('howdah.traceparent', COALESCE(:trace::json ->> 'traceparent', ''), true),
    set_config('howdah.tracestate', COALESCE(:trace::json ->> 'tracestate', ''), true);

-- name: job_add_keyed
-- $1 the queue, $2 the kind, $3 the payload, $4 the priority, $5 when it is due or $6 in how many
-- microseconds, $7 the key, $8 the version,
-- $9 how many attempts, $10 how many microseconds each may take, $11 the options.
SELECT a.id, a.added
FROM howdah_internal.add($1::text, $2::text, $3::json, $4::integer, $5::timestamptz,
    $6::bigint OPERATOR(pg_catalog.*) interval '1 microsecond', $7::text, $8::timestamptz,
    $9::integer, $10::bigint OPERATOR(pg_catalog.*) interval '1 microsecond', $11::jsonb) a;

-- name: job_add_each
-- Jobs with and without keys: $1 the lanes, $2 the kinds, $3 the priorities, $4 the times they are
-- due or NULL, $5 in how many microseconds they are due (both NULL: all are due now), $6 the
-- payloads, $7 what is unusual but for their keys, $8 the queues, $9 the keys, $10 the versions,
-- $11 what is to become of the second job of a key. Their ids, and whether each was added, in two
-- texts.
SELECT a.ids::text, a.added::text
FROM howdah_internal.add_each($1::integer[], $2::text[], $3::integer[],
    ARRAY(
        SELECT COALESCE(d.run_at, now() + (d.delay OPERATOR(pg_catalog.*) interval '1 microsecond'))
        FROM unnest($4::timestamptz[], $5::bigint[]) AS d (run_at, delay)),
    $6::text[], $7::text[], $8::text[], $9::text[], $10::timestamptz[],
    $11::text[]) a;
