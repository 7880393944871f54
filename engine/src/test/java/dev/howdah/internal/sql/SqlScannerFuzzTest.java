package dev.howdah.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.fixtures.TestServer;
import dev.howdah.internal.wire.ServerMessage;
import dev.howdah.internal.wire.WireConnection;
import dev.howdah.internal.wire.WireException;
import dev.howdah.internal.wire.WireListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random texts fall into the tokens and statements that the server finds in them. A text that the server takes has as many
 * statements as it gave results; of one that it does not take the server
 * names the token at which it stopped, or says that the text ends within one.
 */
class SqlScannerFuzzTest {
    private static final Pattern STOPPED = Pattern.compile("(?s)(syntax error|unterminated .+?) at or near \"(.*)\"");

    /** What may begin, hold or end a token. */
    private static final String[] NASTY = {
        "'",
        "'",
        "''",
        "\"",
        "\"\"",
        "\\",
        "\\'",
        "\\\\",
        "$",
        "$$",
        "$a$",
        "$a",
        "$1",
        "$1$",
        "--",
        "--",
        "/*",
        "*/",
        "/",
        "*",
        "\n",
        "\r",
        " ",
        " ",
        "\t",
        ";",
        "(",
        ")",
        "[",
        "]",
        ",",
        ".",
        "..",
        ":",
        "::",
        ":=",
        "?",
        "?|",
        "?&",
        "@-",
        "+-",
        "=-",
        "<>",
        "=>",
        "->>",
        "#",
        "`",
        "E'",
        "e'",
        "N'",
        "B'",
        "x'",
        "U&'",
        "u&\"",
        "U&",
        "E",
        "aE'",
        "E1'",
        "a$b$",
        "a",
        "_",
        "\u00fc",
        "\u2003",
        "\u0131",
        "\ud83d\ude00",
        "1",
        "1.",
        ".5",
        "1e",
        "1e5",
        "1E'",
        "1..2",
        "0x1F",
        "1_000",
        "SELECT",
        "AS x",
        "END",
        "BEGIN ATOMIC",
        "CASE",
        "%",
        "!",
        "^",
        "&",
        "|",
        "~",
        "{",
        "}"
    };

    private static final String[] INSIDE = {
        "a", ";", "\n", "--", "/*", "*/", "\\\\", "$", "$$", "$1", "?", "'", "\"", "\u00fc", " ", "()", "\\n", "\\'"
    };

    private static final String[] BETWEEN = {
        " ", "\n", "/**/", "/* /* ; ' */ \" */", "-- ' ; /*\n", "\t-- \"\r", " /* -- */ "
    };

    private final long seed = Long.getLong("howdah.fuzz.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);

    /** What the server said of a text. */
    private static final class Answer implements WireListener {
        private int statements;
        private @Nullable ServerMessage error;

        @Override
        public void complete(String tag) {
            statements++;
        }

        @Override
        public void error(ServerMessage message) {
            error = message;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void text_random_hasTheTokensAndStatementsOfTheServer(boolean plainBackslashes) throws WireException {
        compare(plainBackslashes, 4_000);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void manyTexts_random_haveTheTokensAndStatementsOfTheServer(boolean plainBackslashes) throws WireException {
        compare(plainBackslashes, 60_000);
    }

    private void compare(boolean plainBackslashes, int texts) throws WireException {
        SqlDialect dialect = SqlDialect.postgres(plainBackslashes);
        Map<String, String> startup =
                Map.of("standard_conforming_strings", plainBackslashes ? "on" : "off", "client_min_messages", "error");
        int taken = 0;
        int stopped = 0;
        int unfinished = 0;
        try (WireConnection server =
                WireConnection.open(Database.of(TestServer.shared().uri()), startup, Duration.ofSeconds(10))) {
            for (int i = 0; i < texts; i++) {
                String text = i % 2 == 0 ? mess() : statements();
                Answer answer = new Answer();
                server.query(text, answer);
                ServerMessage error = answer.error;
                if (error == null) {
                    taken++;
                    assertThat(SqlStatement.in(text, dialect))
                            .as("seed %d: %s", seed, text)
                            .hasSize(answer.statements);
                    assertThat(last(text, dialect))
                            .as("seed %d, ends: %s", seed, text)
                            .isFalse();
                } else {
                    Matcher at = STOPPED.matcher(error.message());
                    if (!at.matches()) continue;
                    if (at.group(1).startsWith("unterminated")) unfinished++;
                    stopped++;
                    int begin = text.offsetByCodePoints(0, error.position() - 1);
                    assertThat(token(text, begin, dialect, at.group(2)))
                            .as("seed %d: %s", seed, text)
                            .isEqualTo(at.group(2));
                    if (at.group(1).startsWith("unterminated"))
                        assertThat(last(text, dialect))
                                .as("seed %d, ends not: %s", seed, text)
                                .isTrue();
                }
                if (server.transactionStatus() != 'I') server.query("ROLLBACK", new Answer());
            }
        }
        assertThat(taken).as("texts that the server took").isGreaterThan(texts / 20);
        assertThat(stopped).as("texts with a token that it did not").isGreaterThan(texts / 4);
        assertThat(unfinished).as("texts that end in a token").isGreaterThan(texts / 20);
    }

    /** Whether the last token of a text is unfinished. */
    private static boolean last(String text, SqlDialect dialect) {
        SqlScanner scanner = new SqlScanner(text, dialect);
        while (scanner.next()) continue;
        return scanner.isUnfinished();
    }

    /**
     * The token that begins at a place; empty: none does. Before PostgreSQL 16 the first digits of 0x1F and 1_000 are a number, and
     * the parser may have joined a literal with its UESCAPE.
     */
    private static String token(String text, int begin, SqlDialect dialect, String wanted) {
        SqlScanner scanner = new SqlScanner(text, dialect);
        while (scanner.next()) {
            if (scanner.begin() != begin) continue;
            String token = scanner.token();
            boolean older = scanner.kind() == SqlScanner.Kind.NUMBER && token.startsWith(wanted);
            boolean joined = wanted.startsWith(token) && token.startsWith("U&") && wanted.contains("UESCAPE");
            return older || joined ? wanted : token;
        }
        return "";
    }

    private String mess() {
        StringBuilder text = new StringBuilder(random.nextInt(3) == 0 ? "" : "SELECT ");
        for (int i = random.nextInt(1, 12); i > 0; i--) text.append(any(NASTY));
        return text.toString();
    }

    /** Statements that the server often takes. */
    private String statements() {
        List<String> all = new ArrayList<>();
        for (int i = random.nextInt(1, 4); i > 0; i--)
            all.add(
                    switch (random.nextInt(8)) {
                        case 0 -> "";
                        case 1 ->
                            "CREATE OR REPLACE FUNCTION pg_temp.f(i int) RETURNS text LANGUAGE sql" + between()
                                    + "BEGIN ATOMIC SELECT 'a;'; SELECT CASE WHEN i > 1 THEN " + literal()
                                    + "::text END; END";
                        default -> select();
                    });
        return String.join(";", all) + (random.nextBoolean() ? ";" : "") + between();
    }

    private String select() {
        StringBuilder text = new StringBuilder("SELECT").append(between());
        int values = random.nextInt(1, 4);
        for (int i = 0; i < values; i++) {
            if (i > 0) text.append(between()).append(',');
            text.append(between()).append(random.nextInt(4) == 0 ? any(VALUES) : literal());
            if (random.nextInt(4) == 0)
                text.append(" AS \"").append(inside("\"", "\"\"")).append('"');
        }
        return text.toString();
    }

    private static final String[] VALUES = {
        "1",
        ".5",
        "1.e5",
        "2*-1",
        "3/+ -2",
        "2 + - 1",
        "'{}'::jsonb ? 'a'",
        "'{}'::jsonb ?| ARRAY['a']",
        "@-1",
        "(1)",
        "2^-1",
        "CASE WHEN true THEN 1 END",
        "1=-1",
        "1<-1",
        "ARRAY[1,2]",
        "(ARRAY[1,2])[1:2]",
        "B'01'",
        "x'1F'",
        "1--1\n+1",
        "1/**/+/**/2"
    };

    private String literal() {
        String tag = any("$$", "$a$", "$\u00fc1$");
        return switch (random.nextInt(7)) {
            case 0 -> "'" + inside("'", "''") + "'";
            case 1 -> "E'" + inside("'", "''") + "'";
            case 2 -> "E'a'" + between() + "\n'" + inside("'", "''") + "'";
            case 3 -> "N'" + inside("'", "''") + "'";
            case 4 -> "U&'d!0061" + inside("'", "''").replace("!", "") + "' UESCAPE '!'";
            case 5 -> tag + inside(tag, "") + tag;
            default -> "'a'\n'" + inside("'", "''") + "'";
        };
    }

    /** The inner text of a literal, in which its mark is mostly written as another. */
    private String inside(String mark, String instead) {
        StringBuilder text = new StringBuilder("a");
        for (int i = random.nextInt(6); i > 0; i--) text.append(any(INSIDE));
        return random.nextInt(5) == 0 ? text.toString() : text.toString().replace(mark, instead);
    }

    private String between() {
        return any(BETWEEN);
    }

    private String any(String... of) {
        return of[random.nextInt(of.length)];
    }
}
