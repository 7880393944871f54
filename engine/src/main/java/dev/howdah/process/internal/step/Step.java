package dev.howdah.process.internal.step;

import dev.howdah.process.Event;
import dev.howdah.process.HistoryRange;
import dev.howdah.process.Payload;
import dev.howdah.process.ProcessState;
import dev.howdah.process.ProcessStatus;
import dev.howdah.process.ProcessTask;
import dev.howdah.process.TaskType;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A task of a process that this node has taken, and its end, of which there is one. */
public final class Step {
    /**
     * The process of the step.
     *
     * @param timer when its timer is due, if it has one beside this task
     */
    public record Subject(
            long number,
            String id,
            ProcessStatus status,
            ProcessStatus previous,
            Instant statusChanged,
            Instant created,
            @Nullable String detail,
            @Nullable Long corruptedBy,
            long lastEvent,
            Payload auxState,
            @Nullable Payload metadata,
            @Nullable Instant timer) {}

    /**
     * The task of the step.
     *
     * @param timer whether it is a timer
     * @param attempts how often it has failed
     * @param lost whether its node has died while it ran
     * @param trace the context of traces in which it was asked for; null: there is none
     * @param token of the request; null: it is a timer, or was written by an earlier version
     */
    public record Errand(
            long id,
            TaskType type,
            boolean timer,
            Payload args,
            Payload context,
            Instant scheduled,
            int attempts,
            boolean lost,
            @Nullable String trace,
            @Nullable Long token) {}

    private final NamespaceSlots served;
    private final long turn;
    private final int chain;
    private final Subject subject;
    private final Errand errand;
    private final StepHistory history;
    private final AtomicReference<@Nullable StepResult> outcome = new AtomicReference<>();
    private volatile long deadline = Long.MAX_VALUE;
    private volatile boolean timed;
    private volatile boolean abandoned;
    private volatile boolean refused;
    private @Nullable Thread thread;

    /** @param chain how many steps of the process this node has done without a pause */
    Step(NamespaceSlots served, long turn, int chain, Subject subject, Errand errand, StepHistory history) {
        this.served = served;
        this.turn = turn;
        this.chain = chain;
        this.subject = subject;
        this.errand = errand;
        this.history = history;
    }

    public NamespaceSlots served() {
        return served;
    }

    public long number() {
        return subject.number();
    }

    public long turn() {
        return turn;
    }

    public int chain() {
        return chain;
    }

    public Subject subject() {
        return subject;
    }

    public Errand errand() {
        return errand;
    }

    public StepHistory history() {
        return history;
    }

    /** What the processor sees of it. */
    public ProcessState state() {
        return new ProcessState(
                served.namespace().name(),
                subject.id(),
                subject.status(),
                subject.previous(),
                subject.statusChanged(),
                subject.created(),
                subject.detail(),
                subject.corruptedBy(),
                subject.auxState(),
                subject.metadata(),
                history.events(),
                subject.lastEvent(),
                history.range(),
                subject.timer());
    }

    /** What the processor is to do. */
    public ProcessTask task() {
        return new ProcessTask(
                errand.id(), errand.type(), errand.args(), errand.context(), errand.scheduled(), errand.attempts() + 1);
    }

    /** This thread works on it now. */
    public synchronized void begin() {
        deadline = System.nanoTime() + served.namespace().stepTimeout().toNanos();
        timed = true;
        thread = Thread.currentThread();
    }

    /** This thread does not work on it any more, and is not to be interrupted because of it. */
    public synchronized void leave() {
        thread = null;
        Thread.interrupted();
    }

    public synchronized void interrupt() {
        if (thread != null) thread.interrupt();
    }

    /** Its end counts for nothing from now on. */
    public void abandon() {
        abandoned = true;
    }

    public boolean isAbandoned() {
        return abandoned;
    }

    public boolean isOverdue() {
        return timed && System.nanoTime() - deadline > 0 && outcome.get() == null;
    }

    /** Says how it ended; false if it has ended already. */
    public boolean end(StepResult how) {
        return outcome.compareAndSet(null, how);
    }

    /** It ends otherwise than it said: the database does not take that. */
    public void refuse(StepResult how) {
        refused = true;
        outcome.set(how);
    }

    public boolean isRefused() {
        return refused;
    }

    /** How it ended. */
    public StepResult outcome() {
        StepResult ended = outcome.get();
        if (ended == null) throw new IllegalStateException("task " + errand.id() + " has not ended");
        return ended;
    }

    /**
     * The next step of the same process; null if only the database knows what it sees.
     *
     * @param range the part of the history that it is to see
     * @param timer when its timer is due, if it has one beside that task
     * @param written when this step was written down
     */
    @Nullable
    public Step next(Errand todo, HistoryRange range, @Nullable Instant timer, Instant written) {
        StepResult ended = outcome();
        if (!history.range().equals(range) || !ended.disposition().isKnownAfterwards()) return null;
        List<Event> added = ended.events().stream()
                .map(each -> new Event(
                        each.id(),
                        each.at() == null ? written : each.at(),
                        Payload.of(each.payload(), served.codec()),
                        each.metadata() == null ? null : served.text(each.metadata()),
                        errand.id()))
                .toList();
        StepHistory grown = history.with(added);
        if (grown == null) return null;
        boolean well = ended.disposition().isSuccess();
        boolean changed = well && subject.status() != ProcessStatus.RUNNING;
        long last = subject.lastEvent();
        for (Event each : added) last = Math.max(last, each.id());
        ProcessStatus previous = subject.previous();
        if (changed) previous = subject.status();
        else if (well && previous == ProcessStatus.INIT) previous = ProcessStatus.RUNNING;
        Subject then = new Subject(
                number(),
                subject.id(),
                well ? ProcessStatus.RUNNING : subject.status(),
                previous,
                changed ? written : subject.statusChanged(),
                subject.created(),
                well ? null : subject.detail(),
                well ? null : subject.corruptedBy(),
                last,
                ended.auxState() == null ? subject.auxState() : Payload.of(ended.auxState(), served.codec()),
                ended.metadata() == null ? subject.metadata() : served.text(ended.metadata()),
                timer);
        return new Step(served, turn + 1, chain + 1, then, todo, grown);
    }
}
