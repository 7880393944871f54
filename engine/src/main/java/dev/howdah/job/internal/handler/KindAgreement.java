package dev.howdah.job.internal.handler;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import dev.howdah.spi.PayloadCodec;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.slf4j.Logger;

/**
 * Compares the kind with which a program adds jobs with that of its handler, which may be another object of the same name: what the two say
 * differently is logged once, since the jobs would wait, fail, or be retried otherwise without a word. Safe for use by many threads.
 */
public final class KindAgreement implements BiConsumer<NewJob<?>, String> {
    private final Terms terms;
    private final Map<String, Handled> handled;
    private final Set<String> queues;
    private final PayloadCodec codec;
    private final Logger log;
    private final Set<String> said = ConcurrentHashMap.newKeySet();

    /**
     * A handler's kind.
     *
     * @param isRetriedOtherwise whether the handler sets a retry policy of its own
     * @param isTimedOtherwise whether the handler sets a timeout of its own
     */
    public record Handled(Kind<?> kind, boolean isRetriedOtherwise, boolean isTimedOtherwise) {}

    /**
     * What kinds say that is not told to users of them.
     *
     * @param otherRetries whether the first has a retry policy that the second has not
     * @param otherTimeout the same of timeouts
     * @param queue of its jobs that name none
     */
    public record Terms(
            BiPredicate<Kind<?>, Kind<?>> otherRetries,
            BiPredicate<Kind<?>, Kind<?>> otherTimeout,
            Function<Kind<?>, String> queue) {}

    /** @param queues from which the node of the program claims */
    public KindAgreement(
            Terms terms, Map<String, Handled> handled, Set<String> queues, PayloadCodec codec, Logger log) {
        this.terms = terms;
        this.handled = new HashMap<>(handled);
        this.queues = Set.copyOf(queues);
        this.codec = codec;
        this.log = log;
    }

    /** @param payload of the job, in JSON */
    @Override
    public void accept(NewJob<?> job, String payload) {
        Handled handler = handled.get(job.kind().name());
        if (handler == null || handler.kind() == job.kind()) return;
        compare(job.kind(), handler);
        // A queue that the job names itself may be one of other programs.
        if (job.queue().equals(terms.queue().apply(job.kind())) && !queues.contains(job.queue()))
            warn(
                    job.kind(),
                    "queue",
                    "are added to queue " + job.queue() + ", and its handler claims from "
                            + terms.queue().apply(handler.kind()) + ": they wait there for another program");
        if (!job.kind().type().equals(handler.kind().type()) && said.add("type " + job.kind())) {
            try {
                handler.kind().decode(codec, payload);
            } catch (RuntimeException e) {
                warn(job.kind(), "payload", "have a payload that its handler cannot read: " + ErrorText.line(e));
            }
        }
    }

    private void compare(Kind<?> added, Handled handler) {
        if (terms.otherRetries().test(added, handler.kind()) && !handler.isRetriedOtherwise())
            warn(added, "retries", "are added by a kind with a retry policy, which that of its handler does not have");
        if (terms.otherTimeout().test(added, handler.kind()) && !handler.isTimedOtherwise())
            warn(added, "timeout", "are added by a kind with a timeout, which that of its handler does not have");
    }

    private void warn(Kind<?> kind, String about, String what) {
        if (said.add(about + ' ' + kind.name()))
            log.warn("jobs of kind {} {}; use one Kind for both, or say the same in both", kind.name(), what);
    }
}
