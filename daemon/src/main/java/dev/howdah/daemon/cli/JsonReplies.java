package dev.howdah.daemon.cli;

import dev.howdah.daemon.console.Json;
import dev.howdah.daemon.console.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;

/**
 * The option {@code --json} of commands that say a sentence, or print an id: {@code {"message":"..."}} and {@code {"id":7}}. Commands that
 * print more have the option themselves.
 */
public final class JsonReplies {
    /** They print a text for another program, or have a screen. */
    private static final Set<String> WITHOUT = Set.of("schema", "completion", "top", "up");

    private final HeldOutput held;
    private final Terminal terminal;
    private final Set<CommandSpec> commands = new HashSet<>();

    /** @param terminal of the process */
    public JsonReplies(Terminal terminal) {
        this.held = new HeldOutput(terminal.out());
        this.terminal = new Terminal(
                new PrintStream(held, false, StandardCharsets.UTF_8),
                terminal.err(),
                terminal.in(),
                terminal.environment(),
                terminal.screen(),
                terminal.outScreen(),
                terminal.inKeyboard(),
                terminal.width());
    }

    /** The terminal for all commands. */
    public Terminal terminal() {
        return terminal;
    }

    /** Gives the option to all commands below that one that have none. */
    public void addTo(CommandLine line) {
        line.getSubcommands().values().forEach(this::addTo);
        CommandSpec command = line.getCommandSpec();
        if (!line.getSubcommands().isEmpty()
                || WITHOUT.contains(command.name())
                || command.findOption("--json") != null) return;
        command.addOption(OptionSpec.builder("--json")
                .type(boolean.class)
                .description("Print a JSON object on one line.")
                .build());
        commands.add(command);
    }

    /** Runs the command that was parsed. */
    public int execute(ParseResult parsed) {
        ParseResult last = parsed;
        while (last.hasSubcommand()) last = last.subcommand();
        if (!commands.contains(last.commandSpec()) || !last.hasMatchedOption("--json"))
            return new RunLast().execute(parsed);
        held.hold();
        String said;
        int exitCode;
        try {
            exitCode = new RunLast().execute(parsed);
        } finally {
            terminal.out().flush();
            said = held.release();
        }
        terminal.out().println(Json.line(reply(said.strip())));
        return exitCode;
    }

    private static Map<String, Object> reply(String said) {
        return said.matches("\\d{1,18}") ? Map.of("id", Long.parseLong(said)) : Map.of("message", said);
    }

    /** What is printed goes on, or is held back for a while. */
    private static final class HeldOutput extends OutputStream {
        private final PrintStream target;
        private @Nullable ByteArrayOutputStream buffer;

        HeldOutput(PrintStream target) {
            this.target = target;
        }

        void hold() {
            buffer = new ByteArrayOutputStream();
        }

        /** Returns what was held back. */
        String release() {
            ByteArrayOutputStream text = buffer;
            buffer = null;
            return text == null ? "" : text.toString(StandardCharsets.UTF_8);
        }

        @Override
        public void write(int b) {
            if (buffer == null) target.write(b);
            else buffer.write(b);
        }

        @Override
        public void write(byte[] bytes, int from, int length) {
            if (buffer == null) target.write(bytes, from, length);
            else buffer.write(bytes, from, length);
        }

        /** @throws IOException if what was printed could not be written, for the stream before this one to know */
        @Override
        public void flush() throws IOException {
            if (target.checkError()) throw new IOException("the output could not be written");
        }
    }
}
