package dev.howdah.internal.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Up to which ids looks have looked that follow each other. A transaction that is open at a look may have taken an id below the highest one
 * that the look sees, and commit it later: when it has ended, the next look begins at the ids that were there before it was first seen.
 *
 * @param snapshot of the last look, as PostgreSQL writes it
 * @param points the highest id at looks of the last while, the oldest first
 * @param open for each transaction that was open at the last look, what was there before its first id
 */
public record SeenIds(String snapshot, List<Point> points, Map<Long, Point> open) {
    /** @param millis when it was the highest id, by the clock of the database */
    public record Point(long millis, long id) {
        private static Point of(String text) {
            String[] parts = text.split("/", -1);
            return new Point(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
        }

        @Override
        public String toString() {
            return millis + "/" + id;
        }
    }

    /** So long after it has taken an id a transaction has a number, at the latest, by which a snapshot knows it. */
    private static final long UNNUMBERED_MILLIS = 1_000;

    /** A transaction that was open at the first look has taken none of more ids, nor been open for longer, before that. */
    private static final long MOST_BEFORE = 100_000;

    /** Copies the lists. */
    public SeenIds {
        points = List.copyOf(points);
        open = Map.copyOf(open);
    }

    /**
     * What a look has seen.
     *
     * @param before the look before; null: this is the first one
     */
    public static SeenIds after(@Nullable SeenIds before, String snapshot, long millis, long highest) {
        return before == null ? first(snapshot, millis, highest) : before.next(snapshot, millis, highest);
    }

    private static SeenIds first(String snapshot, long millis, long highest) {
        Point before = new Point(millis - MOST_BEFORE, highest - MOST_BEFORE);
        return of(snapshot, List.of(new Point(millis, highest)), Map.of(), before);
    }

    private SeenIds next(String now, long millis, long highest) {
        List<Point> later = new ArrayList<>(points);
        later.add(new Point(millis, Math.max(highest, highest())));
        while (later.size() > 1 && later.get(1).millis() <= millis - UNNUMBERED_MILLIS) later.remove(0);
        return of(now, later, open, points.get(0));
    }

    private static SeenIds of(String snapshot, List<Point> points, Map<Long, Point> known, Point before) {
        Map<Long, Point> open = new TreeMap<>();
        String[] parts = snapshot.split(":", -1);
        if (!parts[2].isEmpty())
            for (String each : parts[2].split(",")) {
                long number = Long.parseLong(each);
                open.put(number, known.getOrDefault(number, before));
            }
        return new SeenIds(snapshot, points, open);
    }

    /** The highest id that a look has seen. */
    public long highest() {
        return points.get(points.size() - 1).id();
    }

    /** The numbers of the transactions, and 0, of one that has ended: of all others. */
    public Long[] numbers() {
        return starts().keySet().toArray(Long[]::new);
    }

    /** For each of them, after which id the next look begins if it has ended. */
    public Long[] floors() {
        return starts().values().stream().map(Point::id).toArray(Long[]::new);
    }

    /** For each of them, since when it may have been open, in milliseconds. */
    public Long[] times() {
        return starts().values().stream().map(Point::millis).toArray(Long[]::new);
    }

    private Map<Long, Point> starts() {
        Map<Long, Point> starts = new TreeMap<>(open);
        starts.put(0L, points.get(0));
        return starts;
    }

    /** As {@link #read} reads it. */
    public String text() {
        return Stream.of(
                        Stream.of(snapshot),
                        points.stream(),
                        open.entrySet().stream().map(each -> each.getKey() + "=" + each.getValue()))
                .flatMap(each -> each)
                .map(String::valueOf)
                .collect(Collectors.joining(" "));
    }

    /** Null: there was no look. */
    public static @Nullable SeenIds read(@Nullable String text) {
        if (text == null) return null;
        String[] words = text.split(" ", -1);
        List<Point> points = new ArrayList<>();
        Map<Long, Point> open = new TreeMap<>();
        for (String each : List.of(words).subList(1, words.length)) {
            int equals = each.indexOf('=');
            if (equals < 0) points.add(Point.of(each));
            else open.put(Long.parseLong(each.substring(0, equals)), Point.of(each.substring(equals + 1)));
        }
        return new SeenIds(words[0], points, open);
    }
}
