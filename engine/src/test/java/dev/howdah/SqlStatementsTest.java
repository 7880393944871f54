package dev.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import dev.howdah.internal.sql.SqlFile;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every statement of every .sql file of the engine is accepted by PostgreSQL as it stands in the file. */
class SqlStatementsTest {
    /** Files without names of statements. */
    private static final String MIGRATION = ".*/\\d{3}-[^/]*\\.sql";
    /** Files that a migration includes. */
    private static final String PART = ".*/\\d{3}-[^/]*/[^/]*\\.sql";

    /** Refused where the server generates the column, which EveryMajorTest runs; of some versions, which HealthReaderTest runs. */
    private static final Set<String> OF_SOME_VERSIONS =
            Set.of("column_hash_before_12", "hash_fill", "check_checkpoints", "check_checkpoints_17");

    private static final Pattern INCLUDED = Pattern.compile("(?m)^\\\\ir (\\S+)$");

    static IntStream majors() {
        List<Integer> majors = TestServer.majors();
        return IntStream.of(majors.get(0), TestServer.NEWEST).distinct();
    }

    @ParameterizedTest
    @MethodSource("majors")
    void statements_ofAllFiles_areAccepted(int major) throws Exception {
        List<String> refused = new ArrayList<>();
        List<String> files = files();
        assertThat(files)
                .contains(
                        "/dev/howdah/task/internal/store/scheduler.sql",
                        "/dev/howdah/task/internal/store/task-table.sql");
        try (TestDatabase database = TestDatabase.create(TestServer.of(major));
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP SCHEMA public");
            for (String file : files) {
                if (file.matches(MIGRATION)) {
                    tryOut(statement, file, text(file), refused);
                    continue;
                }
                SqlFile sql = SqlFile.of(Database.class, file);
                for (String name : sql.names())
                    if (!OF_SOME_VERSIONS.contains(name)) tryOut(statement, file + " " + name, sql.text(name), refused);
            }
        }
        assertThat(refused).isEmpty();
    }

    private static String text(String file) throws IOException {
        String text;
        try (InputStream in = Objects.requireNonNull(Database.class.getResourceAsStream(file), file)) {
            text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        StringBuilder whole = new StringBuilder();
        Matcher line = INCLUDED.matcher(text);
        while (line.find()) {
            String part = text(file.replaceFirst("[^/]*$", Matcher.quoteReplacement(line.group(1))));
            line.appendReplacement(whole, Matcher.quoteReplacement(part));
        }
        return line.appendTail(whole).toString();
    }

    /** The files that make tables come first. */
    private static List<String> files() throws IOException, URISyntaxException {
        Path root = Path.of(Database.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (Stream<Path> paths = Files.walk(root)) {
            return paths.filter(path -> path.toString().endsWith(".sql"))
                    .filter(path -> !path.toString().replace('\\', '/').matches(PART))
                    .map(path -> "/" + root.relativize(path).toString().replace('\\', '/'))
                    .sorted(Comparator.comparing(
                                    (String file) -> !file.matches(".*/(migration\\.sql|[^/]*-table\\.sql|\\d+-[^/]*)"))
                            .thenComparing(SqlStatementsTest::version)
                            .thenComparing(file -> file))
                    .toList();
        }
    }

    private static int version(String file) {
        String number = file.replaceFirst(".*/(\\d*)[^/]*$", "$1");
        return number.isEmpty() ? 0 : Integer.parseInt(number);
    }

    private static void tryOut(Statement statement, String name, String text, List<String> refused) {
        String bare = text.replaceAll("(?m)^\\s*--.*$", "").strip();
        boolean prepared = bare.matches("(?s)(SELECT|WITH|INSERT|UPDATE|DELETE)\\b.*");
        try {
            statement.execute(prepared ? "PREPARE tried AS " + text : text);
            if (prepared) statement.execute("DEALLOCATE tried");
        } catch (SQLException e) {
            refused.add(name + ": " + e.getMessage());
        }
    }
}
