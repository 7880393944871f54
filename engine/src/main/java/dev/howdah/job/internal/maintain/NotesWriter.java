package dev.howdah.job.internal.maintain;

import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.job.internal.execute.JobNotes;
import dev.howdah.job.internal.execute.JobNotes.Line;
import dev.howdah.job.internal.execute.JobNotes.Notes;
import dev.howdah.job.internal.execute.JobNotes.Progress;
import dev.howdah.job.internal.store.JobSession;
import dev.howdah.job.internal.store.JobSql;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes what the handlers of a node have said of their jobs: one statement for all of them. Safe for use by many threads. */
public final class NotesWriter implements MaintenanceRunner.MaintenanceTask {
    private static final Logger log = LoggerFactory.getLogger(NotesWriter.class);
    private static final Sql WRITE = JobSql.NODE.statement("job_notes_write");

    private final JobNotes notes;
    /** What could not be written yet. */
    private @Nullable Notes left;

    public NotesWriter(JobNotes notes) {
        this.notes = notes;
    }

    @Override
    public boolean isAlways() {
        return true;
    }

    @Override
    public synchronized long run(JobSession session) throws SQLException {
        Notes now = left == null ? notes.drain() : left;
        left = now;
        if (!now.isEmpty()) write(session, now);
        left = null;
        return MaintenanceRunner.WHEN_CALLED;
    }

    /** Returns whether nothing waits to be written. */
    synchronized boolean isIdle() {
        return left == null && notes.isEmpty();
    }

    private static void write(JobSession session, Notes all) throws SQLException {
        try {
            update(session, all);
        } catch (SQLException e) {
            // One of them has characters that the encoding of the database lacks: the others are written.
            if (!SqlErrors.isBadData(e)) throw e;
            for (Progress each : all.progress()) writeOne(session, new Notes(List.of(each), List.of()), each.job());
            for (Line each : all.lines()) writeOne(session, new Notes(List.of(), List.of(each)), each.job());
        }
    }

    private static void writeOne(JobSession session, Notes one, long job) throws SQLException {
        try {
            update(session, one);
        } catch (SQLException e) {
            if (!SqlErrors.isBadData(e)) throw e;
            log.warn("what the handler of job {} said cannot be stored: {}", job, e.getMessage());
        }
    }

    private static void update(JobSession session, Notes all) throws SQLException {
        long now = System.nanoTime();
        session.update(
                WRITE,
                longs(all.progress(), Progress::job),
                longs(all.progress(), Progress::token),
                texts(all.progress(), each -> Double.toString(each.done())),
                texts(all.progress(), Progress::message),
                longs(all.progress(), each -> (now - each.nanos()) / 1_000_000),
                longs(all.lines(), Line::job),
                longs(all.lines(), each -> (long) each.attempt()),
                texts(all.lines(), Line::text),
                longs(all.lines(), each -> (now - each.nanos()) / 1_000_000));
    }

    private static <T> Long[] longs(List<T> rows, Function<T, Long> column) {
        return rows.stream().map(column).toArray(Long[]::new);
    }

    private static <T> @Nullable String[] texts(List<T> rows, Function<T, @Nullable String> column) {
        @Nullable String[] texts = new String[rows.size()];
        for (int i = 0; i < texts.length; i++) texts[i] = column.apply(rows.get(i));
        return texts;
    }
}
