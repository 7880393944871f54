package dev.howdah.reach.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.child.ProcessGroup;
import dev.howdah.reach.internal.child.ProcessLimits;
import dev.howdah.reach.internal.child.SystemUser;
import dev.howdah.reach.internal.secret.JsonKeys;
import dev.howdah.reach.internal.secret.SecretSource;
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
    private static final Set<String> KEYS =
            Set.of("command", "argument", "user", "group", "directory", "environment", "limits");

    /**
     * One of them.
     *
     * @param argument what each argument of a task has to be as a whole; null if it takes none
     * @param user whose rights it has
     * @param limits what it may use of the machine
     * @param directory null for the one for temporary files
     */
    record Program(
            List<String> command,
            @Nullable Pattern argument,
            SystemUser user,
            ProcessLimits limits,
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
        // Another user could put another program in its place.
        Path file = Path.of(command.get(0));
        if (Files.exists(file)) SecretSource.refuseWritable(file);
        SystemUser user = SystemUser.of(node, true);
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
                    ProcessLimits.of(node.get("limits"), user),
                    directory == null ? null : Path.of(directory),
                    environment);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException("\"argument\" is no pattern: " + e.getDescription(), e);
        }
    }

    /** In words, by name. */
    public Map<String, String> texts() {
        Map<String, String> texts = new TreeMap<>();
        all.forEach((name, each) -> texts.put(
                name,
                String.join(" ", each.command()) + ", user " + each.user().user()
                        + (each.argument() == null ? "" : ", arguments " + each.argument())
                        + (each.limits().equals(ProcessLimits.NONE) ? "" : ", at most " + each.limits())));
        return texts;
    }

    /** The program of that name. */
    Program of(String name) throws ReachFailure {
        Program found = all.get(name);
        if (found != null && Files.isExecutable(Path.of(found.command().get(0)))) return found;
        throw ReachFailure.lasting(
                Code.PROGRAM,
                found == null
                        ? "there is no program " + name
                        : "the program " + name + " cannot be run: it is not there",
                null,
                "The administrator of the program can add it to the file of --reach: \"programs\": {\"" + name
                        + "\": {\"command\": [\"/PATH\"], \"user\": \"USER\"}}");
    }

    /** The command of a task. */
    static List<String> command(String name, Program program, List<String> arguments) throws ReachFailure {
        List<String> command = new ArrayList<>(ProcessGroup.prefix());
        command.addAll(program.user().boundPrefix());
        command.addAll(program.limits().prefix());
        command.addAll(program.command());
        for (String each : arguments) {
            Pattern form = program.argument();
            if (form == null) throw ReachFailure.lasting(Code.ADDRESS, "the program " + name + " takes no arguments");
            if (each.indexOf('\0') >= 0 || !form.matcher(each).matches())
                throw ReachFailure.lasting(
                        Code.ADDRESS, "an argument is not of the form that the program " + name + " takes: " + form);
            command.add(each);
        }
        return command;
    }
}
