package dev.howdah.console.internal.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LivePagesTest {
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger read = new AtomicInteger();
    private final AtomicLong statements = new AtomicLong();
    private final AtomicReference<String> snapshot = new AtomicReference<>("1");
    private volatile boolean isGone;
    private final LivePages pages = new LivePages(this::ask, this::render, statements::get, session -> true);

    private String ask() {
        asked.incrementAndGet();
        if (isGone) throw new IllegalStateException("no connection");
        return String.valueOf(snapshot.get());
    }

    private Map<String, String> render(String session, String address) {
        read.incrementAndGet();
        statements.incrementAndGet();
        return Map.of("rows", address + " of " + session + " at " + snapshot.get());
    }

    @AfterEach
    void close() {
        pages.close();
    }

    /** A browser that takes all that is sent. */
    private static final class Browser implements LiveStream.Wire {
        private final List<String> got = new CopyOnWriteArrayList<>();
        private volatile boolean closed;

        @Override
        public void send(String event, String data) {
            got.add(event + "=" + data);
        }

        @Override
        public void comment() {
            got.add(":");
        }

        @Override
        public boolean isClosed() {
            return closed;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private LiveStream open(Browser browser, String address) {
        LiveStream stream = new LiveStream("s", address, browser);
        assertThat(pages.add(stream)).isTrue();
        return stream;
    }

    @Test // browsers that show the same page cost what one costs; what has not changed is not sent
    void change_isReadOnceForAllBrowsersOfAPage() {
        List<Browser> browsers = Stream.generate(Browser::new).limit(20).toList();
        browsers.forEach(each -> open(each, "/jobs"));
        await().until(() -> browsers.stream().allMatch(each -> each.got.equals(List.of("part-rows=/jobs of s at 1"))));
        int before = read.get();
        snapshot.set("2");
        await().until(() -> browsers.stream()
                .allMatch(each -> each.got.equals(List.of("part-rows=/jobs of s at 1", "part-rows=/jobs of s at 2"))));
        // One for the change, and perhaps one that was due because a browser had come.
        assertThat(read.get() - before).isBetween(1, 2);
    }

    @Test
    void lastStreamThatEnds_endsAllQuestions() {
        LiveStream stream = open(new Browser(), "/jobs");
        await().until(() -> asked.get() > 1);
        pages.remove(stream);
        AtomicInteger before = new AtomicInteger(-1);
        assertThat(pages.size()).isZero();
        await().during(Duration.ofMillis(500)).until(() -> {
            // One may have been under way.
            return before.getAndSet(asked.get()) == asked.get();
        });
    }

    @Test
    void browser_isToldThatTheDatabaseAnswers() {
        Browser browser = new Browser();
        open(browser, "/jobs");
        await().until(() -> browser.got.contains("fresh="));
    }

    @Test
    void sessionThatHasEnded_isToldToItsPages() {
        Browser browser = new Browser();
        open(browser, "/jobs");
        pages.end("s");
        await().until(() -> browser.closed);
        assertThat(browser.got).last().isEqualTo("state=signed-out");
        assertThat(pages.size()).isZero();
    }

    @Test
    void databaseThatIsLost_isToldToEachPage_andItsReturnToo() {
        Browser browser = new Browser();
        open(browser, "/jobs");
        await().until(() -> !browser.got.isEmpty());
        isGone = true;
        await().until(() -> browser.got.contains("state=down"));
        isGone = false;
        await().until(() -> browser.got.contains("state=up"));
    }

    @Test
    void budget_ofStatements_isSpentAndComesBackWithTime() {
        StatementBudget budget = new StatementBudget(0);
        budget.spend(40);
        assertThat(budget.hasLeft(0)).isFalse();
        assertThat(budget.hasLeft(TimeUnit.MILLISECONDS.toNanos(700))).isFalse();
        assertThat(budget.hasLeft(TimeUnit.SECONDS.toNanos(1))).isTrue();
        // What was not spent is kept up to a bound.
        assertThat(budget.hasLeft(TimeUnit.HOURS.toNanos(1))).isTrue();
        budget.spend(33);
        assertThat(budget.hasLeft(TimeUnit.HOURS.toNanos(1))).isFalse();
        assertThat(StatementBudget.pace(10, 4)).isZero();
        assertThat(StatementBudget.pace(40, 4)).isEqualTo(8);
        assertThat(StatementBudget.pace(300, 4)).isEqualTo(60);
    }
}
