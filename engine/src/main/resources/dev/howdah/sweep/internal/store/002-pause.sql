-- Hours in which a sweep works, and pauses that its receiver has asked for.

ALTER TABLE howdah.sweep
    ADD COLUMN hours text,
    ADD COLUMN resting_until timestamptz,
    ADD COLUMN resting_why text;
COMMENT ON COLUMN howdah.sweep.hours IS
    'times of the day at which rows are begun: 22:00-06:00 Europe/Berlin; NULL: at any time';
COMMENT ON COLUMN howdah.sweep.resting_until IS
    'until when no process begins a row, because the receiver has asked for that';
COMMENT ON COLUMN howdah.sweep.resting_why IS 'what the receiver has said';

INSERT INTO howdah.migration (feature, version, file)
VALUES ('sweep', 2, '002-pause.sql');
