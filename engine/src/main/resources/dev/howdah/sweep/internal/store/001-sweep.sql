-- The tables of sweeps. The tables that are swept are not changed. Do not write here directly: use
-- the library.

CREATE TABLE howdah.sweep (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (name <> '' AND length(name) <= 200),
    definition jsonb NOT NULL,
    state text NOT NULL DEFAULT 'running'
        CHECK (state IN ('running', 'paused', 'stopped', 'done', 'failed')),
    runs integer NOT NULL DEFAULT 1,
    started timestamptz NOT NULL DEFAULT now(),
    ended timestamptz,
    total bigint,
    exact boolean NOT NULL DEFAULT false,
    done bigint NOT NULL DEFAULT 0,
    lost boolean NOT NULL DEFAULT false,
    stamp_key text[],
    stamped boolean NOT NULL DEFAULT false,
    throttle double precision CHECK (throttle > 0),
    error text
) WITH (fillfactor = 50);
COMMENT ON TABLE howdah.sweep IS
    'Sweeps over tables: their definitions and their progress.';
COMMENT ON COLUMN howdah.sweep.definition IS
    'the definition on which every process that joins has to agree';
COMMENT ON COLUMN howdah.sweep.runs IS
    'how often it was started, not counting processes that joined; a process of an earlier run '
    'does not end a later one';
COMMENT ON COLUMN howdah.sweep.started IS
    'the time that :started stands for, the same for all processes that join';
COMMENT ON COLUMN howdah.sweep.total IS
    'how many rows were to do at the start; NULL: not counted yet';
COMMENT ON COLUMN howdah.sweep.exact IS
    'whether total was counted; else it is the planner''s estimate';
COMMENT ON COLUMN howdah.sweep.lost IS
    'whether a process has crashed, so that done lacks the rows of its last moment';
COMMENT ON COLUMN howdah.sweep.stamp_key IS
    'the last key that the stamping has come to: rows of a run are stamped before the first of '
    'them is worked on';
COMMENT ON COLUMN howdah.sweep.stamped IS 'whether all rows of the run have been stamped';
COMMENT ON COLUMN howdah.sweep.throttle IS 'at most so many rows a second in all';
COMMENT ON COLUMN howdah.sweep.error IS 'why it has failed';

CREATE TABLE howdah.sweep_process (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sweep integer NOT NULL REFERENCES howdah.sweep ON DELETE CASCADE,
    name text NOT NULL,
    entered timestamptz NOT NULL DEFAULT now(),
    workers integer NOT NULL,
    locks integer NOT NULL,
    held text
) WITH (fillfactor = 50);
CREATE INDEX sweep_process_sweep ON howdah.sweep_process (sweep);
COMMENT ON TABLE howdah.sweep_process IS
    'Processes that work on sweeps. Each holds the advisory lock (1215264890, id) while it runs.';
COMMENT ON COLUMN howdah.sweep_process.locks IS
    'how many rows it may have locked at the same time';
COMMENT ON COLUMN howdah.sweep_process.held IS 'why it pauses for a while; NULL: it works';

CREATE TABLE howdah.sweep_worker (
    process integer NOT NULL REFERENCES howdah.sweep_process ON DELETE CASCADE,
    worker integer NOT NULL,
    pid integer,
    backend_start timestamptz,
    done bigint NOT NULL DEFAULT 0,
    failed bigint NOT NULL DEFAULT 0,
    rate double precision NOT NULL DEFAULT 0,
    PRIMARY KEY (process, worker)
) WITH (fillfactor = 50);
COMMENT ON TABLE howdah.sweep_worker IS
    'The counts of each worker of a process, and the session that holds the locks of its rows.';

CREATE TABLE howdah.sweep_error (
    sweep integer NOT NULL REFERENCES howdah.sweep ON DELETE CASCADE,
    key text[] NOT NULL,
    error text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    attempts integer NOT NULL DEFAULT 1,
    retry_at timestamptz,
    PRIMARY KEY (sweep, key)
);
CREATE INDEX sweep_error_retry ON howdah.sweep_error (sweep, retry_at);
COMMENT ON TABLE howdah.sweep_error IS
    'Rows that have failed, by sweep and key; they are skipped.';
COMMENT ON COLUMN howdah.sweep_error.retry_at IS
    'when the row is tried again; NULL: only on request';

CREATE TABLE howdah.sweep_run (
    sweep integer NOT NULL,
    place numeric NOT NULL,
    word text COLLATE "C" NOT NULL,
    key text[] COLLATE "C" NOT NULL
);
CREATE INDEX sweep_run_place ON howdah.sweep_run (sweep, place, word, key);
COMMENT ON TABLE howdah.sweep_run IS
    'Stamps of sweeps whose tables have no column for them: the rows of the run, in its order.';
COMMENT ON COLUMN howdah.sweep_run.place IS
    'the value of the order, where that is a number or a time, else 0';
COMMENT ON COLUMN howdah.sweep_run.word IS
    'the value of the order, where that is anything else';

INSERT INTO howdah.migration (feature, version, file)
VALUES ('sweep', 1, '001-sweep.sql');
