package dev.howdah.console;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The port of a console: taken first, answered on later. */
@PostgresTest
class ConsolePortTest {
    private final TestDatabase database;

    ConsolePortTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void clientThatConnectsBeforeItServes_isAnsweredAfterThat() {
        try (Console console = ConsoleFixtures.console(database).port(0).bind()) {
            CompletableFuture<HttpResponse<String>> answer = HttpClient.newHttpClient()
                    .sendAsync(
                            HttpRequest.newBuilder(console.address().resolve("/tasks"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(console.routes()).isEmpty();
            console.serve();
            console.serve();
            assertThat(answer.orTimeout(30, SECONDS).join().statusCode()).isEqualTo(200);
            assertThat(console.routes()).contains("GET /stream");
        }
    }

    @Test
    void consoleThatIsClosedBeforeItServes_givesItsPortBack() throws Exception {
        Console console = ConsoleFixtures.console(database).port(0).bind();
        int port = console.address().getPort();
        console.close();
        console.serve();
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                .isInstanceOf(ConnectException.class);
        assertThat(console.routes()).isEmpty();
    }

    @Test
    void portOfAnotherProgram_isRefused_orTheNextIsTaken() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            int port = other.getLocalPort();
            assertThatThrownBy(ConsoleFixtures.console(database).port(port)::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("port " + port + " of 127.0.0.1 is taken by another program");
            try (Console console =
                    ConsoleFixtures.console(database).portOrNext(port).start()) {
                assertThat(console.address().getPort()).isBetween(port + 1, port + 20);
            }
        }
    }

    @Test
    void addressThatIsNotOfThisMachine_isNamed() {
        ConsoleBuilder elsewhere = ConsoleFixtures.console(database)
                .login(true)
                .hosts(List.of("ops.example"))
                .trustedProxies(List.of("127.0.0.1"));
        assertThatThrownBy(elsewhere.listen("192.0.2.1").port(0)::start)
                .hasMessage("the console cannot listen on 192.0.2.1: this machine does not have that address");
        assertThatThrownBy(elsewhere.listen("no-such-host.invalid").port(0)::start)
                .hasMessage("the console cannot listen on no-such-host.invalid: no such host is known");
    }
}
