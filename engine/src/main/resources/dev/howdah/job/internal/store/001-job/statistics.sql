-- Statistics --------------------------------------------------------------------------------------

CREATE TABLE howdah_internal.stat (
    minute timestamptz NOT NULL,
    lane integer NOT NULL,
    kind text NOT NULL,
    done bigint NOT NULL,
    retried bigint NOT NULL,
    failed bigint NOT NULL,
    cancelled bigint NOT NULL,
    died bigint NOT NULL,
    run_micros bigint NOT NULL,
    run_max_micros bigint NOT NULL,
    PRIMARY KEY (minute, lane, kind)
);
COMMENT ON TABLE howdah_internal.stat IS
    'Ended batches, added up by minute, and by hour when they are older than two days. Views: '
    'howdah.stats, howdah.stats_hourly.';
COMMENT ON COLUMN howdah_internal.stat.run_micros IS 'microseconds that the done ones ran, in all';

CREATE TABLE howdah_internal.stat_mark (
    upto bigint NOT NULL DEFAULT 0,
    seen bigint NOT NULL DEFAULT 0,
    seen_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE howdah_internal.stat_mark REPLICA IDENTITY FULL;
COMMENT ON TABLE howdah_internal.stat_mark IS
    'All batches up to this one are in howdah_internal.stat,'
    ' but for those in howdah_internal.stat_open.';
COMMENT ON COLUMN howdah_internal.stat_mark.seen IS
    'the last batch there was at seen_at; a transaction that was to commit an earlier one has '
    'done so ten seconds later';
INSERT INTO howdah_internal.stat_mark DEFAULT VALUES;

CREATE TABLE howdah_internal.stat_open (
    batch bigint PRIMARY KEY
);
COMMENT ON TABLE howdah_internal.stat_open IS
    'Batches before the mark that had not ended when it passed them.';

-- Of a batch that stands in howdah_internal.stat_open one row is looked up: a join would read the
-- history, since the table has no statistics.
CREATE VIEW howdah_internal.stat_parts AS
WITH recent AS (
    SELECT b.*
    FROM howdah_internal.batch b
    -- That an id is larger than one of another table looks to the planner like a third of all rows,
    -- for which it would read the whole history; between two ids it looks like one in 200.
    WHERE b.id > (SELECT m.upto FROM howdah_internal.stat_mark m)
        AND b.id < 9223372036854775807
        AND b.ended IS NOT NULL
    UNION ALL
    SELECT b.*
    FROM howdah_internal.stat_open o
    CROSS JOIN LATERAL (SELECT n.* FROM howdah_internal.batch n WHERE n.id = o.batch LIMIT 1) b
    WHERE b.ended IS NOT NULL
), each AS (
    SELECT date_trunc('minute', r.ended) AS minute, r.lane, COALESCE(r.kind, u.kind) AS kind,
        COALESCE(substr(r.outcomes, u.n::integer, 1), 'd') AS letter, u.run
    FROM recent r
    CROSS JOIN LATERAL unnest(r.ids, r.kinds, r.runs) WITH ORDINALITY AS u (id, kind, run, n)
)
SELECT date_trunc('minute', d.at) AS minute, d.lane, d.kind, sum(d.done)::bigint AS done,
    0::bigint AS retried, 0::bigint AS failed, 0::bigint AS cancelled, 0::bigint AS died,
    sum(d.run_micros)::bigint AS run_micros, max(d.run_max_micros) AS run_max_micros
FROM howdah_internal.log_done d
GROUP BY date_trunc('minute', d.at), d.lane, d.kind
UNION ALL
SELECT s.minute, s.lane, s.kind, s.done, s.retried, s.failed, s.cancelled, s.died, s.run_micros,
    s.run_max_micros
FROM howdah_internal.stat s
UNION ALL
SELECT e.minute, e.lane, e.kind, count(*) FILTER (WHERE e.letter IN ('d', 'n')),
    count(*) FILTER (WHERE e.letter = 'r'), count(*) FILTER (WHERE e.letter = 'f'),
    count(*) FILTER (WHERE e.letter = 'c'), count(*) FILTER (WHERE e.letter = 'x'),
    COALESCE(sum(e.run) FILTER (WHERE e.letter IN ('d', 'n')), 0),
    COALESCE(max(e.run) FILTER (WHERE e.letter IN ('d', 'n')), 0)
FROM each e
WHERE e.letter IN ('d', 'n', 'r', 'f', 'c', 'x')
GROUP BY e.minute, e.lane, e.kind;
COMMENT ON VIEW howdah_internal.stat_parts IS
    'The rows of howdah_internal.stat, and those of the batches that are not in it yet, by lane.';

CREATE VIEW howdah.stats AS
SELECT p.minute, l.queue, p.kind, sum(p.done)::bigint AS done, sum(p.retried)::bigint AS retried,
    sum(p.failed)::bigint AS failed, sum(p.cancelled)::bigint AS cancelled,
    sum(p.died)::bigint AS died, sum(p.run_micros) * interval '1 microsecond' AS run_total,
    sum(p.run_micros) / NULLIF(sum(p.done), 0) * interval '1 microsecond' AS run_average,
    max(p.run_max_micros) * interval '1 microsecond' AS run_longest
FROM howdah_internal.stat_parts p JOIN howdah_internal.lane l ON l.id = p.lane
GROUP BY p.minute, l.queue, p.kind;
COMMENT ON VIEW howdah.stats IS
    'Jobs by the minute in which they ended: done, retried, failed, cancelled, back because '
    'their node crashed; how long the done ones ran. Older than two days: by the hour.';

CREATE VIEW howdah.stats_hourly AS
SELECT date_trunc('hour', s.minute) AS hour, s.queue, s.kind, sum(s.done)::bigint AS done,
    sum(s.retried)::bigint AS retried, sum(s.failed)::bigint AS failed,
    sum(s.cancelled)::bigint AS cancelled, sum(s.died)::bigint AS died,
    sum(s.run_total) AS run_total,
    sum(s.run_total) / NULLIF(sum(s.done), 0)::double precision AS run_average,
    max(s.run_longest) AS run_longest
FROM howdah.stats s GROUP BY date_trunc('hour', s.minute), s.queue, s.kind;
COMMENT ON VIEW howdah.stats_hourly IS 'As howdah.stats, by the hour.';
