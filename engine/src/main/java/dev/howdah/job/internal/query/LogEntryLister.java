package dev.howdah.job.internal.query;

import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.store.JobRows;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.query.JobQuery;
import dev.howdah.job.query.JobState;
import dev.howdah.job.query.JobSummary;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Lists entries of log queues that wait, the oldest first. The function that reads them gives the newest between two ids: so ranges of ids are read, one
 * after the other, each of which has fewer entries than are read of it.
 */
final class LogEntryLister {
    private static final Sql RANGES = JobSql.QUERY.statement("job_entry_ranges");
    private static final Sql LIST = JobSql.QUERY.statement("job_list_entries");

    /** How many entries a range has at most: also so many ids have no more. */
    private static final int READ = 2_000;

    /** Ids are drawn before entries are committed: those of a later segment can be smaller than that of the reader's place by so much. */
    private static final long LATE = 1_000_000;

    private LogEntryLister() {}

    /** What a reader has not read: ids greater than the first, up to the last. */
    private record Range(String queue, long after, long last) {
        Range within(long least, long below) {
            return new Range(queue, Math.max(after, least), Math.min(last, below - 1));
        }
    }

    /** The entries with ids between two which meet the query, up to a number for each reader. */
    static List<JobSummary> oldest(Connection connection, JobQuery query, long after, long below, int most)
            throws SQLException {
        List<JobSummary> found = new ArrayList<>();
        boolean none = query.key() != null || query.error() != null || query.errorPattern() != null;
        if (none || query.state() != JobState.WAITING) return found;
        for (Range each : ranges(connection, query))
            found.addAll(read(connection, query, each.within(after, below), most));
        return found;
    }

    private static List<Range> ranges(Connection connection, JobQuery query) throws SQLException {
        List<Range> ranges = new ArrayList<>();
        try (PreparedStatement statement = JobLister.planned(connection, RANGES, query.queue());
                ResultSet row = statement.executeQuery()) {
            while (row.next())
                ranges.add(new Range(row.getString("queue"), row.getLong("after") - LATE, row.getLong("last")));
        }
        return ranges;
    }

    private static List<JobSummary> read(Connection connection, JobQuery query, Range range, int most)
            throws SQLException {
        List<JobSummary> found = new ArrayList<>();
        long from = range.after();
        for (long ids = READ; from < range.last() && found.size() < most; ) {
            List<JobSummary> entries = new ArrayList<>();
            long seen = 0;
            long below = Math.min(from + ids, range.last() + 1);
            try (PreparedStatement statement = JobLister.planned(
                            connection,
                            LIST,
                            range.queue(),
                            query.kind(),
                            query.payload(),
                            JobLister.text(query.from()),
                            JobLister.text(query.until()),
                            JobLister.tags(query),
                            query.metadata(),
                            below,
                            from,
                            READ,
                            most - found.size());
                    ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    seen = row.getLong("seen");
                    if (row.getObject("id") != null) entries.add(JobRows.summary(row));
                }
            }
            if (seen == READ && ids > READ) {
                // There may be more than were read, and these are the newest of them.
                ids = Math.max(READ, ids / 8);
                continue;
            }
            found.addAll(entries);
            from = below - 1;
            if (seen < READ / 2) ids *= 2;
        }
        return found;
    }
}
