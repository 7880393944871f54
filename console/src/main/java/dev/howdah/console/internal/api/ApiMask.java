package dev.howdah.console.internal.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.mask.Masker;
import dev.howdah.operations.Role;
import org.jspecify.annotations.Nullable;

/** Puts texts and JSON of users into answers: without secrets, unless a role may see them. Immutable and safe for use by many threads. */
public final class ApiMask {
    private final AccessSettings access;

    public ApiMask(AccessSettings access) {
        this.access = access;
    }

    /** A producer reads nothing but jobs of its own queues, and goes on with what they say. */
    private boolean isMasked(Role role) {
        return role != Role.PRODUCER && !access.unmasked().contains(role);
    }

    /** A text; null: the field is left out. */
    public void text(ObjectNode json, String name, @Nullable String text, Role role) {
        if (text != null) json.put(name, shown(text, role));
    }

    /** A text that has no password for anyone. */
    public void address(ObjectNode json, String name, @Nullable String text) {
        if (text != null) json.put(name, access.masker().text(text));
    }

    /** A text under a name that users have chosen. */
    public void named(ObjectNode json, String name, String text, Role role) {
        if (isMasked(role) && access.masker().isSecretKey(name)) json.put(name, Masker.MASK);
        else text(json, name, text, role);
    }

    /** JSON of the database; null: the field is left out. */
    public void stored(ObjectNode json, String name, @Nullable String text, Role role) {
        if (text == null) return;
        json.set(name, isMasked(role) ? ApiJson.masked(ApiJson.stored(text), access.masker()) : ApiJson.stored(text));
    }

    /** A text for people. */
    public String shown(String text, Role role) {
        return isMasked(role) ? access.masker().text(text) : text;
    }

    /**
     * Whether a text is found would tell what is masked in it.
     *
     * @throws ApiProblemException if the role may not search
     */
    public void checkSearch(Role role) {
        if (!role.covers(Role.OPERATOR) && isMasked(role))
            throw new ApiProblemException(403, "forbidden", "Searching in texts needs the role operator.");
    }
}
