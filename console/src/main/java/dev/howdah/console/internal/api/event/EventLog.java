package dev.howdah.console.internal.api.event;

import dev.howdah.console.internal.api.ApiJson;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The state of all objects, and the latest events by which it became so. Safe for use by many threads. */
final class EventLog {
    /** So many events are kept for clients that come again. */
    static final int MOST = 10_000;

    private static final String SEPARATOR = "-";

    /** The type and the name of an object. */
    record Key(String type, String name) {
        /** What filters ask for. */
        Map<String, List<String>> about() {
            String filter = type.equals("tasks") ? "table" : type;
            return Map.of(EventFilter.TYPE, List.of(type), filter, List.of(name));
        }
    }

    /** An event by its number, which grows by one. */
    record Numbered(long number, StateEvent event) {}

    /**
     * Where a stream begins.
     *
     * @param reset why it begins with the whole state; null: it goes on where it was
     * @param state the whole state; empty: it goes on where it was
     * @param number of the last event that the client has, or that is in the state
     */
    record Start(@Nullable String reset, List<StateEvent> state, long number) {}

    /** Another server, or this one after it was started again, has another one. */
    private final String run;

    /** That of each number is at the remainder of the number. */
    private final @Nullable Numbered[] latest = new Numbered[MOST];

    private final Map<Key, StateEvent> state = new LinkedHashMap<>();
    private long last;

    EventLog(String run) {
        this.run = run;
    }

    /** The id of an event, as clients send it back. */
    String id(long number) {
        return run + SEPARATOR + number;
    }

    /** The state is this one now: what differs from the one before becomes events. */
    synchronized void become(Map<Key, StateEvent> now) {
        for (Iterator<Key> each = state.keySet().iterator(); each.hasNext(); ) {
            Key key = each.next();
            if (now.containsKey(key)) continue;
            each.remove();
            add(new StateEvent(
                    "removed",
                    ApiJson.text(ApiJson.object().put("type", key.type()).put("name", key.name())),
                    key.about()));
        }
        now.forEach((key, event) -> {
            if (!event.equals(state.put(key, event))) add(event);
        });
    }

    /** One object is so now. */
    synchronized void become(Key key, StateEvent event) {
        if (!event.equals(state.put(key, event))) add(event);
    }

    /** Something has happened that is no part of the state. */
    synchronized void tell(StateEvent event) {
        add(event);
    }

    private void add(StateEvent event) {
        last++;
        latest[(int) (last % MOST)] = new Numbered(last, event);
    }

    /** Where the stream begins of a client that has got that event last; null: it has got none. */
    synchronized Start begin(@Nullable String id) {
        if (id == null) return whole("new");
        long number = number(id);
        if (number < 0) return whole("unknown");
        return isKept(number) ? new Start(null, List.of(), number) : whole("too-old");
    }

    private Start whole(String reason) {
        return new Start(reason, List.copyOf(state.values()), last);
    }

    /** -1: it is no id of this run. */
    private long number(String id) {
        if (!id.matches(run + SEPARATOR + "\\d{1,18}")) return -1;
        long number = Long.parseLong(id.substring(run.length() + 1));
        return number > last ? -1 : number;
    }

    private boolean isKept(long number) {
        return number >= Math.max(0, last - MOST);
    }

    /** Up to so many events after that one; null: they are not kept any more. */
    synchronized @Nullable List<Numbered> after(long number, int most) {
        if (!isKept(number)) return null;
        List<Numbered> after = new ArrayList<>();
        for (long each = number + 1; each <= last && after.size() < most; each++)
            after.add(Objects.requireNonNull(latest[(int) (each % MOST)]));
        return after;
    }

    synchronized long last() {
        return last;
    }
}
