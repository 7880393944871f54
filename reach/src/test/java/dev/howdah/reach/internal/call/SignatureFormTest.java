package dev.howdah.reach.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Headers that sign a request. */
class SignatureFormTest {
    private static SignatureForm form(String json) throws Exception {
        return SignatureForm.of(new ObjectMapper().readTree(json));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void standard_isThatOfTheExampleOfItsSpecification() {
        Map<String, String> headers = SignatureForm.STANDARD.headers(
                List.of("whsec_plJ3nmyCDGBKInavdOK15jsl"),
                "msg_loFOjxBNrRLzqYUf",
                Instant.ofEpochSecond(1_731_705_121),
                List.of(bytes("{\"event_type\":\"ping\","), bytes("\"data\":{\"success\":true}}")));
        assertThat(headers)
                .containsEntry("webhook-id", "msg_loFOjxBNrRLzqYUf")
                .containsEntry("webhook-timestamp", "1731705121")
                .containsEntry("webhook-signature", "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=");
    }

    @Test
    void ownForm_isThatOfGitHubsExample() throws Exception {
        assertThat(form("{\"header\": \"X-Hub-Signature-256\", \"prefix\": \"sha256=\"}")
                        .headers(
                                List.of("It's a Secret to Everybody"),
                                "1",
                                Instant.now(),
                                List.of(bytes("Hello, World!"))))
                .containsExactly(Map.entry(
                        "X-Hub-Signature-256",
                        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"));
    }

    @Test
    void wrongForms_areRefused() {
        for (Map.Entry<String, String> each : Map.of(
                        "{}", "the header of the signature",
                        "{\"header\": \"Host\"}", "not yours to say",
                        "{\"header\": \"X\\nY\"}", "no name of a header",
                        "{\"header\": \"X\", \"encoding\": \"base32\"}", "hex or base64",
                        "{\"header\": \"X\", \"prefix\": \"a b\"}", "printable characters")
                .entrySet())
            assertThatThrownBy(() -> form(each.getKey()))
                    .as(each.getKey())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(each.getValue());
    }
}
