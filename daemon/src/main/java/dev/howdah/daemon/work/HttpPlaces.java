package dev.howdah.daemon.work;

import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Secrets;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The allowed targets of requests: by scheme, host and port, each as it is written. Immutable. */
public final class HttpPlaces {
    private record Place(String scheme, String host, int port) {
        @Override
        public String toString() {
            return scheme + "://" + host + (port == usual(scheme) ? "" : ":" + port);
        }
    }

    private final List<Place> allowed;

    private HttpPlaces(List<Place> allowed) {
        this.allowed = List.copyOf(allowed);
    }

    /**
     * Reads what the setting {@code http-allow} says.
     *
     * @throws CliException if something in the list is no place
     */
    public static HttpPlaces of(List<String> list) {
        List<Place> places = new ArrayList<>();
        for (String each : list) {
            String wrong = "--http-allow: \"" + each + "\" has to be https://HOST or http://HOST, or that with :PORT";
            URI uri;
            try {
                uri = new URI(each);
            } catch (URISyntaxException e) {
                throw CliException.usage(wrong);
            }
            Place place = place(uri);
            boolean more = uri.getRawUserInfo() != null
                    || uri.getRawQuery() != null
                    || uri.getRawFragment() != null
                    || !(uri.getRawPath() == null || uri.getRawPath().matches("/?"));
            if (place == null || more) throw CliException.usage(wrong);
            places.add(place);
        }
        return new HttpPlaces(places);
    }

    private static @Nullable Place place(URI uri) {
        if (uri.getScheme() == null || uri.getHost() == null) return null;
        String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
        int usual = usual(scheme);
        if (usual == 0 || uri.getPort() == 0 || uri.getPort() > 65_535) return null;
        return new Place(scheme, uri.getHost().toLowerCase(Locale.ROOT), uri.getPort() < 0 ? usual : uri.getPort());
    }

    private static int usual(String scheme) {
        return switch (scheme) {
            case "https" -> 443;
            case "http" -> 80;
            default -> 0;
        };
    }

    /**
     * The address, if requests may go there.
     *
     * @throws IllegalArgumentException if they may not, or if it is none
     */
    URI check(String url) {
        URI uri = address(url);
        if (!has(uri))
            throw new IllegalArgumentException(
                    "no request may go to " + place(uri) + ": --http-allow has " + this + " where this was tried");
        return uri;
    }

    /** Returns whether requests may go there. */
    public boolean has(URI uri) {
        Place place = place(uri);
        return place != null && allowed.contains(place);
    }

    /**
     * An address to which a request can go.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static URI address(String url) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("\"url\" is none: " + Secrets.hidden(String.valueOf(e.getMessage())), e);
        }
        if (place(uri) == null)
            throw new IllegalArgumentException("\"url\" is no address of http or https: " + Secrets.hidden(url));
        if (uri.getRawUserInfo() != null)
            throw new IllegalArgumentException("\"url\" has a user or a password in it: " + Secrets.hidden(url));
        return uri;
    }

    @Override
    public String toString() {
        return String.join(", ", allowed.stream().map(Place::toString).toList());
    }
}
