package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.daemon.cli.CommandExamples;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.fixtures.SourceTree;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Commands that examples, pages, messages and alerts show to be copied are understood by the command line. None of them is run. */
class ShownCommandsTest {
    private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

    private static final String STRING = "\"((?:[^\"\\\\\n]|\\\\.)*)\"";

    /** Between two literals of one text: nothing, or an expression, whose value may be any word. */
    private static final Pattern JOINED =
            Pattern.compile("(?<!\\\\)\"\\s*\\+\\s*(?:([\\w.]+(?:\\([^()\"]*\\))?)\\s*\\+\\s*)?\"");

    private static final Pattern LITERAL = Pattern.compile("'\"'|" + STRING);

    /** The start of a command, and what stands before it, which says where it ends. */
    private static final Pattern HOWDAH = Pattern.compile("(?:(\\\\\"|`|<code>|^ {2,})|\\b)howdah (?=[a-z]+\\b|--)");

    /** Words that may go on as a command in a sentence. */
    private static final Pattern IN_A_SENTENCE = Pattern.compile("(?:(?:[a-z][a-z-]*|--[a-z-]+)(?: |(?=\\W|$)))+");

    private final CommandLine howdah = howdah();

    private static CommandLine howdah() {
        PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), false, StandardCharsets.UTF_8);
        return Main.commandLine(new Terminal(nowhere, nowhere, new ByteArrayInputStream(new byte[0]), Map.of()), false);
    }

    @Test
    void examples_areUnderstoodByTheCommandsThatTheyName() {
        for (String example : CommandExamples.lines()) {
            ParseResult parsed = howdah.parseArgs(words(example).toArray(String[]::new));
            while (parsed.hasSubcommand()) parsed = parsed.subcommand();
            assertThat(example).startsWith(parsed.commandSpec().qualifiedName());
        }
    }

    @Test
    void commands_ofPages_areUnderstoodWithAllTheirArguments() throws IOException {
        List<String> refused = new ArrayList<>();
        Set<String> shown = new TreeSet<>();
        for (Path file : SourceTree.files(SourceTree.ROOT.resolve("console/src/main/jte"), ".jte")) {
            Matcher literal = LITERAL.matcher(joined(Files.readString(file)));
            while (literal.find()) {
                String command = literal.group(1) == null ? "" : unescaped(literal.group(1));
                if (!command.startsWith("howdah ")) continue;
                shown.add(command);
                String refusal = refusal(command, false);
                if (refusal != null) refused.add(file.getFileName() + ": " + command + ": " + refusal);
            }
        }
        assertThat(refused).isEmpty();
        assertThat(shown).hasSizeGreaterThan(8);
    }

    @Test
    void commands_ofMessagesHelpsAndAlerts_areThere() throws IOException {
        List<String> refused = new ArrayList<>();
        Set<String> shown = new TreeSet<>();
        for (Path module : SourceTree.modules())
            for (String kind : List.of(".java", ".jte", ".sql", ".js"))
                for (Path file : SourceTree.files(module.resolve("src/main"), kind))
                    for (String text : texts(Files.readString(file), kind)) look(file, text, shown, refused);
        for (String packed : List.of("prometheus/howdah.rules.yml", "grafana/howdah.json"))
            for (String line :
                    Files.readAllLines(SourceTree.ROOT.resolve("packaging").resolve(packed)))
                look(Path.of(packed), line, shown, refused);
        assertThat(refused).isEmpty();
        assertThat(shown)
                .hasSizeGreaterThan(50)
                .contains("job install", "resume --all", "sweep throttle", "why job ID", "token add");
    }

    private void look(Path file, String text, Set<String> shown, List<String> refused) {
        Matcher start = HOWDAH.matcher(text);
        while (start.find()) {
            String rest = text.substring(start.end());
            String before = start.group(1);
            String command = before == null ? inASentence(rest) : delimited(rest, before);
            if (command.isEmpty()) continue;
            shown.add(command);
            String refusal =
                    refusal("howdah " + command.replaceAll("\\b(ID|N)\\b", "1").replaceAll("\\{\\{.*?}}", "x"), true);
            if (refusal != null) refused.add(file.getFileName() + ": " + command + ": " + refusal);
        }
    }

    /** Up to what ends the quotation. */
    private static String delimited(String rest, String before) {
        String end = before.equals("<code>") ? "</code>" : before.isBlank() ? "\n" : before;
        int length = rest.indexOf(end);
        return unescaped(length < 0 ? rest : rest.substring(0, length)).strip();
    }

    /** The words from which a command may be: those after its name that it does not know are the sentence's. */
    private String inASentence(String rest) {
        Matcher words = IN_A_SENTENCE.matcher(rest);
        if (!words.lookingAt()) return "";
        CommandLine command = howdah;
        List<String> taken = new ArrayList<>();
        for (String word : words.group().split(" ")) {
            CommandLine next = command.getSubcommands().get(word);
            if (next == null && !word.startsWith("--")) break;
            if (next != null) command = next;
            taken.add(word);
        }
        return String.join(" ", taken);
    }

    /** Why the command line refuses the command; null: it does not. */
    private @Nullable String refusal(String command, boolean shortened) {
        try {
            howdah.parseArgs(words(command).toArray(String[]::new));
            return null;
        } catch (MissingParameterException e) {
            return shortened ? null : e.getMessage();
        } catch (ParameterException e) {
            return e.getMessage();
        }
    }

    /** The arguments that a shell would make of it. */
    private static List<String> words(String command) {
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(command.replaceFirst(" > \\S+$", ""));
        while (matcher.find())
            for (int group = 1; group <= 3; group++) if (matcher.group(group) != null) words.add(matcher.group(group));
        assertThat(words.remove(0)).isEqualTo("howdah");
        return words;
    }

    /** What the program may print of a file: no comments. */
    private static List<String> texts(String content, String kind) {
        List<String> texts = new ArrayList<>();
        switch (kind) {
            case ".sql" ->
                content.lines().filter(line -> !line.strip().startsWith("--")).forEach(texts::add);
            case ".jte" -> content.lines().map(ShownCommandsTest::joined).forEach(texts::add);
            default -> {
                String code = content.replaceAll("(?m)^\\s*(//|/?\\*).*$", "");
                Matcher literal = LITERAL.matcher(joined(code));
                while (literal.find()) if (literal.group(1) != null) texts.add(literal.group(1));
            }
        }
        return texts;
    }

    /** An expression behind a blank is a word, one behind a word may be options. */
    private static String joined(String content) {
        return JOINED.matcher(content)
                .replaceAll(each -> each.group(1) != null && content.charAt(each.start() - 1) == ' ' ? "x" : "");
    }

    private static String unescaped(String literal) {
        return literal.replaceAll("\\\\(.)", "$1");
    }
}
