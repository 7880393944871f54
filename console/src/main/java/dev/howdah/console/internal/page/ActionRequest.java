package dev.howdah.console.internal.page;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a form sends.
 *
 * @param page the address and the names in its path
 * @param form the fields of the form
 * @param counted how many objects were counted for it, by what was counted
 */
public record ActionRequest(PageRequest page, Map<String, List<String>> form, Map<String, Optional<Long>> counted) {
    public ActionRequest {
        form = new LinkedHashMap<>(form);
        counted = new HashMap<>(counted);
    }

    public ActionRequest(PageRequest page, Map<String, List<String>> form) {
        this(page, form, Map.of());
    }

    /**
     * Counts once what the question, its proof and the change itself have to know.
     *
     * @param what is counted
     * @param count null: it cannot be counted in time
     */
    public @Nullable Long counted(String what, Supplier<@Nullable Long> count) {
        Optional<Long> known = counted.get(what);
        if (known == null) {
            known = Optional.ofNullable(count.get());
            counted.put(what, known);
        }
        return known.orElse(null);
    }

    /** The id in the path. */
    public long id() {
        return page.id();
    }

    /** A part of the key of an object: of the address, or where that has none, the field of that name; null: there is neither. */
    public @Nullable String nameOrField(String name) {
        String inAddress = page.key(name);
        return inAddress == null ? field(name) : inAddress;
    }

    /** The value of that field; null if it is missing or empty. */
    public @Nullable String field(String name) {
        List<String> values = form.get(name);
        return values == null || values.isEmpty() || values.get(0).isBlank() ? null : values.get(0);
    }

    /**
     * The ids of selected rows; empty: none is selected.
     *
     * @throws BadRequestException if one is no number
     */
    public List<Long> ids() {
        List<String> texts = fields("id");
        for (String text : texts)
            if (!text.matches("\\d{1,18}"))
                throw new BadRequestException("id has to be a number, not \"" + text + "\"");
        return texts.stream().map(Long::valueOf).toList();
    }

    /** The list at that path of which the form has sent the parameters of these names. */
    public PageRequest list(String path, List<String> names) {
        Map<String, List<String>> filter = new LinkedHashMap<>();
        for (String name : names) if (field(name) != null) filter.put(name, fields(name));
        return new PageRequest(path, Map.of(), filter);
    }

    /** The values of that field; empty if it is missing. */
    public List<String> fields(String name) {
        return form.getOrDefault(name, List.of());
    }
}
