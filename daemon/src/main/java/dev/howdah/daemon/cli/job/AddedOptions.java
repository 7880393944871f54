package dev.howdah.daemon.cli.job;

import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Json;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of a job that is added: its tags and metadata. */
final class AddedOptions {
    @Option(names = "--tag", paramLabel = "TAG", description = "A tag of the job; may be given again.")
    private List<String> tags = List.of();

    @Option(names = "--metadata", paramLabel = "JSON", description = "The metadata of the job, a JSON object.")
    private @Nullable String metadata;

    @Option(names = "--group", paramLabel = "GROUP", description = "The group of the job, such as a customer.")
    private @Nullable String group;

    @Option(names = "--weight", paramLabel = "N", description = "The weight of the job under rate limits (default: 1).")
    private @Nullable Integer weight;

    /** A JSON object; null: none of them is given. */
    @Nullable
    String json() {
        return json(null);
    }

    /**
     * A JSON object; null: none of them is given.
     *
     * @param unique the option of that name; null: it is not given
     */
    @Nullable
    String json(@Nullable Map<String, Object> unique) {
        Map<String, Object> options = new LinkedHashMap<>();
        if (unique != null) options.put("unique", new Json.Document(Json.line(unique)));
        if (!tags.isEmpty()) options.put("tags", tags);
        if (metadata != null) options.put("metadata", new Json.Document(metadata));
        if (group != null) options.put("group", group);
        if (weight != null) options.put("weight", weight);
        try {
            return options.isEmpty() ? null : Json.line(options);
        } catch (UncheckedIOException e) {
            throw CliException.usage("--metadata " + metadata + ": it has to be a JSON object");
        }
    }
}
