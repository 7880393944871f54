package dev.howdah.daemon.cli;

import dev.howdah.daemon.console.CliException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --sort} of the commands that list. */
public final class SortOption {
    @Option(
            names = "--sort",
            paramLabel = "ORDER",
            description = "The order: newest first, oldest first, or another that the list has (see the manual).")
    private @Nullable String order;

    /**
     * The order that was chosen.
     *
     * @param usual if none was
     * @param known those that the list has
     */
    @SafeVarargs
    public final <E extends Enum<E>> E of(E usual, E... known) {
        if (order == null) return usual;
        List<String> words = new ArrayList<>();
        for (E each : known) {
            String word = each.name().toLowerCase(Locale.ROOT).replace('_', '-');
            if (word.equals(order.toLowerCase(Locale.ROOT))) return each;
            words.add(word);
        }
        throw CliException.usage("--sort " + order + ": it has to be one of " + String.join(", ", words));
    }
}
