package dev.howdah.sweep.internal.read;

import dev.howdah.sweep.internal.statements.ReadStatements;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Places in the order of rows, some ten thousand rows apart when they were read. A later pass goes from place to place, as many at
 * a time as take a moment: however many entries of rows that are done lie in the index, no statement has to walk over all of
 * them. How many there are is bounded, for there are fewer between two. For one thread.
 */
public final class ScanCheckpoints {
    private static final int MOST = 2_000;
    private static final int SPACING = 10_000;

    private final List<Place> places = new ArrayList<>();
    private final int most;
    private long spacing;
    private long rows;
    private int at;
    private int stride = 1;
    private int lookedBack;

    private record Place(List<String> columns, long nanos) {}

    ScanCheckpoints() {
        this(SPACING, MOST);
    }

    /**
     * @param spacing how many rows lie between two
     * @param most how many there are at most
     */
    public ScanCheckpoints(int spacing, int most) {
        this.spacing = spacing;
        this.most = most;
    }

    /** So many rows were read that lie behind the last milestone, the last of them at that place. */
    public void passed(long count, List<String> place) {
        rows += count;
        if (rows < spacing) return;
        rows = 0;
        if (places.size() == most) thin();
        places.add(new Place(List.copyOf(place), System.nanoTime()));
        at = places.size();
    }

    /** Every other one goes. */
    private void thin() {
        List<Place> kept = new ArrayList<>();
        for (int i = 1; i < places.size(); i += 2) kept.add(places.get(i));
        places.clear();
        places.addAll(kept);
        spacing *= 2;
        lookedBack /= 2;
    }

    /** A pass begins before the first one. */
    void rewind() {
        at = 0;
    }

    /** Up to where the next stretch goes; null: to the end. */
    @Nullable
    List<String> next() {
        return at >= places.size()
                ? null
                : places.get(Math.min(at + stride, places.size()) - 1).columns();
    }

    /** The stretch has been read. */
    void reach() {
        at = Math.min(at + stride, places.size());
    }

    /** The next stretches are longer. */
    void lengthen() {
        stride = Math.max(Math.min(stride * 2, places.size()), 1);
    }

    /** The next stretches are so many times shorter; false if they cannot be. */
    boolean shorten(int times) {
        if (stride == 1) return false;
        stride = Math.max(stride / times, 1);
        return true;
    }

    /** Returns whether a stretch has been read by then that has not been looked back at. */
    boolean isBehind(long nanos) {
        return lookedBack < places.size() && places.get(lookedBack).nanos() - nanos <= 0;
    }

    /** The next one of those. */
    KeyCursor.Stretch takeBehind(ReadStatements.Segment segment) {
        List<String> from = lookedBack == 0 ? null : places.get(lookedBack - 1).columns();
        return new KeyCursor.Stretch(segment, from, places.get(lookedBack++).columns());
    }
}
