package dev.howdah.console.internal.sweep;

import dev.howdah.console.internal.chart.ChartReader;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.list.ListLinks;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.health.Cause;
import dev.howdah.operations.Values;
import dev.howdah.operations.change.SweepOperations;
import dev.howdah.operations.list.ListPage;
import dev.howdah.operations.listed.SweepLists;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.sweep.SweepError;
import dev.howdah.sweep.SweepErrorGroup;
import dev.howdah.sweep.SweepProgress;
import dev.howdah.sweep.SweepState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One sweep: {@code /sweeps/{name}?range=}. */
public final class SweepPageController implements PageController {
    private static final int GROUPS = 50;

    /** Causes of which the remedy is to start it again. */
    private static final Set<String> STARTABLE = Set.of("no-process", "stopped", "failed");

    private final ConsoleData data;
    private final EngineReads queries;
    private final @Nullable StartedSweeps started;
    private final ChartReader charts;

    SweepPageController(ConsoleData data, EngineReads queries, @Nullable StartedSweeps started) {
        this.data = data;
        this.queries = queries;
        this.started = started;
        this.charts = new ChartReader(data);
    }

    /**
     * What the template of the progress shows.
     *
     * @param command that starts it again; null: there is none, or it runs
     * @param isHere whether this process works on it because the console was told to
     */
    public record State(
            SweepProgress sweep,
            double share,
            String left,
            List<Cause> causes,
            @Nullable String command,
            boolean isHere) {
        public boolean isRunning() {
            return sweep.state() == SweepState.RUNNING;
        }

        public boolean isPaused() {
            return sweep.state() == SweepState.PAUSED;
        }

        /** Why it does not go on. Where it can be started again by a button of this page, the remedy names it. */
        public List<Cause> causes(boolean mayStart) {
            if (!mayStart || isHere) return causes;
            return causes.stream()
                    .map(each -> STARTABLE.contains(each.code())
                            ? new Cause(
                                    each.code(),
                                    each.sentence(),
                                    each.detail(),
                                    "Press \"" + startLabel() + "\" above, or start the same command or program.")
                            : each)
                    .toList();
        }

        /** What the link to the form says. */
        public String startLabel() {
            return goes() && !sweep.workers().isEmpty() ? "Work on it here too" : "Start again";
        }

        private boolean goes() {
            return isRunning() || isPaused();
        }

        public String path() {
            return SweepPages.path(sweep.name());
        }

        public Values key() {
            return SweepOperations.key(sweep.name());
        }
    }

    /**
     * What the template of the forms shows.
     *
     * @param throttle the values of the form of the throttle by name
     * @param hours those of the form of the hours
     */
    public record Limits(Values key, Map<String, String> throttle, Map<String, String> hours) {}

    /** What the template of the errors shows. */
    public record Errors(String name, List<SweepErrorGroup> groups, List<SweepError> rows, ListLinks links) {}

    /** What the template of the definition shows. */
    public record Definition(Map<String, String> fields) {}

    @Override
    public Page page(PageRequest request) {
        String name = request.name("name");
        ChartReader.range(request);
        return new Page(
                "Sweep " + name,
                Section.SWEEPS,
                new Part("sweep", "sweep.jte", () -> state(name)),
                new Part("charts", "charts.jte", () -> charts.sweep(request, name)),
                new Part("throttle", "sweep-throttle.jte", () -> limits(name)),
                new Part("workers", "sweep-workers.jte", () -> find(name)),
                new Part("errors", "sweep-errors.jte", () -> errors(request, name)),
                new Part(
                        "definition",
                        "sweep-definition.jte",
                        () -> new Definition(new TreeMap<>(find(name).definition()))));
    }

    private SweepProgress find(String name) {
        return (queries.installed().sweeps() ? data.sweeps().find(name) : Optional.<SweepProgress>empty())
                .orElseThrow(() -> new NotFoundException("There is no sweep \"" + name + "\"."));
    }

    private State state(String name) {
        SweepProgress sweep = find(name);
        boolean goes = sweep.state() == SweepState.RUNNING || sweep.state() == SweepState.PAUSED;
        return new State(
                sweep,
                SweepsPage.share(sweep),
                TimeLeft.of(sweep, Instant.now()),
                data.sweeps().why(name),
                goes && !sweep.workers().isEmpty() || sweep.state() == SweepState.DONE
                        ? null
                        : SweepCommandText.of(sweep),
                started != null && started.isWorkedOn(name));
    }

    private Limits limits(String name) {
        SweepProgress sweep = find(name);
        return new Limits(
                SweepOperations.key(name),
                SweepOperations.throttle(sweep).texts(),
                SweepOperations.hours(sweep).texts());
    }

    private Errors errors(PageRequest request, String name) {
        if (find(name).failed() == 0) return new Errors(name, List.of(), List.of(), ListLinks.NONE);
        ListPage<SweepError> page = request.read(SweepLists.ERRORS, data);
        return new Errors(
                name, data.sweeps().errorGroups(name, GROUPS), page.rows(), ListLinks.of(page.beside(), request));
    }
}
