package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.cli.ListOptions;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Installation;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Listing;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.console.Times;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.DaemonSql;
import dev.howdah.daemon.database.JobsFailure;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.internal.connection.SchemaConnection;
import dev.howdah.internal.error.PlainText;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.JobAdmin;
import dev.howdah.job.Jobs;
import dev.howdah.job.JobsException;
import dev.howdah.job.query.JobSummary;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** Asks the database about jobs, and prints what it says. */
final class JobQueries {
    private static final Set<String> ENDS = Set.of("done", "failed", "cancelled");
    /** A call waits so long at most: it keeps the server from cleaning up meanwhile. */
    private static final long WAIT_MILLIS = 20_000;

    private static final Set<Integer> NUMBERS = Set.of(Types.BIGINT, Types.INTEGER, Types.SMALLINT, Types.NUMERIC);

    private final CommandTarget target;
    private final SchemaName schema;
    private final Terminal terminal;

    private JobQueries(CommandTarget target, SchemaName schema, Terminal terminal) {
        this.target = target;
        this.schema = schema;
        this.terminal = terminal;
    }

    /** The one of the database that the command's settings name. */
    static JobQueries of(CommandSpec command, Terminal terminal) {
        Configuration configuration = ConfigurationOptions.read(command, terminal);
        return new JobQueries(
                CommandTarget.of(configuration, terminal.environment()), Installation.of(configuration), terminal);
    }

    private Connection connect() throws SQLException {
        return SchemaConnection.of(target.database().connect(), schema);
    }

    /** Reads the rows of an answer. */
    private interface Reader {
        void read(ResultSet rows, ResultSetMetaData columns) throws SQLException;
    }

    private void ask(String name, Reader reader, @Nullable Object... values) {
        Sql sql = DaemonSql.JOBS.statement(name);
        try (Connection connection = connect();
                PreparedStatement statement = sql.prepare(connection, values);
                ResultSet rows = statement.executeQuery()) {
            reader.read(rows, rows.getMetaData());
        } catch (SQLException e) {
            throw failure(e);
        }
    }

    /** Does something by a connection. */
    interface Work<T> {
        T with(Connection connection) throws SQLException;
    }

    /** Does something in the database. */
    <T> T with(Work<T> work) {
        try (Connection connection = connect()) {
            return work.with(connection);
        } catch (SQLException e) {
            throw failure(e);
        }
    }

    private CliException failure(SQLException e) {
        return JobsFailure.of(e, target, schema);
    }

    /** The one row of an answer, by column. */
    Map<String, @Nullable String> one(String name, @Nullable Object... values) {
        Map<String, @Nullable String> found = new LinkedHashMap<>();
        ask(
                name,
                (rows, columns) -> {
                    if (!rows.next()) return;
                    for (int i = 1; i <= columns.getColumnCount(); i++)
                        found.put(columns.getColumnLabel(i), rows.getString(i));
                },
                values);
        return found;
    }

    /** Prints all columns of an answer. */
    int list(ListOptions options, String name, @Nullable Object... values) {
        ask(
                name,
                (rows, columns) -> {
                    Listing<Map<String, @Nullable Object>> listing = listing(columns);
                    Listing<Map<String, @Nullable Object>>.Rows printed = options.begin(terminal, listing);
                    while (rows.next()) printed.add(object(rows, columns));
                    printed.end();
                },
                values);
        return 0;
    }

    private static Listing<Map<String, @Nullable Object>> listing(ResultSetMetaData columns) throws SQLException {
        Listing<Map<String, @Nullable Object>> listing = new Listing<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            String label = columns.getColumnLabel(i);
            if (NUMBERS.contains(columns.getColumnType(i))) listing.number(label, row -> (Number) row.get(label));
            else listing.text(label, row -> row.get(label));
        }
        return listing;
    }

    private static Map<String, @Nullable Object> object(ResultSet rows, ResultSetMetaData columns) throws SQLException {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            String text = rows.getString(i);
            Object value = text;
            String type = columns.getColumnTypeName(i);
            if (text != null && columns.getColumnType(i) == Types.NUMERIC) value = rows.getBigDecimal(i);
            else if (text != null && NUMBERS.contains(columns.getColumnType(i))) value = rows.getLong(i);
            else if (text != null && columns.getColumnType(i) == Types.BIT) value = text.equals("t");
            else if (text != null && type.startsWith("json")) value = new Json.Document(text);
            else if (text != null && type.equals("timestamptz")) value = Times.instant(rows, i);
            object.put(columns.getColumnLabel(i), value);
        }
        return object;
    }

    /**
     * Waits for the end of a job and prints what came of it.
     *
     * @param timeout null: for ever
     * @return 0 if it is done
     */
    int await(long id, @Nullable Duration timeout, boolean json) {
        long begun = System.nanoTime();
        while (true) {
            long left = timeout == null ? Long.MAX_VALUE : timeout.toMillis() - (System.nanoTime() - begun) / 1_000_000;
            Map<String, @Nullable String> job = one("command_wait", id, Math.max(0, Math.min(left, WAIT_MILLIS)));
            String state = String.valueOf(job.get("state"));
            boolean ended = ENDS.contains(state);
            if (!ended && left > WAIT_MILLIS) continue;
            String error = job.get("error");
            if (json) {
                Map<String, @Nullable Object> fields = new LinkedHashMap<>();
                fields.put("id", id);
                fields.put("state", state);
                fields.put("result", job.get("result") == null ? null : new Json.Document(job.get("result")));
                fields.put("error", error);
                terminal.out().println(Json.line(fields));
            } else if (job.get("result") != null) terminal.out().println(PlainText.of(job.get("result")));
            if (!ended) throw CliException.failed("job " + id + " has not ended, it is " + state);
            if (state.equals("done")) return 0;
            throw CliException.failed("job " + id + " is " + state
                    + (error == null ? "" : ": " + error.lines().findFirst().orElse("")));
        }
    }

    /**
     * Does something with jobs that exist.
     *
     * @throws CliException that says what went wrong
     */
    <T> T admin(Function<JobAdmin, T> call) {
        try {
            return call.apply(Jobs.on(new SessionSource(target.database()))
                    .schema(schema.name())
                    .admin());
        } catch (JobsException e) {
            throw e.getCause() instanceof SQLException cause ? failure(cause) : CliException.failed(text(e), e);
        } catch (IllegalArgumentException e) {
            throw CliException.usage(text(e));
        }
    }

    private static String text(Exception e) {
        return String.valueOf(e.getMessage());
    }

    /** @throws CliException if there is no such job */
    JobSummary find(long id) {
        return admin(admin -> admin.find(id)).orElseThrow(() -> CliException.failed(missing(id)));
    }

    String missing(long id) {
        return "there is no job " + id + " in " + target.database().describe() + ", or its history is gone";
    }

    CliException noSchedule(String name) {
        return CliException.failed(
                "there is no schedule \"" + name + "\" in " + target.database().describe());
    }

    /** Removes the tables of jobs. */
    void uninstall(boolean force) {
        try (Connection connection = connect()) {
            Jobs.uninstall(connection, schema.name(), force);
            terminal.out().println("the tables of jobs are gone");
        } catch (JobsException e) {
            throw CliException.failed(e.getMessage() + "; --force removes the tables all the same");
        } catch (SQLException e) {
            throw failure(e);
        }
    }

    /** Makes the tables of jobs, or brings them up to date. */
    void install() {
        try (Connection connection = connect()) {
            Jobs.install(connection, schema.name());
            terminal.out().println("the tables of jobs are up to date");
        } catch (SQLException e) {
            throw SqlFailure.of(e, target);
        }
    }
}
