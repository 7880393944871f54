package dev.howdah.operations.listed;

import dev.howdah.sweep.SweepProgress;
import java.util.Comparator;

/** The order of a list of sweeps. */
public enum SweepOrder {
    NEWEST(Comparator.comparing(SweepProgress::started).reversed().thenComparing(SweepProgress::name)),
    OLDEST(Comparator.comparing(SweepProgress::started).thenComparing(SweepProgress::name)),
    NAME(Comparator.comparing(SweepProgress::name)),
    REVERSE_NAME(Comparator.comparing(SweepProgress::name).reversed());

    private final Comparator<SweepProgress> comparator;

    SweepOrder(Comparator<SweepProgress> comparator) {
        this.comparator = comparator;
    }

    /** Compares sweeps: all are read, since they are few. */
    public Comparator<SweepProgress> comparator() {
        return comparator;
    }
}
