package dev.howdah.daemon.cli.pause;

import dev.howdah.Database;
import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.config.Configuration;
import dev.howdah.daemon.config.Installation;
import dev.howdah.daemon.config.PgTaskJson;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.config.TableList;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.CommandTarget;
import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.internal.connection.SchemaConnection;
import dev.howdah.internal.error.PlainText;
import dev.howdah.internal.pause.PauseMark;
import dev.howdah.internal.sql.SchemaName;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code howdah pause --all} and {@code howdah resume --all}. */
public final class PauseCommands {
    private PauseCommands() {}

    public static CommandLine pause(Terminal terminal) {
        return with(new CommandLine(new Pause(terminal)));
    }

    public static CommandLine resume(Terminal terminal) {
        return with(new CommandLine(new Resume(terminal)));
    }

    private static CommandLine with(CommandLine line) {
        ConfigurationOptions.add(
                line.getCommandSpec(), Setting.DATA, Setting.URL, Setting.CONFIG, Setting.INSTALLATION, Setting.TABLES);
        return line;
    }

    /** What both have in common. */
    private abstract static class Turn implements Callable<Integer> {
        private final Terminal terminal;

        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it before call
        private CommandSpec spec;

        @Option(
                names = "--all",
                required = true,
                description = "Everything, in each database that is served: tasks, jobs, schedules, processes, sweeps.")
        private boolean all;

        @Option(names = "--json", description = "Print a JSON object on a line for each database.")
        private boolean json;

        Turn(Terminal terminal) {
            this.terminal = terminal;
        }

        /** Does it; returns the mark that was there before, null: there was none. */
        abstract @Nullable PauseMark turn(Connection connection) throws SQLException;

        abstract String turned();

        abstract String unchanged(@Nullable PauseMark before);

        abstract boolean isChanged(@Nullable PauseMark before);

        @Override
        public Integer call() {
            if (!all)
                throw CliException.usage("--all is missing: one queue, schedule or sweep has a command of its own");
            Configuration configuration = ConfigurationOptions.read(spec, terminal);
            CommandTarget target = CommandTarget.of(configuration, terminal.environment());
            Set<SchemaName> schemas = new LinkedHashSet<>(List.of(SchemaName.howdah()));
            schemas.add(Installation.of(configuration));
            List<String> failed = new ArrayList<>();
            for (String each : databases(configuration, target)) {
                Database database = target.database().withDatabase(each);
                try (Connection connection = database.connect()) {
                    for (SchemaName schema : schemas) turn(connection, each, schema);
                } catch (SQLException e) {
                    failed.add(each + ": " + SqlFailure.line(e));
                }
            }
            if (!failed.isEmpty()) throw CliException.failed(String.join("; ", failed));
            return 0;
        }

        private void turn(Connection connection, String database, SchemaName schema) throws SQLException {
            PauseMark before = turn(SchemaConnection.of(connection, schema));
            String where = schema.isHowdah() ? database : database + ", schema " + schema;
            boolean changed = isChanged(before);
            if (!json) {
                terminal.out().println(PlainText.of(where + ": " + (changed ? turned() : unchanged(before))));
                return;
            }
            Map<String, @Nullable Object> fields = new LinkedHashMap<>();
            fields.put("database", database);
            fields.put("schema", schema.name());
            fields.put("changed", changed);
            terminal.out().println(Json.line(fields));
        }

        private static Set<String> databases(Configuration configuration, CommandTarget target) {
            Set<String> names = new LinkedHashSet<>(List.of(target.database().database()));
            try {
                names.addAll(TableList.of(configuration, target.database()).databases());
            } catch (PgTaskJson.Invalid e) {
                throw CliException.failed("the list of tables is wrong: " + e.getMessage());
            } catch (SQLException e) {
                throw SqlFailure.of(e, target);
            }
            return names;
        }
    }

    @Command(
            name = "pause",
            description = {
                "Pause everything: nothing is claimed, expired, retried, deleted or sent until it is resumed.",
                "What runs comes to its end, and adding works. The mark of it is kept in each database, and goes along in a copy."
            },
            footer = {
                "",
                "One queue: howdah job pause; one schedule: howdah job schedule pause; one sweep: howdah sweep pause."
            })
    private static final class Pause extends Turn {
        @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for those who ask.")
        private @Nullable String reason;

        Pause(Terminal terminal) {
            super(terminal);
        }

        @Override
        @Nullable
        PauseMark turn(Connection connection) throws SQLException {
            return PauseMark.make(connection, reason, null);
        }

        @Override
        String turned() {
            return "paused";
        }

        @Override
        boolean isChanged(@Nullable PauseMark before) {
            return before == null;
        }

        @Override
        String unchanged(@Nullable PauseMark before) {
            return "it was " + before + " already";
        }
    }

    @Command(name = "resume", description = "Resume what howdah pause --all, howdah up --paused or a mark has paused.")
    private static final class Resume extends Turn {
        Resume(Terminal terminal) {
            super(terminal);
        }

        @Override
        @Nullable
        PauseMark turn(Connection connection) throws SQLException {
            return PauseMark.drop(connection);
        }

        @Override
        String turned() {
            return "resumed";
        }

        @Override
        boolean isChanged(@Nullable PauseMark before) {
            return before != null;
        }

        @Override
        String unchanged(@Nullable PauseMark before) {
            return "it was not paused";
        }
    }
}
