package dev.howdah.daemon.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The examples of {@code examples.txt}: each line is one of the command that it names, and stands in its help. */
public final class CommandExamples {
    private CommandExamples() {}

    /** All lines. */
    public static List<String> lines() {
        try (InputStream file = CommandExamples.class.getResourceAsStream("examples.txt")) {
            return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds them to the helps of all commands below that one that have no examples yet. */
    public static void addTo(CommandLine root) {
        add(root, lines());
    }

    private static void add(CommandLine line, List<String> examples) {
        line.getSubcommands().values().forEach(each -> add(each, examples));
        if (!line.getSubcommands().isEmpty() && line.getCommandSpec().parent() == null) return;
        CommandSpec command = line.getCommandSpec();
        UsageMessageSpec usage = command.usageMessage();
        if (Arrays.stream(usage.footer()).anyMatch(each -> each.startsWith("Example"))) return;
        String name = command.qualifiedName();
        List<String> mine = examples.stream()
                .filter(each -> each.equals(name) || each.startsWith(name + " "))
                .filter(each -> line.getSubcommands().keySet().stream()
                        .noneMatch(sub -> each.startsWith(name + " " + sub + " ") || each.equals(name + " " + sub)))
                .toList();
        if (mine.isEmpty()) return;
        List<String> footer = new ArrayList<>(List.of(usage.footer()));
        footer.add("");
        footer.add(mine.size() == 1 ? "Example:" : "Examples:");
        for (String each : mine) footer.add("  " + each.replace("%", "%%"));
        usage.footer(footer.toArray(String[]::new));
    }
}
