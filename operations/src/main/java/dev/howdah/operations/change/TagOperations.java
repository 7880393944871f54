package dev.howdah.operations.change;

import dev.howdah.job.history.JobHistory;
import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Engine;
import dev.howdah.operations.Operation;
import dev.howdah.operations.OperationCall;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Role;
import dev.howdah.operations.Subject;
import dev.howdah.operations.Values;
import dev.howdah.operations.value.TextValue;
import dev.howdah.operations.value.WholeValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The operations on the tags of jobs that are counted. */
public final class TagOperations {
    private static final Parameter<String> TAG = Parameter.of(
            "tag", new TextValue(100), "The tag, or the beginning of tags and a star, such as customer:*.");

    private static final Parameter<Integer> MOST = Parameter.preset(
            "most",
            new WholeValue(1, 1_000),
            100,
            "How many different tags a star stands for, further ones are counted together; 100 unless given.");

    private static final Subject SUBJECT =
            new Subject("tag", "tags", List.of(TAG), "/tags/{tag}", "job", TagOperations::image).listedOn("/settings");

    public static final Operation COUNT = Operation.of(
                    SUBJECT,
                    "count",
                    Role.ADMINISTRATOR,
                    "Count the jobs of a tag in statistics and metrics from now on. There are 100 such tags at most; the role of"
                            + " the database needs the duty worker.")
            .command("job count-tag")
            .asksForKey()
            .takes(MOST)
            .say("{target} is counted.", "{target} is counted already.")
            .does(call -> {
                String tag = call.key(TAG);
                Integer before = history(call).countedTags().get(tag);
                history(call).countTag(tag, call.get(MOST));
                ChangeOutcome outcome = ChangeOutcome.of(!call.get(MOST).equals(before));
                return before == null
                        ? outcome.undoneBy(TagOperations.UNCOUNT, Values.NONE)
                        : outcome.undoneBy(TagOperations.COUNT, most(before));
            });

    public static final Operation UNCOUNT = Operation.of(
                    SUBJECT,
                    "uncount",
                    Role.ADMINISTRATOR,
                    "Stop counting a tag; earlier counts stay. The role of the database needs the duty worker.")
            .command("job uncount-tag")
            .say("{target} is no longer counted.", "")
            .does(call -> {
                Integer before = history(call).countedTags().get(call.key(TAG));
                return history(call).uncountTag(call.key(TAG))
                        ? ChangeOutcome.done().undoneBy(COUNT, most(before))
                        : ChangeOutcome.missing("{target} is not counted.");
            });

    /** All of them. */
    public static final List<Operation> ALL = List.of(COUNT, UNCOUNT);

    private TagOperations() {}

    /**
     * A tag that is counted.
     *
     * @param most how many different tags its star stands for
     */
    public record Counted(String tag, int most) {}

    /** The key of a tag. */
    public static Values key(String tag) {
        return Values.NONE.with(TAG, tag);
    }

    private static @Nullable Record image(Engine engine, Values key) {
        String tag = key.get(TAG);
        Integer most = engine.jobs().history().countedTags().get(tag);
        return most == null ? null : new Counted(tag, most);
    }

    private static JobHistory history(OperationCall call) {
        return call.engine().jobs().history();
    }

    private static Values most(@Nullable Integer most) {
        return Values.NONE.with(MOST, most);
    }
}
