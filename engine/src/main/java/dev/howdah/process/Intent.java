package dev.howdah.process;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a step comes to. All of it is written in one transaction, or nothing.
 *
 * @param events that it adds
 * @param response for the caller: bytes, or what the codec makes JSON of; null: {@code "ok"}
 * @param refusal the caller gets this error instead, although the step succeeds; null: it does not
 * @param auxState in place of the former; null: unchanged
 * @param metadata an object of JSON, in place of the former; null: unchanged
 */
public record Intent(
        List<NewEvent> events,
        @Nullable Object response,
        @Nullable String refusal,
        @Nullable Object auxState,
        @Nullable Object metadata,
        Action action) {
    private static final Intent NOTHING = new Intent(List.of(), null, null, null, null, Action.idle());

    public Intent {
        events = List.copyOf(events);
    }

    /** Nothing changes. */
    public static Intent none() {
        return NOTHING;
    }

    /** Nothing but that. */
    public static Intent of(Action action) {
        return NOTHING.then(action);
    }

    /** With one more event. */
    public Intent event(NewEvent event) {
        List<NewEvent> more = new ArrayList<>(events);
        more.add(event);
        return new Intent(more, response, refusal, auxState, metadata, action);
    }

    /** With one more event, of the next id. */
    public Intent event(Object payload) {
        return event(NewEvent.of(payload));
    }

    /** With one more event. */
    public Intent event(long id, Object payload) {
        return event(NewEvent.of(id, payload));
    }

    /** With that answer. */
    public Intent response(Object answer) {
        return new Intent(events, answer, refusal, auxState, metadata, action);
    }

    /** With that error as the answer. */
    public Intent refuse(String reason) {
        return new Intent(events, response, reason, auxState, metadata, action);
    }

    /** With that state. */
    public Intent auxState(Object state) {
        return new Intent(events, response, refusal, state, metadata, action);
    }

    /** With that metadata. */
    public Intent metadata(Object object) {
        return new Intent(events, response, refusal, auxState, object, action);
    }

    /** With that to happen next. */
    public Intent then(Action next) {
        return new Intent(events, response, refusal, auxState, metadata, next);
    }
}
