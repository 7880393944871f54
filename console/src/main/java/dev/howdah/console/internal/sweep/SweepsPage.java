package dev.howdah.console.internal.sweep;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Pager;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.page.Tab;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.StateBadge;
import dev.howdah.operations.listed.SweepOrder;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.sweep.SweepProgress;
import dev.howdah.sweep.SweepState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The sweeps, those that began last first unless another order is chosen: {@code /sweeps?state=&sort=}. */
public final class SweepsPage implements PageController {
    private final ConsoleData data;
    private final EngineReads queries;

    SweepsPage(ConsoleData data, EngineReads queries) {
        this.data = data;
        this.queries = queries;
    }

    /**
     * What the template shows.
     *
     * @param isAny whether there is a sweep at all
     */
    public record Model(
            List<Tab> tabs, Pager.Column byName, Pager.Column byStart, List<SweepProgress> sweeps, boolean isAny) {
        public double share(SweepProgress sweep) {
            return SweepsPage.share(sweep);
        }

        public String left(SweepProgress sweep) {
            return TimeLeft.brief(sweep, Instant.now());
        }

        /** How many processes work on it. */
        public long processes(SweepProgress sweep) {
            return sweep.workers().stream()
                    .map(SweepProgress.Worker::process)
                    .distinct()
                    .count();
        }
    }

    /** The part of its rows that is done, from 0 to 1; 0 if their number is not known. */
    static double share(SweepProgress sweep) {
        if (sweep.state() == SweepState.DONE) return 1;
        if (sweep.total() <= 0) return 0;
        return Math.min(1, (double) (sweep.done() + sweep.failed()) / sweep.total());
    }

    @Override
    public Page page(PageRequest request) {
        SweepState state = request.choice("state", SweepState.class);
        SweepOrder asked = request.choice("sort", SweepOrder.class);
        SweepOrder order = asked == null ? SweepOrder.NEWEST : asked;
        return new Page("Sweeps", Section.SWEEPS, new Part("sweeps", "sweeps.jte", () -> model(request, state, order)));
    }

    private Model model(PageRequest request, @Nullable SweepState state, SweepOrder order) {
        List<SweepProgress> all =
                new ArrayList<>(queries.installed().sweeps() ? data.sweeps().list() : List.of());
        all.sort(order.comparator());
        List<Tab> tabs = new ArrayList<>();
        tabs.add(new Tab(null, request.with("state", null), Numbers.count(all.size()), state == null));
        for (SweepState each : SweepState.values())
            tabs.add(new Tab(
                    StateBadge.of(each),
                    request.with("state", each.name().toLowerCase(Locale.ROOT)),
                    Numbers.count(
                            all.stream().filter(sweep -> sweep.state() == each).count()),
                    state == each));
        return new Model(
                tabs,
                Pager.column(request, "Name", order, SweepOrder.NAME, SweepOrder.REVERSE_NAME, true),
                Pager.column(request, "Began", order, SweepOrder.NEWEST, SweepOrder.OLDEST, false),
                all.stream()
                        .filter(each -> state == null || each.state() == state)
                        .toList(),
                !all.isEmpty());
    }
}
