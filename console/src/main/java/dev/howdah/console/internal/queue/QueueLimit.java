package dev.howdah.console.internal.queue;

import dev.howdah.console.internal.view.TimeText;
import dev.howdah.job.limit.LimitScope;
import dev.howdah.job.limit.LimitSetting;
import dev.howdah.operations.Values;
import dev.howdah.operations.change.LimitOperations;
import java.time.Duration;
import java.util.Map;

/**
 * A limit that is set, for people.
 *
 * @param of the jobs that it is for
 * @param words what it says
 * @param naming the parameters that remove it
 */
public record QueueLimit(String of, String words, Values naming) {
    static QueueLimit of(LimitSetting setting) {
        return new QueueLimit(of(setting.scope(), setting.eachNode()), words(setting), LimitOperations.naming(setting));
    }

    private static String of(LimitScope scope, boolean eachNode) {
        String of = scope.kind() != null
                ? "kind " + scope.kind()
                : scope.group() != null ? "group " + scope.group() : scope.eachGroup() ? "each group" : "the queue";
        return eachNode ? of + ", on each node" : of;
    }

    private static String words(LimitSetting setting) {
        String value = setting.value();
        return switch (setting.setting()) {
            case "concurrency" -> "at most " + value + " at the same time";
            case "rate" -> rate(value, LimitOperations.values(setting).texts());
            case "share" -> "a share of " + value + "; others have 1";
            case "ageing" -> "priority rises while they wait: " + value;
            default -> setting.setting() + " " + value;
        };
    }

    private static String rate(String value, Map<String, String> parts) {
        String period = parts.get("period");
        if (period == null) return "at most " + value + " begin";
        String burst = parts.get("burst");
        return "at most " + parts.get("jobs") + " begin in " + TimeText.duration(Duration.parse(period))
                + (burst == null ? "" : ", " + burst + " of them at once");
    }
}
