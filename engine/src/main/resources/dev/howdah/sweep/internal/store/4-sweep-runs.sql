-- Sweeps, version 4: a process of an earlier run does not end a later one.

-- name: up
ALTER TABLE howdah.sweep ADD COLUMN runs integer NOT NULL DEFAULT 1;
COMMENT ON COLUMN howdah.sweep.runs IS 'how often it was started, not counting processes that joined';

INSERT INTO howdah.migration (feature, version) VALUES ('sweep', 4);
