package dev.howdah.console.internal.page;

import dev.howdah.console.internal.access.Role;

/** A change that a button or a form asks for. Safe for use by many threads. */
public interface PageAction {
    /** The role that it needs. */
    default Role role() {
        return Role.OPERATOR;
    }

    /** The role that this request needs, where that depends on what the form asks for. */
    default Role role(ActionRequest request) {
        return role();
    }

    /** The same action, for administrators only. */
    default PageAction forAdministrators() {
        PageAction action = this;
        return new PageAction() {
            @Override
            public Role role() {
                return Role.ADMINISTRATOR;
            }

            @Override
            public String question(ActionRequest request) {
                return action.question(request);
            }

            @Override
            public String proof(ActionRequest request) {
                return action.proof(request);
            }

            @Override
            public ActionResult run(ActionRequest request) {
                return action.run(request);
            }
        };
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
