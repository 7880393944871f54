package dev.howdah.console.internal.schedule;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Pager;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.job.Schedules;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The schedules of jobs and of tasks: {@code /schedules?q=&queue=&sort=}. */
public final class SchedulesPage implements PageController {
    private final ConsoleData data;
    private final ConsoleQueries queries;
    private final Part tasks;

    SchedulesPage(ConsoleData data, ConsoleQueries queries, Part tasks) {
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
            boolean isAny) {}

    @Override
    public Page page(PageRequest request) {
        ScheduleOrder chosen = request.choice("sort", ScheduleOrder.class);
        ScheduleOrder order = chosen == null ? ScheduleOrder.NAME : chosen;
        return new Page(
                "Schedules",
                Section.SCHEDULES,
                new Part("schedules", "schedules.jte", () -> model(request, order)),
                tasks);
    }

    private Model model(PageRequest request, ScheduleOrder order) {
        Pager.Column byName =
                Pager.column(request, "Name", order, ScheduleOrder.NAME, ScheduleOrder.REVERSE_NAME, true);
        Pager.Column byNext = Pager.column(request, "Next", order, ScheduleOrder.SOONEST, ScheduleOrder.LATEST, true);
        if (!queries.installed().jobs()) return new Model(false, byName, byNext, List.of(), false);
        List<Schedules.Entry> all = data.schedules().all();
        String text = request.text("q");
        String queue = request.text("queue");
        return new Model(
                true,
                byName,
                byNext,
                all.stream()
                        .filter(each -> queue == null || each.queue().equals(queue))
                        .filter(each -> has(each.name(), text) || has(each.kind(), text))
                        .sorted(order.comparator())
                        .toList(),
                !all.isEmpty());
    }

    private static boolean has(String name, @Nullable String part) {
        return part == null || name.toLowerCase(Locale.ROOT).contains(part.toLowerCase(Locale.ROOT));
    }
}
