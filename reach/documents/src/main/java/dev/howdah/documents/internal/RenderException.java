package dev.howdah.documents.internal;

/** Why a document cannot be made, in words for the author of its template. */
final class RenderException extends Exception {
    private static final long serialVersionUID = 1;

    RenderException(String message) {
        super(message);
    }
}
