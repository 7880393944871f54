package dev.howdah.operations.read;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.SchemaName;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.job.NewJob;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The statements of {@code console.sql}. Safe for use by many threads. */
public final class EngineReads {
    /** How many jobs errors are grouped of. */
    public static final int ERRORS = 20_000;

    /** How many groups of errors are shown. */
    public static final int GROUPS = 100;

    /** How many processes of a node are listed. */
    public static final int WORKED = 20;

    private static final SqlFile FILE = SqlFile.of(EngineReads.class, "reads.sql");
    private static final Sql SNAPSHOT = FILE.statement("database_snapshot");
    private static final Sql NOW = FILE.statement("database_time");
    private static final Sql INSTALLED = FILE.statement("database_features");
    private static final Sql SERVER = FILE.statement("database_server");
    private static final Sql TABLE_VERSIONS = FILE.statement("table_versions");
    private static final Sql KINDS = FILE.statement("stat_kinds");
    private static final Sql LATENCY = FILE.statement("job_latency");
    private static final Sql ERROR_GROUPS = FILE.statement("job_error_groups");
    private static final Sql GROWTH = FILE.statement("queue_failure_growth");
    private static final Sql OLDEST = FILE.statement("queue_oldest_job");
    private static final Sql WORKFLOW = FILE.statement("job_workflow");
    private static final Sql PROCESSES = FILE.statement("node_processes");
    private static final Sql NODES = FILE.statement("node_overview");
    private static final Sql NODES_OF_PROCESSES = FILE.statement("node_overview_of_processes");
    private static final Sql ENDED_NODES = FILE.statement("node_list_ended");
    private static final Sql ENTER_JOB = FILE.statement("job_enter");
    private static final Sql JOB_CLAIMED = FILE.statement("job_claimed");
    private static final Sql ENTER_WORKFLOW = FILE.statement("workflow_enter");
    private static final Sql PUT_PIPELINE = FILE.statement("workflow_put_pipeline");
    private static final Sql ENTER_PIPELINE = FILE.statement("workflow_enter_pipeline");
    private static final Sql CALENDARS = FILE.statement("holiday_summaries");
    private static final Sql CONNECTIONS_LEFT = FILE.statement("server_connections_left");
    private static final Sql JOB_CAUSES = FILE.statement("job_causes");

    private final ConnectionSource source;

    public EngineReads(DataSource source, String schema) {
        this.source = ConnectionSource.of(source).in(SchemaName.of(schema));
    }

    /** A text that is another one when anything has been written in the meantime. */
    public String snapshot() {
        return list(SNAPSHOT, row -> text(row, 1)).get(0);
    }

    /** The time of the database. */
    public Instant now() {
        return list(NOW, row -> sure(row, "time")).get(0);
    }

    /** How many more sessions the server takes from roles without privileges. */
    public int connectionsLeft() {
        return list(CONNECTIONS_LEFT, row -> row.getInt(1)).get(0);
    }

    /**
     * What workers are told of running jobs, by their ids; jobs of log queues are left out.
     *
     * @param batches of the jobs, one for each
     */
    public Map<Long, ClaimedDetails> claimedDetails(List<Long> jobs, List<Long> batches) {
        Map<Long, ClaimedDetails> all = new LinkedHashMap<>();
        if (jobs.isEmpty()) return all;
        list(
                        JOB_CLAIMED,
                        row -> Map.entry(row.getLong(1), claimedDetails(row)),
                        jobs.toArray(Long[]::new),
                        batches.toArray(Long[]::new))
                .forEach(each -> all.put(each.getKey(), each.getValue()));
        return all;
    }

    private static ClaimedDetails claimedDetails(ResultSet row) throws SQLException {
        long millis = row.getLong("timeout");
        return new ClaimedDetails(
                sure(row, "run_at"),
                sure(row, "created"),
                millis == 0 ? null : Duration.ofMillis(millis),
                row.getString("trace"),
                row.getString("predecessors"));
    }

    public Installed installed() {
        return list(INSTALLED, row -> new Installed(row.getBoolean(1), row.getBoolean(2), row.getBoolean(3)))
                .get(0);
    }

    /** The server of the database, and which tables there are. */
    public DatabaseServer server() {
        Server server = list(
                        SERVER,
                        row -> new Server(
                                text(row, "version"),
                                text(row, "database"),
                                text(row, "role"),
                                row.getBoolean("migrated")))
                .get(0);
        Map<String, Integer> tables = new LinkedHashMap<>();
        // Asked behind the other statement, not in it: each takes a connection.
        if (server.migrated())
            for (TableVersion each :
                    list(TABLE_VERSIONS, row -> new TableVersion(text(row, "feature"), row.getInt("version"))))
                tables.put(each.feature(), each.version());
        return new DatabaseServer(server.version(), server.database(), server.role(), tables);
    }

    private record Server(String version, String database, String role, boolean migrated) {}

    private record TableVersion(String feature, int version) {}

    /**
     * What has become of the jobs of each kind in the last while, those with the most failures first.
     *
     * @param queue null: of all queues
     */
    public List<KindTotals> kinds(Duration last, @Nullable String queue, int most) {
        return list(
                KINDS,
                row -> new KindTotals(
                        text(row, "kind"),
                        row.getLong("done"),
                        row.getLong("retried"),
                        row.getLong("failed"),
                        Duration.of(row.getLong("run_micros"), ChronoUnit.MICROS),
                        Duration.of(row.getLong("run_max_micros"), ChronoUnit.MICROS)),
                (int) last.toSeconds(),
                queue,
                most);
    }

    /**
     * How long the newest attempts waited and ran. Reads a bounded number of them by their index, however long the history is.
     *
     * @param queue null: of all queues
     */
    public JobLatency latency(@Nullable String queue) {
        return list(
                        LATENCY,
                        row -> new JobLatency(row.getLong("attempts"), durations(row, "waited"), durations(row, "ran")),
                        queue,
                        JobLatency.CLAIMS,
                        JobLatency.ATTEMPTS)
                .get(0);
    }

    private static List<Duration> durations(ResultSet row, String column) throws SQLException {
        List<Duration> durations = new ArrayList<>();
        Array array = row.getArray(column);
        if (array != null)
            for (Double each : (Double[]) array.getArray()) durations.add(Duration.ofNanos((long) (each * 1e9)));
        return durations;
    }

    /** Errors of failed jobs of a queue and a kind, or of those that wait for a retry, those of the most jobs first. */
    public ErrorGroups errorGroups(boolean retrying, @Nullable String queue, @Nullable String kind) {
        String state = retrying ? "retrying" : "failed";
        try (Connection connection = source.getConnection();
                PreparedStatement statement = ERROR_GROUPS.prepare(connection, ERRORS, state, queue, kind, GROUPS + 1);
                ResultSet rows = statement.executeQuery()) {
            List<ErrorGroup> groups = new ArrayList<>();
            boolean all = true;
            Instant since = null;
            while (rows.next()) {
                all = rows.getBoolean("is_all");
                since = time(rows, "since");
                if (rows.getString("pattern") != null) groups.add(errorGroup(rows));
            }
            boolean more = groups.size() > GROUPS;
            return new ErrorGroups(more ? groups.subList(0, GROUPS) : groups, more, all, since);
        } catch (SQLException e) {
            throw new ReadException(e);
        }
    }

    private static ErrorGroup errorGroup(ResultSet row) throws SQLException {
        return new ErrorGroup(
                text(row, "pattern"),
                row.getLong("jobs"),
                text(row, "line"),
                texts(row, "queues"),
                texts(row, "kinds"),
                sure(row, "first"),
                sure(row, "last"),
                row.getLong("example"));
    }

    /** The queues in which more jobs fail than before, the worst first. */
    public List<FailureGrowth> growingFailures() {
        return list(GROWTH, row -> new FailureGrowth(text(row, "queue"), row.getLong("lately"), row.getLong("before")));
    }

    /** The job of a queue that is due for longest; null: none is due. */
    public @Nullable Long oldestJob(String queue) {
        List<Long> ids = list(OLDEST, row -> row.getLong("id"), queue);
        return ids.isEmpty() ? null : ids.get(0);
    }

    /** The workflow that a job with a name belongs to; null: to none. */
    public @Nullable Long workflowOf(long job) {
        List<Long> ids = list(WORKFLOW, row -> row.getLong("workflow"), job);
        return ids.isEmpty() ? null : ids.get(0);
    }

    /** The nodes of jobs and of processes, as far as these have tables. */
    public List<Node> nodes() {
        return nodes(installed());
    }

    /** The same, by the features that are known to be there. */
    public List<Node> nodes(Installed installed) {
        if (!installed.jobs() && !installed.processes()) return List.of();
        return list(
                installed.jobs() ? NODES : NODES_OF_PROCESSES,
                row -> new Node(
                        row.getInt("id"),
                        text(row, "name"),
                        texts(row, "features"),
                        sure(row, "started"),
                        text(row, "serves"),
                        row.getString("version"),
                        row.getObject("pid", Integer.class),
                        row.getString("address"),
                        row.getLong("jobs")));
    }

    /** The nodes that have ended in the last while, the last one first, up to so many. */
    public List<EndedNode> endedNodes(Duration last, int most) {
        Installed installed = installed();
        if (!installed.jobs() && !installed.processes()) return List.of();
        return list(
                ENDED_NODES,
                row -> new EndedNode(
                        row.getInt("id"),
                        text(row, "name"),
                        texts(row, "features"),
                        row.getString("version"),
                        sure(row, "started"),
                        sure(row, "ended"),
                        text(row, "reason")),
                last.toSeconds(),
                most);
    }

    /** The calendars of holidays, by name. */
    public List<CalendarSummary> calendars() {
        return list(
                CALENDARS,
                row -> new CalendarSummary(
                        text(row, "calendar"), row.getLong("days"), row.getString("next"), text(row, "last")));
    }

    /** The node of that id, if there is one. */
    public Optional<Node> node(int id, Installed installed) {
        return nodes(installed).stream().filter(each -> each.id() == id).findFirst();
    }

    /** Processes that a node works on, those of the lowest numbers first, up to {@link #WORKED}. */
    public List<WorkedProcess> processesOf(int node) {
        return list(
                PROCESSES,
                row -> new WorkedProcess(text(row, "namespace"), text(row, "id"), time(row, "taken")),
                node,
                WORKED);
    }

    /** Adds a job whose payload is JSON as it is. */
    public AddedJob addJob(NewJob<String> job) {
        try (Connection connection = source.getConnection()) {
            return addJob(connection, job);
        } catch (SQLException e) {
            throw new ReadException(e);
        }
    }

    /** What would happen to that job: it is added in a transaction that is rolled back. */
    public AddedJob tryJob(NewJob<String> job) {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            try {
                AddedJob added = addJob(connection, job);
                List<String> causes = new ArrayList<>();
                try (PreparedStatement statement = JOB_CAUSES.prepare(connection, added.id());
                        ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) causes.add(text(rows, 1));
                }
                return new AddedJob(added.id(), added.isNew(), causes);
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw new ReadException(e);
        }
    }

    /** Adds a job in the transaction of that connection. */
    public static AddedJob addJob(Connection connection, NewJob<String> job) throws SQLException {
        try (PreparedStatement statement = ENTER_JOB.prepare(
                        connection,
                        job.queue(),
                        job.kind().name(),
                        job.payload(),
                        job.priority(),
                        job.runAt() == null ? null : job.runAt().toString(),
                        job.delay().isZero() ? null : job.delay().toString(),
                        job.key(),
                        job.maxAttempts() == 0 ? null : job.maxAttempts(),
                        job.options(),
                        job.timeout().isZero() ? null : job.timeout().toString());
                ResultSet row = statement.executeQuery()) {
            row.next();
            return new AddedJob(row.getLong("id"), row.getBoolean("added"), List.of());
        }
    }

    /** Adds a workflow in the transaction of that connection, and returns its id. */
    public static long addWorkflow(Connection connection, NewWorkflow workflow) throws SQLException {
        try (PreparedStatement statement = ENTER_WORKFLOW.prepare(
                        connection,
                        workflow.jobs(),
                        workflow.name(),
                        workflow.isOpen(),
                        workflow.ended(),
                        workflow.done(),
                        workflow.failed());
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong("id");
        }
    }

    /** Defines a pipeline in the transaction of that connection. */
    public static void putPipeline(Connection connection, String name, String stages) throws SQLException {
        try (PreparedStatement statement = PUT_PIPELINE.prepare(connection, name, stages)) {
            statement.execute();
        }
    }

    /** Adds a workflow of a pipeline for each of an array of inputs, in the transaction of that connection; returns their ids. */
    public static List<Long> addToPipeline(Connection connection, String name, String inputs) throws SQLException {
        try (PreparedStatement statement = ENTER_PIPELINE.prepare(connection, name, inputs);
                ResultSet rows = statement.executeQuery()) {
            List<Long> ids = new ArrayList<>();
            while (rows.next()) ids.add(rows.getLong("id"));
            return ids;
        }
    }

    private interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private <T> List<T> list(Sql sql, Reader<T> reader, @Nullable Object... values) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = sql.prepare(connection, values);
                ResultSet rows = statement.executeQuery()) {
            List<T> all = new ArrayList<>();
            while (rows.next()) all.add(reader.read(rows));
            return all;
        } catch (SQLException e) {
            throw new ReadException(e);
        }
    }

    private static String text(ResultSet row, int column) throws SQLException {
        return Objects.requireNonNull(row.getString(column));
    }

    private static String text(ResultSet row, String column) throws SQLException {
        return Objects.requireNonNull(row.getString(column), column);
    }

    private static Instant sure(ResultSet row, String column) throws SQLException {
        return Objects.requireNonNull(time(row, column), column);
    }

    private static @Nullable Instant time(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    private static List<String> texts(ResultSet row, String column) throws SQLException {
        Array array = row.getArray(column);
        return array == null ? List.of() : Arrays.asList((String[]) array.getArray());
    }
}
