package dev.howdah.console.internal.schedule;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.job.Schedules;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The schedules of jobs and of tasks: {@code /schedules?q=&queue=}. */
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
    public record Model(boolean isInstalled, List<Schedules.Entry> schedules, boolean isAny) {}

    @Override
    public Page page(PageRequest request) {
        return new Page(
                "Schedules", Section.SCHEDULES, new Part("schedules", "schedules.jte", () -> model(request)), tasks);
    }

    private Model model(PageRequest request) {
        if (!queries.installed().jobs()) return new Model(false, List.of(), false);
        List<Schedules.Entry> all = data.schedules().all();
        String text = request.text("q");
        String queue = request.text("queue");
        return new Model(
                true,
                all.stream()
                        .filter(each -> queue == null || each.queue().equals(queue))
                        .filter(each -> has(each.name(), text) || has(each.kind(), text))
                        .toList(),
                !all.isEmpty());
    }

    private static boolean has(String name, @Nullable String part) {
        return part == null || name.toLowerCase(Locale.ROOT).contains(part.toLowerCase(Locale.ROOT));
    }
}
