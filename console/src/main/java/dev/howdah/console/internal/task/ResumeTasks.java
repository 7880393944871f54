package dev.howdah.console.internal.task;

import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.ActionResult.Undo;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.view.Numbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Takes back that tasks were cancelled before they had begun: they wait for their times again. */
final class ResumeTasks implements PageAction {
    private static final int MOST = 1_000;

    private final TaskTables tables;

    ResumeTasks(TaskTables tables) {
        this.tables = tables;
    }

    /** What takes back that these tasks of a table were cancelled. */
    static Undo undo(TableName table, List<Long> ids) {
        return new Undo(
                "/tasks/resume?table=" + PageRequest.encoded(table.text()),
                Map.of("id", ids.stream().map(String::valueOf).toList()));
    }

    @Override
    public ActionResult run(ActionRequest request) {
        TableName table = tables.of(request.page());
        List<Long> ids = new ArrayList<>(request.ids());
        if (ids.isEmpty() || ids.size() > MOST)
            throw new BadRequestException(
                    "Nothing was resumed: it has to be 1 to " + MOST + " tasks, not " + ids.size() + ".");
        long resumed = tables.table(request.page()).resumeEach(ids);
        if (ids.size() == 1)
            return new ActionResult(
                    resumed == 1
                            ? "Task " + ids.get(0) + " waits for its time again."
                            : "Task " + ids.get(0) + " was not changed: it is not cancelled any more.",
                    tables.path(table, ids.get(0)));
        String said = Numbers.count(resumed) + (resumed == 1 ? " task waits" : " tasks wait") + " for "
                + (resumed == 1 ? "its time" : "their times") + " again";
        long left = ids.size() - resumed;
        return new ActionResult(
                said + (left == 0 ? "." : "; " + Numbers.count(left) + " could not be changed."),
                "/tasks?table=" + PageRequest.encoded(table.text()) + "&state=plan");
    }
}
