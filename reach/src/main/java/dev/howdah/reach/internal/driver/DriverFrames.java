package dev.howdah.reach.internal.driver;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The frames between the daemon and the process of a driver: a byte for the kind, then numbers and texts. */
public final class DriverFrames {
    /** To the driver: jars, then groups of them. */
    public static final int DRIVERS = 'D';

    /** To the driver: the URL, properties, whether all is one transaction, statements. */
    public static final int RUN = 'Q';

    /** To the driver: what runs is to stop. */
    public static final int CANCEL = 'X';

    /** From the driver: columns, each with its name and whether it is a number or truth value. */
    public static final int COLUMNS = 'C';

    /** From the driver: a row of such columns. */
    public static final int ROW = 'R';

    /**
     * From the driver: the statement with that place in the run, which has no rows, has changed so many; -1 where it has no
     * number.
     */
    public static final int CHANGED = 'T';

    /** From the driver: a statement has given its last row. */
    public static final int END_OF_ROWS = 'N';

    /** From the driver: an error, with the SQLSTATE, the vendor's number, what else there is, and whether it may pass. */
    public static final int ERROR = 'E';

    /** From the driver: all is done, or nothing more is done after the error. */
    public static final int END = 'Z';

    private DriverFrames() {}

    /** Writes a text or null. */
    public static void write(DataOutputStream to, @Nullable String text) throws IOException {
        if (text == null) {
            to.writeInt(-1);
            return;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        to.writeInt(bytes.length);
        to.write(bytes);
    }

    /**
     * Reads a text or null.
     *
     * @param most bytes
     * @throws OversizeException if it is longer
     */
    @Nullable
    public static String read(DataInputStream from, int most) throws IOException {
        int length = from.readInt();
        if (length == -1) return null;
        if (length < 0 || length > most) throw new OversizeException();
        byte[] bytes = from.readNBytes(length);
        if (bytes.length < length) throw new java.io.EOFException();
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** A text is longer than its reader takes. */
    public static final class OversizeException extends IOException {
        private static final long serialVersionUID = 1;
    }
}
