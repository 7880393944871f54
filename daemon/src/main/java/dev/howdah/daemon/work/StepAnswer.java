package dev.howdah.daemon.work;

import com.fasterxml.jackson.core.JsonToken;
import dev.howdah.daemon.console.JsonObject;
import dev.howdah.process.Action;
import dev.howdah.process.Intent;
import dev.howdah.process.NewEvent;
import dev.howdah.process.StepFailedException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The answer of an endpoint to a step: an intent as JSON, or {@code {"error": "why"}}. */
public final class StepAnswer {
    private static final List<String> KEYS = List.of(
            "events",
            "response",
            "responseBase64",
            "refuse",
            "auxState",
            "auxStateBase64",
            "metadata",
            "action",
            "error");
    private static final List<String> EVENT = List.of("id", "timestamp", "payload", "payloadBase64", "metadata");
    private static final List<String> TIMERS = List.of("timeout", "remove");

    /** Some 300 years. */
    private static final long LONGEST_SECONDS = 10_000_000_000L;

    private StepAnswer() {}

    /**
     * Reads one.
     *
     * @throws StepFailedException if the step has failed, with the reason as the endpoint says it
     * @throws IllegalArgumentException if it makes no sense
     */
    public static Intent read(byte[] body) {
        JsonObject said = JsonObject.of("the answer", text(body), KEYS);
        String error = said.text("error");
        if (error != null) {
            for (String each : KEYS)
                if (!each.equals("error") && said.find(each) != null)
                    throw new IllegalArgumentException("\"error\" and \"" + each + "\" stand side by side");
            throw new StepFailedException(error);
        }
        List<NewEvent> events = new ArrayList<>();
        for (JsonObject each : said.objects("events", EVENT)) events.add(event(each, events.size()));
        return new Intent(
                events,
                said.bytes("response"),
                said.text("refuse"),
                said.bytes("auxState"),
                metadata(said),
                action(said));
    }

    private static String text(byte[] body) {
        if (body.length == 0) throw new IllegalArgumentException("the answer is empty; {} says that nothing changes");
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("the answer is no UTF-8", e);
        }
    }

    private static NewEvent event(JsonObject event, int number) {
        byte[] payload = event.bytes("payload");
        if (payload == null)
            throw new IllegalArgumentException("events[" + number + "] needs \"payload\" or \"payloadBase64\"");
        String timestamp = event.text("timestamp");
        return new NewEvent(
                event.whole("id", 1, 999_999_999_999_999_999L),
                timestamp == null ? null : time("timestamp", timestamp),
                payload,
                metadata(event));
    }

    private static @Nullable String metadata(JsonObject of) {
        JsonObject.Value value = of.find("metadata");
        if (value == null) return null;
        if (value.token() != JsonToken.START_OBJECT)
            throw new IllegalArgumentException(
                    "\"metadata\" has to be an object, not " + JsonObject.shortened(value.json()));
        return value.json();
    }

    private static Action action(JsonObject said) {
        JsonObject.Value value = said.find("action");
        if (value == null) return Action.idle();
        if (!value.isText()) return timer(value);
        return switch (value.text()) {
            case "idle" -> Action.idle();
            case "suspend" -> Action.suspend();
            case "timeout" -> Action.timeout();
            case "remove" -> Action.remove();
            default -> throw wrong(value);
        };
    }

    private static IllegalArgumentException wrong(JsonObject.Value value) {
        return new IllegalArgumentException(
                "\"action\" has to be \"idle\", \"suspend\", \"timeout\", \"remove\", or {\"timeout\": WHEN} or {\"remove\": WHEN}"
                        + " with seconds from now or a time such as \"2030-01-31T12:00:00Z\"; not "
                        + JsonObject.shortened(value.json()));
    }

    private static Action timer(JsonObject.Value value) {
        if (value.token() != JsonToken.START_OBJECT) throw wrong(value);
        JsonObject timer = JsonObject.of("\"action\"", value.json(), TIMERS);
        JsonObject.Value timeout = timer.find("timeout");
        JsonObject.Value remove = timer.find("remove");
        JsonObject.Value when = timeout == null ? remove : timeout;
        if (when == null || (timeout != null && remove != null)) throw wrong(value);
        String name = timeout == null ? "remove" : "timeout";
        if (when.isText()) {
            Instant at = time(name, when.text());
            return timeout == null ? Action.remove(at) : Action.timeout(at);
        }
        Double seconds = timer.number(name, 0, LONGEST_SECONDS);
        Duration delay = Duration.ofNanos(Math.round((seconds == null ? 0 : seconds) * 1e6) * 1000);
        return timeout == null ? Action.remove(delay) : Action.timeout(delay);
    }

    private static Instant time(String name, String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "\"" + name + "\" has to be a time such as \"2030-01-31T12:00:00Z\", not \""
                            + JsonObject.shortened(text) + "\"",
                    e);
        }
    }
}
