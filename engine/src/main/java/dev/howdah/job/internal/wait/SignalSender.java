package dev.howdah.job.internal.wait;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.TransactionSession;
import dev.howdah.internal.error.SqlErrorText;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.text.StorableText;
import dev.howdah.job.JobsException;
import dev.howdah.job.NewJob;
import dev.howdah.job.internal.insert.JobInserter;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobNames;
import dev.howdah.job.internal.store.JobPayloads;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.wait.Emission;
import dev.howdah.job.wait.NewSignal;
import dev.howdah.job.wait.SignalResult;
import dev.howdah.spi.PayloadCodec;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Sends signals and events. Safe for use by many threads. */
public final class SignalSender {
    private static final Sql SEND = JobSql.WAIT.statement("signal_send");
    private static final Sql EMIT = JobSql.WAIT.statement("job_event_emit");
    private static final Sql SEND_OR_ADD = JobSql.WAIT.statement("signal_send_or_add", OrAdd.class);
    private static final Sql SEND_BY_KEY = JobSql.WAIT.statement("signal_send_by_key");
    private static final Sql MAKE_TOKEN = JobSql.WAIT.statement("token_make");

    /**
     * The parameters of {@code signal_send_or_add} in {@code wait.sql}.
     *
     * @param payload of the signal
     * @param body the payload of the job that is added if none has the key
     * @param id of the signal, or null
     * @param once whether the signal counts only as the first of its name
     * @param delay in how many microseconds the job is due, or null
     * @param attempts how often it is tried, or null
     * @param timeout how many microseconds each attempt may take, or null
     */
    private record OrAdd(
            String queue,
            String kind,
            String key,
            String name,
            String payload,
            String body,
            @Nullable String id,
            boolean once,
            int priority,
            @Nullable Long delay,
            @Nullable Integer attempts,
            @Nullable Long timeout,
            @Nullable String options) {}

    private final ConnectionSource source;
    private final PayloadCodec codec;
    private final JobInserter callers;

    /** @param callers knows the transaction of the calling thread */
    public SignalSender(ConnectionSource source, PayloadCodec codec, JobInserter callers) {
        this.source = source;
        this.codec = codec;
        this.callers = callers;
    }

    /** In the transaction of the calling thread, or one of its own. */
    public SignalResult send(NewSignal signal) {
        if (callers.isJoining()) return callers.join(connection -> send(connection, signal));
        try (Connection connection = source.getConnection()) {
            return written(connection, signal);
        } catch (SQLException e) {
            throw failed(signal, e);
        }
    }

    /** Makes a token with which one signal can be sent; {@code 001-job/token.sql} says what it is. */
    public static String token(ConnectionSource source, long job, String name, Duration keep) {
        JobNames.checkNew("signal", name);
        long micros = Durations.micros(Durations.check(keep));
        if (micros == 0) throw new IllegalArgumentException("a token that is kept for " + keep + " could not be used");
        try (TransactionSession session = source.statementSession();
                PreparedStatement statement = MAKE_TOKEN.prepare(session.connection(), job, name, micros);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new JobsException(
                    "a token for signal \"" + name + "\" to job " + job + " is not made: " + SqlErrorText.of(e), e);
        }
    }

    /** An event, in the transaction of the calling thread, or one of its own. */
    public long emit(Emission event) {
        if (callers.isJoining()) return callers.join(connection -> emit(connection, event));
        try (Connection connection = source.getConnection()) {
            return written(connection, event);
        } catch (SQLException e) {
            throw failed(event, e);
        }
    }

    /** An event, in the transaction of that connection. */
    public long emit(Connection connection, Emission event) {
        try {
            return written(source.inSchema(connection), event);
        } catch (SQLException e) {
            throw failed(event, e);
        }
    }

    private long written(Connection connection, Emission event) throws SQLException {
        String payload = encoded(event.payload(), event.topic());
        try (PreparedStatement statement =
                        EMIT.prepare(connection, event.topic(), event.key(), payload, Durations.micros(event.kept()));
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    private String encoded(@Nullable Object given, String name) throws SQLException {
        if (given == null) return "null";
        String payload = codec.encode(given, new PayloadCodec.Subject(PayloadCodec.Use.SIGNAL, name));
        StorableText.check(payload);
        return payload;
    }

    private static JobsException failed(Emission event, SQLException e) {
        return new JobsException("event \"" + event.topic() + "\" was not emitted: " + SqlErrorText.of(e), e);
    }

    /** In the transaction of that connection. */
    public SignalResult send(Connection connection, NewSignal signal) {
        try {
            return written(source.inSchema(connection), signal);
        } catch (SQLException e) {
            throw failed(signal, e);
        }
    }

    private SignalResult written(Connection connection, NewSignal signal) throws SQLException {
        String payload = encoded(signal.payload(), signal.name());
        try (PreparedStatement statement = statement(connection, signal, payload);
                ResultSet row = statement.executeQuery()) {
            row.next();
            callers.meter().sent(row.getString(1));
            return SignalResult.valueOf(row.getString(1).toUpperCase(Locale.ROOT));
        }
    }

    private PreparedStatement statement(Connection connection, NewSignal signal, String payload) throws SQLException {
        String key = signal.key();
        if (key == null)
            return SEND.prepare(connection, signal.job(), signal.name(), payload, signal.id(), signal.isOnce());
        NewJob<?> created = signal.created();
        if (created == null)
            return SEND_BY_KEY.prepare(
                    connection,
                    signal.queue(),
                    signal.kind(),
                    signal.key(),
                    signal.name(),
                    payload,
                    signal.id(),
                    signal.isOnce());
        String body = JobPayloads.encode(created, codec);
        StorableText.check(body);
        return SEND_OR_ADD.prepare(
                connection,
                new OrAdd(
                        created.queue(),
                        created.kind().name(),
                        key,
                        signal.name(),
                        payload,
                        body,
                        signal.id(),
                        signal.isOnce(),
                        created.priority(),
                        created.delay().isZero() ? null : Durations.micros(created.delay()),
                        created.maxAttempts() == 0 ? null : created.maxAttempts(),
                        created.timeout().isZero() ? null : Durations.micros(created.timeout()),
                        created.options()));
    }

    private static JobsException failed(NewSignal signal, SQLException e) {
        return new JobsException("signal \"" + signal.name() + "\" was not sent: " + SqlErrorText.of(e), e);
    }
}
