package dev.howdah.daemon.cli.process;

import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Listing;
import dev.howdah.internal.json.JsonBytes;
import dev.howdah.process.Event;
import dev.howdah.process.Payload;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The columns of the lists of processes, timers, tasks of processes and events. */
final class ProcessListings {
    private static final int SHOWN = 200;

    static final Listing<Event> EVENTS = new Listing<Event>()
            .number("id", Event::id)
            .text("timestamp", Event::timestamp)
            .text("payload", event -> value(event.payload()))
            .shown(event -> text(event.payload()))
            .text("metadata", event -> value(event.metadata()))
            .number("task", Event::task)
            .more("metadata task");

    private ProcessListings() {}

    /** JSON, or an object with the bytes that are none. */
    private static @Nullable Object value(@Nullable Payload payload) {
        if (payload == null || payload.size() == 0) return null;
        String text = JsonBytes.text(payload.bytes());
        return text == null
                ? Map.of("base64", Base64.getEncoder().encodeToString(payload.bytes()))
                : new Json.Document(text);
    }

    /** Bytes for people. */
    static @Nullable String text(@Nullable Payload payload) {
        if (payload == null) return null;
        String text = JsonBytes.text(payload.bytes());
        if (text == null) return payload.toString();
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
    }
}
