package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.daemon.config.PgTaskJson;
import dev.howdah.daemon.work.HttpPlaces;
import dev.howdah.daemon.work.StepAnswer;
import dev.howdah.fixtures.Fuzz;
import dev.howdah.process.StepFailedException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** JSON of endpoints, rows and settings is read or refused with the exception that is meant for it. */
class JsonFuzzTest {
    @Test
    void answersOfEndpoints_mutated_areReadOrRefused() {
        Fuzz.run(
                List.of(
                        "{\"events\":[{\"id\":\"e1\",\"timestamp\":\"2024-01-02T03:04:05Z\",\"payload\":{\"a\":[1,2.5e3,null]},\"metadata\":{}}]}",
                        "{\"response\":{\"ok\":true},\"auxState\":{\"n\":1}}",
                        "{\"error\":\"it failed\"}",
                        "{\"refuse\":\"no\",\"events\":[]}",
                        "{\"events\":[{\"payloadBase64\":\"AAEC\"}],\"metadata\":{\"k\":\"v\"}}"),
                input -> {
                    try {
                        StepAnswer.read(input.getBytes(StandardCharsets.UTF_8));
                    } catch (IllegalArgumentException | StepFailedException expected) {
                        // It says what is wrong.
                    }
                });
    }

    @Test
    void tables_mutated_areReadOrRefused() {
        Fuzz.run(
                List.of(
                        "[{\"data\":\"shop\",\"user\":\"me\",\"schema\":\"s\",\"table\":\"t\",\"sleep\":1000,\"reset\":\"1 hour\",\"run\":5}]",
                        "[]",
                        "[{},{}]"),
                input -> {
                    try {
                        PgTaskJson.parse(input);
                    } catch (PgTaskJson.Invalid expected) {
                        // It says what is wrong.
                    }
                });
    }

    @Test
    void addressesOfJobs_mutated_areReadOrRefused() {
        Fuzz.run(
                List.of("https://api.example/x?y=1#z", "http://[::1]:8080/", "https://me:pw@api.example:443\\@b"),
                input -> {
                    try {
                        assertThat(HttpPlaces.address(input)).isNotNull();
                    } catch (IllegalArgumentException expected) {
                        // It says what is wrong.
                    }
                });
    }
}
