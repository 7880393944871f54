package dev.howdah.internal.wire;

import dev.howdah.Database.HostPort;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The kinds of session that {@code target_session_attrs} can ask for. */
enum SessionKind {
    ANY,
    READ_WRITE,
    READ_ONLY,
    PRIMARY,
    STANDBY,
    PREFER_STANDBY;

    static SessionKind of(String attributes) {
        return valueOf(attributes.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /** The kinds to look for among all hosts, one after the other. */
    List<SessionKind> inOrder() {
        return this == PREFER_STANDBY ? List.of(STANDBY, ANY) : List.of(this);
    }

    /** @throws WrongKind if the session is not of this kind */
    void check(WireConnection connection, HostPort server) throws WireException {
        if (this == ANY) return;
        boolean standby = is(connection, "in_hot_standby", "SELECT pg_is_in_recovery()");
        boolean readOnly = standby
                || (this != PRIMARY
                        && this != STANDBY
                        && is(connection, "default_transaction_read_only", "SHOW default_transaction_read_only"));
        boolean fits = switch (this) {
            case READ_WRITE -> !readOnly;
            case READ_ONLY -> readOnly;
            case PRIMARY -> !standby;
            default -> standby;
        };
        if (!fits)
            throw new WrongKind(server + " is " + (standby ? "a standby" : readOnly ? "read-only" : "a primary")
                    + ", but target_session_attrs is "
                    + name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }

    /** Servers before version 14 do not report these settings by themselves. */
    private static boolean is(WireConnection connection, String parameter, String question) throws WireException {
        String reported = connection.parameter(parameter);
        if (reported != null) return reported.equals("on");
        Answer answer = new Answer();
        connection.query(question, answer);
        return "t".equals(answer.value) || "on".equals(answer.value);
    }

    private static final class Answer implements WireListener {
        private @Nullable String value;

        @Override
        public void row(byte[] buffer, int[] offsets, int[] lengths) {
            value = new String(buffer, offsets[0], lengths[0], StandardCharsets.UTF_8);
        }
    }
}
