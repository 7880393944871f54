package dev.howdah.spi.reach;

/**
 * A document, such as a PDF.
 *
 * @param name as that of a file
 * @param type as of a MIME part, {@code application/pdf}
 * @param bytes not copied, and not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // of megabytes, and never compared
public record ReachDocument(String name, String type, byte[] bytes) {}
