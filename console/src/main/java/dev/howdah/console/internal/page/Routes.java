package dev.howdah.console.internal.page;

import dev.howdah.console.internal.path.Paths;
import dev.howdah.operations.Role;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Pages or forms by their {@link Paths}, each declared with the role that it needs. */
public final class Routes<T> {
    private record Declared<T>(Role role, T target) {}

    private final Paths<Declared<T>> paths = new Paths<>();

    /**
     * What is at a path.
     *
     * @param role that it needs
     * @param names in the path
     */
    public record Match<T>(T target, Role role, Map<String, String> names) {}

    /** Adds a route for callers of that role. */
    public void add(String pattern, Role role, T target) {
        paths.add(pattern, new Declared<>(role, target));
    }

    /** The patterns of all routes, in their order. */
    public List<String> patterns() {
        return paths.patterns();
    }

    /** @param path as it was sent, still encoded */
    public Optional<Match<T>> find(String path) {
        return paths.find(path)
                .map(found ->
                        new Match<>(found.target().target(), found.target().role(), found.names()));
    }
}
