package dev.howdah.daemon.work;

import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.internal.run.Threads;
import dev.howdah.internal.sql.NumberedParameters;
import dev.howdah.internal.sql.TransactionControl;
import dev.howdah.internal.text.StorableText;
import dev.howdah.job.FatalException;
import dev.howdah.job.Job;
import dev.howdah.job.JobsException;
import dev.howdah.job.Kind;
import dev.howdah.job.TransactionalHandler;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * Jobs of kind sql: {@code {"sql": "UPDATE account SET cents = cents + $1 WHERE id = $2", "parameters": [100, 7]}}, run in
 * the job's own transaction. Parameters travel beside the statement, as text that PostgreSQL reads for the type it
 * wants there, and never in it. With {@code "result": true} the result is the JSON value of the last statement, else
 * its number of rows.
 */
public final class SqlJob implements TransactionalHandler<String>, AutoCloseable {
    public static final Kind<String> KIND = Kind.of("sql", String.class);

    private static final Set<String> KEYS = Set.of("sql", "parameters", "result");

    /** What no later attempt will change: no syntax, no such parameter, no type for one. */
    private static final Set<String> HOPELESS = Set.of("42601", "42P02", "42P18");

    private static final long CANCEL_SECONDS = 10;

    /** Threads whose interruption does not break the connection, as it does where threads are virtual. */
    private final ExecutorService threads =
            Executors.newCachedThreadPool(work -> Threads.daemon("howdah-job-sql", work));

    @Override
    public void handle(String payload, Job job, Connection connection) throws Exception {
        JobPayload read = JobPayload.of("sql", payload, KEYS);
        String sql = read.text("sql");
        List<@Nullable String> values = read.list("parameters");
        if (sql.indexOf('\0') >= 0 || values.stream().anyMatch(each -> each != null && each.indexOf('\0') >= 0))
            throw new FatalException("there is a character 0 in its payload, which PostgreSQL has in no text");
        boolean keepsValue = read.flag("result");
        Future<String> result = threads.submit(() -> run(connection, sql, values, keepsValue));
        try {
            job.result(result.get());
        } catch (InterruptedException e) {
            cancel(connection, result);
            throw e;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    /** An interrupt of the job ends the statement, too; the connection is the job's again when it has ended. */
    private static void cancel(Connection connection, Future<String> result) throws SQLException {
        boolean interrupted = false;
        for (int left = (int) CANCEL_SECONDS; left > 0 && !result.isDone(); left--) {
            connection.unwrap(PGConnection.class).cancelQuery();
            try {
                result.get(1, TimeUnit.SECONDS);
            } catch (TimeoutException | ExecutionException e) {
                // Once more, or over.
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (!result.isDone()) connection.unwrap(Connection.class).abort(Runnable::run);
        if (interrupted) Thread.currentThread().interrupt();
    }

    private static String run(Connection connection, String sql, List<@Nullable String> values, boolean keepsValue)
            throws SQLException {
        boolean plainBackslashes =
                !"off".equals(connection.unwrap(PGConnection.class).getParameterStatus("standard_conforming_strings"));
        String ends = TransactionControl.find(sql, plainBackslashes);
        if (ends != null)
            throw new FatalException("the statement must not end its transaction, which is the job's: " + ends);
        NumberedParameters parameters = parameters(sql, plainBackslashes, values.size());
        try (PreparedStatement statement = connection.prepareStatement(parameters.jdbc())) {
            statement.setEscapeProcessing(false);
            for (int i = 0; i < parameters.order().size(); i++) {
                String value = values.get(parameters.order().get(i) - 1);
                // Of no type: the server finds out what it has to be.
                if (value == null) statement.setNull(i + 1, Types.NULL);
                else statement.setObject(i + 1, StorableText.check(value), Types.OTHER);
            }
            // Rows are counted, and not kept.
            statement.setFetchSize(1_000);
            SqlResult result = SqlResult.of(statement, statement.execute(), keepsValue);
            return keepsValue ? result.value() : "{\"rows\":" + result.rows() + "}";
        } catch (SQLException e) {
            String state = Objects.requireNonNullElse(e.getSQLState(), "");
            String message = SqlFailure.line(e) + (state.isEmpty() ? "" : " (" + state + ")");
            if (HOPELESS.contains(state)) throw new FatalException(message, e);
            throw new JobsException(message, e);
        }
    }

    private static NumberedParameters parameters(String sql, boolean plainBackslashes, int given) {
        NumberedParameters parameters;
        try {
            parameters = NumberedParameters.in(sql, plainBackslashes);
        } catch (IllegalArgumentException e) {
            throw new FatalException(String.valueOf(e.getMessage()), e);
        }
        if (parameters.highest() != given)
            throw new FatalException("the statement has " + parameters.highest() + " parameters, given are " + given);
        return parameters;
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
