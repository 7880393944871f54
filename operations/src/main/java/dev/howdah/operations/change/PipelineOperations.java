package dev.howdah.operations.change;

import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Engine;
import dev.howdah.operations.Operation;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Role;
import dev.howdah.operations.Subject;
import dev.howdah.operations.Values;
import dev.howdah.operations.value.NameValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The operations on pipelines that are defined in SQL, without those that take JSON. */
public final class PipelineOperations {
    private static final Parameter<String> NAME = Parameter.of("name", NameValue.USUAL, "The name of the pipeline.");

    private static final Subject PIPELINE = new Subject(
                    "pipeline",
                    "pipelines",
                    List.of(NAME),
                    "/pipelines/{name}",
                    "job pipeline",
                    PipelineOperations::image)
            .listedOn("/workflows");

    public static final Operation REMOVE = Operation.of(
                    PIPELINE,
                    "remove",
                    Role.ADMINISTRATOR,
                    "Remove a pipeline that is defined in SQL; its workflows continue. The role of the database needs the duty"
                            + " worker.")
            .ask("Remove {target}? Its workflows continue; nothing can be added to it any more.")
            .say("{target} is removed.", "")
            .removes()
            .does(call -> call.engine().jobs().removePipeline(call.key(NAME))
                    ? ChangeOutcome.done()
                    : ChangeOutcome.missing("There is no {target}."));

    /** All of them. */
    public static final List<Operation> ALL = List.of(REMOVE);

    private PipelineOperations() {}

    /** The key of a pipeline. */
    public static Values key(String name) {
        return Values.NONE.with(NAME, name);
    }

    private static @Nullable Record image(Engine engine, Values key) {
        String name = key.get(NAME);
        return engine.jobs().pipelines().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElse(null);
    }
}
