package dev.howdah.internal.options;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.internal.text.NameText;
import dev.howdah.spi.Metrics;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The options of a node: the data sources, the name, the shutdown timeout and the metrics. Not safe for use by many threads. */
public final class NodeOptions {
    private static final int LONGEST_NAME = 200;
    private static final Duration LONGEST_TIMEOUT = Duration.ofDays(366L * 1000);
    private static final int PREPARATIONS = 3;

    private ConnectionSource source;
    private ConnectionSource sessions;
    private String name = "pid " + ProcessHandle.current().pid();
    private @Nullable String version = NodeOptions.class.getPackage().getImplementationVersion();
    private Duration shutdownTimeout = Duration.ofSeconds(30);
    private Metrics metrics = Metrics.none();

    public NodeOptions(DataSource source) {
        this.source = ConnectionSource.of(source);
        this.sessions = this.source;
    }

    /** What has to be done on the database before a program starts. */
    public interface Preparation<T> {
        T run() throws SQLException;
    }

    /**
     * Prepares the start of a program. Pools lend a connection that was in use a moment ago without a test, also one that has ended since, as
     * all have in a failover: a connection that is lost is replaced a few times.
     *
     * @param preparation can be repeated
     */
    public static <T> T prepare(Preparation<T> preparation) throws SQLException {
        for (int i = 1; ; i++) {
            try {
                return preparation.run();
            } catch (SQLException e) {
                if (i == PREPARATIONS || !SqlErrors.isSessionEnded(e)) throw e;
            }
        }
    }

    /** Where calls borrow connections. */
    public ConnectionSource source() {
        return source;
    }

    /** Where kept connections come from; the same as {@link #source} unless it was set. */
    public ConnectionSource sessions() {
        return sessions;
    }

    /** @throws IllegalArgumentException if an installation cannot have that name */
    public void schema(String name) {
        SchemaName schema = SchemaName.of(name);
        boolean shared = sessions == source;
        source = source.in(schema);
        sessions = shared ? source : sessions.in(schema);
    }

    public void sessions(DataSource direct) {
        sessions = source.beside(direct);
    }

    /** In tables and logs. */
    public String name() {
        return name;
    }

    /** @throws IllegalArgumentException if it is empty, longer than 200 characters, or has a control character */
    public void name(String text) {
        name = checked("the name of a node", text);
    }

    /** Of the program. */
    public @Nullable String version() {
        return version;
    }

    /** @throws IllegalArgumentException if it is empty, longer than 200 characters, or has a control character */
    public void version(String text) {
        version = checked("the version of a node", text);
    }

    private static String checked(String what, String text) {
        int length = text.codePointCount(0, text.length());
        if (length < 1 || length > LONGEST_NAME || text.indexOf('\0') >= 0) {
            String shown = text.replace("\0", "\\0");
            throw new IllegalArgumentException(what + " has 1 to " + LONGEST_NAME + " characters, none of them 0; not "
                    + length
                    + (length == 0 ? "" : ": " + (shown.length() > 40 ? shown.substring(0, 40) + "..." : shown)));
        }
        return NameText.check(what, text);
    }

    public Duration shutdownTimeout() {
        return shutdownTimeout;
    }

    /** @throws IllegalArgumentException as {@link #checkTimeout} */
    public void shutdownTimeout(Duration time) {
        shutdownTimeout = checkTimeout(time);
    }

    /** @throws IllegalArgumentException if the time is negative or longer than a thousand years */
    public static Duration checkTimeout(Duration time) {
        if (time.isNegative() || time.compareTo(LONGEST_TIMEOUT) > 0)
            throw new IllegalArgumentException(
                    "a shutdown timeout of " + time + ": it has to be zero to a thousand years");
        return time;
    }

    public Metrics metrics() {
        return metrics;
    }

    public void metrics(Metrics to) {
        metrics = Objects.requireNonNull(to, "metrics are needed, not null: Metrics.none() discards them");
    }
}
