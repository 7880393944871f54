package dev.howdah.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SeenIdsTest {
    private static final long FIRST = 1_000_000;

    @Test
    void nextLook_beginsWhereTheHighestIdWasASecondAgo() {
        SeenIds seen = SeenIds.after(null, "10:10:", 0, FIRST);
        assertThat(seen.floors()).containsExactly(FIRST);
        seen = SeenIds.after(seen, "11:11:", 600, FIRST + 6);
        seen = SeenIds.after(seen, "12:12:", 1_000, FIRST + 10);
        assertThat(seen.floors()).containsExactly(FIRST);
        seen = SeenIds.after(seen, "13:13:", 1_600, FIRST + 16);
        assertThat(seen.floors()).containsExactly(FIRST + 6);
        assertThat(seen.highest()).isEqualTo(FIRST + 16);
        // What was highest has gone: nothing is looked for anew.
        seen = SeenIds.after(seen, "14:14:", 9_000, 0);
        assertThat(seen.floors()).containsExactly(FIRST + 16);
    }

    @Test
    void transaction_keepsWhereItWasFirstSeen_untilItHasEnded() {
        SeenIds seen = SeenIds.after(null, "10:20:10", 0, FIRST);
        seen = SeenIds.after(seen, "10:30:10,25", 5_000, FIRST + 50);
        seen = SeenIds.after(seen, "10:40:10,25,33", 10_000, FIRST + 100);
        assertThat(seen.numbers()).containsExactly(0L, 10L, 25L, 33L);
        assertThat(seen.floors()).containsExactly(FIRST + 50, FIRST - 100_000, FIRST, FIRST);
        assertThat(seen.times()).containsExactly(5_000L, -100_000L, 0L, 0L);
        seen = SeenIds.after(seen, "25:40:25", 20_000, FIRST + 200);
        assertThat(seen.numbers()).containsExactly(0L, 25L);
        assertThat(seen.floors()).containsExactly(FIRST + 100, FIRST);
    }

    @Test
    void text_isReadAsItWas() {
        SeenIds seen = SeenIds.after(SeenIds.after(null, "10:20:10", 7, FIRST), "10:30:10,25", 5_000, FIRST + 50);
        assertThat(SeenIds.read(seen.text())).isEqualTo(seen);
        assertThat(SeenIds.read(null)).isNull();
    }
}
