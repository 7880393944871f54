package dev.howdah.reach.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.reach.internal.call.JsonKeys;
import dev.howdah.reach.internal.call.ReachFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** The programs that tasks may run, by name. Immutable. */
public final class Programs {
    private static final Set<String> KEYS = Set.of("command", "argument", "user", "group", "directory", "environment");

    /**
     * One of them.
     *
     * @param argument what each argument of a task has to be as a whole; null if it takes none
     * @param user whose rights it has; {@code same} for those of the daemon
     * @param group of the system
     * @param directory null for the one for temporary files
     */
    record Program(
            List<String> command,
            @Nullable Pattern argument,
            String user,
            String group,
            @Nullable Path directory,
            Map<String, String> environment) {}

    private final Map<String, Program> all;

    private Programs(Map<String, Program> all) {
        this.all = Map.copyOf(all);
    }

    /**
     * Reads what stands under {@code programs}.
     *
     * @throws IllegalArgumentException naming the program and what is wrong with it
     */
    public static Programs of(@Nullable JsonNode node) {
        Map<String, Program> all = new TreeMap<>();
        if (node == null) return new Programs(all);
        Iterator<Map.Entry<String, JsonNode>> each = node.fields();
        while (each.hasNext()) {
            Map.Entry<String, JsonNode> one = each.next();
            try {
                all.put(one.getKey(), program(one.getValue()));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("the program \"" + one.getKey() + "\": " + e.getMessage(), e);
            }
        }
        return new Programs(all);
    }

    private static Program program(JsonNode node) {
        JsonKeys.only(node, KEYS);
        List<String> command = JsonKeys.texts(node, "command");
        if (command.isEmpty() || !command.get(0).startsWith("/"))
            throw new IllegalArgumentException(
                    "\"command\" has to begin with the whole path of a program: [\"/usr/bin/true\"]");
        String user = JsonKeys.text(node, "user");
        boolean root = "root".equals(System.getProperty("user.name"));
        if (user == null || !user.matches("[a-z_][a-z0-9_-]{0,31}"))
            throw new IllegalArgumentException(
                    "\"user\" has to be a user of the system, or \"same\" for the one of this program");
        if (user.equals("same") == root)
            throw new IllegalArgumentException(
                    root
                            ? "\"user\" has to be a user of the system: this program runs as root"
                            : "\"user\" has to be \"same\": only root can run a program as another user");
        String group = JsonKeys.text(node, "group");
        if (group != null && !group.matches("[a-z_][a-z0-9_-]{0,31}"))
            throw new IllegalArgumentException("\"group\" has to be a group of the system");
        String argument = JsonKeys.text(node, "argument");
        String directory = JsonKeys.text(node, "directory");
        Map<String, String> environment = new TreeMap<>();
        JsonNode variables = node.get("environment");
        if (variables != null)
            variables
                    .fields()
                    .forEachRemaining(each ->
                            environment.put(each.getKey(), each.getValue().asText()));
        try {
            return new Program(
                    List.copyOf(command),
                    argument == null ? null : Pattern.compile(argument),
                    user,
                    group == null ? user : group,
                    directory == null ? null : Path.of(directory),
                    environment);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException("\"argument\" is no pattern: " + e.getDescription(), e);
        }
    }

    /** The program of that name. */
    Program of(String name) throws ReachFailure {
        Program found = all.get(name);
        if (found != null && Files.isExecutable(Path.of(found.command().get(0)))) return found;
        throw ReachFailure.lasting(
                found == null
                        ? "there is no program " + name
                        : "the program " + name + " cannot be run: it is not there",
                null,
                "The administrator of the program can add it under \"programs\" in the file of --reach.");
    }

    /** The command of a task. */
    static List<String> command(String name, Program program, List<String> arguments) throws ReachFailure {
        List<String> command = new ArrayList<>();
        if (!program.user().equals("same"))
            command.addAll(List.of(
                    "setpriv",
                    "--reuid=" + program.user(),
                    "--regid=" + program.group(),
                    "--clear-groups",
                    "--no-new-privs",
                    "--"));
        command.addAll(program.command());
        for (String each : arguments) {
            Pattern form = program.argument();
            if (form == null) throw ReachFailure.lasting("the program " + name + " takes no arguments");
            if (each.indexOf('\0') >= 0 || !form.matcher(each).matches())
                throw ReachFailure.lasting(
                        "an argument is not of the form that the program " + name + " takes: " + form);
            command.add(each);
        }
        return command;
    }
}
