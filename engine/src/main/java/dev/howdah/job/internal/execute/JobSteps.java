package dev.howdah.job.internal.execute;

import dev.howdah.internal.connection.BorrowedConnection;
import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.connection.TransactionSession;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.error.SqlErrorText;
import dev.howdah.internal.json.CodedType;
import dev.howdah.internal.sql.Sql;
import dev.howdah.internal.sql.SqlErrors;
import dev.howdah.job.FatalException;
import dev.howdah.job.Job;
import dev.howdah.job.JobsException;
import dev.howdah.job.internal.attempt.RecordRoom;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.store.JobNames;
import dev.howdah.job.internal.store.JobSql;
import dev.howdah.job.internal.wait.Rehearsal;
import dev.howdah.job.internal.wait.ReplayPlaces;
import dev.howdah.job.internal.wait.StepFailures;
import dev.howdah.spi.PayloadCodec;
import java.lang.reflect.Type;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The steps of one attempt: those that earlier attempts have done are read when the first is asked for. Safe for use by many threads. */
final class JobSteps {
    private static final Sql READ = JobSql.STEP.statement("step_read");
    private static final Sql READ_RESUMED = JobSql.STEP.statement("step_read_resumed");
    private static final Sql WRITE = JobSql.STEP.statement("step_write");
    /** A batch is split while its other jobs end: the statement then looks for the job in the new one. */
    private static final int LOOKS = 3;
    /** How often a step in a transaction is begun until the transaction of none other is in its way. */
    private static final int TURNS = 50;

    private static final int PAUSE_MILLIS = 20;
    private static final int LONGEST_PAUSE_MILLIS = 500;

    private final ConnectionSource source;
    private final PayloadCodec codec;
    private final ClaimedBatch batch;
    private final Job job;
    private final ConnectionInUse inUse;
    private final @Nullable Supplier<@Nullable ReplayPlaces> places;
    private final Supplier<@Nullable Integer> stretch;
    private final Function<Boolean, @Nullable StepFailures> failures;
    private final @Nullable Rehearsal rehearsal;
    private final RecordRoom room;
    private final Set<String> asked = new HashSet<>();
    private final Set<String> running = new LinkedHashSet<>();
    private @Nullable Map<String, Recorded> done;

    /**
     * What an earlier attempt has recorded.
     *
     * @param problem why the result is not there although the step was done; null: it is there
     * @param own whether the thread of the handler did it, where that is known
     * @param behind the number of the last wait before it, where that is known
     */
    private record Recorded(
            int attempt, @Nullable String result, @Nullable String problem, boolean own, int behind) {}

    /**
     * @param inUse told of the transactions of steps
     * @param places for the thread of the handler where the run is; null: the job has not waited before
     * @param room for records
     * @param stretch the number of the last wait; null: there was none
     * @param rehearsal null: the handler does what it says
     * @param failures of the steps of the handler's thread; whether they are made if there are none; null: of another thread, or there are none
     */
    JobSteps(
            ConnectionSource source,
            PayloadCodec codec,
            ClaimedBatch batch,
            Job job,
            ConnectionInUse inUse,
            @Nullable Supplier<@Nullable ReplayPlaces> places,
            RecordRoom room,
            Supplier<@Nullable Integer> stretch,
            Function<Boolean, @Nullable StepFailures> failures,
            @Nullable Rehearsal rehearsal) {
        this.rehearsal = rehearsal;
        this.failures = failures;
        this.places = places;
        this.room = room;
        this.stretch = stretch;
        this.inUse = inUse;
        this.source = source;
        this.codec = codec;
        this.batch = batch;
        this.job = job;
    }

    <T> @Nullable T run(String name, CodedType<T> type, Callable<? extends @Nullable T> work) throws Exception {
        throwAgain(name);
        Recorded known = begin(name);
        if (known != null) return result(name, known, type);
        T returned;
        try {
            returned = work.call();
        } catch (Throwable e) {
            free(name);
            threw(name, e);
            throw e;
        } finally {
            ended(name);
        }
        String json;
        T result;
        try {
            json = encoded(returned, type.type());
            String tooLong = room.tooLong(json);
            if (tooLong != null) throw new IllegalArgumentException(tooLong);
            result = read(name, json, type);
        } catch (RuntimeException | Error e) {
            throw lost(name, e);
        }
        record(name, json);
        return result;
    }

    <T> @Nullable T runInTransaction(String name, CodedType<T> type, Job.StepInTransaction<? extends @Nullable T> work)
            throws Exception {
        throwAgain(name);
        Recorded known = begin(name);
        if (known != null) return result(name, known, type);
        try {
            for (int turn = 1; ; turn++) {
                try {
                    return inTransaction(name, type, work);
                } catch (Refused e) {
                    if (turn == TURNS) throw e.why;
                    pause(turn);
                }
            }
        } catch (Throwable e) {
            ended(name);
            free(name);
            threw(name, e);
            throw e;
        }
    }

    /** The transaction of a step that others at the same time have made impossible: of the levels REPEATABLE READ and SERIALIZABLE. */
    private static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        private final transient SQLException why;

        Refused(SQLException why) {
            super(null, null, false, false);
            this.why = why;
        }
    }

    private static boolean isInTheWay(SQLException e) {
        return SqlErrors.isSerializationFailure(e) || SqlErrors.isDeadlock(e);
    }

    /** Those that were in each other's way do not come again at the same moment. */
    private static void pause(int turn) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(
                ThreadLocalRandom.current().nextInt(Math.min(PAUSE_MILLIS * turn, LONGEST_PAUSE_MILLIS)));
    }

    private <T> @Nullable T inTransaction(
            String name, CodedType<T> type, Job.StepInTransaction<? extends @Nullable T> work) throws Exception {
        // When it is closed, a transaction that is still open is rolled back.
        try (TransactionSession session = source.liveSession()) {
            Connection connection = session.connection();
            connection.setAutoCommit(false);
            T result;
            inUse.begin(connection, true);
            try {
                result = work.run(BorrowedConnection.of(connection, "step"));
            } catch (SQLException e) {
                throw isInTheWay(e) ? new Refused(e) : e;
            } finally {
                inUse.end();
            }
            String json = encoded(result, type.type());
            String tooLong = room.tooLong(json);
            if (tooLong != null)
                throw new FatalException("step \"" + name + "\" of job " + job.id()
                        + " is undone: its result cannot be recorded: " + tooLong);
            result = read(name, json, type);
            try {
                write(connection, name, json, null);
                connection.commit();
                StepFailures failed = failures.apply(false);
                if (failed != null) failed.written();
            } catch (SQLException e) {
                throw isInTheWay(e) ? new Refused(e) : notRecorded(name, e);
            }
            ended(name);
            return result;
        }
    }

    private void threw(String name, Throwable e) {
        if (!(e instanceof Exception thrown) || job.cancelled()) return;
        StepFailures failed = failures.apply(true);
        if (failed != null) failed.threw(name, thrown);
    }

    /** Again where only this statement had to make way for another one: the work of the step is done already. */
    private void record(String name, @Nullable String json) {
        for (int look = 1; ; look++) {
            try (TransactionSession session = source.statementSession()) {
                write(session.connection(), name, json, null);
                return;
            } catch (SQLException e) {
                if (look < LOOKS && SqlErrors.isRollback(e)) continue;
                throw mayWorkLater(e) ? notRecorded(name, e) : lost(name, e);
            }
        }
    }

    private PayloadCodec.Subject subject() {
        return new PayloadCodec.Subject(PayloadCodec.Use.STEP, job.kind());
    }

    private @Nullable String encoded(@Nullable Object result, Type type) {
        return result == null ? null : codec.encode(result, type, subject());
    }

    private <T> @Nullable T decoded(@Nullable String json, CodedType<T> type) {
        return json == null ? null : type.decode(codec, json, subject());
    }

    /**
     * What later attempts get of a result, so that the first one gets the same.
     *
     * @throws FatalException if it cannot be read: another attempt would only do the work again
     */
    private <T> @Nullable T read(String name, @Nullable String json, CodedType<T> type) {
        try {
            return decoded(json, type);
        } catch (IllegalArgumentException e) {
            throw new FatalException(
                    "the result of step \"" + name + "\" of job " + job.id() + " cannot be read as " + type
                            + ", which the step was called with: call the step with a type whose objects the codec"
                            + " reads back: " + e.getMessage(),
                    e);
        }
    }

    /** Throws what the step has thrown in an earlier run, whose handler has gone on behind that. */
    private void throwAgain(String name) throws Exception {
        StepFailures failed = failures.apply(false);
        Exception recorded = failed == null ? null : failed.recorded(name);
        if (recorded != null) throw recorded;
    }

    /** The record of an earlier attempt; null: there is none, and the step is this thread's from now on. */
    private synchronized @Nullable Recorded begin(String name) throws SQLException {
        JobNames.check("step", name);
        Map<String, Recorded> known = done;
        if (known == null) known = done = read();
        if (!known.containsKey(name)) JobNames.checkNew("step", name);
        if (!asked.add(name))
            throw new IllegalStateException("step \"" + name + "\" of job " + job.id()
                    + " is asked for once more in one run: each step needs a name of its own; in a loop, make the number a"
                    + " part of the name");
        Recorded recorded = known.get(name);
        ReplayPlaces place = recorded != null || places == null ? null : places.get();
        if (place != null) place.checkNew("step", name);
        if (rehearsal != null && recorded == null) throw rehearsal.end();
        if (recorded == null) {
            room.check("step \"" + name + '"');
            running.add(name);
        }
        return recorded;
    }

    /** The step was not done: it can be asked for again. */
    private synchronized void free(String name) {
        running.remove(name);
        asked.remove(name);
    }

    /** A step of the handler's thread that an earlier run has recorded, and this one has not asked for; null: none. */
    synchronized ReplayPlaces.@Nullable LeftStep unasked() {
        Map<String, Recorded> known = known();
        for (Map.Entry<String, Recorded> each : known.entrySet())
            if (each.getValue().own() && !asked.contains(each.getKey()))
                return new ReplayPlaces.LeftStep(each.getKey(), each.getValue().behind());
        return null;
    }

    /** A step that an earlier attempt has recorded, and this one has not asked for; null: none that is known without asking the database. */
    synchronized @Nullable String unaskedOfKnown() {
        if (done == null) return null;
        return done.keySet().stream()
                .filter(name -> !asked.contains(name))
                .findFirst()
                .orElse(null);
    }

    /** What is recorded under the old name is asked for by the new one. */
    synchronized void renamed(String old, String name) {
        Map<String, Recorded> known = known();
        Recorded recorded = known.remove(old);
        if (recorded != null) known.putIfAbsent(name, recorded);
    }

    /** What is recorded under that name is not asked for any more. */
    synchronized void retired(String name) {
        known().remove(name);
    }

    private Map<String, Recorded> known() {
        Map<String, Recorded> known = done;
        try {
            if (known == null) done = known = read();
            return known;
        } catch (SQLException e) {
            throw new JobsException("the steps of job " + job.id() + " cannot be read: " + SqlErrorText.of(e), e);
        }
    }

    private synchronized void ended(String name) {
        running.remove(name);
    }

    /** The name of a step that runs; null: none does. */
    synchronized @Nullable String runningName() {
        return running.isEmpty() ? null : running.iterator().next();
    }

    private Map<String, Recorded> read() throws SQLException {
        Map<String, Recorded> read = new HashMap<>();
        try (TransactionSession session = source.statementSession();
                PreparedStatement statement = (places == null ? READ : READ_RESUMED)
                        .prepare(session.connection(), job.id(), job.kind(), job.queue());
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                String name = row.getString(1);
                if (name == null)
                    throw new IllegalStateException(
                            "job " + job.id() + " is of the log queue " + job.queue()
                                    + ", whose entries can be read again: its jobs have no steps; add a job to another queue for them");
                boolean own = places != null && row.getBoolean("own");
                room.read(row.getString(2));
                int behind = places == null ? 0 : row.getInt("behind");
                read.put(name, new Recorded(row.getInt(3), row.getString(2), row.getString(4), own, behind));
            }
        }
        return read;
    }

    private <T> @Nullable T result(String name, Recorded known, CodedType<T> type) {
        if (known.problem() != null)
            throw new FatalException(
                    "step \"" + name + "\" of job " + job.id() + " was done in attempt " + known.attempt()
                            + ", and its result could not be recorded (" + known.problem()
                            + "): remove its row from howdah_internal.job_step to have it done again");
        try {
            return decoded(known.result(), type);
        } catch (IllegalArgumentException e) {
            // Another program may know the class, and the step is not done again.
            String problem = "the result of step \"" + name + "\" of job " + job.id() + ", recorded in attempt "
                    + known.attempt() + ", cannot be read as " + type + ": " + e.getMessage();
            ReplayPlaces place = places == null ? null : places.get();
            if (place != null) throw place.diverge(name, problem);
            throw new JobsException(problem, e);
        }
    }

    /** @param problem why there is no result, or null */
    private void write(Connection connection, String name, @Nullable String json, @Nullable String problem)
            throws SQLException {
        StepFailures failed = failures.apply(false);
        if (failed != null && !failed.isEmpty()) failed.write(connection);
        for (int look = 0; look < LOOKS; look++) {
            try (PreparedStatement statement = WRITE.prepare(
                            connection,
                            batch.node(),
                            batch.token(),
                            job.id(),
                            job.kind(),
                            name,
                            job.attempt(),
                            json,
                            problem,
                            stretch.get());
                    ResultSet row = statement.executeQuery()) {
                if (row.next()) {
                    room.written(json);
                    return;
                }
            }
        }
        throw new JobsException("step \"" + name + "\" of job " + job.id()
                + " is not recorded: the node does not have the job any more, and another attempt may be running");
    }

    /** The same record may be accepted another time, or by another session. */
    private static boolean mayWorkLater(SQLException e) {
        return SqlErrors.isConnectionLost(e)
                || SqlErrors.isRollback(e)
                || SqlErrors.isLockNotAvailable(e)
                || SqlErrors.isReadOnly(e)
                || SqlErrors.isOutOfResources(e)
                || SqlErrors.isOperatorIntervention(e)
                || SqlErrors.isSystemError(e);
    }

    /** The step is done, and no attempt can record its result: each would do it again. */
    private FatalException lost(String name, Throwable e) {
        String problem = ErrorText.line(e);
        FatalException fatal = new FatalException(
                "step \"" + name + "\" of job " + job.id() + " is done, and its result cannot be recorded: " + problem,
                e);
        try (TransactionSession session = source.statementSession()) {
            write(session.connection(), name, null, problem);
        } catch (SQLException | RuntimeException another) {
            fatal.addSuppressed(another);
        }
        return fatal;
    }

    private JobsException notRecorded(String name, SQLException e) {
        return new JobsException(
                "step \"" + name + "\" of job " + job.id() + " is not recorded: " + SqlErrorText.of(e), e);
    }
}
