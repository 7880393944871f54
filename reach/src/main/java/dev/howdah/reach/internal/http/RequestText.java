package dev.howdah.reach.internal.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import dev.howdah.internal.http.HttpPost;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.call.Target;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The request of a task: its input as the body, or as a whole request.
 *
 * @param path with the query
 * @param headers of the row, their names in small letters
 * @param key of the row's own; null where it has none
 */
record RequestText(
        String method,
        String path,
        Map<String, String> headers,
        String body,
        @Nullable String key) {
    private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");
    private static final Set<String> CREDENTIALS = Set.of("authorization", "proxy-authorization", "cookie");
    private static final int MOST_HEADERS = 100;
    private static final int LONGEST_PATH = 2_000;

    static RequestText of(String input, Target target) throws ReachFailure {
        String whole = target.option("input");
        if (whole != null && !whole.equals("body") && !whole.equals("request") && !whole.equals("multipart"))
            throw ReachFailure.lasting(
                    Code.ADDRESS, "the option input is body, request or multipart, not \"" + whole + "\"");
        if ("multipart".equals(whole)) return form(target);
        if (target.option("body") != null && !input.isEmpty())
            throw wrong("with the option body a document is sent, and input has to be empty");
        if ("request".equals(whole) && !target.all("header").isEmpty())
            throw wrong("with input=request its headers stand in input, and not in the option header");
        return "request".equals(whole) ? whole(input, target) : body(input, target);
    }

    /** The input is a form, which is read later. */
    private static RequestText form(Target target) throws ReachFailure {
        if (target.option("body") != null)
            throw wrong("a form names its documents in input, and not by the option body");
        RequestText form = body("[]", target);
        if (target.option("type") != null || target.all("header").stream().anyMatch(RequestText::isType))
            throw wrong("the type of a form is multipart/form-data, and needs no option");
        Map<String, String> headers = new LinkedHashMap<>(form.headers());
        headers.remove("content-type");
        return new RequestText(form.method(), form.path(), headers, "", form.key());
    }

    private static boolean isType(String header) {
        return header.toLowerCase(Locale.ROOT).startsWith("content-type");
    }

    private static RequestText body(String input, Target target) throws ReachFailure {
        String given = target.option("method");
        boolean sends = !input.isEmpty() || target.option("body") != null;
        String method = method(given == null ? sends ? "POST" : "GET" : given);
        String type = target.option("type");
        Map<String, String> headers = new LinkedHashMap<>();
        for (String each : target.all("header")) {
            int colon = each.indexOf(':');
            if (colon < 1) throw wrong("the option header is NAME:VALUE, not \"" + each + "\"");
            String name = each.substring(0, colon).toLowerCase(Locale.ROOT);
            if (name.equals("idempotency-key")) throw wrong("its idempotency key is the option key");
            if (headers.put(name, checked(name, each.substring(colon + 1).strip())) != null)
                throw wrong("it has the header " + name + " twice");
            if (headers.size() > MOST_HEADERS) throw wrong("it has more than " + MOST_HEADERS + " headers");
        }
        if (type != null) headers.put("content-type", checked("content-type", type));
        String key = target.option("key");
        return new RequestText(method, path(target), typed(headers, input), input, key == null ? null : key(key));
    }

    private static String path(Target target) {
        String path = target.path().isEmpty() ? "/" : target.path();
        return target.query() == null ? path : path + "?" + target.query();
    }

    private static Map<String, String> typed(Map<String, String> headers, String body) {
        if (!body.isEmpty())
            headers.putIfAbsent("content-type", isJson(body) ? "application/json" : "text/plain; charset=utf-8");
        return headers;
    }

    /** Returns whether a text is an object or array of JSON. */
    private static boolean isJson(String text) {
        String start = text.stripLeading();
        if (!start.startsWith("{") && !start.startsWith("[")) return false;
        try (JsonParser parser = new JsonFactory().createParser(text)) {
            parser.nextToken();
            parser.skipChildren();
            return parser.nextToken() == null;
        } catch (IOException e) {
            return false;
        }
    }

    /** The method and path of the first line of a whole request. */
    private record RequestLine(String method, String path) {
        static RequestLine of(String text) throws ReachFailure {
            int at = text.indexOf('\n');
            String first = (at < 0 ? text : text.substring(0, at)).stripTrailing();
            String[] words = first.split(" ", -1);
            if (words.length < 2 || words.length > 3 || words.length == 3 && !words[2].startsWith("HTTP/"))
                throw wrong("its first line has to be METHOD and a path, such as: PUT /v1/customers/17");
            String method = RequestText.method(words[0]);
            if (!words[1].matches("/[\\x21-\\x7e]*") || words[1].contains("#"))
                throw wrong(
                        "the path in its first line has to begin with / and to have no blanks, and no host before it");
            if (words[1].length() > LONGEST_PATH)
                throw wrong("the path in its first line has more than " + LONGEST_PATH + " characters");
            return new RequestLine(method, words[1]);
        }
    }

    /** What follows empty lines. Together with the longest path they are not more than is read for limits. */
    private static String begun(String input) {
        return input.replaceFirst("^(\\r?\\n){1,50}", "");
    }

    /** The target of a whole request: with the path that its first line names, by which it is allowed or not. */
    static Target target(Target target, String input) throws ReachFailure {
        String path = RequestLine.of(begun(input)).path();
        int mark = path.indexOf('?');
        return new Target(
                target.scheme(),
                target.user(),
                target.host(),
                target.port(),
                mark < 0 ? path : path.substring(0, mark),
                mark < 0 ? null : path.substring(mark + 1),
                target.options());
    }

    private static RequestText whole(String input, Target target) throws ReachFailure {
        String text = begun(input);
        int at = text.indexOf('\n');
        RequestLine first = RequestLine.of(text);
        Map<String, String> headers = new LinkedHashMap<>();
        String key = null;
        int from = at < 0 ? text.length() : at + 1;
        while (from < text.length()) {
            int end = text.indexOf('\n', from);
            String line = text.substring(from, end < 0 ? text.length() : end);
            from = end < 0 ? text.length() : end + 1;
            if (line.endsWith("\r")) line = line.substring(0, line.length() - 1);
            if (line.isEmpty()) break;
            int colon = line.indexOf(':');
            if (colon < 1) throw wrong("a header has to be NAME: VALUE, and an empty line stands before the body");
            String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
            String value = line.substring(colon + 1).strip();
            if (name.equals("idempotency-key")) key = key(value);
            else headers.put(name, checked(name, value));
            if (headers.size() > MOST_HEADERS) throw wrong("it has more than " + MOST_HEADERS + " headers");
        }
        String body = text.substring(from);
        return new RequestText(first.method(), first.path(), typed(headers, body), body, key);
    }

    private static String method(String given) throws ReachFailure {
        if (METHODS.contains(given)) return given;
        throw wrong("its method has to be GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS");
    }

    private static String key(String given) throws ReachFailure {
        if (given.matches("[\\x21-\\x7e]{1,200}")) return given;
        throw wrong("its key has to be 1 to 200 printable characters of ASCII without blanks");
    }

    private static String checked(String name, String value) throws ReachFailure {
        if (CREDENTIALS.contains(name))
            throw ReachFailure.lasting(
                    Code.SECRET_IN_ROW,
                    "remote and input must not contain a credential: the header " + name,
                    null,
                    "Give it a name under \"credentials\" in the file of --reach, and write #as=NAME in remote.");
        try {
            HttpPost.checked(name, value);
            return value;
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private static ReachFailure wrong(String reason) {
        return ReachFailure.lasting(Code.INPUT, "the request cannot be sent: " + reason);
    }
}
