package dev.howdah.console.internal.sweep;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.console.internal.list.ListPlace;
import dev.howdah.sweep.SweepError;
import dev.howdah.sweep.Sweeps;
import java.util.ArrayList;
import java.util.List;

/** Rows of a sweep that have failed, page by page in the order of their keys. */
public final class SweepErrorPages {
    private static final ObjectMapper JSON = new ObjectMapper();

    private SweepErrorPages() {}

    /** @throws IllegalArgumentException if there is no such place */
    public static ListPlace.Rows<SweepError> read(Sweeps sweeps, String name, ListPlace place, int most) {
        String start = place.start();
        List<String> key = start == null ? null : key(start, place.isBackwards());
        List<SweepError> found = key != null && place.isBackwards()
                ? sweeps.errorsBefore(name, key, most + 1)
                : sweeps.errorsAfter(name, key, most + 1);
        if (place.isPastFirst(found, false)) return read(sweeps, name, ListPlace.FIRST, most);
        return place.rowsBy(found, most, each -> place(each.key()));
    }

    private static String place(List<String> key) {
        try {
            return JSON.writeValueAsString(key);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> key(String place, boolean isBackwards) {
        List<String> key = new ArrayList<>();
        try {
            JsonNode json = JSON.readTree(place);
            if (json.isArray()) for (JsonNode each : json) if (each.isTextual()) key.add(each.textValue());
        } catch (JsonProcessingException e) {
            // Said below.
        }
        if (!key.isEmpty()) return key;
        throw new IllegalArgumentException((isBackwards
                        ? "before has to be previous of the page behind"
                        : "after has to be next of the page before")
                + ", not \"" + place + "\"");
    }
}
