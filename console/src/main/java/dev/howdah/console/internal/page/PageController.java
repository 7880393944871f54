package dev.howdah.console.internal.page;

import java.util.List;

/** Makes the page of a route. Safe for use by many threads. */
@FunctionalInterface
public interface PageController {
    /**
     * Whether checking its form runs SQL that was typed. Then that is written to the audit log.
     */
    default boolean checkRunsSql() {
        return false;
    }

    /** The parameters that search in inputs, payloads or errors: whether a text is found would tell what is masked in it. */
    default List<String> searches() {
        return List.of();
    }

    /**
     * Makes the page; its parts are read later.
     *
     * @throws BadRequestException if a value of the address cannot be
     * @throws NotFoundException if the object of the page does not exist
     */
    Page page(PageRequest request);
}
