package dev.howdah.sweep;

import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** A database with a table of subscriptions: each is a mail to be sent. */
final class SweepDatabase {
    /** How long something may take that normally takes milliseconds. */
    static final Duration PATIENCE = Patience.LIMIT;

    private final TestDatabase database;

    private SweepDatabase(TestDatabase database) {
        this.database = database;
    }

    /** @param rows how many subscriptions */
    static SweepDatabase in(TestDatabase database, int rows) {
        database.execute(
                "CREATE TABLE subscription (id integer PRIMARY KEY, email text NOT NULL, last_mail_at timestamptz,"
                        + " mails integer NOT NULL DEFAULT 0);"
                        + " CREATE INDEX subscription_todo ON subscription (id) WHERE last_mail_at IS NULL;"
                        + " INSERT INTO subscription (id, email) SELECT i, 'p' || i || '@example.com' FROM generate_series(1, "
                        + rows + ") i; ANALYZE subscription");
        return new SweepDatabase(database);
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
                + "?user=postgres&ApplicationName=sweep");
        return source;
    }

    /** A mailing to everybody who has got no mail yet. */
    SweepBuilder mailing() {
        return Sweep.on(dataSource())
                .name("mailing")
                .table("subscription")
                .where("last_mail_at IS NULL")
                .key("id")
                .mark("last_mail_at = now(), mails = mails + 1");
    }

    String uri() {
        return database.uri();
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

    /** How many have got how many mails: {@code 1:100} is right where all have got one. */
    String mails() {
        return text("SELECT COALESCE(string_agg(mails || ':' || n, ' ' ORDER BY mails), '') FROM"
                + " (SELECT mails, count(*) AS n FROM subscription GROUP BY mails) m");
    }

    static ConditionFactory awaiting(String what) {
        return await(what).atMost(PATIENCE).pollInSameThread().pollInterval(Duration.ofMillis(10));
    }
}
