package dev.howdah.job.internal.wait;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.job.Job;
import dev.howdah.job.JobsException;
import dev.howdah.job.internal.attempt.OpenWait;
import dev.howdah.job.internal.attempt.OpenWait.Type;
import dev.howdah.job.internal.batch.ClaimedBatch;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobNames;
import dev.howdah.job.wait.JobSuspended;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The waits of one run. A wait that has not ended is noted, and thrown as {@link JobSuspended}: what counts is the note. For the thread of the
 * handler; other threads ask what is noted.
 */
public final class JobWaits {
    /** A shorter sleep is spent in the thread: to suspend the job costs the database more than that. */
    private static final long SHORT_MICROS = 2_000_000;

    private final Job job;
    private final boolean isResumed;
    private final Thread thread;
    private final Supplier<@Nullable String> runningStep;
    private final WaitRecords records;
    private final Map<Type, Map<String, Integer>> asked = new HashMap<>();
    private volatile @Nullable OpenWait open;

    /**
     * @param isResumed whether earlier runs have waited
     * @param thread that of the handler
     * @param runningStep the name of a step that runs; null: none does
     */
    public JobWaits(
            ConnectionSource source,
            ClaimedBatch batch,
            Job job,
            boolean isResumed,
            Thread thread,
            Supplier<@Nullable String> runningStep) {
        this.job = job;
        this.isResumed = isResumed;
        this.thread = thread;
        this.runningStep = runningStep;
        this.records = new WaitRecords(source, batch, job);
    }

    /** What the handler waits for; null: it has not begun to wait. */
    public @Nullable OpenWait open() {
        return open;
    }

    /** The number of the last record, which steps name that are done behind it; null: there is none. */
    public @Nullable Integer stretch() {
        int last = isResumed ? records.last() : records.lastKnown();
        return last == 0 ? null : last;
    }

    /** Throws again what was noted. */
    public void refuseIfSuspended() {
        OpenWait noted = open;
        if (noted != null) throw new JobSuspended(noted.words());
    }

    /** @param spread up to so much longer, at random */
    public void sleep(String name, Duration duration, Duration spread) {
        long most = Durations.micros(Durations.check(spread));
        long micros = duration.isNegative() ? 0 : Durations.micros(Durations.check(duration));
        sleep(
                begin(Type.SLEEP, name),
                micros + (most == 0 ? 0 : ThreadLocalRandom.current().nextLong(most + 1)),
                null);
    }

    /** @param end by the database's clock */
    public void sleepUntil(String name, Instant end) {
        Instant moment = Durations.checkMoment("sleep \"" + name + "\" until ", end);
        WaitRecord.Key key = begin(Type.SLEEP, name);
        long micros = TimeUnit.SECONDS.toMicros(moment.getEpochSecond()) + moment.getNano() / 1_000;
        sleep(key, micros - records.nowMicros() - sinceRead(), moment.toString());
    }

    private void sleep(WaitRecord.Key key, long micros, @Nullable String until) {
        long now = System.nanoTime();
        WaitRecord known = records.find(key);
        if (known == null && micros < SHORT_MICROS) spend(key, micros);
        else if (known == null)
            throw suspend(
                    new OpenWait(key.type(), key.name(), key.nth(), records.last() + 1, micros, now, until, false));
        else if (!known.over() && sinceRead() < known.leftMicros())
            throw suspend(new OpenWait(
                    key.type(),
                    key.name(),
                    key.nth(),
                    known.number(),
                    known.leftMicros(),
                    records.readAt(),
                    known.until(),
                    true));
    }

    private long sinceRead() {
        return TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - records.readAt());
    }

    private void spend(WaitRecord.Key key, long micros) {
        try {
            if (micros > 0) TimeUnit.MICROSECONDS.sleep(micros);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobsException("sleep \"" + key.name() + "\" of job " + job.id() + " was interrupted", e);
        }
        records.slept(key);
    }

    /** Which one it is of its name. */
    private WaitRecord.Key begin(Type type, String name) {
        JobNames.checkNew("wait", name);
        refuseIfSuspended();
        if (Thread.currentThread() != thread)
            throw new IllegalStateException(refusal(type, name) + " in the thread \""
                    + Thread.currentThread().getName() + "\": only the handler's own thread, \"" + thread.getName()
                    + "\", can wait, since a wait ends the run");
        String step = runningStep.get();
        if (step != null)
            throw new IllegalStateException(refusal(type, name) + " while step \"" + step
                    + "\" runs, which would be done again: wait before or behind it; steps of other threads have to be"
                    + " joined first");
        return new WaitRecord.Key(
                type, name, asked.computeIfAbsent(type, each -> new HashMap<>()).merge(name, 1, Integer::sum));
    }

    private String refusal(Type type, String name) {
        return "job " + job.id() + " cannot wait for " + type.code() + " \"" + name + "\"";
    }

    private JobSuspended suspend(OpenWait wait) {
        open = wait;
        return new JobSuspended(wait.words());
    }
}
