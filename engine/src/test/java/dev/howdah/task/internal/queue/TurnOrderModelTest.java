package dev.howdah.task.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.task.internal.model.WaitingTask;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The order of waiting tasks against a walk over all of them. */
class TurnOrderModelTest {
    private static final int STEPS = 4_000;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void first_ofManyConditions_isTheOneThatAWalkFinds(long seed) {
        Random random = new Random(seed);
        TurnOrder order = new TurnOrder();
        TreeSet<WaitingTask> model = new TreeSet<>();
        int found = 0;
        for (int step = 0; step < STEPS; step++) {
            WaitingTask task = task(random);
            switch (random.nextInt(12)) {
                case 0, 1, 2, 3 -> {
                    order.remove(task);
                    model.remove(task);
                }
                case 4 -> {
                    if (random.nextInt(40) > 0) break;
                    order.clear();
                    model.clear();
                }
                default -> {
                    order.add(task);
                    model.add(task);
                }
            }
            int done = random.nextInt(5);
            double age = random.nextInt(4);
            int least = random.nextInt(5) - 2;
            String owner = owner(random);
            TurnOrder.Conditions conditions = each ->
                    each.max() >= least && each.mayContinue(done, age) && java.util.Objects.equals(owner, each.owner());
            WaitingTask expected =
                    model.stream().filter(conditions::admit).findFirst().orElse(null);
            assertThat(order.first(conditions))
                    .as("seed %d, step %d", seed, step)
                    .isEqualTo(expected);
            if (expected != null) found++;
            assertThat(order).containsExactlyElementsOf(model);
            assertThat(order.first()).isEqualTo(model.isEmpty() ? null : model.first());
        }
        assertThat(found).isGreaterThan(STEPS / 10);
    }

    private static WaitingTask task(Random random) {
        return new WaitingTask(
                random.nextInt(60),
                1,
                random.nextInt(6) - 2,
                random.nextInt(4),
                random.nextInt(3),
                owner(random),
                null);
    }

    private static @Nullable String owner(Random random) {
        return List.of("", "a", "b").get(random.nextInt(3)).isEmpty() ? null : random.nextBoolean() ? "a" : "b";
    }
}
