-- Rows are counted in the statement that marks them: after a crash the count is that of the rows.

ALTER TABLE howdah.sweep_worker ADD COLUMN marked bigint NOT NULL DEFAULT 0;
-- A mark finds the row of its session.
CREATE INDEX sweep_worker_pid ON howdah.sweep_worker (pid);
COMMENT ON COLUMN howdah.sweep_worker.marked IS
    'rows marked by the worker, written with their marks, that done and sweep.done lack as yet';
COMMENT ON COLUMN howdah.sweep.lost IS 'said by earlier versions, which counted less exactly';

INSERT INTO howdah.migration (feature, version, file)
VALUES ('sweep', 4, '004-count.sql');
