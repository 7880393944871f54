package dev.howdah.console.internal.process;

import dev.howdah.console.internal.bulk.BulkPages;
import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.process.ProcessBulk.Action;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.operations.Role;
import dev.howdah.operations.listed.ProcessLists;
import dev.howdah.process.ProcessStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Changes processes of a list: those that were selected, or all that match its filter, in the background. */
final class ChangeProcesses implements PageAction {
    /** The parameters of the list that are its filter. */
    static final List<String> FILTER = ProcessLists.PROCESSES.choiceNames();

    private static final int MOST = 1_000;

    private final ConsoleData data;
    private final BulkRuns runs;

    ChangeProcesses(ConsoleData data, BulkRuns runs) {
        this.data = data;
        this.runs = runs;
    }

    /** The names of the actions for processes in a status, and the words of their buttons; null: in any. */
    static Map<String, String> actions(@Nullable ProcessStatus status) {
        Map<String, String> actions = new LinkedHashMap<>();
        for (Action each : Action.values()) if (each.isFor(status)) actions.put(each.word(), each.label());
        return actions;
    }

    /**
     * What was chosen.
     *
     * @param ids of those that were selected; empty: all that match
     */
    private record Choice(ProcessBulk bulk, List<String> ids, String back) {
        String objects(@Nullable Long count) {
            if (ids.size() == 1) return "process " + ids.get(0);
            if (!ids.isEmpty())
                return Numbers.count(ids.size()) + " processes of "
                        + bulk.query().namespace();
            return bulk.words(count);
        }
    }

    private Choice choice(ActionRequest request) {
        String namespace = request.page().name("namespace");
        PageRequest list = request.list(ProcessPages.path(namespace), FILTER);
        ProcessStatus status = list.choice("status", ProcessStatus.class);
        Action action = action(request.field("action"), status);
        boolean all = request.field("all") != null;
        List<String> ids =
                all ? List.of() : request.fields("id").stream().distinct().toList();
        if (!all && ids.isEmpty())
            throw new BadRequestException("No process was selected: select rows of the list, or all that match.");
        if (ids.size() > MOST)
            throw new BadRequestException("Up to " + Numbers.count(MOST) + " processes can be selected.");
        return new Choice(new ProcessBulk(action, ProcessListPage.query(list, namespace)), ids, list.address());
    }

    private static Action action(@Nullable String name, @Nullable ProcessStatus status) {
        for (Action each : Action.values()) if (each.word().equals(name) && each.isFor(status)) return each;
        throw new BadRequestException("\"" + name + "\" cannot be done with these processes.");
    }

    @Override
    public Role needed(ActionRequest request, Role declared) {
        for (Action each : Action.values()) if (each.word().equals(request.field("action"))) return each.role();
        return declared;
    }

    private @Nullable Long count(ActionRequest request, Choice choice) {
        return request.counted(
                "processes",
                () -> ProcessPages.found(
                        choice.bulk().query().namespace(),
                        "",
                        () -> choice.bulk().count(data.processes())));
    }

    @Override
    public String question(ActionRequest request) {
        Choice choice = choice(request);
        Long count = choice.ids().isEmpty() ? count(request, choice) : null;
        String objects = choice.objects(count);
        boolean one = choice.ids().size() == 1 || count != null && count == 1;
        return switch (choice.bulk().action()) {
            case SIMPLE_REPAIR ->
                "Repair " + objects
                        + (one
                                ? " without its processor? The timer that broke it runs again; if it was none, it goes on as it is."
                                : " without their processor? The timers that broke them run again; those that no timer"
                                        + " has broken go on as they are.");
            case REMOVE ->
                "Remove " + objects
                        + (one ? "? It and its history go for good." : "? They and their histories go for good.");
        };
    }

    @Override
    public String proof(ActionRequest request) {
        Choice choice = choice(request);
        return choice.ids().isEmpty() ? BulkPages.proof(count(request, choice)) : "";
    }

    @Override
    public ActionResult run(ActionRequest request) {
        Choice choice = choice(request);
        ProcessBulk bulk = choice.bulk();
        String title = bulk.action().label() + ": " + choice.objects(null);
        List<String> ids = choice.ids();
        return BulkPages.started(
                ids.isEmpty()
                        ? runs.start(
                                title,
                                choice.back(),
                                count(request, choice),
                                run -> bulk.all(run, data.processes(), data.processClient()))
                        : runs.start(
                                title,
                                choice.back(),
                                (long) ids.size(),
                                run -> bulk.each(run, data.processClient(), ids)));
    }
}
