package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.TestDatabase;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Line ends in names, ids and headers: none of them makes a header, or an event of a stream, of its own. */
class HeaderInjectionTest extends ApiTestBase {
    private static final String NAME = "E'a\\r\\nX-Evil: 1\\r\\n\\r\\nevil'";
    private static final String EVIL = "a%0d%0aX-Evil:%201%0d%0a%0d%0aevil";

    HeaderInjectionTest(TestDatabase database) {
        super(database);
    }

    @Override
    void install() throws SQLException {
        ConsoleFixtures.tasksAndJobs(database);
        ConsoleFixtures.takeAnyName(database);
        database.execute("SELECT howdah.add(" + NAME + ", E'k\\revent: evil', 'null'::json),"
                + " howdah.schedule(name => replace(" + NAME
                + ", E'\\r', ''), queue => 'default', kind => 'k', period => '5 min')");
    }

    @Override
    ConsoleBuilder console() {
        return ConsoleFixtures.console(database);
    }

    /** The answer, up to so many characters where it does not end. */
    private String raw(String request, String body) throws Exception {
        try (Socket socket = new Socket("127.0.0.1", console.address().getPort())) {
            socket.setSoTimeout(20_000);
            String head = request.replace("HOST", "Host: " + console.address().getAuthority())
                    .replace("\n", "\r\n");
            socket.getOutputStream()
                    .write((head + "Content-Length: " + body.length() + "\r\nConnection: close\r\n\r\n" + body)
                            .getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void assertClean(String answer) {
        String head = answer.substring(0, answer.indexOf("\r\n\r\n") + 4);
        assertThat(head)
                .startsWith("HTTP/1.1 ")
                .doesNotContainIgnoringCase("\nx-evil")
                .doesNotContainPattern("\r(?!\n)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /api/v1/jobs/EVIL",
                "GET /api/v1/jobs?state=waiting&queue=EVIL",
                "GET /api/v1/schedules/EVIL",
                "POST /api/v1/schedules/EVIL/pause",
                "POST /api/v1/queues/EVIL/pause",
                "POST /api/v1/processes/EVIL",
                "GET /api/v1/EVIL",
                "GET /jobs/EVIL",
                "GET /jobs?queue=EVIL",
                "GET /schedules/EVIL",
                "GET /stream?view=/EVIL",
                "GET /static/EVIL/console.css",
                "GET /EVIL"
            })
    void path_withLineEnds_makesNoHeader(String request) throws Exception {
        assertClean(raw(
                request.replace("EVIL", EVIL) + " HTTP/1.1\nHOST\nContent-Type: application/json\n",
                request.startsWith("POST") ? "{}" : ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Idempotency-Key", "Last-Event-ID", "Origin", "Authorization", "X-Forwarded-Host", "Accept"})
    void header_withLineEndsInIt_isRefused(String name) throws Exception {
        for (String value : new String[] {"a\rX-Evil: 1", "a\u0000b", "a\n X-Evil: 1"}) {
            String answer = raw(
                    "POST /api/v1/jobs HTTP/1.1\nHOST\nContent-Type: application/json\n" + name + ": " + value + "\n",
                    "{\"kind\": \"k\"}");
            assertClean(answer);
            assertThat(answer).as(name + ": " + value).startsWith("HTTP/1.1 400");
        }
        assertThat(database.value("SELECT count(*) FROM howdah_internal.job")).isEqualTo("1");
    }

    @Test
    void name_withLineEnds_isEncodedInLocations() throws Exception {
        String json = "\"name\": \"b\\r\\nX-Evil: 1\\r\\n\\r\\nevil\", \"kind\": \"k\", \"period\": \"PT5M\"";
        String added = raw("POST /api/v1/schedules HTTP/1.1\nHOST\nContent-Type: application/json\n", "{" + json + "}");
        assertClean(added);
        assertThat(added).startsWith("HTTP/1.1 422").contains("U+000A");
        ConsoleClient browser = new ConsoleClient(console.address());
        for (String path :
                new String[] {"/jobs/queues/" + EVIL + "/resume", "/schedules/" + EVIL.replace("%0d", "") + "/resume"
                }) {
            String form = "csrf=" + browser.csrf() + "&confirmed=yes";
            String answer = raw(
                    "POST " + path + " HTTP/1.1\nHOST\nOrigin: " + console.address()
                            + "\nContent-Type: application/x-www-form-urlencoded\n",
                    form);
            assertClean(answer);
            assertThat(answer).as(path).startsWith("HTTP/1.1 303").containsPattern("Location: .*%0AX-Evil");
        }
    }

    @Test
    void names_inStreams_beginNoLines() throws Exception {
        for (String path :
                new String[] {"/api/v1/events", "/stream?view=/jobs%3Fstate%3Dwaiting", "/stream?view=/jobs/queues"})
            try (Socket socket = new Socket("127.0.0.1", console.address().getPort())) {
                socket.setSoTimeout(20_000);
                socket.getOutputStream()
                        .write(("GET " + path + " HTTP/1.1\r\nHost: "
                                        + console.address().getAuthority() + "\r\nAccept: text/event-stream\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
                StringBuilder got = new StringBuilder();
                while (got.indexOf("evil") < 0)
                    got.append((char) socket.getInputStream().read());
                for (int i = 0; i < 20; i++)
                    got.append((char) socket.getInputStream().read());
                assertThat(got.toString().split("[\r\n]+"))
                        .as(path)
                        .noneMatch(line ->
                                line.startsWith("X-Evil") || line.startsWith("evil") || line.startsWith("event: evil"));
            }
    }
}
