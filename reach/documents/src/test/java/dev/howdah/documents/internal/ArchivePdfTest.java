package dev.howdah.documents.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.ValidationResult;

/** Documents for archives, judged by veraPDF. */
class ArchivePdfTest {
    private static final String HTML = """
            <html lang="ru"><head><title>Счёт № 17</title><meta name="author" content="Telco"/>FORM<style>
            @page { @bottom-right { content: counter(page) " / " counter(pages) } } th { border-bottom: 1pt solid #1a4f8a }</style></head><body>
            <img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FAAhKDveksOjmAAAAAElFTkSuQmCC" width="60" height="60"/>
            <h1>Счёт № 17</h1><table><tr><th>Услуга</th></tr><tr><td><b>Телефон</b>, <i>5 €</i>, <code>x</code></td></tr></table></body></html>
            """;

    @BeforeAll
    static void prepare() {
        VeraGreenfieldFoundryProvider.initialise();
    }

    private static HtmlPdf.Pdf pdf(String html) throws Exception {
        return new HtmlPdf(new DocumentFonts(List.of())).of(html, "A4", false);
    }

    private static ValidationResult judged(HtmlPdf.Pdf made, String form) throws Exception {
        PDFAFlavour flavour = PDFAFlavour.byFlavourId(form);
        try (PDFAParser parser =
                        Foundries.defaultInstance().createParser(new ByteArrayInputStream(made.bytes()), flavour);
                PDFAValidator validator = Foundries.defaultInstance().createValidator(flavour, false)) {
            return validator.validate(parser);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"2b", "2u", "3b", "3u"})
    void document_ofATemplateThatAsksForIt_meetsTheForm(String form) throws Exception {
        ValidationResult result =
                judged(pdf(HTML.replace("FORM", "<meta name=\"pdfa\" content=\"" + form + "\"/>")), form);
        assertThat(result.isCompliant())
                .as(() -> result.getTestAssertions().toString())
                .isTrue();
    }

    @Test
    void document_thatDoesNotAsk_doesNotMeetIt_andAFormThatIsNone_isRefused() throws Exception {
        assertThat(judged(pdf(HTML.replace("FORM", "")), "2b").isCompliant()).isFalse();
        assertThatThrownBy(() -> pdf(HTML.replace("FORM", "<meta name=\"pdfa\" content=\"1a\"/>")))
                .hasMessage("the form of PDF/A is one of 2b, 2u, 3b, 3u, not \"1a\"");
        assertThatThrownBy(() -> pdf("<meta name=\"pdfa\" content=\"2b\"/><p>x</p>"))
                .hasMessage("a document of PDF/A needs a <title>");
    }
}
