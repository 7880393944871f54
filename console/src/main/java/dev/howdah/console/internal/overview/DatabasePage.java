package dev.howdah.console.internal.overview;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.console.internal.session.SessionPages;
import dev.howdah.health.HealthCheck;
import dev.howdah.operations.read.ReadException;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;

/** The health of the database, and the sessions behind it: {@code /database}. */
public final class DatabasePage implements PageController {
    private final ConsoleData data;

    DatabasePage(ConsoleData data) {
        this.data = data;
    }

    /** What the template shows. */
    public record Model(List<HealthCheck> checks) {
        /** Those that found something, the worst first. */
        public List<HealthCheck> found() {
            return checks.stream()
                    .filter(each -> each.level() != HealthCheck.Level.OK)
                    .sorted(Comparator.comparing(HealthCheck::level))
                    .toList();
        }

        public List<HealthCheck> passed() {
            return checks.stream()
                    .filter(each -> each.level() == HealthCheck.Level.OK)
                    .toList();
        }
    }

    @Override
    public Page page(PageRequest request) {
        return new Page(
                "Database",
                Section.DATABASE,
                new Part("health", "database.jte", () -> new Model(checks(data))),
                SessionPages.part(data));
    }

    static List<HealthCheck> checks(ConsoleData data) {
        try {
            return data.health().check();
        } catch (SQLException e) {
            throw new ReadException(e);
        }
    }
}
