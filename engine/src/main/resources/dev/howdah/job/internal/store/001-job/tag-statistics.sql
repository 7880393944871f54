-- Tags that are counted. Those that begin as a pattern with a star are counted each, up to so many;
-- the others together, as the pattern.
CREATE TABLE howdah_internal.counted_tag (
    pattern text COLLATE "C" PRIMARY KEY CHECK (pattern <> '' AND length(pattern) <= 100),
    most integer NOT NULL CHECK (most BETWEEN 1 AND 1000)
);
COMMENT ON TABLE howdah_internal.counted_tag IS
    'Tags that are counted in howdah.tag_stats and in metrics. howdah.count_tag writes here.';
COMMENT ON COLUMN howdah_internal.counted_tag.pattern IS
    'a tag, or the beginning of tags and a star';
COMMENT ON COLUMN howdah_internal.counted_tag.most IS
    'how many different tags are counted each at most';

CREATE TABLE howdah_internal.counted_tag_name (
    pattern text COLLATE "C" NOT NULL,
    tag text COLLATE "C" NOT NULL,
    PRIMARY KEY (pattern, tag)
);
COMMENT ON TABLE howdah_internal.counted_tag_name IS
    'The different tags of a pattern that are counted each.';

CREATE TABLE howdah_internal.tag_stat (
    minute timestamptz NOT NULL,
    tag text COLLATE "C" NOT NULL,
    done bigint NOT NULL,
    retried bigint NOT NULL,
    failed bigint NOT NULL,
    cancelled bigint NOT NULL,
    died bigint NOT NULL,
    run_micros bigint NOT NULL,
    run_max_micros bigint NOT NULL,
    PRIMARY KEY (minute, tag)
);
COMMENT ON TABLE howdah_internal.tag_stat IS
    'As howdah_internal.stat, by tag; of tags that are counted.';

CREATE VIEW howdah.tag_stats AS
SELECT t.minute, t.tag, t.done, t.retried, t.failed, t.cancelled, t.died,
    t.run_micros * interval '1 microsecond' AS run_total,
    t.run_micros::float8 / NULLIF(t.done, 0) * interval '1 microsecond' AS run_average,
    t.run_max_micros * interval '1 microsecond' AS run_longest
FROM howdah_internal.tag_stat t;
COMMENT ON VIEW howdah.tag_stats IS
    'As howdah.stats, by tag, of those that howdah.count_tag names; about a minute behind.';

CREATE FUNCTION howdah_internal.count_tag(tag text, most integer DEFAULT 100)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    IF COALESCE(count_tag.tag, '') = '' OR length(count_tag.tag) > 100 THEN
        RAISE 'a tag has 1 to 100 characters, not %: %', COALESCE(length(count_tag.tag), 0),
            COALESCE('"' || left(count_tag.tag, 40) || '"', 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF COALESCE(count_tag.most, 0) NOT BETWEEN 1 AND 1000 THEN
        RAISE 'most is %: it has to be from 1 to 1000', COALESCE(count_tag.most::text, 'NULL')
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF (SELECT count(*) FROM howdah_internal.counted_tag c
        WHERE c.pattern <> count_tag.tag) >= 100 THEN
        RAISE '100 tags and patterns are counted already, which is as many as there can be'
            USING ERRCODE = 'program_limit_exceeded',
            HINT = 'howdah.uncount_tag takes one away.';
    END IF;
    INSERT INTO howdah_internal.counted_tag (pattern, most) VALUES (count_tag.tag, count_tag.most)
    ON CONFLICT (pattern) DO UPDATE SET most = EXCLUDED.most;
END
$howdah$;
COMMENT ON FUNCTION howdah_internal.count_tag(text, integer) IS
    'Counts the jobs of a tag in howdah.tag_stats and in metrics from now on. With a star at the '
    'end: of all tags that begin so, up to so many each by itself, the others together.';

CREATE FUNCTION howdah.uncount_tag(tag text)
RETURNS boolean
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $howdah$
    WITH gone AS (
        DELETE FROM howdah_internal.counted_tag c WHERE c.pattern = $1 RETURNING c.pattern
    ), names AS (
        DELETE FROM howdah_internal.counted_tag_name n WHERE n.pattern = $1
    )
    SELECT EXISTS (SELECT FROM gone)
$howdah$;
COMMENT ON FUNCTION howdah.uncount_tag(text) IS
    'Stops counting a tag, or a pattern; says whether it was counted. Earlier counts stay.';

-- Adds ended batches up by tag, in the transaction and under the lock in which they are added up.
-- Returns how many jobs had which outcome, by tag.
CREATE FUNCTION howdah_internal.add_up_tags(batches bigint[])
RETURNS jsonb
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    counts jsonb;
BEGIN
    WITH tagged AS (
        SELECT date_trunc('minute', b.ended) AS minute,
            COALESCE(substr(b.outcomes, u.n::integer, 1), 'd') AS letter, u.run, t.tag,
            (
                SELECT c.pattern
                FROM howdah_internal.counted_tag c
                WHERE c.pattern = t.tag
                    OR right(c.pattern, 1) = '*' AND starts_with(t.tag, left(c.pattern, -1))
                ORDER BY c.pattern <> t.tag, length(c.pattern) DESC
                LIMIT 1) AS pattern
        FROM unnest(batches) AS a (id)
        CROSS JOIN LATERAL (
            SELECT o.ended, o.outcomes, o.ids, o.runs, o.rest
            FROM howdah_internal.batch o
            WHERE o.id = a.id
            LIMIT 1) AS b
        -- Read from where large values are kept once, and not for each job.
        CROSS JOIN LATERAL (SELECT b.rest || '{}'::jsonb AS rest OFFSET 0) AS r
        CROSS JOIN LATERAL unnest(b.ids, b.runs) WITH ORDINALITY AS u (id, run, n)
        CROSS JOIN LATERAL jsonb_array_elements_text(
            r.rest -> u.id::text -> 'm' -> 'tags') AS t (tag)
        WHERE b.rest IS NOT NULL
    ), fresh AS (
        SELECT n.pattern, n.tag
        FROM (
            SELECT g.pattern, g.tag, row_number() OVER (PARTITION BY g.pattern ORDER BY g.tag) AS n
            FROM (
                SELECT DISTINCT t.pattern, t.tag
                FROM tagged t
                WHERE t.pattern <> t.tag AND NOT EXISTS (
                    SELECT
                    FROM howdah_internal.counted_tag_name k
                    WHERE k.pattern = t.pattern AND k.tag = t.tag)) g) n
        JOIN howdah_internal.counted_tag c ON c.pattern = n.pattern
        WHERE n.n <= c.most - (
            SELECT count(*)
            FROM howdah_internal.counted_tag_name k
            WHERE k.pattern = n.pattern)
    ), named AS (
        INSERT INTO howdah_internal.counted_tag_name (pattern, tag)
        SELECT f.pattern, f.tag
        FROM fresh f
        ON CONFLICT DO NOTHING
    ), labelled AS (
        SELECT t.minute, t.letter, t.run,
            CASE WHEN t.pattern = t.tag OR f.tag IS NOT NULL OR k.tag IS NOT NULL
                THEN t.tag ELSE t.pattern END AS tag
        FROM tagged t
        LEFT JOIN fresh f ON f.pattern = t.pattern AND f.tag = t.tag
        LEFT JOIN howdah_internal.counted_tag_name k ON k.pattern = t.pattern AND k.tag = t.tag
        WHERE t.pattern IS NOT NULL AND t.letter IN ('d', 'n', 'r', 'f', 'c', 'x')
    ), added AS (
        INSERT INTO howdah_internal.tag_stat AS s (
            minute, tag, done, retried, failed, cancelled, died, run_micros, run_max_micros)
        SELECT e.minute, e.tag, count(*) FILTER (WHERE e.letter IN ('d', 'n')),
            count(*) FILTER (WHERE e.letter = 'r'), count(*) FILTER (WHERE e.letter = 'f'),
            count(*) FILTER (WHERE e.letter = 'c'), count(*) FILTER (WHERE e.letter = 'x'),
            COALESCE(sum(e.run) FILTER (WHERE e.letter IN ('d', 'n')), 0),
            COALESCE(max(e.run) FILTER (WHERE e.letter IN ('d', 'n')), 0)
        FROM labelled e
        GROUP BY e.minute, e.tag
        ON CONFLICT (minute, tag) DO UPDATE SET done = s.done + EXCLUDED.done,
            retried = s.retried + EXCLUDED.retried, failed = s.failed + EXCLUDED.failed,
            cancelled = s.cancelled + EXCLUDED.cancelled, died = s.died + EXCLUDED.died,
            run_micros = s.run_micros + EXCLUDED.run_micros,
            run_max_micros = GREATEST(s.run_max_micros, EXCLUDED.run_max_micros)
    )
    SELECT jsonb_agg(jsonb_build_object('tag', c.tag, 'letter', c.letter, 'jobs', c.jobs))
    INTO counts
    FROM (
        SELECT e.tag, e.letter, count(*) AS jobs
        FROM labelled e
        GROUP BY e.tag, e.letter) c;
    RETURN counts;
END
$howdah$;
