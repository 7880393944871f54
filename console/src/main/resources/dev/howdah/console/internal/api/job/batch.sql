-- Jobs that a request of the HTTP API adds together.

-- name: job_enter_many
-- :jobs a JSON array of jobs. A json, not a jsonb: numbers of payloads keep their digits.
SELECT a.id, a.added
FROM json_array_elements(:jobs::json) WITH ORDINALITY AS e (job, number)
CROSS JOIN LATERAL howdah.add(
    e.job ->> 'queue', e.job ->> 'kind', e.job -> 'payload', (e.job ->> 'priority')::integer,
    (e.job ->> 'run_at')::timestamptz, (e.job ->> 'delay')::interval, e.job ->> 'key',
    NULL::timestamptz, (e.job ->> 'attempts')::integer, (e.job ->> 'timeout')::interval,
    (e.job ->> 'options')::jsonb) a
ORDER BY e.number;
