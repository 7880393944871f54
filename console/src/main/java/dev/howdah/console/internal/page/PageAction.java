package dev.howdah.console.internal.page;

/** A change that a button or a form asks for. Safe for use by many threads. */
public interface PageAction {
    /** The question before it happens: the object, the effect, and what stays; empty: it happens without one. */
    default String question(ActionRequest request) {
        return "";
    }

    /**
     * Does it.
     *
     * @throws BadRequestException if a value of the form cannot be
     */
    ActionResult run(ActionRequest request);
}
