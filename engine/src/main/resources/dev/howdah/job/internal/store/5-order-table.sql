-- Jobs, version 5: jobs that run one after the other, in order, for each key.

-- name: up
CREATE TABLE howdah.order_key (
    queue text NOT NULL,
    key text NOT NULL,
    job bigint,
    PRIMARY KEY (queue, key)
);
CREATE UNIQUE INDEX order_key_job ON howdah.order_key (job) WHERE job IS NOT NULL;
CREATE INDEX order_key_free ON howdah.order_key (queue, key) WHERE job IS NULL;
COMMENT ON TABLE howdah.order_key IS 'Whose turn it is: the one job of a key that is in howdah.job, or in a batch.';
COMMENT ON COLUMN howdah.order_key.job IS 'NULL: it has ended, and nobody waited; or a node has yet to let the next one in';

CREATE TABLE howdah.ordered (
    id bigint PRIMARY KEY,
    queue text NOT NULL,
    key text NOT NULL CHECK (key <> '' AND length(key) <= 200),
    fresh boolean NOT NULL DEFAULT true,
    run_at timestamptz NOT NULL,
    lane integer NOT NULL,
    priority smallint NOT NULL CHECK (priority BETWEEN -100 AND 100),
    kind text NOT NULL CHECK (kind <> '' AND length(kind) <= 200),
    payload json,
    more jsonb NOT NULL
);
CREATE INDEX ordered_key ON howdah.ordered (queue, key, id);
CREATE INDEX ordered_fresh ON howdah.ordered (id) WHERE fresh;
COMMENT ON TABLE howdah.ordered IS 'Jobs with a key whose turn it is not yet. The first of each key goes on to howdah.job, the others in their order.';
COMMENT ON COLUMN howdah.ordered.fresh IS 'no node has yet looked whether it is its turn';

-- A job that ends in howdah.failed, by whatever hand, ends its turn.
CREATE FUNCTION howdah.order_over() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE howdah.order_key k SET job = NULL WHERE k.job = NEW.id;
    PERFORM pg_notify('howdah_job_order', '');
    RETURN NULL;
END $$;
CREATE TRIGGER failed_order AFTER INSERT ON howdah.failed
    FOR EACH ROW WHEN (NEW.more -> 'ordered' IS NOT NULL) EXECUTE FUNCTION howdah.order_over();

CREATE FUNCTION howdah.add_ordered(queue text, kind text, payload json, key text, priority integer DEFAULT 0)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    named bigint;
    of_lane integer;
BEGIN
    IF $4 = '' OR length($4) > 200 OR $4 IS NULL THEN
        RAISE 'a key to order by has 1 to 200 characters, this one %', length($4) USING ERRCODE = '22023';
    END IF;
    SELECT l.id INTO of_lane FROM howdah.lane l WHERE l.queue = $1 AND (l.kind = $2 OR l.kind IS NULL) ORDER BY l.kind NULLS LAST LIMIT 1;
    IF of_lane IS NULL THEN
        INSERT INTO howdah.lane (queue) VALUES ($1) RETURNING id INTO of_lane;
    END IF;
    IF NOT EXISTS (SELECT FROM howdah.lane_priority p WHERE p.lane = of_lane AND p.priority = $5) THEN
        INSERT INTO howdah.lane_priority (lane, priority) VALUES (of_lane, $5);
    END IF;
    INSERT INTO howdah.ordered (id, queue, key, run_at, lane, priority, kind, payload, more)
    VALUES (nextval('howdah.job_id_seq'), $1, $4, now(), of_lane, $5, $2, COALESCE($3, 'null'), jsonb_build_object('ordered', $4))
    RETURNING id INTO named;
    PERFORM pg_notify('howdah_job_order', '');
    RETURN named;
END $$;
COMMENT ON FUNCTION howdah.add_ordered(text, text, json, text, integer) IS
    'Adds a job that runs when all jobs of that key in that queue that were added before it have ended; returns its number.';

INSERT INTO howdah.migration (feature, version) VALUES ('job', 5);
