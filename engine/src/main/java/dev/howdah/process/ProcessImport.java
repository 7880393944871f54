package dev.howdah.process;

import dev.howdah.internal.text.NameText;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A process from another system, to be imported. Immutable: each method returns a copy.
 *
 * @param previousStatus null: the same
 * @param statusChanged null: now
 * @param created null: now
 * @param history with ids, all of them
 * @param timer {@link Action.Schedule}, or what sets none
 */
public record ProcessImport(
        String namespace,
        String id,
        ProcessStatus status,
        @Nullable ProcessStatus previousStatus,
        @Nullable Instant statusChanged,
        @Nullable Instant created,
        @Nullable String detail,
        @Nullable Object auxState,
        @Nullable Object metadata,
        List<NewEvent> history,
        Action timer) {
    /** @throws IllegalArgumentException if an event has no id, or the process is to be removed at once */
    public ProcessImport {
        Request.checkId(id);
        NameText.check("the id of a process", id);
        history = List.copyOf(history);
        for (NewEvent each : history)
            if (each.id() == null) throw new IllegalArgumentException("an event of an imported process needs an id");
        if (timer instanceof Action.Remove)
            throw new IllegalArgumentException("an imported process cannot be removed at once");
    }

    /** Makes a running process. */
    public static ProcessImport of(String namespace, String id, List<NewEvent> history) {
        return new ProcessImport(
                namespace, id, ProcessStatus.RUNNING, null, null, null, null, null, null, history, Action.idle());
    }

    public ProcessImport status(ProcessStatus now, @Nullable String why) {
        return new ProcessImport(
                namespace, id, now, previousStatus, statusChanged, created, why, auxState, metadata, history, timer);
    }

    public ProcessImport auxState(Object state) {
        return new ProcessImport(
                namespace, id, status, previousStatus, statusChanged, created, detail, state, metadata, history, timer);
    }

    public ProcessImport metadata(Object object) {
        return new ProcessImport(
                namespace,
                id,
                status,
                previousStatus,
                statusChanged,
                created,
                detail,
                auxState,
                object,
                history,
                timer);
    }

    public ProcessImport timer(Action action) {
        return new ProcessImport(
                namespace,
                id,
                status,
                previousStatus,
                statusChanged,
                created,
                detail,
                auxState,
                metadata,
                history,
                action);
    }
}
