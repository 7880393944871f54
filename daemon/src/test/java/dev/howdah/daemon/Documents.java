package dev.howdah.daemon;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The texts for people in this repository, and the examples in them. */
final class Documents {
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern BLOCK = Pattern.compile(
            "(<!-- not run: ([^>]*) -->\\n)?^```(\\w+)\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    private static final Pattern QUOTATION =
            Pattern.compile("<!-- file: ([^>]*) -->\\n^```\\w+\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    private Documents() {}

    /**
     * A fenced block.
     *
     * @param reason why it is not run; null if it is
     * @param answer the block of text right behind it; null if there is none
     */
    record Example(
            int line,
            String language,
            String text,
            @Nullable String reason,
            @Nullable String answer) {}

    /** README.md, what lies beside it, and docs. */
    static List<Path> all() {
        try (Stream<Path> beside = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(beside, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * A block that stands in a file of this repository, which has tests of its own.
     *
     * @param file from the root
     */
    record Quotation(String file, String text) {}

    static List<Quotation> quotations(String document) {
        return QUOTATION
                .matcher(document)
                .results()
                .map(block -> new Quotation(block.group(1), block.group(2)))
                .toList();
    }

    /** The blocks of SQL, shell and Java that are no quotations, in their order. */
    static List<Example> examples(String whole) {
        List<Example> examples = new ArrayList<>();
        // Lines stay where they are.
        String document = QUOTATION
                .matcher(whole)
                .replaceAll(
                        quotation -> "\n".repeat((int) quotation.group().lines().count() - 1));
        Matcher block = BLOCK.matcher(document);
        int end = -1;
        while (block.find()) {
            String language = block.group(3);
            String text = block.group(4);
            if (language.equals("text")) {
                boolean answers =
                        end >= 0 && document.substring(end, block.start()).isBlank();
                if (answers) {
                    Example asked = examples.remove(examples.size() - 1);
                    examples.add(new Example(asked.line(), asked.language(), asked.text(), asked.reason(), text));
                }
                end = -1;
            } else if (List.of("sql", "sh", "java").contains(language)) {
                int line = (int) document.substring(0, block.start()).lines().count() + 1;
                examples.add(new Example(line, language, text, block.group(2), null));
                end = block.end();
            }
        }
        return examples;
    }

    /** The anchor that a heading gets where Markdown is shown. */
    static String anchor(String heading) {
        return heading.toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .strip()
                .replace(' ', '-');
    }

    /** The lines of a document that are neither code nor rows of tables nor comments nor headings. */
    static List<String> prose(String document) {
        return withoutCode(document)
                .lines()
                .filter(line -> !line.matches("\\s*[|<#].*"))
                .toList();
    }

    private static String withoutCode(String document) {
        return document.replaceAll("(?ms)^```.*?^```$", "");
    }

    /** The anchors of all headings of a document. */
    static List<String> anchors(String document) {
        return Pattern.compile("^#+ (.*)$", Pattern.MULTILINE)
                .matcher(withoutCode(document))
                .results()
                .map(heading -> anchor(heading.group(1)))
                .toList();
    }
}
