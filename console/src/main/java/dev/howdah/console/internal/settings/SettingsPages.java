package dev.howdah.console.internal.settings;

import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.access.BrowserSession;
import dev.howdah.console.internal.access.LoginServer;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.NamedAction;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.PageController;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.page.Routes;
import dev.howdah.operations.Role;

/** The page of settings and its action by their paths. */
public final class SettingsPages {
    private SettingsPages() {}

    public static void add(
            ConsoleData data,
            AccessSettings access,
            ProgramSettings program,
            LoginServer logins,
            Routes<PageController> pages,
            Routes<PageAction> actions) {
        pages.add("/settings", Role.VIEWER, new SettingsPage(data, new SettingFacts(data, access, program), logins));
        PageAction end = new NamedAction(
                "number",
                "End session %s? Its browser has to log in again; with a token or a provider it can.",
                number -> new ActionResult(end(logins, number), "/settings"));
        actions.add("/settings/sessions/{number}/end", Role.ADMINISTRATOR, end);
    }

    private static String end(LoginServer logins, String number) {
        BrowserSession ended = logins.end(PageRequest.number("number", number, 1, Long.MAX_VALUE));
        return ended == null
                ? "There is no session " + number + " any more."
                : "Session " + number + " of " + ended.name() + ", "
                        + ended.role().text() + ", has ended.";
    }

    /** The path of the action that ends a session. */
    public static String endPath(long number) {
        return "/settings/sessions/" + number + "/end";
    }
}
