package dev.howdah.job.internal.store;

/** What queues and kinds may be called. */
public final class JobNames {
    private static final int LONGEST = 200;
    private static final int LONGEST_KEY = 400;

    private JobNames() {}

    /** @param what for the message: "queue" or "kind" */
    public static String check(String what, String name) {
        if (name.isEmpty()) throw new IllegalArgumentException("a " + what + " needs a name of 1 to 200 characters");
        if (name.codePointCount(0, name.length()) > LONGEST)
            throw new IllegalArgumentException("the name of a " + what + " has at most 200 characters, not "
                    + name.codePointCount(0, name.length()) + ": " + name.substring(0, 40) + "...");
        if (name.indexOf('\0') >= 0)
            throw new IllegalArgumentException(
                    "the name of a " + what + " has no character 0: " + name.replace("\0", "\\0"));
        return name;
    }

    public static String checkKey(String key) {
        int length = key.codePointCount(0, key.length());
        if (length < 1 || length > LONGEST_KEY)
            throw new IllegalArgumentException("a key has 1 to " + LONGEST_KEY + " characters, not " + length
                    + (length == 0 ? "" : ": " + key.substring(0, 40) + "..."));
        if (key.indexOf('\0') >= 0)
            throw new IllegalArgumentException("a key has no character 0: " + key.replace("\0", "\\0"));
        return key;
    }
}
