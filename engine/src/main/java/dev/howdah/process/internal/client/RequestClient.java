package dev.howdah.process.internal.client;

import dev.howdah.internal.connection.CallerTransaction;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.sql.Sql;
import dev.howdah.process.Namespace;
import dev.howdah.process.Payload;
import dev.howdah.process.ProcessException;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.Request;
import dev.howdah.process.TaskType;
import dev.howdah.process.internal.node.ProcessNodeSupervisor;
import dev.howdah.process.internal.request.PendingRequest;
import dev.howdah.process.internal.request.RequestStore;
import dev.howdah.process.internal.step.NamespaceMetrics;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.internal.step.ProcessMetrics;
import dev.howdah.process.internal.store.ProcessPayloads;
import dev.howdah.process.internal.store.ProcessSql;
import dev.howdah.process.internal.store.ProcessSqlErrors;
import dev.howdah.spi.PayloadCodec;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries requests to processes and brings back their answers. Safe for use by many threads. */
public final class RequestClient {
    private static final Logger log = LoggerFactory.getLogger(RequestClient.class);
    private static final Sql WHY = ProcessSql.REQUEST.statement("request_why");
    private static final Sql SIMPLE_REPAIR = ProcessSql.REQUEST.statement("request_simple_repair");
    /** Where this program does not know how long a step may take: longer than the default of that. */
    static final Duration PATIENCE = Duration.ofSeconds(65);

    /** A step that takes too long is interrupted, and its end is written: the caller is to learn of that. */
    private static final Duration MARGIN = Duration.ofSeconds(5);

    private static final int TRIES = 5;

    private final ConnectionSource source;
    private final NamespaceRegistry namespaces;
    private final List<NamespaceSlots> served;
    private final ProcessNodeSupervisor supervisor;
    private final PayloadCodec codec;
    private final ProcessMetrics meters;
    private final CallerTransaction caller;
    private final AtomicBoolean warned = new AtomicBoolean();
    private volatile boolean closed;

    public RequestClient(
            ConnectionSource source,
            NamespaceRegistry namespaces,
            List<NamespaceSlots> served,
            ProcessNodeSupervisor supervisor,
            PayloadCodec codec,
            ProcessMetrics meters,
            CallerTransaction caller) {
        this.caller = caller;
        this.source = source;
        this.namespaces = namespaces;
        this.served = served;
        this.supervisor = supervisor;
        this.codec = codec;
        this.meters = meters;
    }

    /** Asks, and waits for the answer; for that of a notice only until it is accepted. */
    public Payload ask(TaskType type, Request request) {
        if (type == TaskType.INIT && caller.isActive()) return initInTransaction(request);
        warnIfBeside(type.text());
        try {
            int namespace = namespaces.find(request.namespace());
            byte[] args = ProcessPayloads.encode(request.args(), codec);
            byte[] context = ProcessPayloads.encode(request.context(), codec);
            if (request.key() != null) return askOnce(type, namespace, request, args, context);
            for (int i = 0; i < TRIES; i++) {
                PendingRequest entry = new PendingRequest(
                        type,
                        namespace,
                        supervisor.served(namespace),
                        request,
                        args,
                        context,
                        meters.of(request.namespace()));
                if (closed)
                    throw new ProcessException(ProcessException.Reason.CLOSED, "closed: nothing can be asked any more");
                supervisor.inbox().put(entry);
                PendingRequest.Reply reply = await(entry.reply(), request, namespace);
                if (!reply.rejected()) return payload(reply);
                ProcessException.Reason why;
                try (Connection connection = source.getConnection()) {
                    why = why(connection, type, namespace, request.id());
                }
                if (why != null) throw new ProcessException(why);
            }
            throw new ProcessException(
                    ProcessException.Reason.CONFLICT, "process " + request.id() + " changes too often, try again");
        } catch (SQLException e) {
            throw failed(request, e);
        }
    }

    private Payload initInTransaction(Request request) {
        try {
            return caller.join(connection -> {
                init(connection, request);
                return Payload.of(null, codec);
            });
        } catch (SQLException e) {
            throw new ProcessException(
                    ProcessException.Reason.DATABASE,
                    "process " + request.id() + " could not be asked: " + ErrorText.message(e),
                    e);
        }
    }

    /** What waits for an answer, or tells a process something, cannot be part of a transaction that has not ended. */
    public void warnIfBeside(String request) {
        if (caller.isActive() && warned.compareAndSet(false, true))
            log.warn(
                    "{} of a process in a transaction of the caller: it does not join that, and stays if that is rolled back;"
                            + " only init joins it (said once)",
                    request);
    }

    /** Asks for a new process in the transaction of that connection; nothing is waited for. */
    public void init(Connection connection, Request request) {
        if (request.key() != null)
            throw new IllegalArgumentException("an init in a transaction of the caller has no idempotency key, not \""
                    + request.key() + "\": the process exists once, or the transaction fails");
        if (closed) throw new ProcessException(ProcessException.Reason.CLOSED, "closed: nothing can be asked any more");
        try {
            int namespace = namespaces.find(request.namespace());
            PendingRequest entry = new PendingRequest(
                    TaskType.INIT,
                    namespace,
                    null,
                    request,
                    ProcessPayloads.encode(request.args(), codec),
                    ProcessPayloads.encode(request.context(), codec),
                    meters.of(request.namespace()));
            if (RequestStore.write(source.inSchema(connection), supervisor.node(), entry) == null)
                throw new ProcessException(ProcessException.Reason.PROCESS_EXISTS);
            supervisor.ring();
        } catch (SQLException e) {
            throw failed(request, e);
        }
    }

    private Payload payload(PendingRequest.Reply reply) {
        return payload(reply, codec);
    }

    /** The payload of an answer; an answer that is an error is thrown. */
    static Payload payload(PendingRequest.Reply reply, PayloadCodec codec) {
        if (reply.error() != null) throw new ProcessException(reason(reply.error()), reply.error());
        return Payload.of(reply.response(), codec);
    }

    /** The reason of an answer that is an error. A processor's own error with the text of a reason has that reason. */
    private static ProcessException.Reason reason(String error) {
        for (ProcessException.Reason each : ProcessException.Reason.values())
            if (each.message().equals(error)) return each;
        return ProcessException.Reason.STEP_FAILED;
    }

    static ProcessException failed(Request request, SQLException e) {
        return new ProcessException(
                ProcessException.Reason.DATABASE,
                "process " + request.id() + " could not be asked: " + ProcessSqlErrors.clear(e),
                e);
    }

    private PendingRequest.Reply await(CompletableFuture<PendingRequest.Reply> reply, Request request, int namespace) {
        Duration patience = request.timeout();
        if (patience == null) {
            Namespace here = NamespaceRegistry.of(served, namespace);
            patience = here == null ? PATIENCE : here.stepTimeout().plus(MARGIN);
        }
        try {
            return reply.get(TimeUnit.NANOSECONDS.convert(patience), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new ProcessException(ProcessException.Reason.TIMEOUT);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            ProcessException.Reason reason =
                    cause instanceof ProcessException known ? known.reason() : ProcessException.Reason.DATABASE;
            throw new ProcessException(reason, String.valueOf(cause == null ? e.getMessage() : cause.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProcessException(
                    ProcessException.Reason.INTERRUPTED,
                    "interrupted while waiting for the answer; the task goes on",
                    e);
        }
    }

    /** Why a request was not accepted; null if it would be now. */
    static ProcessException.@Nullable Reason why(Connection connection, TaskType type, int namespace, String id)
            throws SQLException {
        if (type == TaskType.INIT) return ProcessException.Reason.PROCESS_EXISTS;
        try (PreparedStatement statement = WHY.prepare(connection, namespace, id);
                ResultSet row = statement.executeQuery()) {
            if (!row.next()) return ProcessException.Reason.PROCESS_NOT_FOUND;
            ProcessStatus status = ProcessStatus.of(row.getString(1));
            // A repair is only refused of a process that was not in error then, whatever it is by now.
            if (type == TaskType.REPAIR)
                return status == ProcessStatus.INIT
                        ? ProcessException.Reason.PROCESS_INIT
                        : ProcessException.Reason.PROCESS_RUNNING;
            if (status == ProcessStatus.RUNNING || type == TaskType.REMOVE) return null;
            return reason(status);
        }
    }

    private static ProcessException.Reason reason(ProcessStatus status) {
        return switch (status) {
            case INIT -> ProcessException.Reason.PROCESS_INIT;
            case RUNNING -> ProcessException.Reason.PROCESS_RUNNING;
            case ERROR -> ProcessException.Reason.PROCESS_ERROR;
        };
    }

    /** Asks unless that was asked before with the same key; then waits for the answer of the first time. */
    private Payload askOnce(TaskType type, int namespace, Request request, byte[] args, byte[] context)
            throws SQLException {
        CompletableFuture<PendingRequest.Reply> reply = new CompletableFuture<>();
        NamespaceMetrics meter = meters.of(request.namespace());
        PendingRequest entry = new PendingRequest(type, namespace, null, request, args, context, meter);
        RequestKeys.Entered entered;
        try (Connection connection = source.getConnection()) {
            entered = RequestKeys.enter(connection, supervisor.node(), entry);
        }
        long task = entered.task();
        // Not earlier: until the commit its process is not found, which would be taken for the answer.
        supervisor.callers().add(entered.process(), task, entered.token(), reply);
        supervisor.ring();
        try {
            if (type == TaskType.NOTIFY) return Payload.of(null, codec);
            supervisor.callers().look(source, task);
            return payload(await(reply, request, namespace));
        } finally {
            supervisor.callers().remove(reply, task);
        }
    }

    /** Repairs a process without its processor: the timer that broke it runs again. */
    public void simpleRepair(Request request) {
        warnIfBeside("simple_repair");
        simpleRepair(source, namespaces, codec, request);
        supervisor.ring();
    }

    static void simpleRepair(
            ConnectionSource source, NamespaceRegistry namespaces, PayloadCodec codec, Request request) {
        try {
            int namespace = namespaces.find(request.namespace());
            byte[] context = ProcessPayloads.encode(request.context(), codec);
            try (Connection connection = source.getConnection();
                    PreparedStatement statement = SIMPLE_REPAIR.prepare(connection, namespace, request.id(), context);
                    ResultSet row = statement.executeQuery()) {
                if (!row.next()) throw new ProcessException(ProcessException.Reason.PROCESS_NOT_FOUND);
                String forbidden = row.getString("forbidden");
                if (forbidden != null) throw new ProcessException(reason(ProcessStatus.of(forbidden)));
            }
        } catch (SQLException e) {
            throw failed(request, e);
        }
    }

    public void close() {
        closed = true;
    }
}
