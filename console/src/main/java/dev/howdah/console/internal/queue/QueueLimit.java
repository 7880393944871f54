package dev.howdah.console.internal.queue;

import dev.howdah.console.internal.view.TimeText;
import dev.howdah.job.limit.LimitScope;
import dev.howdah.job.limit.LimitSetting;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A limit that is set, for people.
 *
 * @param of which jobs it is for
 * @param words what it says
 * @param fields that name it where it is removed
 * @param values that set it, with some of these; empty: it is not known how
 */
public record QueueLimit(String of, String words, Map<String, String> fields, Map<String, String> values) {
    private static final Pattern RATE = Pattern.compile(
            "(\\d+) in (?:(\\d+) days? ?)?(?:(\\d+):(\\d\\d):(\\d\\d)(\\.\\d+)?)?(?:, (\\d+) at once)?");

    private static final Pattern AGEING =
            Pattern.compile("by 1 every (?:(\\d+) days? ?)?(?:(\\d+):(\\d\\d):(\\d\\d)(\\.\\d+)?)?, by (\\d+) at most");

    static QueueLimit of(LimitSetting setting) {
        Map<String, String> fields = new LinkedHashMap<>();
        Map<String, String> values = new LinkedHashMap<>();
        fields.put("setting", setting.setting());
        LimitScope scope = setting.scope();
        if (scope.kind() != null) fields.put("kind", scope.kind());
        if (scope.group() != null) fields.put("group", scope.group());
        if (scope.eachGroup()) fields.put("each_group", "true");
        if (setting.eachNode()) fields.put("each_node", "true");
        return new QueueLimit(
                of(scope, setting.eachNode()), words(setting, fields, values), Map.copyOf(fields), Map.copyOf(values));
    }

    private static String of(LimitScope scope, boolean eachNode) {
        String of = scope.kind() != null
                ? "kind " + scope.kind()
                : scope.group() != null ? "group " + scope.group() : scope.eachGroup() ? "each group" : "the queue";
        return eachNode ? of + ", on each node" : of;
    }

    private static String words(LimitSetting setting, Map<String, String> fields, Map<String, String> values) {
        String value = setting.value();
        switch (setting.setting()) {
            case "concurrency" -> {
                values.put("jobs", value);
                return "at most " + value + " at the same time";
            }
            case "rate" -> {
                return rate(value, fields, values);
            }
            case "share" -> {
                values.put("share", value);
                return "a share of " + value + "; others have 1";
            }
            case "ageing" -> {
                Matcher parts = AGEING.matcher(value);
                if (parts.matches()) {
                    values.put("every", period(parts, 1).toString());
                    values.put("most", parts.group(6));
                }
                return "priority rises while they wait: " + value;
            }
            default -> {
                return setting.setting() + " " + value;
            }
        }
    }

    /** The period is that of an interval as PostgreSQL writes it; in another style it is shown as it is, and all rates are removed together. */
    private static String rate(String value, Map<String, String> fields, Map<String, String> values) {
        Matcher parts = RATE.matcher(value);
        if (!parts.matches()) return "at most " + value + " begin";
        Duration period = period(parts, 2);
        fields.put("period", period.toString());
        String burst = parts.group(7);
        values.put("jobs", parts.group(1));
        if (burst != null) values.put("burst", burst);
        return "at most " + parts.group(1) + " begin in " + TimeText.duration(period)
                + (burst == null ? "" : ", " + burst + " of them at once");
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
