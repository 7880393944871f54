package dev.howdah.console.internal.view;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An error with the frame of its stack trace that is most likely the user's own code: the innermost that is of no known library.
 *
 * @param before what stands before the frame: the whole text, if no frame is found
 * @param frame empty: none is found
 * @param after what stands behind the frame
 */
public record OwnFrame(String before, String frame, String after) {
    private static final Pattern JAVA = Pattern.compile("(?m)^\\s+at (?:[^\\s/(]*/)*([^\\s/(]+)\\(.*$");
    private static final Pattern LIBRARY = Pattern.compile(
            "(?:java|javax|jakarta|jdk|sun|com\\.sun|kotlin|scala|groovy|reactor|dev\\.howdah|org\\.(?:springframework|postgresql|hibernate"
                    + "|apache|eclipse|junit|slf4j|jboss|mockito)|com\\.(?:zaxxer|fasterxml|google)|io\\.(?:netty|micronaut|quarkus|vertx|smallrye))\\..*");
    /** Traces of Python end with the innermost frame, and its line of code stands below it. */
    private static final Pattern PYTHON = Pattern.compile("(?m)^ +File \"([^\"]+)\", line \\d+.*(?:\\n {4}.*)?$");

    private static final Pattern PYTHON_LIBRARY =
            Pattern.compile(".*(?:site-packages|dist-packages|/lib/python).*|<.*>");

    /** Looks for it in a text as it is shown. */
    public static OwnFrame of(String text) {
        Matcher java = JAVA.matcher(text);
        while (java.find()) if (!LIBRARY.matcher(java.group(1)).matches()) return at(text, java.start(), java.end());
        Matcher python = PYTHON.matcher(text);
        int start = -1;
        int end = -1;
        while (python.find()) {
            if (PYTHON_LIBRARY.matcher(python.group(1)).matches()) continue;
            start = python.start();
            end = python.end();
        }
        return start < 0 ? new OwnFrame(text, "", "") : at(text, start, end);
    }

    private static OwnFrame at(String text, int start, int end) {
        while (Character.isWhitespace(text.charAt(start))) start++;
        return new OwnFrame(text.substring(0, start), text.substring(start, end), text.substring(end));
    }
}
