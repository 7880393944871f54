package dev.howdah.job.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Where keys belong. */
class ShardKeysTest {
    private static final int KEYS = 20_000;

    @Test // computed by PostgreSQL and by Python: this must never change, since jobs wait where their keys were
    void shardOf_knownKeys_isTheSameForEver() {
        ShardKeys keys = new ShardKeys(List.of("mail-1", "mail-2", "mail-3", "mail-4"));
        assertThat(List.of("customer-7", "customer-8", "ann@example.com", "Größe", "x", "42", "a/b").stream()
                        .map(keys::shardOf))
                .containsExactly("mail-3", "mail-2", "mail-4", "mail-4", "mail-1", "mail-4", "mail-3");
    }

    @Test
    void shardOf_namesInAnotherOrder_isTheSame() {
        ShardKeys one = new ShardKeys(List.of("a", "b", "c"));
        ShardKeys other = new ShardKeys(List.of("c", "a", "b"));
        for (int i = 0; i < 1_000; i++) assertThat(one.shardOf("key " + i)).isEqualTo(other.shardOf("key " + i));
    }

    @Test
    void shardOf_oneShardMore_movesItsShareOfTheKeysToItAndNoOther() {
        ShardKeys four = new ShardKeys(List.of("a", "b", "c", "d"));
        ShardKeys five = new ShardKeys(List.of("a", "b", "c", "d", "e"));
        int moved = 0;
        for (int i = 0; i < KEYS; i++) {
            String now = five.shardOf("customer-" + i);
            if (now.equals("e")) moved++;
            else assertThat(now).isEqualTo(four.shardOf("customer-" + i));
        }
        assertThat(moved).isBetween(KEYS / 5 - 300, KEYS / 5 + 300);
    }

    @Test
    void shardOf_manyKeys_dividesThemEvenly() {
        ShardKeys four = new ShardKeys(List.of("a", "b", "c", "d"));
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < KEYS; i++) counts.merge(four.shardOf("customer-" + i), 1, Integer::sum);
        assertThat(counts.values())
                .hasSize(4)
                .allSatisfy(each -> assertThat(each).isBetween(KEYS / 4 - 300, KEYS / 4 + 300));
    }

    @Test
    void shardOf_noKey_isRefused() {
        ShardKeys keys = new ShardKeys(List.of("a"));
        assertThatThrownBy(() -> keys.shardOf("")).hasMessage("a key has 1 to 400 characters, not 0");
        assertThatThrownBy(() -> keys.shardOf("k".repeat(401)))
                .hasMessageStartingWith("a key has 1 to 400 characters, not 401");
    }

    @Test
    void parse_textsOfIds_areReadOrRefused() {
        ShardJobId id = new ShardJobId("mail-1", 42);
        assertThat(id).hasToString("mail-1/42");
        assertThat(ShardJobId.parse("mail-1/42")).isEqualTo(id);
        for (String wrong : List.of("", "42", "/42", "mail-1/", "mail-1/x"))
            assertThatThrownBy(() -> ShardJobId.parse(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the id of a job among several databases is shard/number, not " + wrong);
        assertThatThrownBy(() -> ShardJobId.parse("a/b/1")).hasMessageContaining("has no slash");
    }
}
