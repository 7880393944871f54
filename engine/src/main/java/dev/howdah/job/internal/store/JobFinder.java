package dev.howdah.job.internal.store;

import dev.howdah.health.Cause;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.health.CauseRows;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.query.JobAttempt;
import dev.howdah.job.query.JobCounts;
import dev.howdah.job.query.JobLogLine;
import dev.howdah.job.query.JobProgress;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobStep;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.query.QueueSummary;
import dev.howdah.job.wait.JobChild;
import dev.howdah.job.wait.SentSignal;
import dev.howdah.job.wait.SignalResult;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads single jobs, wherever they are, and queues. Safe for use by many threads. */
public final class JobFinder {
    /** Takes the ids as an array; {@link JobRows#summary} reads its rows. */
    public static final Sql FIND = JobSql.QUERY.statement("job_find");

    private static final Sql ATTEMPTS = JobSql.QUERY.statement("job_attempts");
    private static final Sql STEPS = JobSql.QUERY.statement("job_steps");
    private static final Sql SEND = JobSql.WAIT.statement("signal_send");
    private static final Sql SIGNALS = JobSql.WAIT.statement("signal_list");
    private static final Sql PROGRESS = JobSql.QUERY.statement("job_progress");
    private static final Sql WHY = JobSql.ADMIN.statement("job_why");
    private static final Sql WHY_SCHEDULE = JobSql.ADMIN.statement("schedule_why");
    private static final Sql COUNTS = JobSql.QUERY.statement("job_counts");
    private static final Sql QUEUES = JobSql.QUERY.statement("queue_overview");
    private static final Sql CHILDREN = JobSql.WAIT.statement("child_list");
    private static final Sql PARENT = JobSql.WAIT.statement("child_parent");
    private static final Sql LOG = JobSql.QUERY.statement("job_log");

    private final JobStatements statements;

    public JobFinder(ConnectionSource source) {
        this(new JobStatements(source));
    }

    public JobFinder(JobStatements statements) {
        this.statements = statements;
    }

    public Optional<JobSummary> find(long id) {
        return statements.list(FIND, JobRows::summary, (Object) new Long[] {id}).stream()
                .findFirst();
    }

    public SignalResult signal(@Nullable Connection transaction, long id, String name, String json) {
        Object[] values = {id, name, json, null, false};
        String result =
                transaction == null ? statements.value(SEND, values) : statements.value(transaction, SEND, values);
        return SignalResult.valueOf(result.toUpperCase(Locale.ROOT));
    }

    public List<SentSignal> signals(long id, int most) {
        return statements.list(
                SIGNALS,
                row -> new SentSignal(
                        row.getLong("id"),
                        row.getString("name"),
                        row.getString("payload"),
                        row.getString("given"),
                        row.getString("sender"),
                        JobRows.instant(row, "sent"),
                        JobRows.instantOrNull(row, "read"),
                        row.getString("problem")),
                id,
                most);
    }

    public List<JobChild> children(long id, int most) {
        return statements.list(CHILDREN, JobRows::child, id, most);
    }

    public OptionalLong parent(long id) {
        return statements.list(PARENT, row -> row.getLong(1), id).stream()
                .mapToLong(Long::longValue)
                .findFirst();
    }

    public Optional<JobProgress> progress(long id) {
        return statements
                .list(
                        PROGRESS,
                        row -> new JobProgress(
                                row.getDouble("done"), row.getString("message"), JobRows.instant(row, "at")),
                        id)
                .stream()
                .findFirst();
    }

    public List<JobLogLine> log(long id, int most) {
        return statements.list(
                LOG,
                row -> new JobLogLine(JobRows.instant(row, "at"), row.getInt("attempt"), row.getString("line")),
                id,
                most);
    }

    public List<JobStep> steps(long id) {
        return statements.list(
                STEPS,
                row -> new JobStep(
                        row.getString("kind"),
                        row.getString("name"),
                        row.getInt("attempt"),
                        JobRows.instant(row, "at"),
                        row.getString("result")),
                id);
    }

    /** @param most the number after which counting stops */
    public List<QueueSummary> queues(int most) {
        return statements.list(
                QUEUES,
                row -> new QueueSummary(
                        row.getString("queue"),
                        row.getLong("due"),
                        row.getLong("later"),
                        JobRows.instantOrNull(row, "oldest"),
                        row.getLong("running"),
                        row.getLong("failed"),
                        row.getLong("done_hour"),
                        row.getLong("retried_hour"),
                        row.getLong("failed_hour"),
                        JobRows.instantOrNull(row, "paused"),
                        row.getString("paused_by"),
                        texts(row.getArray("paused_kinds"))),
                most + 1);
    }

    public JobCounts counts() {
        Map<JobState, Long> counts = new EnumMap<>(JobState.class);
        Set<JobState> incomplete = EnumSet.noneOf(JobState.class);
        statements.list(
                COUNTS,
                row -> {
                    JobState state = JobState.valueOf(row.getString("state").toUpperCase(Locale.ROOT));
                    if (!row.getBoolean("is_all")) incomplete.add(state);
                    return counts.put(state, row.getLong("jobs")) == null;
                },
                JobCounts.COUNTED);
        return new JobCounts(counts, incomplete);
    }

    private static List<String> texts(@Nullable Array array) throws SQLException {
        return array == null ? List.of() : List.of((String[]) array.getArray());
    }

    public List<Cause> why(long id) {
        return statements.list(WHY, CauseRows::cause, id);
    }

    public List<Cause> whySchedule(String name) {
        return statements.list(WHY_SCHEDULE, CauseRows::cause, name);
    }

    public List<JobAttempt> attempts(long id) {
        return statements.list(
                ATTEMPTS,
                row -> new JobAttempt(
                        row.getInt("attempt"),
                        row.getString("kind"),
                        JobAttempt.Result.valueOf(row.getString("outcome").toUpperCase(Locale.ROOT)),
                        row.getInt("node"),
                        JobRows.instant(row, "begun"),
                        JobRows.instantOrNull(row, "ended"),
                        row.getString("error")),
                id);
    }
}
