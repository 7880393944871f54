package dev.howdah.job.internal.store;

import dev.howdah.internal.text.NameText;
import dev.howdah.job.NewJob;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** Checks the names of queues, kinds and tags. */
public final class JobNames {
    private static final int LONGEST = 200;
    private static final int LONGEST_KEY = 400;
    private static final int LONGEST_TAG = 100;
    private static final int MOST_TAGS = 20;

    private JobNames() {}

    /**
     * Checks the names of a job that is to be added, as {@link NameText} says.
     *
     * @throws IllegalArgumentException if one cannot be
     */
    public static void checkNew(NewJob<?> job) {
        NameText.check("the name of a queue", job.queue());
        NameText.check("the name of a kind", job.kind().name());
        String key = job.key();
        if (key != null) NameText.check("a key", key);
        String order = job.orderKey();
        if (order != null) NameText.check("an order key", order);
    }

    /**
     * As {@link #check}, of a name that may be new.
     *
     * @throws IllegalArgumentException also as {@link NameText#check}
     */
    public static String checkNew(String what, String name) {
        return NameText.check("the name of a " + what, check(what, name));
    }

    /**
     * Checks a name by its length; it may be of something that is there already.
     *
     * @param what for the message: "queue" or "kind"
     */
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

    /** Returns whether something can have that name, for questions: there is nothing of another name. */
    public static boolean canBe(String name) {
        return !name.isEmpty() && name.codePointCount(0, name.length()) <= LONGEST && name.indexOf('\0') < 0;
    }

    /** Returns these tags, each once, sorted. */
    public static List<String> checkTags(Collection<String> tags) {
        SortedSet<String> sorted = new TreeSet<>();
        for (String tag : tags) {
            int length = tag.codePointCount(0, tag.length());
            if (length < 1 || length > LONGEST_TAG)
                throw new IllegalArgumentException("a tag has 1 to " + LONGEST_TAG + " characters, not " + length
                        + (length == 0 ? "" : ": " + tag.substring(0, 40) + "..."));
            if (tag.indexOf('\0') >= 0)
                throw new IllegalArgumentException("a tag has no character 0: " + tag.replace("\0", "\\0"));
            sorted.add(tag);
        }
        if (sorted.size() > MOST_TAGS)
            throw new IllegalArgumentException(sorted.size() + " tags: a job has " + MOST_TAGS + " at most");
        return List.copyOf(sorted);
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
