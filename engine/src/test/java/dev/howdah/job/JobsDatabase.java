package dev.howdah.job;

import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** A database with jobs under test: how to reach it, what waits there, and what its history says. */
public final class JobsDatabase {
    /** How long something may take that normally takes milliseconds. */
    static final Duration PATIENCE = Patience.LIMIT;

    /** Every attempt there ever was, whatever became of it; the letter is NULL while its batch is open. */
    private static final String ATTEMPTS = """
            SELECT u.id AS job, b.id AS batch, b.node, b.kind, b.taken, b.ended,
                CASE WHEN b.ended IS NOT NULL THEN COALESCE(substr(b.outcomes, u.n::integer, 1), 'd') END AS letter,
                b.taken + b.begins[u.n] * interval '1 microsecond' AS begun, b.runs[u.n] AS ran,
                b.details -> u.id::text ->> 'error' AS error, b.details -> u.id::text -> 'result' AS result
            FROM howdah_internal.batch b CROSS JOIN LATERAL unnest(b.ids) WITH ORDINALITY AS u (id, n)
            """;

    private final TestDatabase database;

    private JobsDatabase(TestDatabase database) {
        this.database = database;
    }

    /** Makes the tables as well. */
    static JobsDatabase in(TestDatabase database) {
        return new JobsDatabase(filled(database));
    }

    /** The same database, with the tables of jobs. */
    static TestDatabase filled(TestDatabase database) {
        database.fill("jobs", made -> Jobs.on(source(made.uri())).start().close());
        return database;
    }

    /** What a user would pass on: each connection is a new session. */
    PGSimpleDataSource source() {
        return source(database.uri());
    }

    /** What the library gets: the same, or a pool of such sessions, see {@link TestDatabase#dataSource}. */
    DataSource dataSource() {
        return dataSource(database);
    }

    static DataSource dataSource(TestDatabase database) {
        return database.dataSource(source(database.uri()));
    }

    /** @param uri as {@link TestDatabase#uri} gives it */
    static PGSimpleDataSource source(String uri) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:postgresql://"
                + uri.substring("postgresql://postgres@".length())
                + "?user=postgres&ApplicationName=jobs");
        return source;
    }

    /** The same as that role. */
    static PGSimpleDataSource as(TestDatabase database, String role) {
        PGSimpleDataSource source = source(database.uri());
        source.setUser(role);
        return source;
    }

    /** Runs SQL in a session of its own. */
    static void run(PGSimpleDataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    JobsBuilder jobs() {
        return Jobs.on(dataSource());
    }

    String uri() {
        return database.uri();
    }

    /** For calls that are given a connection: read committed, whatever the level of the database is. */
    Connection connect() throws SQLException {
        Connection own = source().getConnection();
        own.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        return own;
    }

    void execute(String sql) {
        database.execute(sql);
    }

    long number(String sql) {
        return Long.parseLong(text(sql));
    }

    String text(String sql) {
        return Objects.requireNonNull(database.value(sql), sql);
    }

    List<List<@Nullable String>> rows(String sql) {
        return database.query(sql);
    }

    /** How many jobs wait, in whatever lane. */
    long waiting() {
        return number("SELECT count(*) FROM howdah_internal.job");
    }

    /** How many attempts ended with one of these letters, see {@code howdah_internal.batch.outcomes}. */
    long ended(String letters) {
        return number("SELECT count(*) FROM (" + ATTEMPTS + ") a WHERE strpos('" + letters + "', a.letter) > 0");
    }

    /** How often each done job was done: nothing but "1" is right. */
    List<String> timesDone() {
        List<String> times = new ArrayList<>();
        for (List<@Nullable String> row :
                rows("SELECT DISTINCT count(*) FROM (" + ATTEMPTS + ") a WHERE a.letter = 'd' GROUP BY a.job"))
            times.add(String.valueOf(row.get(0)));
        return times;
    }

    /** What became of the attempts of a job, in their order, a letter for each; that it moved to another batch is none. */
    String letters(long job) {
        return text("SELECT COALESCE(string_agg(COALESCE(a.letter, '?'), '' ORDER BY a.batch), '') FROM (" + ATTEMPTS
                + ") a WHERE a.letter IS DISTINCT FROM 'm' AND a.job = " + job);
    }

    /** Something about the last attempt of a job: a column of {@link #ATTEMPTS} or an expression of some. */
    String attempt(long job, String expression) {
        return text("SELECT " + expression + " FROM (" + ATTEMPTS + ") a WHERE a.job = " + job
                + " ORDER BY a.batch DESC LIMIT 1");
    }

    /** Something about a job that has failed or was cancelled. */
    String failed(long job, String expression) {
        return text("SELECT " + expression + " FROM howdah_internal.failed f WHERE f.id = " + job);
    }

    public static ConditionFactory awaiting(String what) {
        return await(what).atMost(PATIENCE).pollInSameThread().pollInterval(Duration.ofMillis(10));
    }

    /** Waits until the query answers so. */
    static void awaitValue(TestDatabase database, String sql, String answer) {
        awaiting(sql + " says " + answer).until(() -> String.valueOf(database.value(sql)), answer::equals);
    }

    void awaitFailed(long job) {
        awaiting("job " + job + " has failed")
                .until(() -> number("SELECT count(*) FROM howdah_internal.failed WHERE id = " + job) == 1);
    }

    void awaitLetters(long job, String letters) {
        awaiting("attempts of job " + job + " ended " + letters)
                .until(() -> counting(letters(job)), counting(letters)::equals);
    }

    /** Where transactions may meet conflicts, they put a job back without counting its attempt: how often is not known. */
    private static String counting(String letters) {
        return TestServer.isReadCommitted() ? letters : letters.replace("s", "");
    }

    /** Waits until nothing waits any more, and nothing is leased. */
    void awaitEmpty() {
        awaiting("no job is left")
                .until(() -> number("SELECT (SELECT count(*) FROM howdah_internal.job)"
                                + " + (SELECT count(*) FROM howdah_internal.batch WHERE ended IS NULL)")
                        == 0);
    }
}
