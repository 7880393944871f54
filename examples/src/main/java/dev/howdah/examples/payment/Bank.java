package dev.howdah.examples.payment;

import dev.howdah.process.StepFailedException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** A bank. Each request has a key that names what it is for, by which the bank knows one that comes again. */
public final class Bank {
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final URI address;

    /** @param address with a slash at its end */
    public Bank(URI address) {
        this.address = address;
    }

    /** Keeps money from being spent otherwise. */
    public void hold(String payment, String card, long cents) throws IOException, InterruptedException {
        ask("hold", payment, card + " " + cents);
    }

    /** Takes what is held. */
    public void capture(String payment) throws IOException, InterruptedException {
        ask("capture", payment, "");
    }

    /** Gives back what is held. */
    public void release(String payment) throws IOException, InterruptedException {
        ask("release", payment, "");
    }

    private void ask(String what, String payment, String details) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(address.resolve(what))
                .timeout(Duration.ofSeconds(20))
                .header("idempotency-key", payment + "/" + what)
                .POST(HttpRequest.BodyPublishers.ofString(details))
                .build();
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        // The bank has decided: no other attempt will be answered otherwise.
        if (answer.statusCode() / 100 == 4) throw new StepFailedException(answer.body());
        if (answer.statusCode() / 100 != 2) throw new IOException("the bank answered " + answer.statusCode());
    }
}
