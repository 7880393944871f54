package dev.howdah.process.client;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.json.JacksonCodec;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.process.Payload;
import dev.howdah.process.ProcessException;
import dev.howdah.process.Processes;
import dev.howdah.process.ProcessesBuilder;
import dev.howdah.process.Request;
import dev.howdah.process.TaskType;
import dev.howdah.process.internal.client.PollingRequests;
import dev.howdah.process.internal.step.ProcessTracing;
import dev.howdah.spi.Metrics;
import dev.howdah.spi.PayloadCodec;
import javax.sql.DataSource;

/**
 * Sends requests to processes from a program that is not a node. It keeps no connection, borrows one for each statement, and asks for
 * the answer up to four times a second, so that any pool will do, also one of PgBouncer in transaction mode. A program that calls often
 * has its answers sooner from {@link Processes}.
 *
 * <p>The tables have to be there. All methods throw {@link ProcessException} with a {@linkplain ProcessException#reason() reason}. Safe
 * for use by many threads.
 */
public final class ProcessClient {
    private final PollingRequests requests;

    private ProcessClient(PollingRequests requests) {
        this.requests = requests;
    }

    /** Asks processes in the database of that data source, with Jackson for JSON. */
    public static ProcessClient on(DataSource source) {
        return on(source, new JacksonCodec(), SchemaName.DEFAULT);
    }

    /** Asks processes in a schema of that name; see {@link ProcessesBuilder#schema}. */
    public static ProcessClient on(DataSource source, PayloadCodec codec, String schema) {
        return new ProcessClient(new PollingRequests(ConnectionSource.of(source).in(SchemaName.of(schema)), codec));
    }

    /** Measures how long it takes to write down requests, as {@link ProcessesBuilder#metrics} does. Returns a client of its own. */
    public ProcessClient metrics(Metrics to) {
        return new ProcessClient(requests.metrics(to));
    }

    /** As {@link Processes#init(Request)}, for a request without an idempotency key. */
    public Payload init(Request request) {
        return ask(TaskType.INIT, request);
    }

    /** As {@link Processes#call(Request)}, for a request without an idempotency key. */
    public Payload call(Request request) {
        return ask(TaskType.CALL, request);
    }

    /** As {@link Processes#notify(Request)}, for a request without an idempotency key. */
    public void notify(Request request) {
        ask(TaskType.NOTIFY, request);
    }

    /** As {@link Processes#repair(Request)}, for a request without an idempotency key. */
    public Payload repair(Request request) {
        return ask(TaskType.REPAIR, request);
    }

    /** As {@link Processes#simpleRepair(Request)}. */
    public void simpleRepair(Request request) {
        ProcessTracing.ask("simple_repair", request.namespace(), request.id(), () -> {
            requests.simpleRepair(request);
            return true;
        });
    }

    /** As {@link Processes#remove}, with the timeout of the request. */
    public void remove(Request request) {
        ask(TaskType.REMOVE, request);
    }

    private Payload ask(TaskType type, Request request) {
        return ProcessTracing.ask(type.text(), request.namespace(), request.id(), () -> requests.ask(type, request));
    }
}
