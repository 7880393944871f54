package dev.howdah.operations.listed;

import dev.howdah.job.query.QueueSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.function.ToLongFunction;

/** The order of a list of queues: all are read, since they are few. */
public enum QueueOrder {
    NAME(now -> Comparator.comparing(QueueSummary::name)),
    REVERSE_NAME(now -> Comparator.comparing(QueueSummary::name).reversed()),
    /** Those with the most jobs in trouble first: failed in the last hour, or due where the first has waited for five minutes, and the queue is not paused. */
    WORST(now -> most(each -> each.failedLately() + (isLate(each, now) ? each.due() : 0))
            .thenComparing(most(QueueSummary::due))
            .thenComparing(most(QueueSummary::failed))),
    MOST_DUE(now -> most(QueueSummary::due)),
    MOST_LATER(now -> most(QueueSummary::later)),
    MOST_RUNNING(now -> most(QueueSummary::running)),
    MOST_FAILED(now -> most(QueueSummary::failed)),
    MOST_DONE(now -> most(QueueSummary::done)),
    MOST_RETRIED(now -> most(QueueSummary::retried)),
    /** Those whose first job that is due waits for longest first. */
    LONGEST_WAIT(now ->
            Comparator.comparing(QueueSummary::oldest, Comparator.nullsLast(Comparator.<Instant>naturalOrder())));

    /** A job that has been due for longer waits for long. */
    private static final Duration LATE = Duration.ofMinutes(5);

    private interface Order {
        Comparator<QueueSummary> at(Instant now);
    }

    private final Order order;

    QueueOrder(Order order) {
        this.order = order;
    }

    private static Comparator<QueueSummary> most(ToLongFunction<QueueSummary> number) {
        return Comparator.comparingLong(number).reversed();
    }

    private static boolean isLate(QueueSummary queue, Instant now) {
        Instant oldest = queue.oldest();
        return queue.paused() == null && oldest != null && oldest.isBefore(now.minus(LATE));
    }

    /**
     * Compares queues; those that are alike by name.
     *
     * @param now the time of the database
     */
    public Comparator<QueueSummary> comparator(Instant now) {
        return order.at(now).thenComparing(QueueSummary::name);
    }
}
