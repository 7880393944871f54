package dev.howdah;

import dev.howdah.fixtures.TestDatabase;

/**
 * A schema {@code hostile} that has what {@code pg_catalog} has, by the same names and for the same arguments: functions, operators, types and
 * relations. It is refused to each role but superusers, as soon as a statement that refers to it begins: where it comes before
 * {@code pg_catalog} in the path, a statement that names anything without its schema fails.
 */
public final class HostileSchema {
    private static final String MAKE = """
            CREATE SCHEMA hostile;
            CREATE FUNCTION hostile.refuse() RETURNS boolean LANGUAGE internal AS 'shell_in';
            DO $$
            DECLARE
                made CONSTANT text := 'LANGUAGE internal AS ''shell_in''';
                each record;
            BEGIN
                FOR each IN
                    SELECT p.proname AS name, pg_get_function_result(p.oid) AS result, pg_get_function_identity_arguments(p.oid) AS arguments
                    FROM pg_proc p
                    WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind <> 'p'
                        AND p.prorettype <> 'internal'::regtype
                        AND NOT p.proargtypes::oid[] && ARRAY['internal'::regtype, 'cstring'::regtype]::oid[]
                        AND NOT EXISTS (SELECT FROM pg_aggregate a WHERE a.aggfnoid = p.oid AND a.aggkind <> 'n')
                LOOP
                    EXECUTE format('CREATE FUNCTION hostile.%I(%s) RETURNS %s %s', each.name, each.arguments, each.result, made);
                END LOOP;
                FOR each IN
                    SELECT o.oprname AS name, o.oprresult::regtype AS result, NULLIF(o.oprleft, 0)::regtype AS l,
                        NULLIF(o.oprright, 0)::regtype AS r, row_number() OVER () AS n
                    FROM pg_operator o
                    WHERE o.oprnamespace = 'pg_catalog'::regnamespace AND o.oprright <> 0
                LOOP
                    EXECUTE format('CREATE FUNCTION hostile.operator_%s(%s) RETURNS %s %s', each.n, concat_ws(', ', each.l, each.r),
                        each.result, made);
                    EXECUTE format('CREATE OPERATOR hostile.%s (FUNCTION = hostile.operator_%s, %s RIGHTARG = %s)', each.name, each.n,
                        'LEFTARG = ' || each.l || ',', each.r);
                END LOOP;
                FOR each IN
                    SELECT t.typname AS name
                    FROM pg_type t
                    WHERE t.typnamespace = 'pg_catalog'::regnamespace AND t.typtype IN ('b', 'r') AND t.typname !~ '^_'
                LOOP
                    EXECUTE format('CREATE DOMAIN hostile.%1$I AS pg_catalog.%1$I CHECK (hostile.refuse())', each.name);
                END LOOP;
                FOR each IN
                    SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relkind IN ('r', 'v')
                LOOP
                    EXECUTE format('CREATE VIEW hostile.%I AS SELECT hostile.refuse()', each.name);
                END LOOP;
            END $$;
            REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA hostile FROM PUBLIC;
            """;

    private HostileSchema() {}

    /** Makes it; a role needs USAGE on it to have it in its path. */
    public static void make(TestDatabase database) {
        database.execute(MAKE);
    }
}
