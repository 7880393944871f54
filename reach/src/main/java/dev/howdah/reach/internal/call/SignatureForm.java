package dev.howdah.reach.internal.call;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.internal.http.HttpPost;
import dev.howdah.internal.http.Signer;
import dev.howdah.reach.internal.secret.JsonKeys;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a request is signed by HMAC-SHA256: over its id, its time and its body, as far as they have a header, with points between.
 * Immutable.
 *
 * @param header of the signature
 * @param id the header of the idempotency key; null for none
 * @param timestamp the header of the time in seconds; null for none
 * @param prefix before the signature
 * @param base64 instead of hexadecimal digits
 */
public record SignatureForm(
        String header, @Nullable String id, @Nullable String timestamp, String prefix, boolean base64) {
    /** Standard Webhooks. */
    static final SignatureForm STANDARD =
            new SignatureForm("webhook-signature", "webhook-id", "webhook-timestamp", "v1,", true);

    /** @throws IllegalArgumentException if it is none */
    static SignatureForm of(JsonNode node) {
        String header = name(node, "header");
        if (header == null)
            throw new IllegalArgumentException(
                    "the kind hmac has the header of the signature: \"header\": \"X-Signature\"");
        String prefix = JsonKeys.text(node, "prefix");
        if (prefix != null && !prefix.matches("[\\x21-\\x7e]{0,50}"))
            throw new IllegalArgumentException(
                    "\"prefix\" has to be of printable characters of ASCII, such as sha256=");
        String encoding = JsonKeys.text(node, "encoding");
        if (encoding != null && !encoding.equals("hex") && !encoding.equals("base64"))
            throw new IllegalArgumentException("\"encoding\" has to be hex or base64");
        return new SignatureForm(
                header,
                name(node, "id"),
                name(node, "timestamp"),
                prefix == null ? "" : prefix,
                "base64".equals(encoding));
    }

    private static @Nullable String name(JsonNode node, String key) {
        String name = JsonKeys.text(node, key);
        if (name == null) return null;
        // These are refused in rows alone.
        if (!name.matches("(?i)webhook-[a-z]{1,50}")) HttpPost.checked(name, "x");
        return name;
    }

    /**
     * The headers of a request.
     *
     * @param secrets the main one first; a standard signature has one for each
     * @param number the same in each attempt
     */
    public Map<String, String> headers(List<String> secrets, String number, Instant now, List<byte[]> body) {
        String seconds = Long.toString(now.getEpochSecond());
        Map<String, String> headers = new LinkedHashMap<>();
        List<byte[]> signed = new ArrayList<>();
        if (id != null) headers.put(id, number);
        if (timestamp != null) headers.put(timestamp, seconds);
        String before = (id == null ? "" : number + ".") + (timestamp == null ? "" : seconds + ".");
        signed.add(before.getBytes(StandardCharsets.UTF_8));
        signed.addAll(body);
        List<String> all = new ArrayList<>();
        for (String each : equals(STANDARD) ? secrets : secrets.subList(0, 1)) {
            byte[] hash = Signer.of(each).hash(signed);
            all.add(prefix
                    + (base64
                            ? Base64.getEncoder().encodeToString(hash)
                            : HexFormat.of().formatHex(hash)));
        }
        headers.put(header, String.join(" ", all));
        return headers;
    }
}
