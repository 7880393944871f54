-- Why a job does not run --------------------------------------------------------------------------
--
-- Nothing here is asked for by nodes: these functions read what nodes and callers have written, by
-- key, and lock nothing.

-- A time span for people: 850 ms, 12.4 s, 3 min 20 s, 2 h 5 min, 3 d 4 h.
CREATE FUNCTION howdah_internal.why_span(span interval)
RETURNS text
LANGUAGE sql STABLE
AS $howdah$
    SELECT CASE
        WHEN s.n < 1 THEN trunc(s.n * 1000) || ' ms'
        WHEN s.n < 60 THEN rtrim(rtrim(trunc(s.n, 1)::text, '0'), '.') || ' s'
        WHEN s.n < 3600 THEN
            trunc(s.n / 60) || ' min' || COALESCE(' ' || NULLIF(trunc(s.n % 60), 0) || ' s', '')
        WHEN s.n < 86400 THEN
            trunc(s.n / 3600) || ' h'
                || COALESCE(' ' || NULLIF(trunc(s.n % 3600 / 60), 0) || ' min', '')
        ELSE trunc(s.n / 86400) || ' d'
            || COALESCE(' ' || NULLIF(trunc(s.n % 86400 / 3600), 0) || ' h', '')
    END
    FROM (SELECT GREATEST(extract(epoch FROM span)::numeric, 0) AS n) s
$howdah$;

CREATE FUNCTION howdah_internal.why_moment(at timestamptz)
RETURNS text
LANGUAGE sql STABLE
AS $howdah$
    SELECT to_char(at, 'YYYY-MM-DD HH24:MI:SSTZH:TZM')
$howdah$;

-- The nodes that work jobs, whether they live, and what they serve; NULL: they do not say.
CREATE FUNCTION howdah_internal.why_nodes()
RETURNS TABLE (id integer, called text, serves jsonb, alive boolean)
LANGUAGE sql STABLE
AS $howdah$
    SELECT n.id, 'node ' || n.id || ' (' || n.name || ')', n.serves -> 'job', l.objid IS NOT NULL
    FROM howdah_internal.node n
    LEFT JOIN (
        SELECT DISTINCT k.objid
        FROM pg_locks k
        WHERE k.locktype = 'advisory'
            AND k.classid = 1215264874
            AND k.objsubid = 2
            AND k.granted
            AND k.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
    ) l ON l.objid::bigint = n.id
    WHERE n.features @> '{job}'
$howdah$;

-- Jobs for people, three of them by number.
CREATE FUNCTION howdah_internal.why_jobs(ids bigint[])
RETURNS text
LANGUAGE sql STABLE
AS $howdah$
    SELECT CASE WHEN cardinality(ids) = 1 THEN 'job ' ELSE 'jobs ' END
        || array_to_string(ids[1:3], ', ')
        || CASE WHEN cardinality(ids) > 3 THEN ' and ' || cardinality(ids) - 3 || ' more'
            ELSE '' END
$howdah$;

-- The session that keeps a row from being claimed, by the transaction that has locked it.
CREATE FUNCTION howdah_internal.why_locked(holder xid)
RETURNS TABLE (code text, sentence text, detail jsonb, remedy text)
LANGUAGE sql STABLE
AS $howdah$
    SELECT 'row-locked',
        'Session ' || l.pid || ' (' || COALESCE(a.usename, 'unknown role')
            || COALESCE(', ' || NULLIF(a.application_name, ''), '') || ') has locked it'
            || COALESCE(
                ', in a transaction that began '
                    || howdah_internal.why_span(clock_timestamp() - a.xact_start) || ' ago', '')
                        || '.',
        jsonb_build_object('pid', l.pid, 'role', a.usename, 'application', a.application_name,
            'since', a.xact_start),
        'Commit or roll back that transaction, or: SELECT pg_terminate_backend(' || l.pid || ');'
    FROM pg_locks l
    LEFT JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'transactionid'
        AND l.transactionid = holder
        AND l.granted
        AND l.mode = 'ExclusiveLock'
        AND l.pid <> pg_backend_pid()
$howdah$;

-- Of a job that waits and is due: who takes jobs of its queue and kind.
CREATE FUNCTION howdah_internal.why_unserved(of_queue text, of_kind text)
RETURNS TABLE (code text, sentence text, detail jsonb, remedy text)
LANGUAGE plpgsql STABLE
AS $howdah$
#variable_conflict use_column
DECLARE
    living integer;
    known text;
    takers text;
    polled howdah_internal.worker_pace;
BEGIN
    IF EXISTS (
        SELECT
        FROM howdah_internal.why_nodes() n
        WHERE n.alive
            AND (n.serves IS NULL
                OR n.serves -> 'queues' ? of_queue AND n.serves -> 'kinds' ? of_kind)) THEN
        RETURN;
    END IF;
    SELECT p.*
    INTO polled
    FROM howdah_internal.worker_pace p
    WHERE p.serves -> 'queues' ? of_queue
        AND p.serves -> 'kinds' ? of_kind
        AND p.awaited > clock_timestamp()
    ORDER BY p.awaited DESC
    LIMIT 1;
    IF FOUND THEN
        RETURN QUERY
        SELECT 'polled',
            'No worker asks for kind "' || of_kind || '" of queue "' || of_queue || '" just now. '
                || 'Workers by HTTP did until ' || howdah_internal.why_moment(polled.asked)
                || CASE WHEN polled.pause > interval '0'
                    THEN ', mostly with pauses of ' || howdah_internal.why_span(polled.pause)
                    ELSE '' END || '.',
            jsonb_build_object('queue', of_queue, 'kind', of_kind, 'asked', polled.asked,
                'awaited', polled.awaited),
            'Wait for the next request of a worker. Without one until '
                || howdah_internal.why_moment(polled.awaited) || ', the workers count as gone.';
        RETURN;
    END IF;
    SELECT count(*), string_agg(
            n.called || ': ' || COALESCE(
                'kinds ' || NULLIF((
                    SELECT string_agg(k.kind, ', ' ORDER BY k.kind)
                    FROM jsonb_array_elements_text(n.serves -> 'kinds') AS k (kind)), '')
                || ' of ' || (
                    SELECT string_agg(q.queue, ', ' ORDER BY q.queue)
                    FROM jsonb_array_elements_text(n.serves -> 'queues') AS q (queue)),
                'nothing'), '; ' ORDER BY n.id),
        string_agg(n.called, ', ' ORDER BY n.id) FILTER (WHERE n.serves -> 'queues' ? of_queue)
    INTO living, known, takers
    FROM howdah_internal.why_nodes() n
    WHERE n.alive;
    IF living = 0 THEN
        RETURN QUERY
        SELECT 'no-node', 'No node works.', jsonb_build_object('queue', of_queue, 'kind', of_kind),
            'Start a program that handles kind "' || of_kind || '" of queue "' || of_queue || '".';
    ELSE
        RETURN QUERY
        SELECT 'no-handler',
            CASE WHEN takers IS NULL THEN 'No living node takes jobs of queue "' || of_queue || '".'
                ELSE 'No living node handles kind "' || of_kind || '" of queue "' || of_queue
                    || '".'
            END || ' There are: ' || known || '.',
            jsonb_build_object(
                'queue', of_queue, 'kind', of_kind, 'takers', takers, 'nodes', living),
            'Start a program that handles kind "' || of_kind || '" of queue "' || of_queue || '".';
    END IF;
END
$howdah$;

-- Of a job that waits and is due: limits on how many run that are reached.
CREATE FUNCTION howdah_internal.why_limited(of_queue text, of_kind text, of_group text)
RETURNS TABLE (code text, sentence text, detail jsonb, remedy text)
LANGUAGE sql STABLE
AS $howdah$
    WITH running AS MATERIALIZED (
        SELECT l.group_name, b.token, b.lane, b.node, b.width, b.kind, b.kinds, b.ids, b.jobs
        FROM howdah_internal.batch b
        JOIN howdah_internal.lane l ON l.id = b.lane
        WHERE b.ended IS NULL AND b.node > 0 AND l.queue = of_queue
    ), rule AS (
        SELECT q.kind, q.group_name, q.each_group, q.each_node, q.most, NULL::integer AS node
        FROM howdah_internal.queue_limit q
        WHERE q.queue = of_queue
            AND NOT q.each_node
            AND (q.kind IS NULL OR q.kind = of_kind)
            AND (q.group_name IS NULL OR q.group_name = of_group)
            AND (NOT q.each_group OR of_group IS NOT NULL AND NOT EXISTS (
                SELECT
                FROM howdah_internal.queue_limit o
                WHERE o.queue = of_queue AND o.group_name = of_group))
        UNION ALL
        SELECT q.kind, NULL, false, true, q.most, n.id
        FROM howdah_internal.why_nodes() n
        JOIN (
            SELECT r.kind, r.most, NULL::integer AS node
            FROM howdah_internal.queue_limit r
            WHERE r.queue = of_queue AND r.each_node
            UNION ALL
            SELECT p.of ->> 'kind', (p.of ->> 'most')::integer, s.id
            FROM howdah_internal.why_nodes() s
            CROSS JOIN LATERAL jsonb_array_elements(s.serves -> 'limits') AS p (of)
            WHERE s.alive AND p.of ->> 'queue' = of_queue
        ) q ON q.node IS NULL OR q.node = n.id
        WHERE n.alive
            AND n.serves -> 'queues' ? of_queue
            AND n.serves -> 'kinds' ? of_kind
            AND (q.kind IS NULL OR q.kind = of_kind)
    ), used AS (
        SELECT r.*, c.runs, c.ids, c.nodes
        FROM rule r
        CROSS JOIN LATERAL (
            SELECT COALESCE(sum(k.runs), 0)::bigint AS runs,
                string_agg(DISTINCT k.ids, ', ') AS ids,
                array_agg(DISTINCT k.node) AS nodes
            FROM (
                SELECT LEAST(min(b.width), sum(
                        CASE WHEN r.kind IS NULL OR r.kind = b.kind THEN b.jobs
                            ELSE (
                                SELECT count(*)
                                FROM unnest(b.kinds) AS k (kind)
                                WHERE k.kind = r.kind) END)) AS runs,
                    string_agg(array_to_string(b.ids[1:3], ', '), ', ') AS ids, min(b.node) AS node
                FROM running b
                WHERE (r.node IS NULL OR b.node = r.node)
                    AND (r.group_name IS NULL OR b.group_name = r.group_name)
                    AND (NOT r.each_group OR b.group_name = of_group)
                GROUP BY b.lane, b.token) k
            WHERE k.runs > 0) c
    )
    SELECT 'limit',
        'The limit of ' || CASE
                WHEN u.group_name IS NOT NULL THEN 'group "' || u.group_name || '" of '
                WHEN u.each_group THEN 'each group of '
                WHEN u.kind IS NOT NULL THEN 'kind "' || u.kind || '" of '
                ELSE '' END
            || 'queue "' || of_queue || '"'
            || CASE WHEN u.each_node THEN ' for each node' ELSE '' END
            || ' is reached: ' || u.runs || ' of ' || u.most || ' '
            || CASE WHEN u.runs = 1 THEN 'runs' ELSE 'run' END
            || ' (job ' || u.ids || ' on '
            || (
                SELECT string_agg(DISTINCT COALESCE(n.called, 'node ' || x.node), ', ')
                FROM unnest(u.nodes) AS x (node)
                LEFT JOIN howdah_internal.why_nodes() n ON n.id = x.node) || ').',
        jsonb_build_object('queue', of_queue, 'kind', u.kind, 'group', COALESCE(u.group_name,
                CASE WHEN u.each_group THEN of_group END), 'each_node', u.each_node,
            'most', u.most, 'running', u.runs, 'jobs', u.ids),
        CASE WHEN u.each_node AND NOT EXISTS (
                SELECT
                FROM howdah_internal.queue_limit q
                WHERE q.queue = of_queue AND q.each_node AND q.most = u.most)
            THEN 'Raise the limit that the program of the node sets.'
            ELSE format(
                'SELECT howdah.limit(%L, %s%s);', of_queue, u.most + 1, CASE
                    WHEN u.each_group THEN ', each_group => true'
                    WHEN u.group_name IS NOT NULL THEN format(', group_name => %L', u.group_name)
                    ELSE CASE WHEN u.kind IS NULL THEN '' ELSE format(', kind => %L', u.kind) END
                        || CASE WHEN u.each_node THEN ', each_node => true' ELSE '' END END)
        END
    FROM used u
    -- A limit of each node holds the job up where all nodes that serve it have reached it.
    WHERE u.runs >= u.most
        AND (NOT u.each_node OR NOT EXISTS (
            SELECT
            FROM used o
            WHERE o.each_node AND o.kind IS NOT DISTINCT FROM u.kind AND o.runs < o.most))
    ORDER BY u.each_node, u.group_name NULLS FIRST, u.kind NULLS FIRST, u.node
    LIMIT 5
$howdah$;

-- Of a job that waits and is due: rates that are used up.
CREATE FUNCTION howdah_internal.why_paced(of_queue text, of_kind text, of_group text,
    weight integer)
RETURNS TABLE (code text, sentence text, detail jsonb, remedy text)
LANGUAGE sql STABLE
AS $howdah$
    SELECT 'rate',
        'The rate of ' || CASE
                WHEN r.group_name IS NOT NULL THEN 'group "' || r.group_name || '" of '
                WHEN r.each_group THEN 'group "' || of_group || '" of '
                WHEN r.kind IS NOT NULL THEN 'kind "' || r.kind || '" of '
                ELSE '' END
            || 'queue "' || of_queue || '" is used up: ' || r.most || ' in '
            || howdah_internal.why_span(r.period) || '; the next begins in '
            || howdah_internal.why_span(to_timestamp(l.next_at) - clock_timestamp()) || ', at '
            || howdah_internal.why_moment(to_timestamp(l.next_at)) || '.',
        jsonb_build_object('queue', of_queue, 'kind', r.kind, 'group', COALESCE(r.group_name,
                CASE WHEN r.each_group THEN of_group END),
            'most', r.most, 'period_seconds', extract(epoch FROM r.period),
            'next_at', to_timestamp(l.next_at)),
        format(
            'SELECT howdah.rate_limit(%L, %s, interval %L%s);', of_queue, r.most + 1, r.period, CASE
                WHEN r.each_group THEN ', each_group => true'
                WHEN r.group_name IS NOT NULL THEN format(', group_name => %L', r.group_name)
                WHEN r.kind IS NOT NULL THEN format(', kind => %L', r.kind)
                ELSE '' END)
    FROM howdah_internal.rate_limit r
    LEFT JOIN howdah_internal.rate_use u
        ON u.rate = r.id
            AND u.group_name = CASE WHEN r.group_name IS NOT NULL OR r.each_group THEN of_group
                ELSE '' END
    CROSS JOIN LATERAL howdah_internal.rate_left(
        r, u, extract(epoch FROM clock_timestamp())::double precision, weight) l
    WHERE r.queue = of_queue
        AND (r.kind IS NULL OR r.kind = of_kind)
        AND (r.group_name IS NULL OR r.group_name = of_group)
        AND (NOT r.each_group OR of_group IS NOT NULL AND NOT EXISTS (
            SELECT
            FROM howdah_internal.rate_limit o
            WHERE o.queue = of_queue AND o.group_name = of_group))
        AND l.room < 1
    ORDER BY l.next_at DESC
$howdah$;

-- Of a job that waits and is due: whether all nodes that serve it are busy.
CREATE FUNCTION howdah_internal.why_busy(of_queue text, of_kind text)
RETURNS TABLE (code text, sentence text, detail jsonb, remedy text)
LANGUAGE sql STABLE
AS $howdah$
    WITH serving AS (
        SELECT n.id, n.called, (n.serves ->> 'slots')::integer AS slots
        FROM howdah_internal.why_nodes() n
        WHERE n.alive
            AND n.serves -> 'queues' ? of_queue
            AND n.serves -> 'kinds' ? of_kind
    ), loaded AS (
        SELECT s.slots, s.called, (
                SELECT COALESCE(sum(c.runs), 0)
                FROM (
                    SELECT LEAST(min(b.width), sum(b.jobs)) AS runs
                    FROM howdah_internal.batch b
                    WHERE b.node = s.id AND b.ended IS NULL
                    GROUP BY b.lane, b.token) c) AS runs, o.taken, o.first_id
        FROM serving s
        LEFT JOIN LATERAL (
            SELECT b.taken, b.first_id
            FROM howdah_internal.batch b
            WHERE b.node = s.id AND b.ended IS NULL
            ORDER BY b.taken
            LIMIT 1) o ON true
    ), total AS (
        SELECT sum(l.slots) AS slots, bool_and(l.runs >= l.slots) AS full_up,
            (array_agg(l.first_id ORDER BY l.taken))[1] AS job,
            (array_agg(l.called ORDER BY l.taken))[1] AS called, min(l.taken) AS since
        FROM loaded l
    )
    SELECT 'busy',
        CASE WHEN t.slots = 1 THEN 'The one slot of the nodes that handle it is busy'
            ELSE 'All ' || t.slots || ' slots of the nodes that handle it are busy' END
            || '; the longest by job ' || t.job || ' on ' || t.called || ', since '
            || howdah_internal.why_span(clock_timestamp() - t.since) || '.',
        jsonb_build_object('slots', t.slots, 'job', t.job, 'since', t.since),
        'Start more nodes, or give them more threads (concurrency).'
    FROM total t
    WHERE t.full_up
$howdah$;

-- Of a job that waits and is due: jobs of its lane that are claimed before it, up to 10,000.
CREATE FUNCTION howdah_internal.why_behind(waiting howdah_internal.job)
RETURNS TABLE (code text, sentence text, detail jsonb, remedy text)
LANGUAGE sql STABLE
AS $howdah$
    SELECT 'behind',
        CASE WHEN c.n > 10000 THEN 'More than 10000 jobs go'
            WHEN c.n = 1 THEN 'One job goes'
            ELSE c.n || ' jobs go' END
            || ' before it: they have a lower priority number, or were due earlier.',
        jsonb_build_object('jobs', LEAST(c.n, 10000), 'more', c.n > 10000, 'lane', waiting.lane),
        format('SELECT howdah.reprioritize(%s, -100);', waiting.id)
    FROM (
        SELECT count(*) AS n
        FROM (
            SELECT
            FROM (
                SELECT DISTINCT p.priority
                FROM howdah_internal.lane_priority p
                WHERE p.lane = howdah_internal.home_of(waiting.lane)
                    AND p.priority < waiting.priority) p
            CROSS JOIN LATERAL (
                SELECT
                FROM howdah_internal.job j
                WHERE j.lane = waiting.lane AND j.priority = p.priority AND j.run_at <= now()
                LIMIT 10001) f
            UNION ALL
            (
                SELECT
                FROM howdah_internal.job j
                WHERE j.lane = waiting.lane
                    AND j.priority = waiting.priority
                    AND (j.run_at, j.id) < (waiting.run_at, waiting.id)
                LIMIT 10001)
            LIMIT 10001) e) c
    WHERE c.n > 0
$howdah$;

-- Sessions that hold locks of nodes and may not be one.
CREATE FUNCTION howdah_internal.why_foreign(in_lane integer)
RETURNS TABLE (code text, sentence text, detail jsonb, remedy text)
LANGUAGE sql STABLE
AS $howdah$
    SELECT 'lock-foreign',
        'Session ' || l.pid || ' of role ' || a.usename
            || ' holds an advisory lock of nodes, and is none.',
        jsonb_build_object(
            'pid', l.pid, 'role', a.usename, 'class', l.classid::bigint, 'id', l.objid::bigint),
        'SELECT pg_terminate_backend(' || l.pid || ');'
    FROM pg_locks l
    JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory'
        AND l.objsubid = 2
        AND l.granted
        AND (l.classid = 1215264874
            OR l.classid IN (1215264875, 1215264884) AND l.objid::bigint = in_lane)
        AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
        -- Producers ask for the lock of a lane, in shared mode, for a moment.
        AND l.mode = 'ExclusiveLock'
        AND NOT has_any_column_privilege(a.usesysid, 'howdah_internal.batch', 'INSERT')
        AND NOT EXISTS (
            SELECT
            FROM pg_roles r
            WHERE pg_has_role(a.usesysid, r.oid, 'MEMBER')
                AND has_any_column_privilege(r.oid, 'howdah_internal.batch', 'INSERT'))
$howdah$;

-- A queue or a kind of it that is paused.
CREATE FUNCTION howdah_internal.why_paused(of_queue text, of_kind text)
RETURNS TABLE (code text, sentence text, detail jsonb, remedy text)
LANGUAGE sql STABLE
AS $howdah$
    SELECT 'paused',
        CASE WHEN p.kind IS NULL THEN 'Queue' ELSE 'Kind "' || p.kind || '" of queue' END
            || ' "' || of_queue || '" is paused since ' || howdah_internal.why_moment(p.paused)
            || COALESCE(', by ' || p.paused_by, '') || '.',
        jsonb_build_object(
            'queue', of_queue, 'kind', p.kind, 'since', p.paused, 'by', p.paused_by),
        format('SELECT howdah.resume(%L%s);', of_queue, CASE WHEN p.kind IS NULL THEN ''
            ELSE format(', %L', p.kind) END)
    FROM howdah_internal.lane p
    WHERE p.queue = of_queue
        AND p.home IS NULL
        AND (p.kind IS NULL OR p.kind = of_kind)
        AND p.paused IS NOT NULL
    ORDER BY p.kind NULLS FIRST
$howdah$;

-- A job whose handler waits.
CREATE FUNCTION howdah_internal.why_suspended(waiting howdah_internal.job)
RETURNS TABLE (code text, sentence text, detail jsonb, remedy text)
LANGUAGE sql STABLE
AS $howdah$
    SELECT CASE waiting.more -> 'wait' ->> 'type'
            WHEN 'sleep' THEN 'sleeps'
            WHEN 'diverged' THEN 'diverged'
            WHEN 'version' THEN 'no-version'
            WHEN 'signal' THEN 'awaits-signal'
            WHEN 'any' THEN 'awaits-any'
            WHEN 'job' THEN 'awaits-job'
            WHEN 'event' THEN 'awaits-event'
            ELSE 'awaits-child' END,
        'It is suspended: it waits for ' || howdah_internal.waits_for(waiting.more)
            || CASE
                -- A wait without a time has no end of its own.
                WHEN waiting.run_at > now() + interval '500 years' THEN '.'
                ELSE ' until ' || howdah_internal.why_moment(waiting.run_at) || ', for '
                    || howdah_internal.why_span(waiting.run_at - clock_timestamp())
                    || COALESCE(
                        ' more; ' || (waiting.more -> 'wait' ->> 'error') || '.', ' more.') END,
        jsonb_build_object(
            'name', waiting.more -> 'wait' ->> 'name', 'until', waiting.run_at,
            'error', waiting.more -> 'wait' ->> 'error',
            'since', (
                SELECT r.at
                FROM howdah_internal.job_record r
                WHERE r.job = waiting.id AND r.number = (waiting.more ->> 'waits')::integer
                LIMIT 1)),
        CASE waiting.more -> 'wait' ->> 'type'
            WHEN 'child' THEN NULL
            WHEN 'children' THEN NULL
            WHEN 'any' THEN NULL
            WHEN 'job' THEN NULL
            WHEN 'event' THEN format('SELECT howdah.emit(%L, %L, ''{}'');',
                waiting.more -> 'wait' ->> 'name', waiting.more -> 'wait' ->> 'key')
            WHEN 'signal' THEN format('SELECT howdah.signal(%s, %L, ''{}'');', waiting.id,
                waiting.more -> 'wait' ->> 'name')
            ELSE format('SELECT howdah.hurry(%s);', waiting.id) END
$howdah$;

-- Causes of a job in howdah_internal.job.
CREATE FUNCTION howdah_internal.why_waits(waiting howdah_internal.job, home howdah_internal.lane,
    of_group text)
RETURNS TABLE (code text, sentence text, detail jsonb, remedy text)
LANGUAGE plpgsql STABLE
AS $howdah$
#variable_conflict use_column
DECLARE
    error text := split_part(waiting.more ->> 'error', E'\n', 1);
BEGIN
    IF waiting.run_at > clock_timestamp() AND waiting.more -> 'wait' IS NOT NULL THEN
        RETURN QUERY SELECT * FROM howdah_internal.why_suspended(waiting);
    ELSIF waiting.run_at > clock_timestamp() THEN
        RETURN QUERY
        SELECT CASE WHEN waiting.attempt = 0 THEN 'planned' ELSE 'retrying' END,
            CASE WHEN waiting.attempt = 0 THEN 'It is due in '
                ELSE 'Attempt ' || waiting.attempt + 1 || ' is due in ' END
            || howdah_internal.why_span(waiting.run_at - clock_timestamp()) || ', at '
            || howdah_internal.why_moment(waiting.run_at)
            || CASE WHEN error <> '' THEN '; the last one failed: ' || error ELSE '.' END,
            jsonb_build_object(
                'run_at', waiting.run_at, 'attempt', waiting.attempt + 1, 'error', error),
            format('SELECT howdah.hurry(%s);', waiting.id);
    END IF;
    RETURN QUERY SELECT * FROM howdah_internal.why_paused(home.queue, waiting.kind);
    RETURN QUERY SELECT * FROM howdah_internal.why_unserved(home.queue, waiting.kind);
    IF waiting.run_at <= clock_timestamp() THEN
        RETURN QUERY SELECT * FROM howdah_internal.why_limited(home.queue, waiting.kind, of_group);
        RETURN QUERY
        SELECT *
        FROM howdah_internal.why_paced(
            home.queue, waiting.kind, of_group, COALESCE((waiting.more ->> 'weight')::integer, 1));
        RETURN QUERY SELECT * FROM howdah_internal.why_busy(home.queue, waiting.kind);
        RETURN QUERY SELECT * FROM howdah_internal.why_behind(waiting);
        RETURN QUERY SELECT * FROM howdah_internal.why_foreign(home.id);
    END IF;
END
$howdah$;

-- Causes of a job that a node has claimed.
CREATE FUNCTION howdah_internal.why_claimed(of_id bigint)
RETURNS TABLE (code text, sentence text, detail jsonb, remedy text)
LANGUAGE plpgsql STABLE
AS $howdah$
#variable_conflict use_column
DECLARE
    claimed record;
BEGIN
    SELECT b.node, b.jobs, b.taken, COALESCE(n.called, 'node ' || b.node) AS called,
        COALESCE(n.alive, false) AS alive,
        COALESCE((b.rest -> of_id::text ->> 'a')::integer, 0) + 1 AS attempt INTO claimed
    FROM howdah_internal.batch b
    LEFT JOIN howdah_internal.why_nodes() n ON n.id = b.node
    WHERE b.ended IS NULL AND b.first_id <= of_id AND b.last_id >= of_id AND of_id = ANY (b.ids)
    LIMIT 1;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF claimed.alive THEN
        RETURN QUERY
        SELECT 'runs',
            'It runs on ' || claimed.called || ' since '
            || howdah_internal.why_moment(claimed.taken)
                || ', attempt ' || claimed.attempt
                || CASE claimed.jobs WHEN 1 THEN ''
                    WHEN 2 THEN ', claimed together with another job'
                    ELSE ', claimed together with ' || claimed.jobs - 1 || ' others' END || '.',
            jsonb_build_object(
                'node', claimed.node, 'since', claimed.taken, 'attempt', claimed.attempt,
                'together_with', claimed.jobs - 1),
            format('SELECT howdah.cancel(%s);', of_id);
    ELSE
        RETURN QUERY
        SELECT 'node-died',
            upper(left(claimed.called, 1)) || substr(claimed.called, 2)
                || ' had it since ' || howdah_internal.why_moment(claimed.taken)
                    || ', and is dead: '
                || CASE WHEN EXISTS (SELECT FROM howdah_internal.why_nodes() n WHERE n.alive)
                    THEN 'another node gives it back within seconds.'
                    ELSE 'the next node that starts gives it back.' END,
            jsonb_build_object(
                'node', claimed.node, 'since', claimed.taken, 'attempt', claimed.attempt),
            CASE WHEN NOT EXISTS (SELECT FROM howdah_internal.why_nodes() n WHERE n.alive)
                THEN 'Start a node.' END;
    END IF;
    RETURN QUERY
    SELECT 'cancelling',
        'Its cancellation was requested ' || howdah_internal.why_span(clock_timestamp() - c.asked)
            || ' ago; its handler has not ended yet.',
        jsonb_build_object('asked', c.asked), NULL
    FROM howdah_internal.cancellation c
    WHERE c.job = of_id;
END
$howdah$;

-- Causes of a job that waits for other jobs.
CREATE FUNCTION howdah_internal.why_follows(of_id bigint)
RETURNS TABLE (code text, sentence text, detail jsonb, remedy text)
LANGUAGE sql STABLE
AS $howdah$
    SELECT 'follows',
        'It runs when job ' || k.job || ', which has its key "' || k.key || '", has ended.',
        jsonb_build_object('job', k.job, 'key', k.key, 'kind', k.kind),
        format('SELECT howdah.cancel(%s);', k.job)
    FROM howdah_internal.key k
    WHERE k.next = of_id
    UNION ALL
    SELECT 'order',
        'Its order key "' || o.key || '" is busy'
            || COALESCE(
                ': job ' || k.job || ' has its turn'
                || COALESCE(
                    (
                        SELECT ', and waits for ' || howdah_internal.waits_for(j.more)
                        FROM howdah_internal.job j
                        WHERE j.id = k.job AND j.run_at > now()), ''), '')
            || CASE c.n WHEN 0 THEN '; it is next.' WHEN 1 THEN '; one more goes before it.'
                ELSE '; ' || CASE WHEN c.n > 1000 THEN 'more than 1000' ELSE c.n::text END
                    || ' more go before it.' END,
        jsonb_build_object('key', o.key, 'job', k.job, 'ahead', c.n),
        format('SELECT * FROM howdah.why_job(%s);', k.job)
    FROM howdah_internal.ordered o
    LEFT JOIN howdah_internal.order_key k ON k.queue = o.queue AND k.key = o.key
    CROSS JOIN LATERAL (
        SELECT count(*) AS n
        FROM (
            SELECT
            FROM howdah_internal.ordered b
            WHERE b.queue = o.queue AND b.key = o.key AND b.id < o.id
            LIMIT 1001) e) c
    WHERE o.id = of_id
    UNION ALL
    SELECT 'waits-for',
        CASE WHEN w.callback THEN 'It runs when all other jobs of workflow ' || w.workflow
                || ' have ended.'
            ELSE 'It waits for ' || COALESCE(
                (
                    SELECT howdah_internal.why_jobs(array_agg(p.id ORDER BY p.id))
                    FROM howdah_internal.workflow_edge e
                    JOIN howdah_internal.workflow_job p ON p.id = e.before
                    WHERE e.after = w.id
                        AND p.state NOT IN ('done', 'failed', 'cancelled')), 'others')
                || ' of workflow ' || w.workflow || '.' END,
        jsonb_build_object('workflow', w.workflow, 'name', w.name, 'open_before', w.open_before),
        format('SELECT * FROM howdah.workflow_jobs WHERE workflow = %s;', w.workflow)
    FROM howdah_internal.workflow_job w
    WHERE w.id = of_id AND w.state = 'held'
$howdah$;

-- Of a job that has ended, or that is not there.
CREATE FUNCTION howdah_internal.why_ended(of_id bigint)
RETURNS TABLE (code text, sentence text, detail jsonb, remedy text)
LANGUAGE plpgsql STABLE
AS $howdah$
#variable_conflict use_column
DECLARE
    last_id bigint;
BEGIN
    RETURN QUERY
    SELECT 'ended',
        CASE WHEN f.state = 'failed' THEN 'It failed at ' || howdah_internal.why_moment(f.ended)
                || ', at attempt ' || f.attempt || ': '
            ELSE 'It was cancelled at ' || howdah_internal.why_moment(f.ended) || ': ' END
            || COALESCE(NULLIF(split_part(f.error, E'\n', 1), ''), 'no error was written') || '.',
        jsonb_build_object('state', f.state, 'ended', f.ended, 'attempt', f.attempt),
        format('SELECT howdah.retry(%s);', of_id)
    FROM howdah_internal.failed f
    WHERE f.id = of_id;
    IF FOUND THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT 'ended', 'It is done since ' || howdah_internal.why_moment(COALESCE(t.ended_at, t.ended))
        || '.',
        jsonb_build_object('state', 'done', 'ended', COALESCE(t.ended_at, t.ended)), NULL
    FROM howdah.taken t
    WHERE t.first_id <= of_id
        AND t.last_id >= of_id
        AND t.ended IS NOT NULL
        AND t.id = of_id
        AND t.letter = 'd'
    LIMIT 1;
    IF FOUND THEN
        RETURN;
    END IF;
    last_id := COALESCE(pg_sequence_last_value('howdah_internal.job_id_seq'), 0);
    RETURN QUERY
    SELECT 'unknown',
        'There is no job ' || of_id || CASE
            WHEN last_id = 0 THEN ': none was ever added.'
            WHEN of_id > last_id OR of_id < 1 THEN
                ': ids up to ' || last_id || ' have been given.'
            ELSE ' any more, if there was one: jobs that have ended are removed after their '
                'retention.'
        END,
        jsonb_build_object('last_id', last_id), NULL;
END
$howdah$;

CREATE FUNCTION howdah.why_job(id bigint)
RETURNS TABLE (code text, sentence text, detail jsonb, remedy text)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET enable_seqscan = off
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
DECLARE
    waiting howdah_internal.job;
    holder xid;
    own howdah_internal.lane;
    home howdah_internal.lane;
    causes integer := 0;
    entry record;
BEGIN
    IF pg_is_in_recovery() THEN
        RETURN QUERY
        SELECT 'standby', 'This server is a standby: nothing runs here, and nodes are seen on the '
            'primary only.', '{}'::jsonb, 'Ask the primary.';
        RETURN;
    END IF;
    SELECT j.* INTO waiting FROM howdah_internal.job j WHERE j.id = why_job.id;
    IF FOUND THEN
        SELECT j.xmax INTO holder FROM howdah_internal.job j WHERE j.id = why_job.id;
        RETURN QUERY SELECT * FROM howdah_internal.why_locked(holder);
        causes := causes + CASE WHEN FOUND THEN 1 ELSE 0 END;
        SELECT l.* INTO own FROM howdah_internal.lane l WHERE l.id = waiting.lane;
        home := own;
        IF own.home IS NOT NULL THEN
            SELECT l.* INTO home FROM howdah_internal.lane l WHERE l.id = own.home;
        END IF;
        RETURN QUERY SELECT * FROM howdah_internal.why_waits(waiting, home, own.group_name);
        IF NOT FOUND AND causes = 0 THEN
            RETURN QUERY
            SELECT 'due', 'It is due, since '
                || howdah_internal.why_span(clock_timestamp() - waiting.run_at)
                || ', and nothing known stands in its way.',
                jsonb_build_object('run_at', waiting.run_at), NULL;
        END IF;
        RETURN;
    END IF;
    SELECT f.state, f.kind, f.run_at, f.node, l.id AS lane INTO entry
    FROM howdah_internal.log_find(why_job.id) f
    JOIN howdah_internal.lane l ON l.queue = f.queue AND l.kind IS NULL AND l.home IS NULL;
    IF entry.state = 'waiting' THEN
        waiting.id := why_job.id;
        waiting.lane := entry.lane;
        waiting.kind := entry.kind;
        waiting.run_at := entry.run_at;
        waiting.priority := 0;
        waiting.attempt := 0;
        waiting.deaths := 0;
        SELECT l.* INTO home FROM howdah_internal.lane l WHERE l.id = entry.lane;
        RETURN QUERY SELECT * FROM howdah_internal.why_waits(waiting, home, NULL);
        IF NOT FOUND THEN
            RETURN QUERY
            SELECT 'due', 'It is an entry of a log queue, since '
                    || howdah_internal.why_span(clock_timestamp() - entry.run_at)
                    || ', and begins when those before it have begun.',
                jsonb_build_object('run_at', entry.run_at), NULL;
        END IF;
        RETURN;
    ELSIF entry.state = 'running' THEN
        RETURN QUERY
        SELECT 'runs', 'Node ' || entry.node || ' has claimed it from the log queue.',
            jsonb_build_object('node', entry.node), NULL;
        RETURN;
    ELSIF entry.state = 'done' THEN
        RETURN QUERY
        SELECT 'ended', 'It is done. A log queue does not keep when.', '{}'::jsonb, NULL;
        RETURN;
    END IF;
    RETURN QUERY SELECT * FROM howdah_internal.why_claimed(why_job.id);
    IF NOT FOUND THEN
        RETURN QUERY SELECT * FROM howdah_internal.why_follows(why_job.id);
        IF NOT FOUND THEN
            RETURN QUERY SELECT * FROM howdah_internal.why_ended(why_job.id);
        ELSE
            RETURN QUERY
            SELECT u.*
            FROM howdah_internal.workflow_job w
            JOIN howdah_internal.lane l ON l.id = w.lane
            CROSS JOIN LATERAL howdah_internal.why_unserved(l.queue, w.kind) u
            WHERE w.id = why_job.id AND w.state = 'held';
        END IF;
    END IF;
END
$howdah$;
COMMENT ON FUNCTION howdah.why_job(bigint) IS
    'Why a job does not run: the first row is the answer, further rows hold as well. remedy is '
    'what to do about it, mostly SQL; NULL: nothing.';

-- Why a schedule adds no job ----------------------------------------------------------------------

CREATE FUNCTION howdah.why_schedule(name text)
RETURNS TABLE (code text, sentence text, detail jsonb, remedy text)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
#variable_conflict use_column
DECLARE
    kept howdah.schedule;
BEGIN
    IF pg_is_in_recovery() THEN
        RETURN QUERY
        SELECT 'standby', 'This server is a standby: nothing runs here, and nodes are seen on the '
            'primary only.', '{}'::jsonb, 'Ask the primary.';
        RETURN;
    END IF;
    SELECT s.* INTO kept FROM howdah.schedule s WHERE s.name = why_schedule.name;
    IF NOT FOUND THEN
        RETURN QUERY
        SELECT 'unknown', 'There is no schedule "' || why_schedule.name || '".', '{}'::jsonb, NULL;
        RETURN;
    END IF;
    RETURN QUERY
    SELECT c.code, c.sentence, c.detail, c.remedy
    FROM (
        SELECT 1 AS n, 'paused' AS code,
            'It is paused since ' || howdah_internal.why_moment(kept.paused)
                || COALESCE(', by ' || kept.paused_by, '') || '.' AS sentence,
            jsonb_build_object('since', kept.paused, 'by', kept.paused_by) AS detail,
            format('SELECT howdah.resume_schedule(%L);', kept.name) AS remedy
        WHERE kept.paused IS NOT NULL
        UNION ALL
        SELECT 2, 'error', 'It cannot be kept: ' || kept.error || '.',
            jsonb_build_object('error', kept.error), 'Change the schedule.'
        WHERE kept.error IS NOT NULL
        UNION ALL
        SELECT 3, 'no-node', 'No node works: no time of it is kept.', '{}',
            'Start a program that runs jobs.'
        WHERE NOT EXISTS (SELECT FROM howdah_internal.why_nodes() n WHERE n.alive)
        UNION ALL
        SELECT 4, 'not-due',
            'It is due in ' || howdah_internal.why_span(kept.next_at - clock_timestamp()) || ', at '
                || howdah_internal.why_moment(kept.next_at) || '.',
            jsonb_build_object('next_at', kept.next_at),
            format('SELECT howdah.run_schedule(%L);', kept.name)
        WHERE kept.next_at > clock_timestamp()
        UNION ALL
        SELECT 5, 'overlap',
            'Its last job, ' || kept.last_job || ', has not ended; overlap is ' || kept.overlap
                || CASE kept.overlap
                    WHEN 'skip' THEN ': no job is added meanwhile.'
                    ELSE ': no more than one job waits meanwhile.' END,
            jsonb_build_object(
                'job', kept.last_job, 'overlap', kept.overlap, 'skipped', kept.skipped),
            format('SELECT * FROM howdah.why_job(%s);', kept.last_job)
        WHERE kept.overlap IN ('skip', 'queue_one')
            AND EXISTS (
                SELECT
                FROM howdah.find(kept.last_job) j
                WHERE j.state NOT IN ('done', 'failed', 'cancelled'))
        UNION ALL
        SELECT 6, 'next-look', 'A node has yet to find its next time.', '{}', NULL
        WHERE kept.next_at IS NULL AND kept.paused IS NULL AND kept.error IS NULL) c
    ORDER BY c.n;
    IF NOT FOUND THEN
        RETURN QUERY
        SELECT 'due', 'It is due, since '
            || howdah_internal.why_span(clock_timestamp() - kept.next_at)
            || ', and nothing known stands in its way.',
            jsonb_build_object('next_at', kept.next_at), NULL;
    END IF;
    RETURN QUERY
    SELECT u.code, u.sentence || ' The jobs of this schedule wait.', u.detail,
        u.remedy || format(' Or: SELECT howdah.unschedule(%L);', kept.name)
    FROM howdah_internal.why_unserved(kept.queue, kept.kind) u
    WHERE u.code = 'no-handler';
END
$howdah$;
COMMENT ON FUNCTION howdah.why_schedule(text) IS
    'Why a schedule adds no job, in rows as those of why_job.';
