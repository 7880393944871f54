package dev.howdah.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.spi.Metrics;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Instruments of a program's metrics library. */
class InstrumentsTest {
    private final List<String> requested = new CopyOnWriteArrayList<>();
    private final List<Long> added = new CopyOnWriteArrayList<>();

    private final Metrics metrics = new Metrics() {
        @Override
        public Counter counter(String name, String help, Map<String, String> labels) {
            requested.add(name + new TreeMap<>(labels));
            if (name.equals("broken")) throw new IllegalStateException("no such counter");
            return count -> {
                if (count < 0) throw new IllegalArgumentException("negative");
                added.add(count);
            };
        }

        @Override
        public Timer timer(String name, String help, Map<String, String> labels) {
            return nanos -> {};
        }

        @Override
        public Gauge gauge(String name, String help, Map<String, String> labels) {
            return value -> {};
        }
    };

    @Test
    void instrument_isRequestedOnce_withAllLabels() {
        Instruments.Family<Metrics.Counter> family =
                Instruments.of(metrics).with("queue", "mail").counters("ended", "Jobs", "kind", "outcome");
        assertThat(requested).isEmpty();
        for (int i = 0; i < 3; i++) {
            family.get("a", "done").add(1);
            family.get("done", "a").add(1);
        }
        assertThat(requested)
                .containsExactly("ended{kind=a, outcome=done, queue=mail}", "ended{kind=done, outcome=a, queue=mail}");
        assertThat(added).hasSize(6);
    }

    @Test
    void instruments_moreThanThereMayBe_areThoseOfAllOthers() {
        Instruments.Family<Metrics.Counter> family = Instruments.of(metrics).counters("added", "Jobs", "queue", "kind");
        for (int i = 0; i < Instruments.MOST + 100; i++)
            family.get("tenant-" + i, "mail").add(1);
        family.get("tenant-7", "mail").add(1);
        assertThat(requested).hasSize(Instruments.MOST + 1).last().isEqualTo("added{kind=mail, queue=(others)}");
        assertThat(added).hasSize(Instruments.MOST + 101);
    }

    @Test
    void exceptionsOfTheProgram_stayInside() {
        Instruments instruments = Instruments.of(metrics);
        Metrics.Counter broken = instruments.counters("broken", "").get();
        broken.add(1);
        broken.add(1);
        assertThat(requested).hasSize(1);
        instruments.counters("works", "").get().add(-1);
        instruments.counters("works", "").get().add(2);
        assertThat(added).containsExactly(2L);
    }

    @Test
    void none_isOff() {
        assertThat(Instruments.of(Metrics.none()).with("a", "b").isOff()).isTrue();
        assertThat(Instruments.of(metrics).isOff()).isFalse();
    }

    @Test
    void values_haveToBeThoseOfTheLabels() {
        Instruments.Family<Metrics.Gauge> family = Instruments.of(metrics).gauges("waiting", "", "queue");
        assertThatThrownBy(() -> family.get("a", "b")).hasMessage("2 values for the labels [queue]");
    }
}
