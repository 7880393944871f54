package dev.howdah.job;

import dev.howdah.internal.sql.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrorText;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Does by hand what people want with single jobs and whole queues, each in a transaction of its own. Safe for use by many threads. */
final class JobAdmin {
    static final Sql CANCEL = JobSql.HAND.statement("cancel");
    static final Sql RETRY = JobSql.HAND.statement("retry");
    static final Sql HURRY = JobSql.HAND.statement("hurry");
    static final Sql HURRY_QUEUE = JobSql.HAND.statement("hurry_queue");
    static final Sql REPRIORITIZE = JobSql.HAND.statement("reprioritize");
    static final Sql PAUSE = JobSql.HAND.statement("pause");
    static final Sql LIMIT = JobSql.HAND.statement("limit");
    static final Sql RESUME = JobSql.HAND.statement("resume");

    private final ConnectionSource source;

    JobAdmin(ConnectionSource source) {
        this.source = source;
    }

    /** The one value that the statement answers. */
    String ask(Sql sql, @Nullable Object... values) {
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
    boolean isSo(Sql sql, @Nullable Object... values) {
        return ask(sql, values).equals("t");
    }
}
