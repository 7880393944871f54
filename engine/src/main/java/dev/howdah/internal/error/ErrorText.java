package dev.howdah.internal.error;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The text of an error as tables and logs show it. The first line is the class and the message; behind it come the stack trace
 * and the causes, all of it bounded. The text contains no character that PostgreSQL refuses. Nothing that a throwable does in its own
 * methods (throw, return null, a cycle of causes) prevents a text.
 *
 * @param line the first line: the class and the message, or the message alone
 * @param text the first line, the stack trace and the causes
 * @param isRegular whether the throwable can be handed to a logging library, which calls its methods without precautions
 */
public record ErrorText(String line, String text, boolean isRegular) {
    /** The number of characters of a text, at most. */
    public static final int LONGEST = 8_000;

    private static final int LONGEST_LINE = 1_000;
    private static final int LONGEST_MESSAGE = 4_000;
    private static final int LONGEST_CAUSE = 300;
    private static final int FRAMES = 30;
    private static final int FRAMES_OF_CAUSE = 10;
    private static final int CAUSES = 8;
    private static final int CHAIN = 50;
    private static final String FRAME = "\n\tat ";
    private static final String CAUSED_BY = "\nCaused by: ";

    /** The text of a throwable: its class, message, stack trace and causes. */
    public static ErrorText of(Throwable thrown) {
        return of(thrown, "", false);
    }

    /**
     * The text of a throwable.
     *
     * @param before stands in front of the first line; may be empty
     * @param messageOnly whether the first line leaves out the class, for exceptions that only carry a message
     */
    public static ErrorText of(Throwable thrown, String before, boolean messageOnly) {
        try {
            return new Renderer(thrown).render(before, messageOnly);
        } catch (Throwable e) {
            // Such as no memory, or no stack left.
            String name = before + thrown.getClass().getName();
            return new ErrorText(name, name, false);
        }
    }

    /** The text of an error that is no exception: a reason that user code gave. */
    public static ErrorText of(String reason) {
        String text = cut(storable(reason), LONGEST);
        return new ErrorText(cut(oneLine(text), LONGEST_LINE), text, true);
    }

    /** The class and the message of a throwable in one line, for logs. */
    public static String line(@Nullable Throwable thrown) {
        return thrown == null ? "null" : of(thrown).line();
    }

    /** The message of a throwable as it is, but for characters that PostgreSQL refuses; empty if it has none. */
    public static String message(Throwable thrown) {
        return new Renderer(thrown).message(thrown);
    }

    /** The text with another first line. */
    public ErrorText withLine(String other) {
        return new ErrorText(
                other, cut(other + text.substring(Math.min(line.length(), text.length())), LONGEST), isRegular);
    }

    /** The text with more in its first line. */
    public ErrorText with(String more) {
        String longer = line + more;
        return new ErrorText(
                longer, cut(longer + text.substring(Math.min(line.length(), text.length())), LONGEST), isRegular);
    }

    /** The text, at most that long. */
    public String text(int longest) {
        return cut(text, longest);
    }

    /** What stands in front of the stack trace and the causes of a text. */
    public static String withoutTrace(String text) {
        int frame = text.indexOf(FRAME);
        int cause = text.indexOf(CAUSED_BY);
        int end = frame < 0 ? cause : cause < 0 ? frame : Math.min(frame, cause);
        return end < 0 ? text : text.substring(0, end);
    }

    /** The text as PostgreSQL takes it in every database of UTF-8: without the character 0 and without halves of characters. */
    public static String storable(String text) {
        StringBuilder clean = null;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean pair = Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (pair) {
                if (clean != null) clean.append(c).append(text.charAt(i + 1));
                i++;
            } else if (c == 0 || Character.isSurrogate(c)) {
                if (clean == null) clean = new StringBuilder(text.length()).append(text, 0, i);
                clean.append('\uFFFD');
            } else if (clean != null) {
                clean.append(c);
            }
        }
        return clean == null ? text : clean.toString();
    }

    /** The text as every database takes it, whatever its encoding: other characters than those of ASCII become question marks. */
    public static String ascii(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints().forEach(c -> clean.append(c == 0 || c > 126 ? '?' : (char) c));
        return clean.toString();
    }

    private static String cut(String text, int longest) {
        if (text.length() <= longest) return text;
        int end = Character.isHighSurrogate(text.charAt(longest - 1)) ? longest - 1 : longest;
        return text.substring(0, end) + "...";
    }

    private static String oneLine(String text) {
        String line = text.strip();
        boolean plain = line.chars().noneMatch(c -> c == '\n' || c == '\t' || PlainText.isUnsafe(c));
        return plain
                ? line
                : PlainText.line(line.replaceAll("\\s*\\R\\s*", "; ").replace('\t', ' '));
    }

    /** Renders one throwable. */
    private static final class Renderer {
        private final List<Throwable> chain;
        private boolean regular = true;

        Renderer(Throwable thrown) {
            chain = chain(thrown);
            for (Throwable each : chain) regular &= hasText(each);
        }

        /** Libraries for logging and tracing ask for it. */
        private static boolean hasText(Throwable thrown) {
            try {
                Objects.requireNonNull(thrown.toString());
                return true;
            } catch (Throwable e) {
                return false;
            }
        }

        private List<Throwable> chain(Throwable thrown) {
            List<Throwable> found = new ArrayList<>();
            Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
            Throwable next = thrown;
            while (next != null && found.size() < CHAIN && seen.add(next)) {
                found.add(next);
                next = cause(next);
            }
            // A cycle, or a chain without an end.
            if (next != null) regular = false;
            return found;
        }

        private @Nullable Throwable cause(Throwable thrown) {
            try {
                return thrown.getCause();
            } catch (Throwable e) {
                regular = false;
                return null;
            }
        }

        private String message(Throwable thrown) {
            try {
                String message = thrown.getMessage();
                return message == null ? "" : storable(cut(message, LONGEST_MESSAGE));
            } catch (Throwable e) {
                regular = false;
                return "(getMessage() threw " + e.getClass().getName() + ")";
            }
        }

        private StackTraceElement[] frames(Throwable thrown) {
            try {
                StackTraceElement[] frames = thrown.getStackTrace();
                for (StackTraceElement each : frames) if (each == null) throw new IllegalStateException("no frame");
                return frames;
            } catch (Throwable e) {
                regular = false;
                return new StackTraceElement[0];
            }
        }

        ErrorText render(String before, boolean messageOnly) {
            Throwable thrown = chain.get(0);
            String message = message(thrown);
            String oneLine = oneLine(message);
            String line = before + first(thrown, oneLine, messageOnly);
            StringBuilder text = new StringBuilder(cut(line, LONGEST_LINE));
            if (line.length() > LONGEST_LINE) text.append('\n').append(message);
            StackTraceElement[] frames = frames(thrown);
            append(text, frames, FRAMES, 0);
            int left = chain.size() > CAUSES + 1 ? chain.size() - CAUSES - 1 : 0;
            for (int i = 1; i < chain.size(); i++) {
                if (left > 0 && i == 1 + CAUSES / 2) {
                    text.append("\n... ").append(left).append(" causes");
                    i += left;
                }
                frames = appendCause(text, chain.get(i), frames(chain.get(i - 1)));
            }
            return new ErrorText(cut(line, LONGEST_LINE), cut(text.toString(), LONGEST), regular);
        }

        private static String first(Throwable thrown, String message, boolean messageOnly) {
            String name = thrown.getClass().getName();
            if (message.isEmpty()) return name;
            return messageOnly ? message : name + ": " + message;
        }

        private StackTraceElement[] appendCause(StringBuilder text, Throwable cause, StackTraceElement[] enclosing) {
            String line = first(cause, oneLine(message(cause)), false);
            text.append(CAUSED_BY).append(cut(line, LONGEST_CAUSE));
            StackTraceElement[] frames = frames(cause);
            int common = 0;
            while (common < Math.min(frames.length, enclosing.length)
                    && frames[frames.length - 1 - common].equals(enclosing[enclosing.length - 1 - common])) common++;
            append(text, frames, FRAMES_OF_CAUSE, common);
            return frames;
        }

        private static void append(StringBuilder text, StackTraceElement[] frames, int most, int common) {
            int shown = Math.min(frames.length - common, most);
            for (int i = 0; i < shown; i++) text.append(FRAME).append(storable(frames[i].toString()));
            if (shown < frames.length)
                text.append("\n\t... ").append(frames.length - shown).append(" more");
        }
    }
}
