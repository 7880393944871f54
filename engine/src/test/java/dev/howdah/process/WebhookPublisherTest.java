package dev.howdah.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import dev.howdah.fixtures.HttpPlace;
import dev.howdah.internal.http.Signer;
import dev.howdah.internal.json.JacksonCodec;
import dev.howdah.process.notice.DeliveryException;
import dev.howdah.process.notice.Notice;
import dev.howdah.process.notice.WebhookPublisher;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Notices become signed requests: what is sent, and what is made of the answers. */
class WebhookPublisherTest {
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final Instant AT = Instant.parse("2026-03-01T12:00:00.000001Z");
    private static final ObjectMapper JSON = new ObjectMapper();

    private static Notice event(long id, String process, String payload) {
        return event(id, process, payload.getBytes(StandardCharsets.UTF_8));
    }

    private static Notice event(long id, String process, byte[] payload) {
        Payload bytes = Payload.of(payload, new JacksonCodec());
        return new Notice(id, "shop", process, Notice.Kind.EVENT, AT, id, null, bytes, null);
    }

    private static WebhookPublisher to(HttpPlace place) {
        return WebhookPublisher.to(URI.create(place.address() + "/hook?key=hidden"), SECRET);
    }

    private static void answer(HttpExchange exchange, int status) throws IOException {
        exchange.sendResponseHeaders(status, -1);
    }

    private static long id(HttpPlace.Seen request) throws IOException {
        return JSON.readTree(request.body()).at("/data/id").asLong();
    }

    @Test
    void notice_isSignedJsonWithANumberOfItsOwn() throws Exception {
        try (HttpPlace place = new HttpPlace((exchange, request) -> answer(exchange, 204))) {
            Payload metadata =
                    Payload.of("{\"format_version\":1}".getBytes(StandardCharsets.UTF_8), new JacksonCodec());
            Payload payload = Payload.of("{\"cents\": 10.50}".getBytes(StandardCharsets.UTF_8), new JacksonCodec());
            Notice event = new Notice(7, "shop", "a", Notice.Kind.EVENT, AT, 3L, null, payload, metadata);
            Notice failed = new Notice(8, "shop", "a", Notice.Kind.FAILED, AT, null, "no \"card\"", null, null);
            WebhookPublisher publisher = to(place).header("x-shop", "1");
            publisher.publish(List.of(event, failed, event(9, "a", new byte[] {(byte) 0x83, 0})));
            publisher.publish(List.of(event));
            List<HttpPlace.Seen> seen = List.copyOf(place.seen());
            assertThat(seen).hasSize(4);
            HttpPlace.Seen first = seen.get(0);
            assertThat(first.path()).isEqualTo("/hook");
            assertThat(first.headers().getFirst("x-shop")).isEqualTo("1");
            assertThat(first.headers().getFirst("content-type")).isEqualTo("application/json");
            assertThat(first.body())
                    .isEqualTo(
                            "{\"type\":\"process.event\",\"timestamp\":\"2026-03-01T12:00:00.000001Z\",\"data\":{\"id\":7,"
                                    + "\"namespace\":\"shop\",\"process\":\"a\",\"event\":3,\"payload\":{\"cents\": 10.50},"
                                    + "\"metadata\":{\"format_version\":1}}}");
            JsonNode data = JSON.readTree(seen.get(1).body()).get("data");
            assertThat(data.get("detail").asText()).isEqualTo("no \"card\"");
            assertThat(data.has("payload")).isFalse();
            assertThat(JSON.readTree(seen.get(2).body())
                            .at("/data/payloadBase64")
                            .binaryValue())
                    .containsExactly(0x83, 0);
            for (HttpPlace.Seen each : seen) {
                String number = each.headers().getFirst("webhook-id");
                long time = Long.parseLong(each.headers().getFirst("webhook-timestamp"));
                assertThat(each.headers().getFirst("webhook-signature"))
                        .isEqualTo(Signer.of(SECRET)
                                .signature(number, time, each.body().getBytes(StandardCharsets.UTF_8)));
            }
            assertThat(seen.get(3).headers().getFirst("webhook-id"))
                    .isEqualTo(first.headers().getFirst("webhook-id"));
            assertThat(seen.subList(0, 3))
                    .extracting(each -> each.headers().getFirst("webhook-id"))
                    .doesNotHaveDuplicates();
        }
    }

    @Test // one that is slow does not keep others waiting, each keeps its order
    void processes_areToldTogether_eachInItsOrder() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        try (HttpPlace place = new HttpPlace((exchange, request) -> {
            if (id(request) <= 2) {
                both.countDown();
                both.await(20, TimeUnit.SECONDS);
            }
            answer(exchange, 200);
        })) {
            List<Notice> notices = new ArrayList<>();
            for (long id = 1; id <= 12; id++) notices.add(event(id, "p" + id % 2, "1"));
            to(place).timeout(Duration.ofMinutes(1)).publish(notices);
            assertThat(both.getCount()).isZero();
            Map<Long, List<Long>> told = new java.util.TreeMap<>();
            for (HttpPlace.Seen each : place.seen())
                told.computeIfAbsent(id(each) % 2, process -> new ArrayList<>()).add(id(each));
            assertThat(told.values())
                    .allSatisfy(each -> assertThat(each).hasSize(6).isSorted());
        }
    }

    @Test
    void answers_thatAreNotGood_sayWhatHasArrivedAndWhenToComeAgain() throws Exception {
        try (HttpPlace place = new HttpPlace((exchange, request) -> {
            long id = id(request);
            if (id == 2) exchange.getResponseHeaders().set("retry-after", "77");
            if (id == 5) exchange.getResponseHeaders().set("location", "/elsewhere");
            answer(exchange, id == 2 ? 503 : id == 4 ? 413 : id == 5 ? 302 : 200);
        })) {
            List<Notice> notices = List.of(
                    event(1, "a", "1"),
                    event(2, "a", "1"),
                    event(3, "a", "1"),
                    event(4, "b", "1"),
                    event(5, "c", "1"),
                    event(6, "d", "1"));
            DeliveryException said = catchThrowableOfType(
                    DeliveryException.class, () -> to(place).publish(notices));
            assertThat(notices)
                    .filteredOn(said::hasArrived)
                    .extracting(Notice::id)
                    .containsExactly(1L, 6L);
            assertThat(said.refusal(notices.get(3))).contains("answered 413").doesNotContain("hidden");
            assertThat(said.refusal(notices.get(1))).isNull();
            assertThat(said.retryAfter()).isEqualTo(Duration.ofSeconds(77));
            assertThat(place.seen().stream().map(HttpPlace.Seen::path).collect(Collectors.toSet()))
                    .containsExactly("/hook");
            assertThat(place.seen()).hasSize(5);
        }
    }

    @Test // the call does not last for as many timeouts as there are notices
    void answer_thatNeverComes_isNotWaitedForAgain() throws Exception {
        try (HttpPlace place = new HttpPlace((exchange, request) -> {
            if (id(request) == 1) new CountDownLatch(1).await(5, TimeUnit.SECONDS);
            answer(exchange, 200);
        })) {
            List<Notice> notices = List.of(event(1, "a", "1"), event(2, "a", "1"), event(3, "b", "1"));
            WebhookPublisher publisher =
                    to(place).timeout(Duration.ofSeconds(2)).concurrency(1);
            DeliveryException said = catchThrowableOfType(DeliveryException.class, () -> publisher.publish(notices));
            assertThat(said).hasMessageContaining("has not answered within").hasMessageNotContaining("hidden");
            assertThat(said.isUntried(notices.get(2))).isTrue();
            assertThat(said.isUntried(notices.get(1))).isFalse();
            // None on a machine where the first one needs more than its two seconds to arrive.
            assertThat(place.seen()).hasSizeLessThan(2);
        }
    }

    @Test
    void address_whereNobodyIs_isNamedWithoutItsSecrets() throws Exception {
        HttpPlace gone = new HttpPlace((exchange, request) -> answer(exchange, 200));
        WebhookPublisher publisher = to(gone);
        gone.close();
        assertThatThrownBy(() -> publisher.publish(List.of(event(1, "a", "1"))))
                .isInstanceOf(DeliveryException.class)
                .hasMessageStartingWith(gone.address() + "/hook cannot be reached: ")
                .hasMessageNotContaining("hidden");
    }

    @Test
    void settings_thatMakeNoSense_areRefused() {
        URI fine = URI.create("https://a.example/");
        assertThatThrownBy(() -> WebhookPublisher.to(URI.create("ftp://a.example"), SECRET))
                .hasMessageContaining("https://HOST");
        assertThatThrownBy(() -> WebhookPublisher.to(URI.create("https://me:hidden@a.example"), SECRET))
                .hasMessageContaining("a user or a password")
                .hasMessageNotContaining("hidden");
        assertThatThrownBy(() -> WebhookPublisher.to(fine, "hidden")).hasMessageNotContaining("hidden");
        assertThatThrownBy(() -> WebhookPublisher.to(fine, "whsec_hidden%%")).hasMessageNotContaining("hidden");
        WebhookPublisher publisher = WebhookPublisher.to(fine, SECRET);
        assertThatThrownBy(() -> publisher.header("Webhook-Id", "1")).hasMessageContaining("not yours");
        assertThatThrownBy(() -> publisher.header("x", "1").header("X", "2")).hasMessageContaining("said already");
        assertThatThrownBy(() -> publisher.header("Content-Type", "text/plain")).hasMessageContaining("said already");
        assertThatThrownBy(() -> publisher.concurrency(0)).hasMessageContaining("1 to 100");
        assertThatThrownBy(() -> publisher.timeout(Duration.ZERO)).hasMessageContaining("100 ms to 5 minutes");
    }
}
