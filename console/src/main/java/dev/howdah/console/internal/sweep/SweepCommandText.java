package dev.howdah.console.internal.sweep;

import dev.howdah.sweep.SweepProgress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The command that starts a sweep again. */
final class SweepCommandText {
    private SweepCommandText() {}

    /** The command; null: its rows are worked on by a program, not by SQL, and the definition does not name that. */
    static @Nullable String of(SweepProgress sweep) {
        Map<String, String> definition = sweep.definition();
        if (definition.get("sql") == null) return null;
        StringBuilder command = new StringBuilder("howdah sweep");
        option(command, "--name", sweep.name());
        option(command, "--table", definition.get("table"));
        option(command, "--where", definition.get("where"));
        String key = definition.get("key");
        option(command, "--key", key == null ? null : key.replace(", ", ","));
        option(command, "--order-by", definition.get("order"));
        option(command, "--mark", definition.get("mark"));
        option(command, "--sql", definition.get("sql"));
        return command.toString();
    }

    private static void option(StringBuilder command, String name, @Nullable String value) {
        if (value != null && !value.isBlank())
            command.append(' ')
                    .append(name)
                    .append(" '")
                    .append(value.replace("'", "'\\''"))
                    .append('\'');
    }
}
