-- Adding jobs -------------------------------------------------------------------------------------

-- The lane of a job of that kind; makes the queue and the priority known.
CREATE FUNCTION howdah_internal.lane_of(of_queue text, of_kind text, with_priority smallint)
RETURNS integer
LANGUAGE plpgsql
AS $howdah$
DECLARE
    found_lane integer;
BEGIN
    LOOP
        SELECT l.id INTO found_lane FROM howdah_internal.lane l
        WHERE l.queue = of_queue AND COALESCE(l.kind, '') IN ('', of_kind) AND l.home IS NULL
        ORDER BY l.kind NULLS LAST
        LIMIT 1;
        EXIT WHEN FOUND;
        INSERT INTO howdah_internal.lane (queue)
        VALUES (of_queue)
        ON CONFLICT (queue, COALESCE(kind, '')) WHERE home IS NULL DO NOTHING
        RETURNING id INTO found_lane;
        IF FOUND THEN
            INSERT INTO howdah_internal.lane_priority (lane, priority)
            VALUES (found_lane, 0);
        END IF;
    END LOOP;
    IF with_priority <> 0 THEN
        INSERT INTO howdah_internal.lane_priority (lane, priority)
        SELECT found_lane, with_priority
        WHERE NOT EXISTS (
            SELECT
            FROM howdah_internal.lane_priority p
            WHERE p.lane = found_lane AND p.priority = with_priority);
    END IF;
    RETURN found_lane;
END
$howdah$;

-- The lanes of a queue but for those of groups, that of the whole queue first.
CREATE FUNCTION howdah_internal.lanes_of(of_queue text)
RETURNS integer[]
LANGUAGE plpgsql STABLE
AS $howdah$
DECLARE
    lanes integer[];
BEGIN
    PERFORM howdah_internal.check_known('queue', of_queue);
    SELECT array_agg(l.id ORDER BY l.kind NULLS FIRST) INTO lanes
    FROM howdah_internal.lane l
    WHERE l.queue = of_queue AND l.home IS NULL;
    IF lanes IS NULL THEN
        RAISE 'there is no queue "%"', of_queue USING ERRCODE = 'undefined_object',
            HINT = 'There is one when a job has been added to it, or a node takes from it.'
            || COALESCE((SELECT ' There are: ' || string_agg(n.queue, ', ') || '.'
                FROM (
                    SELECT DISTINCT l.queue
                    FROM howdah_internal.lane l
                    WHERE l.home IS NULL
                    ORDER BY l.queue
                    LIMIT 20) n), '');
    END IF;
    RETURN lanes;
END
$howdah$;

-- The lane that a kind has to itself, created if it is missing. Nodes that take jobs of the kind
-- from the lane of the queue put them there.
CREATE FUNCTION howdah_internal.kind_lane(of_queue text, of_kind text)
RETURNS integer
LANGUAGE plpgsql
AS $howdah$
DECLARE
    own integer;
BEGIN
    PERFORM howdah_internal.lane_of(of_queue, of_kind, 0::smallint);
    INSERT INTO howdah_internal.lane (queue, kind)
    VALUES (of_queue, of_kind)
    ON CONFLICT (queue, COALESCE(kind, '')) WHERE home IS NULL DO NOTHING;
    SELECT l.id INTO own
    FROM howdah_internal.lane l
    WHERE l.queue = of_queue AND l.kind = of_kind AND l.home IS NULL;
    INSERT INTO howdah_internal.lane_priority (lane, priority)
    SELECT DISTINCT own, p.priority
    FROM howdah_internal.lane l
    JOIN howdah_internal.lane_priority p ON p.lane = l.id
    WHERE l.queue = of_queue
        AND NOT EXISTS (
            SELECT
            FROM howdah_internal.lane_priority o
            WHERE o.lane = own AND o.priority = p.priority);
    RETURN own;
END
$howdah$;

-- Payloads of this size are kept apart: they would be written three times otherwise.
CREATE FUNCTION howdah_internal.is_large(payload json)
RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $howdah$
    SELECT octet_length(payload::text) > 8192
$howdah$;

-- Keeps a payload apart if it is large; returns what is left to travel with its job.
CREATE FUNCTION howdah_internal.put_body(of_job bigint, payload json)
RETURNS json
LANGUAGE plpgsql
AS $howdah$
BEGIN
    IF NOT howdah_internal.is_large(payload) THEN
        RETURN payload;
    END IF;
    INSERT INTO howdah_internal.body (job, payload) VALUES (of_job, put_body.payload);
    RETURN NULL;
END
$howdah$;

-- The lane of a group in the lane that it would have without one, created if it is missing.
CREATE FUNCTION howdah_internal.group_lane(in_home integer, of_group text)
RETURNS integer
LANGUAGE plpgsql
AS $howdah$
DECLARE
    own integer;
BEGIN
    SELECT l.id INTO own
    FROM howdah_internal.lane l
    WHERE l.home = in_home AND l.group_name = of_group AND l.retired IS NULL
    ORDER BY l.id DESC
    LIMIT 1;
    IF NOT FOUND THEN
        INSERT INTO howdah_internal.lane (id, queue, kind, home, group_name)
        OVERRIDING SYSTEM VALUE
        SELECT -nextval('howdah_internal.lane_id_seq'), l.queue, l.kind, l.id, of_group
        FROM howdah_internal.lane l
        WHERE l.id = in_home
        RETURNING id INTO own;
    END IF;
    RETURN own;
END
$howdah$;

-- The lane that a lane of a group is in; of any other lane itself.
CREATE FUNCTION howdah_internal.home_of(of_lane integer)
RETURNS integer
LANGUAGE plpgsql
AS $howdah$
BEGIN
    RETURN CASE WHEN of_lane > 0 THEN of_lane
        ELSE (SELECT l.home FROM howdah_internal.lane l WHERE l.id = of_lane) END;
END
$howdah$;

-- Refuses a job that is heavier than a rate allows at any time.
CREATE FUNCTION howdah_internal.check_weight(in_home integer, more jsonb)
RETURNS void
LANGUAGE plpgsql
AS $howdah$
DECLARE
    too_small record;
BEGIN
    SELECT r.* INTO too_small
    FROM howdah_internal.lane l
    JOIN howdah_internal.rate_limit r ON r.queue = l.queue
    WHERE l.id = in_home
        AND (r.kind IS NULL OR r.kind = l.kind)
        AND (r.group_name IS NULL OR r.group_name = more ->> 'group')
        AND (NOT r.each_group OR more ? 'group' AND NOT EXISTS (
            SELECT
            FROM howdah_internal.rate_limit o
            WHERE o.queue = l.queue AND o.group_name = more ->> 'group'))
        AND (more ->> 'weight')::integer > COALESCE(r.burst, r.most)
    ORDER BY COALESCE(r.burst, r.most)
    LIMIT 1;
    IF FOUND THEN
        RAISE 'a weight of % for queue "%": a rate of it allows % at once, so that the job could '
            'never run', more ->> 'weight', too_small.queue,
            COALESCE(too_small.burst, too_small.most)
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
END
$howdah$;

-- The lane of a job of which that is unusual, where it would be in that lane without a group.
CREATE FUNCTION howdah_internal.lane_for(in_home integer, more jsonb)
RETURNS integer
LANGUAGE plpgsql
AS $howdah$
BEGIN
    IF more ? 'weight' THEN
        PERFORM howdah_internal.check_weight(in_home, more);
    END IF;
    RETURN CASE WHEN more ? 'group' THEN howdah_internal.group_lane(in_home, more ->> 'group')
        ELSE in_home END;
END
$howdah$;

-- The same for many.
CREATE FUNCTION howdah_internal.lanes_for(homes integer[], mores jsonb[])
RETURNS integer[]
LANGUAGE plpgsql
SET enable_nestloop = off
SET enable_hashjoin = on
SET jit = off
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    PERFORM howdah_internal.check_weight(u.home, u.more)
    FROM (SELECT DISTINCT w.home, w.more FROM unnest(homes, mores) AS w (home, more)) u
    WHERE u.more ? 'weight';
    RETURN ARRAY(
        WITH asked AS (
            SELECT u.home, u.more ->> 'group' AS name, u.n
            FROM unnest(homes, mores) WITH ORDINALITY AS u (home, more, n)
        ), lanes AS MATERIALIZED (
            SELECT d.home, d.name, howdah_internal.group_lane(d.home, d.name) AS lane
            FROM (SELECT DISTINCT a.home, a.name FROM asked a WHERE a.name IS NOT NULL) d
        )
        SELECT COALESCE(l.lane, a.home)
        FROM asked a
        LEFT JOIN lanes l ON l.home = a.home AND l.name = a.name
        ORDER BY a.n);
END
$howdah$;

-- After a job came to that lane or is due earlier there: wakes the nodes that sleep at it, as in
-- add.sql.
CREATE FUNCTION howdah_internal.ring(at_lane integer)
RETURNS void
LANGUAGE plpgsql
AS $howdah$
BEGIN
    IF at_lane < 0 THEN
        INSERT INTO howdah_internal.group_wake (home, lane)
        SELECT l.home, l.id FROM howdah_internal.lane l WHERE l.id = at_lane
        RETURNING home INTO at_lane;
    END IF;
    IF NOT pg_try_advisory_xact_lock_shared(1215264875, at_lane) THEN
        PERFORM howdah_internal.tell('howdah_job', at_lane::text);
    END IF;
END
$howdah$;

CREATE FUNCTION howdah_internal.put(
    of_id bigint, in_lane integer, of_kind text, with_priority smallint, due timestamptz,
    with_payload json, with_more jsonb)
RETURNS bigint
LANGUAGE plpgsql
AS $howdah$
BEGIN
    INSERT INTO howdah_internal.job (id, lane, kind, priority, run_at, payload, more)
    VALUES (
        of_id, in_lane, of_kind, with_priority, due, howdah_internal.put_body(of_id, with_payload),
            with_more
    );
    PERFORM howdah_internal.ring(in_lane);
    RETURN of_id;
END
$howdah$;

-- drawn_id: the id of the job if it needs one; NULL: the next one.
CREATE FUNCTION howdah_internal.add_keyed(
    of_queue text, in_lane integer, of_kind text, with_key text, with_version timestamptz,
    with_priority smallint, due timestamptz, with_payload json, with_more jsonb,
    drawn_id bigint DEFAULT NULL, OUT id bigint, OUT added boolean)
LANGUAGE plpgsql
AS $howdah$
DECLARE
    home integer := (
        SELECT l.id
        FROM howdah_internal.lane l
        WHERE l.queue = of_queue AND COALESCE(l.kind, '') = '' AND l.home IS NULL);
    known howdah_internal.key;
    locked boolean := false;
    settled boolean := false;
BEGIN
    added := false;
    LOOP
        -- An add that brings nothing new does not lock the key.
        IF locked THEN
            SELECT * INTO known
            FROM howdah_internal.key k
            WHERE k.queue = home AND k.kind = of_kind AND k.key = with_key
            FOR UPDATE;
        ELSE
            SELECT * INTO known
            FROM howdah_internal.key k
            WHERE k.queue = home AND k.kind = of_kind AND k.key = with_key;
        END IF;
        IF NOT FOUND THEN
            id := COALESCE(drawn_id, nextval('howdah_internal.job_id_seq'));
            INSERT INTO howdah_internal.key (queue, kind, key, job, version)
            VALUES (home, of_kind, with_key, id, with_version)
            ON CONFLICT ON CONSTRAINT key_pkey DO NOTHING;
            CONTINUE WHEN NOT FOUND;
            PERFORM howdah_internal.put(id, in_lane, of_kind, with_priority, due, with_payload,
                with_more);
            added := true;
            RETURN;
        END IF;
        IF NOT settled AND EXISTS (SELECT FROM howdah_internal.key_late t
            WHERE t.job = known.job) THEN
            IF locked THEN
                PERFORM howdah_internal.keys_settle(ARRAY[known.job], false);
                settled := true;
            END IF;
            locked := true;
            CONTINUE;
        END IF;
        id := COALESCE(known.next, known.job);
        IF with_version <= known.version OR with_version IS NULL AND known.ended IS NULL THEN
            RETURN;
        END IF;
        EXIT WHEN locked;
        locked := true;
    END LOOP;
    added := true;
    IF known.ended IS NULL AND known.next IS NULL THEN
        UPDATE howdah_internal.job j
        SET run_at = due, lane = in_lane, priority = with_priority, attempt = 0, deaths = 0,
            payload = with_payload, more = with_more
        -- What has waited in its handler runs until it ends.
        WHERE j.id = known.job AND j.more -> 'waits' IS NULL;
        IF FOUND THEN
            DELETE FROM howdah_internal.body b WHERE b.job = known.job;
            UPDATE howdah_internal.job j
            SET payload = NULL
            WHERE j.id = known.job AND howdah_internal.put_body(known.job, with_payload) IS NULL;
            PERFORM howdah_internal.ring(in_lane);
        ELSE
            -- It runs. The statement that ends it finds the follower, now or later.
            id := COALESCE(drawn_id, nextval('howdah_internal.job_id_seq'));
            INSERT INTO howdah_internal.follower (id, run_at, lane, priority, kind, payload, more)
            VALUES (
                id, due, in_lane, with_priority, of_kind,
                    howdah_internal.put_body(id, with_payload),
                with_more);
        END IF;
    ELSIF known.ended IS NULL THEN
        DELETE FROM howdah_internal.body b WHERE b.job = known.next;
        UPDATE howdah_internal.follower f
        SET run_at = due, lane = in_lane, priority = with_priority,
            payload = howdah_internal.put_body(f.id, with_payload), more = with_more
        WHERE f.id = known.next;
    ELSE
        id := howdah_internal.put(
            COALESCE(drawn_id, nextval('howdah_internal.job_id_seq')), in_lane, of_kind,
                with_priority, due,
            with_payload, with_more);
    END IF;
    UPDATE howdah_internal.key k
    SET version = COALESCE(with_version, k.version), ended = NULL,
        job = CASE WHEN known.ended IS NULL THEN k.job ELSE id END,
        next = CASE WHEN known.ended IS NULL AND id <> k.job THEN id END
    WHERE k.queue = home AND k.kind = of_kind AND k.key = with_key;
END
$howdah$;

-- Changes when a lane is made, also one of a group, whether its transaction commits or not. Roles
-- of nodes need no privilege on the sequence.
CREATE FUNCTION howdah_internal.lanes_made()
RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
    SELECT COALESCE(pg_sequence_last_value('howdah_internal.lane_id_seq'::regclass), 0)
$howdah$;

-- Nodes that have nothing to do look at once for a lane of a kind, the first one of groups, and
-- what is made of a log.
CREATE FUNCTION howdah_internal.lane_tell()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
BEGIN
    IF TG_RELID = 'howdah_internal.lane'::regclass THEN
        IF NEW.home IS NOT NULL AND EXISTS (
            SELECT
            FROM howdah_internal.lane l
            WHERE l.home = NEW.home AND l.id <> NEW.id) THEN
            RETURN NULL;
        END IF;
    END IF;
    PERFORM howdah_internal.tell('howdah_node', '');
    RETURN NULL;
END
$howdah$;
CREATE TRIGGER lane_tell AFTER INSERT ON howdah_internal.lane
    FOR EACH ROW WHEN (NEW.kind IS NOT NULL OR NEW.home IS NOT NULL)
    EXECUTE FUNCTION howdah_internal.lane_tell();
CREATE TRIGGER lane_tell AFTER INSERT ON howdah_internal.log_queue
    FOR EACH ROW EXECUTE FUNCTION howdah_internal.lane_tell();
CREATE TRIGGER lane_tell AFTER INSERT ON howdah_internal.log_reader
    FOR EACH ROW EXECUTE FUNCTION howdah_internal.lane_tell();
