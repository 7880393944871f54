-- Jobs, version 7: how many jobs of a queue run at the same time.

-- name: up
CREATE TABLE howdah.queue_limit (
    queue text PRIMARY KEY CHECK (queue <> '' AND length(queue) <= 200),
    most integer NOT NULL CHECK (most >= 1)
);
COMMENT ON TABLE howdah.queue_limit IS 'How many jobs of a queue run at the same time at most, on all nodes together. Nodes hear of a change within two seconds.';

CREATE FUNCTION howdah.limit(queue text, most integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF $2 < 1 THEN
        RAISE 'a limit of % for queue %', $2, $1 USING ERRCODE = '22023', HINT = '1 or more; NULL takes the limit away';
    END IF;
    IF $2 IS NULL THEN
        DELETE FROM howdah.queue_limit q WHERE q.queue = $1;
    ELSE
        INSERT INTO howdah.queue_limit AS q (queue, most) VALUES ($1, $2)
        ON CONFLICT ON CONSTRAINT queue_limit_pkey DO UPDATE SET most = EXCLUDED.most;
    END IF;
END $$;
COMMENT ON FUNCTION howdah.limit(text, integer) IS
    'How many jobs of a queue run at the same time at most, on all nodes together; NULL: as many as the nodes can.';

INSERT INTO howdah.migration (feature, version) VALUES ('job', 7);
