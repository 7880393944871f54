package dev.howdah.console.internal.audit;

import dev.howdah.console.internal.access.Role;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Pager;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.store.AuditFilter;
import dev.howdah.console.internal.store.AuditOrder;
import dev.howdah.console.internal.store.AuditRow;
import dev.howdah.console.internal.store.AuditStore;
import dev.howdah.console.internal.view.Texts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Changes and logins: {@code /audit?actor=&object=&action=&since=&until=&sort=&after=}. */
public final class AuditPage implements PageController {
    private static final int ROWS = 50;

    private final AuditStore store;

    public AuditPage(AuditStore store) {
        this.store = store;
    }

    /**
     * What the template shows.
     *
     * @param csv the address of all of them as a file with commas
     * @param json the address of all of them as JSON
     * @param next the address of the next page; null: there is none
     */
    public record Model(
            List<AuditRow> rows,
            Pager.Column byTime,
            boolean isFiltered,
            String csv,
            String json,
            @Nullable String next) {}

    @Override
    public Role role() {
        return Role.ADMINISTRATOR;
    }

    @Override
    public Page page(PageRequest request) {
        long after = request.number("after", 0, 1, Long.MAX_VALUE);
        AuditFilter filter = filter(request);
        return new Page("Audit", Section.AUDIT, new Part("audit", "audit.jte", () -> model(request, filter, after)));
    }

    private static AuditFilter filter(PageRequest request) {
        AuditOrder order = request.choice("sort", AuditOrder.class);
        return new AuditFilter(
                request.text("actor"),
                request.text("object"),
                request.text("action"),
                request.moment("since", false),
                request.moment("until", true),
                order == null ? AuditOrder.NEWEST : order);
    }

    /** The same rows as a file. */
    private static String export(AuditFilter filter, String format) {
        Map<String, List<String>> query = new LinkedHashMap<>();
        query.put("format", List.of(format));
        put(query, "actor", filter.actor());
        put(query, "object", filter.object());
        put(query, "action", filter.action());
        put(query, "from", filter.from());
        put(query, "until", filter.until());
        query.put("sort", List.of(Texts.word(filter.order())));
        return PageRequest.address("/audit/export", query);
    }

    private static void put(Map<String, List<String>> query, String name, @Nullable Object value) {
        if (value != null) query.put(name, List.of(value.toString()));
    }

    private Model model(PageRequest request, AuditFilter filter, long after) {
        List<AuditRow> rows = store.list(filter, after == 0 ? null : after, ROWS + 1);
        boolean more = rows.size() > ROWS;
        List<AuditRow> shown = more ? rows.subList(0, ROWS) : rows;
        return new Model(
                shown,
                Pager.column(request, "Time", filter.order(), AuditOrder.NEWEST, AuditOrder.OLDEST, false),
                filter.isFiltered(),
                export(filter, "csv"),
                export(filter, "json"),
                Pager.next(request, more ? Long.toString(shown.get(ROWS - 1).id()) : null));
    }
}
