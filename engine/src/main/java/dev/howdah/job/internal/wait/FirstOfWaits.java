package dev.howdah.job.internal.wait;

import dev.howdah.internal.json.CodedType;
import dev.howdah.job.Job;
import dev.howdah.job.internal.attempt.OpenWait;
import dev.howdah.job.internal.attempt.OpenWait.Type;
import dev.howdah.job.internal.store.Durations;
import dev.howdah.job.internal.store.JobNames;
import dev.howdah.job.wait.Awaited;
import dev.howdah.job.wait.ChildFailedException;
import dev.howdah.job.wait.EventWait;
import dev.howdah.job.wait.JobSuspended;
import dev.howdah.job.wait.Wait;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
    static final class Arguments {
        final @Nullable String[] signals;
        final @Nullable Long[] children;
        final @Nullable Long[] others;
        final @Nullable String[] topics;
        final @Nullable String[] keys;
        final @Nullable String[] filters;
        final Boolean[] onlyNew;
        final WaitRecords.Look look = new WaitRecords.Look();
        /** From 1; null: there is no time. */
        @Nullable
        Integer time;

        long micros = JobChildren.FOREVER_MICROS;

        private Arguments(int count) {
            signals = new @Nullable String[count];
            children = new @Nullable Long[count];
            others = new @Nullable Long[count];
            topics = new @Nullable String[count];
            keys = new @Nullable String[count];
            filters = new @Nullable String[count];
            onlyNew = new Boolean[count];
            Arrays.fill(onlyNew, false);
        }
    }

    Awaited await(String name, Wait[] all) {
        Arguments arguments = arguments(name, all);
        long now = System.nanoTime();
        WaitRecord.Key key = waits.begin(Type.ANY, name);
        WaitRecord known = records.find(key);
        if (known == null) waits.checkNew(key);
        if (known != null && known.over()) return recorded(key, known, all);
        waits.mayEnd();
        while (true) {
            WaitRecords.First first = records.takeAny(known == null ? key : known.key(), known, arguments);
            if (first == null) throw suspend(key, known, arguments, now);
            Wait winner = all[first.winner() - 1];
            Object value = null;
            if (winner instanceof Wait.OfSignal<?> wanted) {
                value = waits.readOrSetAside(key, wanted.name(), Objects.requireNonNull(first.signal()), wanted.type());
                if (value == null) continue;
            }
            return awaited(key, first.winner(), winner, value, first.signal(), first.end());
        }
    }

    /** @param signal null: it is none, or {@code read} has it */
    private Awaited awaited(
            WaitRecord.Key key,
            int number,
            Wait winner,
            @Nullable Object signal,
            WaitRecord.@Nullable Read read,
            WaitRecord.@Nullable End end) {
        Object value = signal;
        ChildFailedException failure = null;
        if (winner instanceof Wait.OfEvent<?> event) {
            value = waits.emitted(event.event(), Objects.requireNonNull(read));
        } else if (winner instanceof Wait.OfJob<?> other) {
            WaitRecord.End ended = Objects.requireNonNull(end);
            failure = waits.ends().failure(key, other.id(), ended);
            if (failure == null)
                value = waits.children()
                        .decoded(key.name(), other.id(), ended, CodedType.of(other.type(), "job " + other.id()));
        }
        return new Awaited(number - 1, winner, value, failure);
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
            } else if (all[i] instanceof Wait.OfEvent<?> happening) {
                EventWait<?> event = happening.event();
                arguments.topics[i] = event.topic();
                arguments.keys[i] = event.key();
                arguments.filters[i] = event.filter();
                arguments.onlyNew[i] = event.isOnlyNew();
            } else if (all[i] instanceof Wait.OfChild child) {
                arguments.children[i] = waits.children().record(child.child()).child();
            } else if (all[i] instanceof Wait.OfJob<?> other) {
                waits.ends().checkOther(other.id());
                arguments.others[i] = other.id();
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
        boolean isRead = winner instanceof Wait.OfSignal || winner instanceof Wait.OfEvent;
        if (winner == null || read == null == isRead || known.end() == null == winner instanceof Wait.OfJob)
            throw waits.places()
                    .diverge(
                            key.name(),
                            "the wait \"" + key.name() + "\" of job " + job.id() + " has ended by number "
                                    + known.winner() + " of what it waited for, which is another one now");
        Object signal = winner instanceof Wait.OfSignal<?> of && read != null
                ? waits.recorded(key, of.name(), read, of.type())
                : null;
        return awaited(key, known.winner(), winner, signal, read, known.end());
    }

    private JobSuspended suspend(WaitRecord.Key key, @Nullable WaitRecord known, Arguments arguments, long now) {
        List<OpenWait.Happening> events = new ArrayList<>();
        for (int i = 0; i < arguments.topics.length; i++) {
            String topic = arguments.topics[i];
            if (topic != null)
                events.add(new OpenWait.Happening(
                        i + 1,
                        topic,
                        Objects.requireNonNull(arguments.keys[i]),
                        arguments.filters[i],
                        arguments.onlyNew[i] ? arguments.look.at : null));
        }
        OpenWait.Among among = new OpenWait.Among(
                given(arguments.signals), given(arguments.children), events, given(arguments.others));
        return waits.suspend(waits.waiting(key, known, arguments.micros, now).among(among));
    }

    private static <T> List<T> given(@Nullable T[] all) {
        return Arrays.stream(all).filter(Objects::nonNull).toList();
    }
}
