package dev.howdah.console.internal.settings;

import dev.howdah.console.internal.access.BrowserSession;
import dev.howdah.console.internal.access.LoginServer;
import dev.howdah.console.internal.page.Page;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Part;
import dev.howdah.console.internal.page.Section;
import java.util.List;

/** What the console runs with, and the sessions of browsers: {@code /settings}. */
public final class SettingsPage implements PageController {
    private final SettingFacts facts;
    private final LoginServer logins;

    SettingsPage(SettingFacts facts, LoginServer logins) {
        this.facts = facts;
        this.logins = logins;
    }

    /** What the template of the settings shows. */
    public record Model(List<SettingFacts.Group> groups) {}

    /** What the template of the sessions shows. */
    public record Sessions(boolean isLoginNeeded, List<BrowserSession> sessions) {}

    @Override
    public Page page(PageRequest request) {
        return new Page(
                "Settings",
                Section.SETTINGS,
                new Part("sessions", "settings-sessions.jte", () -> new Sessions(logins.isNeeded(), logins.sessions())),
                new Part("settings", "settings.jte", () -> new Model(facts.groups())));
    }
}
