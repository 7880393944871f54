package dev.howdah.process.internal.worker;

import dev.howdah.internal.error.AttemptLog;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.error.OutageLog;
import dev.howdah.internal.node.ClaimFence;
import dev.howdah.internal.run.LogContext;
import dev.howdah.process.Intent;
import dev.howdah.process.Processor;
import dev.howdah.process.StepFailedException;
import dev.howdah.process.internal.request.ReplyRegistry;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.internal.step.ProcessTracing;
import dev.howdah.process.internal.step.Step;
import dev.howdah.process.internal.step.StepDisposition;
import dev.howdah.process.internal.step.StepEvaluator;
import dev.howdah.process.internal.step.StepResult;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps of one node and the threads that run them, shared by its parts. A node has one id for its whole life; a program that
 * loses its session becomes another node. Safe for use by many threads.
 */
public final class StepRunner {
    private static final Logger log = LoggerFactory.getLogger(StepRunner.class);

    private final AttemptLog attempts = new AttemptLog(log);
    private final OutageLog outage = new OutageLog(log, "processes");
    private final int id;
    private final Map<Integer, NamespaceSlots> served;
    private final WriteQueue inbox;
    private final ReplyRegistry callers;
    private final ExecutorService workers;
    private final Map<Long, Step> open = new ConcurrentHashMap<>();
    private final LongAdder everRun = new LongAdder();
    private final ClaimFence fence = new ClaimFence();
    private final PollSignal signal = new PollSignal();
    private volatile boolean stopping;
    private volatile boolean over;

    public StepRunner(
            int id,
            Map<Integer, NamespaceSlots> served,
            WriteQueue inbox,
            ReplyRegistry callers,
            ThreadFactory threads) {
        this.workers = Executors.newCachedThreadPool(threads);
        this.id = id;
        this.served = served;
        this.inbox = inbox;
        this.callers = callers;
    }

    public int id() {
        return id;
    }

    public Map<Integer, NamespaceSlots> served() {
        return served;
    }

    /** The namespaces that this node works, not only calls. */
    public Stream<NamespaceSlots> worked() {
        return served.values().stream().filter(each -> each.namespace().concurrency() > 0);
    }

    WriteQueue inbox() {
        return inbox;
    }

    public ReplyRegistry callers() {
        return callers;
    }

    /** For all threads that try again while the database cannot be reached. */
    /** Why it cannot work now; null: it can. */
    public @Nullable String obstacle() {
        return outage.reason();
    }

    OutageLog outage() {
        return outage;
    }

    /** Wakes the poller of due processes. */
    public PollSignal signal() {
        return signal;
    }

    boolean isStopping() {
        return stopping;
    }

    /** Takes nothing more. */
    public void stopping() {
        stopping = true;
        signal.ring();
    }

    public boolean isOver() {
        return over;
    }

    /** Writes nothing more. */
    public void over() {
        stopping = true;
        over = true;
        signal.ring();
        inbox.wakeAll();
        workers.shutdown();
    }

    /** Finds processes that the node took without knowing. */
    public ClaimFence fence() {
        return fence;
    }

    /** Held while a claim is under way, until the node knows what it has brought. */
    Lock claiming() {
        return fence.claiming();
    }

    /** A session was lost: there may be processes that the node took without knowing. */
    void mayHaveForgotten() {
        fence.suspect();
    }

    /** How many steps the node has had so far, those that run included. */
    public long everRun() {
        return everRun.sum();
    }

    /** Works on that step, which is the node's now. */
    void run(Step step) {
        open.put(step.number(), step);
        everRun.increment();
        StepResult known = StepEvaluator.withoutProcessor(step);
        if (known != null) {
            if (step.end(known)) inbox.put(step);
            return;
        }
        try {
            workers.execute(() -> work(step));
        } catch (RejectedExecutionException e) {
            log.debug("task {} comes too late", step.errand().id());
        } catch (Error e) {
            // Such as no memory for a thread: the step is not begun, and ends when its time is over.
            log.error("task {} could not be begun: {}", step.errand().id(), ErrorText.line(e));
            if (step.end(StepEvaluator.failed(step, e))) inbox.put(step);
        }
    }

    private void work(Step step) {
        if (over) return;
        StepResult outcome;
        step.begin();
        try (LogContext context = context(step)) {
            outcome = StepEvaluator.intended(step, process(step));
        } catch (Throwable e) {
            outcome = StepEvaluator.failed(step, e);
            if (!over && !step.isAbandoned()) tell(step, outcome, e);
        } finally {
            step.leave();
        }
        // What was interrupted because the node stops has not failed.
        if (!over && !step.isAbandoned() && step.end(outcome)) inbox.put(step);
    }

    private static LogContext context(Step step) {
        if (LogContext.isOff()) return LogContext.off();
        return LogContext.of(
                "feature",
                "processes",
                "namespace",
                step.served().namespace().name(),
                "process",
                step.subject().id(),
                "task",
                Long.toString(step.errand().id()),
                "attempt",
                Integer.toString(step.errand().attempts() + 1));
    }

    private void tell(Step step, StepResult outcome, Throwable thrown) {
        ErrorText error = ErrorText.of(thrown, "", thrown instanceof StepFailedException);
        Object[] which = {
            step.errand().attempts() + 1,
            step.errand().type().text(),
            step.errand().id(),
            step.subject().id(),
            step.served().namespace().name()
        };
        if (outcome.disposition() == StepDisposition.RETRIED)
            attempts.retry(
                    error,
                    thrown,
                    step.served().namespace().name(),
                    "attempt {} of {} {} of process {} of {} failed and is made again",
                    which);
        else attempts.failed(error, thrown, "attempt {} of {} {} of process {} of {} failed", which);
    }

    private static @Nullable Intent process(Step step) throws Exception {
        Processor processor = step.served().namespace().processor();
        long began = System.nanoTime();
        try {
            return ProcessTracing.work(step, () -> processor.process(step.task(), step.state()));
        } finally {
            step.served().meter().processed(step.errand().type(), System.nanoTime() - began);
        }
    }

    /** Ends steps that take too long. */
    public void endOverdue() {
        for (Step step : open.values()) {
            if (!step.isOverdue() || !step.end(StepEvaluator.overdue(step))) continue;
            log.warn(
                    "a step of process {} of {} has taken longer than {}",
                    step.subject().id(),
                    step.served().namespace().name(),
                    step.served().namespace().stepTimeout());
            step.interrupt();
            inbox.put(step);
        }
    }

    /** That step is written down, or others have its process: it is not the node's any more. */
    void closed(Step step) {
        open.remove(step.number(), step);
        step.served().release(1);
        if (!stopping) signal.roomFor(step.served());
    }

    /** Returns whether the node works on that process under that turn. */
    public boolean has(long number, long turn) {
        Step step = open.get(number);
        return step != null && step.turn() == turn;
    }

    public boolean isIdle() {
        return open.isEmpty();
    }

    /** Interrupts what runs, which counts for nothing then. */
    public List<Step> abandon() {
        List<Step> rest = List.copyOf(open.values());
        for (Step step : rest) {
            step.abandon();
            step.interrupt();
        }
        return rest;
    }
}
