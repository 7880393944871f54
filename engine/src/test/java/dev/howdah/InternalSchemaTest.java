package dev.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweep;
import dev.howdah.task.internal.table.TaskFunctions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The schema of what users do not see: made with the first feature, dropped with the last one, and never one of another program. */
@PostgresTest
class InternalSchemaTest {
    private static final String THERE =
            "SELECT COALESCE(string_agg(nspname, ' ' ORDER BY nspname), 'none') FROM pg_namespace WHERE nspname ~ 'howdah|acme'";

    private final TestDatabase database;

    InternalSchemaTest(TestDatabase database) {
        this.database = database;
    }

    private void assertRefused(String schema) throws SQLException {
        String before = database.value(THERE);
        try (Connection connection = database.connect()) {
            assertThatThrownBy(() -> Jobs.install(connection, schema))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("the schema " + schema + "_internal is not of Howdah")
                    .hasMessageContaining("only if it is empty");
        }
        assertThat(database.value(THERE)).isEqualTo(before);
    }

    @Test
    void schemaWithATable_isRefusedAndLeftAsItIs() throws SQLException {
        database.execute(
                "CREATE SCHEMA howdah_internal CREATE TABLE mine (a int); INSERT INTO howdah_internal.mine VALUES (1)");
        assertRefused("howdah");
        assertThatThrownBy(() -> database.execute(Jobs.schema())).hasMessageContaining("is not of Howdah");
        assertThat(database.value("SELECT a FROM howdah_internal.mine")).isEqualTo("1");
        try (Connection connection = database.connect()) {
            Jobs.install(connection, "acme");
        }
        assertThat(database.value(THERE)).isEqualTo("acme acme_internal howdah_internal");
    }

    @Test
    void schemaWithAFunctionOrAType_isRefused() throws SQLException {
        database.execute(
                "CREATE SCHEMA acme_internal; CREATE FUNCTION acme_internal.ring(integer) RETURNS integer LANGUAGE sql AS 'SELECT 1'");
        assertRefused("acme");
        database.execute("DROP FUNCTION acme_internal.ring(integer); CREATE TYPE acme_internal.mood AS ENUM ('good')");
        assertRefused("acme");
    }

    @Test
    void emptySchema_isTakenFromItsOwnRoleAlone() throws SQLException {
        String stranger = database.name() + "_stranger";
        database.execute("CREATE ROLE " + stranger + "; CREATE SCHEMA howdah_internal AUTHORIZATION " + stranger);
        try {
            assertRefused("howdah");
            database.execute("ALTER SCHEMA howdah_internal OWNER TO CURRENT_USER");
            try (Connection connection = database.connect()) {
                Jobs.install(connection);
            }
        } finally {
            database.execute("DROP ROLE " + stranger);
        }
    }

    @Test
    void schemaThatUsersSee_ofARoleThatCouldPutItsFunctionsThere_isRefused() throws SQLException {
        String stranger = database.name() + "_stranger";
        String member = database.name() + "_member";
        database.execute("CREATE ROLE " + stranger + "; CREATE ROLE " + member + " LOGIN; GRANT " + stranger + " TO "
                + member + "; CREATE SCHEMA howdah AUTHORIZATION " + stranger + "; CREATE TABLE howdah.own (a int)");
        try {
            refused(stranger);
            // On PostgreSQL 16 and newer it cannot become a superuser.
            database.execute("ALTER ROLE " + stranger + " CREATEROLE");
            refused(stranger);
            database.execute("DROP TABLE howdah.own; ALTER SCHEMA howdah OWNER TO CURRENT_USER;"
                    + " CREATE FUNCTION howdah.add(queue text, kind text) RETURNS integer LANGUAGE sql AS 'SELECT 1';"
                    + " ALTER FUNCTION howdah.add(text, text) OWNER TO " + stranger);
            refused(stranger);
            assertThatThrownBy(() -> database.execute(Processes.schema())).hasMessageContaining(stranger);
            database.execute("DROP FUNCTION howdah.add(text, text); ALTER SCHEMA howdah OWNER TO " + stranger
                    + "; GRANT CREATE ON DATABASE " + database.name() + " TO " + stranger);
            // A member of the role that owns the schema, which gains it nothing.
            try (Connection connection = database.connect()) {
                try (var statement = connection.createStatement()) {
                    statement.execute("SET SESSION AUTHORIZATION " + member);
                }
                Jobs.install(connection);
            }
        } finally {
            database.execute(
                    "DROP OWNED BY " + member + ", " + stranger + " CASCADE; DROP ROLE " + member + ", " + stranger);
        }
    }

    @Test
    void schemaInWhichOthersMayCreate_isRefused() throws SQLException {
        String stranger = database.name() + "_stranger";
        database.execute(
                "CREATE ROLE " + stranger + "; CREATE SCHEMA howdah; GRANT CREATE ON SCHEMA howdah TO " + stranger);
        try {
            refused(stranger);
            database.execute(
                    "REVOKE CREATE ON SCHEMA howdah FROM " + stranger + "; GRANT CREATE ON SCHEMA howdah TO PUBLIC");
            refused("PUBLIC");
            database.execute("REVOKE CREATE ON SCHEMA howdah FROM PUBLIC; CREATE SCHEMA howdah_internal;"
                    + " GRANT CREATE ON SCHEMA howdah_internal TO " + stranger);
            try (Connection connection = database.connect()) {
                assertThatThrownBy(() -> Jobs.install(connection)).hasMessageContaining("belongs to " + stranger);
                database.execute("REVOKE CREATE ON SCHEMA howdah_internal FROM " + stranger);
                Jobs.install(connection);
            }
        } finally {
            database.execute("DROP OWNED BY " + stranger + "; DROP ROLE " + stranger);
        }
    }

    @Test // what the daemon has made goes on, and it cannot put anything else there
    void schemaOfADaemon_withItsMarksAndFunctions_isTakenByASuperuser() throws SQLException {
        String role = database.name() + "_daemon";
        database.execute(
                "CREATE ROLE " + role + " LOGIN CREATEROLE; GRANT CREATE ON DATABASE " + database.name() + " TO "
                        + role + "; GRANT ALL ON SCHEMA public TO " + role + "; ALTER DATABASE " + database.name()
                        + " SET pg_task.functions = on; SET SESSION AUTHORIZATION " + role + "; CREATE SCHEMA howdah;"
                        + " CREATE VIEW howdah.paused AS SELECT true AS paused; COMMENT ON VIEW howdah.paused IS 'noted';"
                        + " CREATE VIEW howdah.served AS SELECT rolpassword AS served FROM pg_catalog.pg_authid;"
                        + " COMMENT ON VIEW howdah.served IS 'this one'; RESET SESSION AUTHORIZATION");
        try {
            makeFunctionsOfTasks(role);
            String functions =
                    "SELECT count(*) FROM pg_proc WHERE pronamespace = 'howdah'::regnamespace AND proowner = '" + role
                            + "'::regrole";
            String made = database.value(functions);
            assertThat(Integer.parseInt(String.valueOf(made))).isGreaterThan(30);
            try (Connection connection = database.connect()) {
                Jobs.install(connection);
            }
            assertThat(database.value(functions)).isEqualTo(made);
            assertThat(
                            database.value(
                                    "SELECT string_agg(concat_ws(' ', relname, relowner = '" + role + "'::regrole,"
                                            + " obj_description(oid, 'pg_class'), pg_get_viewdef(oid) ~ 'pg_authid'), ', ' ORDER BY relname)"
                                            + " FROM pg_class WHERE relnamespace = 'howdah'::regnamespace AND relname IN ('paused', 'served')"))
                    .isEqualTo("paused f noted f, served f this one f");
            try (Connection connection = database.connect();
                    var statement = connection.createStatement()) {
                statement.execute("SET SESSION AUTHORIZATION " + role);
                for (String evil : List.of(
                        "CREATE OR REPLACE FUNCTION howdah.pause(text, text) RETURNS void LANGUAGE sql AS ''",
                        "CREATE FUNCTION howdah.add(text, text, json) RETURNS void LANGUAGE sql AS ''",
                        "ALTER FUNCTION howdah.cron_list RENAME TO pause"))
                    assertThatThrownBy(() -> statement.execute(evil))
                            .hasMessageContaining("permission denied for schema");
                statement.execute("CREATE TABLE public.work (a int)");
                statement.execute("SELECT howdah.writers('public.work')");
            }
        } finally {
            database.execute("DROP OWNED BY " + role + " CASCADE; DROP ROLE " + role);
        }
    }

    private void makeFunctionsOfTasks(String role) throws SQLException {
        try (Connection connection = database.connect();
                var statement = connection.createStatement()) {
            statement.execute("SET SESSION AUTHORIZATION " + role);
            new TaskFunctions(connection).complete();
        }
    }

    private void refused(String owner) throws SQLException {
        try (Connection connection = database.connect()) {
            assertThatThrownBy(() -> Jobs.install(connection))
                    .hasMessageContaining("belongs to " + owner)
                    .hasMessageContaining("ALTER SCHEMA howdah OWNER TO CURRENT_USER");
            assertThatThrownBy(() -> Sweep.install(connection)).hasMessageContaining("belongs to " + owner);
        }
        assertThat(database.value(THERE)).isEqualTo("howdah");
    }

    @Test
    void schema_goesWithTheLastFeature() throws SQLException {
        try (Connection connection = database.connect()) {
            Sweep.install(connection);
            assertThat(database.value(THERE)).isEqualTo("howdah howdah_internal");
            Jobs.install(connection);
            Processes.install(connection);
            Sweep.uninstall(connection, false);
            Jobs.uninstall(connection, false);
            assertThat(database.value(THERE)).isEqualTo("howdah howdah_internal");
            Processes.uninstall(connection, "howdah", false);
            assertThat(database.value(THERE)).isEqualTo("none");
            Jobs.install(connection);
            database.execute("CREATE TABLE howdah.mine (a int)");
            Jobs.uninstall(connection, false);
        }
        assertThat(database.value(THERE)).isEqualTo("howdah");
        assertThat(database.value(
                        "SELECT string_agg(relname, ' ') FROM pg_class WHERE relnamespace = 'howdah'::regnamespace"))
                .isEqualTo("mine");
    }

    @Test // they have the same versions
    void tables_ofABuildThatHadAllInOneSchema_areRefusedAndCanBeRemoved() throws SQLException {
        database.execute(
                "CREATE SCHEMA howdah; CREATE TABLE howdah.migration (feature text NOT NULL, version integer NOT NULL,"
                        + " file text, needs integer NOT NULL DEFAULT 0, made timestamptz NOT NULL DEFAULT now(),"
                        + " PRIMARY KEY (feature, version)); INSERT INTO howdah.migration (feature, version) VALUES ('job', 1), ('node', 1);"
                        + " CREATE TABLE howdah.node (id integer); CREATE TABLE howdah.job (id integer);"
                        + " CREATE TABLE howdah.schedule (id integer); INSERT INTO howdah.job VALUES (1)");
        String sentence =
                "the tables in the schema howdah (job 1, node 1) were made by an unreleased version of Howdah, and cannot be brought up to date";
        try (Connection connection = database.connect()) {
            assertThatThrownBy(() -> Jobs.install(connection)).hasMessageContaining(sentence);
            assertThatThrownBy(() -> Jobs.uninstall(connection, false)).hasMessageContaining(sentence);
            assertThat(database.value("SELECT count(*) FROM howdah.job")).isEqualTo("1");
            Jobs.uninstall(connection, true);
            assertThat(database.value(THERE)).isEqualTo("none");
            Jobs.install(connection);
        }
    }
}
