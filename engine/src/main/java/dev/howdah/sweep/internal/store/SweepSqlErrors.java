package dev.howdah.sweep.internal.store;

import dev.howdah.internal.error.ErrorText;
import dev.howdah.sweep.ReceiverUnavailableException;
import dev.howdah.sweep.SweepException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Classifies errors of the database for a sweep. */
public final class SweepSqlErrors {
    private static final int LONGEST = 2_000;
    private static final int DEEPEST = 10;

    private SweepSqlErrors() {}

    /** The error of user code: its class and message, stack trace and causes; of a {@link SweepException} the message alone. */
    public static ErrorText error(Throwable e) {
        if (e instanceof SweepException) return ErrorText.of(text(e));
        if (e instanceof SQLException) return ErrorText.of(e).withLine(text(e));
        return ErrorText.of(e);
    }

    /** In one line, as it is shown to people. */
    public static String text(Throwable e) {
        boolean plain = e instanceof SweepException || e instanceof ReceiverUnavailableException;
        if (!(e instanceof SQLException) && !plain) return ErrorText.line(e);
        String message = ErrorText.message(e);
        String text = message.isEmpty()
                ? e.getClass().getName()
                : e instanceof SQLException ? message.replaceFirst("^ERROR: ", "") : message;
        String clean =
                text.replace("\0", "\\0").replaceAll("\\n *Position: \\d+", "").replaceAll("\\s*\\n\\s*", "; ");
        return clean.length() <= LONGEST ? clean : clean.substring(0, LONGEST) + "...";
    }

    /** The failure, or the nearest of its causes, that says that the receiver is unavailable; null without one. */
    static @Nullable public ReceiverUnavailableException unavailable(Throwable failure) {
        Throwable each = failure;
        for (int i = 0; each != null && i < DEEPEST; i++) {
            if (each instanceof ReceiverUnavailableException found) return found;
            try {
                each = each.getCause();
            } catch (RuntimeException e) {
                return null;
            }
        }
        return null;
    }
}
