package dev.howdah.console.internal.job;

import dev.howdah.console.internal.data.ConsoleQueries;
import dev.howdah.console.internal.data.ErrorGroup;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Errors of jobs, grouped by text: {@code /jobs/errors?state=failed|retrying&queue=&kind=}. */
public final class ErrorsPage implements PageController {
    private enum Which {
        FAILED,
        RETRYING
    }

    private final ConsoleQueries queries;

    ErrorsPage(ConsoleQueries queries) {
        this.queries = queries;
    }

    /** What the template shows. */
    public record Model(
            boolean isInstalled,
            boolean isRetrying,
            String failedPath,
            String retryingPath,
            @Nullable String queue,
            List<ErrorGroup> groups,
            boolean hasMore) {}

    @Override
    public Page page(PageRequest request) {
        boolean retrying = request.choice("state", Which.class) == Which.RETRYING;
        return new Page("Errors", Section.JOBS, new Part("errors", "errors.jte", () -> model(request, retrying)));
    }

    private Model model(PageRequest request, boolean retrying) {
        String queue = request.text("queue");
        boolean installed = queries.installed().jobs();
        List<ErrorGroup> groups = installed ? queries.errorGroups(retrying, queue, request.text("kind")) : List.of();
        boolean more = groups.size() > ConsoleQueries.GROUPS;
        return new Model(
                installed,
                retrying,
                request.with("state", null),
                request.with("state", "retrying"),
                queue,
                more ? groups.subList(0, ConsoleQueries.GROUPS) : groups,
                more);
    }
}
