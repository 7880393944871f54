package dev.howdah.documents.internal;

import com.openhtmltopdf.outputdevice.helper.BaseRendererBuilder.FSFontUseCase;
import com.openhtmltopdf.outputdevice.helper.BaseRendererBuilder.FontStyle;
import com.openhtmltopdf.pdfboxout.PDFontSupplier;
import com.openhtmltopdf.pdfboxout.PdfRendererBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.fontbox.FontBoxFont;
import org.apache.fontbox.ttf.CmapLookup;
import org.apache.fontbox.ttf.TTFParser;
import org.apache.fontbox.ttf.TrueTypeFont;
import org.apache.pdfbox.io.RandomAccessReadBuffer;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.font.CIDFontMapping;
import org.apache.pdfbox.pdmodel.font.FontMapper;
import org.apache.pdfbox.pdmodel.font.FontMappers;
import org.apache.pdfbox.pdmodel.font.FontMapping;
import org.apache.pdfbox.pdmodel.font.PDCIDSystemInfo;
import org.apache.pdfbox.pdmodel.font.PDFont;
import org.apache.pdfbox.pdmodel.font.PDFontDescriptor;
import org.apache.pdfbox.pdmodel.font.PDType0Font;
import org.jspecify.annotations.Nullable;

/**
 * The fonts that come along, DejaVu with Latin, Greek and Cyrillic, and those of the administrator. No other font of the machine is used, so
 * that all machines make the same.
 */
final class DocumentFonts {
    private static final String USUAL = "DejaVuSans";
    private static final int BOX = 0x25A1;
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

    /** Read once: reading one takes longer than laying out a page. */
    private final Map<String, TrueTypeFont> read = new HashMap<>();

    /** For characters that another font lacks; the library takes no font that is read already for them. */
    private final byte[] usual = bytes(USUAL);

    private final CmapLookup known;

    private final List<FontFile> own;

    /** @param own those of the administrator */
    DocumentFonts(List<FontFile> own) throws IOException {
        this.own = own;
        TrueTypeFont font = read(USUAL);
        known = font.getUnicodeCmapLookup();
        FontMappers.set(new OneFont(font));
    }

    private static byte[] bytes(String file) throws IOException {
        try (InputStream in = DocumentFonts.class.getResourceAsStream("fonts/" + file + ".ttf")) {
            if (in == null) throw new IOException("the font " + file + " is missing");
            return in.readAllBytes();
        }
    }

    private TrueTypeFont read(String file) throws IOException {
        TrueTypeFont found = read.get(file);
        if (found != null) return found;
        TrueTypeFont font = new TTFParser().parse(new RandomAccessReadBuffer(bytes(file)));
        read.put(file, font);
        return font;
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

    /**
     * Only what a document uses becomes a part of it.
     *
     * @param document that the builder fills
     */
    void into(PdfRendererBuilder builder, PDDocument document) {
        for (FontFile each : own) {
            PDFontSupplier font = new Embedded(each::font, document);
            builder.useFont(font, each.family(), each.weight(), each.style(), true);
            if (each.weight() == 400 && each.style() == FontStyle.NORMAL)
                builder.useFont(
                        () -> new ByteArrayInputStream(each.bytes()),
                        "howdah-fallback " + each.family(),
                        400,
                        FontStyle.NORMAL,
                        true,
                        FALLBACK);
        }
        for (Font each : ALL) {
            PDFontSupplier font = new Embedded(() -> read(each.file()), document);
            for (String family : each.families()) builder.useFont(font, family, each.weight(), each.style(), true);
        }
        builder.useFont(
                () -> new ByteArrayInputStream(usual), "howdah-fallback", 400, FontStyle.NORMAL, true, FALLBACK);
    }

    /** Reads a font. */
    private interface Source {
        TrueTypeFont font() throws IOException;
    }

    /** A font in one document, made when a text needs it. */
    private static final class Embedded extends PDFontSupplier {
        private final Source source;
        private final PDDocument document;
        private @Nullable PDFont font;

        Embedded(Source source, PDDocument document) {
            super(null);
            this.source = source;
            this.document = document;
        }

        @Override
        public PDFont supply() {
            if (font != null) return font;
            try {
                return font = PDType0Font.load(document, source.font(), true);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** The first character that no font has; -1 if there is none. */
    int missing(String text) {
        return text.codePoints().filter(this::isMissing).findFirst().orElse(-1);
    }

    private boolean isMissing(int character) {
        return !Character.isWhitespace(character)
                && !Character.isISOControl(character)
                && Character.getType(character) != Character.FORMAT
                && known.getGlyphId(character) == 0
                && own.stream().noneMatch(each -> each.has(character));
    }

    /** The text with a box in place of each character that no font has. */
    String boxed(String text) {
        return text.codePoints()
                .map(each -> isMissing(each) ? BOX : each)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
