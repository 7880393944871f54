package dev.howdah.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that have nothing to do look for dead ones by turns. */
class LookTurnsTest {
    private static final long NOW = 1_800_000_000_123L;
    private static final int PERIOD = 2_500;

    /** When the nodes look within two minutes, without one of them. */
    private static List<Long> looks(int nodes, int dead, long from) {
        List<Long> looks = new ArrayList<>();
        for (int node = 0; node < nodes; node++) {
            if (node == dead) continue;
            int before = nodes > 65 ? 0 : node;
            long at = from;
            while (at < from + 120_000) {
                at += DeathWatch.untilTurn(node, Math.min(nodes - 1, 64), before, at);
                looks.add(at);
            }
        }
        Collections.sort(looks);
        return looks;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 7, 8, 15, 16, 17, 40, 65, 200, 1_000})
    void node_thatDies_isSeenByAnotherOneWithinATurn(int nodes) {
        for (int dead : IntStream.range(0, Math.min(nodes, 20)).toArray()) {
            List<Long> looks = looks(nodes, dead, NOW);
            long before = NOW + 30_000;
            for (long each : looks) {
                if (each < before) continue;
                if (each > NOW + 110_000) break;
                assertThat(each - before)
                        .as("%d nodes, without %d", nodes, dead)
                        .isLessThanOrEqualTo(PERIOD + 10);
                before = each;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 8, 40, 1_000})
    void looks_ofManyNodes_areAsManyAsOfAFew(int nodes) {
        int most = Math.max(2, (nodes + 7) / 8 + 1) * 49;
        assertThat(looks(nodes, -1, NOW)).hasSizeLessThanOrEqualTo(nodes * 2 + most);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 999, 1_000, 2_499, 19_999})
    void pause_afterALook_isNoShortOne(int moment) {
        for (int place = 0; place < 40; place++)
            assertThat(DeathWatch.untilTurn(place, 39, place, NOW + moment)).isBetween(1_000, 20_000 + 1_000);
    }
}
