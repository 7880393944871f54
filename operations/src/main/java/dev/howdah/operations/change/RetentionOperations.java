package dev.howdah.operations.change;

import dev.howdah.job.JobsException;
import dev.howdah.job.history.JobHistory;
import dev.howdah.job.history.RetentionRule;
import dev.howdah.job.query.JobState;
import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Engine;
import dev.howdah.operations.Operation;
import dev.howdah.operations.OperationCall;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.ParameterException;
import dev.howdah.operations.Role;
import dev.howdah.operations.Subject;
import dev.howdah.operations.Values;
import dev.howdah.operations.value.ChoiceValue;
import dev.howdah.operations.value.NameValue;
import dev.howdah.operations.value.PeriodValue;
import dev.howdah.operations.value.TextValue;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The operations on rules for how long jobs that have ended are kept. */
public final class RetentionOperations {
    private static final String UNDEFINED_OBJECT = "42704";

    private static final Parameter<String> OUTCOME = Parameter.of(
            "outcome", ChoiceValue.of("done", "failed", "cancelled"), "How the jobs ended: done, failed or cancelled.");

    private static final Parameter<Duration> KEEP = Parameter.of(
            "keep",
            new PeriodValue(Duration.ZERO, Duration.ofDays(100_000), "0 to 100000 days"),
            "How long such jobs are kept from their end on, such as 2 h or 30 d; 0: not at all.");

    private static final Parameter<String> QUEUE = Parameter.maybe(
            "queue", NameValue.USUAL, "The queue; all queues without a rule of their own unless given.");

    private static final Parameter<String> ARCHIVE = Parameter.maybe(
            "archive",
            new TextValue(1_000),
            "The name of a table, or of a function that takes jsonb, which gets the jobs that are removed.");

    private static final Subject RULE = new Subject(
                    "rule of retention",
                    "retention",
                    List.of(OUTCOME),
                    "/retention/{outcome}",
                    "job retention",
                    RetentionOperations::image)
            .listedOn("/settings");

    public static final Operation PUT = Operation.of(
                    RULE,
                    "put",
                    Role.ADMINISTRATOR,
                    "Store a rule in place of that of its queue and outcome: jobs that are kept no longer are removed within"
                            + " minutes. The role of the database needs the duty worker.")
            .id("putRetention")
            .asksForKey()
            .takes(KEEP, QUEUE, ARCHIVE)
            .target(RetentionOperations::target)
            .ask("Keep {target} for that long? Those that have ended before are removed.")
            .say("The retention of {target} is stored.", "The retention of {target} was set so before.")
            .does(call -> {
                RetentionRule before = find(call);
                put(call);
                return ChangeOutcome.of(!isSame(before, find(call)));
            });

    public static final Operation REMOVE = Operation.of(
                    RULE,
                    "remove",
                    Role.ADMINISTRATOR,
                    "Remove the rule of a queue and outcome: such jobs are kept as long as the nodes say. The role of the"
                            + " database needs the duty worker.")
            .id("removeRetention")
            .takes(QUEUE)
            .target(RetentionOperations::target)
            .ask("Remove the rule of {target}? They are kept as long as the nodes say.")
            .say("The rule of {target} is removed.", "")
            .removes()
            .does(call -> {
                if (find(call) == null) return ChangeOutcome.missing("There is no rule of {target}.");
                history(call).retainByDefault(call.find(QUEUE), outcome(call));
                return ChangeOutcome.done();
            });

    /** All of them. */
    public static final List<Operation> ALL = List.of(PUT, REMOVE);

    private RetentionOperations() {}

    /** The rules of one outcome. */
    public record OutcomeRules(String outcome, List<RetentionRule> rules) {}

    private static @Nullable Record image(Engine engine, Values key) {
        String outcome = key.get(OUTCOME);
        List<RetentionRule> rules = engine.jobs().history().rules().stream()
                .filter(each -> word(each.outcome()).equals(outcome))
                .toList();
        return rules.isEmpty() ? null : new OutcomeRules(outcome, rules);
    }

    /** The key of a rule. */
    public static Values key(RetentionRule rule) {
        return Values.NONE.with(OUTCOME, word(rule.outcome()));
    }

    /** The parameters that tell a rule from others of its outcome. */
    public static Values queue(RetentionRule rule) {
        return Values.NONE.with(QUEUE, rule.queue());
    }

    private static Values values(RetentionRule rule) {
        return queue(rule).with(KEEP, rule.keep()).with(ARCHIVE, rule.archive());
    }

    private static String word(JobState outcome) {
        return outcome.name().toLowerCase(Locale.ROOT);
    }

    private static JobState outcome(OperationCall call) {
        return JobState.valueOf(call.key(OUTCOME).toUpperCase(Locale.ROOT));
    }

    private static JobHistory history(OperationCall call) {
        return call.engine().jobs().history();
    }

    private static void put(OperationCall call) {
        String archive = call.find(ARCHIVE);
        RetentionRule rule = new RetentionRule(call.find(QUEUE), outcome(call), call.get(KEEP), archive, 0, null);
        try {
            history(call).retain(rule);
        } catch (JobsException e) {
            if (e.getCause() instanceof SQLException cause && UNDEFINED_OBJECT.equals(cause.getSQLState()))
                throw new ParameterException(ARCHIVE, "names no table, and no function of jsonb: \"" + archive + "\"");
            throw e;
        }
    }

    private static @Nullable RetentionRule find(OperationCall call) {
        return history(call).rules().stream()
                .filter(each -> each.outcome() == outcome(call) && Objects.equals(each.queue(), call.find(QUEUE)))
                .findFirst()
                .orElse(null);
    }

    private static boolean isSame(@Nullable RetentionRule before, @Nullable RetentionRule after) {
        return before != null
                && after != null
                && values(before).texts().equals(values(after).texts());
    }

    /** Such as {@code done jobs of queue mail}. */
    private static String target(Values key, Values values) {
        String queue = values.find(QUEUE);
        return key.get(OUTCOME) + " jobs of " + (queue == null ? "all other queues" : "queue " + queue);
    }
}
