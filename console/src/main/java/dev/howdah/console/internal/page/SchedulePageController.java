package dev.howdah.console.internal.page;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.health.Cause;
import dev.howdah.job.Schedules;
import java.time.Instant;
import java.util.List;

/** One schedule: {@code /schedules/{name}}. */
public final class SchedulePageController implements PageController {
    private static final int TIMES = 10;

    private final ConsoleData data;
    private final ConsoleQueries queries;

    SchedulePageController(ConsoleData data, ConsoleQueries queries) {
        this.data = data;
        this.queries = queries;
    }

    /** What the template shows. */
    public record Model(Schedules.Entry entry, String times, List<Instant> next, List<Cause> causes) {}

    @Override
    public Page page(PageRequest request) {
        String name = request.name("name");
        return new Page("Schedule " + name, Section.SCHEDULES, new Part("schedule", "schedule.jte", () -> model(name)));
    }

    private Model model(String name) {
        List<Schedules.Entry> all =
                queries.installed().jobs() ? data.schedules().all() : List.of();
        Schedules.Entry entry = all.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new NotFoundException("There is no schedule \"" + name + "\"."));
        return new Model(
                entry,
                SchedulesPage.times(entry),
                entry.next(TIMES),
                data.jobs().whySchedule(name));
    }
}
