package dev.howdah.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a task with {@code once} may not say. */
class TransactionControlTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "BEGIN",
                "begin;",
                "SELECT 1; COMMIT",
                "SELECT 1;;; Commit; SELECT 2",
                "/* a /* nested */ comment */ ROLLBACK -- really",
                "-- a comment\nEND",
                "SELECT 'it''s'; ABORT",
                "SELECT 'a\\'; COMMIT --'",
                "SELECT E'a\\'; COMMIT'; COMMIT",
                "SELECT E'a'\n'\\'; COMMIT'; COMMIT",
                "SELECT E'a' -- goes on\n 'b'; COMMIT",
                "SELECT U&'d\\0061t'; COMMIT",
                "SELECT $1$; COMMIT",
                "SELECT a$b$; COMMIT; SELECT a$b$",
                "SELECT $x$ $y$ $x$; COMMIT; SELECT $y$ $y$",
                "SELECT \"a\"\"b;\"; COMMIT",
                "SELECT 1 AS \u00fcber; START TRANSACTION",
                "START /**/ TRANSACTION ISOLATION LEVEL SERIALIZABLE",
                "PREPARE TRANSACTION 'x'",
                "COMMIT PREPARED 'x'",
                "COMMIT AND CHAIN",
                "ROLLBACK AND NO CHAIN",
                "ROLLBACK WORK",
                "(SELECT 1); COMMIT",
                "SELECT 1)); COMMIT",
                "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END; COMMIT",
                "SELECT 1--1\n; COMMIT",
                "SELECT 2 */* x */ 3; COMMIT",
                "SELECT 'a' E; COMMIT",
                "SELECT tree'; COMMIT'; COMMIT"
            })
    void text_thatEndsItsTransaction_isFound(String text) {
        assertThat(TransactionControl.find(text, true)).as(text).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ";",
                "SELECT 1",
                "SAVEPOINT a; SELECT 1; ROLLBACK TO a; RELEASE a",
                "ROLLBACK TO SAVEPOINT a",
                "ROLLBACK WORK TO a",
                "ROLLBACK TRANSACTION TO SAVEPOINT a",
                "SELECT 1 AS begin, 'x; COMMIT' AS commit",
                "SELECT 1 AS \"; COMMIT\"",
                "SELECT E'\\'; COMMIT'",
                "SELECT e'a'\n '\\'; COMMIT'",
                "SELECT E'a\\\\\\'; COMMIT; '",
                "SELECT $$; COMMIT; $$, $a$ $$ ; COMMIT $a$, $\u00fc1$; COMMIT$\u00fc1$",
                "DO $do$ BEGIN PERFORM 1; END $do$",
                "/* ; COMMIT */ SELECT 1 -- ; COMMIT",
                "/* /* */ ; COMMIT */",
                "PREPARE p AS SELECT 1; EXECUTE p",
                "PREPARE transaction AS SELECT 1",
                "CREATE RULE r AS ON INSERT TO t DO ALSO (DELETE FROM u; END)",
                "CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT 1; END",
                "CREATE OR REPLACE PROCEDURE p() BEGIN /* x */ ATOMIC"
                        + " SELECT CASE WHEN true THEN CASE WHEN false THEN 1 END END; INSERT INTO t VALUES (1); END; SELECT 1",
                "beg\u0131n; abor\u0167; enden; commitment",
                "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; SELECT 1",
                "SELECT '; COMMIT",
                "SELECT E'\\",
                "SELECT \"; COMMIT",
                "SELECT $a$; COMMIT",
                "/* ; COMMIT",
                "SELECT $",
                "SELECT $a"
            })
    void text_thatDoesNot_isLetThrough(String text) {
        assertThat(TransactionControl.find(text, true)).as(text).isNull();
    }

    @Test
    void backslashes_inPlainStrings_dependOnTheServer() {
        String text = "SELECT 'a\\'; COMMIT; --'";
        assertThat(TransactionControl.find(text, true)).isEqualTo("COMMIT");
        assertThat(TransactionControl.find(text, false)).isNull();
        assertThat(TransactionControl.find("SELECT N'a\\'; COMMIT; --'", false)).isNull();
    }

    @Test
    void find_names_theStatementByItsFirstWords() {
        assertThat(TransactionControl.find("SELECT 1; start  transaction isolation level serializable", true))
                .isEqualTo("START TRANSACTION ISOLATION LEVEL");
    }
}
