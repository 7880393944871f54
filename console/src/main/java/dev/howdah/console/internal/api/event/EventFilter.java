package dev.howdah.console.internal.api.event;

import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import io.javalin.http.Context;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which events a client wants.
 *
 * @param wanted the values of each filter that the client has given: one of them has to be that of the event, of tags all
 * @param channels whose notifications the client wants
 */
record EventFilter(Map<String, Set<String>> wanted, Set<String> channels) {
    static final String TYPE = "type";
    static final String NOTIFY = "notify";
    private static final String MANY = "many";
    private static final String REMOVED = "removed";
    private static final String DATABASE = "database";
    private static final String TAG = "tag";
    private static final String CHANNEL = "channel";

    private static final Set<String> TYPES =
            Set.of("tasks", "queue", "node", "namespace", "sweep", "task", "job", "process");

    private static final int MOST_VALUES = 100;

    /** What a request may ask for. */
    static final List<Field> FIELDS = List.of(
            field(TYPE, "only events of that type: tasks, queue, node, namespace, sweep, task, job or process"),
            field("table", "only of that table of tasks, such as public.task"),
            field("group", "only tasks of that group"),
            field("queue", "only of that queue: the queue and its jobs"),
            field("kind", "only jobs of that kind"),
            field("key", "only jobs with that key"),
            field(TAG, "only jobs with that tag, or with all of several"),
            field("namespace", "only of that namespace: the namespace and its processes"),
            field("process", "only the process with that id"),
            field("sweep", "only the sweep of that name"),
            field(CHANNEL, "also what NOTIFY sends to that channel, which has to be one that the console may pass on"));

    EventFilter {
        wanted = Map.copyOf(wanted);
        channels = Set.copyOf(channels);
    }

    private static Field field(String name, String words) {
        return Field.maybe(name, FieldType.TEXTS, words + "; may be given again");
    }

    /**
     * Reads what a request asks for.
     *
     * @param passed the channels that may be passed on
     */
    static EventFilter of(Context context, Set<String> passed) {
        Map<String, Set<String>> wanted = new HashMap<>();
        for (Field each : FIELDS) {
            Set<String> values = Set.copyOf(context.queryParams(each.name()));
            if (values.size() > MOST_VALUES)
                throw ApiProblemException.invalid(
                        each.name() + " is given " + values.size() + " times: up to " + MOST_VALUES + " are possible");
            if (!values.isEmpty()) wanted.put(each.name(), values);
        }
        Set<String> channels = wanted.getOrDefault(CHANNEL, Set.of());
        wanted.remove(CHANNEL);
        for (String each : channels)
            if (!passed.contains(each))
                throw new ApiProblemException(
                        403, "forbidden", "the channel \"" + each + "\" is none that this console passes on");
        for (String each : wanted.getOrDefault(TYPE, Set.of()))
            if (!TYPES.contains(each))
                throw ApiProblemException.invalid("type has to be one of "
                        + String.join(", ", TYPES.stream().sorted().toList()) + ", not \"" + each + "\"");
        return new EventFilter(wanted, channels);
    }

    /** Whether the client gets that event. */
    boolean lets(StateEvent event) {
        if (event.type().equals(DATABASE)) return true;
        String type = event.type().equals(MANY) || event.type().equals(REMOVED)
                ? event.about().getOrDefault(TYPE, List.of("")).get(0)
                : event.type();
        if (type.equals(NOTIFY))
            return event.about().getOrDefault(CHANNEL, List.of()).stream().anyMatch(channels::contains);
        Set<String> types = wanted.get(TYPE);
        if (types != null && !types.contains(type)) return false;
        for (Map.Entry<String, Set<String>> each : wanted.entrySet()) {
            if (each.getKey().equals(TYPE)) continue;
            List<String> values = event.about().get(each.getKey());
            // Of many changes it is not known of which objects they are.
            if (values == null ? !event.type().equals(MANY) : !matches(each.getKey(), each.getValue(), values))
                return false;
        }
        return true;
    }

    private static boolean matches(String name, Set<String> wanted, List<String> values) {
        return name.equals(TAG) ? values.containsAll(wanted) : values.stream().anyMatch(wanted::contains);
    }
}
