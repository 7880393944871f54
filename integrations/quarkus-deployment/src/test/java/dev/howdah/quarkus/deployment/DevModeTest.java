package dev.howdah.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import io.quarkus.test.QuarkusDevModeTest;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import javax.management.ObjectName;
import org.awaitility.Awaitility;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Dev mode: jobs are handled by the newest sources, and nothing of older ones is left. */
@Tag("long")
class DevModeTest {
    private static final int RELOADS = 8;
    /** Quarkus itself keeps eight; one for each reload would be twelve. */
    private static final int MOST_CLASS_LOADERS = 10;

    private static final TestDatabase DATABASE = TestDatabase.create();
    private static final int PORT = freePort();

    @RegisterExtension
    static final QuarkusDevModeTest APPLICATION = new QuarkusDevModeTest()
            .withApplicationRoot(jar -> jar.addClass(ReloadedGreeter.class)
                    .addAsResource(
                            new StringAsset(String.join(
                                    "\n",
                                    "quarkus.datasource.db-kind=postgresql",
                                    "quarkus.datasource.devservices.enabled=false",
                                    "quarkus.datasource.username=postgres",
                                    "quarkus.otel.sdk.disabled=true",
                                    "quarkus.http.port=" + PORT,
                                    "quarkus.datasource.jdbc.url="
                                            + DATABASE.uri().replace("postgresql://postgres@", "jdbc:postgresql://"))),
                            "application.properties"));

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @Test
    void jobs_areHandledByTheNewestSources_andOlderOnesAreGone() throws Exception {
        awaitVersion(0);
        for (int i = 1; i <= RELOADS; i++) {
            String before = "version " + (i - 1);
            String now = "version " + i;
            APPLICATION.modifySourceFile(ReloadedGreeter.class, source -> source.replace(before, now));
            ask("/q/health/ready");
            awaitVersion(i);
        }
        assertThat(DATABASE.value("SELECT count(*) FROM howdah_internal.node")).isEqualTo("1");
        assertThat(ask("/q/dev-ui/howdah-quarkus/handlers")).isEqualTo(200);
        Awaitility.await()
                .atMost(Patience.LIMIT)
                .untilAsserted(() -> assertThat(classLoaders()).isLessThanOrEqualTo(MOST_CLASS_LOADERS));
    }

    private static void awaitVersion(int version) {
        Awaitility.await()
                .atMost(Patience.LIMIT)
                .until(() -> "1"
                        .equals(DATABASE.value(
                                "SELECT count(*) FROM howdah.jobs WHERE result = '\"version " + version + "\"'")));
    }

    private static int ask(String path) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://localhost:" + PORT + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .statusCode();
    }

    /** How many are alive after a collection. */
    private static long classLoaders() throws Exception {
        String histogram = (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "gcClassHistogram",
                        new Object[] {new String[0]},
                        new String[] {String[].class.getName()});
        long count = histogram
                .lines()
                .filter(line -> line.contains("io.quarkus.bootstrap.classloading.QuarkusClassLoader ")
                        || line.endsWith("io.quarkus.bootstrap.classloading.QuarkusClassLoader"))
                .mapToLong(line -> Long.parseLong(line.strip().split("\\s+")[1]))
                .sum();
        return count;
    }
}
