-- Log queues --------------------------------------------------------------------------------------

CREATE TABLE howdah_internal.log_queue (
    lane integer PRIMARY KEY,
    keep interval NOT NULL CHECK (keep >= interval '0' AND keep <= interval '100 years'),
    segment bigint NOT NULL DEFAULT 1,
    most_unread bigint CHECK (most_unread > 0)
);
COMMENT ON TABLE howdah_internal.log_queue IS
    'Queues whose jobs are entries of a log: they are read by ranges, and no row is written for '
    'one that is done.';
COMMENT ON COLUMN howdah_internal.log_queue.keep IS
    'for how long entries stay that all readers have read';
COMMENT ON COLUMN howdah_internal.log_queue.segment IS
    'the number of the segment that entries go into';
COMMENT ON COLUMN howdah_internal.log_queue.most_unread IS
    'how many bytes a reader may have to read: more are not added; NULL: any number';

-- The parent of all segments, which has no rows of its own. Their names are
-- entry_<lane>_<number>; the view entry_<lane> is the segment that is written to.
CREATE TABLE howdah_internal.log_entry (
    -- Before the id: a transaction has its number when it draws an id.
    xid bigint NOT NULL,
    id bigint NOT NULL,
    at timestamptz NOT NULL,
    kind text NOT NULL CHECK (kind <> '' AND length(kind) <= 200),
    payload json NOT NULL,
    more jsonb
);
-- It has no rows: segments have keys of their own.
ALTER TABLE howdah_internal.log_entry REPLICA IDENTITY FULL;
COMMENT ON TABLE howdah_internal.log_entry IS 'The entries of all log queues.';
COMMENT ON COLUMN howdah_internal.log_entry.xid IS 'the transaction that added it';
COMMENT ON COLUMN howdah_internal.log_entry.at IS 'when that transaction began';

CREATE TABLE howdah_internal.log_segment (
    lane integer NOT NULL,
    number bigint NOT NULL,
    opened timestamptz NOT NULL DEFAULT clock_timestamp(),
    sealed timestamptz,
    sealed_by bigint,
    entries bigint,
    PRIMARY KEY (lane, number)
);
COMMENT ON TABLE howdah_internal.log_segment IS 'The tables that the entries of log queues are in.';
COMMENT ON COLUMN howdah_internal.log_segment.sealed_by IS
    'the transaction after which nothing was added to it any more; NULL: entries go into it';
COMMENT ON COLUMN howdah_internal.log_segment.entries IS 'how many it has; NULL: not counted';

CREATE TABLE howdah_internal.log_reader (
    lane integer PRIMARY KEY,
    log integer NOT NULL REFERENCES howdah_internal.log_queue,
    name text NOT NULL,
    number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    UNIQUE (log, name)
);
COMMENT ON TABLE howdah_internal.log_reader IS
    'Who reads a log queue: each reader has all entries, as jobs of a queue of its own.';
COMMENT ON COLUMN howdah_internal.log_reader.lane IS 'where jobs wait that it has to do again';
COMMENT ON COLUMN howdah_internal.log_reader.name IS
    'empty: the first one, whose queue is the log queue';
COMMENT ON COLUMN howdah_internal.log_reader.number IS
    'the id of a job is that of its entry and 2^44 times this number';

-- The last lease of a reader says where the next one begins: no row is updated again and again,
-- which is slow while a session has an old snapshot.
CREATE TABLE howdah_internal.log_lease (
    id bigint PRIMARY KEY,
    reader integer NOT NULL,
    n bigint NOT NULL,
    node integer,
    token bigint,
    taken timestamptz NOT NULL DEFAULT clock_timestamp(),
    jobs integer NOT NULL,
    segment bigint NOT NULL,
    late_after bigint,
    late_upto bigint,
    late_seen txid_snapshot,
    after bigint,
    upto bigint,
    seen txid_snapshot NOT NULL,
    apart text[],
    at_segment bigint NOT NULL,
    at_id bigint NOT NULL,
    at_seen txid_snapshot NOT NULL,
    at_xids bigint[] NOT NULL,
    at_ids bigint[] NOT NULL,
    walk_after bigint,
    walk_seen txid_snapshot,
    UNIQUE (reader, n)
);
CREATE INDEX log_lease_node ON howdah_internal.log_lease (node) WHERE node IS NOT NULL;
COMMENT ON TABLE howdah_internal.log_lease IS
    'Entries that a node has taken together: those of a segment whose ids are above after, up to '
    'upto, that were visible in seen; and those above late_after, up to late_upto, that were '
    'visible in seen and not yet in late_seen. Their kind is none of apart.';
COMMENT ON COLUMN howdah_internal.log_lease.node IS 'NULL: its jobs have ended';
COMMENT ON COLUMN howdah_internal.log_lease.at_id IS
    'after this lease its reader has read, of the segment at_segment, what has an id up to this '
    'and was visible in at_seen';
COMMENT ON COLUMN howdah_internal.log_lease.at_ids IS
    'transactions with a number from that in at_xids on have no entries with an id up to this';
COMMENT ON COLUMN howdah_internal.log_lease.walk_after IS
    'where it reads so many late entries that one lease has not all: it has those up to this id '
    'that were visible in walk_seen';

-- What leases have come to, until it is added up.
CREATE TABLE howdah_internal.log_done (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    lane integer NOT NULL,
    kind text NOT NULL,
    done bigint NOT NULL,
    run_micros bigint NOT NULL,
    run_max_micros bigint NOT NULL
);
COMMENT ON TABLE howdah_internal.log_done IS
    'How many jobs of log queues were done, before it is added up in howdah_internal.stat.';
