package dev.howdah.examples.agent;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** The shop's own services. */
public final class Shop {
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final URI address;

    /** @param address with a slash at its end */
    public Shop(URI address) {
        this.address = address;
    }

    /** @param key of the request, the same each time that it is sent */
    String ask(String what, String key, int... numbers) throws IOException, InterruptedException {
        StringBuilder path = new StringBuilder(what);
        for (int each : numbers) path.append('/').append(each);
        HttpRequest request = HttpRequest.newBuilder(address.resolve(path.toString()))
                .timeout(Duration.ofMinutes(1))
                .header("idempotency-key", key)
                .build();
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) throw new IOException("the shop answered " + answer.statusCode());
        return answer.body();
    }
}
