package dev.howdah.process.notice;

import java.util.List;

/**
 * Publishes notices of processes. Called by one thread at a time for each namespace, on one node at a time. An exception
 * is logged, and the same notices are published again, first after a second, then after longer, up to half a minute; a {@link
 * DeliveryException} reports single notices.
 */
@FunctionalInterface
public interface Publisher {
    /**
     * Publishes the notices and returns when the receiver has accepted all of them.
     *
     * @param notices at least one, at most 500, and of payloads not much more than 16 MB, unless it is one alone; those of each process in
     *     their order. After a crash or a failure some are repeated
     */
    void publish(List<Notice> notices) throws Exception;
}
