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
    public static final Sql CANCEL = JobSql.HAND.statement("cancel");
    public static final Sql RETRY = JobSql.HAND.statement("retry");
    public static final Sql HURRY = JobSql.HAND.statement("hurry");
    public static final Sql HURRY_QUEUE = JobSql.HAND.statement("hurry_queue");
    public static final Sql REPRIORITIZE = JobSql.HAND.statement("reprioritize");
    public static final Sql PAUSE = JobSql.HAND.statement("pause");
    public static final Sql LIMIT = JobSql.HAND.statement("limit");
    public static final Sql RESUME = JobSql.HAND.statement("resume");

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
