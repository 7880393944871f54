-- Generations of sweeps that were begun anew.

CREATE TABLE howdah.sweep_history (
    name text NOT NULL REFERENCES howdah.sweep (name) ON DELETE CASCADE,
    generation integer NOT NULL CHECK (generation > 0),
    state text NOT NULL,
    started timestamptz NOT NULL,
    ended timestamptz,
    done bigint NOT NULL,
    failed bigint NOT NULL,
    PRIMARY KEY (name, generation)
);
COMMENT ON TABLE howdah.sweep_history IS
    'The last 1,000 generations of each sweep that have ended, written when the next one begins.';
COMMENT ON COLUMN howdah.sweep_history.state IS 'how it has ended: done, stopped or failed';
COMMENT ON COLUMN howdah.sweep_history.started IS 'the time that :started stood for';
COMMENT ON COLUMN howdah.sweep_history.failed IS 'how many rows had failed in the end';

-- Roles that may begin a sweep anew may do so still.
DO $howdah$
DECLARE
    grantee text;
BEGIN
    FOR grantee IN
        SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END
        FROM pg_catalog.pg_class c
        CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) a
        LEFT JOIN pg_catalog.pg_roles r ON r.oid = a.grantee
        WHERE c.oid = 'howdah.sweep'::regclass
            AND a.privilege_type = 'UPDATE'
            AND a.grantee <> c.relowner
            AND (a.grantee = 0 OR r.oid IS NOT NULL)
    LOOP
        EXECUTE 'GRANT SELECT, INSERT, DELETE ON howdah.sweep_history TO ' || grantee;
    END LOOP;
END
$howdah$;

-- Under a publication FOR ALL TABLES a row of a table without a replica identity cannot be changed.
ALTER TABLE howdah.sweep_run REPLICA IDENTITY FULL;

INSERT INTO howdah.migration (feature, version, file)
VALUES ('sweep', 3, '003-history.sql');
