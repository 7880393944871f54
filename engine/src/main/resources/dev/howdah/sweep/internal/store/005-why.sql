-- A limit can be changed while the sweep runs.
DO $howdah$
BEGIN
    EXECUTE replace(
        pg_get_functiondef('howdah.why_sweep(text)'::regprocedure),
        'Start it with a higher limit.',
        'Change the limit while it runs: on its page, or with howdah sweep throttle.');
END
$howdah$;

INSERT INTO howdah.migration (feature, version, file)
VALUES ('sweep', 5, '005-why.sql');
