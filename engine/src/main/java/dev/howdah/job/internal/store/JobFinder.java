package dev.howdah.job.internal.store;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrorText;
import dev.howdah.job.JobsException;
import dev.howdah.job.query.JobAttempt;
import dev.howdah.job.query.JobLogLine;
import dev.howdah.job.query.JobProgress;
import dev.howdah.job.query.JobStep;
import dev.howdah.job.query.JobSummary;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reads single jobs, wherever they are. Safe for use by many threads. */
public final class JobFinder {
    /** Takes the ids as an array; {@link JobRows#summary} reads its rows. */
    public static final Sql FIND = JobSql.QUERY.statement("job_find");

    private static final Sql ATTEMPTS = JobSql.QUERY.statement("job_attempts");
    private static final Sql STEPS = JobSql.QUERY.statement("job_steps");
    private static final Sql PROGRESS = JobSql.QUERY.statement("job_progress");
    private static final Sql LOG = JobSql.QUERY.statement("job_log");

    private final ConnectionSource source;

    public JobFinder(ConnectionSource source) {
        this.source = source;
    }

    public Optional<JobSummary> find(long id) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = FIND.prepare(connection, (Object) new Long[] {id});
                ResultSet row = statement.executeQuery()) {
            return row.next() ? Optional.of(JobRows.summary(row)) : Optional.empty();
        } catch (SQLException e) {
            throw new JobsException(SqlErrorText.of(e), e);
        }
    }

    public Optional<JobProgress> progress(long id) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = PROGRESS.prepare(connection, id);
                ResultSet row = statement.executeQuery()) {
            if (!row.next()) return Optional.empty();
            return Optional.of(
                    new JobProgress(row.getDouble("done"), row.getString("message"), JobRows.instant(row, "at")));
        } catch (SQLException e) {
            throw new JobsException(SqlErrorText.of(e), e);
        }
    }

    public List<JobLogLine> log(long id, int most) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = LOG.prepare(connection, id, most);
                ResultSet row = statement.executeQuery()) {
            List<JobLogLine> lines = new ArrayList<>();
            while (row.next())
                lines.add(new JobLogLine(JobRows.instant(row, "at"), row.getInt("attempt"), row.getString("line")));
            return List.copyOf(lines);
        } catch (SQLException e) {
            throw new JobsException(SqlErrorText.of(e), e);
        }
    }

    public List<JobStep> steps(long id) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = STEPS.prepare(connection, id);
                ResultSet row = statement.executeQuery()) {
            List<JobStep> steps = new ArrayList<>();
            while (row.next())
                steps.add(new JobStep(
                        row.getString("kind"),
                        row.getString("name"),
                        row.getInt("attempt"),
                        JobRows.instant(row, "at"),
                        row.getString("result")));
            return List.copyOf(steps);
        } catch (SQLException e) {
            throw new JobsException(SqlErrorText.of(e), e);
        }
    }

    public List<JobAttempt> attempts(long id) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = ATTEMPTS.prepare(connection, id);
                ResultSet row = statement.executeQuery()) {
            List<JobAttempt> attempts = new ArrayList<>();
            while (row.next())
                attempts.add(new JobAttempt(
                        row.getInt("attempt"),
                        row.getString("kind"),
                        JobAttempt.Result.valueOf(row.getString("outcome").toUpperCase(Locale.ROOT)),
                        row.getInt("node"),
                        JobRows.instant(row, "begun"),
                        JobRows.instantOrNull(row, "ended"),
                        row.getString("error")));
            return List.copyOf(attempts);
        } catch (SQLException e) {
            throw new JobsException(SqlErrorText.of(e), e);
        }
    }
}
