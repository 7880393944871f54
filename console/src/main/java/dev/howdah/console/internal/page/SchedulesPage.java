package dev.howdah.console.internal.page;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.job.Schedule;
import dev.howdah.job.Schedules;
import java.util.List;

/** The schedules of jobs: {@code /schedules}. */
public final class SchedulesPage implements PageController {
    private final ConsoleData data;
    private final ConsoleQueries queries;

    SchedulesPage(ConsoleData data, ConsoleQueries queries) {
        this.data = data;
        this.queries = queries;
    }

    /** What the template shows. */
    public record Model(boolean isInstalled, List<Schedules.Entry> schedules) {
        /** The times of a schedule as it was set. */
        public String times(Schedules.Entry entry) {
            return SchedulesPage.times(entry);
        }
    }

    static String times(Schedules.Entry entry) {
        Schedule schedule = entry.schedule();
        if (schedule == null) return "invalid";
        return schedule.cronExpression() == null
                ? "every " + schedule.period()
                : schedule.cronExpression() + " " + schedule.zoneName();
    }

    @Override
    public Page page(PageRequest request) {
        return new Page("Schedules", Section.SCHEDULES, new Part("schedules", "schedules.jte", this::model));
    }

    private Model model() {
        boolean installed = queries.installed().jobs();
        return new Model(installed, installed ? data.schedules().all() : List.of());
    }
}
