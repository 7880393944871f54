package dev.howdah.console.internal.audit;

import dev.howdah.console.internal.list.ListPlace;
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
     * @param links the pages beside this one
     */
    public record Model(
            List<AuditRow> rows,
            Pager.Column byTime,
            boolean isFiltered,
            String csv,
            String json,
            ListPlace.Links links) {}

    @Override
    public Page page(PageRequest request) {
        ListPlace place = ListPlace.of(request);
        Long start = place.startId();
        AuditFilter filter = filter(request);
        return new Page(
                "Audit", Section.AUDIT, new Part("audit", "audit.jte", () -> model(request, filter, place, start)));
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

    private Model model(PageRequest request, AuditFilter filter, ListPlace place, @Nullable Long start) {
        List<AuditRow> found = store.list(place.isBackwards() ? filter.backwards() : filter, start, ROWS + 1);
        if (place.isPastFirst(found, false)) return model(request, filter, ListPlace.FIRST, null);
        ListPlace.Rows<AuditRow> page = place.rows(found, ROWS, AuditRow::id);
        return new Model(
                page.rows(),
                Pager.column(request, "Time", filter.order(), AuditOrder.NEWEST, AuditOrder.OLDEST, false),
                filter.isFiltered(),
                export(filter, "csv"),
                export(filter, "json"),
                page.beside().links(request));
    }
}
