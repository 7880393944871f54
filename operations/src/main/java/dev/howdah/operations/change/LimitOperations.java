package dev.howdah.operations.change;

import static dev.howdah.operations.change.QueueOperations.QUEUE;

import dev.howdah.job.limit.JobLimits;
import dev.howdah.job.limit.LimitScope;
import dev.howdah.job.limit.LimitSetting;
import dev.howdah.job.limit.Rate;
import dev.howdah.operations.ChangeOutcome;
import dev.howdah.operations.Operation;
import dev.howdah.operations.OperationCall;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.ParameterException;
import dev.howdah.operations.Role;
import dev.howdah.operations.Values;
import dev.howdah.operations.value.ChoiceValue;
import dev.howdah.operations.value.DecimalValue;
import dev.howdah.operations.value.FlagValue;
import dev.howdah.operations.value.NameValue;
import dev.howdah.operations.value.PeriodValue;
import dev.howdah.operations.value.WholeValue;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The operations that limit queues. */
public final class LimitOperations {
    private static final String CONCURRENCY = "concurrency";
    private static final String RATE_SETTING = "rate";
    private static final String SHARE_SETTING = "share";
    private static final String AGEING_SETTING = "ageing";

    /** The most jobs of a limit. */
    private static final int MOST = 1_000_000;

    private static final Duration LONGEST = Duration.ofDays(366);

    private static final Parameter<Integer> JOBS = Parameter.of("jobs", new WholeValue(1, MOST), "The number of jobs.");

    private static final Parameter<String> KIND =
            Parameter.maybe("kind", NameValue.USUAL, "For the jobs of this kind.");

    private static final Parameter<String> GROUP =
            Parameter.maybe("group", NameValue.USUAL, "For the jobs of this group.");

    private static final Parameter<Boolean> EACH_GROUP =
            Parameter.maybe("each_group", new FlagValue(), "For each group that has no such limit of its own.");

    private static final Parameter<Boolean> EACH_NODE =
            Parameter.maybe("each_node", new FlagValue(), "On each node, not on all together.");

    private static final PeriodValue PERIODS = new PeriodValue(Duration.ofMillis(10), LONGEST, "10 ms to 366 days");

    private static final Parameter<Duration> PERIOD =
            Parameter.of("period", PERIODS, "The period, such as 1 min; a queue can have rates of several periods.");

    private static final Parameter<Integer> BURST = Parameter.maybe(
            "burst",
            new WholeValue(1, MOST),
            "Jobs that begin at once at most, the others at even distances; all unless given.");

    private static final Parameter<String> SHARED = Parameter.of("group", NameValue.USUAL, "The group.");

    private static final Parameter<Double> SHARE =
            Parameter.of("share", DecimalValue.of("0.001", "1000"), "Its share; that of other groups is 1.");

    private static final Parameter<Duration> EVERY = Parameter.of(
            "every",
            new PeriodValue(Duration.ofSeconds(1), LONGEST, "1 second to 366 days"),
            "The time after which a waiting job rises by one, such as 10 min.");

    private static final Parameter<Integer> RISE =
            Parameter.preset("most", new WholeValue(1, 200), 10, "The most by which a job rises; 10 unless given.");

    private static final Parameter<String> SETTING = Parameter.of(
            "setting",
            ChoiceValue.of(CONCURRENCY, RATE_SETTING, SHARE_SETTING, AGEING_SETTING),
            "The limit to remove.");

    private static final Parameter<Duration> ONE_PERIOD =
            Parameter.maybe("period", PERIODS, "Only the rate with this period; all rates unless given.");

    /** A rate as the list of limits prints it. */
    private static final Pattern RATE_TEXT = Pattern.compile(
            "(\\d+) in (?:(\\d+) days? ?)?(?:(\\d+):(\\d\\d):(\\d\\d)(\\.\\d+)?)?(?:, (\\d+) at once)?");

    private static final Pattern AGEING_TEXT =
            Pattern.compile("by 1 every (?:(\\d+) days? ?)?(?:(\\d+):(\\d\\d):(\\d\\d)(\\.\\d+)?)?, by (\\d+) at most");

    public static final Operation LIMIT = declared(
                    "limit",
                    CONCURRENCY,
                    "Limit how many jobs of a queue run at a time. Nodes notice it within two seconds.")
            .takes(JOBS, KIND, GROUP, EACH_GROUP, EACH_NODE)
            .does(call -> change(call, CONCURRENCY, (scope, limits) -> {
                if (call.values().isOn(EACH_NODE)) limits.setNodeConcurrency(scope, call.get(JOBS));
                else limits.setConcurrency(scope, call.get(JOBS));
            }));

    public static final Operation RATE = declared(
                    "rate-limit", RATE_SETTING, "Limit how many jobs of a queue begin within a period.")
            .takes(JOBS, PERIOD, BURST, KIND, GROUP, EACH_GROUP)
            .does(call -> change(call, RATE_SETTING, (scope, limits) -> {
                Rate rate = Rate.of(call.get(JOBS), call.get(PERIOD));
                Integer burst = call.find(BURST);
                limits.setRate(scope, burst == null ? rate : rate.burst(burst));
            }));

    public static final Operation SHARES = declared(
                    "share", SHARE_SETTING, "Set how many jobs a group gets in proportion to the others of its queue.")
            .takes(SHARED, SHARE)
            .does(call -> change(
                    call,
                    SHARE_SETTING,
                    (scope, limits) -> limits.setShare(scope.queue(), call.get(SHARED), call.get(SHARE))));

    public static final Operation AGEING = declared(
                    "ageing", AGEING_SETTING, "Let jobs of a queue rise in priority while they wait.")
            .id("setAgeing")
            .takes(EVERY, RISE)
            .does(call -> change(
                    call,
                    AGEING_SETTING,
                    (scope, limits) -> limits.setAgeing(scope.queue(), call.get(EVERY), call.get(RISE))));

    public static final Operation REMOVE = declared("remove-limit", "remove", "Remove a limit of a queue.")
            .id("removeLimit")
            .takes(SETTING, KIND, GROUP, EACH_GROUP, EACH_NODE, ONE_PERIOD)
            .ask("Remove {target}? Nodes take jobs of the queue as if there were no such limit.")
            .say("{target} is removed.", "{target} was not set.")
            .check(LimitOperations::check)
            .does(call -> change(call, null, (scope, limits) -> remove(call, scope, limits)));

    /** All of them. */
    public static final List<Operation> ALL = List.of(LIMIT, RATE, SHARES, AGEING, REMOVE);

    private static final Map<String, Operation> SETTERS =
            Map.of(CONCURRENCY, LIMIT, RATE_SETTING, RATE, SHARE_SETTING, SHARES, AGEING_SETTING, AGEING);

    private LimitOperations() {}

    /** @param word of its command: the setting, or remove */
    private static Operation.Builder declared(String verb, String word, String help) {
        return Operation.of(QueueOperations.SUBJECT, verb, Role.OPERATOR, help)
                .command("job limit " + word)
                .target((key, values) -> target(word.equals("remove") ? values.get(SETTING) : word, key, values))
                .say("{target} is set.", "{target} was set so before.");
    }

    /** Such as {@code the rate of kind newsletter of queue mail}. */
    private static String target(String setting, Values key, Values values) {
        String kind = values.find(KIND);
        String group = values.find(GROUP);
        if (setting.equals(SHARE_SETTING) && group == null) group = values.find(SHARED);
        String of = kind != null
                ? " of kind " + kind
                : group != null ? " of group " + group : values.isOn(EACH_GROUP) ? " of each group" : "";
        return "the " + (setting.equals(CONCURRENCY) ? "limit" : setting) + of + " of "
                + QueueOperations.SUBJECT.words(key) + (values.isOn(EACH_NODE) ? " on each node" : "");
    }

    private static LimitScope scope(OperationCall call) {
        Values values = call.values();
        return new LimitScope(call.key(QUEUE), values.find(KIND), values.find(GROUP), values.isOn(EACH_GROUP));
    }

    /** @param setting that is set; null: it is removed */
    private static ChangeOutcome change(
            OperationCall call, @Nullable String setting, BiConsumer<LimitScope, JobLimits> work) {
        String queue = call.key(QUEUE);
        List<LimitSetting> before = QueueOperations.limits(call.engine(), queue);
        LimitScope scope = setting == null || setting.equals(CONCURRENCY) || setting.equals(RATE_SETTING)
                ? scope(call)
                : LimitScope.queue(queue);
        work.accept(scope, call.engine().jobs().limits());
        ChangeOutcome outcome =
                ChangeOutcome.of(!QueueOperations.limits(call.engine(), queue).equals(before));
        Values naming = setting == null ? call.values() : naming(setting, call.values());
        for (LimitSetting each : before) {
            Values values = values(each);
            // Of a server that prints intervals in another style: what was set before cannot be told.
            if (!isKnown(values)) return outcome;
            if (!naming(each).texts().equals(naming.texts())) continue;
            Operation setter = SETTERS.get(each.setting());
            return setter == null ? outcome : outcome.undoneBy(setter, values);
        }
        return setting == null ? outcome : outcome.undoneBy(REMOVE, naming);
    }

    private static void remove(OperationCall call, LimitScope scope, JobLimits limits) {
        Values values = call.values();
        switch (values.get(SETTING)) {
            case CONCURRENCY -> {
                if (values.isOn(EACH_NODE)) limits.removeNodeConcurrency(scope);
                else limits.removeConcurrency(scope);
            }
            case RATE_SETTING -> {
                Duration period = values.find(ONE_PERIOD);
                if (period == null) limits.removeRates(scope);
                else limits.removeRate(scope, period);
            }
            case SHARE_SETTING -> limits.setShare(scope.queue(), values.get(GROUP), 1);
            default -> limits.removeAgeing(scope.queue());
        }
    }

    /** Refuses what belongs to another limit: ignored, it would remove more than was meant. */
    private static void check(Values values) {
        String setting = values.get(SETTING);
        boolean isScoped = setting.equals(CONCURRENCY) || setting.equals(RATE_SETTING);
        if (values.find(ONE_PERIOD) != null) check(ONE_PERIOD, setting, setting.equals(RATE_SETTING));
        if (values.isOn(EACH_NODE)) check(EACH_NODE, setting, setting.equals(CONCURRENCY));
        if (values.find(KIND) != null) check(KIND, setting, isScoped);
        if (values.isOn(EACH_GROUP)) check(EACH_GROUP, setting, isScoped);
        if (values.find(GROUP) != null) check(GROUP, setting, !setting.equals(AGEING_SETTING));
        else if (setting.equals(SHARE_SETTING))
            throw new ParameterException(GROUP, "is missing: the group with that share");
    }

    private static void check(Parameter<?> given, String setting, boolean isPossible) {
        if (!isPossible) throw new ParameterException(given, "is not for the setting " + setting);
    }

    private static boolean isKnown(Values values) {
        return values.find(JOBS) != null || values.find(SHARE) != null || values.find(EVERY) != null;
    }

    /** The parameters that name a limit where it is removed. */
    public static Values naming(LimitSetting setting) {
        return naming(setting.setting(), values(setting));
    }

    private static Values naming(String setting, Values values) {
        Values naming = Values.NONE.with(SETTING, setting);
        if (setting.equals(AGEING_SETTING)) return naming;
        if (setting.equals(SHARE_SETTING)) return naming.with(GROUP, values.get(SHARED));
        naming = naming.with(KIND, values.find(KIND)).with(GROUP, values.find(GROUP));
        if (values.isOn(EACH_GROUP)) naming = naming.with(EACH_GROUP, true);
        if (setting.equals(CONCURRENCY)) return values.isOn(EACH_NODE) ? naming.with(EACH_NODE, true) : naming;
        return naming.with(ONE_PERIOD, values.find(PERIOD));
    }

    /** The parameters that set a limit as it is; without its numbers, where the server prints them in a style of its own. */
    public static Values values(LimitSetting setting) {
        LimitScope scope = setting.scope();
        String value = setting.value();
        if (setting.setting().equals(SHARE_SETTING))
            return Values.NONE.with(SHARED, scope.group()).with(SHARE, Double.valueOf(value));
        Values values = Values.NONE.with(KIND, scope.kind()).with(GROUP, scope.group());
        if (scope.eachGroup()) values = values.with(EACH_GROUP, true);
        if (setting.eachNode()) values = values.with(EACH_NODE, true);
        if (setting.setting().equals(CONCURRENCY)) return values.with(JOBS, Integer.valueOf(value));
        if (setting.setting().equals(RATE_SETTING)) {
            Matcher parts = RATE_TEXT.matcher(value);
            if (!parts.matches()) return values;
            String burst = parts.group(7);
            return values.with(JOBS, Integer.valueOf(parts.group(1)))
                    .with(PERIOD, period(parts, 2))
                    .with(BURST, burst == null ? null : Integer.valueOf(burst));
        }
        Matcher parts = AGEING_TEXT.matcher(value);
        return parts.matches()
                ? values.with(EVERY, period(parts, 1)).with(RISE, Integer.valueOf(parts.group(6)))
                : values;
    }

    /** @param first the group with the days */
    private static Duration period(Matcher parts, int first) {
        String fraction = parts.group(first + 4);
        return Duration.ofDays(number(parts.group(first)))
                .plusHours(number(parts.group(first + 1)))
                .plusMinutes(number(parts.group(first + 2)))
                .plusSeconds(number(parts.group(first + 3)))
                .plusNanos(fraction == null ? 0 : (long) (Double.parseDouble("0" + fraction) * 1_000_000) * 1_000);
    }

    private static long number(@Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }
}
