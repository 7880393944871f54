package dev.howdah.internal;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A test of a class beside a reference that does the same in the simplest way: random operations, by seeds that are always the same and by a new one. */
public interface SeededModel {
    /** Runs operations; a failure has to name the seed. */
    void run(long seed);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    default void operations_fixedSeeds_followTheReference(long seed) {
        run(seed);
    }

    @Test
    default void operations_newSeed_followTheReference() {
        run(System.nanoTime());
    }
}
