package dev.howdah.console.internal.page;

import java.util.function.Function;

/**
 * An action on an object with a name in its path.
 *
 * @param part of the path with the name
 * @param question with {@code %s} for the name; empty: there is none
 * @param change by the name
 */
public record NamedAction(String part, String question, Function<String, ActionResult> change) implements PageAction {
    @Override
    public String question(ActionRequest request) {
        return question.replace("%s", request.page().name(part));
    }

    @Override
    public ActionResult run(ActionRequest request) {
        return change.apply(request.page().name(part));
    }
}
