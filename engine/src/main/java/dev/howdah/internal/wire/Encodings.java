package dev.howdah.internal.wire;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** PostgreSQL's names of character sets in Java's words. */
final class Encodings {
    private static final Map<String, String> NAMES = new HashMap<>();

    static {
        NAMES.putAll(Map.of(
                "UTF8", "UTF-8",
                "UNICODE", "UTF-8",
                "BIG5", "Big5",
                "EUC_CN", "GB2312",
                "EUC_JP", "EUC-JP",
                "EUC_KR", "EUC-KR",
                "EUC_TW", "x-EUC-TW",
                "GB18030", "GB18030",
                "GBK", "GBK"));
        NAMES.putAll(Map.of(
                "JOHAB", "x-Johab",
                "KOI8R", "KOI8-R",
                "KOI8U", "KOI8-U",
                "SHIFT_JIS_2004", "x-SJIS_0213",
                "SJIS", "windows-31j",
                "UHC", "x-windows-949",
                "LATIN1", "ISO-8859-1",
                "LATIN2", "ISO-8859-2",
                "LATIN3", "ISO-8859-3",
                "LATIN4", "ISO-8859-4"));
        NAMES.putAll(Map.of(
                "LATIN5", "ISO-8859-9",
                "LATIN6", "ISO-8859-10",
                "LATIN7", "ISO-8859-13",
                "LATIN8", "ISO-8859-14",
                "LATIN9", "ISO-8859-15",
                "LATIN10", "ISO-8859-16",
                "ISO_8859_5", "ISO-8859-5",
                "ISO_8859_6", "ISO-8859-6",
                "ISO_8859_7", "ISO-8859-7",
                "ISO_8859_8", "ISO-8859-8"));
        NAMES.put("WIN866", "IBM866");
        NAMES.put("WIN874", "x-windows-874");
        for (int page = 1250; page <= 1258; page++) NAMES.put("WIN" + page, "windows-" + page);
    }

    private Encodings() {}

    /** The character set of that encoding; ISO-8859-1, which loses no byte, if Java has none for it. */
    static Charset charset(String encoding) {
        String name = NAMES.get(encoding.toUpperCase(Locale.ROOT));
        return name != null && Charset.isSupported(name) ? Charset.forName(name) : StandardCharsets.ISO_8859_1;
    }

    /**
     * The text in that character set.
     *
     * @throws IllegalArgumentException if the text has a character that the set does not have, or a NUL, which no
     *     string of the protocol can hold
     */
    static byte[] encode(String text, Charset charset) {
        if (text.indexOf('\0') >= 0)
            throw new IllegalArgumentException("PostgreSQL does not accept NUL characters in text");
        try {
            ByteBuffer bytes = charset.newEncoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .encode(CharBuffer.wrap(text));
            byte[] exact = new byte[bytes.remaining()];
            bytes.get(exact);
            return exact;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "the text has a character that the session's client_encoding (" + charset + ") does not have", e);
        }
    }
}
