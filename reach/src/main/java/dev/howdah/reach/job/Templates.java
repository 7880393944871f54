package dev.howdah.reach.job;

import dev.howdah.spi.reach.ReachTemplate;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The templates of a program. Has to be safe for use by many threads. */
@FunctionalInterface
public interface Templates {
    /** The template of that name; null if there is none. */
    @Nullable
    ReachTemplate find(String name);

    /** None. */
    static Templates none() {
        return name -> null;
    }

    /**
     * These, in Mustache, by their names. Those whose names end in {@code .text} or {@code .subject} are text, all others HTML, where values are
     * escaped.
     */
    static Templates of(Map<String, String> bodies) {
        Map<String, String> all = Map.copyOf(bodies);
        return name -> {
            String body = all.get(name);
            boolean text = name.endsWith(".text") || name.endsWith(".subject");
            return body == null ? null : new ReachTemplate(name, 1, text ? "text" : "html", body);
        };
    }
}
