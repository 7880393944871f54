package dev.howdah.process;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a step. All of it is written in one transaction.
 *
 * @param events that it adds
 * @param response for the caller: bytes, or a value that the codec converts to JSON; null: {@code "ok"}
 * @param refusal an error for the caller instead of the response, although the step succeeds; null: none
 * @param auxState replaces the previous one; null: unchanged
 * @param metadata a JSON object, replaces the previous one; null: unchanged
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

    /** Returns an intent that changes nothing. */
    public static Intent none() {
        return NOTHING;
    }

    /** Returns an intent with only that action. */
    public static Intent of(Action action) {
        return NOTHING.then(action);
    }

    /** Adds an event. */
    public Intent event(NewEvent event) {
        List<NewEvent> more = new ArrayList<>(events);
        more.add(event);
        return new Intent(more, response, refusal, auxState, metadata, action);
    }

    /** Adds an event with the next id. */
    public Intent event(Object payload) {
        return event(NewEvent.of(payload));
    }

    /** Adds an event. */
    public Intent event(long id, Object payload) {
        return event(NewEvent.of(id, payload));
    }

    /** Sets the response. */
    public Intent response(Object answer) {
        return new Intent(events, answer, refusal, auxState, metadata, action);
    }

    /** Sets an error as the answer. */
    public Intent refuse(String reason) {
        return new Intent(events, response, reason, auxState, metadata, action);
    }

    /** Sets the aux state. */
    public Intent auxState(Object state) {
        return new Intent(events, response, refusal, state, metadata, action);
    }

    /** Sets the metadata. */
    public Intent metadata(Object object) {
        return new Intent(events, response, refusal, auxState, object, action);
    }

    /** Sets the action. */
    public Intent then(Action next) {
        return new Intent(events, response, refusal, auxState, metadata, next);
    }
}
