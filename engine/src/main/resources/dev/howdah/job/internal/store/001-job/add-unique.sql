-- The option unique, checked and with all of its fields; NULL: it is not there.
CREATE FUNCTION howdah_internal.unique_policy(options jsonb)
RETURNS jsonb
LANGUAGE sql IMMUTABLE
AS $howdah$
    SELECT CASE WHEN jsonb_typeof(options -> 'unique') <> 'null'
        THEN howdah_internal.check_unique(options -> 'unique') END
$howdah$;

CREATE FUNCTION howdah_internal.unique_key(policy jsonb, key text, payload json)
RETURNS text
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
BEGIN
    IF policy IS NULL OR policy ->> 'by' = 'key' THEN
        RETURN key;
    ELSIF key IS NOT NULL THEN
        RAISE 'the key "%" of a job that is unique by its payload: it is one or the other',
            left(key, 40)
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN howdah_internal.payload_key(payload);
END
$howdah$;

-- The elements of two JSON arrays in one; NULL: there are more than so many.
CREATE FUNCTION howdah_internal.appended(there json, more json, most integer)
RETURNS json
LANGUAGE plpgsql IMMUTABLE
AS $howdah$
DECLARE
    given text := btrim(more::text, E' \n\r\t');
    known text := btrim(there::text, E' \n\r\t');
BEGIN
    IF json_typeof(there) <> 'array' OR json_typeof(more) <> 'array' THEN
        RAISE 'JSON of type % cannot be appended to the payload of a job, which is JSON of type %: '
            'both have to be arrays', json_typeof(more), json_typeof(there)
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF json_array_length(more) = 0 THEN
        RETURN there;
    ELSIF json_array_length(there) + json_array_length(more) > most THEN
        RETURN NULL;
    ELSIF json_array_length(there) = 0 THEN
        RETURN more;
    END IF;
    RETURN left(known, -1) || ',' || substr(given, 2);
END
$howdah$;

-- As howdah_internal.add_keyed, where the option unique says what becomes of the second job. The
-- key is locked unless nothing is changed. A waiting job that makes others superfluous does not
-- begin before this transaction ends: it sees what this transaction has written.
CREATE FUNCTION howdah_internal.add_unique(
    of_queue text, in_lane integer, of_kind text, with_key text, policy jsonb,
    with_priority smallint, due timestamptz, with_payload json, with_more jsonb,
    drawn_id bigint DEFAULT NULL, OUT id bigint, OUT added boolean)
LANGUAGE plpgsql
AS $howdah$
DECLARE
    home integer := (
        SELECT l.id
        FROM howdah_internal.lane l
        WHERE l.queue = of_queue AND COALESCE(l.kind, '') = '' AND l.home IS NULL);
    span CONSTANT interval := policy ->> 'within';
    second CONSTANT text := policy ->> 'then';
    while_waiting CONSTANT boolean := policy ->> 'while' = 'waiting';
    known howdah_internal.key;
    waits howdah_internal.job;
    body json;
    locked boolean := false;
    settled boolean := false;
    in_window boolean;
    waiting boolean;
    follows boolean := false;
    start timestamptz := due;
BEGIN
    added := false;
    IF second = 'append' AND json_typeof(with_payload) <> 'array' THEN
        RAISE 'the payload of a job to which others are appended is JSON of type %: it has to be '
            'an array', json_typeof(with_payload)
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    LOOP
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
            INSERT INTO howdah_internal.key (queue, kind, key, job, until)
            VALUES (home, of_kind, with_key, id, now() + span)
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
        in_window := span IS NOT NULL AND COALESCE(known.until > now(), false);
        EXIT WHEN locked;
        IF second = 'skip' THEN
            IF in_window OR known.ended IS NULL AND NOT while_waiting THEN
                RETURN;
            ELSIF known.ended IS NULL THEN
                PERFORM FROM howdah_internal.job j
                WHERE j.id = known.job AND j.more -> 'waits' IS NULL
                FOR SHARE;
                IF FOUND OR known.next IS NOT NULL THEN
                    RETURN;
                END IF;
            END IF;
        END IF;
        locked := true;
    END LOOP;
    IF known.ended IS NULL AND known.next IS NULL THEN
        -- What has waited in its handler runs until it ends.
        SELECT * INTO waits
        FROM howdah_internal.job j
        WHERE j.id = known.job AND j.more -> 'waits' IS NULL
        FOR UPDATE;
    ELSIF known.ended IS NULL THEN
        SELECT f.run_at, f.id, f.lane, f.priority, 0, 0, f.kind, f.payload, f.more
        INTO waits.run_at, waits.id, waits.lane, waits.priority, waits.attempt, waits.deaths,
            waits.kind, waits.payload, waits.more
        FROM howdah_internal.follower f
        WHERE f.id = known.next;
    END IF;
    waiting := waits.id IS NOT NULL;
    IF waiting THEN
        IF second = 'skip' THEN
            RETURN;
        END IF;
        body := with_payload;
        CASE second
            WHEN 'append' THEN
                body := howdah_internal.appended(
                    COALESCE(
                        waits.payload, (SELECT b.payload FROM howdah_internal.body b
                            WHERE b.job = waits.id)
                    ), with_payload,
                    CASE WHEN known.next IS NULL THEN (policy ->> 'most')::integer
                        ELSE 2147483647 END);
                start := CASE WHEN body IS NULL THEN due ELSE waits.run_at END;
            WHEN 'push_back' THEN
                start := LEAST(due, COALESCE((waits.more ->> 'created')::timestamptz, waits.run_at)
                    + (policy ->> 'longest')::interval);
            WHEN 'run_last' THEN
                start := waits.run_at;
            ELSE
                start := LEAST(waits.run_at, due);
        END CASE;
        IF body IS NOT NULL THEN
            PERFORM howdah_internal.rewrite_waiting(
                waits.id, known.next IS NOT NULL, in_lane, with_priority, start, body,
                -- When the first of them was added.
                with_more || jsonb_build_object('created', COALESCE(
                    waits.more -> 'created', to_jsonb(waits.run_at))));
            id := waits.id;
            added := true;
            RETURN;
        END IF;
    ELSIF known.ended IS NULL AND NOT while_waiting THEN
        -- It runs.
        IF second = 'skip' THEN
            RETURN;
        END IF;
        follows := true;
    END IF;
    IF in_window THEN
        IF second = 'skip' THEN
            RETURN;
        END IF;
        start := GREATEST(due, known.until);
    END IF;
    added := true;
    id := COALESCE(drawn_id, nextval('howdah_internal.job_id_seq'));
    IF start <> due THEN
        with_more := with_more || jsonb_build_object('created', now());
    END IF;
    IF follows THEN
        INSERT INTO howdah_internal.follower (id, run_at, lane, priority, kind, payload, more)
        VALUES (
            id, start, in_lane, with_priority, of_kind, howdah_internal.put_body(id, with_payload),
            with_more);
    ELSE
        PERFORM howdah_internal.put(id, in_lane, of_kind, with_priority, start, with_payload,
            with_more);
    END IF;
    UPDATE howdah_internal.key k
    SET job = CASE WHEN follows THEN k.job ELSE id END,
        next = CASE WHEN follows THEN id END,
        ended = NULL,
        until = start + span
    WHERE k.queue = home AND k.kind = of_kind AND k.key = with_key;
END
$howdah$;

-- Writes another job in place of one that waits, in howdah_internal.job or as a follower.
CREATE FUNCTION howdah_internal.rewrite_waiting(
    of_id bigint, as_follower boolean, in_lane integer, with_priority smallint, start timestamptz,
    with_payload json, with_more jsonb)
RETURNS void
LANGUAGE plpgsql
AS $howdah$
DECLARE
    kept json;
BEGIN
    DELETE FROM howdah_internal.body b WHERE b.job = of_id;
    kept := howdah_internal.put_body(of_id, with_payload);
    IF as_follower THEN
        UPDATE howdah_internal.follower f
        SET run_at = start, lane = in_lane, priority = with_priority, payload = kept,
            more = with_more
        WHERE f.id = of_id;
        RETURN;
    END IF;
    UPDATE howdah_internal.job j
    SET run_at = start, lane = in_lane, priority = with_priority, attempt = 0, deaths = 0,
        payload = kept, more = with_more
    WHERE j.id = of_id;
    PERFORM howdah_internal.ring(in_lane);
END
$howdah$;
