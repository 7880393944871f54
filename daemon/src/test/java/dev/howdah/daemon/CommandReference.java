package dev.howdah.daemon;

import dev.howdah.daemon.console.Terminal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The part of the reference of commands that is made of their declarations: how each is called, and what its options mean. */
final class CommandReference {
    static final Path FOLDER = Documents.ROOT.resolve("docs/reference/commands");

    /** Said of all commands on the page about them. */
    static final Set<String> COMMON = Set.of("--help", "--verbose", "--json", "--csv", "--columns", "--version");

    /** The page of a command, where it is not that of its first word. */
    private static final Map<String, String> PAGES = new TreeMap<>(Map.ofEntries(
            Map.entry("token", "console"),
            Map.entry("mcp", "console"),
            Map.entry("audit", "console"),
            Map.entry("top", "console"),
            Map.entry("why", "look"),
            Map.entry("doctor", "look"),
            Map.entry("session", "look"),
            Map.entry("node", "look"),
            Map.entry("pause", "look"),
            Map.entry("resume", "look"),
            Map.entry("completion", "look")));

    private static final Pattern PLACES = Pattern.compile("@\\|\\w+ (.*?)\\|@");

    /** Of lines of prose. */
    private static final int WIDTH = 120;

    private final CommandSpec command;

    private CommandReference(CommandLine line) {
        command = line.getCommandSpec();
    }

    /** Each command that does something, by its name, such as {@code task add}; hidden ones aside. */
    static Map<String, CommandReference> all() {
        PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), false, StandardCharsets.UTF_8);
        Map<String, CommandReference> all = new TreeMap<>();
        collect(
                Main.commandLine(
                        new Terminal(nowhere, nowhere, new ByteArrayInputStream(new byte[0]), Map.of()), false),
                all);
        return all;
    }

    private static void collect(CommandLine line, Map<String, CommandReference> all) {
        CommandReference found = new CommandReference(line);
        boolean does = line.getSubcommands().isEmpty() || !found.own().isEmpty();
        if (does
                && line.getParent() != null
                && !line.getCommandSpec().usageMessage().hidden()) all.put(found.name(), found);
        for (CommandLine each : Set.copyOf(line.getSubcommands().values())) collect(each, all);
    }

    String name() {
        return command.qualifiedName().replaceFirst("^howdah ?", "");
    }

    Path page() {
        String first = name().replaceFirst(" .*", "");
        return FOLDER.resolve(PAGES.getOrDefault(first, first) + ".md");
    }

    /** Its options but those of all commands. */
    private List<OptionSpec> own() {
        return command.options().stream()
                .filter(each -> !each.hidden() && !COMMON.contains(each.longestName()))
                .toList();
    }

    Set<String> flags() {
        return own().stream().map(OptionSpec::longestName).collect(Collectors.toCollection(TreeSet::new));
    }

    String summary() {
        return plain(command.usageMessage().description()).replaceFirst("(?s)\\.( |$).*", ".");
    }

    /** What stands between the two marks below its heading. */
    String text() {
        List<String> lines = new ArrayList<>();
        String arguments = command.positionalParameters().stream()
                .filter(each -> !each.hidden())
                .map(each -> " " + label(each))
                .collect(Collectors.joining());
        lines.add("`howdah " + name() + (own().isEmpty() ? "" : " [OPTION]...") + arguments + "`");
        lines.add("");
        lines.add(wrapped(escaped(plain(command.usageMessage().description()))));
        List<ArgSpec> all = Stream.concat(
                        command.positionalParameters().stream().filter(each -> !each.hidden()), own().stream())
                .toList();
        if (!all.isEmpty()) {
            lines.add("");
            lines.add("| argument, option | meaning |");
            lines.add("| --- | --- |");
        }
        for (ArgSpec each : all) {
            String name = each instanceof OptionSpec option
                    ? String.join("`, `", option.names()) + value(option)
                    : label(each);
            lines.add("| `" + name.replace("|", "\\|") + "` | " + cell(plain(each.description())) + " |");
        }
        List<String> examples = Arrays.stream(command.usageMessage().footer())
                .filter(each -> each.startsWith("  "))
                .map(each -> each.strip().replace("%%", "%"))
                .toList();
        if (!examples.isEmpty()) {
            lines.add("");
            lines.add("```console");
            lines.addAll(examples);
            lines.add("```");
        }
        return String.join("\n", lines) + "\n";
    }

    private static String label(ArgSpec argument) {
        String label = argument.paramLabel();
        String many = argument.arity().max() > 1 ? "..." : "";
        return argument.required() || label.startsWith("[") ? label + many : "[" + label + many + "]";
    }

    private static String value(OptionSpec option) {
        if (option.arity().max() == 0) return "";
        String many = option.splitRegex().isEmpty() ? "" : "[," + option.paramLabel() + "...]";
        return "=" + option.paramLabel() + many;
    }

    private String plain(String[] description) {
        Ansi none = Ansi.OFF;
        String all = Arrays.stream(description)
                .map(each -> PLACES.matcher(each).replaceAll(found -> Matcher.quoteReplacement(found.group(1))))
                .map(each -> each.replace("%n", " "))
                .map(each -> none.new Text(each.replace("%%", "%")).plainString())
                .collect(Collectors.joining(" "));
        return all.replaceAll("\\s+", " ").strip();
    }

    /** Text in which angle brackets and the like are themselves. */
    private static String escaped(String text) {
        return text.replace("<", "\\<").replace("*", "\\*").replace("_", "\\_");
    }

    private static String wrapped(String text) {
        StringBuilder lines = new StringBuilder();
        int column = 0;
        for (String word : text.split(" ", -1)) {
            if (column > 0 && column + 1 + word.length() > WIDTH) {
                lines.append('\n');
                column = 0;
            } else if (column > 0) {
                lines.append(' ');
                column++;
            }
            lines.append(word);
            column += word.length();
        }
        return lines.toString();
    }

    private static String cell(String text) {
        return escaped(text).replace("|", "\\|");
    }
}
