-- Jobs, version 6: what stages a job has passed.

-- name: up
CREATE FUNCTION howdah.stages(job bigint)
RETURNS TABLE (stage text, node integer, attempts integer, begun timestamptz, ended timestamptz) LANGUAGE sql STABLE AS $$
    SELECT s ->> 'kind', (s ->> 'node')::integer, (s ->> 'attempts')::integer, (s ->> 'begun')::timestamptz, (s ->> 'ended')::timestamptz
    FROM (SELECT m.stages
          FROM (SELECT j.more -> 'stages' AS stages FROM howdah.job j WHERE j.id = $1
                UNION ALL SELECT f.more -> 'stages' FROM howdah.failed f WHERE f.id = $1
                UNION ALL SELECT b.rest -> $1::text -> 'm' -> 'stages' FROM howdah.batch b
                          WHERE $1 BETWEEN b.first_id AND b.last_id AND $1 = ANY (b.ids)) m
          WHERE m.stages IS NOT NULL ORDER BY jsonb_array_length(m.stages) DESC LIMIT 1) AS longest,
        jsonb_array_elements(longest.stages) AS s
$$;
COMMENT ON FUNCTION howdah.stages(bigint) IS 'The stages of its pipeline that a job has passed, the last hundred of them.';
COMMENT ON COLUMN howdah.batch.outcomes IS
    'a letter for each job: d(one), n(ext stage), r(etried), s(noozed), g(iven back), f(ailed), c(ancelled), m(oved to another batch), u(nknown to its node), x (its node died); NULL: all done';

INSERT INTO howdah.migration (feature, version) VALUES ('job', 6);
