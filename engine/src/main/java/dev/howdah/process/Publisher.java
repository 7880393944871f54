package dev.howdah.process;

import java.util.List;

/**
 * Tells others of what has happened to processes. Called by one thread at a time for each namespace, on one node at a time. What is thrown
 * is logged, and the same notices come again, first after a second, then after longer, up to half a minute; an {@link
 * DeliveryException} says it of each.
 */
@FunctionalInterface
public interface Publisher {
    /**
     * Returns when all of them have arrived.
     *
     * @param notices at least one, at most 500, and of payloads not much more than 16 MB, unless it is one alone; those of each process in
     *     their order. After a death or a failure some come again
     */
    void publish(List<Notice> notices) throws Exception;
}
