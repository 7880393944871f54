package dev.howdah.internal.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The statements of one {@code .sql} resource, by name. Immutable and safe for use by many threads.
 *
 * @see dev.howdah.internal.sql package description for the form of a file
 */
public final class SqlFile {
    private static final Pattern HEADING = Pattern.compile("^-- name: *(\\S+) *$", Pattern.MULTILINE);
    private static final Pattern NAMED =
            Pattern.compile("/\\*(\\w+)\\*/[\\w.]+|/\\*(\\w+):\\*/.*?/\\*:\\2\\*/", Pattern.DOTALL);

    /** In the place of this each file asks whether everything of Howdah in the database is paused. */
    private static final String PAUSED = "/*paused:*/false/*:paused*/";

    private static final class Paused {
        static final String CONDITION = "(" + of(SqlFile.class, "paused.sql").text("pause_is_set") + ")";
    }

    private final String resource;
    /** As they stand in the file. */
    private final Map<String, String> statements;

    private SqlFile(String resource, Map<String, String> statements) {
        this.resource = resource;
        this.statements = statements;
    }

    /** The file {@code name} that lies beside the class {@code owner}. */
    public static SqlFile of(Class<?> owner, String name) {
        return parse(name, read(owner, name));
    }

    /** The text of the resource {@code name} that lies beside the class {@code owner}. */
    static String read(Class<?> owner, String name) {
        try (InputStream in = owner.getResourceAsStream(name)) {
            if (in == null) throw new IllegalArgumentException("no resource " + name + " beside " + owner.getName());
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return text.contains(PAUSED) ? text.replace(PAUSED, Paused.CONDITION) : text;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static SqlFile parse(String resource, String text) {
        Map<String, String> found = new LinkedHashMap<>();
        Matcher heading = HEADING.matcher(text);
        String name = null;
        int from = 0;
        while (heading.find()) {
            // It would never be run, without a sign of it.
            if (name == null && isMoreThanComments(text.substring(0, heading.start())))
                throw new IllegalArgumentException(resource + " has a statement before the first -- name:");
            if (name != null) found.put(name, text.substring(from, heading.start()));
            name = heading.group(1);
            from = heading.end();
            if (found.containsKey(name))
                throw new IllegalArgumentException(resource + " has two statements named " + name);
        }
        if (name != null) found.put(name, text.substring(from));
        return new SqlFile(resource, found);
    }

    private static boolean isMoreThanComments(String text) {
        return text.lines().anyMatch(line -> !line.isBlank() && !line.startsWith("--"));
    }

    private static String body(String text) {
        String trimmed = compact(text).strip();
        return trimmed.endsWith(";")
                ? trimmed.substring(0, trimmed.length() - 1).stripTrailing()
                : trimmed;
    }

    /** Without line comments, indentation and empty lines outside of literals: some statements are sent with each use. */
    private static String compact(String text) {
        StringBuilder out = new StringBuilder(text.length());
        SqlScanner scanner = new SqlScanner(text, SqlDialect.POSTGRES);
        while (scanner.next()) {
            String token = scanner.token();
            boolean space = scanner.kind() == SqlScanner.Kind.SPACE;
            if (scanner.kind() == SqlScanner.Kind.COMMENT && token.startsWith("--") || space && token.contains("\n")) {
                stripTrailing(out);
                out.append('\n');
            } else if (!space || !out.isEmpty() && !endsLine(out)) {
                out.append(token);
            }
        }
        return out.toString();
    }

    private static boolean endsLine(StringBuilder text) {
        return text.charAt(text.length() - 1) == '\n';
    }

    private static void stripTrailing(StringBuilder text) {
        while (!text.isEmpty() && Character.isWhitespace(text.charAt(text.length() - 1)))
            text.setLength(text.length() - 1);
    }

    /** The names of all statements, in the order of the file. */
    public Set<String> names() {
        return statements.keySet();
    }

    /**
     * This file with run-time names put in: after each comment {@code /*key*}{@code /} the name that follows, with its schema if it has one, is
     * replaced by the key's value, which has to be quoted already (see {@link Identifiers}); and what stands between {@code /*key:*}{@code /} and
     * {@code /*:key*}{@code /} is replaced by the key's value, any SQL. Keys that are not given stay as they are in the file.
     */
    public SqlFile with(Map<String, String> identifiers) {
        Map<String, String> replaced = new LinkedHashMap<>();
        statements.forEach((name, text) -> replaced.put(
                name,
                NAMED.matcher(body(text))
                        .replaceAll(m -> Matcher.quoteReplacement(
                                identifiers.getOrDefault(m.group(1) == null ? m.group(2) : m.group(1), m.group())))));
        return new SqlFile(resource, replaced);
    }

    /** The statement of that name without its comments, with {@code $1}, {@code $2}, ... */
    public String text(String name) {
        return body(raw(name));
    }

    private String raw(String name) {
        String text = statements.get(name);
        if (text == null)
            throw new IllegalArgumentException(resource + " has no statement " + name + ", only " + names());
        return text;
    }

    /** The statement of that name, ready for JDBC. */
    public Sql statement(String name) {
        String raw = raw(name);
        return Sql.of(() -> body(raw));
    }
}
