package dev.howdah.daemon;

import dev.howdah.daemon.cli.CommandExamples;
import dev.howdah.daemon.cli.CommandGroup;
import dev.howdah.daemon.cli.CompletionCommand;
import dev.howdah.daemon.cli.ConfigurationOptions;
import dev.howdah.daemon.cli.GlobalOptions;
import dev.howdah.daemon.cli.JsonReplies;
import dev.howdah.daemon.cli.WholeWordsHelp;
import dev.howdah.daemon.cli.console.ConsoleCommand;
import dev.howdah.daemon.cli.console.McpCommand;
import dev.howdah.daemon.cli.console.TokenCommands;
import dev.howdah.daemon.cli.job.JobCommands;
import dev.howdah.daemon.cli.migrate.ImportCommands;
import dev.howdah.daemon.cli.operation.ListCommands;
import dev.howdah.daemon.cli.pause.PauseCommands;
import dev.howdah.daemon.cli.process.ProcessCommands;
import dev.howdah.daemon.cli.reach.ReachCommands;
import dev.howdah.daemon.cli.sql.SqlCommand;
import dev.howdah.daemon.cli.sweep.SweepCommand;
import dev.howdah.daemon.cli.task.TaskCommands;
import dev.howdah.daemon.cli.top.TopCommand;
import dev.howdah.daemon.cli.why.DoctorCommand;
import dev.howdah.daemon.cli.why.WhyCommands;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.DidYouMean;
import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.console.Version;
import dev.howdah.daemon.console.WatchedOutput;
import dev.howdah.daemon.log.LogFormat;
import dev.howdah.daemon.serve.Up;
import dev.howdah.internal.error.PlainText;
import dev.howdah.operations.change.SessionOperations;
import dev.howdah.operations.listed.ChartLists;
import dev.howdah.operations.listed.DatabaseLists;
import dev.howdah.operations.listed.NodeLists;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line. */
@Command(
        name = "howdah",
        description = "Run asynchronous work for PostgreSQL: tasks, jobs, processes and sweeps.",
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "howdah help COMMAND, or howdah COMMAND --help, says what a command does, with examples.",
            "",
            "Settings (--pg-port and so on) may also come from the environment (HOWDAH_PG_PORT) and from a file"
                    + " (pg-port=5433 in howdah.properties in the data directory). A flag overrides the environment, the"
                    + " environment overrides the file.",
            "",
            "Exit codes: 0 success, 1 failure, 2 wrong usage or configuration, 3 a lack of memory or a defect."
        })
public final class Main implements Runnable {
    /** pgjdbc and the JDK log here; what matters of it reaches the user as an exception. */
    private static final Logger JDK_LOG = Logger.getLogger("");

    private static final int HELP_WIDTH = 100;

    private static final String COMPLETION = "completion";

    private static final String JSON = "--json";

    /** What no command is called. */
    private static final String NONE = "";

    /** In the order of the help: makes a command for a terminal, and the word behind its name. */
    private static final Map<String, BiFunction<Terminal, @Nullable String, CommandLine>> COMMANDS =
            new LinkedHashMap<>();

    static {
        COMMANDS.put("up", (terminal, word) -> Up.commandLine(terminal));
        COMMANDS.put("sql", (terminal, word) -> SqlCommand.commandLine(terminal));
        COMMANDS.put("task", TaskCommands::commandLine);
        COMMANDS.put("job", JobCommands::commandLine);
        COMMANDS.put("sweep", (terminal, word) -> SweepCommand.commandLine(terminal));
        COMMANDS.put("process", ProcessCommands::commandLine);
        COMMANDS.put("why", (terminal, word) -> WhyCommands.commandLine(terminal));
        COMMANDS.put("doctor", (terminal, word) -> DoctorCommand.commandLine(terminal));
        COMMANDS.put("pause", (terminal, word) -> PauseCommands.pause(terminal));
        COMMANDS.put("resume", (terminal, word) -> PauseCommands.resume(terminal));
        COMMANDS.put("session", (terminal, word) -> sessions(terminal));
        COMMANDS.put("reach", (terminal, word) -> ReachCommands.commandLine(terminal));
        COMMANDS.put("import", (terminal, word) -> ImportCommands.commandLine(terminal));
        COMMANDS.put("console", (terminal, word) -> ConsoleCommand.commandLine(terminal));
        COMMANDS.put("token", (terminal, word) -> TokenCommands.commandLine(terminal));
        COMMANDS.put("mcp", (terminal, word) -> McpCommand.commandLine(terminal));
        COMMANDS.put("audit", (terminal, word) -> audit(terminal));
        COMMANDS.put("node", (terminal, word) -> nodes(terminal));
        COMMANDS.put("top", (terminal, word) -> TopCommand.commandLine(terminal));
        COMMANDS.put(COMPLETION, (terminal, word) -> CompletionCommand.commandLine(terminal));
    }

    /** Two dashes and no name of an option after them, or words with blanks between. */
    private static final Pattern COMMENTED_SQL = Pattern.compile("--([^\\w-]|[\\w-]+\\s)");

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run
    private CommandSpec spec;

    private Main() {}

    private static CommandLine sessions(Terminal terminal) {
        CommandLine line = ListCommands.group(
                terminal,
                "session",
                "List database sessions with an open transaction; cancel their statements, or end them.",
                SessionOperations.ALL,
                DatabaseLists.SESSIONS);
        ConfigurationOptions.addInstallation(line);
        return line;
    }

    private static CommandLine nodes(Terminal terminal) {
        CommandLine line = ListCommands.group(
                terminal, "node", "List nodes.", List.of(), NodeLists.NODES, NodeLists.ENDED, ChartLists.DEPLOYMENTS);
        ConfigurationOptions.addInstallation(line);
        return line;
    }

    private static CommandLine audit(Terminal terminal) {
        CommandLine line = new CommandLine(
                ListCommands.command(DatabaseLists.AUDIT, terminal).name("audit"));
        ConfigurationOptions.add(
                line.getCommandSpec(), Setting.DATA, Setting.URL, Setting.CONFIG, Setting.INSTALLATION);
        return line;
    }

    public static void main(String[] arguments) {
        Terminal terminal = Terminal.ofProcess();
        FatalErrors.endProgram(terminal.err());
        System.exit(run(arguments, terminal));
    }

    /** Runs one command and returns its exit code. */
    static int run(String[] given, Terminal terminal) {
        String[] arguments = asOptions(given);
        boolean verbose = Arrays.asList(arguments).contains("--verbose")
                || Arrays.asList(arguments).contains("-v");
        // Before anything makes a logger, which would read the level once for all.
        if (verbose) System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "debug");
        LogFormat.choose(arguments, terminal.environment());
        JDK_LOG.setLevel(Level.OFF);
        try {
            CommandLine line = commandLine(terminal, verbose, only(arguments), word(arguments));
            if (asksForHelp(arguments) && terminal.outIsScreen()) line.setUsageHelpAutoWidth(true);
            return written(line.execute(commentsNoOptions(arguments)), terminal);
        } finally {
            terminal.out().flush();
            terminal.err().flush();
        }
    }

    /** The words that many programs have for their options: {@code help [COMMAND]} and {@code version}. */
    private static String[] asOptions(String[] arguments) {
        if (arguments.length > 0 && arguments[0].equals("help"))
            return Stream.concat(Arrays.stream(arguments).skip(1), Stream.of("--help"))
                    .toArray(String[]::new);
        return Arrays.equals(arguments, new String[] {"version"}) ? new String[] {"--version"} : arguments;
    }

    private static boolean asksForHelp(String[] arguments) {
        return arguments.length == 0
                || Arrays.stream(arguments).anyMatch(each -> each.equals("--help") || each.equals("-h"));
    }

    /** A result that could not be written, as on a full disk, is no success. */
    private static int written(int exitCode, Terminal terminal) {
        String failure = terminal.out() instanceof WatchedOutput out ? out.failure() : null;
        if (failure == null) return exitCode;
        terminal.err()
                .println("howdah: the output could not be written: " + failure
                        + ". What the command has changed in the database stays.");
        return exitCode == 0 ? CliException.FAILED : exitCode;
    }

    /** SQL may begin with a comment, which is no option: a blank in front says so. */
    private static String[] commentsNoOptions(String[] arguments) {
        return Arrays.stream(arguments)
                .map(each -> COMMENTED_SQL.matcher(each).lookingAt() ? " " + each : each)
                .toArray(String[]::new);
    }

    /** The whole command line, whose commands print to that terminal. */
    static CommandLine commandLine(Terminal process, boolean verbose) {
        return commandLine(process, verbose, null, null);
    }

    /** The command that the first argument names; null: all may be asked for, by a help, a completion, or what is no name. */
    private static @Nullable String only(String[] arguments) {
        if (arguments.length == 0 || arguments[0].equals(COMPLETION)) return null;
        return COMMANDS.containsKey(arguments[0]) || isAlone("--version", arguments) ? arguments[0] : null;
    }

    private static boolean isAlone(String option, String[] arguments) {
        return arguments.length == 1 && arguments[0].equals(option);
    }

    /** The help of the program names the commands, and none of those below them. */
    private static @Nullable String word(String[] arguments) {
        if (isAlone("--help", arguments)) return NONE;
        return arguments.length > 1 ? arguments[1] : null;
    }

    /** A word that is no command of a group may be meant for one, so the group has to know them all. */
    private static CommandLine made(
            BiFunction<Terminal, @Nullable String, CommandLine> command, Terminal terminal, @Nullable String word) {
        CommandLine line = command.apply(terminal, word);
        boolean isUnknown = line.getCommand() instanceof CommandGroup
                && line.getSubcommands().isEmpty()
                && !NONE.equals(word);
        return isUnknown ? command.apply(terminal, null) : line;
    }

    /**
     * Makes what is needed: to make all commands takes half of the time of a short one.
     *
     * @param only the one command that is needed; null: all
     * @param word behind its name; null: none, and a group is made with all commands
     */
    private static CommandLine commandLine(
            Terminal process, boolean verbose, @Nullable String only, @Nullable String word) {
        JsonReplies replies = new JsonReplies(process);
        Terminal terminal = replies.terminal();
        CommandLine line = new CommandLine(new Main());
        COMMANDS.forEach((name, command) -> {
            if (only == null || only.equals(name)) line.addSubcommand(made(command, terminal, word));
        });
        addCommon(line);
        replies.addTo(line);
        CommandExamples.addTo(line);
        line.setExecutionStrategy(parsed -> {
            try {
                return replies.execute(parsed);
            } finally {
                terminal.out().flush();
            }
        });
        line.getCommandSpec()
                .addOption(OptionSpec.builder("-V", "--version")
                        .versionHelp(true)
                        .description("Print the version and end.")
                        .build());
        line.setOut(writer(process.out()));
        line.setErr(writer(terminal.err()));
        line.setUsageHelpWidth(HELP_WIDTH);
        line.setHelpFactory(WholeWordsHelp::new);
        line.setAbbreviatedOptionsAllowed(false);
        line.setOverwrittenOptionsAllowed(false);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        // What begins with @ is a value like any other, and no file of arguments.
        line.setExpandAtFiles(false);
        line.setParameterExceptionHandler(wrongUsage(process));
        line.setExecutionExceptionHandler((e, command, result) -> {
            CliException failure = e instanceof CliException f
                    ? f
                    : CliException.failed(e instanceof IOException io ? reason(io) : "unexpected: " + e, e);
            failure = RefusedValue.of(failure, result);
            String message = PlainText.of(String.valueOf(failure.getMessage()));
            if (wantsJson(result)) process.out().println(Json.line(Map.of("error", error(failure))));
            terminal.err().println("howdah: " + message);
            if (verbose) failure.printStackTrace(terminal.err());
            return failure.exitCode();
        });
        return line;
    }

    /** What is wrong with a file, in words; errors of the file system have a reason only where the system has no word of its own. */
    private static String reason(IOException e) {
        if (!(e instanceof FileSystemException failed)) return String.valueOf(e);
        String reason = e instanceof AccessDeniedException
                ? "permission denied"
                : e instanceof NoSuchFileException ? "there is no such file" : failed.getReason();
        return failed.getFile() + ": " + (reason == null ? e.getClass().getSimpleName() : reason);
    }

    /** Tells whether the command prints JSON; {@code up} does so only once it is ready. */
    private static boolean wantsJson(@Nullable ParseResult result) {
        ParseResult command = result;
        while (command != null && command.hasSubcommand()) command = command.subcommand();
        return command != null
                && command.hasMatchedOption(JSON)
                && !command.commandSpec().name().equals("up");
    }

    /** The same of arguments that could not be understood: all that stand before {@code --} count, also after no command or an unknown one. */
    private static boolean wantsJson(CommandSpec command, String[] arguments) {
        return (command.optionsMap().containsKey(JSON) || !command.subcommands().isEmpty())
                && !command.name().equals("up")
                && Arrays.stream(arguments)
                        .takeWhile(each -> !each.equals("--"))
                        .anyMatch(JSON::equals);
    }

    private static Map<String, Object> error(CliException failure) {
        Map<String, Object> error = new LinkedHashMap<>();
        if (failure.getCause() instanceof SQLException e && e.getSQLState() != null) error.put("code", e.getSQLState());
        error.put("message", String.valueOf(failure.getMessage()));
        return error;
    }

    private static void addCommon(CommandLine line) {
        line.addMixin("common", new GlobalOptions());
        line.getSubcommands().values().forEach(Main::addCommon);
    }

    private static PrintWriter writer(PrintStream stream) {
        return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), true);
    }

    private static IParameterExceptionHandler wrongUsage(Terminal terminal) {
        return (e, arguments) -> {
            CommandSpec command = e.getCommandLine().getCommandSpec();
            String explanation = PlainText.of(explain(e, arguments));
            if (wantsJson(command, arguments))
                terminal.out().println(Json.line(Map.of("error", Map.of("message", explanation))));
            terminal.err().println("howdah: " + explanation + " (see " + command.qualifiedName() + " --help)");
            return CliException.USAGE;
        };
    }

    private static String explain(ParameterException e, String[] arguments) {
        CommandSpec command = e.getCommandLine().getCommandSpec();
        if (e instanceof UnmatchedArgumentException unmatched
                && !unmatched.getUnmatched().isEmpty()) {
            // A group of commands has no such option, and what is wrong is another word.
            boolean isGroup =
                    !command.subcommands().isEmpty() && !command.optionsMap().containsKey(JSON);
            String word = unmatched.getUnmatched().stream()
                    .filter(each -> !isGroup || !each.equals(JSON))
                    .findFirst()
                    .orElse(JSON)
                    .split("=", 2)[0];
            if (isGroup && word.equals(JSON))
                return Arrays.stream(arguments).anyMatch(command.subcommands()::containsKey)
                        ? "--json stands after the command"
                        : missingCommand(command);
            if (word.startsWith("-"))
                return "unknown option " + word
                        + DidYouMean.hint(word, command.optionsMap().keySet());
            if (!command.subcommands().isEmpty()) return CommandGroup.unknownCommand(word, command);
            return tooMany(word, command);
        }
        if (e instanceof MissingParameterException missing
                && !missing.getMissing().isEmpty()) {
            ArgSpec argument = missing.getMissing().get(0);
            return "missing " + (argument.isOption() ? name(argument) + "=" : "") + argument.paramLabel();
        }
        if (e.getArgSpec() != null && e.getArgSpec().type() == boolean.class && e.getValue() != null)
            return name(e.getArgSpec()) + " takes no value, such as \"" + e.getValue() + "\"";
        if (e.getArgSpec() != null && e.getValue() != null)
            return name(e.getArgSpec()) + " has to be " + wanted(e.getArgSpec().type()) + ", not \"" + e.getValue()
                    + "\"";
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("wrong usage");
    }

    /** An argument for which there is no place, or that is none of those of which there may be many. */
    private static String tooMany(String word, CommandSpec command) {
        for (ArgSpec each : command.positionalParameters())
            if (each.arity().isVariable()) return name(each) + " has to be a number, not \"" + word + "\"";
        boolean sql = command.positionalParameters().stream()
                .anyMatch(each -> each.paramLabel().equals("SQL"));
        return "\"" + word + "\" is one argument too many" + (sql ? "; SQL with blanks needs quotes around it" : "");
    }

    private static String name(ArgSpec argument) {
        return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    }

    private static String wanted(Class<?> type) {
        return type.isEnum()
                ? Arrays.stream(type.getEnumConstants())
                        .map(String::valueOf)
                        .collect(Collectors.joining(", ", "one of ", ""))
                : "a number";
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), missingCommand(spec));
    }

    private static String missingCommand(CommandSpec command) {
        return "a command is missing: "
                + String.join(", ", command.subcommands().keySet());
    }
}
