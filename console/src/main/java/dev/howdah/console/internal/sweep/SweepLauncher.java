package dev.howdah.console.internal.sweep;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.operations.read.EngineReads;
import dev.howdah.sweep.SweepBuilder;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.SweepPlan;
import dev.howdah.sweep.SweepProgress;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Starts sweeps by what a form or a request says, never by what only a table says: a role that may write that table must not get the
 * privileges of the console. A sweep of the same name with another definition is refused. Safe for use by many threads.
 */
public final class SweepLauncher {
    /** The field that says whether rows are only marked, and its value for that. */
    public static final String WORK = SweepForm.WORK;

    public static final String ONLY_MARK = SweepForm.ONLY_MARK;

    /** The field of the SQL. */
    public static final String SQL = SweepForm.SQL;

    /** What a choice has that is made. */
    public static final String YES = SweepForm.YES;

    private final ConsoleData data;
    private final EngineReads queries;
    private final StartedSweeps started;

    public SweepLauncher(ConsoleData data, StartedSweeps started) {
        this.data = data;
        this.queries = new EngineReads(data.source(), data.schema());
        this.started = started;
    }

    StartedSweeps started() {
        return started;
    }

    @Nullable
    SweepProgress find(String name) {
        return queries.installed().sweeps() ? data.sweeps().find(name).orElse(null) : null;
    }

    /** Why that sweep cannot be started now, whatever PostgreSQL says of its SQL; null: nothing speaks against it. */
    @Nullable
    String refusal(SweepForm form) {
        String full = started.objection(form.name(), form.workers());
        return full == null ? SweepForm.refusal(form, find(form.name())) : full;
    }

    /**
     * Starts a sweep of a request.
     *
     * @param fields its values by the names of the form
     * @param shown how the request calls them
     * @param dryRun whether it is only said what it would do
     * @return what it would do; null: it is started
     * @throws BadRequestException if it is refused
     */
    public @Nullable SweepPlan start(
            Function<String, @Nullable String> fields, UnaryOperator<String> shown, boolean dryRun) {
        SweepForm form = SweepForm.read(fields, null);
        SweepBuilder builder = form.builder(started.sessions());
        if (builder == null)
            throw new BadRequestException(form.fields().errors().entrySet().stream()
                    .map(each -> shown.apply(each.getKey()) + ": " + each.getValue())
                    .collect(Collectors.joining("; ")));
        if (!dryRun) {
            start(form, builder);
            return null;
        }
        String refusal = refusal(form);
        if (refusal != null) throw new BadRequestException(refusal);
        try {
            return form.check(builder);
        } catch (SweepException e) {
            throw new BadRequestException(SweepForm.said(e));
        }
    }

    /** Starts the sweep of a form; returns its end. */
    CompletionStage<ActionResult.End> start(SweepForm form, SweepBuilder builder) {
        String refusal = refusal(form);
        if (refusal != null) throw new BadRequestException("Nothing was started: " + refusal + ".");
        try {
            return started.start(form.name(), form.workers(), builder);
        } catch (SweepException e) {
            throw new BadRequestException("Nothing was started: " + SweepForm.said(e) + ".");
        }
    }
}
