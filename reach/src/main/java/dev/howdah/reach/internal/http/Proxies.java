package dev.howdah.reach.internal.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.reach.internal.call.ReachPlaces;
import dev.howdah.reach.internal.call.Target;
import dev.howdah.reach.internal.secret.JsonKeys;
import dev.howdah.reach.internal.secret.SecretSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.CredentialsProvider;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.core5.http.HttpHost;
import org.jspecify.annotations.Nullable;

/** Proxies of requests by name: {@code {"out": {"url": "http://proxy.example:3128", "for": "https://*"}}}. Immutable. */
public final class Proxies {
    private static final Set<String> KEYS = Set.of("url", "user", "file", "env", "for");
    private static final Pattern URL = Pattern.compile("http://([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(?::(\\d{1,5}))?/?");
    private static final int USUAL_PORT = 3128;

    /**
     * A proxy.
     *
     * @param user null where it asks for no login
     */
    record Proxy(
            String name,
            HttpHost host,
            @Nullable String user,
            @Nullable String password,
            ReachPlaces places) {
        /** Null where there is no login. */
        @Nullable
        CredentialsProvider login() {
            if (user == null || password == null) return null;
            BasicCredentialsProvider login = new BasicCredentialsProvider();
            login.setCredentials(new AuthScope(host), new UsernamePasswordCredentials(user, password.toCharArray()));
            return login;
        }

        /** Without the password. */
        @Override
        public String toString() {
            return "the proxy \"" + name + "\"";
        }
    }

    private final List<Proxy> all;

    private Proxies(List<Proxy> all) {
        this.all = List.copyOf(all);
    }

    /**
     * Reads such an object.
     *
     * @param node null for none
     * @throws IllegalArgumentException naming the proxy and what is wrong, never its password
     */
    public static Proxies of(@Nullable JsonNode node, SecretSource source) {
        List<Proxy> all = new ArrayList<>();
        if (node == null || node.isNull()) return new Proxies(all);
        if (!node.isObject()) throw new IllegalArgumentException("\"proxies\" has to be an object of names");
        for (Map.Entry<String, JsonNode> each : node.properties())
            try {
                all.add(proxy(each.getKey(), each.getValue(), source));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("the proxy \"" + each.getKey() + "\": " + e.getMessage(), e);
            }
        return new Proxies(all);
    }

    private static Proxy proxy(String name, JsonNode node, SecretSource source) {
        JsonKeys.only(node, KEYS);
        String url = JsonKeys.text(node, "url");
        Matcher address = URL.matcher(String.valueOf(url));
        int port = !address.matches() || address.group(2) == null ? USUAL_PORT : Integer.parseInt(address.group(2));
        if (!address.matches() || port < 1 || port > 65_535)
            throw new IllegalArgumentException(
                    "\"url\" has to be http://HOST:PORT, the login in \"user\" and \"file\"");
        List<String> places = JsonKeys.texts(node, "for");
        if (places.isEmpty() || !places.stream().allMatch(each -> each.matches("(?i)https?://.*")))
            throw new IllegalArgumentException(
                    "\"for\" has to say which requests go through it: [\"https://*\", \"http://api.example=app\"]");
        String user = JsonKeys.text(node, "user");
        boolean secret = node.has("file") || node.has("env");
        if ((user != null) != secret)
            throw new IllegalArgumentException("a login is a \"user\" and the \"file\" or \"env\" of its password");
        return new Proxy(
                name,
                new HttpHost("http", address.group(1), port),
                user,
                secret ? source.secret(node).strip() : null,
                ReachPlaces.of(places));
    }

    /** A proxy as an administrator reads it. */
    public record Entry(String name, String url, ReachPlaces places) {}

    /** All of them, in their order. */
    public List<Entry> entries() {
        return all.stream()
                .map(each -> new Entry(each.name(), each.host().toURI(), each.places()))
                .toList();
    }

    /** The first that is for requests of that owner to that target; null: they go there at once. */
    @Nullable
    Proxy of(String owner, Target target) {
        return all.stream()
                .filter(each -> each.places().has(owner, target))
                .findFirst()
                .orElse(null);
    }
}
