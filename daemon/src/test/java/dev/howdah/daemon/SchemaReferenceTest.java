package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.operations.store.ConsoleSchema;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweep;
import dev.howdah.task.internal.table.TaskFunctions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The schema {@code howdah} has what the reference documents, {@code howdah_internal} the rest. {@code docs/reference/schema.md} is made
 * of the comments in the database: with {@code -Dhowdah.write=true} this test writes it, else it compares.
 */
@PostgresTest
class SchemaReferenceTest {
    private static final Path FILE = Path.of("..", "docs", "reference", "schema.md");

    private static final String HEAD = """
            # Schema `howdah`

            All tables, views and functions of the schema `howdah`, with their comments in the database (`\\d+`, `\\df+` in psql). An
            [installation](../operations/install.md#two-installations-in-one-database) has its own in a schema of its name. Only
            features that are installed have theirs: [jobs](jobs-sql.md), [tasks](task-table.md) (where `pg_task.functions` is on),
            [processes](../guide/processes.md), [sweeps](../guide/sweeps.md), the [console](../guide/console-access.md).

            What is not here is in the schema `howdah_internal` (`NAME_internal` for an installation in a schema `NAME`). Only
            Howdah's programs use that; it changes without notice, and roles have privileges there by
            [`howdah.allow`](jobs-sql.md#privileges) and the lists in [privileges](../operations/privileges.md).
            """;

    private static final String OBJECTS = """
            WITH object (kind, called, said, shown) AS (
                SELECT CASE WHEN c.relkind IN ('r', 'p') THEN 'Tables' WHEN c.relkind = 'v' THEN 'Views'
                        ELSE 'Others' END,
                    c.relname::text,
                    -- Its comment says since when, by which role and why.
                    CASE WHEN c.relname = 'paused' THEN
                        'Is there while all is paused (howdah pause --all); its comment says since when, by which role and why.'
                        ELSE obj_description(c.oid, 'pg_class') END,
                    c.relname::text
                FROM pg_class c
                WHERE c.relnamespace = 'howdah'::regnamespace
                    AND c.relkind NOT IN ('i', 'I', 't')
                    -- The sequence of a column goes with its table.
                    AND NOT EXISTS (
                        SELECT FROM pg_depend d
                        WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('i', 'a'))
                UNION ALL
                SELECT 'Functions', p.proname::text, obj_description(p.oid, 'pg_proc'),
                    p.proname::text || '(' || COALESCE((
                        SELECT string_agg(a.name, ', ' ORDER BY a.n)
                        FROM unnest(p.proargnames) WITH ORDINALITY AS a (name, n)
                        WHERE a.n <= p.pronargs), '') || ')'
                FROM pg_proc p
                WHERE p.pronamespace = 'howdah'::regnamespace
                UNION ALL
                SELECT 'Types', t.typname::text, obj_description(t.oid, 'pg_type'), t.typname::text
                FROM pg_type t
                WHERE t.typnamespace = 'howdah'::regnamespace AND t.typrelid = 0 AND t.typelem = 0
            )
            """;

    private final TestDatabase database;

    SchemaReferenceTest(TestDatabase database) throws SQLException {
        this.database = database;
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET pg_task.functions = 'on'");
            new TaskFunctions(connection).complete();
            Jobs.install(connection);
            Processes.install(connection);
            Sweep.install(connection);
            ConsoleSchema.MIGRATIONS.migrate(connection);
        }
        CommandLineRun pause =
                CommandLineRun.of("", Map.of("HOME", "/nonexistent"), "pause", "--all", "--url", database.uri());
        assertThat(pause.exitCode()).as(pause.err()).isZero();
    }

    @Test
    void reference_hasEachObjectThatUsersSee() throws IOException {
        assertThat(database.query(OBJECTS + "SELECT DISTINCT kind, shown FROM object WHERE said IS NULL ORDER BY 1, 2"))
                .as("objects without a comment")
                .isEmpty();
        StringBuilder made = new StringBuilder(HEAD);
        String kind = "";
        for (List<@Nullable String> row : database.query(OBJECTS
                + "SELECT kind, shown, string_agg(DISTINCT said, ' ' ORDER BY said) FROM object GROUP BY kind, shown"
                + " ORDER BY kind, shown COLLATE \"C\"")) {
            if (!kind.equals(row.get(0))) {
                kind = String.valueOf(row.get(0));
                made.append("\n## ").append(kind).append("\n\n| name | comment |\n| --- | --- |\n");
            }
            made.append("| `howdah.")
                    .append(row.get(1))
                    .append("` | ")
                    .append(String.valueOf(row.get(2)).replace("|", "\\|"))
                    .append(" |\n");
        }
        if (Boolean.getBoolean("howdah.write")) Files.writeString(FILE, made);
        assertThat(Files.readString(FILE)).as("-Dhowdah.write=true writes it").isEqualTo(made.toString());
    }

    @Test
    void internal_isNothingToARoleWithoutADuty() {
        String stranger = database.name() + "_stranger";
        database.execute("CREATE ROLE " + stranger);
        try {
            assertThat(database.value("SELECT has_schema_privilege('" + stranger + "', 'howdah_internal', 'USAGE')"))
                    .isEqualTo("f");
            assertThat(database.query("""
                            SELECT c.oid::regclass::text
                            FROM pg_class c
                            WHERE c.relnamespace = 'howdah_internal'::regnamespace
                                AND c.relkind IN ('r', 'p', 'v', 'S')
                                AND CASE WHEN c.relkind = 'S' THEN has_sequence_privilege('%1$s', c.oid, 'USAGE, SELECT, UPDATE')
                                    ELSE has_any_column_privilege('%1$s', c.oid, 'SELECT, INSERT, UPDATE') END
                            UNION ALL
                            SELECT p.oid::regprocedure::text
                            FROM pg_proc p
                            WHERE p.pronamespace = 'howdah_internal'::regnamespace
                                AND has_function_privilege('%1$s', p.oid, 'EXECUTE')
                            """.formatted(stranger))).isEmpty();
        } finally {
            database.execute("DROP ROLE " + stranger);
        }
    }

    @Test
    void eachName_isInOneOfTheSchemas() {
        assertThat(database.query("""
                        SELECT c.relname FROM pg_class c WHERE c.relnamespace::regnamespace::text ~ '^howdah'
                        GROUP BY c.relname HAVING count(*) > 1
                        """)).isEmpty();
    }
}
