-- Processes, version 3: notices that cannot be told are held, and whoever tells is woken.

-- name: up
ALTER TABLE howdah.process_outbox ADD COLUMN held boolean NOT NULL DEFAULT false;
ALTER TABLE howdah.process_outbox SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- Not id itself: the primary key would do for the order, and has those of all namespaces and those that are held.
CREATE INDEX process_outbox_next ON howdah.process_outbox (namespace, (id + 0)) WHERE NOT held;
CREATE INDEX process_outbox_held ON howdah.process_outbox (namespace, process, id) WHERE held;
DROP INDEX howdah.process_outbox_namespace;
COMMENT ON COLUMN howdah.process_outbox.held IS 'its process stands in process_held: it is not told before somebody has decided';

CREATE TABLE howdah.process_held (
    namespace integer NOT NULL,
    notice bigint NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    process text NOT NULL,
    reason text NOT NULL,
    decision text CHECK (decision IN ('again', 'skip')),
    PRIMARY KEY (namespace, process)
);
COMMENT ON TABLE howdah.process_held IS 'Processes of which a notice will never be taken as it is; later ones wait behind it.';
COMMENT ON COLUMN howdah.process_held.decision IS 'again: it is tried once more, skip: it is given up; NULL: somebody has to say';

-- name: ring
CREATE FUNCTION howdah.process_ring() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    PERFORM pg_notify('howdah_process_outbox', NEW.namespace::text);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION howdah.process_ring() IS 'Wakes whoever tells of a namespace.';

-- name: trigger
-- Asked for each row, the function is called only while the namespace's messenger sleeps: he holds that lock then. Whoever gets it
-- here keeps it up to his commit, so that nobody falls asleep in between.
CREATE TRIGGER process_ring AFTER INSERT ON howdah.process_outbox FOR EACH ROW
WHEN (NOT pg_try_advisory_xact_lock_shared(1215264886, NEW.namespace)) EXECUTE FUNCTION howdah.process_ring();

-- name: view
CREATE VIEW howdah.process_notices AS
SELECT n.name AS namespace,
    (SELECT count(*) FROM (SELECT FROM howdah.process_outbox o WHERE o.namespace = n.id AND NOT o.held LIMIT 100000) AS few) AS waiting,
    (SELECT o.at FROM howdah.process_outbox o WHERE o.namespace = n.id AND NOT o.held ORDER BY o.id + 0 LIMIT 1) AS oldest,
    (SELECT count(*) FROM howdah.process_held h WHERE h.namespace = n.id) AS held_processes,
    (SELECT count(*) FROM (SELECT FROM howdah.process_outbox o WHERE o.namespace = n.id AND o.held LIMIT 100000) AS few) AS held
FROM howdah.process_namespace n;
COMMENT ON VIEW howdah.process_notices IS 'What others have not been told yet, counted up to 100,000; held: somebody has to decide.';

-- name: done
INSERT INTO howdah.migration (feature, version) VALUES ('process', 3);
