package dev.howdah.daemon.console;

import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import dev.howdah.internal.error.PlainText;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** JSON that may reach a terminal: beside what JSON itself asks for, the characters of {@link PlainText} are escaped. */
public final class SafeEscapes extends CharacterEscapes {
    private static final long serialVersionUID = 1;
    public static final SafeEscapes INSTANCE = new SafeEscapes();

    private final int[] ascii = standardAsciiEscapesForJSON();

    private SafeEscapes() {
        ascii[0x7F] = ESCAPE_STANDARD;
    }

    @Override
    public int[] getEscapeCodesForAscii() {
        return ascii.clone();
    }

    @Override
    public @Nullable SerializableString getEscapeSequence(int c) {
        return PlainText.isUnsafe(c) ? new SerializedString(String.format(Locale.ROOT, "\\u%04X", c)) : null;
    }
}
