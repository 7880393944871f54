package dev.howdah.internal.wire;

/** A server that answers but is not of the kind that {@code target_session_attrs} asks for. */
final class WrongKind extends WireException {
    private static final long serialVersionUID = 1;

    WrongKind(String message) {
        super(message, "08001", null, null);
    }
}
