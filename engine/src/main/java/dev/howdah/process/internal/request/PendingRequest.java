package dev.howdah.process.internal.request;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.text.NameText;
import dev.howdah.process.Request;
import dev.howdah.process.TaskType;
import dev.howdah.process.internal.step.NamespaceMetrics;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.internal.step.ProcessTracing;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A request on its way into the database, and its answer. */
public final class PendingRequest {
    /**
     * The result of a request.
     *
     * @param rejected it was not accepted: the reason has to be looked up
     */
    public record Reply(
            byte @Nullable [] response, @Nullable String error, boolean rejected) {
        public static final Reply REJECTED = new Reply(null, null, true);

        public static Reply of(byte @Nullable [] response, @Nullable String error) {
            // A stack trace is for operators.
            return new Reply(response, error == null ? null : ErrorText.withoutTrace(error), false);
        }
    }

    private static final SecureRandom RANDOM = new SecureRandom();

    private final TaskType type;
    private final int namespace;
    private final @Nullable NamespaceSlots served;
    private final Request request;
    private final byte[] args;
    private final byte[] context;
    private final NamespaceMetrics meter;
    private final @Nullable String trace;
    private final long token = RANDOM.nextLong();
    private final CompletableFuture<Reply> reply = new CompletableFuture<>();

    /**
     * @param served null: its namespace is not served here
     * @throws IllegalArgumentException if a new process cannot have that id
     */
    public PendingRequest(
            TaskType type,
            int namespace,
            @Nullable NamespaceSlots served,
            Request request,
            byte[] args,
            byte[] context,
            NamespaceMetrics meter) {
        if (type == TaskType.INIT) NameText.check("the id of a process", request.id());
        this.type = type;
        this.namespace = namespace;
        this.served = served;
        this.request = request;
        this.args = args;
        this.context = context;
        this.meter = meter;
        this.trace = ProcessTracing.current();
    }

    public TaskType type() {
        return type;
    }

    public int namespace() {
        return namespace;
    }

    @Nullable
    public NamespaceSlots served() {
        return served;
    }

    public Request request() {
        return request;
    }

    public byte[] args() {
        return args;
    }

    byte[] context() {
        return context;
    }

    /** That of its namespace. */
    public NamespaceMetrics meter() {
        return meter;
    }

    /** The context of traces in which it was asked for. */
    @Nullable
    String trace() {
        return trace;
    }

    /** Random: the ids of its process and task may come again after a failover that lost WAL, this does not. */
    public long token() {
        return token;
    }

    /** Returns whether the caller waits for the result, and not only for the request being accepted. */
    public boolean waits() {
        return type != TaskType.NOTIFY;
    }

    public CompletableFuture<Reply> reply() {
        return reply;
    }

    /** Which process it is for: a batch has one request for each at most. */
    public String target() {
        return namespace + "/" + request.id();
    }

    /** A digest of what it asks for. */
    public int weight() {
        return 200 + args.length + context.length;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public String toString() {
        return type.text() + " " + Objects.toString(request.id());
    }
}
