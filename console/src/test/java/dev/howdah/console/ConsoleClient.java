package dev.howdah.console;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A browser without a browser: reads pages, sends forms. */
final class ConsoleClient {
    private final HttpClient http =
            HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER).build();
    private final URI address;

    ConsoleClient(URI address) {
        this.address = address;
    }

    HttpResponse<String> get(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(address.resolve(path));
        if (headers.length > 0) request.headers(headers);
        return send(request.GET().build());
    }

    /** A form of our own pages, as a browser sends it. */
    HttpResponse<String> post(String path, String form) {
        return post(path, "csrf=" + csrf() + "&" + form, "Origin", address.toString());
    }

    HttpResponse<String> post(String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(address.resolve(path))
                .header("Content-Type", "application/x-www-form-urlencoded");
        if (headers.length > 0) request.headers(headers);
        return send(request.POST(HttpRequest.BodyPublishers.ofString(body)).build());
    }

    /** A form of that page, with its token. */
    HttpResponse<String> submit(String page, String path, String form) {
        String html = get(page).body();
        Matcher token = Pattern.compile("name=\"csrf\" value=\"([^\"]+)\"").matcher(html);
        if (!token.find()) throw new AssertionError(page + " has no form: " + html);
        return post(path, "csrf=" + token.group(1) + "&" + form, "Origin", address.toString());
    }

    String csrf() {
        Matcher token = Pattern.compile("name=\"csrf\" value=\"([^\"]+)\"")
                .matcher(get("/jobs/queues").body() + get("/tasks/1").body());
        if (!token.find()) throw new AssertionError("no page has a form");
        return token.group(1);
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
}
