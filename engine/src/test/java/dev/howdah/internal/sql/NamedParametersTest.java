package dev.howdah.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of parameters are found where psql finds them, and each has its value. */
class NamedParametersTest {
    record Both(long first, String secondName) {}

    record Within(int third, Both both) {}

    record More(long first, String secondName, int third) {}

    private static SqlFile file(String heading, String text) {
        return SqlFile.parse("t.sql", "-- name: " + heading + "\n" + text);
    }

    @Test
    void names_inTheOrderOfTheHeading_areNumbered() {
        SqlFile file = file("t_set(id, value)", "UPDATE t SET a = :value, b=a+:id WHERE id=:value::int;");
        assertThat(file.text("t_set")).isEqualTo("UPDATE t SET a = $2, b=a+$1 WHERE id=$2::int");
        assertThat(file.statement("t_set").jdbc()).isEqualTo("UPDATE t SET a = ?, b=a+? WHERE id=?::int");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT ':a', E'\\':a', \":a\", $$ :a $$, $x$ :a $x$",
                "SELECT a::text, b[1 : c], d:=1 /* :a /* :b */ :c */ FROM t",
                "SELECT a ->> 'b:c', U&':a'",
            })
    void text_withoutNames_staysAsItIs(String text) {
        NamedParameters found = NamedParameters.in("t", text, List.of());
        assertThat(found.text()).isEqualTo(text);
        assertThat(found.names()).isEmpty();
    }

    @Test
    void comment_withAColon_hasNoParameter() {
        assertThat(file("t_get", "SELECT :id -- :other\n;").text("t_get")).isEqualTo("SELECT $1");
    }

    @Test // the name is a value of the caller, and may have a colon
    void textPutInAtRunTime_withAColon_hasNoParameter() {
        SqlFile file = file("t_get", "SELECT :id FROM /*table*/t WHERE /*where:*/true/*:where*/")
                .with(Map.of("table", "\"a :b\"", "where", "a[1:n] = 2"));
        assertThat(file.text("t_get")).isEqualTo("SELECT $1 FROM \"a :b\" WHERE a[1:n] = 2");
    }

    @Test
    void record_ofTheNames_bindsEach() throws Exception {
        Sql sql =
                file("t_set", "UPDATE t SET a = :second_name WHERE id = :first").statement("t_set", Both.class);
        assertThat(sql.jdbc()).isEqualTo("UPDATE t SET a = ? WHERE id = ?");
        List<Object> bound = new ArrayList<>();
        sql.bind(statement(bound), new Both(7, "x"));
        assertThat(bound).containsExactly("x", 7L);
    }

    @Test
    void record_inARecord_givesItsComponents() throws SQLException {
        Sql sql = file("t_more", "SELECT :second_name, :third, :first").statement("t_more", Within.class);
        List<Object> bound = new ArrayList<>();
        sql.bind(statement(bound), new Within(3, new Both(7, "x")));
        assertThat(bound).containsExactly("x", 3, 7L);
    }

    /** Only what a value is set by. */
    private static PreparedStatement statement(List<Object> bound) {
        return (PreparedStatement) Proxy.newProxyInstance(
                NamedParametersTest.class.getClassLoader(),
                new Class<?>[] {PreparedStatement.class},
                (p, method, args) -> {
                    if (method.getName().equals("setObject")) bound.add(args[1]);
                    return null;
                });
    }

    @Test
    void record_ofAnotherTypeOrValues_areRefused() {
        Sql sql =
                file("t_set", "UPDATE t SET a = :second_name WHERE id = :first").statement("t_set", Both.class);
        assertThatThrownBy(() -> sql.bind(statement(new ArrayList<>()), new More(7, "x", 1)))
                .hasMessageStartingWith("a Both is wanted, and this is More[");
        assertThatThrownBy(() -> sql.bind(statement(new ArrayList<>()), 7L, "x"))
                .hasMessageStartingWith("2 parameters wanted, 2 given as values and not as a record");
    }

    @Test
    void record_withAComponentMoreOrLess_isRefused() {
        SqlFile file = file("t_set", "UPDATE t SET a = :second_name WHERE id = :first");
        assertThatThrownBy(() -> file.statement("t_set", More.class).jdbc())
                .hasMessage("t_set in t.sql has the parameters [first, second_name],"
                        + " and More the components [first, second_name, third]");
        assertThatThrownBy(() -> file("t_get", "SELECT :first, :second_name, :other")
                        .statement("t_get", Both.class)
                        .jdbc())
                .hasMessageContaining("[first, other, second_name]");
    }

    @Test
    void statement_whoseOrderIsNotSaid_takesNoValues() {
        assertThatThrownBy(
                        () -> file("t_set", "SELECT :a, :b").statement("t_set").jdbc())
                .hasMessage("t_set in t.sql says the order of its parameters neither in its heading nor by a record");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SELECT :a, $1", "SELECT :a", "SELECT :a, :b, :c", "SELECT 1"})
    void names_otherThanInTheHeading_areRefused(String text) {
        SqlFile file = file("t_get(a, b)", text);
        assertThatThrownBy(() -> file.text("t_get")).isInstanceOf(IllegalArgumentException.class);
    }
}
