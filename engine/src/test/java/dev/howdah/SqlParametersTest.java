package dev.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.SourceTree;
import dev.howdah.internal.sql.SqlDialect;
import dev.howdah.internal.sql.SqlFile;
import dev.howdah.internal.sql.SqlScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Parameters of statements in .sql files have names, which stand in the heading or are the components of a record. */
class SqlParametersTest {
    /** More values, one after the other, are confused with each other. */
    private static final int VALUES = 6;

    private static final Pattern HEADING = Pattern.compile("(?m)^-- name: *([^\\s(]+)(?:\\(([\\w, ]+)\\))? *$");
    private static final Pattern BOUND =
            Pattern.compile("\\.statement\\(\\s*\"(\\w+)\",\\s*(?:\\w+\\.)*(\\w+)\\.class\\)");
    private static final Pattern RECORD = Pattern.compile("\\brecord (\\w+)\\(");

    /** @param order as the heading says; empty: nothing */
    private record Statement(Path file, List<String> order, Set<String> names, boolean numbered) {}

    private static Map<String, Statement> statements() throws IOException {
        Map<String, Statement> found = new HashMap<>();
        for (Path module : SourceTree.modules())
            for (Path file : SourceTree.files(module.resolve("src/main/resources"), ".sql")) {
                String text = SqlFile.whole(Files.readString(file));
                Matcher heading = HEADING.matcher(text);
                List<Integer> begins = new ArrayList<>();
                while (heading.find()) begins.add(heading.start());
                for (int i = 0; i < begins.size(); i++) {
                    int end = i + 1 < begins.size() ? begins.get(i + 1) : text.length();
                    String one = text.substring(begins.get(i), end);
                    Matcher name = HEADING.matcher(one);
                    assertThat(name.find()).isTrue();
                    found.put(name.group(1), statement(file, name.group(2), one));
                }
            }
        assertThat(found).hasSizeGreaterThan(400);
        return found;
    }

    private static Statement statement(Path file, String order, String text) {
        Set<String> names = new TreeSet<>();
        boolean numbered = false;
        boolean colon = false;
        SqlScanner scanner = new SqlScanner(text, SqlDialect.POSTGRES);
        while (scanner.next()) {
            if (colon && scanner.kind() == SqlScanner.Kind.WORD) names.add(scanner.token());
            numbered |= scanner.kind() == SqlScanner.Kind.PARAMETER;
            colon = scanner.is(':');
        }
        return new Statement(file, order == null ? List.of() : List.of(order.split(", ")), names, numbered);
    }

    /** The components of each record of all modules, as parameters are named, by its simple name. */
    private static Map<String, Set<String>> records(List<Path> sources) throws IOException {
        Map<String, Map<String, String>> all = new HashMap<>();
        for (Path each : sources) {
            String text = Files.readString(each);
            Matcher record = RECORD.matcher(text);
            while (record.find()) all.put(record.group(1), components(text.substring(record.end())));
        }
        Map<String, Set<String>> found = new HashMap<>();
        all.keySet().forEach(each -> found.put(each, parameters(all, each)));
        return found;
    }

    /** The components of a record, and those of a record in it. */
    private static Set<String> parameters(Map<String, Map<String, String>> records, String record) {
        Set<String> found = new TreeSet<>();
        Objects.requireNonNull(records.get(record)).forEach((name, type) -> {
            if (records.containsKey(type) && !type.equals(record)) found.addAll(parameters(records, type));
            else found.add(name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT));
        });
        return found;
    }

    /** The types of the components by their names. */
    private static Map<String, String> components(String text) {
        int depth = 0;
        int end = 0;
        for (; depth >= 0; end++) depth += text.charAt(end) == '(' ? 1 : text.charAt(end) == ')' ? -1 : 0;
        String list = text.substring(0, end - 1).replaceAll("<[^<>]*(<[^<>]*>)?[^<>]*>", "");
        return Arrays.stream(list.split(","))
                .map(String::strip)
                .filter(each -> each.matches("(?s).*\\s\\w+"))
                .collect(Collectors.toMap(
                        each -> each.replaceFirst("(?s).*\\s", ""),
                        each -> each.replaceFirst("(?s)\\s+\\w+$", "").replaceFirst("(?s).*\\s", ""),
                        (one, other) -> one));
    }

    @Test
    void names_areThoseOfTheHeadingOrOfTheRecord() throws IOException {
        List<Path> sources = SourceTree.modules().stream()
                .flatMap(each -> SourceTree.files(each.resolve("src/main/java"), ".java").stream())
                .toList();
        Map<String, Set<String>> records = records(sources);
        Map<String, String> bound = new HashMap<>();
        for (Path each : sources) {
            Matcher call = BOUND.matcher(Files.readString(each));
            while (call.find()) bound.put(call.group(1), call.group(2));
        }
        List<String> wrong = new ArrayList<>();
        Map<String, Statement> statements = statements();
        statements.forEach((name, statement) -> {
            String record = bound.get(name);
            if (record != null) {
                if (!statement.names().equals(records.get(record)))
                    wrong.add(name + " has " + statement.names() + ", and " + record + " " + records.get(record));
            } else if (statement.names().size() > 1 || !statement.order().isEmpty()) {
                if (!new TreeSet<>(statement.order()).equals(statement.names())
                        || statement.order().size() != statement.names().size())
                    wrong.add(name + " has " + statement.names() + ", and its heading " + statement.order());
                if (statement.order().size() > VALUES)
                    wrong.add(name + " has so many parameters that it needs a record");
            }
        });
        assertThat(bound).containsKey("step_commit");
        assertThat(statements.keySet()).containsAll(bound.keySet());
        assertThat(wrong).isEmpty();
    }

    @Test
    void numbers_areInNoStatementsButThoseOfTheList() throws IOException {
        Set<String> numbered = new TreeSet<>();
        statements().forEach((name, statement) -> {
            boolean measures = statement.file().startsWith(SourceTree.ROOT.resolve("benchmarks"));
            if (statement.numbered() && !measures) numbered.add(name);
        });
        Path list = SourceTree.ROOT.resolve("engine/src/test/resources/dev/howdah/numbered-parameters.txt");
        List<String> known = Files.readAllLines(list);
        assertThat(known).as("statements with numbered parameters").containsAll(numbered);
        if (Boolean.getBoolean("howdah.write")) Files.write(list, numbered);
        else assertThat(numbered).isEqualTo(new TreeSet<>(known));
    }
}
