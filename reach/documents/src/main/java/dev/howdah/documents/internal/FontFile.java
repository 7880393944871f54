package dev.howdah.documents.internal;

import com.openhtmltopdf.outputdevice.helper.BaseRendererBuilder.FontStyle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.fontbox.ttf.CmapLookup;
import org.apache.fontbox.ttf.OS2WindowsMetricsTable;
import org.apache.fontbox.ttf.TTFParser;
import org.apache.fontbox.ttf.TrueTypeFont;
import org.apache.pdfbox.io.RandomAccessReadBuffer;

/**
 * A font that an administrator has added: what CSS calls it stands in the font itself.
 *
 * @param bytes the file: the library takes no font that is read already for characters that another one lacks
 * @param weight as in CSS, 400 is normal
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record FontFile(byte[] bytes, TrueTypeFont font, CmapLookup characters, String family, int weight, FontStyle style) {
    private static final int RESTRICTED = 0x0002;
    private static final int ITALIC = 0x0001;

    /** @throws RenderException if it is no TrueType font, or may not be part of a document */
    static FontFile of(Path path) throws RenderException {
        try {
            byte[] bytes = Files.readAllBytes(path);
            TrueTypeFont font = new TTFParser().parse(new RandomAccessReadBuffer(bytes));
            OS2WindowsMetricsTable facts = font.getOS2Windows();
            String family = font.getNaming() == null ? null : font.getNaming().getFontFamily();
            if (facts == null || family == null || family.isBlank()) throw refused(path, "it has no name or no weight");
            if ((facts.getFsType() & RESTRICTED) != 0)
                throw refused(path, "its licence lets it be no part of documents");
            return new FontFile(
                    bytes,
                    font,
                    font.getUnicodeCmapLookup(),
                    family,
                    facts.getWeightClass(),
                    (facts.getFsSelection() & ITALIC) == 0 ? FontStyle.NORMAL : FontStyle.ITALIC);
        } catch (IOException | RuntimeException e) {
            throw refused(path, "it cannot be read as TrueType (" + e.getClass().getSimpleName() + ")");
        }
    }

    private static RenderException refused(Path path, String reason) {
        return new RenderException("the font " + path.getFileName() + " cannot be used: " + reason);
    }

    boolean has(int character) {
        return characters.getGlyphId(character) != 0;
    }
}
