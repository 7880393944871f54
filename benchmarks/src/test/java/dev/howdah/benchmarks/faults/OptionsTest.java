package dev.howdah.benchmarks.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The command line of the suite, and how recoveries are counted. */
class OptionsTest {
    @Test
    void words_areUnderstood() {
        Options options = Options.parse(List.of("kill", "--seed", "7", "restart", "--rounds", "3"));
        assertThat(options.scenarios()).containsExactly(Scenario.KILL, Scenario.RESTART);
        assertThat(options.seed()).isEqualTo(7);
        assertThat(options.amount(Scenario.KILL)).isEqualTo(3);
    }

    @Test
    void nothing_meansAllInFull_shortAFifth() {
        Options all = Options.parse(List.of());
        assertThat(all.scenarios()).containsExactly(Scenario.values());
        assertThat(all.amount(Scenario.KILL)).isEqualTo(100);
        assertThat(Options.parse(List.of("--short")).amount(Scenario.TERMINATE)).isEqualTo(60);
    }

    @Test
    void mistakes_areNamed() {
        assertThatThrownBy(() -> Options.parse(List.of("kil"))).hasMessageStartingWith("no scenario kil, only kill, ");
        assertThatThrownBy(() -> Options.parse(List.of("--seed"))).hasMessage("--seed takes a number, not nothing");
    }

    @Test
    void recovery_isFromTheLastStrikeBeforeABegin() {
        List<History.Change> changes = List.of(begun(5_000), begun(40_000), begun(90_000));
        History history = new History(changes, List.of(), List.of(), Set.of());
        assertThat(Recovery.of(history, List.of(10_000L, 20_000L, 50_000L, 95_000L))
                        .millis())
                .containsExactly(20L, 40L);
    }

    private static History.Change begun(long at) {
        return new History.Change(at, 1, "PLAN", "WORK", null, null, 0, null, 0, 0);
    }
}
