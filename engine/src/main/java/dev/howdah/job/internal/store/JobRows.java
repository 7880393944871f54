package dev.howdah.job.internal.store;

import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import dev.howdah.job.wait.JobChild;
import dev.howdah.job.wait.ParentEnd;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads the columns of jobs that the statements of {@code query.sql} have in common. */
public final class JobRows {
    private JobRows() {}

    /** The job of the current row. */
    public static JobSummary summary(ResultSet row) throws SQLException {
        return new JobSummary(
                row.getLong("id"),
                row.getString("queue"),
                row.getString("kind"),
                JobState.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
                row.getInt("priority"),
                row.getInt("attempt"),
                row.getString("key"),
                instant(row, "created"),
                instant(row, "run_at"),
                instantOrNull(row, "begun"),
                instantOrNull(row, "ended"),
                row.getObject("node", Integer.class),
                row.getString("error"),
                row.getString("result"),
                row.getString("payload"),
                JobOptions.texts(row.getString("tags")),
                row.getString("metadata"));
    }

    /** The child of the current row. */
    static JobChild child(ResultSet row) throws SQLException {
        String state = row.getString("state");
        return new JobChild(
                row.getString("name"),
                row.getInt("nth"),
                row.getLong("child"),
                row.getString("child_kind"),
                ParentEnd.valueOf(Objects.requireNonNullElse(row.getString("parent_end"), "cancel")
                        .toUpperCase(Locale.ROOT)),
                state == null ? null : JobState.valueOf(state.toUpperCase(Locale.ROOT)),
                row.getString("error"));
    }

    public static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    public static @Nullable Instant instantOrNull(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
