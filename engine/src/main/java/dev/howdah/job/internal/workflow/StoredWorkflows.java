package dev.howdah.job.internal.workflow;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.error.SqlErrorText;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.job.JobsException;
import dev.howdah.job.NewJob;
import dev.howdah.job.internal.insert.JobInserter;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.workflow.Workflow;
import dev.howdah.job.workflow.WorkflowJob;
import dev.howdah.job.workflow.WorkflowSummary;
import dev.howdah.job.workflow.Workflows;
import dev.howdah.spi.PayloadCodec;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The workflows in the tables of a database. Safe for use by many threads. */
public final class StoredWorkflows implements Workflows {
    private static final Sql ADD = JobSql.WORKFLOW.statement("workflow_add");
    private static final Sql CHECK_OPEN = JobSql.WORKFLOW.statement("workflow_check_open");
    private static final Sql ADD_JOBS = JobSql.WORKFLOW.statement("workflow_add_jobs");
    private static final Sql JOIN = JobSql.WORKFLOW.statement("workflow_join");
    private static final Sql CLOSE = JobSql.WORKFLOW.statement("workflow_close");
    private static final Sql CANCEL = JobSql.WORKFLOW.statement("workflow_cancel");
    private static final int MOST = 10_000;

    private final ConnectionSource source;
    private final JobInserter inserter;
    private final PayloadCodec codec;
    private final WorkflowFinder finder;

    public StoredWorkflows(ConnectionSource source, JobInserter inserter, PayloadCodec codec) {
        this.source = source;
        this.inserter = inserter;
        this.codec = codec;
        this.finder = new WorkflowFinder(source);
    }

    /** The work of a transaction. */
    private interface Work<T> {
        T run(Connection connection) throws SQLException;
    }

    @Override
    public long add(Workflow workflow) {
        WorkflowGraph.check(workflow);
        if (isJoining()) return join(connection -> add(connection, workflow));
        return own("workflow " + workflow.name() + " could not be added: ", connection -> put(connection, workflow));
    }

    @Override
    public long add(Connection connection, Workflow workflow) {
        WorkflowGraph.check(workflow);
        return joined(
                "workflow " + workflow.name() + " could not be added: ",
                connection,
                () -> put(source.inSchema(connection), workflow));
    }

    private long put(Connection connection, Workflow workflow) throws SQLException {
        long id = Long.parseLong(ask(
                connection,
                ADD,
                WorkflowJson.jobs(workflow, codec),
                workflow.name(),
                workflow.isOpen(),
                WorkflowJson.callbacks(workflow, codec)));
        addMembers(connection, id, workflow.jobs());
        return id;
    }

    private List<Long> addMembers(Connection connection, long workflow, List<? extends NewJob<?>> jobs)
            throws SQLException {
        if (jobs.isEmpty()) return List.of();
        List<Long> ids = inserter.addMembers(connection, workflow, jobs);
        ask(connection, ADD_JOBS, workflow, ids.size(), Collections.min(ids), Collections.max(ids));
        return ids;
    }

    @Override
    public List<Long> addJobs(long workflow, List<? extends NewJob<?>> jobs) {
        jobs.forEach(Workflow.of("jobs").open()::whenEnded);
        if (isJoining()) return join(connection -> addJobs(connection, workflow, jobs));
        return own("", connection -> addChecked(connection, workflow, jobs));
    }

    @Override
    public List<Long> addJobs(Connection connection, long workflow, List<? extends NewJob<?>> jobs) {
        jobs.forEach(Workflow.of("jobs").open()::whenEnded);
        return joined("", connection, () -> addChecked(source.inSchema(connection), workflow, jobs));
    }

    private List<Long> addChecked(Connection connection, long workflow, List<? extends NewJob<?>> jobs)
            throws SQLException {
        ask(connection, CHECK_OPEN, workflow);
        return addMembers(connection, workflow, jobs);
    }

    @Override
    public List<Long> addJobs(long workflow, Workflow more) {
        WorkflowGraph.checkAddition(more);
        if (isJoining()) return join(connection -> addJobs(connection, workflow, more));
        return own("", connection -> join(connection, workflow, more));
    }

    @Override
    public List<Long> addJobs(Connection connection, long workflow, Workflow more) {
        WorkflowGraph.checkAddition(more);
        return joined("", connection, () -> join(source.inSchema(connection), workflow, more));
    }

    private List<Long> join(Connection connection, long workflow, Workflow more) throws SQLException {
        List<Long> ids = new ArrayList<>();
        if (!more.named().isEmpty()) {
            try (PreparedStatement statement = JOIN.prepare(connection, workflow, WorkflowJson.jobs(more, codec));
                    ResultSet row = statement.executeQuery()) {
                while (row.next()) ids.add(row.getLong(1));
            }
        }
        if (!more.jobs().isEmpty()) ids.addAll(addChecked(connection, workflow, more.jobs()));
        return List.copyOf(ids);
    }

    @Override
    public boolean close(long workflow) {
        return own("", connection -> ask(connection, CLOSE, workflow).equals("t"));
    }

    @Override
    public long cancel(long workflow) {
        return own("", connection -> Long.parseLong(ask(connection, CANCEL, workflow)));
    }

    @Override
    public Optional<WorkflowSummary> find(long workflow) {
        return finder.find(workflow);
    }

    @Override
    public List<WorkflowSummary> list(boolean unfinished, long before, int most) {
        if (most < 1 || most > MOST) throw new IllegalArgumentException(most + " workflows: it has to be 1 to " + MOST);
        return finder.list(unfinished, before, most);
    }

    @Override
    public List<WorkflowJob> jobs(long workflow) {
        return finder.jobs(workflow);
    }

    private boolean isJoining() {
        return inserter.isJoining();
    }

    private <T> T join(Function<Connection, T> work) {
        return inserter.join(work);
    }

    private <T> T own(String failed, Work<T> work) {
        try (Connection connection = source.getConnection()) {
            return Transactions.in(connection, () -> work.run(connection));
        } catch (SQLException e) {
            throw new JobsException(failed + SqlErrorText.of(e), e);
        }
    }

    /** In the caller's transaction; on a connection in autocommit mode in one of its own. */
    private static <T> T joined(String failed, Connection connection, Transactions.Work<T> work) {
        try {
            return connection.getAutoCommit() ? Transactions.in(connection, work) : work.run();
        } catch (SQLException e) {
            throw new JobsException(failed + SqlErrorText.of(e), e);
        }
    }

    private static String ask(Connection connection, Sql sql, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, values);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getString(1);
        }
    }
}
