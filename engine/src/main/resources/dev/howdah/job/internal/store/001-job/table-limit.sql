-- Groups: shares of the lane that they are in -----------------------------------------------------
--
-- A job that comes to the lane of a group leaves a row in group_wake, which waits for no other
-- transaction. The claim that has the lock of the queue folds these into group_state. So a claim
-- knows the groups that have due jobs, and reads no others.
--
-- Groups take turns by their pass: the group with the lowest pass is next, and each of its jobs
-- moves its pass on by the weight of the job, divided by the share of the group. A group that has
-- had no due job continues near the pass of the others.

CREATE TABLE howdah_internal.group_wake (
    home integer NOT NULL,
    lane integer NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
ALTER TABLE howdah_internal.group_wake REPLICA IDENTITY FULL;
CREATE INDEX group_wake_home ON howdah_internal.group_wake (home, at);
COMMENT ON TABLE howdah_internal.group_wake IS
    'Lanes of groups to which a job came, or in which a job became due earlier.';

CREATE TABLE howdah_internal.group_state (
    lane integer PRIMARY KEY,
    home integer NOT NULL,
    pass double precision NOT NULL,
    due boolean NOT NULL,
    next_at timestamptz,
    idle timestamptz
) WITH (fillfactor = 70);
CREATE INDEX group_state_due ON howdah_internal.group_state (home, pass) WHERE due;
CREATE INDEX group_state_next ON howdah_internal.group_state (home, next_at)
    WHERE next_at IS NOT NULL;
CREATE INDEX group_state_idle ON howdah_internal.group_state (idle) WHERE idle IS NOT NULL;
COMMENT ON TABLE howdah_internal.group_state IS
    'The turns of lanes of groups, and of lanes with groups for their jobs without a group.';
COMMENT ON COLUMN howdah_internal.group_state.pass IS
    'how much of its share it has had: the lowest is next';
COMMENT ON COLUMN howdah_internal.group_state.due IS 'whether there may be a job that is due';
COMMENT ON COLUMN howdah_internal.group_state.next_at IS
    'when to look again, where nothing is due; NULL: nothing waits';
COMMENT ON COLUMN howdah_internal.group_state.idle IS 'since when nothing waits';

CREATE TABLE howdah_internal.group_clock (
    home integer PRIMARY KEY,
    pass double precision NOT NULL,
    lowest double precision NOT NULL
);
COMMENT ON TABLE howdah_internal.group_clock IS
    'For each lane with groups, how far its groups are.';
COMMENT ON COLUMN howdah_internal.group_clock.pass IS 'of the group whose job was taken last';
COMMENT ON COLUMN howdah_internal.group_clock.lowest IS 'no group with due jobs has a lower one';

CREATE TABLE howdah_internal.group_share (
    queue text NOT NULL CHECK (queue <> '' AND length(queue) <= 200),
    group_name text NOT NULL CHECK (group_name <> '' AND length(group_name) <= 200),
    share double precision NOT NULL CHECK (share >= 0.001 AND share <= 1000),
    PRIMARY KEY (queue, group_name)
);
COMMENT ON TABLE howdah_internal.group_share IS
    'The shares of groups that have another one than 1. Changed at any time.';

-- Limits and delegated kinds ----------------------------------------------------------------------

CREATE TABLE howdah_internal.queue_limit (
    queue text NOT NULL CHECK (queue <> '' AND length(queue) <= 200),
    kind text CHECK (kind <> '' AND length(kind) <= 200),
    each_node boolean NOT NULL,
    most integer NOT NULL CHECK (most >= 1),
    group_name text CHECK (group_name <> '' AND length(group_name) <= 200),
    each_group boolean NOT NULL DEFAULT false
);
ALTER TABLE howdah_internal.queue_limit REPLICA IDENTITY FULL;
CREATE UNIQUE INDEX queue_limit_of ON howdah_internal.queue_limit (
    queue, COALESCE(kind, ''), COALESCE(group_name, ''), each_group, each_node);
COMMENT ON TABLE howdah_internal.queue_limit IS
    'How many jobs of a queue run at the same time at most. Nodes hear of a change within two '
    'seconds.';
COMMENT ON COLUMN howdah_internal.queue_limit.kind IS 'NULL: the whole queue';
COMMENT ON COLUMN howdah_internal.queue_limit.each_node IS
    'whether each node may run so many, or all of them together';
COMMENT ON COLUMN howdah_internal.queue_limit.group_name IS
    'NULL: it is not the limit of one group';
COMMENT ON COLUMN howdah_internal.queue_limit.each_group IS
    'whether each group of the queue that has no limit of its own may run so many';

CREATE TABLE howdah_internal.queue_ageing (
    queue text PRIMARY KEY CHECK (queue <> '' AND length(queue) <= 200),
    every interval NOT NULL CHECK (every >= interval '1 s' AND every <= interval '366 days'),
    most integer NOT NULL CHECK (most BETWEEN 1 AND 200)
);
COMMENT ON TABLE howdah_internal.queue_ageing IS
    'Queues in which jobs that wait rise in priority: by one each time that every has passed, by '
    'most in all.';

CREATE TABLE howdah_internal.rate_limit (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    queue text NOT NULL CHECK (queue <> '' AND length(queue) <= 200),
    kind text CHECK (kind <> '' AND length(kind) <= 200),
    group_name text CHECK (group_name <> '' AND length(group_name) <= 200),
    each_group boolean NOT NULL DEFAULT false,
    most integer NOT NULL CHECK (most BETWEEN 1 AND 1000000),
    period interval NOT NULL CHECK (period >= interval '10 ms' AND period <= interval '366 days'),
    burst integer CHECK (burst BETWEEN 1 AND most)
);
CREATE UNIQUE INDEX rate_limit_of ON howdah_internal.rate_limit (
    queue, COALESCE(kind, ''), COALESCE(group_name, ''), each_group, period);
COMMENT ON TABLE howdah_internal.rate_limit IS
    'How many jobs of a queue begin within a period at most, on all nodes together. Nodes hear of '
    'a change within two seconds.';
COMMENT ON COLUMN howdah_internal.rate_limit.kind IS 'NULL: the whole queue, or a group of it';
COMMENT ON COLUMN howdah_internal.rate_limit.group_name IS 'NULL: it is not the rate of one group';
COMMENT ON COLUMN howdah_internal.rate_limit.each_group IS
    'whether it is the rate of each group of the queue that has none of its own';
COMMENT ON COLUMN howdah_internal.rate_limit.most IS 'a job counts with its weight, 1 for most';
COMMENT ON COLUMN howdah_internal.rate_limit.burst IS
    'how many may begin at once, the others at even distances; NULL: all';

CREATE TABLE howdah_internal.rate_use (
    rate integer NOT NULL,
    group_name text NOT NULL,
    moments double precision[] NOT NULL,
    taken integer[] NOT NULL,
    spread double precision NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (rate, group_name)
) WITH (fillfactor = 50);
CREATE INDEX rate_use_until ON howdah_internal.rate_use (until);
COMMENT ON TABLE howdah_internal.rate_use IS
    'How much of each rate is used up. What was taken within a hundredth of the period counts as '
    'if it was taken together, at the last moment of it.';
COMMENT ON COLUMN howdah_internal.rate_use.group_name IS 'empty: of the queue or the kind';
COMMENT ON COLUMN howdah_internal.rate_use.moments IS
    'seconds since 1970 at which jobs could begin for the last time, the earliest first';
COMMENT ON COLUMN howdah_internal.rate_use.taken IS 'the weights of the jobs of each moment';
COMMENT ON COLUMN howdah_internal.rate_use.spread IS
    'when the last of them would begin if they were spread evenly, in seconds since 1970';
COMMENT ON COLUMN howdah_internal.rate_use.until IS 'nothing of it counts any more after that';

CREATE TABLE howdah_internal.delegate (
    queue text NOT NULL CHECK (queue <> '' AND length(queue) <= 200),
    kind text NOT NULL CHECK (kind <> '' AND length(kind) <= 200),
    role text NOT NULL,
    PRIMARY KEY (queue, kind, role)
);
COMMENT ON TABLE howdah_internal.delegate IS
    'Which roles may end jobs of a kind in a queue, in the transaction of their handlers.';
