-- Days of the history -----------------------------------------------------------------------------

-- Creates the table for the batches of a day; true if it was missing. It is created by itself and
-- attached then, which waits for no reader or writer: a partition created in place would wait for
-- all that read the history, and all others would wait behind it.
CREATE FUNCTION howdah_internal.make_day(wanted date)
RETURNS boolean
LANGUAGE plpgsql
-- The day in the bounds of its table is text.
SET datestyle = 'ISO'
AS $howdah$
DECLARE
    name text := 'batch_' || to_char(wanted, 'YYYYMMDD');
BEGIN
    IF to_regclass('howdah_internal.' || name) IS NOT NULL THEN
        RETURN false;
    END IF;
    EXECUTE format(
        'CREATE TABLE howdah_internal.%I (LIKE howdah_internal.batch INCLUDING ALL EXCLUDING'
        ' IDENTITY)', name);
    EXECUTE format(
        'ALTER TABLE howdah_internal.batch ATTACH PARTITION howdah_internal.%I FOR VALUES IN (%L)',
        name, wanted);
    RETURN true;
END
$howdah$;

-- The coming days; sessions in the farthest zones are a day earlier or later. One session creates
-- them at a time, and waits 3 s at most for an ANALYZE of the whole history: there are days left
-- for another time.
CREATE FUNCTION howdah.make_days()
RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET datestyle = 'ISO'
SET lock_timeout = '3s'
AS $howdah$
DECLARE
    made integer := 0;
BEGIN
    IF EXISTS (SELECT FROM generate_series(-1, 3) d
               WHERE to_regclass(
                   'howdah_internal.batch_' || to_char(CURRENT_DATE + d, 'YYYYMMDD')) IS NULL) THEN
        PERFORM pg_advisory_xact_lock(1215264876, 3);
        FOR d IN -1..3 LOOP
            made := made + howdah_internal.make_day(CURRENT_DATE + d)::integer;
        END LOOP;
    END IF;
    RETURN made;
END
$howdah$;
COMMENT ON FUNCTION howdah.make_days() IS
    'Makes the tables of the coming days, as nodes do; returns how many were missing.';

-- Dropping needs an exclusive lock on the whole history for a moment: others shall not wait behind
-- it for a long query.
CREATE FUNCTION howdah_internal.drop_day(name text)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '100ms'
AS $howdah$
BEGIN
    IF name !~ '^batch_[0-9]{8}$' THEN
        RAISE '"%" is not the table of a day', name USING ERRCODE = 'invalid_parameter_value';
    END IF;
    EXECUTE format('DROP TABLE IF EXISTS howdah_internal.%I', name);
END
$howdah$;
