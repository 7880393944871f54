package dev.howdah.daemon.cli.why;

import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.health.Cause;
import dev.howdah.internal.error.PlainText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prints causes: the answer first, then the others. */
final class CausePrinter {
    private static final String UNKNOWN = "unknown";

    private CausePrinter() {}

    /** @throws CliException if there is no such object */
    static int print(Terminal terminal, boolean json, List<Cause> causes) {
        if (causes.get(0).code().equals(UNKNOWN))
            throw CliException.failed(causes.get(0).sentence());
        for (int i = 0; i < causes.size(); i++) {
            Cause cause = causes.get(i);
            if (json) terminal.out().println(Json.line(fields(cause)));
            else {
                terminal.out().println((i == 0 ? "" : "also: ") + PlainText.line(cause.sentence()));
                if (cause.remedy() != null) terminal.out().println("  > " + PlainText.of(cause.remedy()));
            }
        }
        return 0;
    }

    private static Map<String, @Nullable Object> fields(Cause cause) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("code", cause.code());
        fields.put("sentence", cause.sentence());
        fields.put("detail", new Json.Document(cause.detail()));
        fields.put("remedy", cause.remedy());
        return fields;
    }
}
