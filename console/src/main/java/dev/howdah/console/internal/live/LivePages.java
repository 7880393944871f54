package dev.howdah.console.internal.live;

import dev.howdah.internal.run.Threads;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pages that browsers look at. While there is one, the database is asked eight times a second whether anything has been written; if so,
 * each page that is looked at is read again, once for all its browsers and at most twice a second, and what differs is sent. With more
 * than four pages both are half as often. All pages together cost a bounded number of statements a second: with many of them each is
 * read less often. While no page is open, nothing is asked.
 *
 * <p>Safe for use by many threads.
 */
public final class LivePages implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LivePages.class);
    /** How often changes are looked for while few pages are open. */
    public static final Duration TICK = Duration.ofMillis(125);

    /** How often a page is read at most while few pages are open. */
    public static final Duration PAGE = Duration.ofMillis(500);

    /** How many statements a second all pages cost at most, with those that look for changes. */
    public static final int STATEMENTS = 20;

    private static final long TICK_MILLIS = TICK.toMillis();
    /** With more pages everything is half as often: reading them is what takes the time then. */
    private static final int FEW = 4;

    private static final long PAGE_NANOS = PAGE.toNanos();
    /** A page is read again after this time, also if nothing was written: waits come to their ends by themselves. */
    private static final long ANYWAY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long COMMENT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** How often browsers are told that the database has answered: two such times without it, and a page says how old it is. */
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** How many streams there are at most. */
    public static final int MOST = 500;

    private final Supplier<String> snapshot;
    private final BiFunction<String, String, Map<String, String>> render;
    private final LongSupplier statements;
    private final Predicate<String> isOpen;
    private final Map<Key, LivePage> pages = new ConcurrentHashMap<>();
    private final List<LiveStream> streams = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService ticker = Threads.clock("howdah-console-live", 1);
    private final ExecutorService writers = Executors.newCachedThreadPool(Threads.platform("howdah-console-stream"));
    private @Nullable ScheduledFuture<?> ticks;
    private boolean between;
    private String seen = "";
    private boolean failing;
    private long freshAt = System.nanoTime();
    private final StatementBudget budget = new StatementBudget(System.nanoTime());
    private volatile int pace;

    /**
     * Starts nothing yet.
     *
     * @param snapshot a text that changes when something is written
     * @param render the parts of a page by the session and its address, as HTML
     * @param statements how many the thread that asks has sent to the database up to now
     * @param isOpen whether a session has not ended; its streams end with it
     */
    public LivePages(
            Supplier<String> snapshot,
            BiFunction<String, String, Map<String, String>> render,
            LongSupplier statements,
            Predicate<String> isOpen) {
        this.statements = statements;
        this.isOpen = isOpen;
        this.snapshot = snapshot;
        this.render = render;
    }

    /** A page as a session sees it. */
    record Key(String session, String address) {}

    /** What was sent of a page, and when it was read. */
    private static final class LivePage {
        private Map<String, String> parts = Map.of();
        private long readAt = System.nanoTime() - ANYWAY_NANOS;
        private boolean stale = true;
        private long statements;
    }

    /** Adds a stream; false: there are too many. */
    public synchronized boolean add(LiveStream stream) {
        if (streams.size() >= MOST) return false;
        streams.add(stream);
        if (pace > 0) stream.offer("pace", Integer.toString(pace));
        pages.computeIfAbsent(stream.page(), key -> new LivePage()).stale = true;
        if (ticks == null) ticks = ticker.scheduleWithFixedDelay(this::tick, 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
        return true;
    }

    /** Ends a stream. */
    public synchronized void remove(LiveStream stream) {
        streams.remove(stream);
        if (streams.stream().noneMatch(each -> each.page().equals(stream.page()))) pages.remove(stream.page());
        if (streams.isEmpty() && ticks != null) {
            ticks.cancel(false);
            ticks = null;
            seen = "";
        }
    }

    /** Ends the streams of a session. */
    public void end(String session) {
        for (LiveStream stream : streams) {
            if (stream.page().session().equals(session)) signOut(stream);
        }
    }

    /** How many streams there are. */
    public int size() {
        return streams.size();
    }

    /** Ends the streams of sessions that have ended or expired, or whose token was revoked. */
    private void endClosed() {
        Map<String, Boolean> open = new HashMap<>();
        for (LiveStream stream : streams) {
            if (!open.computeIfAbsent(stream.page().session(), isOpen::test)) signOut(stream);
        }
    }

    private void signOut(LiveStream stream) {
        remove(stream);
        writers.execute(() -> {
            try {
                stream.offer("state", "signed-out");
                stream.write();
            } finally {
                stream.end();
            }
        });
    }

    private void tick() {
        try {
            endClosed();
            between = !between;
            if (!between || pages.size() <= FEW) {
                look();
                sayFresh();
            }
            if (failing) {
                failing = false;
                streams.forEach(each -> each.offer("state", "up"));
            }
        } catch (RuntimeException e) {
            if (!failing) {
                failing = true;
                log.warn("pages cannot be brought up to date: {}", e.getMessage());
            }
            streams.forEach(each -> each.offer("state", "down"));
        }
        long now = System.nanoTime();
        for (LiveStream stream : streams) {
            if (stream.isBroken(now)) {
                stream.end();
                remove(stream);
            } else {
                stream.comment(now, COMMENT_NANOS);
                if (stream.hasWork()) writers.execute(stream::write);
            }
        }
    }

    private void sayFresh() {
        if (System.nanoTime() - freshAt < FRESH_NANOS) return;
        freshAt = System.nanoTime();
        for (LiveStream stream : streams) stream.offer("fresh", "");
    }

    private void look() {
        String now = snapshot.get();
        if (!between) budget.spend(1);
        boolean written = !now.equals(seen);
        seen = now;
        if (written) pages.values().forEach(each -> each.stale = true);
        long time = System.nanoTime();
        long apart = pages.size() <= FEW ? PAGE_NANOS : 2 * PAGE_NANOS;
        List<Map.Entry<Key, LivePage>> due = pages.entrySet().stream()
                .filter(each -> each.getValue().stale && time - each.getValue().readAt >= apart
                        || time - each.getValue().readAt >= ANYWAY_NANOS)
                .sorted((one, other) -> Long.compare(one.getValue().readAt, other.getValue().readAt))
                .toList();
        for (Map.Entry<Key, LivePage> each : due) {
            if (!budget.hasLeft(System.nanoTime())) break;
            read(each.getKey(), each.getValue());
        }
        say();
        for (LiveStream stream : streams) {
            LivePage page = pages.get(stream.page());
            if (page != null) stream.offer(page.parts);
        }
    }

    /** Tells browsers how often their pages are read, when that has changed. */
    private void say() {
        long all = 0;
        for (LivePage each : pages.values()) all += each.statements;
        int found = StatementBudget.pace(all, 500.0 / TICK_MILLIS);
        if (found == pace) return;
        pace = found;
        for (LiveStream stream : streams) stream.offer("pace", Integer.toString(found));
    }

    private void read(Key key, LivePage page) {
        page.stale = false;
        page.readAt = System.nanoTime();
        long before = statements.getAsLong();
        try {
            page.parts = new LinkedHashMap<>(render.apply(key.session(), key.address()));
        } catch (RuntimeException e) {
            log.debug("page {} cannot be shown any more", key.address(), e);
            page.parts = Map.of();
            for (LiveStream stream : streams) if (stream.page().equals(key)) stream.offer("state", "reload");
        } finally {
            page.statements = statements.getAsLong() - before;
            budget.spend(page.statements);
        }
    }

    @Override
    public void close() {
        ticker.shutdownNow();
        streams.forEach(LiveStream::end);
        writers.shutdownNow();
    }
}
