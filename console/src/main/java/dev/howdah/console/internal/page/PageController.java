package dev.howdah.console.internal.page;

/** Makes the page of a route. Safe for use by many threads. */
@FunctionalInterface
public interface PageController {
    /**
     * Whether checking its form runs SQL that was typed. Then that is written to the audit log.
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
