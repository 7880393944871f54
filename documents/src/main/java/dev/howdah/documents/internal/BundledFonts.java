package dev.howdah.documents.internal;

import com.openhtmltopdf.outputdevice.helper.BaseRendererBuilder.FSFontUseCase;
import com.openhtmltopdf.outputdevice.helper.BaseRendererBuilder.FontStyle;
import com.openhtmltopdf.pdfboxout.PdfRendererBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.fontbox.FontBoxFont;
import org.apache.fontbox.ttf.CmapLookup;
import org.apache.fontbox.ttf.TTFParser;
import org.apache.fontbox.ttf.TrueTypeFont;
import org.apache.pdfbox.io.RandomAccessReadBuffer;
import org.apache.pdfbox.pdmodel.font.CIDFontMapping;
import org.apache.pdfbox.pdmodel.font.FontMapper;
import org.apache.pdfbox.pdmodel.font.FontMappers;
import org.apache.pdfbox.pdmodel.font.FontMapping;
import org.apache.pdfbox.pdmodel.font.PDCIDSystemInfo;
import org.apache.pdfbox.pdmodel.font.PDFontDescriptor;
import org.jspecify.annotations.Nullable;

/** The fonts that come along: DejaVu, with Latin, Greek and Cyrillic. No font of the machine is used, so that all machines make the same. */
final class BundledFonts {
    private static final String USUAL = "DejaVuSans";
    private static final Set<FSFontUseCase> DOCUMENT = EnumSet.of(FSFontUseCase.DOCUMENT);
    private static final Set<FSFontUseCase> FALLBACK = EnumSet.of(FSFontUseCase.FALLBACK_FINAL);

    private record Font(String file, List<String> families, int weight, FontStyle style) {}

    // By the names that the library gives to sans-serif, serif and monospace.
    private static final List<String> SANS = List.of("SansSerif", "DejaVu Sans");
    private static final List<String> SERIF = List.of("Serif", "DejaVu Serif");
    private static final List<String> MONO = List.of("Monospaced", "DejaVu Sans Mono");

    private static final List<Font> ALL = List.of(
            new Font(USUAL, SANS, 400, FontStyle.NORMAL),
            new Font("DejaVuSans-Bold", SANS, 700, FontStyle.NORMAL),
            new Font("DejaVuSans-Oblique", SANS, 400, FontStyle.ITALIC),
            new Font("DejaVuSans-BoldOblique", SANS, 700, FontStyle.ITALIC),
            new Font("DejaVuSerif", SERIF, 400, FontStyle.NORMAL),
            new Font("DejaVuSerif-Bold", SERIF, 700, FontStyle.NORMAL),
            new Font("DejaVuSerif-Italic", SERIF, 400, FontStyle.ITALIC),
            new Font("DejaVuSerif-BoldItalic", SERIF, 700, FontStyle.ITALIC),
            new Font("DejaVuSansMono", MONO, 400, FontStyle.NORMAL),
            new Font("DejaVuSansMono-Bold", MONO, 700, FontStyle.NORMAL));

    private final Map<String, byte[]> bytes = new LinkedHashMap<>();
    private final CmapLookup known;

    BundledFonts() throws IOException {
        for (Font each : ALL) {
            try (InputStream in = BundledFonts.class.getResourceAsStream("fonts/" + each.file() + ".ttf")) {
                if (in == null) throw new IOException("the font " + each.file() + " is missing");
                bytes.put(each.file(), in.readAllBytes());
            }
        }
        TrueTypeFont usual = new TTFParser().parse(new RandomAccessReadBuffer(of(USUAL)));
        known = usual.getUnicodeCmapLookup();
        FontMappers.set(new OneFont(usual));
    }

    /** In place of the fonts of the machine, which would be looked for. */
    private record OneFont(TrueTypeFont font) implements FontMapper {
        @Override
        public FontMapping<TrueTypeFont> getTrueTypeFont(String name, PDFontDescriptor descriptor) {
            return new FontMapping<>(font, true);
        }

        @Override
        public FontMapping<FontBoxFont> getFontBoxFont(String name, PDFontDescriptor descriptor) {
            return new FontMapping<>(font, true);
        }

        @Override
        public @Nullable CIDFontMapping getCIDFont(String name, PDFontDescriptor descriptor, PDCIDSystemInfo system) {
            return null;
        }
    }

    private byte[] of(String file) {
        byte[] found = bytes.get(file);
        if (found == null) throw new IllegalArgumentException(file);
        return found;
    }

    /** Only what a document uses becomes a part of it. */
    void into(PdfRendererBuilder builder) {
        for (Font each : ALL) {
            byte[] font = of(each.file());
            for (String family : each.families())
                builder.useFont(
                        () -> new ByteArrayInputStream(font), family, each.weight(), each.style(), true, DOCUMENT);
        }
        byte[] usual = of(USUAL);
        builder.useFont(
                () -> new ByteArrayInputStream(usual), "howdah-fallback", 400, FontStyle.NORMAL, true, FALLBACK);
    }

    /** The first character that no font has; -1 if there is none. */
    int missing(String text) {
        return text.codePoints()
                .filter(each -> !Character.isWhitespace(each)
                        && !Character.isISOControl(each)
                        && Character.getType(each) != Character.FORMAT
                        && known.getGlyphId(each) == 0)
                .findFirst()
                .orElse(-1);
    }
}
