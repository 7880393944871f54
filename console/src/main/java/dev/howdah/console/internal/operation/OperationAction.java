package dev.howdah.console.internal.operation;

import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.ActionResult.Undo;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.Routes;
import dev.howdah.console.internal.view.Texts;
import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Engine;
import dev.howdah.operations.Operation;
import dev.howdah.operations.OperationCall;
import dev.howdah.operations.Subject;
import dev.howdah.operations.Values;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A declared operation as an action of a page. Safe for use by many threads. */
public final class OperationAction implements PageAction {
    private final Operation operation;
    private final Engine engine;

    private OperationAction(Operation operation, Engine engine) {
        this.operation = operation;
        this.engine = engine;
    }

    /** Adds an action for each operation. */
    public static void add(Engine engine, List<Operation> operations, Routes<PageAction> actions) {
        for (Operation each : operations) {
            OperationAction action = new OperationAction(each, engine);
            actions.add(OperationPaths.pattern(each), each.role(), action);
            if (each.isKeyAsked()) actions.add(OperationPaths.ofAny(each), each.role(), action);
        }
    }

    @Override
    public Operation operation() {
        return operation;
    }

    private OperationCall call(ActionRequest request) {
        Values key;
        try {
            key = Values.read(operation.subject().names(), request::nameOrField);
        } catch (IllegalArgumentException e) {
            if (request.page().names().isEmpty()) throw wrong(e);
            throw new NotFoundException("There is nothing at this address: " + e.getMessage() + ".");
        }
        try {
            return new OperationCall(engine, key, operation.read(name -> String.join("\n", request.fields(name))));
        } catch (IllegalArgumentException e) {
            throw wrong(e);
        }
    }

    private static BadRequestException wrong(IllegalArgumentException e) {
        return new BadRequestException("Nothing was changed: " + e.getMessage() + ".");
    }

    @Override
    public String question(ActionRequest request) {
        return Texts.visible(operation.question(call(request)));
    }

    @Override
    public ActionResult run(ActionRequest request) {
        OperationCall call = call(request);
        ChangeOutcome outcome;
        try {
            outcome = operation.run(call);
        } catch (IllegalArgumentException e) {
            throw wrong(e);
        }
        switch (outcome.kind()) {
            case MISSING, GONE -> throw new NotFoundException(outcome.sentence());
            case REFUSED -> throw new ChangeRefusedException(outcome.sentence());
            default -> {}
        }
        String from = request.page().text(OperationPaths.FROM);
        Subject subject = operation.subject();
        boolean isGone = operation.isRemoval() && outcome.kind() == ChangeOutcome.Kind.DONE;
        return new ActionResult(
                        outcome.sentence(),
                        isGone || from != null || !subject.hasPages()
                                ? OperationPaths.list(
                                        subject, call.key(), OperationPaths.LIST.equals(from) ? null : from)
                                : OperationPaths.address(subject, call.key()))
                .undoneBy(undo(outcome, call.key(), from));
    }

    private static @Nullable Undo undo(ChangeOutcome outcome, Values key, @Nullable String from) {
        ChangeOutcome.Undo undo = outcome.undo();
        return undo == null
                ? null
                : new Undo(
                        OperationPaths.of(undo.by(), key, from), undo.values().fields());
    }
}
