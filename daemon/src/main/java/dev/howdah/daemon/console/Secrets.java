package dev.howdah.daemon.console;

import java.util.regex.Pattern;

/** Keeps passwords in connection strings from being shown. */
public final class Secrets {
    /** A word of libpq or a parameter of a URI, quoted or not, complete or not. */
    private static final Pattern WORD =
            Pattern.compile("(password\\s*=\\s*)((?:'(?:[^'\\\\]|\\\\.)*(?:'|$))+|[^\\s&]*)", Pattern.CASE_INSENSITIVE);

    /** In front of the host of a URI. */
    private static final Pattern USER = Pattern.compile("(://[^:@/\\s]*:)\\S*@");

    private Secrets() {}

    /** The address with stars for its passwords, however badly it is written. */
    public static String hidden(String address) {
        String words = WORD.matcher(address).replaceAll("$1***");
        return USER.matcher(words).replaceAll("$1***@");
    }
}
