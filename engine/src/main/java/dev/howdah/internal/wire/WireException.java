package dev.howdah.internal.wire;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A connection that could not be made or is lost. The message holds no secret. */
public class WireException extends IOException {
    private static final long serialVersionUID = 1;

    private final transient @Nullable ServerMessage serverMessage;
    private final String sqlState;

    WireException(String message, String sqlState, @Nullable ServerMessage serverMessage, @Nullable Throwable cause) {
        super(message, cause);
        this.sqlState = sqlState;
        this.serverMessage = serverMessage;
    }

    /** What the server says, of something that is not possible then. */
    public static WireException of(String doing, ServerMessage why) {
        return new WireException(doing + ": " + why, why.code(), why, null);
    }

    /** The server's last words, if it had any. */
    public @Nullable ServerMessage serverMessage() {
        return serverMessage;
    }

    /**
     * The server's SQLSTATE, or one of the client: {@code 08001} (no connection), {@code 08006} (connection lost),
     * {@code 08P01} (not the protocol), {@code 28000} or {@code 28P01} (no way to log in).
     */
    public String sqlState() {
        return sqlState;
    }
}
