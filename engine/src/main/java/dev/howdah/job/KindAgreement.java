package dev.howdah.job;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.spi.PayloadCodec;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.slf4j.Logger;

/**
 * Compares the kind with which a program adds jobs with that of its handler, which may be another object of the same name: what the two say
 * differently is logged once, since the jobs would wait, fail, or be retried otherwise without a word. Safe for use by many threads.
 */
final class KindAgreement implements BiConsumer<NewJob<?>, String> {
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
    record Handled(Kind<?> kind, boolean isRetriedOtherwise, boolean isTimedOtherwise) {}

    /** @param queues from which the node of the program claims */
    KindAgreement(Map<String, Handled> handled, Set<String> queues, PayloadCodec codec, Logger log) {
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
        if (job.queue().equals(queue(job.kind())) && !queues.contains(job.queue()))
            warn(
                    job.kind(),
                    "queue",
                    "are added to queue " + job.queue() + ", and its handler claims from " + queue(handler.kind())
                            + ": they wait there for another program");
        if (!job.kind().type().equals(handler.kind().type()) && said.add("type " + job.kind())) {
            try {
                handler.kind().decode(codec, payload);
            } catch (RuntimeException e) {
                warn(job.kind(), "payload", "have a payload that its handler cannot read: " + ErrorText.line(e));
            }
        }
    }

    private void compare(Kind<?> added, Handled handler) {
        if (added.hasOtherRetries(handler.kind()) && !handler.isRetriedOtherwise())
            warn(added, "retries", "are added by a kind with a retry policy, which that of its handler does not have");
        if (added.hasOtherTimeout(handler.kind()) && !handler.isTimedOtherwise())
            warn(added, "timeout", "are added by a kind with a timeout, which that of its handler does not have");
    }

    private static String queue(Kind<?> kind) {
        String queue = kind.queueOrNull();
        return queue == null ? NewJob.DEFAULT_QUEUE : queue;
    }

    private void warn(Kind<?> kind, String about, String what) {
        if (said.add(about + ' ' + kind.name()))
            log.warn("jobs of kind {} {}; use one Kind for both, or say the same in both", kind.name(), what);
    }
}
