package dev.howdah.console.internal.mask;

import gg.jte.TemplateOutput;
import gg.jte.html.OwaspHtmlTemplateOutput;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The output of a template in which each text of the data is masked, before it is escaped. For one thread. */
public final class MaskedOutput extends OwaspHtmlTemplateOutput {
    /** Links and fields have to keep their values: a masked one would lead nowhere, or be stored. */
    private static final Set<String> KEPT =
            Set.of("href", "action", "formaction", "value", "name", "id", "for", "datetime", "class", "form");

    private final Masker masker;
    private @Nullable String tag;
    private @Nullable String attribute;

    public MaskedOutput(TemplateOutput output, Masker masker) {
        super(output);
        this.masker = masker;
    }

    @Override
    public void setContext(@Nullable String tagName, @Nullable String attributeName) {
        tag = tagName;
        attribute = attributeName;
        super.setContext(tagName, attributeName);
    }

    @Override
    public void writeUserContent(@Nullable String value) {
        boolean kept = attribute == null ? "textarea".equals(tag) : KEPT.contains(attribute);
        super.writeUserContent(value == null || kept ? value : masker.text(value));
    }
}
