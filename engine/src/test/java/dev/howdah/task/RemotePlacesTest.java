package dev.howdah.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.howdah.Database;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where tasks with remote may connect. */
class RemotePlacesTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    postgresql://db.example                   | host=db.example dbname=x                    | true
                    postgresql://db.example                   | host=DB.Example. dbname=x                   | true
                    postgresql://db.example                   | host=db.example port=5433 dbname=x          | false
                    postgresql://db.example:5433              | host=db.example port=5433 dbname=x          | true
                    postgresql://db.example:*                 | host=db.example port=1 dbname=x             | true
                    postgresql://db.example/shop              | host=db.example dbname=shop                 | true
                    postgresql://db.example/shop              | host=db.example dbname=other                | false
                    postgresql://db.example/shop              | host=db.example dbname=Shop                 | false
                    postgresql://db.example/a%20b             | host=db.example dbname='a b'                | true
                    postgresql://db.example/shop=app          | host=db.example dbname=shop                 | true
                    postgresql://db.example=billing,app       | host=db.example dbname=shop                 | true
                    postgresql://db.example=billing           | host=db.example dbname=shop                 | false
                    postgresql://db.example=App               | host=db.example dbname=shop                 | false
                    postgresql://*.example                    | host=db.example dbname=x                    | true
                    postgresql://*.example                    | host=a.b.example dbname=x                   | true
                    postgresql://*.example                    | host=example dbname=x                       | false
                    postgresql://*.example                    | host=evilexample dbname=x                   | false
                    postgresql://*.example                    | host=db.example.evil dbname=x               | false
                    postgresql://*                            | host=10.0.0.7 dbname=x                      | true
                    postgresql://*                            | host=/run/postgresql dbname=x               | false
                    postgresql://%2Frun%2Fpostgresql          | host=/run/postgresql dbname=x               | true
                    postgresql://[2001:db8::7]                | host=2001:db8::7 dbname=x                   | true
                    postgres://db.example                     | postgresql://app@db.example/x               | true
                    postgresql://db.example                   | jdbc:postgresql://db.example/x              | true
                    postgresql://db.example                   | host=db.example hostaddr=10.0.0.7 dbname=x  | false
                    postgresql://10.0.0.7                     | host=db.example hostaddr=10.0.0.7 dbname=x  | true
                    postgresql://db.example                   | host=db.example,evil dbname=x               | false
                    postgresql://db.example postgresql://b    | host=db.example,b dbname=x                  | true
                    postgresql://db.example                   | dbname=x                                    | false
                    postgresql://localhost                    | dbname=x                                    | true
                    """)
    void place_isAllowed(String list, String remote, boolean allowed) {
        RemotePlaces places = RemotePlaces.of(List.of(list.split(" ")));
        String refusal =
                places.refusal("app", Database.of(remote + (remote.contains("//") ? "" : " user=app"), Map.of()));
        assertThat(refusal == null).as(String.valueOf(refusal)).isEqualTo(allowed);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "db.example",
                "https://db.example",
                "postgresql://",
                "postgresql:///x",
                "postgresql://db.example:0",
                "postgresql://db.example:70000",
                "postgresql://db.example:x",
                "postgresql://db.example/a/b",
                "postgresql://db.example?sslmode=require",
                "postgresql://db.example=",
                "postgresql://db.example=a,,b",
                "postgresql://db.example/%zz",
                "postgresql://d*b",
                "postgresql://app:secret@db.example"
            })
    void place_thatIsNone_isRefusedWithoutItsPassword(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RemotePlaces.of(List.of(text)))
                .withMessageContaining("has to be postgresql://HOST, with :PORT, /DATABASE and =OWNER,OWNER")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
    }

    @Test
    void everywhere_isTheDefault_andAnEmptyListIsNowhere() {
        Database any = Database.of("host=a dbname=b user=c", Map.of());
        assertThat(RemotePlaces.everywhere().refusal("app", any)).isNull();
        assertThat(RemotePlaces.of(List.of()).refusal("app", any))
                .isEqualTo(
                        "Tasks of role \"app\" may not connect to a:5432, database \"b\": no place that is allowed is this"
                                + " one.");
    }

    /** The second server is a real one; a superuser's tasks need no password for it. */
    @Test
    void task_connectsToAllowedPlacesOnly() {
        int majors = TestServer.majors().size();
        TestServer second = TestServer.of(TestServer.majors().get(majors - 2));
        try (TestDatabase database = TestDatabase.create(TestServer.shared());
                TestDatabase there = TestDatabase.create(second);
                Scheduled tasks = Scheduled.at(database.uri())) {
            String boss = database.name() + "_boss";
            tasks.execute("CREATE ROLE " + boss + " SUPERUSER");
            String place = "postgresql://127.0.0.1:" + second.port();
            try (TaskScheduler scheduler = TaskScheduler.on(tasks.database())
                    .remotePlaces(RemotePlaces.of(List.of(place + "/" + there.name() + "=somebody")))
                    .listener(tasks.listener())
                    .start()) {
                tasks.awaitTold("active", 1);
                String where = "host=127.0.0.1 port=" + second.port() + " user=postgres dbname=" + there.name();
                assertThat(run(tasks, boss, where))
                        .isEqualTo("ERROR:  remote is not allowed\nDETAIL:  Tasks of role \"" + boss
                                + "\" may not connect to 127.0.0.1:" + second.port() + ", database \"" + there.name()
                                + "\": no place that is allowed is this one.");
                assertThat(run(tasks, "postgres", where)).isEqualTo(there.name()); // the scheduler's own role
                scheduler.remotePlaces(RemotePlaces.of(List.of(place + "/" + there.name() + "=somebody," + boss)));
                assertThat(run(tasks, boss, where)).isEqualTo(there.name());
                assertThat(run(tasks, boss, where.replace(there.name(), "postgres")))
                        .startsWith("ERROR:  remote is not allowed\n");
                scheduler.remotePlaces(RemotePlaces.everywhere());
                assertThat(run(tasks, boss, where.replace(there.name(), "postgres")))
                        .isEqualTo("postgres");
            }
            tasks.execute("DROP OWNED BY " + boss + "; DROP ROLE " + boss);
        }
    }

    private static String run(Scheduled tasks, String owner, String remote) {
        long id = tasks.add("SELECT current_database()", "owner, remote", "'" + owner + "', '" + remote + "'");
        tasks.awaitEnd(id);
        return tasks.value("SELECT COALESCE(error, output) FROM task WHERE id = " + id);
    }
}
