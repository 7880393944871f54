package dev.howdah.console.internal.signal;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.howdah.console.internal.access.RequestGuard;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.Problems;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Pages for outside parties with the token of a signal: it is sent by a button, since programs that look at mails follow links. */
public final class SignalPages {
    private static final String PATH = RequestGuard.SIGNALS + "{token}";
    private static final String TOKEN = "token";
    private static final String PAYLOAD = "payload";
    private static final int NOT_FOUND = 404;
    private static final int GONE = 410;
    private static final int INVALID = 422;

    private final TokenSignals signals;
    private final Function<Shown, String> renderer;
    private final String base;
    private final UnaryOperator<String> assets;

    /**
     * @param renderer makes the HTML
     * @param base the path before each link; empty: none
     * @param assets the paths of files by their names
     */
    public SignalPages(
            TokenSignals signals, Function<Shown, String> renderer, String base, UnaryOperator<String> assets) {
        this.signals = signals;
        this.renderer = renderer;
        this.base = base;
        this.assets = assets;
    }

    /**
     * What a page shows.
     *
     * @param base the path before each link; empty: none
     * @param path to which the button sends; null: there is none
     * @param payload JSON that it sends; null: null
     */
    public record Shown(
            String base,
            String sentence,
            @Nullable String path,
            @Nullable String payload,
            String css,
            String icon) {}

    /** Adds the routes. */
    public void addTo(RoutesConfig routes) {
        RequestGuard.read(routes, PATH, answered(this::ask), RequestGuard.Open.TO_ALL);
        routes.post(PATH, answered(this::send), RequestGuard.Open.TO_ALL);
    }

    private Handler answered(Consumer<Context> work) {
        return context -> {
            try {
                work.accept(context);
            } catch (RuntimeException e) {
                ApiProblemException problem = Problems.of(e);
                context.status(problem.status());
                show(context, sentence(problem.status()), null, null);
            }
        };
    }

    private static String sentence(int status) {
        return switch (status) {
            case NOT_FOUND -> "There is no such address.";
            case GONE -> "This was answered already, or is over.";
            case INVALID -> "This address is not complete.";
            default -> "This cannot be answered now: try again later.";
        };
    }

    private void ask(Context context) {
        String name = signals.name(context.pathParam(TOKEN));
        String payload = json(context.queryParam(PAYLOAD));
        show(context, "Do you confirm \"" + name + "\"?", base + context.req().getRequestURI(), payload);
    }

    private void send(Context context) {
        String token = context.pathParam(TOKEN);
        // Before the form is read: what comes without a token costs little.
        signals.name(token);
        String payload = json(context.formParam(PAYLOAD));
        signals.send(RequestGuard.outsider(context), token, payload == null ? "null" : payload);
        show(context, "Thank you: this is confirmed.", null, null);
    }

    private static @Nullable String json(@Nullable String text) {
        if (text == null || text.isEmpty()) return null;
        try {
            ApiJson.parse(text);
            return text;
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw ApiProblemException.ofField(PAYLOAD, "payload is no JSON");
        }
    }

    private void show(Context context, String sentence, @Nullable String path, @Nullable String payload) {
        context.contentType("text/html; charset=utf-8")
                .result(renderer.apply(new Shown(
                                base, sentence, path, payload, assets.apply("console.css"), assets.apply("icon.svg")))
                        .getBytes(StandardCharsets.UTF_8));
    }
}
