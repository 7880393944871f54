package dev.howdah.process.internal.step;

import dev.howdah.process.Event;
import dev.howdah.process.HistoryRange;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a history that a step sees. Adding to it makes another one, which shares its events with this one; of any
 * two that share only the newer may be added to.
 */
public final class StepHistory {
    private final HistoryRange range;
    private final Event[] events;
    private final int size;

    private StepHistory(HistoryRange range, Event[] events, int size) {
        this.range = range;
        this.events = events;
        this.size = size;
    }

    static StepHistory of(HistoryRange range, List<Event> events) {
        return new StepHistory(range, events.toArray(Event[]::new), events.size());
    }

    HistoryRange range() {
        return range;
    }

    /** With these as well; null if only the database knows what then belongs to it. */
    @Nullable
    StepHistory with(List<Event> added) {
        if (added.isEmpty() || (range.limit() != null && range.limit() == 0)) return this;
        if (!range.equals(HistoryRange.ALL)) return null;
        boolean ordered = true;
        long last = size == 0 ? Long.MIN_VALUE : events[size - 1].id();
        for (Event each : added) {
            ordered &= each.id() > last;
            last = each.id();
        }
        int more = size + added.size();
        boolean fits = ordered && more <= events.length;
        Event[] grown = fits ? events : Arrays.copyOf(events, Math.max(more, Math.min(size * 2, size + 100_000)));
        for (int i = 0; i < added.size(); i++) grown[size + i] = added.get(i);
        if (!ordered) Arrays.sort(grown, 0, more, Comparator.comparingLong(Event::id));
        return new StepHistory(range, grown, more);
    }

    public List<Event> events() {
        return new AbstractList<>() {
            @Override
            public Event get(int index) {
                if (index >= size) throw new IndexOutOfBoundsException("event " + index + " of " + size);
                return events[index];
            }

            @Override
            public int size() {
                return size;
            }
        };
    }
}
