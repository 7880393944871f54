package dev.howdah.console.internal.mask;

import dev.howdah.console.internal.view.Texts;
import gg.jte.TemplateOutput;
import gg.jte.html.OwaspHtmlTemplateOutput;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The output of a template in which each text of the data is masked before it is escaped, and cannot change the direction of writing: a
 * command that is shown to be copied is the one that is copied. For one thread.
 */
public final class MaskedOutput extends OwaspHtmlTemplateOutput {
    /** Links and fields have to keep their values: a masked one would lead nowhere, or be stored. */
    private static final Set<String> KEPT =
            Set.of("href", "action", "formaction", "value", "name", "id", "for", "datetime", "class", "form");

    private final UnaryOperator<String> masker;
    private @Nullable String tag;
    private @Nullable String attribute;

    public MaskedOutput(TemplateOutput output, UnaryOperator<String> masker) {
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
        super.writeUserContent(value == null || kept ? value : Texts.visible(masker.apply(value)));
    }
}
