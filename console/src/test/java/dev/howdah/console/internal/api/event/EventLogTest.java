package dev.howdah.console.internal.api.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EventLogTest {
    private static final EventLog.Key QUEUE = new EventLog.Key("queue", "q");

    private static final EventFilter ALL = new EventFilter(Map.of(), Set.of());

    private final EventLog log = new EventLog("run");

    private static StateEvent event(int value) {
        return new StateEvent("queue", Integer.toString(value));
    }

    private List<EventLog.Numbered> after(long number) {
        return Objects.requireNonNull(log.after(number, 10_000));
    }

    @Test
    void state_thatIsTheSame_isNoEvent_andWhatGoesIsOne() {
        log.become(Map.of(QUEUE, event(1)));
        log.become(Map.of(QUEUE, event(1)));
        log.become(Map.of());
        assertThat(after(0)).extracting(each -> each.event().type()).containsExactly("queue", "removed");
        assertThat(after(1).get(0).event().data()).isEqualTo("{\"type\":\"queue\",\"name\":\"q\"}");
    }

    @Test
    void events_areKeptUpToABound_andAnOlderIdIsSaidToBeSo() {
        for (int i = 1; i <= EventLog.MOST + 5; i++) log.become(QUEUE, event(i));
        assertThat(log.after(4, 10)).isNull();
        assertThat(after(5)).hasSize(EventLog.MOST);
        assertThat(after(5).get(0).number()).isEqualTo(6);
        assertThat(log.begin("run-4").reset()).isEqualTo("too-old");
        assertThat(log.begin("run-4").state()).containsExactly(event(EventLog.MOST + 5));
        assertThat(log.begin("run-5").reset()).isNull();
        for (String other : new String[] {"", "run-", "run-x", "run-9999999", "other-5", "run-99999999999999999999"})
            assertThat(log.begin(other).reset()).as(other).isEqualTo("unknown");
    }

    /** A client that does not read until it is told to. */
    private static final class SlowWire implements StateStream.Wire {
        final List<String> sent = new ArrayList<>();
        final CountDownLatch reading;

        SlowWire(int latch) {
            this.reading = new CountDownLatch(latch);
        }

        @Override
        public void send(List<StateStream.Message> messages) {
            try {
                if (!reading.await(30, TimeUnit.SECONDS)) throw new AssertionError("never read");
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            for (StateStream.Message each : messages) sent.add(each.type() + " " + each.data() + " " + each.id());
        }

        @Override
        public void comment() {}

        @Override
        public boolean isClosed() {
            return false;
        }

        @Override
        public void close() {}
    }

    @Test
    void client_thatTakesNothing_isLetGo() throws Exception {
        SlowWire wire = new SlowWire(1);
        StateStream stream = new StateStream("c", () -> true, log, null, ALL, wire, System.nanoTime());
        Thread writer = new Thread(stream::write);
        writer.start();
        org.awaitility.Awaitility.await().until(() -> !stream.hasWork(System.nanoTime()));
        assertThat(stream.isOver(System.nanoTime())).isFalse();
        assertThat(stream.isOver(System.nanoTime() + TimeUnit.SECONDS.toNanos(11)))
                .isTrue();
        wire.reading.countDown();
        writer.join();
        assertThat(stream.isOver(System.nanoTime())).isFalse();
    }

    @Test
    void client_thatIsTooSlow_getsTheStateAnewInsteadOfAllEvents() {
        SlowWire wire = new SlowWire(0);
        StateStream stream = new StateStream("c", () -> true, log, null, ALL, wire, System.nanoTime());
        log.become(QUEUE, event(1));
        stream.write();
        assertThat(wire.sent).containsExactly("reset {\"reason\":\"new\"} null", "queue 1 null", "ready {} run-1");
        for (int i = 2; i <= EventLog.MOST + 10; i++) log.become(QUEUE, event(i));
        wire.sent.clear();
        stream.write();
        assertThat(wire.sent)
                .containsExactly(
                        "reset {\"reason\":\"too-old\"} null",
                        "queue " + (EventLog.MOST + 10) + " null",
                        "ready {} run-" + (EventLog.MOST + 10));
        wire.sent.clear();
        log.become(QUEUE, event(0));
        stream.write();
        assertThat(wire.sent).containsExactly("queue 0 run-" + (EventLog.MOST + 11));
        assertThat(stream.hasWork(System.nanoTime())).isFalse();
    }

    /** The place of a client moves on although nothing is for it: else it would get everything anew when it comes again. */
    @Test
    void client_forWhomNothingIs_isToldHowFarItIs() {
        SlowWire wire = new SlowWire(0);
        EventFilter other = new EventFilter(Map.of("queue", Set.of("other")), Set.of());
        StateStream stream = new StateStream("c", () -> true, log, "run-0", other, wire, 0);
        log.become(QUEUE, new StateEvent("queue", "1", QUEUE.about()));
        log.become(new EventLog.Key("queue", "other"), new StateEvent("queue", "2", Map.of("queue", List.of("other"))));
        stream.write();
        assertThat(wire.sent).containsExactly("queue 2 run-2");
        log.become(QUEUE, new StateEvent("queue", "3", QUEUE.about()));
        wire.sent.clear();
        stream.write();
        assertThat(wire.sent).isEmpty();
        StateStream quiet = new StateStream("c", () -> true, log, "run-2", other, wire, 0);
        quiet.write();
        assertThat(wire.sent).containsExactly("passed {} run-3");
    }

    @Test
    void filter_letsThroughWhatHasItsValues_andWhatSaysThatThereWasMore() {
        EventFilter filter = new EventFilter(Map.of("type", Set.of("job"), "tag", Set.of("a", "b")), Set.of("c"));
        assertThat(filter.lets(job(List.of("a", "b", "z")))).isTrue();
        assertThat(filter.lets(job(List.of("a")))).isFalse();
        assertThat(filter.lets(new StateEvent("task", "1", Map.of("tag", List.of("a", "b")))))
                .isFalse();
        assertThat(filter.lets(new StateEvent("many", "{}", Map.of("type", List.of("job")))))
                .isTrue();
        assertThat(filter.lets(new StateEvent("many", "{}", Map.of("type", List.of("task")))))
                .isFalse();
        assertThat(filter.lets(new StateEvent("notify", "{}", Map.of("channel", List.of("c")))))
                .isTrue();
        assertThat(filter.lets(new StateEvent("notify", "{}", Map.of("channel", List.of("d")))))
                .isFalse();
        assertThat(filter.lets(new StateEvent("database", "{}"))).isTrue();
    }

    private static StateEvent job(List<String> tags) {
        return new StateEvent("job", "1", Map.of("tag", tags));
    }
}
