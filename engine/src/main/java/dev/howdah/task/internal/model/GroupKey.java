package dev.howdah.task.internal.model;

import org.jspecify.annotations.Nullable;

/** The key by which tasks queue behind each other: the same group, and the same remote or none. */
public record GroupKey(String group, @Nullable String remote) {
    public boolean isRemote() {
        return remote != null;
    }
}
