package dev.howdah.daemon.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Writes the script that teaches fish all commands and options, as {@code complete} of fish takes them. */
final class FishCompletion {
    /** True where the words before the cursor, options aside, are exactly these commands, or begin with them. */
    private static final String CONDITIONS = """
            function __howdah_words
                set -l words (commandline -opc)
                for word in $words[2..-1]
                    string match -q -- '-*' $word; or echo $word
                end
            end
            function __howdah_at
                test "$(__howdah_words | string join ' ')" = "$argv"
            end
            function __howdah_below
                set -l words (__howdah_words)
                test (count $words) -ge (count $argv); and test "$words[1..$(count $argv)]" = "$argv"
            end
                        """;

    private final String name;
    private final StringBuilder script = new StringBuilder();

    private FishCompletion(String name) {
        this.name = name;
    }

    static String of(String name, CommandLine root) {
        FishCompletion completion = new FishCompletion(name);
        completion.script.append(CONDITIONS).append("complete -c ").append(name).append(" -f\n");
        completion.add(List.of(), root);
        return completion.script.toString();
    }

    private void add(List<String> path, CommandLine command) {
        String at = path.isEmpty() ? "__howdah_at" : "__howdah_at " + String.join(" ", path);
        String below = path.isEmpty() ? "" : " -n '__howdah_below " + String.join(" ", path) + "'";
        for (OptionSpec option : command.getCommandSpec().options())
            if (!option.hidden()) line(below + options(option), option.description());
        for (Map.Entry<String, CommandLine> each : command.getSubcommands().entrySet()) {
            if (each.getValue().getCommandSpec().usageMessage().hidden()) continue;
            line(
                    " -n '" + at + "' -a " + each.getKey(),
                    each.getValue().getCommandSpec().usageMessage().description());
            List<String> deeper = new ArrayList<>(path);
            deeper.add(each.getKey());
            add(deeper, each.getValue());
        }
    }

    /** The names of an option, and the values that it can have; one that can have any may be the name of a file. */
    private static String options(OptionSpec option) {
        StringBuilder names = new StringBuilder();
        for (String each : option.names())
            names.append(each.startsWith("--") ? " -l " : " -s ").append(each.replaceFirst("^--?", ""));
        if (option.arity().max() == 0) return names.toString();
        Iterable<String> values = option.completionCandidates();
        return names + (values == null ? " -r -F" : " -x -a '" + String.join(" ", values) + "'");
    }

    private void line(String what, String[] description) {
        script.append("complete -c ").append(name).append(what);
        String said = description.length == 0
                ? ""
                : description[0].lines().findFirst().orElse("");
        if (!said.isEmpty())
            script.append(" -d '")
                    .append(said.replace("%n", " ").replace("\\", "\\\\").replace("'", "\\'"))
                    .append('\'');
        script.append('\n');
    }
}
