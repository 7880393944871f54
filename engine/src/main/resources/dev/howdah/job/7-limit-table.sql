-- Jobs, version 7: how many jobs of a queue, or of a kind in it, run at the same time.

-- name: up
CREATE TABLE howdah.queue_limit (
    queue text NOT NULL CHECK (queue <> '' AND length(queue) <= 200),
    kind text CHECK (kind <> '' AND length(kind) <= 200),
    each_node boolean NOT NULL,
    most integer NOT NULL CHECK (most >= 1)
);
CREATE UNIQUE INDEX queue_limit_of ON howdah.queue_limit (queue, COALESCE(kind, ''), each_node);
COMMENT ON TABLE howdah.queue_limit IS 'How many jobs of a queue run at the same time at most. Nodes hear of a change within two seconds.';
COMMENT ON COLUMN howdah.queue_limit.kind IS 'NULL: the whole queue';
COMMENT ON COLUMN howdah.queue_limit.each_node IS 'whether each node may run so many, or all of them together';

INSERT INTO howdah.migration (feature, version) VALUES ('job', 7);

-- name: kind_lane
-- The lane of its own for a kind, made if it is not there; whoever takes jobs of a kind from the queue's lane that has to have its own puts them there.
CREATE FUNCTION howdah.kind_lane(of_queue text, of_kind text) RETURNS integer LANGUAGE plpgsql AS $howdah$
DECLARE
    own integer;
BEGIN
    PERFORM howdah.lane_of(of_queue, of_kind, 0::smallint);
    INSERT INTO howdah.lane (queue, kind) VALUES (of_queue, of_kind) ON CONFLICT (queue, COALESCE(kind, '')) DO NOTHING;
    SELECT l.id INTO own FROM howdah.lane l WHERE l.queue = of_queue AND l.kind = of_kind;
    INSERT INTO howdah.lane_priority (lane, priority)
    SELECT DISTINCT own, p.priority FROM howdah.lane l JOIN howdah.lane_priority p ON p.lane = l.id
    WHERE l.queue = of_queue
        AND NOT EXISTS (SELECT FROM howdah.lane_priority o WHERE o.lane = own AND o.priority = p.priority);
    RETURN own;
END
$howdah$;

-- name: limit
CREATE FUNCTION howdah.limit(queue text, most integer, kind text DEFAULT NULL, each_node boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $howdah$
#variable_conflict use_column
BEGIN
    PERFORM howdah.check_name('queue', $1);
    IF $3 IS NOT NULL THEN
        PERFORM howdah.check_name('kind', $3);
    END IF;
    IF $2 < 1 THEN
        RAISE 'a limit of % for queue %: it has to be 1 or more, NULL takes the limit away', $2, $1 USING ERRCODE = 'invalid_parameter_value';
    ELSIF $2 IS NULL THEN
        DELETE FROM howdah.queue_limit q WHERE q.queue = $1 AND q.kind IS NOT DISTINCT FROM $3 AND q.each_node = COALESCE($4, false);
    ELSE
        INSERT INTO howdah.queue_limit (queue, kind, most, each_node) VALUES ($1, $3, $2, COALESCE($4, false))
        ON CONFLICT (queue, COALESCE(kind, ''), each_node) DO UPDATE SET most = EXCLUDED.most;
        IF $3 IS NOT NULL THEN
            PERFORM howdah.kind_lane($1, $3);
        END IF;
    END IF;
    -- Whoever sleeps because there was no room looks again.
    PERFORM pg_notify('howdah_job', l.id::text) FROM howdah.lane l WHERE l.queue = $1;
END
$howdah$;
COMMENT ON FUNCTION howdah.limit(text, integer, text, boolean) IS
    'How many jobs of a queue, or of a kind in it, run at the same time at most, on all nodes together or on each of them; NULL: as many as the nodes can.';
