package dev.howdah.console.internal.bulk;

import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Routes;
import dev.howdah.console.internal.page.Section;
import dev.howdah.operations.Role;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The pages of changes in the background by their paths: {@code /bulk} and {@code /bulk/{id}}. */
public final class BulkPages {
    /** So many are changed without their number being typed. */
    private static final long UNPROVED = 1_000;

    private BulkPages() {}

    /** What the list shows. */
    public record Model(List<BulkRun.Status> runs) {}

    public static void add(BulkRuns runs, Routes<PageController> pages, Routes<PageAction> actions) {
        pages.add("/bulk", Role.VIEWER, request -> list(runs));
        pages.add("/bulk/{id}", Role.VIEWER, request -> page(runs, request));
        actions.add("/bulk/{id}/stop", Role.OPERATOR, stop(runs));
    }

    private static Page list(BulkRuns runs) {
        return new Page(
                "Changes of many", Section.OVERVIEW, new Part("runs", "bulk-list.jte", () -> new Model(runs.list())));
    }

    private static Page page(BulkRuns runs, PageRequest request) {
        long id = request.id();
        BulkRun.Status run = find(runs, id);
        Section section = run.back().startsWith("/tasks")
                ? Section.TASKS
                : run.back().startsWith("/processes") ? Section.PROCESSES : Section.JOBS;
        return new Page(run.title(), section, new Part("run", "bulk.jte", () -> find(runs, id)));
    }

    private static BulkRun.Status find(BulkRuns runs, long id) {
        BulkRun.Status run = runs.find(id);
        if (run == null)
            throw new NotFoundException(
                    "There is no change " + id + " any more: the last thousand are known. What they have done stays.");
        return run;
    }

    private static PageAction stop(BulkRuns runs) {
        return request -> {
            find(runs, request.id());
            runs.stop(request.id());
            return new ActionResult("It stops after its present step. What is done stays.", path(request.id()));
        };
    }

    private static String path(long id) {
        return "/bulk/" + id;
    }

    /**
     * What has to be typed for a change of all that match.
     *
     * @param count how many there are; null: too many to be counted
     */
    public static String proof(@Nullable Long count) {
        if (count == null) return "all";
        return count > UNPROVED ? Long.toString(count) : "";
    }

    /** What is said about a change that was to begin. */
    public static ActionResult started(@Nullable BulkRun run) {
        if (run == null)
            throw new BadRequestException(
                    "Ten changes wait already. Nothing was begun: wait for one of them, or stop it.");
        return new ActionResult(
                "It has begun, and goes on when this page is closed.",
                path(run.status().id()),
                run.ending());
    }
}
