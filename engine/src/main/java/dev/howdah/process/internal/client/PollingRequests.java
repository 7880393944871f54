package dev.howdah.process.internal.client;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.process.Payload;
import dev.howdah.process.ProcessException;
import dev.howdah.process.Request;
import dev.howdah.process.TaskType;
import dev.howdah.process.internal.request.PendingRequest;
import dev.howdah.process.internal.request.RequestStore;
import dev.howdah.process.internal.step.ProcessMetrics;
import dev.howdah.process.internal.store.ProcessPayloads;
import dev.howdah.process.internal.store.ProcessSql;
import dev.howdah.spi.Metrics;
import dev.howdah.spi.PayloadCodec;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Carries requests to processes for a program that is not a node, and asks for their answers. Safe for use by many threads. */
public final class PollingRequests {
    private static final Sql ANSWERS = ProcessSql.REQUEST.statement("request_answers");

    /** No node has it: an answer waits in the tables, and the notification of it reaches no one. */
    private static final int NO_NODE = 0;

    private static final long FIRST_POLL_MILLIS = 5;
    private static final long LAST_POLL_MILLIS = 250;
    private static final int TRIES = 5;
    /** For ever, in nanoseconds that can be added to a moment. */
    private static final long LONGEST_NANOS = Long.MAX_VALUE / 2;

    private final ConnectionSource source;
    private final NamespaceRegistry namespaces;
    private final PayloadCodec codec;
    private final ProcessMetrics meters;

    public PollingRequests(ConnectionSource source, PayloadCodec codec) {
        this(source, new NamespaceRegistry(source), codec, Metrics.none());
    }

    private PollingRequests(
            ConnectionSource source, NamespaceRegistry namespaces, PayloadCodec codec, Metrics metrics) {
        this.source = source;
        this.namespaces = namespaces;
        this.codec = codec;
        this.meters = new ProcessMetrics(metrics);
    }

    /** The same, measured. */
    public PollingRequests metrics(Metrics to) {
        return new PollingRequests(source, namespaces, codec, to);
    }

    /** Asks, and waits for the answer; for that of a notice only until it is accepted. */
    public Payload ask(TaskType type, Request request) {
        try {
            int namespace = namespaces.find(request.namespace());
            PendingRequest entry = new PendingRequest(
                    type,
                    namespace,
                    null,
                    request,
                    ProcessPayloads.encode(request.args(), codec),
                    ProcessPayloads.encode(request.context(), codec),
                    meters.of(request.namespace()));
            Duration patience = Objects.requireNonNullElse(request.timeout(), RequestClient.PATIENCE);
            long end = System.nanoTime() + Math.min(TimeUnit.NANOSECONDS.convert(patience), LONGEST_NANOS);
            RequestKeys.Entered entered = enter(namespace, entry, request);
            return type == TaskType.NOTIFY ? Payload.of(null, codec) : await(entered, end);
        } catch (SQLException e) {
            throw RequestClient.failed(request, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProcessException(
                    ProcessException.Reason.INTERRUPTED,
                    "interrupted while waiting for the answer; the task goes on",
                    e);
        }
    }

    private RequestKeys.Entered enter(int namespace, PendingRequest entry, Request request) throws SQLException {
        for (int i = 0; i < TRIES; i++)
            try (Connection connection = source.getConnection()) {
                if (request.key() != null) return RequestKeys.enter(connection, NO_NODE, entry);
                long began = System.nanoTime();
                RequestStore.Accepted accepted = RequestStore.write(connection, NO_NODE, entry);
                entry.meter().prepared(entry.type(), System.nanoTime() - began);
                if (accepted != null)
                    return new RequestKeys.Entered(accepted.process(), accepted.task(), entry.token());
                ProcessException.Reason why = RequestClient.why(connection, entry.type(), namespace, request.id());
                if (why != null) throw new ProcessException(why);
            }
        throw new ProcessException(
                ProcessException.Reason.CONFLICT, "process " + request.id() + " changes too often, try again");
    }

    private Payload await(RequestKeys.Entered entered, long end) throws SQLException, InterruptedException {
        for (long pause = FIRST_POLL_MILLIS; ; pause = Math.min(2 * pause, LAST_POLL_MILLIS)) {
            PendingRequest.Reply reply = answer(entered);
            if (reply != null) return RequestClient.payload(reply, codec);
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) throw new ProcessException(ProcessException.Reason.TIMEOUT);
            TimeUnit.MILLISECONDS.sleep(Math.max(1, Math.min(pause, left)));
        }
    }

    private PendingRequest.@Nullable Reply answer(RequestKeys.Entered entered) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = ANSWERS.prepare(
                        connection, new Long[] {entered.process()}, new Long[] {entered.task()}, new @Nullable Long[] {
                            entered.token()
                        });
                ResultSet row = statement.executeQuery()) {
            return row.next() ? PendingRequest.Reply.of(row.getBytes(3), row.getString(4)) : null;
        }
    }

    /** Repairs a process without its processor: the timer that broke it runs again. */
    public void simpleRepair(Request request) {
        RequestClient.simpleRepair(source, namespaces, codec, request);
    }
}
