-- The days of the history and the lock table ------------------------------------------------------
--
-- A statement that is planned once for all locks the tables of all days, and their indexes. The
-- lock table is that of the whole server: where it is full, sessions of other databases fail. So a
-- day counts as 16 of its places, which leaves half of them to others while four nodes claim.
CREATE FUNCTION howdah.retention_fits()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    sessions CONSTANT integer := current_setting('max_connections')::integer
        + current_setting('max_prepared_transactions')::integer;
    each CONSTANT integer := current_setting('max_locks_per_transaction')::integer;
    days CONSTANT numeric := ceil(extract(epoch FROM NEW.keep) / 86400);
BEGIN
    IF days * 16 > each::bigint * sessions THEN
        RAISE 'a retention of % days: there is a table for each day, and the lock table of this '
            'server bears % of them', days, each::bigint * sessions / 16
            USING ERRCODE = 'configuration_limit_exceeded',
                HINT = format(
                    'Set max_locks_per_transaction to %s or more, instead of %s, and restart the '
                    'server.', ceil(days * 16 / sessions), each);
    END IF;
    RETURN NEW;
END
$howdah$;
CREATE TRIGGER retention_fits BEFORE INSERT OR UPDATE OF keep ON howdah.retention
    FOR EACH ROW WHEN (NEW.outcome = 'done' AND NOT NEW.by_default)
    EXECUTE FUNCTION howdah.retention_fits();
REVOKE EXECUTE ON FUNCTION howdah.retention_fits() FROM PUBLIC;
