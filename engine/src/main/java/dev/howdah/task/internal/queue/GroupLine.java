package dev.howdah.task.internal.queue;

import dev.howdah.task.internal.model.WaitingTask;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Groups that could start a task and wait for a session, for each owner in the order in which they get one, so that a round looks at
 * as many as there are sessions and not at all of them. A group leaves the line before anything about it changes what it stands for: its
 * place is that of the moment in which it came. Belongs to the scheduler's thread.
 */
final class GroupLine {
    /** Those that have waited for long come first, the longest first: they have waited from the moment in which they were passed over. */
    private static final Comparator<Place> LONGEST = Comparator.comparing(Place::since, (a, b) -> Long.signum(a - b));

    private static final Comparator<Place> FEWEST = Comparator.comparingInt(Place::running)
            .thenComparing(Comparator.comparingInt(Place::room).reversed());

    /** A row that was moved to another group meanwhile may be the first of both. */
    private static final Comparator<Place> OLDEST =
            Comparator.comparingLong(Place::firstId).thenComparingLong(Place::number);

    /**
     * A place in the line.
     *
     * @param since when it was passed over; 0: it was not
     * @param number another one for each
     */
    private record Place(
            GroupQueue group, @Nullable String owner, long since, int running, int room, long firstId, long number) {}

    private record OfOwner(NavigableSet<Place> bySince, NavigableSet<Place> byRank) {
        OfOwner() {
            this(new TreeSet<>(LONGEST.thenComparing(OLDEST)), new TreeSet<>(FEWEST.thenComparing(OLDEST)));
        }
    }

    private final Map<GroupQueue, Place> places = new IdentityHashMap<>();
    private final Map<@Nullable String, OfOwner> owners = new HashMap<>();
    private long numbers;

    void add(GroupQueue group) {
        WaitingTask first = Objects.requireNonNull(group.startable());
        Place place = new Place(
                group, first.owner(), group.passedOverAt(), group.running(), group.room(), group.firstId(), ++numbers);
        places.put(group, place);
        OfOwner of = owners.computeIfAbsent(place.owner(), owner -> new OfOwner());
        if (place.since() != 0) of.bySince().add(place);
        of.byRank().add(place);
    }

    /** Takes a group out; nothing happens if it does not stand in the line. */
    void remove(GroupQueue group) {
        Place place = places.remove(group);
        if (place == null) return;
        OfOwner of = Objects.requireNonNull(owners.get(place.owner()));
        of.bySince().remove(place);
        of.byRank().remove(place);
        if (of.byRank().isEmpty()) owners.remove(place.owner());
    }

    /** Takes the first groups of each owner out, at most that many. */
    List<GroupQueue> take(int most) {
        List<GroupQueue> taken = new ArrayList<>();
        for (OfOwner each : List.copyOf(owners.values())) {
            int all = taken.size() + most;
            Iterator<Place> longest = List.copyOf(first(each.bySince(), most)).iterator();
            while (longest.hasNext()) {
                GroupQueue group = longest.next().group();
                if (!group.waitsLong()) break;
                taken.add(group);
                remove(group);
            }
            for (Place place : first(each.byRank(), all - taken.size())) {
                taken.add(place.group());
                remove(place.group());
            }
        }
        return taken;
    }

    private static List<Place> first(NavigableSet<Place> places, int most) {
        return places.stream().limit(most).toList();
    }
}
