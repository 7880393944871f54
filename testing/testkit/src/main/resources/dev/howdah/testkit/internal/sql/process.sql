-- What tests of processes ask and do.

-- name: process_unsettled
-- Processes that work or have something to do now.
SELECT n.name || ' ' || p.id
FROM howdah_internal.process p
JOIN howdah_internal.process_namespace n ON n.id = p.namespace
WHERE p.node IS NOT NULL OR p.lane < 2 AND p.due_at <= clock_timestamp()
ORDER BY n.name, p.id
LIMIT 10;

-- name: process_next_due
-- In how many microseconds the next timer is due; NULL: none waits.
SELECT ceil(extract(epoch FROM min(p.due_at) - clock_timestamp()) * 1000000)::bigint
FROM howdah_internal.process p
WHERE p.lane < 2 AND p.node IS NULL AND p.due_at > clock_timestamp();

-- name: process_advance
-- Time has passed: whatever waits was due that much earlier, and the nodes look. :micros
-- microseconds.
WITH moved AS (
    UPDATE howdah_internal.process
    SET due_at = due_at - :micros::bigint * interval '1 microsecond',
        timer_at = timer_at - :micros::bigint * interval '1 microsecond'
    WHERE node IS NULL AND (due_at IS NOT NULL OR timer_at IS NOT NULL)
    RETURNING namespace
)
SELECT pg_notify('howdah_process', m.namespace::text)
FROM (SELECT DISTINCT d.namespace FROM moved d) AS m;

-- name: process_notices
-- Notices that have not been published, in their order.
SELECT n.name, o.process, o.kind, o.event, convert_from(o.payload, 'UTF8'), o.detail
FROM howdah_internal.process_outbox o
JOIN howdah_internal.process_namespace n ON n.id = o.namespace
ORDER BY o.id;
