package dev.howdah.documents.internal;

import com.openhtmltopdf.outputdevice.helper.BaseRendererBuilder.PageSizeUnits;
import com.openhtmltopdf.outputdevice.helper.ExternalResourceControlPriority;
import com.openhtmltopdf.pdfboxout.PdfBoxRenderer;
import com.openhtmltopdf.pdfboxout.PdfRendererBuilder;
import com.openhtmltopdf.pdfboxout.PdfRendererBuilder.PdfAConformance;
import java.awt.color.ColorSpace;
import java.awt.color.ICC_Profile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Base64;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.jsoup.Jsoup;
import org.jsoup.helper.W3CDom;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.TextNode;
import org.jspecify.annotations.Nullable;

/** Makes PDF of HTML and CSS. Nothing is loaded: pictures stand in the HTML as {@code data:}. */
final class HtmlPdf {
    private static final int MOST_PAGES = 500;
    private static final int MOST_BYTES = 32 << 20;
    private static final int MOST_PICTURES = 50;
    private static final int LARGEST_PICTURE = 1 << 20;
    private static final long MOST_PIXELS = 20_000_000;
    private static final int DEEPEST = 256;
    private static final Map<String, float[]> PAGES = Map.of(
            "A3", new float[] {297, 420},
            "A4", new float[] {210, 297},
            "A5", new float[] {148, 210},
            "Letter", new float[] {215.9f, 279.4f},
            "Legal", new float[] {215.9f, 355.6f});

    /** Those that need no structure of the text; the library writes none of part 1, which has no transparency. */
    private static final Map<String, PdfAConformance> ARCHIVES = Map.of(
            "2b", PdfAConformance.PDFA_2_B,
            "2u", PdfAConformance.PDFA_2_U,
            "3b", PdfAConformance.PDFA_3_B,
            "3u", PdfAConformance.PDFA_3_U);

    private final DocumentFonts fonts;

    HtmlPdf(DocumentFonts fonts) {
        this.fonts = fonts;
    }

    /**
     * A document.
     *
     * @param pages how many it has
     */
    record Pdf(byte[] bytes, int pages) {}

    Pdf of(String html, String page, boolean landscape) throws RenderException, IOException {
        Document document = Jsoup.parse(html);
        box(document);
        check(document);
        AtomicReference<@Nullable String> refused = new AtomicReference<>();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PdfRendererBuilder builder = new PdfRendererBuilder();
        PDDocument made = new PDDocument();
        builder.usePDDocument(made);
        fonts.into(builder, made);
        size(builder, page, landscape);
        archive(builder, document);
        builder.useUriResolver((base, uri) -> uri);
        builder.useExternalResourceAccessControl(
                (uri, type) -> mayLoad(uri, refused), ExternalResourceControlPriority.RUN_BEFORE_RESOLVING_URI);
        builder.useExternalResourceAccessControl(
                (uri, type) -> mayLoad(uri, refused), ExternalResourceControlPriority.RUN_AFTER_RESOLVING_URI);
        builder.withW3cDocument(new W3CDom().fromJsoup(document), null);
        builder.withProducer("Howdah");
        builder.toStream(bytes);
        try (made;
                PdfBoxRenderer renderer = builder.buildPdfRenderer()) {
            renderer.layout();
            int pages = renderer.getRootBox().getLayer().getPages().size();
            if (pages > MOST_PAGES)
                throw new RenderException("the document has " + pages + " pages, and may have " + MOST_PAGES);
            renderer.createPDF();
            String uri = refused.get();
            if (uri != null)
                throw new RenderException("the document may not load \"" + shortened(uri)
                        + "\": pictures stand in it as data:image/png;base64,...");
            if (bytes.size() > MOST_BYTES)
                throw new RenderException("the document is larger than " + (MOST_BYTES >> 20) + " MiB");
            return new Pdf(bytes.toByteArray(), pages);
        }
    }

    /** {@code <meta name="pdfa" content="2u">}: the document is to be one for archives. */
    private static void archive(PdfRendererBuilder builder, Document document) throws RenderException {
        Element meta = document.selectFirst("meta[name=pdfa]");
        if (meta == null) return;
        PdfAConformance form = ARCHIVES.get(meta.attr("content"));
        if (form == null)
            throw new RenderException(
                    "the form of PDF/A is one of " + String.join(", ", new TreeSet<>(ARCHIVES.keySet())) + ", not \""
                            + shortened(meta.attr("content")) + "\"");
        if (document.title().isBlank()) throw new RenderException("a document of PDF/A needs a <title>");
        builder.usePdfAConformance(form);
        builder.useColorProfile(ICC_Profile.getInstance(ColorSpace.CS_sRGB).getData());
    }

    private static boolean mayLoad(@Nullable String uri, AtomicReference<@Nullable String> refused) {
        if (uri != null && uri.startsWith("data:image/")) return true;
        refused.compareAndSet(null, String.valueOf(uri));
        return false;
    }

    private static void size(PdfRendererBuilder builder, String page, boolean landscape) throws RenderException {
        float[] size = PAGES.get(page);
        if (size == null) {
            java.util.regex.Matcher own =
                    java.util.regex.Pattern.compile("(\\d{2,4})mm (\\d{2,4})mm").matcher(page);
            if (!own.matches())
                throw new RenderException("the page is A3, A4, A5, Letter, Legal or one such as 210mm 99mm, not \""
                        + shortened(page) + "\"");
            size = new float[] {Float.parseFloat(own.group(1)), Float.parseFloat(own.group(2))};
        }
        builder.useDefaultPageSize(landscape ? size[1] : size[0], landscape ? size[0] : size[1], PageSizeUnits.MM);
    }

    /** {@code <meta name="missing-characters" content="box">}: a name in a script that no font has does not fail the document. */
    private void box(Document document) throws RenderException {
        Element meta = document.selectFirst("meta[name=missing-characters]");
        if (meta == null) return;
        if (!meta.attr("content").equals("box"))
            throw new RenderException("missing-characters is box, not \"" + shortened(meta.attr("content")) + "\"");
        for (Element each : document.getAllElements())
            for (TextNode text : each.textNodes())
                if (fonts.missing(text.getWholeText()) >= 0) text.text(fonts.boxed(text.getWholeText()));
    }

    private void check(Document document) throws RenderException {
        int missing = fonts.missing(document.text());
        if (missing >= 0)
            throw new RenderException(
                    String.format("no font has the character U+%04X, %s", missing, Character.getName(missing))
                            + "; <meta name=\"missing-characters\" content=\"box\"> puts a box there");
        int pictures = 0;
        for (Element each : document.getAllElements()) {
            if (depth(each) > DEEPEST) throw new RenderException("the HTML is nested more than " + DEEPEST + " deep");
            String tag = each.normalName();
            if (tag.equals("link") || tag.equals("base") || tag.equals("iframe") || tag.equals("object"))
                throw new RenderException("the document may not have <" + tag + ">: it loads nothing");
            if (!tag.equals("img")) continue;
            if (++pictures > MOST_PICTURES)
                throw new RenderException("the document has more than " + MOST_PICTURES + " pictures");
            picture(each.attr("src"));
        }
    }

    private static int depth(Element element) {
        int depth = 0;
        for (Element each = element; each != null; each = each.parent()) if (++depth > DEEPEST) break;
        return depth;
    }

    /** A small picture may be one of very many points. */
    private static void picture(String source) throws RenderException {
        if (!source.matches("data:image/(png|jpeg|gif);base64,[A-Za-z0-9+/=\\s]*+"))
            throw new RenderException("the document may not load \"" + shortened(source)
                    + "\": pictures stand in it as data:image/png;base64,..., also jpeg and gif");
        byte[] bytes;
        try {
            bytes = Base64.getMimeDecoder().decode(source.substring(source.indexOf(',') + 1));
        } catch (IllegalArgumentException e) {
            throw new RenderException("a picture is no base64");
        }
        if (bytes.length > LARGEST_PICTURE)
            throw new RenderException("a picture is larger than " + (LARGEST_PICTURE >> 10) + " KiB");
        try (ImageInputStream in = ImageIO.createImageInputStream(new ByteArrayInputStream(bytes))) {
            Iterator<ImageReader> readers = ImageIO.getImageReaders(in);
            if (!readers.hasNext()) throw new RenderException("a picture cannot be read");
            ImageReader reader = readers.next();
            reader.setInput(in);
            long points = (long) reader.getWidth(0) * reader.getHeight(0);
            reader.dispose();
            if (points > MOST_PIXELS) throw new RenderException("a picture has more than " + MOST_PIXELS + " points");
        } catch (IOException e) {
            throw new RenderException("a picture cannot be read");
        }
    }

    private static String shortened(String text) {
        String line = text.replaceAll("\\p{Cc}", " ");
        return line.length() <= 100 ? line : line.substring(0, 100) + "...";
    }
}
