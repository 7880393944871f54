package dev.howdah.process.internal.outbox;

import dev.howdah.internal.connection.ConnectionSource;
import dev.howdah.internal.error.ErrorText;
import dev.howdah.internal.error.OutageLog;
import dev.howdah.internal.run.Threads;
import dev.howdah.process.internal.step.NamespaceSlots;
import dev.howdah.process.notice.DeliveryException;
import dev.howdah.process.notice.Notice;
import dev.howdah.process.notice.Publisher;
import dev.howdah.spi.PayloadCodec;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries the notices of one namespace from the outbox to its publisher, those of each process in their order, and removes those that
 * have arrived. Of all nodes one does so at a time: the one whose session holds the lock. When there is nothing to tell it sleeps until
 * a writer rings.
 */
public final class OutboxRelay implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(OutboxRelay.class);
    private static final long STANDBY_MILLIS = 3_000;
    private static final long NAP_MILLIS = 50;
    private static final long REST_MILLIS = 8_000;
    private static final long ALIVE_MILLIS = 5_000;
    private static final long DECISIONS_MILLIS = 2_000;

    private final ConnectionSource source;
    private final NamespaceSlots served;
    private final Publisher publisher;
    private final PayloadCodec codec;
    private final OutageLog outage = new OutageLog(log, "processes");
    private final DeliveryBackoff backoff = new DeliveryBackoff();
    private final Thread thread;
    private final ExecutorService publishing =
            Executors.newSingleThreadExecutor(work -> Threads.daemon("howdah-process-publisher", work));
    private volatile @Nullable OutboxStore open;
    private volatile boolean closed;

    public OutboxRelay(ConnectionSource source, NamespaceSlots served, Publisher publisher, PayloadCodec codec) {
        this.source = source;
        this.served = served;
        this.publisher = publisher;
        this.codec = codec;
        this.thread = Threads.loop("howdah-process-relay", this::work);
    }

    public void start() {
        thread.start();
    }

    private void work() {
        try {
            while (!closed) {
                try (OutboxStore outbox = OutboxStore.open(source, served, codec)) {
                    open = outbox;
                    while (!closed && !outbox.lock()) TimeUnit.MILLISECONDS.sleep(STANDBY_MILLIS);
                    serve(outbox);
                } catch (SQLException | RuntimeException | Error e) {
                    if (closed) return;
                    Threads.survived(e);
                    TimeUnit.MILLISECONDS.sleep(pause(e));
                }
            }
        } catch (InterruptedException e) {
            // It is closed.
        }
    }

    private long pause(@Nullable Throwable e) {
        long pause = backoff.all();
        if (e instanceof SQLException) outage.failed("notices of " + name() + " cannot be read", ErrorText.line(e));
        else log.warn("notices of {} are published again in {} ms: {}", name(), pause, ErrorText.line(e));
        return pause;
    }

    private String name() {
        return served.namespace().name();
    }

    private void serve(OutboxStore outbox) throws SQLException, InterruptedException {
        long decisions = System.nanoTime();
        outbox.release();
        while (!closed) {
            if (System.nanoTime() - decisions > TimeUnit.MILLISECONDS.toNanos(DECISIONS_MILLIS)) {
                outbox.release();
                decisions = System.nanoTime();
            }
            OutboxStore.Batch batch = outbox.next(backoff.waiting(REST_MILLIS).processes());
            outage.worked();
            if (batch.isEmpty()) {
                rest(outbox);
                decisions = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(DECISIONS_MILLIS + 1);
            } else {
                carry(outbox, batch);
            }
        }
    }

    /** Sleeps until there is something to do. */
    private void rest(OutboxStore outbox) throws SQLException, InterruptedException {
        if (!outbox.fallAsleep()) {
            // A writer is just adding one.
            TimeUnit.MILLISECONDS.sleep(NAP_MILLIS);
            return;
        }
        try {
            while (!closed) {
                // Asked anew each time: a process whose pause ends meanwhile is looked for at once.
                DeliveryBackoff.Waiting waiting = backoff.waiting(REST_MILLIS);
                if (!outbox.next(waiting.processes()).isEmpty()) return;
                if (outbox.awaitRing(waiting.millis()) || waiting.millis() < REST_MILLIS || outbox.release()) return;
            }
        } finally {
            if (!closed) outbox.wakeUp();
        }
    }

    private void carry(OutboxStore outbox, OutboxStore.Batch batch) throws SQLException, InterruptedException {
        outbox.setAside(batch.aside());
        List<Notice> notices = batch.notices();
        if (notices.isEmpty()) return;
        try {
            long began = System.nanoTime();
            tell(outbox, notices);
            told(notices, System.nanoTime() - began);
            outbox.allArrived(notices);
            backoff.arrived(notices);
        } catch (ExecutionException e) {
            if (closed) return;
            if (e.getCause() instanceof DeliveryException said) settle(outbox, notices, said);
            else await(outbox, pause(e.getCause()));
        }
    }

    private void told(List<Notice> notices, long nanos) {
        for (boolean events : new boolean[] {true, false})
            if (notices.stream().anyMatch(each -> (each.kind() == Notice.Kind.EVENT) == events))
                served.meter().told(events, nanos);
    }

    /** In a thread of its own, so that the session does not fall silent. */
    private void tell(OutboxStore outbox, List<Notice> notices)
            throws ExecutionException, SQLException, InterruptedException {
        Future<?> told = publishing.submit(() -> {
            publisher.publish(List.copyOf(notices));
            return null;
        });
        try {
            while (true) {
                try {
                    told.get(ALIVE_MILLIS, TimeUnit.MILLISECONDS);
                    return;
                } catch (TimeoutException e) {
                    outbox.stayAlive();
                }
            }
        } finally {
            told.cancel(true);
        }
    }

    /** Some have arrived, or none will: each process goes its own way. */
    private void settle(OutboxStore outbox, List<Notice> notices, DeliveryException said)
            throws SQLException, InterruptedException {
        List<Notice> arrived = new ArrayList<>();
        List<OutboxStore.Refused> refused = new ArrayList<>();
        List<Long> aside = new ArrayList<>();
        Set<String> held = new HashSet<>();
        Set<String> failed = new HashSet<>();
        for (Notice each : notices) {
            String refusal = said.refusal(each);
            if (said.hasArrived(each)) arrived.add(each);
            else if (held.contains(each.process())) aside.add(each.id());
            else if (refusal != null && !failed.contains(each.process())) {
                held.add(each.process());
                refused.add(new OutboxStore.Refused(each, refusal));
                aside.add(each.id());
            } else if (!said.isUntried(each)) failed.add(each.process());
        }
        outbox.arrived(arrived);
        backoff.arrived(arrived);
        if (!refused.isEmpty()) {
            outbox.hold(refused);
            outbox.setAside(aside);
            for (OutboxStore.Refused each : refused)
                log.error(
                        "notice {} of process {} of {} is refused for good; it is blocked, with the notices behind it, until it is retried or skipped: {}",
                        each.notice().id(),
                        each.notice().process(),
                        name(),
                        each.reason());
        }
        if (failed.isEmpty()) return;
        long pause = backoff.failed(failed, arrived.isEmpty() && held.isEmpty(), said.retryAfter());
        log.warn(
                "notices of {} processes of {} are published again later: {}",
                failed.size(),
                name(),
                ErrorText.message(said));
        await(outbox, pause);
    }

    private void await(OutboxStore outbox, long millis) throws SQLException, InterruptedException {
        for (long left = millis; left > 0 && !closed; left -= ALIVE_MILLIS) {
            TimeUnit.MILLISECONDS.sleep(Math.min(left, ALIVE_MILLIS));
            outbox.stayAlive();
        }
    }

    /** Tells no more; what is being told may be told again. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        publishing.shutdownNow();
        OutboxStore outbox = open;
        if (outbox != null) outbox.close();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
            if (!publishing.awaitTermination(5, TimeUnit.SECONDS))
                log.warn("the publisher of {} does not end when it is interrupted", name());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
