-- Sweeps, version 2: rows of a run are stamped before any of them is worked on; how far that is, and the stamps of those who want
-- no column of theirs for it.

-- name: up
ALTER TABLE howdah.sweep ADD COLUMN stamp_key text[], ADD COLUMN stamped boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN howdah.sweep.stamp_key IS 'the last key that the stamping has come to';
COMMENT ON COLUMN howdah.sweep.stamped IS 'whether all rows of the run have been stamped';

CREATE TABLE howdah.sweep_run (
    sweep integer NOT NULL,
    place numeric NOT NULL,
    word text COLLATE "C" NOT NULL,
    key text[] COLLATE "C" NOT NULL
);
CREATE INDEX sweep_run_place ON howdah.sweep_run (sweep, place, word, key);
COMMENT ON TABLE howdah.sweep_run IS 'Stamps of sweeps whose tables have no column for them: which rows are of the run, and in which order.';
COMMENT ON COLUMN howdah.sweep_run.place IS 'the value of the order, where that is a number or a time, else 0';
COMMENT ON COLUMN howdah.sweep_run.word IS 'the value of the order, where that is anything else';

INSERT INTO howdah.migration (feature, version) VALUES ('sweep', 2);
