-- What tests of tasks ask and do.

-- name: task_unsettled
-- Tasks that run or may start now.
SELECT t.id || ' ' || t.state
FROM /*table*/public.task t
WHERE t.state::text IN ('TAKE', 'WORK')
    OR t.state::text = 'PLAN' AND t.plan <= clock_timestamp()
ORDER BY t.id
LIMIT 10;

-- name: task_ended
-- How many tasks have ended.
SELECT count(*) FROM /*table*/public.task t WHERE t.stop IS NOT NULL;

-- name: task_next_due
-- In how many microseconds the next task may start; NULL: none waits.
SELECT ceil(extract(epoch FROM min(t.plan) - clock_timestamp()) * 1000000)::bigint
FROM /*table*/public.task t
WHERE t.state::text = 'PLAN' AND isfinite(t.plan) AND t.plan > clock_timestamp();

-- name: task_advance
-- Time has passed: whatever waits was planned that much earlier. :micros microseconds.
UPDATE /*table*/public.task
SET plan = plan - :micros::bigint * interval '1 microsecond'
WHERE state::text = 'PLAN' AND isfinite(plan);
