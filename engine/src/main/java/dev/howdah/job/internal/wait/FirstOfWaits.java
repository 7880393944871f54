package dev.howdah.job.internal.wait;

import dev.howdah.job.Job;
import dev.howdah.job.internal.attempt.OpenWait;
import dev.howdah.job.internal.attempt.OpenWait.Type;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobNames;
import dev.howdah.job.wait.Awaited;
import dev.howdah.job.wait.JobSuspended;
import dev.howdah.job.wait.Signal;
import dev.howdah.job.wait.Wait;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Waits of a job for the first of several. For the thread of the handler. */
final class FirstOfWaits {
    private static final int MOST = 100;

    private final Job job;
    private final JobWaits waits;
    private final WaitRecords records;

    FirstOfWaits(Job job, JobWaits waits, WaitRecords records) {
        this.job = job;
        this.waits = waits;
        this.records = records;
    }

    /** What is waited for, as the statement takes it. */
    private static final class Arguments {
        final @Nullable String[] signals;
        final @Nullable Long[] children;
        /** From 1; null: there is no time. */
        @Nullable
        Integer time;

        long micros = JobChildren.FOREVER_MICROS;

        Arguments(int count) {
            signals = new @Nullable String[count];
            children = new @Nullable Long[count];
        }
    }

    Awaited await(String name, Wait[] all) {
        Arguments arguments = arguments(name, all);
        long now = System.nanoTime();
        WaitRecord.Key key = waits.begin(Type.ANY, name);
        WaitRecord known = records.find(key);
        if (known == null) waits.checkNew(key);
        if (known != null && known.over()) return recorded(key, known, all);
        waits.writes();
        while (true) {
            WaitRecords.First first = records.takeAny(
                    known == null ? key : known.key(),
                    known,
                    arguments.signals,
                    arguments.children,
                    arguments.time,
                    arguments.micros == 0);
            if (first == null) throw suspend(key, known, arguments, now);
            Wait winner = all[first.winner() - 1];
            if (!(winner instanceof Wait.OfSignal<?> wanted)) return new Awaited(first.winner() - 1, winner, null);
            WaitRecord.Read read = Objects.requireNonNull(first.signal());
            Signal<?> signal = waits.readOrSetAside(key, wanted.name(), read, wanted.type());
            if (signal != null) return new Awaited(first.winner() - 1, winner, signal);
        }
    }

    private Arguments arguments(String name, Wait[] all) {
        if (all.length == 0 || all.length > MOST)
            throw new IllegalArgumentException(
                    all.length + " waits of \"" + name + "\" of job " + job.id() + ": there have to be 1 to " + MOST);
        Arguments arguments = new Arguments(all.length);
        for (int i = 0; i < all.length; i++) {
            if (all[i] instanceof Wait.OfSignal<?> signal) {
                JobNames.checkNew("wait", signal.name());
                arguments.signals[i] = signal.name();
            } else if (all[i] instanceof Wait.OfChild child) {
                arguments.children[i] = waits.children().record(child.child()).child();
            } else if (all[i] instanceof Wait.OfTime time) {
                if (arguments.time != null)
                    throw new IllegalArgumentException("the wait \"" + name + "\" of job " + job.id()
                            + " has two times, of which the longer one never ends it");
                arguments.time = i + 1;
                arguments.micros = time.atMost().isNegative() ? 0 : Durations.micros(Durations.check(time.atMost()));
            }
        }
        return arguments;
    }

    private Awaited recorded(WaitRecord.Key key, WaitRecord known, Wait[] all) {
        int index = known.winner() - 1;
        Wait winner = index < all.length ? all[index] : null;
        WaitRecord.Read read = known.signal();
        if (winner == null || read == null == winner instanceof Wait.OfSignal)
            throw waits.places()
                    .diverge(
                            key.name(),
                            "the wait \"" + key.name() + "\" of job " + job.id() + " has ended by number "
                                    + known.winner() + " of what it waited for, which is another one now");
        return new Awaited(
                index,
                winner,
                winner instanceof Wait.OfSignal<?> signal && read != null
                        ? waits.recorded(key, signal.name(), read, signal.type())
                        : null);
    }

    private JobSuspended suspend(WaitRecord.Key key, @Nullable WaitRecord known, Arguments arguments, long now) {
        OpenWait.Among among = new OpenWait.Among(
                Arrays.stream(arguments.signals).filter(Objects::nonNull).toList(),
                Arrays.stream(arguments.children).filter(Objects::nonNull).toList());
        return waits.suspend(waits.waiting(key, known, arguments.micros, now).among(among));
    }
}
