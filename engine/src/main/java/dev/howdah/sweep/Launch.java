package dev.howdah.sweep;

import dev.howdah.internal.sql.KeptSession;
import dev.howdah.internal.sql.SessionCheck;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Begins a sweep, or joins it, if nothing speaks against it.
 *
 * @param source of connections that are used for a moment
 * @param sessions of those that are kept
 * @param name of the sweep
 * @param anyway whether it begins whatever the survey says
 */
record Launch(
        DataSource source,
        DataSource sessions,
        String name,
        Definition definition,
        Work work,
        Crew crew,
        Limits limits,
        boolean anyway) {

    /** @param throttle at most so many rows a second; null: as before */
    Sweep start(@Nullable Double throttle, boolean retryFailed, Duration grace) {
        try (KeptSession session = session()) {
            SweepSchema.MIGRATIONS.migrate(session.connection());
            Target target = Target.find(session, definition);
            String json = definition.json(target);
            Book.Entry known = Book.find(session, name);
            if (known != null) Book.check(name, known, json);
            Book.checkRun(session, name, json);
            Survey survey = survey(session, target, known == null ? 0 : known.id());
            survey.checkTexts();
            limits.check(session);
            List<String> objections = anyway ? List.of() : survey.objections();
            if (!objections.isEmpty())
                throw new SweepException(String.join("; ", objections) + "; \"anyway\" sweeps it all the same");
            String full = LockBudget.of(session, crew.workers(), crew.batch()).objection();
            if (full != null) throw new SweepException(full);
            Book.Entry entry = Book.join(session, name, json, throttle);
            if (retryFailed) session.update(Sweeps.RETRY_FAILED, name);
            if (!entry.isCounted()) {
                Survey.Count count = survey.count();
                Book.total(session, entry.id(), count.rows(), count.isExact());
            }
            return new Sweep(source, name, SweepRun.start(setup(target, entry)), grace);
        } catch (SQLException e) {
            throw new SweepException("the sweep " + name + " cannot begin: " + Failures.text(e), e);
        }
    }

    SweepPlan dryRun() {
        try (KeptSession session = session()) {
            Target target = Target.find(session, definition);
            Survey survey = survey(session, target, 0);
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
                    objections);
        } catch (SQLException e) {
            throw new SweepException("the sweep cannot be looked at: " + Failures.text(e), e);
        }
    }

    private Survey survey(KeptSession session, Target target, int number) throws SQLException {
        return new Survey(session, definition, target, new Statements(definition, target, Book.now(session), number));
    }

    private SweepRun.Setup setup(Target target, Book.Entry entry) {
        Statements statements = new Statements(definition, target, entry.started(), entry.id());
        WorkSession.Plans plans = WorkSession.Plans.of(
                statements, entry.id(), target.key().size(), definition.mark() != null, definition.sql() != null);
        return new SweepRun.Setup(
                sessions,
                target,
                entry.id(),
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
