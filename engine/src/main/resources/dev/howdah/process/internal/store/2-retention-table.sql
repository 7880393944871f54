-- Processes, version 2: finished ones go, into the archive or for good. Traces.

-- name: up
ALTER TABLE howdah.process_task ADD COLUMN trace text;
COMMENT ON COLUMN howdah.process_task.trace IS 'the context of traces in which it was asked for';
COMMENT ON COLUMN howdah.process.lane IS '0: a call waits, 1: its timer does, 2: there is nothing to do, since due_at';

CREATE TABLE howdah.process_gone (
    number bigint PRIMARY KEY,
    archive boolean NOT NULL
);
COMMENT ON TABLE howdah.process_gone IS 'Processes that are not there any more, but too much of theirs is to go with them at once.';

CREATE TABLE howdah.process_archive (
    number bigint PRIMARY KEY,
    namespace integer NOT NULL,
    last_event bigint NOT NULL,
    created timestamptz NOT NULL,
    finished timestamptz NOT NULL,
    archived timestamptz NOT NULL DEFAULT now(),
    id text NOT NULL,
    metadata jsonb,
    aux_state bytea
);
CREATE INDEX process_archive_id ON howdah.process_archive (namespace, id);
COMMENT ON TABLE howdah.process_archive IS 'Processes that were finished. Nobody but you reads or removes what is here.';

CREATE TABLE howdah.process_archive_event (
    process bigint NOT NULL,
    id bigint NOT NULL,
    task bigint NOT NULL,
    at timestamptz NOT NULL,
    metadata jsonb,
    payload bytea NOT NULL,
    PRIMARY KEY (process, id)
);
COMMENT ON TABLE howdah.process_archive_event IS 'Their histories, which come a moment later than they.';

INSERT INTO howdah.migration (feature, version) VALUES ('process', 2);
