package dev.howdah.console.internal.page;

import dev.howdah.console.internal.access.Role;

/** Makes the page of a route. Safe for use by many threads. */
@FunctionalInterface
public interface PageController {
    /** The role that it needs: that of its form, if it is one. */
    default Role role() {
        return Role.VIEWER;
    }

    /**
     * Whether checking its form runs SQL that was typed. Then it is checked only where it was posted, as a change is, and that is written to the
     * audit log.
     */
    default boolean checkRunsSql() {
        return false;
    }

    /**
     * Makes the page; its parts are read later.
     *
     * @throws BadRequestException if a value of the address cannot be
     * @throws NotFoundException if the object of the page does not exist
     */
    Page page(PageRequest request);
}
