package dev.howdah.documents.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.cos.COSName;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.text.PDFTextStripper;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fonts that an administrator has added. */
class FontFileTest {
    /** A character that the usual font lacks. */
    private static final String BEAM = "\u2336";

    @TempDir
    Path directory;

    private Path file;

    /** A font that comes along, under another name. */
    @BeforeEach
    void rename() throws IOException {
        byte[] bytes;
        try (InputStream in = DocumentFonts.class.getResourceAsStream("fonts/DejaVuSansMono.ttf")) {
            bytes = in.readAllBytes();
        }
        String font = new String(bytes, StandardCharsets.ISO_8859_1);
        font = renamed(font, "DejaVu Sans Mono", "Howdah Test Mono");
        font = font.replace("DejaVuSansMono", "HowdahTestMono");
        file = directory.resolve("house.ttf");
        Files.write(file, font.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String renamed(String font, String from, String to) {
        return font.replace(wide(from), wide(to)).replace(from, to);
    }

    private static String wide(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_16BE), StandardCharsets.ISO_8859_1);
    }

    private static PDDocument document(List<FontFile> fonts, String html) throws Exception {
        return Loader.loadPDF(
                new HtmlPdf(new DocumentFonts(fonts)).of(html, "A4", false).bytes());
    }

    private static Set<String> fonts(PDDocument document) throws IOException {
        Set<String> names = new TreeSet<>();
        for (PDPage page : document.getPages())
            for (COSName each : page.getResources().getFontNames())
                names.add(page.getResources().getFont(each).getName().replaceFirst("^[A-Z]+\\+", ""));
        return names;
    }

    @Test
    void font_isUsedByItsName() throws Exception {
        List<FontFile> own = List.of(FontFile.of(file));
        assertThat(own.get(0).family()).isEqualTo("Howdah Test Mono");
        try (PDDocument made = document(own, "<p style=\"font-family: 'Howdah Test Mono'\">Счёт 17</p>")) {
            assertThat(fonts(made)).containsExactly("HowdahTestMono");
            assertThat(new PDFTextStripper().getText(made)).contains("Счёт 17");
        }
    }

    @Test
    void character_thatOnlyTheAddedFontHas_isShownInAnyText() throws Exception {
        assertThatThrownBy(() -> document(List.of(), "<p>" + BEAM + "</p>"))
                .isInstanceOf(RenderException.class)
                .hasMessageContaining("no font has the character U+2336");
        try (PDDocument made = document(List.of(FontFile.of(file)), "<p>a " + BEAM + "</p>")) {
            assertThat(new PDFTextStripper().getText(made)).contains("a " + BEAM);
            assertThat(fonts(made)).containsExactly("DejaVuSerif", "HowdahTestMono");
        }
    }

    @Test
    void file_thatIsNoFont_isNamed() throws IOException {
        Files.writeString(file, "no font");
        assertThatThrownBy(() -> FontFile.of(file))
                .isInstanceOf(RenderException.class)
                .hasMessageStartingWith("the font house.ttf cannot be used: it cannot be read as TrueType");
    }
}
