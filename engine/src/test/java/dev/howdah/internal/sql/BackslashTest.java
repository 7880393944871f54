package dev.howdah.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.internal.store.JobSchema;
import dev.howdah.process.internal.store.ProcessSchema;
import dev.howdah.sweep.internal.store.SweepSchema;
import dev.howdah.task.TaskRights;
import dev.howdah.task.internal.store.TableName;
import dev.howdah.task.internal.table.TableInstaller;
import dev.howdah.task.internal.table.TaskFunctions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** SQL means the same with {@code standard_conforming_strings} on and off, for the database and for sessions that call functions. */
@PostgresTest
class BackslashTest {
    /** Comments and quoted names; strings with escapes; plain strings. Bodies in dollar quotes are SQL as well. */
    private static final Pattern PIECES = Pattern.compile(
            "--[^\\n]*+|/\\*.*?\\*/|\"[^\"]*+\""
                    + "|\\b[eE]'[^'\\\\]*+(?:(?:''|\\\\.|'[ \\t]*\\n\\s*')[^'\\\\]*+)*+'"
                    + "|('[^']*+(?:''[^']*+)*+')",
            Pattern.DOTALL);

    @Test
    void plainLiterals_haveNoBackslashes() throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of("src/main/resources"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".sql")).toList())
                PIECES.matcher(Files.readString(file))
                        .results()
                        .filter(piece ->
                                piece.group(1) != null && piece.group(1).contains("\\"))
                        .forEach(piece -> found.add(file.getFileName() + ": " + piece.group(1)));
        }
        assertThat(found).isEmpty();
    }

    @Test
    void tables_madeWhereBackslashesEscape_areAsElsewhere(TestDatabase database) throws SQLException {
        String usual = catalog();
        database.execute("ALTER DATABASE " + database.name() + " SET standard_conforming_strings = off");
        assertThat(make(database)).isEqualTo(usual);
        database.execute("INSERT INTO task (input, cron) VALUES ('SELECT 1', '*/5 * * * *')");
        assertThat(database.value("SELECT \"null\" FROM task")).isEqualTo("\\N");
    }

    private static String catalog() throws SQLException {
        try (TestDatabase other = TestDatabase.create()) {
            return make(other);
        }
    }

    /** Bodies of functions, checks and defaults. */
    private static String make(TestDatabase database) throws SQLException {
        try (Connection connection = database.connect()) {
            connection.createStatement().execute("SET pg_task.functions = 'on'");
            new TableInstaller(connection, new TableName("public", "task"), TaskRights.OWNER, false).complete();
            new TaskFunctions(connection).complete();
            for (Migrations each : List.of(JobSchema.MIGRATIONS, ProcessSchema.MIGRATIONS, SweepSchema.MIGRATIONS))
                each.migrate(connection);
            connection.createStatement().execute("SET standard_conforming_strings = on");
            try (var row = connection
                    .createStatement()
                    .executeQuery("SELECT string_agg(x.o, E'\\n' ORDER BY x.o COLLATE \"C\")"
                            + " FROM (SELECT p.oid::regprocedure || p.prosrc FROM pg_proc p WHERE p.pronamespace IN ('public'::regnamespace,"
                            + " 'howdah'::regnamespace, 'howdah_internal'::regnamespace) UNION ALL SELECT conrelid::regclass || conname || pg_get_constraintdef(oid)"
                            + " FROM pg_constraint WHERE connamespace IN ('public'::regnamespace, 'howdah'::regnamespace, 'howdah_internal'::regnamespace)"
                            + " UNION ALL SELECT adrelid::regclass || pg_get_expr(adbin, adrelid) FROM pg_attrdef"
                            + " UNION ALL SELECT pg_get_viewdef(oid) FROM pg_class WHERE relkind = 'v' AND relnamespace IN ("
                            + " 'howdah'::regnamespace, 'howdah_internal'::regnamespace)) x (o)")) {
                row.next();
                // Partitions have the date in their names.
                return row.getString(1).replace(database.name(), "");
            }
        }
    }
}
