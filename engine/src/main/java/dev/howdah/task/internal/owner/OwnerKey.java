package dev.howdah.task.internal.owner;

import org.jspecify.annotations.Nullable;

/**
 * The owner of tasks as statements of the scheduler give it: the oid of the role, a blank, and its name. Two roles that had
 * the same name one after the other are two owners.
 *
 * @param oid null for a row from before the table knew oids: then any role of that name is meant
 */
public record OwnerKey(@Nullable Long oid, String name) {
    public static OwnerKey of(String text) {
        int blank = text.indexOf(' ');
        return new OwnerKey(blank == 0 ? null : Long.valueOf(text.substring(0, blank)), text.substring(blank + 1));
    }
}
