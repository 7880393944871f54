package dev.howdah.internal.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Requests that travel in one write, and their answers, to be read one by one in the same order. A text that begins COPY
 * FROM STDIN would take what follows it for its data, so nothing may follow one. Used by the thread that uses the
 * connection.
 */
public final class WirePipeline {
    private final WireConnection connection;

    WirePipeline(WireConnection connection) {
        this.connection = connection;
    }

    /** A statement with its parameters, as text. */
    public record Statement(String sql, List<@Nullable String> values) {}

    /**
     * Statements that have to succeed, or the server leaves out all requests that follow: it skips what it is sent after
     * an error in the extended protocol until there is a Sync, and that is sent only after such an error. They run in a
     * transaction of their own if they begin and end one; else what follows would join theirs.
     */
    public WirePipeline guard(List<Statement> statements) {
        return write(() -> {
            for (Statement each : statements) connection.writeStatement(each.sql(), each.values(), false);
        });
    }

    /** A text as one message, which may hold several statements. */
    public WirePipeline query(String sql) {
        return write(() -> connection.writeQuery(sql));
    }

    private WirePipeline write(Runnable request) {
        try {
            request.run();
            return this;
        } catch (RuntimeException e) {
            connection.unwrite(); // half a pipeline must not go out with the next request
            throw e;
        }
    }

    /** Sends all requests. */
    public WirePipeline send() throws WireException {
        connection.send(new WireListener() {});
        return this;
    }

    /**
     * Reads the answer to the guard, which is the first request.
     *
     * @param statements how many it has
     * @return null if all that follows was or will be run; else the error, and nothing is left to be read
     */
    public @Nullable ServerMessage guarded(int statements) throws WireException {
        return connection.guardAnswer(statements);
    }

    /** Reads the answer to the next text. */
    public void next(WireListener listener) throws WireException {
        connection.answer(listener, false);
    }
}
