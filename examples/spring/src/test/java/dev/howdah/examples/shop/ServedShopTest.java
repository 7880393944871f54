package dev.howdah.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The shop as it is served: its page, and what the actuator says. */
@PostgresTest
class ServedShopTest {
    private final HttpClient client =
            HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
    private final TestDatabase database;

    ServedShopTest(TestDatabase database) {
        this.database = database;
    }

    private String send(HttpRequest.Builder request) throws Exception {
        HttpResponse<String> answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() + " " + answer.body();
    }

    private static HttpRequest.Builder order(URI shop, String customer) {
        return HttpRequest.newBuilder(shop.resolve("/orders"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(
                        "customer=" + URLEncoder.encode(customer, StandardCharsets.UTF_8)));
    }

    @Test
    void order_fromThePage_isConfirmed_andTheActuatorShowsIt() throws Exception {
        try (ConfigurableApplicationContext application = SpringApplication.run(
                Shop.class,
                "--server.port=0",
                "--spring.datasource.username=postgres",
                "--spring.datasource.url=jdbc:postgresql://"
                        + database.uri().substring("postgresql://postgres@".length()))) {
            URI shop = URI.create(
                    "http://127.0.0.1:" + application.getEnvironment().getRequiredProperty("local.server.port"));
            assertThat(send(order(shop, "Ann <b>"))).startsWith("200 ").contains("Ann &lt;b&gt;");
            await().atMost(Patience.LIMIT)
                    .until(() -> send(HttpRequest.newBuilder(shop)).contains("confirmed"));
            assertThat(send(order(shop, " "))).isEqualTo("400 an order needs a customer");
            assertThat(database.value("SELECT string_agg(state, ',') FROM howdah.jobs WHERE kind = 'confirm'"))
                    .isEqualTo("done");

            URI actuator = shop.resolve("/actuator/");
            assertThat(send(HttpRequest.newBuilder(actuator.resolve("health"))))
                    .startsWith("200 ")
                    .contains("\"howdah\":{\"details\":{", "\"jobs\":\"node ", "\"database\":\"reachable\"");
            assertThat(send(HttpRequest.newBuilder(actuator.resolve("info"))))
                    .contains("\"handlers\":[\"confirm\",\"report\"]");
            assertThat(send(HttpRequest.newBuilder(actuator.resolve("howdah"))))
                    .contains("\"schedules\":[{", "\"name\":\"report\"", "\"queues\":[{");
            await().atMost(Patience.LIMIT)
                    .until(
                            () -> send(HttpRequest.newBuilder(actuator.resolve("prometheus")))
                                    .contains(
                                            "howdah_jobs_ended_total{kind=\"confirm\",outcome=\"done\",queue=\"default\"} 1.0"));
        }
    }
}
