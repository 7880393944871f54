-- Sweeps, version 3: a process that dies has no time to say what it has done of late.

-- name: up
ALTER TABLE howdah.sweep ADD COLUMN lost boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN howdah.sweep.lost IS 'whether a process has died, so that done lacks what it did in its last moment';

INSERT INTO howdah.migration (feature, version) VALUES ('sweep', 3);
