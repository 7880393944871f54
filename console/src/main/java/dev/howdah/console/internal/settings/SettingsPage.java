package dev.howdah.console.internal.settings;

import dev.howdah.console.internal.access.BrowserSession;
import dev.howdah.console.internal.access.LoginServer;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.install.Feature;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import dev.howdah.job.history.RetentionRule;
import dev.howdah.operations.read.EngineReads;
import java.util.List;
import java.util.Map;

/** What the console runs with, the sessions of browsers, and what is kept and counted of jobs: {@code /settings}. */
public final class SettingsPage implements PageController {
    private final ConsoleData data;
    private final EngineReads queries;
    private final SettingFacts facts;
    private final LoginServer logins;

    SettingsPage(ConsoleData data, SettingFacts facts, LoginServer logins) {
        this.data = data;
        this.queries = new EngineReads(data.source(), data.schema());
        this.facts = facts;
        this.logins = logins;
    }

    /** What the template of the settings shows. */
    public record Model(List<SettingFacts.Group> groups) {}

    /** What the template of the tables shows: the features that have some. */
    public record Tables(List<String> features) {}

    /** What the template of the sessions shows. */
    public record Sessions(boolean isLoginNeeded, List<BrowserSession> sessions) {}

    /** What the template of the retention shows. */
    public record Retention(boolean isInstalled, List<RetentionRule> rules) {}

    /**
     * What the template of the counted tags shows.
     *
     * @param tags each with how many different tags its star stands for
     */
    public record Tags(boolean isInstalled, Map<String, Integer> tags) {}

    @Override
    public Page page(PageRequest request) {
        return new Page(
                "Settings",
                Section.SETTINGS,
                new Part("sessions", "settings-sessions.jte", () -> new Sessions(logins.isNeeded(), logins.sessions())),
                new Part("retention", "settings-retention.jte", this::retention),
                new Part("tags", "settings-tags.jte", this::tags),
                new Part("tables", "settings-tables.jte", () -> new Tables(Feature.words(queries.installed()))),
                new Part("settings", "settings.jte", () -> new Model(facts.groups())));
    }

    private Retention retention() {
        boolean installed = queries.installed().jobs();
        return new Retention(installed, installed ? data.jobs().history().rules() : List.of());
    }

    private Tags tags() {
        boolean installed = queries.installed().jobs();
        return new Tags(installed, installed ? data.jobs().history().countedTags() : Map.of());
    }
}
