package dev.howdah.reach.job;

import dev.howdah.job.Kind;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A PDF of a template: the payload of jobs of the kind {@code howdah.pdf}. Immutable: each method that sets something returns a copy.
 *
 * @param template the name of a template of HTML
 * @param data an object of JSON as text, so that numbers stay as they are written; null: none
 * @param name of the document, as that of a file; null: the template with {@code .pdf}
 * @param page its size, {@code A4}, {@code Letter} or {@code 210mm 99mm}; null: {@code A4}
 * @param landscape whether it lies on its side
 * @param timeout of an attempt; null: 30 s
 */
public record PdfJob(
        String template,
        @Nullable String data,
        @Nullable String name,
        @Nullable String page,
        boolean landscape,
        @Nullable Duration timeout) {
    /** The kind. */
    public static final Kind<PdfJob> KIND = Kind.of("howdah.pdf", PdfJob.class)
            .retries(RetryPolicy.exponential(Duration.ofSeconds(1), Duration.ofMinutes(1), 5));

    /** A document of A4. */
    public static PdfJob of(String template, String json) {
        return new PdfJob(template, json, null, null, false, null);
    }

    /** With that name of a file. */
    public PdfJob name(String file) {
        return new PdfJob(template, data, file, page, landscape, timeout);
    }

    /** On pages of that size: {@code A4}, {@code Letter} or {@code 210mm 99mm}. */
    public PdfJob page(String size) {
        return new PdfJob(template, data, name, size, landscape, timeout);
    }

    /** On pages that lie on their side, or stand. */
    public PdfJob landscape(boolean lies) {
        return new PdfJob(template, data, name, page, lies, timeout);
    }

    /** With that limit for an attempt. */
    public PdfJob timeout(Duration time) {
        return new PdfJob(template, data, name, page, landscape, time);
    }
}
