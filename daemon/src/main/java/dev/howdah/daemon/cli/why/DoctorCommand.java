package dev.howdah.daemon.cli.why;

import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Installation;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.health.DatabaseHealth;
import dev.howdah.health.HealthCheck;
import dev.howdah.health.HealthCheck.Level;
import dev.howdah.internal.connection.SchemaConnection;
import dev.howdah.internal.error.PlainText;
import dev.howdah.internal.sql.SchemaName;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code howdah doctor}: the health of the database. */
@Command(
        name = "doctor",
        description =
                "Check the health of the database, the privileges of roles, and whether there are enough connections: the worst first;"
                        + " below each finding what to do.",
        footer = {
            "",
            "Exit codes: 0 all is well, 1 a warning, 2 something is critical, 3 a check could not be made.",
            "",
            "Examples:",
            "  howdah doctor",
            "  howdah doctor --json --url postgresql://db.example/shop"
        })
public final class DoctorCommand implements Callable<Integer> {
    private static final int UNKNOWN = 3;

    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call
    private CommandSpec spec;

    @Option(names = "--json", description = "Print a JSON object on a line for each check.")
    private boolean json;

    private DoctorCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    public static CommandLine commandLine(Terminal terminal) {
        CommandLine line = new CommandLine(new DoctorCommand(terminal));
        ConfigurationOptions.addAllFeatures(line.getCommandSpec());
        return line;
    }

    @Override
    public Integer call() {
        Configuration configuration = ConfigurationOptions.read(spec, terminal);
        CommandTarget target = CommandTarget.of(configuration, terminal.environment());
        SchemaName schema = Installation.of(configuration);
        List<HealthCheck> checks = new ArrayList<>();
        try (Connection connection = SchemaConnection.of(target.database().connect(), schema)) {
            checks.addAll(ProgramChecks.of(connection));
            checks.addAll(PrivilegeChecks.of(connection, target, configuration));
            checks.add(BudgetCheck.of(connection, configuration));
            checks.addAll(
                    DatabaseHealth.on(target.database()).schema(schema.name()).check());
        } catch (SQLException e) {
            throw SqlFailure.of(e, target);
        }
        checks.sort(Comparator.comparing(HealthCheck::level));
        for (HealthCheck each : checks) print(each);
        return exitCode(checks);
    }

    private void print(HealthCheck check) {
        String level = check.level().name().toLowerCase(Locale.ROOT);
        if (json) {
            terminal.out().println(Json.line(fields(check, level)));
            return;
        }
        terminal.out().printf(Locale.ROOT, "%-8s  %-16s  %s%n", level, check.name(), PlainText.of(check.sentence()));
        if (check.level() == Level.WARNING || check.level() == Level.CRITICAL)
            terminal.out().println("          " + PlainText.of(check.value() + " (" + check.threshold() + ")"));
        if (check.remedy() != null) terminal.out().println("          > " + PlainText.of(check.remedy()));
    }

    private static Map<String, @Nullable Object> fields(HealthCheck check, String level) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("check", check.name());
        fields.put("level", level);
        fields.put("value", check.value());
        fields.put("threshold", check.threshold());
        fields.put("sentence", check.sentence());
        fields.put("remedy", check.remedy());
        return fields;
    }

    /** The worst counts; what is unknown counts where nothing is wrong. */
    private static int exitCode(List<HealthCheck> checks) {
        List<Level> levels = checks.stream().map(HealthCheck::level).toList();
        if (levels.contains(Level.CRITICAL)) return 2;
        if (levels.contains(Level.WARNING)) return 1;
        return levels.contains(Level.UNKNOWN) ? UNKNOWN : 0;
    }
}
