package dev.howdah.task;

import org.jspecify.annotations.Nullable;

/** What makes tasks queue behind each other: the same group, and the same remote or none (specification, section 5). */
record GroupKey(String group, @Nullable String remote) {
    boolean isRemote() {
        return remote != null;
    }
}
