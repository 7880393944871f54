package dev.howdah.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.task.internal.session.RolledBackSettings;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where a text of several statements is cut, and what of it is said again to see the form of an error. */
class SqlStatementTest {
    private static List<String> texts(String text) {
        return SqlStatement.in(text, SqlDialect.POSTGRES).stream()
                .map(SqlStatement::text)
                .toList();
    }

    @Test
    void of_semicolons_cutAndEmptyOnesAreNone() {
        assertThat(texts("")).isEmpty();
        assertThat(texts(" ; -- a;b\n ;/* c; /* d; */ ; */;")).isEmpty();
        assertThat(texts("SELECT 1; ;SELECT 2 -- x")).containsExactly("SELECT 1", "SELECT 2 -- x");
        assertThat(texts("é;ö")).containsExactly("é", "ö");
    }

    @Test
    void of_literals_areLeftAlone() {
        for (String whole : new String[] {
            "SELECT 'a;''b;'",
            "SELECT E'a\\';b'",
            "SELECT \"a;\"\"b;\"",
            "SELECT $$a;$b;$$",
            "SELECT $x$a;$$;$x$",
            "SELECT $1; ".trim().replace(";", ""),
            "SELECT 'a",
            "SELECT $$a;",
            "SELECT /* a;",
            "CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2)"
        }) assertThat(texts(whole + ";")).hasSize(1).first().asString().startsWith(whole);
        assertThat(texts("SELECT a$b$c; SELECT $b$;$b$")).hasSize(2);
        assertThat(texts("SELECT 'a\\'; SELECT 2")).hasSize(2);
    }

    @Test
    void of_bodiesOfSqlFunctions_areLeftAlone() {
        String function = "CREATE OR REPLACE FUNCTION f(i int) RETURNS int BEGIN ATOMIC SELECT 1;"
                + " SELECT CASE WHEN i > 0 THEN 1 END; END";
        assertThat(texts(function + "; SELECT 2")).containsExactly(function, " SELECT 2");
        assertThat(texts("BEGIN; SELECT 1; END; CREATE TABLE \"begin\" (i int); BEGIN; END"))
                .hasSize(6);
    }

    @Test
    void undoneSettings_areThoseOfTheOpenTransaction() {
        String set = "SET log_error_verbosity = terse";
        String failing = set + "; SELECT 1; SELECT 1/0";
        assertThat(RolledBackSettings.of(failing, 2)).isEqualTo(set + "\n;");
        assertThat(RolledBackSettings.of(failing, 0)).isEmpty();
        assertThat(RolledBackSettings.of("BEGIN; " + set + "; COMMIT; SELECT 1/0", 3))
                .isEmpty();
        assertThat(RolledBackSettings.of("/* a */ -- b\n Set Local LOG_ERROR_VERBOSITY to verbose; x", 1))
                .endsWith("to verbose\n;");
        assertThat(RolledBackSettings.of("SELECT '" + set + "'; SELECT 1/0", 1)).isEmpty();
        assertThat(RolledBackSettings.of("SELECT 1; SELECT 1/0", 1)).isEmpty();
        assertThat(RolledBackSettings.of("BEGIN; SAVEPOINT a; " + set + "; ROLLBACK TO a; SELECT 1/0", 4))
                .isEqualTo(" SAVEPOINT a\n; " + set + "\n; ROLLBACK TO a\n;");
    }
}
