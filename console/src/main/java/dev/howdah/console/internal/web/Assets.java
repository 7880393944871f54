package dev.howdah.console.internal.web;

import dev.howdah.console.internal.access.RefusedException;
import dev.howdah.internal.text.Sha256;
import io.javalin.http.Context;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/** The stylesheet, the script and the icon, under names that change with what they hold. Immutable. */
final class Assets {
    private static final Map<String, String> TYPES = Map.of(
            "console.css", "text/css; charset=utf-8",
            "console.js", "text/javascript; charset=utf-8",
            "icon.svg", "image/svg+xml");

    private final Map<String, byte[]> bytes = new LinkedHashMap<>();
    private final Map<String, String> digests = new LinkedHashMap<>();

    Assets() {
        for (String name : TYPES.keySet()) {
            byte[] content = read(name);
            bytes.put(name, content);
            digests.put(name, digest(content));
        }
    }

    private static byte[] read(String name) {
        try (InputStream in = Assets.class.getResourceAsStream("/dev/howdah/console/assets/" + name)) {
            if (in == null) throw new IllegalStateException("the program lacks its file " + name);
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String digest(byte[] content) {
        return HexFormat.of().formatHex(Sha256.of(content), 0, 8);
    }

    /** The path of that file. */
    String path(String name) {
        return "/static/" + digests.get(name) + "/" + name;
    }

    /** Answers a request for {@code /static/{digest}/{name}}. */
    void serve(Context request) {
        String name = request.pathParam("name");
        byte[] content = bytes.get(name);
        if (content == null || !request.pathParam("digest").equals(digests.get(name)))
            throw new RefusedException(404, "There is no such file.");
        request.header("Cache-Control", "public, max-age=31536000, immutable");
        request.contentType(String.valueOf(TYPES.get(name)));
        request.result(content);
    }
}
