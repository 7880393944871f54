-- Jobs that a request of the HTTP API adds together.

-- name: job_enter_many
-- :jobs a JSON array of jobs. A json, not a jsonb: numbers of payloads keep their digits. CASE
-- calls one of the functions only.
SELECT r.added[1] AS id, r.added[2] = 1 AS added
FROM (
    SELECT e.number,
        CASE WHEN e.job ->> 'order_key' IS NULL THEN (
            SELECT ARRAY[a.id, CASE WHEN a.added THEN 1 ELSE 0 END::bigint]
            FROM howdah_internal.add(
                e.job ->> 'queue', e.job ->> 'kind', e.job -> 'payload',
                (e.job ->> 'priority')::integer, (e.job ->> 'run_at')::timestamptz,
                (e.job ->> 'delay')::interval, e.job ->> 'key', (e.job ->> 'version')::timestamptz,
                (e.job ->> 'attempts')::integer, (e.job ->> 'timeout')::interval,
                (e.job ->> 'options')::jsonb) a)
            ELSE ARRAY[
                howdah_internal.add_ordered(
                    e.job ->> 'queue', e.job ->> 'kind', e.job -> 'payload',
                    e.job ->> 'order_key', (e.job ->> 'priority')::integer,
                    (e.job ->> 'options')::jsonb),
                1::bigint] END AS added
    FROM json_array_elements(:jobs::json) WITH ORDINALITY AS e (job, number)
    OFFSET 0) r
ORDER BY r.number;
