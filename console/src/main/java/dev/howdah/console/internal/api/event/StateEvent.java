package dev.howdah.console.internal.api.event;

import java.util.List;
import java.util.Map;

/**
 * What became of an object.
 *
 * @param type of the event, such as {@code queue}
 * @param data the object as JSON
 * @param about what filters ask for, by the names of the filters
 */
record StateEvent(String type, String data, Map<String, List<String>> about) {
    StateEvent {
        about = Map.copyOf(about);
    }

    /** One that no filter but that of the type lets through. */
    StateEvent(String type, String data) {
        this(type, data, Map.of());
    }
}
