package dev.howdah.console.internal.audit;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.list.ListLinks;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Pager;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.operations.list.ListCall;
import dev.howdah.operations.list.ListPage;
import dev.howdah.operations.listed.DatabaseLists;
import dev.howdah.operations.store.AuditOrder;
import dev.howdah.operations.store.AuditRow;
import java.util.List;

/** Changes and logins: {@code /audit?actor=&object=&action=&from=&until=&sort=&after=}. */
public final class AuditPage implements PageController {
    private final ConsoleData data;

    public AuditPage(ConsoleData data) {
        this.data = data;
    }

    /**
     * What the template shows.
     *
     * @param links the pages beside this one
     */
    public record Model(List<AuditRow> rows, Pager.Column byTime, boolean isFiltered, ListLinks links) {}

    @Override
    public Page page(PageRequest request) {
        request.call(DatabaseLists.AUDIT, data);
        return new Page("Audit", Section.AUDIT, new Part("audit", "audit.jte", () -> model(request)));
    }

    private Model model(PageRequest request) {
        ListCall call = request.call(DatabaseLists.AUDIT, data);
        ListPage<AuditRow> page = request.read(DatabaseLists.AUDIT, data);
        AuditOrder order = DatabaseLists.AUDIT.order(call, AuditOrder.class);
        return new Model(
                page.rows(),
                Pager.column(request, "Time", order, AuditOrder.NEWEST, AuditOrder.OLDEST, false),
                DatabaseLists.AUDIT.isFiltered(call),
                ListLinks.of(page.beside(), request));
    }
}
