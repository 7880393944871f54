package dev.howdah.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.internal.text.Identifiers;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SqlFileTest {
    private static final String TEXT = """
            -- What this file is about.
            -- name: one
            SELECT $1::int; -- the answer

            -- name: two
            UPDATE /*table*/task SET a = $2 -- $9 is not a parameter
            WHERE b = $1 AND c = '$3' AND d = $x$ $4 $x$ AND e = $2 AND "a$5" = 1;
            """;

    @Test
    void file_withTwoStatements_givesEachByName() {
        SqlFile file = SqlFile.parse("t.sql", TEXT);
        assertThat(file.names()).containsExactly("one", "two");
        assertThat(file.text("one")).startsWith("SELECT $1::int");
    }

    @Test // some are sent with each use
    void statement_withCommentsAndIndentation_isWithoutThemButInLiterals() {
        SqlFile file = SqlFile.parse("t.sql", """
                -- name: one
                -- Why.
                SELECT 'a  -- b
                    c',

                    -- Why this one.
                    /*table*/ d  -- and this
                FROM $x$
                    -- e
                $x$;
                """);
        assertThat(file.text("one")).isEqualTo("SELECT 'a  -- b\n    c',\n/*table*/ d\nFROM $x$\n    -- e\n$x$");
    }

    @Test
    void file_unknownName_saysWhatThereIs() {
        assertThatThrownBy(() -> SqlFile.parse("t.sql", TEXT).text("three"))
                .hasMessageContaining("three")
                .hasMessageContaining("[one, two]");
    }

    @Test
    void file_statementWithoutAName_isRefused() {
        assertThatThrownBy(() -> SqlFile.parse("t.sql", "-- What it is.\n\nSELECT 0;\n" + TEXT)
                        .names())
                .hasMessage("t.sql has a statement before the first -- name:");
    }

    @Test
    void part_thatStandsOnce_isInEachStatementWithItsParameters() {
        SqlFile file = SqlFile.parse("t.sql", """
                -- name: one(a, b)
                SELECT /*=listed:*/ /*=key:*/k/*:key*/, left(v, :b) /*:listed*/
                FROM t WHERE /*=filter:*/k = :a/*:filter*/ ORDER BY /*order:*/k/*:order*/;
                -- name: two(b, a)
                SELECT /*listed:*/1/*:listed*/ FROM u WHERE /*filter:*/true/*:filter*/;
                -- name: three
                SELECT /*key:*/1/*:key*/;
                """).with(Map.of("order", "v"));
        assertThat(file.text("one")).isEqualTo("SELECT k, left(v, $2)\nFROM t WHERE k = $1 ORDER BY v");
        assertThat(file.text("two")).isEqualTo("SELECT k, left(v, $1) FROM u WHERE k = $2");
        assertThat(file.text("three")).isEqualTo("SELECT k");
    }

    @Test
    void names_givenAtRunTime_replaceTheWordAfterTheirComment() {
        SqlFile file = SqlFile.parse("t.sql", TEXT).with(Map.of("table", Identifiers.quote("a b", "c\"d")));
        assertThat(file.text("two")).startsWith("UPDATE \"a b\".\"c\"\"d\" SET");
    }

    @Test
    void parameters_repeatedAndQuoted_areTranslatedOnlyWhereTheyAreParameters() {
        Sql sql = SqlFile.parse("t.sql", TEXT).statement("two");
        assertThat(sql.parameters()).isEqualTo(2);
        assertThat(sql.jdbc())
                .isEqualTo(
                        "UPDATE /*table*/task SET a = ?\nWHERE b = ? AND c = '$3' AND d = $x$ $4 $x$ AND e = ? AND \"a$5\" = 1");
    }

    @Test
    void statements_joined_numberTheirParametersOneAfterTheOther() {
        Sql joined = Sql.of("SELECT $1, $2").then(Sql.of("SELECT $2, $1"));
        assertThat(joined.parameters()).isEqualTo(4);
        assertThat(joined.jdbc()).isEqualTo("SELECT ?, ?;\nSELECT ?, ?");
    }

    @Test
    void identifiers_withNothingInThem_areRefused() {
        assertThatThrownBy(() -> Identifiers.quote("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Identifiers.quote("a\0b")).isInstanceOf(IllegalArgumentException.class);
    }
}
