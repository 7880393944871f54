package dev.howdah.console.internal.schedule;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.list.ListLinks;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Pager;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.job.Schedules;
import dev.howdah.operations.list.ListCall;
import dev.howdah.operations.list.ListPage;
import dev.howdah.operations.listed.ScheduleLists;
import dev.howdah.operations.listed.ScheduleOrder;
import dev.howdah.operations.read.EngineReads;
import java.util.List;

/** The schedules of jobs and of tasks: {@code /schedules?text=&queue=&sort=&after=}. */
public final class SchedulesPage implements PageController {
    private final ConsoleData data;
    private final EngineReads queries;
    private final Part tasks;

    SchedulesPage(ConsoleData data, EngineReads queries, Part tasks) {
        this.data = data;
        this.queries = queries;
        this.tasks = tasks;
    }

    /**
     * What the template shows.
     *
     * @param schedules those that match the filters
     * @param isAny whether there is a schedule at all
     */
    public record Model(
            boolean isInstalled,
            Pager.Column byName,
            Pager.Column byNext,
            List<Schedules.Entry> schedules,
            boolean isAny,
            ListLinks links) {}

    @Override
    public Page page(PageRequest request) {
        request.call(ScheduleLists.SCHEDULES, data);
        return new Page(
                "Schedules", Section.SCHEDULES, new Part("schedules", "schedules.jte", () -> model(request)), tasks);
    }

    private Model model(PageRequest request) {
        ListCall call = request.call(ScheduleLists.SCHEDULES, data);
        ScheduleOrder order = ScheduleLists.SCHEDULES.order(call, ScheduleOrder.class);
        Pager.Column byName =
                Pager.column(request, "Name", order, ScheduleOrder.NAME, ScheduleOrder.REVERSE_NAME, true);
        Pager.Column byNext = Pager.column(request, "Next", order, ScheduleOrder.SOONEST, ScheduleOrder.LATEST, true);
        if (!queries.installed().jobs()) return new Model(false, byName, byNext, List.of(), false, ListLinks.NONE);
        ListPage<Schedules.Entry> page = request.read(ScheduleLists.SCHEDULES, data);
        boolean isAny = !page.rows().isEmpty()
                || ScheduleLists.SCHEDULES.isFiltered(call)
                        && !data.schedules().all().isEmpty();
        return new Model(true, byName, byNext, page.rows(), isAny, ListLinks.of(page.beside(), request));
    }
}
