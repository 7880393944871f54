package dev.howdah.job.internal.store;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrorText;
import dev.howdah.job.JobsException;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads single jobs, wherever they are. Safe for use by many threads. */
public final class JobFinder {
    private static final Sql FIND = JobSql.HAND.statement("job_find");

    private final ConnectionSource source;

    public JobFinder(ConnectionSource source) {
        this.source = source;
    }

    public Optional<JobSummary> find(long id) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = FIND.prepare(connection, id);
                ResultSet row = statement.executeQuery()) {
            return row.next() ? Optional.of(summary(row)) : Optional.empty();
        } catch (SQLException e) {
            throw new JobsException(SqlErrorText.of(e), e);
        }
    }

    private static JobSummary summary(ResultSet row) throws SQLException {
        return new JobSummary(
                row.getLong("id"),
                row.getString("queue"),
                row.getString("kind"),
                JobState.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
                row.getInt("priority"),
                row.getInt("attempt"),
                row.getObject("created", OffsetDateTime.class).toInstant(),
                row.getObject("run_at", OffsetDateTime.class).toInstant(),
                instant(row, "begun"),
                instant(row, "ended"),
                row.getObject("node", Integer.class),
                row.getString("error"),
                row.getString("result"),
                row.getString("payload"));
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
