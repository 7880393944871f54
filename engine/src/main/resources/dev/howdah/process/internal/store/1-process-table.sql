-- Processes, version 1: where each stands, what it has been asked, what has happened to it. Only the library writes here.

-- name: up
CREATE TABLE howdah.process_namespace (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (name <> '' AND length(name) <= 200)
);
COMMENT ON TABLE howdah.process_namespace IS 'Kinds of processes: each has a processor of its own.';

CREATE TABLE howdah.process_node (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    started timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE howdah.process_node IS 'Who works: each holds the advisory lock (1215264882, id) for as long as it lives.';

CREATE SEQUENCE howdah.process_task_id;

-- What changes with each step of a chain is in no index: such an update touches one page of this table and nothing else.
CREATE TABLE howdah.process (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace integer NOT NULL,
    node integer,
    queued integer NOT NULL DEFAULT 0,
    lane smallint NOT NULL DEFAULT 0,
    lost boolean NOT NULL DEFAULT false,
    timer_attempts smallint NOT NULL DEFAULT 0,
    turn bigint NOT NULL DEFAULT 0,
    task bigint,
    due_at timestamptz,
    taken timestamptz,
    last_event bigint NOT NULL DEFAULT 0,
    corrupted_by bigint,
    timer_at timestamptz,
    timer_task bigint,
    timer_interval bigint NOT NULL DEFAULT 0,
    created timestamptz NOT NULL DEFAULT now(),
    status_changed timestamptz NOT NULL DEFAULT now(),
    id text NOT NULL CHECK (id <> '' AND length(id) <= 256),
    status text NOT NULL CHECK (status IN ('init', 'running', 'error')),
    previous_status text NOT NULL CHECK (previous_status IN ('init', 'running', 'error')),
    timer_type text CHECK (timer_type IN ('timeout', 'remove')),
    timer_context bytea,
    detail text,
    metadata jsonb,
    aux_state bytea
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
CREATE UNIQUE INDEX process_id ON howdah.process (namespace, id);
CREATE INDEX process_due ON howdah.process (namespace, lane, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX process_worked ON howdah.process (node) WHERE node IS NOT NULL;
CREATE INDEX process_broken ON howdah.process (namespace, id) WHERE status = 'error';
COMMENT ON COLUMN howdah.process.node IS 'who works on it; NULL: nobody';
COMMENT ON COLUMN howdah.process.turn IS 'counts who has worked on it: what is written under an earlier turn is refused';
COMMENT ON COLUMN howdah.process.task IS 'what is worked on, or was when its node died';
COMMENT ON COLUMN howdah.process.queued IS 'calls and the like that are accepted and not ended, the one that runs included';
COMMENT ON COLUMN howdah.process.due_at IS 'when somebody has to take it; NULL: somebody works on it, or there is nothing to do';
COMMENT ON COLUMN howdah.process.lane IS '0: a call waits, 1: its timer does';
COMMENT ON COLUMN howdah.process.lost IS 'whether its node died while it worked on it';
COMMENT ON COLUMN howdah.process.timer_task IS 'the number of the timer; it is that of corrupted_by if it broke the process, and does not run again';
COMMENT ON COLUMN howdah.process.timer_interval IS 'after how many microseconds it is tried again, this time';

CREATE TABLE howdah.process_task (
    process bigint NOT NULL,
    id bigint NOT NULL,
    scheduled timestamptz NOT NULL,
    started timestamptz,
    finished timestamptz,
    retry_interval bigint NOT NULL DEFAULT 0,
    attempts smallint NOT NULL DEFAULT 0,
    backward boolean,
    range_offset bigint,
    range_limit bigint,
    caller integer,
    type text NOT NULL CHECK (type IN ('init', 'call', 'notify', 'repair', 'timeout', 'remove')),
    status text NOT NULL CHECK (status IN ('waiting', 'finished', 'error', 'cancelled')),
    args bytea,
    context bytea,
    response bytea,
    error text,
    key text,
    PRIMARY KEY (process, id)
);
CREATE INDEX process_task_open ON howdah.process_task (process, id) WHERE finished IS NULL;
COMMENT ON TABLE howdah.process_task IS 'What processes were asked and what came of it. A timer comes here when it has run.';
COMMENT ON COLUMN howdah.process_task.caller IS 'the node where somebody waits for the answer';
COMMENT ON COLUMN howdah.process_task.backward IS 'the history that was asked for: NULL: what the processor usually sees';
COMMENT ON COLUMN howdah.process_task.error IS 'the answer is this error';

CREATE TABLE howdah.process_key (
    namespace integer NOT NULL,
    key text NOT NULL,
    process bigint NOT NULL,
    task bigint NOT NULL,
    request bytea NOT NULL,
    PRIMARY KEY (namespace, key)
);
CREATE INDEX process_key_process ON howdah.process_key (process);
COMMENT ON TABLE howdah.process_key IS 'Requests that are not to be carried out twice.';
COMMENT ON COLUMN howdah.process_key.request IS 'a digest: a key stands for one request';

CREATE TABLE howdah.process_event (
    process bigint NOT NULL,
    id bigint NOT NULL,
    task bigint NOT NULL,
    at timestamptz NOT NULL,
    metadata jsonb,
    payload bytea NOT NULL,
    PRIMARY KEY (process, id)
);
COMMENT ON TABLE howdah.process_event IS 'The history of processes.';

CREATE TABLE howdah.process_reply (
    task bigint PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    response bytea,
    error text
);
COMMENT ON TABLE howdah.process_reply IS 'Answers of processes that are gone, for callers at other nodes; for a few minutes.';

CREATE TABLE howdah.process_outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace integer NOT NULL,
    process text NOT NULL,
    at timestamptz NOT NULL,
    event bigint,
    kind text NOT NULL CHECK (kind IN ('event', 'created', 'failed', 'repaired', 'removed')),
    detail text,
    metadata jsonb,
    payload bytea
);
CREATE INDEX process_outbox_namespace ON howdah.process_outbox (namespace, id);
COMMENT ON TABLE howdah.process_outbox IS 'What is to be told, written with the step that it tells of; in order for each process.';

INSERT INTO howdah.migration (feature, version) VALUES ('process', 1);
