package dev.howdah.sweep.internal.run;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.DedicatedSession;
import dev.howdah.internal.connection.PoolerCheck;
import dev.howdah.internal.sql.Sql;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.SweepPlan;
import dev.howdah.sweep.SweepRefusedException;
import dev.howdah.sweep.internal.control.Backpressure;
import dev.howdah.sweep.internal.read.KeyCursor;
import dev.howdah.sweep.internal.statements.SweepStatements;
import dev.howdah.sweep.internal.store.SweepDefinition;
import dev.howdah.sweep.internal.store.SweepSchema;
import dev.howdah.sweep.internal.store.SweepSql;
import dev.howdah.sweep.internal.store.SweepSqlErrors;
import dev.howdah.sweep.internal.store.SweepStore;
import dev.howdah.sweep.internal.store.TargetTable;
import dev.howdah.sweep.internal.work.BatchProcessor;
import dev.howdah.sweep.internal.work.LockingSession;
import dev.howdah.sweep.internal.work.WorkerConfig;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Begins a sweep, or joins it, if nothing speaks against it.
 *
 * @param sessions the source of connections that are kept
 * @param name of the sweep
 * @param options how it is started
 */
public record SweepStarter(
        ConnectionSource sessions,
        String name,
        SweepDefinition definition,
        BatchProcessor work,
        WorkerConfig config,
        Backpressure limits,
        Options options) {
    /** So many rows a dry run shows. */
    private static final int FIRST = 10;

    private static final Sql RETRY_FAILED = SweepSql.SWEEP.statement("sweep_retry_failed");

    /**
     * The options of a start.
     *
     * @param throttle at most so many rows a second; null: as before
     * @param hours in which rows are begun; null: as before
     * @param force whether it begins whatever the preflight says
     * @param again whether it begins anew if it has ended
     * @param retryFailed whether rows that have failed before are tried again
     * @param isShared whether the connections that are kept are of the same data source as others
     */
    public record Options(
            @Nullable Double throttle,
            @Nullable String hours,
            boolean force,
            boolean again,
            boolean retryFailed,
            boolean isShared) {}

    /**
     * A sweep that has begun.
     *
     * @param doneBefore when it was done before it was started again; null: it was not
     */
    public record Started(SweepRun run, @Nullable Instant doneBefore) {}

    public Started start() {
        try (DedicatedSession session = session()) {
            requireConnections();
            SweepSchema.MIGRATIONS.migrate(session.connection());
            TargetTable target = TargetTable.find(session, definition);
            String json = definition.json(target);
            SweepStore.Entry known = SweepStore.find(session, name);
            if (known != null) SweepStore.check(name, known, json);
            SweepStore.checkRun(session, name, json);
            PreflightCheck preflight = preflight(session, target, known);
            preflight.checkTexts();
            limits.check(session);
            List<String> objections = options.force() ? List.of() : preflight.objections();
            if (!objections.isEmpty()) throw new SweepRefusedException(objections);
            String full =
                    LockBudget.of(session, config.workers(), config.batch()).objection();
            if (full != null) throw new SweepException(full);
            SweepStore.Joined joined = SweepStore.join(
                    session, name, json, new SweepStore.Change(options.throttle(), options.hours(), options.again()));
            SweepStore.Entry entry = joined.entry();
            if (options.retryFailed()) session.update(RETRY_FAILED, name);
            if (!entry.isCounted()) {
                PreflightCheck.Count count =
                        preflight(session, target, entry.started(), entry.id()).count();
                SweepStore.total(session, entry.id(), count.rows(), count.isExact());
            }
            return new Started(SweepRun.start(setup(target, joined)), joined.doneBefore());
        } catch (SQLException e) {
            throw new SweepException("the sweep " + name + " cannot begin: " + SweepSqlErrors.text(e), e);
        }
    }

    /** Says how many connections are needed, and refuses pools that have fewer. */
    private void requireConnections() throws SQLException {
        int kept = config.workers() + 2;
        boolean same = options.isShared();
        sessions.require(
                same ? kept + 1 : kept,
                "the sweep keeps " + kept + " connections, one for each worker and two more"
                        + (same ? ", and progress() and the like take one for a moment" : "")
                        + "; make the pool larger, use fewer workers, or give SweepBuilder.sessions a data source"
                        + " without a pool");
    }

    public SweepPlan dryRun() {
        try (DedicatedSession session = session()) {
            TargetTable target = TargetTable.find(session, definition);
            boolean isInstalled = SweepStore.isInstalled(session);
            SweepStore.Entry known = isInstalled ? SweepStore.find(session, name) : null;
            if (known != null) SweepStore.check(name, known, definition.json(target));
            if (isInstalled) SweepStore.checkRun(session, name, definition.json(target));
            SweepStore.Entry former = known == null || isAnew(known) ? null : known;
            PreflightCheck preflight = preflight(session, target, known);
            preflight.checkTexts();
            limits.check(session);
            List<String> objections = new ArrayList<>(preflight.objections());
            LockBudget locks = LockBudget.of(session, config.workers(), config.batch());
            String full = locks.objection();
            if (full != null) objections.add(full);
            PreflightCheck.Count count = preflight.count();
            return new SweepPlan(
                    target.qualified(),
                    count.rows(),
                    count.isExact(),
                    preflight.plan(),
                    locks.wanted(),
                    locks.free(),
                    objections,
                    former == null ? null : former.since(),
                    former == null ? null : former.ended(),
                    former == null || options.retryFailed() ? 0 : SweepStore.skipped(session, former.id()),
                    preflight.first(FIRST, former == null || options.retryFailed() ? null : former.id()),
                    preflight.sql());
        } catch (SQLException e) {
            throw new SweepException("the sweep cannot be looked at: " + SweepSqlErrors.text(e), e);
        }
    }

    /** @param known the sweep of that name, with its own moment unless it begins anew; null: there is none */
    private PreflightCheck preflight(DedicatedSession session, TargetTable target, SweepStore.@Nullable Entry known)
            throws SQLException {
        String started = known == null || isAnew(known) ? SweepStore.now(session) : known.started();
        return preflight(session, target, started, known == null ? 0 : known.id());
    }

    private boolean isAnew(SweepStore.Entry known) {
        return options.again() && known.isOver();
    }

    private PreflightCheck preflight(DedicatedSession session, TargetTable target, String started, int number) {
        return new PreflightCheck(
                session, definition, target, new SweepStatements(definition, target, started, number));
    }

    private SweepRun.Setup setup(TargetTable target, SweepStore.Joined joined) {
        SweepStore.Entry entry = joined.entry();
        SweepStatements statements = new SweepStatements(definition, target, entry.started(), entry.id());
        LockingSession.Plans plans = LockingSession.Plans.of(
                statements,
                entry.id(),
                target.key().size(),
                definition.mark() != null,
                definition.sql() != null,
                target.isGuarded());
        return new SweepRun.Setup(
                sessions,
                target,
                name,
                entry.id(),
                joined.run(),
                statements,
                entry.isProven(),
                definition.isStamped(),
                plans,
                work,
                config,
                limits.watch(target),
                session ->
                        preflight(session, target, entry.started(), entry.id()).count());
    }

    /** One in which no statement takes long. */
    private DedicatedSession session() throws SQLException {
        DedicatedSession session = KeyCursor.open(sessions);
        try {
            String objection = PoolerCheck.objection(sessions, session.connection());
            if (objection != null)
                throw new SweepException(
                        objection
                                + " give the sweep the address of PostgreSQL itself (sessions), or of a pool with pool_mode = session");
            KeyCursor.lengthen(session);
            return session;
        } catch (SQLException | RuntimeException e) {
            session.close();
            throw e;
        }
    }
}
