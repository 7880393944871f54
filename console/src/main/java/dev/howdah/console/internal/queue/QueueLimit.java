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
 */
public record QueueLimit(String of, String words, Map<String, String> fields) {
    private static final Pattern RATE = Pattern.compile(
            "(\\d+) in (?:(\\d+) days? ?)?(?:(\\d+):(\\d\\d):(\\d\\d)(\\.\\d+)?)?(?:, (\\d+) at once)?");

    static QueueLimit of(LimitSetting setting) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("setting", setting.setting());
        LimitScope scope = setting.scope();
        if (scope.kind() != null) fields.put("kind", scope.kind());
        if (scope.group() != null) fields.put("group", scope.group());
        if (scope.eachGroup()) fields.put("each_group", "true");
        if (setting.eachNode()) fields.put("each_node", "true");
        return new QueueLimit(of(scope, setting.eachNode()), words(setting, fields), fields);
    }

    private static String of(LimitScope scope, boolean eachNode) {
        String of = scope.kind() != null
                ? "kind " + scope.kind()
                : scope.group() != null ? "group " + scope.group() : scope.eachGroup() ? "each group" : "the queue";
        return eachNode ? of + ", on each node" : of;
    }

    private static String words(LimitSetting setting, Map<String, String> fields) {
        String value = setting.value();
        return switch (setting.setting()) {
            case "concurrency" -> "at most " + value + " at the same time";
            case "rate" -> rate(value, fields);
            case "share" -> "a share of " + value + "; others have 1";
            case "ageing" -> "priority rises while they wait: " + value;
            default -> setting.setting() + " " + value;
        };
    }

    /** The period is that of an interval as PostgreSQL writes it; in another style it is shown as it is, and all rates are removed together. */
    private static String rate(String value, Map<String, String> fields) {
        Matcher parts = RATE.matcher(value);
        if (!parts.matches()) return "at most " + value + " begin";
        Duration period = period(parts);
        fields.put("period", period.toString());
        String burst = parts.group(7);
        return "at most " + parts.group(1) + " begin in " + TimeText.duration(period)
                + (burst == null ? "" : ", " + burst + " of them at once");
    }

    private static Duration period(Matcher parts) {
        String fraction = parts.group(6);
        return Duration.ofDays(number(parts.group(2)))
                .plusHours(number(parts.group(3)))
                .plusMinutes(number(parts.group(4)))
                .plusSeconds(number(parts.group(5)))
                .plusNanos(fraction == null ? 0 : (long) (Double.parseDouble("0" + fraction) * 1_000_000) * 1_000);
    }

    private static long number(@Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }
}
