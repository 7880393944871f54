package dev.howdah.job.internal.history;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.history.JobHistory;
import dev.howdah.job.history.RetentionRule;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.internal.store.JobStatements;
import dev.howdah.job.query.JobState;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rules by which jobs that have ended are kept and counted, as the database has them. */
public final class HistoryStatements implements JobHistory {
    private static final Sql PUT = JobSql.NODE.statement("retention_put");
    private static final Sql LIST = JobSql.NODE.statement("retention_list");
    private static final Sql COUNT_TAG = JobSql.STAT.statement("tag_count");
    private static final Sql UNCOUNT_TAG = JobSql.STAT.statement("tag_uncount");
    private static final Sql LIST_TAGS = JobSql.STAT.statement("tag_list");

    private final JobStatements statements;

    public HistoryStatements(ConnectionSource source) {
        this.statements = new JobStatements(source);
    }

    @Override
    public void retain(RetentionRule rule) {
        put(rule.queue(), rule.outcome(), Durations.micros(rule.keep()), rule.archive());
    }

    @Override
    public void retainByDefault(@Nullable String queue, JobState outcome) {
        put(queue, outcome, null, null);
    }

    private void put(@Nullable String queue, JobState outcome, @Nullable Long micros, @Nullable String archive) {
        statements.run(PUT, queue, outcome.name().toLowerCase(Locale.ROOT), micros, archive);
    }

    @Override
    public List<RetentionRule> rules() {
        return statements.list(
                LIST,
                row -> new RetentionRule(
                        row.getString("queue"),
                        JobState.valueOf(row.getString("outcome").toUpperCase(Locale.ROOT)),
                        Duration.of(row.getLong("micros"), ChronoUnit.MICROS),
                        row.getString("archive"),
                        row.getLong("removed"),
                        row.getString("error")));
    }

    @Override
    public void countTag(String tag, int most) {
        statements.run(COUNT_TAG, tag, most);
    }

    @Override
    public boolean uncountTag(String tag) {
        return statements.isSo(UNCOUNT_TAG, tag);
    }

    @Override
    public Map<String, Integer> countedTags() {
        Map<String, Integer> counted = new LinkedHashMap<>();
        statements.list(LIST_TAGS, row -> counted.put(row.getString("pattern"), row.getInt("most")));
        return Collections.unmodifiableMap(counted);
    }
}
