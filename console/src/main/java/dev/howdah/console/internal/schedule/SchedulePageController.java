package dev.howdah.console.internal.schedule;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.health.Cause;
import dev.howdah.job.Schedule;
import dev.howdah.job.Schedules;
import dev.howdah.job.query.JobSummary;
import dev.howdah.operations.Values;
import dev.howdah.operations.change.ScheduleOperations;
import dev.howdah.operations.read.EngineReads;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One schedule: {@code /schedules/{name}}. */
public final class SchedulePageController implements PageController {
    static final int TIMES = 10;

    /** How many of its last times jobs are listed of. */
    public static final int JOBS = 20;

    private final ConsoleData data;
    private final EngineReads queries;

    SchedulePageController(ConsoleData data, EngineReads queries) {
        this.data = data;
        this.queries = queries;
    }

    /**
     * What the template shows.
     *
     * @param jobs those of its last times, the latest first
     * @param lastJob the last job that it added; null: none, or it is not there any more
     */
    public record Model(
            Schedules.Entry entry,
            String times,
            List<NextTime> next,
            Map<String, String> policies,
            List<JobSummary> jobs,
            @Nullable JobSummary lastJob,
            List<Cause> causes) {
        /** The schedule for its buttons. */
        public Values key() {
            return ScheduleOperations.key(entry.name());
        }

        /** The path of the schedule, without a slash at its end. */
        public String path() {
            return SchedulePages.path(entry.name());
        }
    }

    @Override
    public Page page(PageRequest request) {
        String name = request.name("name");
        return new Page("Schedule " + name, Section.SCHEDULES, new Part("schedule", "schedule.jte", () -> model(name)));
    }

    private Model model(String name) {
        Schedules.Entry entry = find(data, queries, name);
        Schedule schedule = entry.schedule();
        Long last = entry.lastJob();
        List<JobSummary> jobs = data.schedules().jobs(name, JOBS);
        return new Model(
                entry,
                ScheduleWords.times(schedule),
                schedule == null ? List.of() : NextTime.of(entry.next(TIMES), Instant.now(), schedule.zone()),
                schedule == null ? Map.of() : ScheduleWords.policies(schedule),
                jobs,
                jobs.stream()
                        .filter(each -> last != null && last == each.id())
                        .findFirst()
                        .orElse(null),
                data.jobs().whySchedule(name));
    }

    static Schedules.Entry find(ConsoleData data, EngineReads queries, String name) {
        return (queries.installed().jobs() ? data.schedules().find(name) : Optional.<Schedules.Entry>empty())
                .orElseThrow(() -> new NotFoundException("There is no schedule \"" + name + "\"."));
    }
}
