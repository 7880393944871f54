package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A program that uses the HTTP API. Each answer is checked against the OpenAPI document of the server. */
final class ApiClient {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI address;
    private final JsonNode document;
    private final @Nullable String authorization;

    ApiClient(URI address) {
        this(address, null);
    }

    /** @param authorization the header of each request; null: none */
    ApiClient(URI address, @Nullable String authorization) {
        this(address, authorization, authorization);
    }

    /**
     * One whose role may not read the document.
     *
     * @param reader the header with which the document is read
     */
    ApiClient(URI address, @Nullable String reader, @Nullable String authorization) {
        this.address = address;
        this.authorization = authorization;
        this.document =
                read(send(request("GET", "/api/v1/openapi.json", null, reader)).body());
    }

    /** An answer: its status, its JSON. */
    record Answer(int status, JsonNode json, HttpResponse<String> response) {
        String text(String name) {
            return json.path(name).asText();
        }
    }

    JsonNode document() {
        return document;
    }

    Answer get(String path) {
        return checked("GET", path, raw("GET", "/api/v1" + path, null));
    }

    Answer post(String path, @Nullable String body, String... headers) {
        return checked("POST", path, raw("POST", "/api/v1" + path, body, headers));
    }

    CompletableFuture<Answer> postLater(String path, @Nullable String body, String... headers) {
        return http.sendAsync(
                        request("POST", "/api/v1" + path, body, authorization, headers),
                        HttpResponse.BodyHandlers.ofString())
                .thenApply(answer -> checked("POST", path, answer));
    }

    HttpResponse<String> raw(String method, String path, @Nullable String body, String... headers) {
        return send(request(method, path, body, authorization, headers));
    }

    private HttpResponse<String> send(HttpRequest request) {
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private HttpRequest request(
            String method, String path, @Nullable String body, @Nullable String as, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(address.resolve(path)).timeout(Duration.ofSeconds(60));
        if (body != null && !List.of(headers).contains("Content-Type"))
            request.header("Content-Type", "application/json");
        if (as != null) request.header("Authorization", as);
        if (headers.length > 0) request.headers(headers);
        return request.method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body))
                .build();
    }

    private Answer checked(String method, String path, HttpResponse<String> answer) {
        JsonNode json = read(answer.body());
        JsonNode operation = operation(method, path.replaceAll("\\?.*", ""));
        String type = answer.headers().firstValue("Content-Type").orElse("");
        JsonNode responses = operation.path("responses");
        JsonNode documented = responses.path(Integer.toString(answer.statusCode()));
        if (documented.isMissingNode()) documented = responses.path("default");
        JsonNode content = documented.path("content").path(type);
        assertThat(content.isMissingNode())
                .as("%s %s: %s %s is not documented: %s", method, path, answer.statusCode(), type, answer.body())
                .isFalse();
        List<String> wrong = new ArrayList<>();
        check(content.path("schema"), json, "", wrong);
        assertThat(wrong).as(answer.body()).isEmpty();
        return new Answer(answer.statusCode(), json, answer);
    }

    private JsonNode operation(String method, String path) {
        JsonNode paths = document.path("paths");
        for (var names = paths.fieldNames(); names.hasNext(); ) {
            String each = names.next();
            JsonNode operation = paths.path(each).path(method.toLowerCase(java.util.Locale.ROOT));
            if (path.matches(each.replaceAll("\\{[^}]*}", "[^/]+")) && !operation.isMissingNode()) return operation;
        }
        throw new AssertionError(method + " " + path + " is not documented");
    }

    private void check(JsonNode schema, JsonNode value, String at, List<String> wrong) {
        JsonNode reference = schema.path("$ref");
        if (!reference.isMissingNode()) {
            check(document.at(reference.asText().substring(1)), value, at, wrong);
            return;
        }
        String type = schema.path("type").asText("");
        boolean fits = switch (type) {
            case "string" -> value.isTextual();
            case "integer" -> value.isIntegralNumber();
            case "number" -> value.isNumber();
            case "boolean" -> value.isBoolean();
            case "array" -> value.isArray();
            case "object" -> value.isObject();
            default -> true;
        };
        if (!fits) wrong.add(at + " is no " + type + ": " + value);
        if (schema.has("pattern")
                && !value.asText().matches(schema.path("pattern").asText())) wrong.add(at + ": " + value);
        if (type.equals("array")) for (JsonNode each : value) check(schema.path("items"), each, at + "/*", wrong);
        if (!type.equals("object") || !schema.has("properties")) return;
        for (JsonNode each : schema.path("required"))
            if (!value.has(each.asText())) wrong.add(at + "/" + each.asText() + " is missing");
        value.fields().forEachRemaining(each -> {
            JsonNode property = schema.path("properties").path(each.getKey());
            if (property.isMissingNode()) wrong.add(at + "/" + each.getKey() + " is not documented");
            else check(property, each.getValue(), at + "/" + each.getKey(), wrong);
        });
    }

    static JsonNode read(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new AssertionError("this is no JSON: " + text, e);
        }
    }
}
