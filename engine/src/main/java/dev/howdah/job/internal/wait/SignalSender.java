package dev.howdah.job.internal.wait;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.error.SqlErrorText;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.text.StorableText;
import dev.howdah.job.JobsException;
import dev.howdah.job.internal.insert.JobInserter;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.wait.NewSignal;
import dev.howdah.job.wait.SignalResult;
import dev.howdah.spi.PayloadCodec;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;

/** Sends signals. Safe for use by many threads. */
public final class SignalSender {
    private static final Sql SEND = JobSql.WAIT.statement("signal_send");
    private static final Sql SEND_BY_KEY = JobSql.WAIT.statement("signal_send_by_key");

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

    /** In the transaction of that connection. */
    public SignalResult send(Connection connection, NewSignal signal) {
        try {
            return written(source.inSchema(connection), signal);
        } catch (SQLException e) {
            throw failed(signal, e);
        }
    }

    private SignalResult written(Connection connection, NewSignal signal) throws SQLException {
        Object given = signal.payload();
        String payload = given == null
                ? "null"
                : codec.encode(given, new PayloadCodec.Subject(PayloadCodec.Use.SIGNAL, signal.name()));
        StorableText.check(payload);
        try (PreparedStatement statement = signal.key() == null
                        ? SEND.prepare(connection, signal.job(), signal.name(), payload, signal.id(), signal.isOnce())
                        : SEND_BY_KEY.prepare(
                                connection,
                                signal.queue(),
                                signal.kind(),
                                signal.key(),
                                signal.name(),
                                payload,
                                signal.id(),
                                signal.isOnce());
                ResultSet row = statement.executeQuery()) {
            row.next();
            return SignalResult.valueOf(row.getString(1).toUpperCase(Locale.ROOT));
        }
    }

    private static JobsException failed(NewSignal signal, SQLException e) {
        return new JobsException("signal \"" + signal.name() + "\" was not sent: " + SqlErrorText.of(e), e);
    }
}
