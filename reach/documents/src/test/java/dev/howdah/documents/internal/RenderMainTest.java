package dev.howdah.documents.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.cos.COSName;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.text.PDFTextStripper;
import org.junit.jupiter.api.Test;

/** What becomes of templates and of HTML, and what is refused. */
class RenderMainTest {
    private static String fill(String template, Map<String, Object> data) throws RenderException {
        return new MustacheText(Map.of("loop", "{{>loop}}", "row", "<td>{{name}}</td>")).fill(template, data, true);
    }

    private static HtmlPdf.Pdf pdf(String html) throws Exception {
        return new HtmlPdf(new DocumentFonts(List.of())).of(html, "A4", false);
    }

    @Test
    void template_hasValuesSectionsAndOthers_escaped() throws RenderException {
        Map<String, Object> data =
                Map.of("name", "<b>Ann & Ян</b>", "sum", new BigDecimal("19.90"), "rows", List.of(Map.of("name", "x")));
        assertThat(fill("{{name}} {{sum}}{{#rows}}{{>row}}{{/rows}}{{#none}}no{{/none}}{{! comment }}", data))
                .isEqualTo("&lt;b&gt;Ann &amp; Ян&lt;/b&gt; 19.90<td>x</td>");
        assertThat(new MustacheText(Map.of()).fill("{{name}}", data, false)).isEqualTo("<b>Ann & Ян</b>");
    }

    @Test
    void template_thatIsWrongOrEndless_isRefused() {
        assertThatThrownBy(() -> fill("a\n{{missing}}", Map.of()))
                .hasMessage("the value \"missing\" is missing, in line 2");
        assertThatThrownBy(() -> fill("{{name.getClass}}", Map.of("name", "x"))).hasMessageContaining("is missing");
        assertThatThrownBy(() -> fill("{{>loop}}", Map.of()))
                .hasMessage("the template uses itself without end, or is nested too deeply");
        assertThatThrownBy(() -> fill("{{>other}}", Map.of())).hasMessageContaining("no template \"other\"");
        assertThatThrownBy(() -> fill("{{#a}}", Map.of())).isInstanceOf(RenderException.class);
        List<Integer> many = java.util.Collections.nCopies(2_000, 1);
        assertThatThrownBy(() -> fill("{{#a}}{{#a}}{{/a}}{{/a}}", Map.of("a", many)))
                .hasMessageContaining("1000000 steps");
        assertThatThrownBy(() -> fill("{{#a}}" + "x".repeat(4_000) + "{{/a}}", Map.of("a", many)))
                .hasMessageContaining("4 MiB");
    }

    @Test
    void template_thatIsDeep_isRefused() {
        assertThatThrownBy(() -> fill("{{#a}}".repeat(20_000) + "x" + "{{/a}}".repeat(20_000), Map.of("a", true)))
                .isInstanceOf(RenderException.class)
                .hasMessage("the template uses itself without end, or is nested too deeply");
    }

    /** The beginning of a picture that says how large it is, and no more. */
    private static String picture(int width, int height) {
        CRC32 sum = new CRC32();
        ByteBuffer header = ByteBuffer.allocate(17)
                .put("IHDR".getBytes(StandardCharsets.US_ASCII))
                .putInt(width)
                .putInt(height)
                .put(new byte[] {8, 2, 0, 0, 0});
        sum.update(header.array());
        ByteBuffer all = ByteBuffer.allocate(33)
                .put(new byte[] {(byte) 0x89, 'P', 'N', 'G', 13, 10, 26, 10})
                .putInt(13)
                .put(header.array())
                .putInt((int) sum.getValue());
        return "<img src='data:image/png;base64," + Base64.getEncoder().encodeToString(all.array()) + "'>";
    }

    @Test
    void picture_thatIsHuge_isRefusedByItsHeader() {
        assertThatThrownBy(() -> pdf(picture(100_000, 100_000)))
                .isInstanceOf(RenderException.class)
                .hasMessageContaining("20000000 points");
        assertThatThrownBy(() -> pdf(picture(Integer.MAX_VALUE, Integer.MAX_VALUE)))
                .isInstanceOf(RenderException.class)
                .hasMessageContaining("points");
    }

    @Test
    void html_becomesPagesWithNumbersAndCyrillicText() throws Exception {
        String html = """
                <html><head><style>@page { @bottom-center { content: counter(page) " / " counter(pages) } }
                body { font-family: serif } h1 { font-family: sans-serif } .new { page-break-before: always }</style></head>
                <body><h1>Счёт № 17</h1><p>Ōsaka, Ελλάδα, 5 €</p><p class="new">Вторая страница</p></body></html>
                """;
        HtmlPdf.Pdf made = pdf(html);
        assertThat(made.pages()).isEqualTo(2);
        try (PDDocument document = Loader.loadPDF(made.bytes())) {
            assertThat(document.getNumberOfPages()).isEqualTo(2);
            assertThat(new PDFTextStripper().getText(document))
                    .contains("Счёт № 17", "Ōsaka, Ελλάδα, 5 €", "Вторая страница", "1 / 2", "2 / 2");
            for (PDPage page : document.getPages())
                for (COSName name : page.getResources().getFontNames())
                    assertThat(page.getResources().getFont(name).isEmbedded())
                            .as(page.getResources().getFont(name).getName())
                            .isTrue();
        }
    }

    @Test
    void characterThatNoFontHas_isABox_whereTheTemplateSaysSo() throws Exception {
        String head = "<head><meta name='missing-characters' content='box'></head>";
        try (PDDocument document = Loader.loadPDF(
                pdf(head + "<p>Ann \uD83D\uDC18 Ян</p><p>\u738B &lt;i&gt;</p>").bytes())) {
            assertThat(new PDFTextStripper().getText(document)).contains("Ann \u25A1 Ян", "\u25A1 <i>");
        }
        assertThatThrownBy(() -> pdf(head.replace("content='box'", "content='x'") + "<p>x</p>"))
                .isInstanceOf(RenderException.class)
                .hasMessage("missing-characters is box, not \"x\"");
    }

    @Test
    void html_thatReachesOut_isRefused() {
        for (String each : List.of(
                "<img src='file:///etc/passwd'>",
                "<img src='http://169.254.169.254/x.png'>",
                "<img src='/etc/hostname'>",
                "<style>body { background-image: url(http://127.0.0.1/x.png) }</style><p>x</p>",
                "<style>@import url('file:///etc/passwd');</style><p>x</p>",
                "<style>@font-face { font-family: x; src: url(file:///usr/share/fonts/x.ttf) } p { font-family: x }</style>"
                        + "<p>x</p>",
                "<link rel='stylesheet' href='http://127.0.0.1/x.css'>",
                "<object data='file:///etc/passwd'></object>",
                "<iframe src='file:///etc/passwd'></iframe>"))
            assertThatThrownBy(() -> pdf(each))
                    .as(each)
                    .isInstanceOf(RenderException.class)
                    .hasMessageStartingWith("the document may not");
    }

    @Test
    void html_beyondABound_isRefused() {
        String page = "<p style='page-break-after: always'>x</p>";
        assertThatThrownBy(() -> pdf(page.repeat(600))).hasMessageContaining("pages, and may have 500");
        assertThatThrownBy(() -> pdf("<p>\uD83D\uDC18</p>"))
                .hasMessageStartingWith("no font has the character U+1F418, ELEPHANT; <meta");
        assertThatThrownBy(() -> pdf("<div>".repeat(300))).hasMessageContaining("256 deep");
        assertThatThrownBy(() -> pdf("<img src='data:image/png;base64,AAAA'>")).hasMessage("a picture cannot be read");
        assertThatThrownBy(() -> new HtmlPdf(new DocumentFonts(List.of())).of("x", "B9", false))
                .hasMessageContaining("\"B9\"");
    }
}
