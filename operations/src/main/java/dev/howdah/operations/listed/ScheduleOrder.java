package dev.howdah.operations.listed;

import dev.howdah.job.Schedules;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Comparator;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The order of a list of schedules. */
public enum ScheduleOrder {
    /** By name. */
    NAME(Comparator.comparing(Place::name)),
    /** By name, the last one first. */
    REVERSE_NAME(NAME.places.reversed()),
    /** By their next times; those that have none come last. */
    SOONEST(Comparator.comparing(Place::next).thenComparing(Place::name)),
    /** The other way round. */
    LATEST(SOONEST.places.reversed());

    private static final String NO_TIME = "-";

    private final Comparator<Place> places;

    ScheduleOrder(Comparator<Place> places) {
        this.places = places;
    }

    /** What a schedule is sorted by. */
    private record Place(Instant next, String name) {
        static Place of(Schedules.Entry entry) {
            Instant next = entry.paused() ? null : entry.nextAt();
            return new Place(Objects.requireNonNullElse(next, Instant.MAX), entry.name());
        }
    }

    /** Compares schedules. */
    public Comparator<Schedules.Entry> comparator() {
        return Comparator.comparing(Place::of, places);
    }

    private boolean isByName() {
        return this == NAME || this == REVERSE_NAME;
    }

    /** The place of a schedule, behind which the next page begins, or before which the page before ends. */
    public String after(Schedules.Entry entry) {
        Place place = Place.of(entry);
        if (isByName()) return place.name();
        return (place.next().equals(Instant.MAX) ? NO_TIME : place.next().toString()) + " " + place.name();
    }

    /**
     * Which schedules are behind a place of {@link #after}, or before it.
     *
     * @param place null: all are
     * @throws IllegalArgumentException if there is no such place in this order
     */
    public Predicate<Schedules.Entry> beyond(@Nullable String place, boolean isBackwards) {
        if (place == null) return entry -> true;
        Place from = place(place, isBackwards);
        return entry -> {
            int compared = places.compare(Place.of(entry), from);
            return isBackwards ? compared < 0 : compared > 0;
        };
    }

    private Place place(String text, boolean isBackwards) {
        if (isByName()) return new Place(Instant.MAX, text);
        String[] parts = text.split(" ", 2);
        try {
            if (parts.length == 2)
                return new Place(parts[0].equals(NO_TIME) ? Instant.MAX : Instant.parse(parts[0]), parts[1]);
        } catch (DateTimeException e) {
            // Said below.
        }
        throw new IllegalArgumentException((isBackwards
                        ? "before has to be previous of the page behind"
                        : "after has to be next of the page before")
                + ", not \"" + text + "\"");
    }
}
