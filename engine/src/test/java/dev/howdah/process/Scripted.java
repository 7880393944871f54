package dev.howdah.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.query.TraceEntry;
import dev.howdah.spi.Backoff;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A node whose processes do, step by step, what a test says: each process has a script, each of its steps is one line of it.
 * What steps saw is kept.
 */
final class Scripted implements AutoCloseable {
    static final String NAMESPACE = "test/scripted";

    /** How long something may take that normally takes milliseconds. */
    static final Duration PATIENCE = Patience.LIMIT;

    static final Backoff RETRIES =
            Backoff.of(Duration.ofMillis(50), 1.0, Duration.ofSeconds(180), 3).never("do_not_retry");

    private static final Map<String, List<Processor>> SCRIPTS = new ConcurrentHashMap<>();
    private static final AtomicInteger IDS = new AtomicInteger();

    /** What a step saw. */
    record Seen(ProcessTask task, ProcessState process) {}

    private final TestDatabase database;
    private final Processes processes;
    private final Map<String, List<Seen>> seen = new ConcurrentHashMap<>();

    private Scripted(TestDatabase database, UnaryOperator<Namespace.Builder> how, String name) {
        this.database = database;
        database.fill("processes", Scripted::install);
        Namespace.Builder namespace = Namespace.builder(NAMESPACE, this::step)
                .concurrency(20)
                .stepTimeout(Duration.ofSeconds(30))
                .retries(RETRIES);
        this.processes = Processes.on(dataSource(database))
                .nodeName(name)
                .shutdownTimeout(Duration.ofSeconds(5))
                .namespace(how.apply(namespace).build())
                .start();
    }

    private static void install(TestDatabase database) {
        try (Connection connection = database.connect()) {
            Processes.install(connection);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    static Scripted in(TestDatabase database) {
        return in(database, namespace -> namespace);
    }

    static Scripted in(TestDatabase database, UnaryOperator<Namespace.Builder> how) {
        return new Scripted(database, how, "scripted");
    }

    /** What the library gets: the same, or a pool of such sessions, see {@link TestDatabase#dataSource}. */
    static DataSource dataSource(TestDatabase database) {
        return database.dataSource(source(database));
    }

    static PGSimpleDataSource source(TestDatabase database) {
        return source(database.uri());
    }

    static PGSimpleDataSource source(String uri) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:postgresql://"
                + uri.substring("postgresql://postgres@".length())
                + "?user=postgres&ApplicationName=processes");
        return source;
    }

    private Intent step(ProcessTask task, ProcessState process) throws Exception {
        List<Seen> before = seen.computeIfAbsent(process.id(), id -> new CopyOnWriteArrayList<>());
        int line;
        synchronized (before) {
            line = before.size();
            before.add(new Seen(task, process));
        }
        List<Processor> script = SCRIPTS.get(process.id());
        if (script == null || line >= script.size())
            throw new StepFailedException("step " + (line + 1) + " of " + process.id() + " is in no script");
        return script.get(line).process(task, process);
    }

    /** A process that is not there yet and does that, line by line; its id. */
    static String script(Processor... lines) {
        String id = "p" + IDS.incrementAndGet();
        SCRIPTS.put(id, List.of(lines));
        return id;
    }

    Processes processes() {
        return processes;
    }

    TestDatabase database() {
        return database;
    }

    Payload init(String id) {
        return processes.init(Request.of(NAMESPACE, id).timeout(PATIENCE));
    }

    Payload call(String id) {
        return processes.call(Request.of(NAMESPACE, id).timeout(PATIENCE));
    }

    ProcessState get(String id) {
        return processes.get(NAMESPACE, id);
    }

    List<TraceEntry> trace(String id) {
        return processes.trace(NAMESPACE, id);
    }

    /** What its steps saw here, in their order. */
    List<Seen> seen(String id) {
        return seen.getOrDefault(id, List.of());
    }

    Seen seen(String id, int line) {
        return seen(id).get(line);
    }

    /** What is said there, which there has to be. */
    static <T> T said(@Nullable Payload payload, Class<T> type) {
        return Objects.requireNonNull(payload, "nothing is said").as(type);
    }

    static List<Long> ids(ProcessState process) {
        return process.history().stream().map(Event::id).toList();
    }

    List<Long> history(String id) {
        return ids(get(id));
    }

    static ConditionFactory awaiting(String what) {
        return await(what).atMost(PATIENCE).pollInSameThread().pollInterval(Duration.ofMillis(5));
    }

    /** Waits until it has begun so many steps here. */
    void awaitBegun(String id, int steps) {
        awaiting(id + " has begun step " + steps).until(() -> seen(id).size() >= steps);
    }

    /** Waits until it has nothing more to do: no step runs, no timer waits. It has done exactly so many steps then. */
    ProcessState awaitQuiet(String id, int steps) {
        awaiting(id + " is quiet")
                .until(() -> seen(id).size() >= steps
                        && Objects.equals(
                                database.value("SELECT count(*) FROM howdah_internal.process WHERE id = '" + id
                                        + "' AND (node IS NOT NULL OR due_at IS NOT NULL OR queued > 0)"),
                                "0"));
        assertThat(seen(id)).hasSize(steps);
        return get(id);
    }

    void awaitGone(String id) {
        awaiting(id + " is gone").until(() -> reason(() -> get(id)).equals("process not found"));
    }

    /** Why something failed; empty: it did not. */
    static String reason(Runnable asked) {
        try {
            asked.run();
            return "";
        } catch (ProcessException e) {
            Optional<ProcessException.Reason> named = Stream.of(ProcessException.Reason.values())
                    .filter(each -> each.message().equals(e.getMessage()))
                    .findFirst();
            if (named.isPresent()) assertThat(e.reason()).isEqualTo(named.get());
            else assertThat(e.reason().message()).isEmpty();
            return e.getMessage();
        }
    }

    @Override
    public void close() {
        processes.close();
    }
}
