package dev.howdah.reach.internal.call;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import org.jspecify.annotations.Nullable;

/** What others have said, as text for a row. */
public final class AnswerText {
    /** So much of a refusal is shown. */
    private static final int SHOWN = 1_000;

    private AnswerText() {}

    /** The text, if all of it is one; null if it has bytes that are none, or the character that no database takes. */
    @Nullable
    public static String strictly(byte[] bytes, Charset charset) {
        try {
            String text = charset.newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.indexOf('\0') < 0 ? text : null;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** Its beginning on one line, without control characters and marks of direction; null if nothing is left. */
    @Nullable
    public static String shown(@Nullable String text) {
        if (text == null) return null;
        String some = text.length() > 4 * SHOWN ? text.substring(0, 4 * SHOWN) : text;
        String line = some.replaceAll(
                        "[\\p{Cc}\\s\\x{61C}\\x{200E}\\x{200F}\\x{2028}-\\x{202E}\\x{2066}-\\x{2069}]+", " ")
                .strip();
        if (line.isEmpty()) return null;
        return line.length() <= SHOWN ? line : line.substring(0, SHOWN) + "...";
    }
}
