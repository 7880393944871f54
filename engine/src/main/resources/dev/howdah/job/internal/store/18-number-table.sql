-- Jobs, version 18: no two batches have one number, however long a session that sets the sequence
-- is stopped in the middle.

-- name: version
INSERT INTO howdah.migration (feature, version) VALUES ('job', 18);

-- name: batch_number
-- The number of a new batch, which is the fencing token of its jobs: the next of the sequence,
-- which is moved on to the clock, in microseconds since 1970, when it is more than a millisecond
-- behind. So it grows while the clock goes back, and after the sequence has gone back. Numbers are
-- drawn under a lock: a session that has read the sequence and not yet moved it would move it back
-- behind numbers that others draw meanwhile. Taking the lock, drawing and letting go are one
-- expression, in which a session is not interrupted. A role that keeps the lock delays a batch by
-- about 30 ms; the number is then drawn without it, and is unique unless a thousand are drawn so
-- while one session moves the sequence.
CREATE OR REPLACE FUNCTION howdah.batch_number() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $howdah$
DECLARE
    number bigint;
BEGIN
    FOR try IN 1..100 LOOP
        number := CASE WHEN pg_try_advisory_lock(1215264876, 4) THEN
            CASE WHEN
                CASE WHEN nextval('howdah.batch_id_seq')
                        < extract(epoch FROM clock_timestamp()) * 1000000 - 1000
                    THEN setval('howdah.batch_id_seq', greatest(currval('howdah.batch_id_seq'),
                        (extract(epoch FROM clock_timestamp()) * 1000000)::bigint))
                    ELSE 0
                END IS NOT NULL
                THEN CASE WHEN pg_advisory_unlock(1215264876, 4)
                    THEN currval('howdah.batch_id_seq')
                END
            END
        END;
        EXIT WHEN number IS NOT NULL;
        PERFORM pg_sleep(0.0002);
    END LOOP;
    RETURN COALESCE(number, nextval('howdah.batch_id_seq'));
END
$howdah$;
