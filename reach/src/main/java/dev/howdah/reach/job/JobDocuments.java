package dev.howdah.reach.job;

import dev.howdah.spi.reach.ReachDocument;
import dev.howdah.spi.reach.ReachDocuments;
import dev.howdah.spi.reach.ReachTemplate;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The templates of a program, the files that a job sends, and the document that it makes. */
final class JobDocuments implements ReachDocuments {
    private final Templates templates;
    private final Map<UUID, ReachDocument> files;
    private volatile @Nullable ReachDocument made;

    JobDocuments(Templates templates) {
        this(templates, Map.of());
    }

    /** @param files by the names that the input has for them */
    JobDocuments(Templates templates, Map<UUID, ReachDocument> files) {
        this.templates = templates;
        this.files = files;
    }

    /** The document that was made. */
    ReachDocument made() {
        ReachDocument document = made;
        if (document == null) throw new IllegalStateException("no document was made");
        return document;
    }

    @Override
    public @Nullable ReachTemplate template(String name, @Nullable Integer version) {
        return templates.find(name);
    }

    @Override
    public @Nullable ReachDocument document(UUID id) {
        return files.get(id);
    }

    @Override
    public @Nullable ReachDocument documentOf(long task) {
        return null;
    }

    @Override
    public UUID add(ReachDocument document, int pages, @Nullable ReachTemplate template, @Nullable Duration keep) {
        made = document;
        return UUID.randomUUID();
    }
}
