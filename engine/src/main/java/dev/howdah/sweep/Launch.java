package dev.howdah.sweep;

import dev.howdah.internal.sql.ConnectionSource;
import dev.howdah.internal.sql.KeptSession;
import dev.howdah.internal.sql.SessionCheck;
import dev.howdah.internal.sql.Sql;
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
record Launch(
        ConnectionSource sessions,
        String name,
        Definition definition,
        Work work,
        Crew crew,
        Limits limits,
        Options options) {
    private static final Sql RETRY_FAILED = SweepSql.SWEEP.statement("retry_failed");

    /**
     * How a sweep is started.
     *
     * @param throttle at most so many rows a second; null: as before
     * @param anyway whether it begins whatever the survey says
     * @param again whether it begins anew if it has ended
     * @param retryFailed whether rows that have failed before are tried again
     * @param isShared whether the connections that are kept are of the same data source as others
     */
    record Options(@Nullable Double throttle, boolean anyway, boolean again, boolean retryFailed, boolean isShared) {}

    /**
     * A sweep that has begun.
     *
     * @param doneBefore when it was done before it was started again; null: it was not
     */
    record Started(SweepRun run, @Nullable Instant doneBefore) {}

    Started start() {
        try (KeptSession session = session()) {
            requireConnections();
            SweepSchema.MIGRATIONS.migrate(session.connection());
            Target target = Target.find(session, definition);
            String json = definition.json(target);
            Book.Entry known = Book.find(session, name);
            if (known != null) Book.check(name, known, json);
            Book.checkRun(session, name, json);
            Survey survey = survey(session, target, known);
            survey.checkTexts();
            limits.check(session);
            List<String> objections = options.anyway() ? List.of() : survey.objections();
            if (!objections.isEmpty()) throw new SweepRefusedException(objections);
            String full = LockBudget.of(session, crew.workers(), crew.batch()).objection();
            if (full != null) throw new SweepException(full);
            Book.Joined joined = Book.join(session, name, json, options.throttle(), options.again());
            Book.Entry entry = joined.entry();
            if (options.retryFailed()) session.update(RETRY_FAILED, name);
            if (!entry.isCounted()) {
                Survey.Count count =
                        survey(session, target, entry.started(), entry.id()).count();
                Book.total(session, entry.id(), count.rows(), count.isExact());
            }
            return new Started(SweepRun.start(setup(target, joined)), joined.doneBefore());
        } catch (SQLException e) {
            throw new SweepException("the sweep " + name + " cannot begin: " + Failures.text(e), e);
        }
    }

    /** Says how many connections are needed, and refuses pools that have fewer. */
    private void requireConnections() throws SQLException {
        int kept = crew.workers() + 2;
        boolean same = options.isShared();
        sessions.require(
                same ? kept + 1 : kept,
                "the sweep keeps " + kept + " connections, one for each worker and two more"
                        + (same ? ", and progress() and the like take one for a moment" : "")
                        + "; make the pool larger, use fewer workers, or give SweepBuilder.sessions a data source"
                        + " without a pool");
    }

    SweepPlan dryRun() {
        try (KeptSession session = session()) {
            Target target = Target.find(session, definition);
            boolean isInstalled = Book.isInstalled(session);
            Book.Entry known = isInstalled ? Book.find(session, name) : null;
            if (known != null) Book.check(name, known, definition.json(target));
            if (isInstalled) Book.checkRun(session, name, definition.json(target));
            Book.Entry former = known == null || isAnew(known) ? null : known;
            Survey survey = survey(session, target, known);
            survey.checkTexts();
            limits.check(session);
            List<String> objections = new ArrayList<>(survey.objections());
            LockBudget locks = LockBudget.of(session, crew.workers(), crew.batch());
            String full = locks.objection();
            if (full != null) objections.add(full);
            Survey.Count count = survey.count();
            return new SweepPlan(
                    target.qualified(),
                    count.rows(),
                    count.isExact(),
                    survey.plan(),
                    locks.wanted(),
                    locks.free(),
                    objections,
                    former == null ? null : former.since(),
                    former == null ? null : former.ended(),
                    former == null || options.retryFailed() ? 0 : Book.skipped(session, former.id()));
        } catch (SQLException e) {
            throw new SweepException("the sweep cannot be looked at: " + Failures.text(e), e);
        }
    }

    /** @param known the sweep of that name, with its own moment unless it begins anew; null: there is none */
    private Survey survey(KeptSession session, Target target, Book.@Nullable Entry known) throws SQLException {
        String started = known == null || isAnew(known) ? Book.now(session) : known.started();
        return survey(session, target, started, known == null ? 0 : known.id());
    }

    private boolean isAnew(Book.Entry known) {
        return options.again() && known.isOver();
    }

    private Survey survey(KeptSession session, Target target, String started, int number) {
        return new Survey(session, definition, target, new Statements(definition, target, started, number));
    }

    private SweepRun.Setup setup(Target target, Book.Joined joined) {
        Book.Entry entry = joined.entry();
        Statements statements = new Statements(definition, target, entry.started(), entry.id());
        WorkSession.Plans plans = WorkSession.Plans.of(
                statements, entry.id(), target.key().size(), definition.mark() != null, definition.sql() != null);
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
                crew,
                limits.watch(target));
    }

    /** One in which no statement takes long. */
    private KeptSession session() throws SQLException {
        KeptSession session = KeyReader.open(sessions);
        try {
            String objection = SessionCheck.objection(sessions, session.connection());
            if (objection != null)
                throw new SweepException(
                        objection
                                + " give the sweep the address of PostgreSQL itself (sessions), or of a pool with pool_mode = session");
            return session;
        } catch (SQLException | RuntimeException e) {
            session.close();
            throw e;
        }
    }
}
