package dev.howdah.console.internal.schedule;

import dev.howdah.job.Schedules;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Comparator;
import java.util.Objects;
import java.util.function.Predicate;

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

    /** The place behind a schedule, from which the next page begins. */
    public String after(Schedules.Entry entry) {
        Place place = Place.of(entry);
        if (isByName()) return place.name();
        return (place.next().equals(Instant.MAX) ? NO_TIME : place.next().toString()) + " " + place.name();
    }

    /**
     * Which schedules are behind a place of {@link #after}.
     *
     * @throws IllegalArgumentException if there is no such place in this order
     */
    public Predicate<Schedules.Entry> behind(String after) {
        Place place = place(after);
        return entry -> places.compare(Place.of(entry), place) > 0;
    }

    private Place place(String after) {
        if (isByName()) return new Place(Instant.MAX, after);
        String[] parts = after.split(" ", 2);
        try {
            if (parts.length == 2)
                return new Place(parts[0].equals(NO_TIME) ? Instant.MAX : Instant.parse(parts[0]), parts[1]);
        } catch (DateTimeException e) {
            // Said below.
        }
        throw new IllegalArgumentException("after has to be next of the page before, not \"" + after + "\"");
    }
}
