package dev.howdah.console.internal.page;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.health.Cause;
import dev.howdah.sweep.SweepError;
import dev.howdah.sweep.SweepProgress;
import dev.howdah.sweep.SweepState;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One sweep: {@code /sweeps/{name}}. */
public final class SweepPageController implements PageController {
    private static final int ERRORS = 50;

    private final ConsoleData data;
    private final ConsoleQueries queries;

    SweepPageController(ConsoleData data, ConsoleQueries queries) {
        this.data = data;
        this.queries = queries;
    }

    /** What the template shows. */
    public record Model(
            SweepProgress sweep,
            Map<String, String> definition,
            double share,
            String left,
            List<Cause> causes,
            List<SweepError> errors) {
        public boolean isRunning() {
            return sweep.state() == SweepState.RUNNING;
        }

        public boolean isPaused() {
            return sweep.state() == SweepState.PAUSED;
        }
    }

    @Override
    public Page page(PageRequest request) {
        String name = request.name("name");
        return new Page("Sweep " + name, Section.SWEEPS, new Part("sweep", "sweep.jte", () -> model(name)));
    }

    private Model model(String name) {
        if (!queries.installed().sweeps()) throw missing(name);
        SweepProgress sweep = data.sweeps().find(name).orElseThrow(() -> missing(name));
        return new Model(
                sweep,
                new TreeMap<>(sweep.definition()),
                SweepsPage.share(sweep),
                SweepsPage.left(sweep),
                data.sweeps().why(name),
                data.sweeps().errors(name, ERRORS));
    }

    private static NotFoundException missing(String name) {
        return new NotFoundException("There is no sweep \"" + name + "\".");
    }
}
