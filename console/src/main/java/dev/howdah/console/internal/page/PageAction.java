package dev.howdah.console.internal.page;

import dev.howdah.operations.Operation;
import dev.howdah.operations.Role;
import org.jspecify.annotations.Nullable;

/** A change that a button or a form asks for. Safe for use by many threads. */
public interface PageAction {
    /** The declared operation that it calls; null: it is declared for pages only. */
    default @Nullable Operation operation() {
        return null;
    }

    /**
     * The role that this request needs, where what the form asks for needs more than its route.
     *
     * @param declared with the route
     */
    default Role needed(ActionRequest request, Role declared) {
        return declared;
    }

    /** The question before it happens: the object, the effect, and what stays; empty: it happens without one. */
    default String question(ActionRequest request) {
        return "";
    }

    /** What has to be typed with the answer to the question, since much depends on it; empty: nothing. */
    default String proof(ActionRequest request) {
        return "";
    }

    /**
     * Does it.
     *
     * @throws BadRequestException if a value of the form cannot be
     */
    ActionResult run(ActionRequest request);
}
