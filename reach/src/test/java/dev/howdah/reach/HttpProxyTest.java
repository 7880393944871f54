package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests through a proxy. */
@PostgresTest
class HttpProxyTest {
    private final TestDatabase database;

    @TempDir
    Path directory;

    HttpProxyTest(TestDatabase database) {
        this.database = database;
    }

    private ReachSettings settings(String proxies) throws IOException {
        for (String[] each :
                new String[][] {{"proxy.pw", TestProxy.LOGIN.split(":")[1]}, {"wrong.pw", "s3cr3t-wrong"}}) {
            Path file = Files.writeString(directory.resolve(each[0]), each[1]);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        }
        Path file = directory.resolve("reach.json");
        Files.writeString(file, "{\"proxies\": " + proxies + "}");
        return ReachSettings.of(List.of("http://*:*", "https://*:*"), file, Map.of());
    }

    @Test
    void request_goesThroughTheProxyOfItsPlace_andNoPrivateAddressIsReachedThere() throws Exception {
        try (TestProxy proxy = new TestProxy();
                ReachingTasks tasks = new ReachingTasks(
                        database,
                        settings(
                                "{\"out\": {\"url\": \"" + proxy.url()
                                        + "\", \"user\": \"howdah\", \"file\": \"proxy.pw\", \"for\": [\"http://*:*\", \"https://*\"]}}"))) {
            // The name is known to the proxy alone.
            for (int i = 0; i < 2; i++)
                assertThat(tasks.output("http://api.invalid/v1/x?a=1", "{}")).isEqualTo("by the proxy");
            assertThat(proxy.seen)
                    .containsExactly(
                            "POST http://api.invalid/v1/x?a=1 HTTP/1.1", "POST http://api.invalid/v1/x?a=1 HTTP/1.1");
            for (String each : List.of(
                    "http://127.0.0.1/",
                    "http://[::1]/",
                    "http://10.0.0.1/",
                    "http://localhost/",
                    "http://169.254.169.254/"))
                assertThat(tasks.error(each, "")).as(each).contains("may not be reached");
            proxy.refusal = "403 Forbidden";
            assertThat(tasks.error("https://api.invalid/", ""))
                    .isEqualTo("ERROR:  the proxy \"out\" has not connected to https://api.invalid/, it answered 403");
            proxy.refusal = "503 Later";
            long id = tasks.add("https://api.invalid/", "", "attempts, backoff", "2, '0'");
            tasks.awaitState(id, "FAIL");
            assertThat(tasks.column("retry", id)).isNotEqualTo("null");
        }
    }

    @Test
    void proxy_thatRefusesTheLoginOrIsNotThere_isNamed_withoutThePassword() throws Exception {
        try (TestProxy proxy = new TestProxy();
                ReachingTasks tasks = new ReachingTasks(
                        database,
                        settings("{\"out\": {\"url\": \"" + proxy.url()
                                + "\", \"user\": \"howdah\", \"file\": \"wrong.pw\", \"for\": [\"http://*\", \"https://*\"]},"
                                + " \"gone\": {\"url\": \"http://127.0.0.1:1\", \"for\": \"http://*:8080\"}}"))) {
            assertThat(tasks.error("http://api.invalid/", "")).isEqualTo("ERROR:  the proxy \"out\" refused the login");
            assertThat(tasks.error("https://api.invalid/", ""))
                    .contains("the proxy \"out\"")
                    .doesNotContain("s3cr3t");
            assertThat(tasks.error("http://api.invalid:8080/", ""))
                    .startsWith("ERROR:  the proxy \"gone\" cannot be reached\n");
            assertThat(proxy.seen).isEmpty();
        }
    }

    @Test
    void settings_thatAreWrong_areRefused() {
        for (Map.Entry<String, String> each : Map.of(
                        "{\"out\": {\"url\": \"http://me:pw@proxy.example\", \"for\": \"http://*\"}}",
                                "the login in \"user\"",
                        "{\"out\": {\"url\": \"http://proxy.example\"}}", "\"for\" has to say",
                        "{\"out\": {\"url\": \"http://proxy.example\", \"for\": \"ssh://a\"}}", "\"for\" has to say",
                        "{\"out\": {\"url\": \"http://proxy.example\", \"for\": \"http://*\", \"user\": \"a\"}}",
                                "a login is a \"user\"")
                .entrySet())
            assertThatThrownBy(() -> settings(each.getKey()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("the proxy \"out\"")
                    .hasMessageContaining(each.getValue())
                    .hasMessageNotContaining("me:pw");
    }
}
