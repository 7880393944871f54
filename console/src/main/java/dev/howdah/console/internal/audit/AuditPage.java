package dev.howdah.console.internal.audit;

import dev.howdah.console.internal.access.Role;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Pager;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.store.AuditRow;
import dev.howdah.console.internal.store.AuditStore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Changes and logins: {@code /audit?actor=&object=&action=&after=}. */
public final class AuditPage implements PageController {
    private static final int ROWS = 50;

    private final AuditStore store;

    public AuditPage(AuditStore store) {
        this.store = store;
    }

    /**
     * What the template shows.
     *
     * @param next the address of the next page; null: there is none
     */
    public record Model(
            List<AuditRow> rows,
            boolean isFiltered,
            @Nullable String next) {}

    @Override
    public Role role() {
        return Role.ADMINISTRATOR;
    }

    @Override
    public Page page(PageRequest request) {
        long after = request.number("after", 0, 1, Long.MAX_VALUE);
        return new Page("Audit", Section.AUDIT, new Part("audit", "audit.jte", () -> model(request, after)));
    }

    private Model model(PageRequest request, long after) {
        List<AuditRow> rows = store.list(
                request.text("actor"),
                request.text("object"),
                request.text("action"),
                after == 0 ? null : after,
                ROWS + 1);
        boolean more = rows.size() > ROWS;
        List<AuditRow> shown = more ? rows.subList(0, ROWS) : rows;
        boolean isFiltered =
                request.text("actor") != null || request.text("object") != null || request.text("action") != null;
        return new Model(
                shown,
                isFiltered,
                Pager.next(request, more ? Long.toString(shown.get(ROWS - 1).id()) : null));
    }
}
