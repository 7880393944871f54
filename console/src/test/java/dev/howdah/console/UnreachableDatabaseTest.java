package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A console whose database cannot be reached answers, and says so. */
class UnreachableDatabaseTest {
    /** Has a port, so that no other program listens there, and does not listen. */
    private final Socket nowhere = new Socket();

    @BeforeEach
    void bind() throws IOException {
        nowhere.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void release() throws IOException {
        nowhere.close();
    }

    private Console console() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:postgresql://127.0.0.1:" + nowhere.getLocalPort() + "/none?user=postgres");
        return Console.on(source)
                .port(0)
                .taskTable("public", "task")
                .databaseName("db.example/shop")
                .label("staging")
                .start();
    }

    @Test
    void pages_sayThatThereIsNoConnection_andThatTheyCannotBeHad() {
        try (Console console = console()) {
            ConsoleClient client = new ConsoleClient(console.address());
            for (String path : new String[] {"/", "/tasks", "/jobs", "/database"}) {
                HttpResponse<String> page = client.get(path);
                assertThat(page.statusCode()).as(path).isEqualTo(503);
                assertThat(page.body())
                        .contains("No connection to the database", "It is tried again", "db.example/shop")
                        .contains("<nav class=\"side\"");
            }
        }
    }

    @Test
    void header_namesDatabaseAndEnvironment_andLeadsToAllParts() {
        try (Console console = console()) {
            String page = new ConsoleClient(console.address()).get("/").body();
            assertThat(page)
                    .contains("<span class=\"database\">db.example/shop</span>", "<span class=\"label\">staging</span>")
                    .contains("role=\"search\"", "data-live-switch");
            for (String part : new String[] {
                "/tasks",
                "/jobs?state=failed",
                "/schedules",
                "/processes",
                "/sweeps",
                "/nodes",
                "/database",
                "/audit",
                "/settings"
            }) assertThat(page).contains("<a href=\"" + part + "\" data-key=");
        }
    }

    private static DataSource failing(SQLException failure) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, values) -> {
                    if (method.getName().equals("getConnection")) throw failure;
                    return method.getReturnType() == boolean.class ? false : null;
                });
    }

    @Test
    void databaseThatCannotBeAsked_is503_whereverItIsNoticed() throws Exception {
        for (SQLException failure : List.of(
                new SQLTransientConnectionException(
                        "pool - Connection is not available, request timed out after 5000ms"),
                new SQLException("Read timed out"),
                new SQLException("too many clients already", "53300"))) {
            try (Console console =
                    Console.on(failing(failure)).port(0).login(true).start()) {
                ConsoleClient client = new ConsoleClient(console.address());
                String token = "Bearer hd_" + "0".repeat(40);
                HttpResponse<String> api = client.get("/api/v1/jobs", "Authorization", token);
                assertThat(api.statusCode()).as(failure.getMessage()).isEqualTo(503);
                assertThat(api.body()).contains("urn:howdah:problem:database-unreachable");
                assertThat(api.headers().firstValue("Retry-After")).hasValue("1");
                HttpResponse<String> page = client.get("/jobs", "Authorization", token, "Accept", "text/html");
                assertThat(page.statusCode()).as(failure.getMessage()).isEqualTo(503);
                assertThat(page.body()).startsWith("There is no connection to the database.");
                assertThat(page.headers().firstValue("Retry-After")).hasValue("1");
                HttpResponse<String> stream = client.get("/stream?view=/jobs", "Authorization", token);
                assertThat(stream.statusCode()).isEqualTo(503);
            }
            try (Console console = Console.on(failing(failure)).port(0).start()) {
                ConsoleClient client = new ConsoleClient(console.address());
                assertThat(client.get("/jobs").statusCode()).isEqualTo(503);
                assertThat(client.get("/api/v1/jobs").statusCode()).isEqualTo(503);
                assertThat(client.get("/files/audit?format=csv").statusCode()).isEqualTo(503);
            }
        }
    }

    @Test
    void addressThatIsTooLong_isAProblem() {
        try (Console console = console()) {
            HttpResponse<String> answer =
                    new ConsoleClient(console.address()).get("/schedules/new?x=" + "y".repeat(20_000));
            assertThat(answer.statusCode()).isEqualTo(414);
            assertThat(answer.body()).startsWith("{").doesNotContain("<html", "badMessage");
        }
    }

    @Test
    void api_answersWithAProblem_withoutNamesOfHosts() throws IOException {
        try (Console console = console()) {
            HttpResponse<String> answer = new ConsoleClient(console.address()).get("/api/v1/jobs");
            assertThat(answer.statusCode()).isEqualTo(503);
            JsonNode problem = new ObjectMapper().readTree(answer.body());
            assertThat(problem.path("type").asText()).isEqualTo("urn:howdah:problem:database-unreachable");
            assertThat(problem.path("sqlstate").asText()).startsWith("08");
            assertThat(answer.body()).doesNotContain("127.0.0.1");
            assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
        }
    }
}
