package dev.howdah.job.internal.maintain;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.pause.PauseMark;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.internal.sql.Transactions;
import dev.howdah.job.internal.store.DayTables;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the tables that the batches of the coming days go into, drops those of days gone by, and removes failed jobs after
 * their time, in small steps, where no rule says otherwise. Any number of nodes may do so; one at a time does.
 */
public final class HistoryCleaner {
    private static final Logger log = LoggerFactory.getLogger(HistoryCleaner.class);
    private static final Sql HOUSE_LOCK = JobSql.NODE.statement("day_lock");
    private static final Sql DROP_DAY = JobSql.NODE.statement("day_drop");
    private static final Sql DAYS_GONE = JobSql.NODE.statement("day_list_old");
    private static final Sql DAYS = JobSql.NODE.statement("retention_days");
    private static final Sql REST = JobSql.NODE.statement("retention_rest");
    private static final Sql FAILED_GONE = JobSql.NODE.statement("failed_delete_old");
    private static final Sql KEYS_GONE = JobSql.NODE.statement("key_delete_old");
    private static final Sql LOG_GONE = JobSql.NODE.statement("job_log_delete_old");
    private static final Sql PROGRESS_GONE = JobSql.NODE.statement("job_progress_delete_old");
    private static final Sql STEPS_GONE = JobSql.STEP.statement("step_delete_old");
    private static final Sql RECORDS_GONE = JobSql.WAIT.statement("wait_delete_old");
    private static final Sql SIGNALS_GONE = JobSql.WAIT.statement("signal_delete_old");
    private static final Sql CHILDREN_GONE = JobSql.WAIT.statement("child_delete_old");
    private static final Sql EVENTS_GONE = JobSql.WAIT.statement("job_event_delete_old");
    private static final Sql TOKENS_GONE = JobSql.WAIT.statement("token_delete_old");
    private static final Sql WINDOWS_OVER = JobSql.NODE.statement("key_forget");
    private static final Sql WORKFLOWS_GONE = JobSql.WORKFLOW.statement("workflow_delete_old");
    private static final Sql LANES_GONE = JobSql.LANE.statement("lane_delete_old");
    private static final Sql RATES_GONE = JobSql.LIMIT.statement("limit_use_delete_old");
    private static final int STEP = 1000;

    private final ConnectionSource source;
    private final boolean removes;
    private final int doneDays;
    private final int failedDays;

    /** One of a program without handlers, which does not know for how long the others keep the history. */
    public static HistoryCleaner removingNothing(ConnectionSource source) {
        return new HistoryCleaner(source, false, 0, 0);
    }

    /**
     * @param doneDays how many whole days the history of what is done is kept
     * @param failedDays how many days failed jobs are kept
     */
    public HistoryCleaner(ConnectionSource source, int doneDays, int failedDays) {
        this(source, true, doneDays, failedDays);
    }

    private HistoryCleaner(ConnectionSource source, boolean removes, int doneDays, int failedDays) {
        this.source = source;
        this.removes = removes;
        this.doneDays = doneDays;
        this.failedDays = failedDays;
    }

    /** Makes the tables of the coming days, and removes what has had its time. */
    public void tidy() throws SQLException {
        try (JobSession session = JobSession.open(source)) {
            Connection connection = session.connection();
            DayTables.make(connection);
            if (!removes || PauseMark.isSet(connection)) return;
            session.update(REST, doneDays, failedDays);
            int historyDays =
                    Integer.parseInt(rows(connection, DAYS, doneDays).get(0).get(0));
            for (List<String> day : rows(connection, DAYS_GONE, historyDays)) drop(connection, day.get(0));
            int gone;
            for (Sql each : List.of(
                    FAILED_GONE,
                    KEYS_GONE,
                    LOG_GONE,
                    PROGRESS_GONE,
                    STEPS_GONE,
                    RECORDS_GONE,
                    SIGNALS_GONE,
                    CHILDREN_GONE,
                    EVENTS_GONE,
                    TOKENS_GONE,
                    WORKFLOWS_GONE,
                    RATES_GONE,
                    LANES_GONE)) {
                if (PauseMark.isSet(connection)) return;
                int days = List.of(FAILED_GONE, KEYS_GONE, WORKFLOWS_GONE, LANES_GONE)
                                .contains(each)
                        ? failedDays
                        : historyDays;
                do
                    gone = Integer.parseInt(
                            rows(connection, each, days, STEP).get(0).get(0));
                while (gone >= STEP);
            }
            do
                gone = Integer.parseInt(
                        rows(connection, WINDOWS_OVER, STEP).get(0).get(0));
            while (gone >= STEP);
        }
    }

    /** A drop locks the whole table for a moment: no session is to wait for it behind a long read. */
    private static void drop(Connection connection, String table) throws SQLException {
        try {
            boolean dropped = Transactions.in(connection, () -> {
                if (!rows(connection, HOUSE_LOCK).get(0).get(0).equals("t")) return false;
                rows(connection, DROP_DAY, table);
                return true;
            });
            if (dropped) log.info("dropped the history of {}", table.substring("batch_".length()));
        } catch (SQLException e) {
            if (!SqlErrors.isLockNotAvailable(e)) throw e;
            log.debug("{} is in use, another time", table);
        }
    }

    private static List<List<String>> rows(Connection connection, Sql sql, Object... values) throws SQLException {
        List<List<String>> rows = new ArrayList<>();
        try (PreparedStatement statement = sql.prepare(connection, values);
                ResultSet row = statement.executeQuery()) {
            int columns = row.getMetaData().getColumnCount();
            while (row.next()) {
                List<String> cells = new ArrayList<>(columns);
                for (int i = 1; i <= columns; i++) cells.add(row.getString(i));
                rows.add(cells);
            }
        }
        return rows;
    }
}
