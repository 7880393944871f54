package dev.howdah.daemon.work;

import dev.howdah.daemon.console.JsonObject;
import dev.howdah.job.FatalException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The payload of a job that the daemon runs. A payload that is not right is fatal for its job, since it will
 * never be. Immutable.
 */
final class JobPayload {
    private final JsonObject object;

    private JobPayload(JsonObject object) {
        this.object = object;
    }

    /**
     * Reads a payload.
     *
     * @param known the keys there are
     * @throws FatalException if it is no object, or has another key, or one twice
     */
    static JobPayload of(String kind, String json, Collection<String> known) {
        return new JobPayload(orFatal(() -> JsonObject.of("the payload of a job of kind " + kind, json, known)));
    }

    private static <T> T orFatal(Supplier<T> read) {
        try {
            return read.get();
        } catch (IllegalArgumentException e) {
            throw new FatalException(String.valueOf(e.getMessage()), e);
        }
    }

    /** A text that has to be there. */
    String text(String name) {
        return orFatal(() -> object.needed(name));
    }

    /** A value as JSON; null if it is not there. */
    @Nullable
    String json(String name) {
        return object.json(name);
    }

    /** Whether a value is true; false if it is not there. */
    boolean flag(String name) {
        return orFatal(() -> object.flag(name));
    }

    /** The values of an array, as text; objects and arrays among them are JSON. Empty if it is not there. */
    List<@Nullable String> list(String name) {
        List<@Nullable String> found = new ArrayList<>();
        for (JsonObject.Value each : orFatal(() -> object.list(name))) found.add(each.isNull() ? null : each.text());
        return found;
    }

    /** The texts of an object, by name. Empty if it is not there. */
    Map<String, String> texts(String name) {
        return orFatal(() -> object.texts(name));
    }
}
