package dev.howdah.console.internal.page;

import dev.howdah.console.internal.view.StateBadge;
import org.jspecify.annotations.Nullable;

/**
 * A tab above a list.
 *
 * @param badge of the state; null: all states
 * @param path of the list with that state
 * @param count how many there are, with a plus where there may be more; null: not counted
 */
public record Tab(
        @Nullable StateBadge badge, String path, @Nullable String count, boolean isChosen) {}
