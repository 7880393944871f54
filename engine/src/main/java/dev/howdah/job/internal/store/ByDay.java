package dev.howdah.job.internal.store;

import dev.howdah.internal.sql.SqlFile;
import java.time.LocalDate;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Statements about batches of one day, for each day once. A statement that names the day opens and locks the table of that day, the same without a
 * day those of all days that are kept, whether a row of theirs is meant or not. Safe for use by many threads.
 */
public final class ByDay<T> {
    /** Nodes end batches of today, and now and then of yesterday. */
    private static final int MOST = 4;

    private final Map<String, T> known = new ConcurrentHashMap<>();
    private final Function<SqlFile, T> maker;
    private final T any;

    /** @param maker gets {@code job.sql} for each day, and once for any */
    public ByDay(Function<SqlFile, T> maker) {
        this.maker = maker;
        this.any = maker.apply(JobSql.JOB);
    }

    /** For batches of any day. */
    public T any() {
        return any;
    }

    /** @param day as {@code 2026-01-31}; null: any */
    public T of(@Nullable String day) {
        if (day == null) return any;
        if (known.size() > MOST) known.clear();
        return known.computeIfAbsent(day, each -> maker.apply(JobSql.JOB.with(Map.of("of_day", condition(each)))));
    }

    /** The text is read as a date first: it can be nothing else then. */
    private static String condition(String day) {
        return "b.day = DATE '" + LocalDate.parse(day) + "'";
    }
}
