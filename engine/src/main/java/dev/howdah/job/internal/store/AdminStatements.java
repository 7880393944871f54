package dev.howdah.job.internal.store;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrorText;
import dev.howdah.job.JobsException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The statements that change single jobs and whole queues, each in a transaction of its own. Safe for use by many threads. */
public final class AdminStatements {
    public static final Sql CANCEL = JobSql.HAND.statement("job_cancel");
    public static final Sql RETRY = JobSql.HAND.statement("job_retry");
    public static final Sql DELETE = JobSql.HAND.statement("job_delete");
    public static final Sql HURRY = JobSql.HAND.statement("job_hurry");
    public static final Sql HURRY_QUEUE = JobSql.HAND.statement("queue_hurry");
    public static final Sql REPRIORITIZE = JobSql.HAND.statement("job_reprioritize");
    public static final Sql PAUSE = JobSql.HAND.statement("queue_pause");
    public static final Sql LIMIT = JobSql.HAND.statement("queue_limit");
    public static final Sql RESUME = JobSql.HAND.statement("queue_resume");

    private final ConnectionSource source;

    public AdminStatements(ConnectionSource source) {
        this.source = source;
    }

    /** The one value that the statement answers. */
    public String ask(Sql sql, @Nullable Object... values) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = sql.prepare(connection, values);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new JobsException(SqlErrorText.of(e), e);
        }
    }

    /** As {@link #ask}, for those that answer yes or no. */
    public boolean isSo(Sql sql, @Nullable Object... values) {
        return ask(sql, values).equals("t");
    }
}
