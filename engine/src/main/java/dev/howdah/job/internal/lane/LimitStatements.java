package dev.howdah.job.internal.lane;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.sql.Sql;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobNames;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.internal.store.JobStatements;
import dev.howdah.job.limit.JobLimits;
import dev.howdah.job.limit.LimitScope;
import dev.howdah.job.limit.LimitSetting;
import dev.howdah.job.limit.Rate;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The statements that set limits. */
public final class LimitStatements implements JobLimits {
    private static final Sql CONCURRENCY = JobSql.LIMIT.statement("limit_set");
    private static final Sql RATE = JobSql.LIMIT.statement("limit_set_rate");
    private static final Sql SHARE = JobSql.LIMIT.statement("limit_set_share");
    private static final Sql AGEING = JobSql.LIMIT.statement("limit_set_ageing");
    private static final Sql LIST = JobSql.LIMIT.statement("limit_list_all");

    private final JobStatements statements;

    public LimitStatements(ConnectionSource source) {
        this.statements = new JobStatements(source);
    }

    @Override
    public void setConcurrency(LimitScope scope, int jobs) {
        if (jobs < 1) throw new IllegalArgumentException("a limit of " + jobs + ": it has to be 1 or more");
        concurrency(scope, jobs, false);
    }

    @Override
    public void removeConcurrency(LimitScope scope) {
        concurrency(scope, null, false);
    }

    @Override
    public void setNodeConcurrency(LimitScope scope, int jobs) {
        if (jobs < 1) throw new IllegalArgumentException("a limit of " + jobs + ": it has to be 1 or more");
        concurrency(ofNode(scope), jobs, true);
    }

    @Override
    public void removeNodeConcurrency(LimitScope scope) {
        concurrency(ofNode(scope), null, true);
    }

    private static LimitScope ofNode(LimitScope scope) {
        if (scope.group() != null || scope.eachGroup())
            throw new IllegalArgumentException(
                    "a limit of a group for each node: it is for all nodes together, or of a queue or a kind");
        return scope;
    }

    private void concurrency(LimitScope scope, @Nullable Integer jobs, boolean eachNode) {
        statements.run(CONCURRENCY, scope.queue(), jobs, scope.kind(), scope.group(), scope.eachGroup(), eachNode);
    }

    @Override
    public void setRate(LimitScope scope, Rate rate) {
        rate(scope, rate.jobs(), Durations.micros(rate.period()), rate.burst());
    }

    @Override
    public void removeRate(LimitScope scope, Duration period) {
        rate(scope, null, Durations.micros(period), null);
    }

    @Override
    public void removeRates(LimitScope scope) {
        rate(scope, null, null, null);
    }

    private void rate(LimitScope scope, @Nullable Integer jobs, @Nullable Long periodMicros, @Nullable Integer burst) {
        statements.run(RATE, scope.queue(), jobs, periodMicros, burst, scope.kind(), scope.group(), scope.eachGroup());
    }

    @Override
    public void setShare(String queue, String group, double share) {
        if (!(share >= 0.001 && share <= 1000))
            throw new IllegalArgumentException("a share of " + share + ": it has to be from 0.001 to 1000");
        statements.run(SHARE, JobNames.check("queue", queue), JobNames.check("group", group), share);
    }

    @Override
    public void setAgeing(String queue, Duration every, int most) {
        if (every.compareTo(Duration.ofSeconds(1)) < 0 || every.compareTo(Duration.ofDays(366)) > 0)
            throw new IllegalArgumentException("a time of " + every + ": it has to be from a second to 366 days");
        if (most < 1 || most > 200)
            throw new IllegalArgumentException("an ageing by " + most + ": it has to be from 1 to 200");
        statements.run(AGEING, JobNames.check("queue", queue), Durations.micros(every), most);
    }

    @Override
    public void removeAgeing(String queue) {
        statements.run(AGEING, JobNames.check("queue", queue), null, null);
    }

    @Override
    public List<LimitSetting> list() {
        return statements.list(
                LIST,
                row -> new LimitSetting(
                        new LimitScope(row.getString(1), row.getString(2), row.getString(3), row.getBoolean(4)),
                        row.getBoolean(5),
                        row.getString(6),
                        row.getString(7)));
    }
}
