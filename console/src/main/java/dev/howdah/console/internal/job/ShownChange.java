package dev.howdah.console.internal.job;

import dev.howdah.internal.json.JsonText;
import dev.howdah.operations.store.AuditRow;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A change that a person or a program has made by the console or the API.
 *
 * @param action what was done, such as cancel
 * @param reason that was given; null: none
 */
public record ShownChange(
        Instant at, String action, String actor, @Nullable String reason) {
    static ShownChange of(AuditRow row) {
        String sent = row.entry().after();
        String reason = sent == null ? "" : JsonText.field(sent, "reason");
        String action = row.entry().action();
        return new ShownChange(
                row.at(),
                action.substring(action.indexOf('.') + 1),
                row.entry().actor(),
                reason.isEmpty() ? null : reason);
    }
}
