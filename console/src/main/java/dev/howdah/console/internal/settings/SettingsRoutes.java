package dev.howdah.console.internal.settings;

import static dev.howdah.operations.shape.FieldType.ID;
import static dev.howdah.operations.shape.FieldType.TEXT;
import static dev.howdah.operations.shape.FieldType.TIME;

import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.access.BrowserSession;
import dev.howdah.console.internal.access.LoginServer;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.operation.ListRoutes;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.operations.Role;
import dev.howdah.operations.list.ListItem;
import dev.howdah.operations.list.ListModel;
import java.util.List;

/** {@code /settings} and {@code /sessions}. Safe for use by many threads. */
public final class SettingsRoutes {
    private static final ListItem<BrowserSession> SESSION = ListItem.<BrowserSession>of("BrowserSession")
            .of("id", ID, "by which it is ended", BrowserSession::number)
            .of("name", TEXT, "of its login, as the audit log has it", BrowserSession::name)
            .of("role", TEXT, "as it was at the login", BrowserSession::role)
            .of("address", TEXT, "from which it was opened", BrowserSession::address)
            .of("begun", TIME, "when it was opened", BrowserSession::begun)
            .of("used", TIME, "when something was asked for last", BrowserSession::used);

    /** A setting with its group. */
    private record Setting(String group, SettingFacts.Fact fact) {}

    private SettingsRoutes() {}

    /** The lists of settings, and of sessions of browsers. */
    public static List<ListModel<?>> lists(
            ConsoleData data, AccessSettings access, ProgramSettings program, LoginServer logins) {
        SettingFacts facts = new SettingFacts(data, access, program);
        return List.of(
                ListModel.of(
                                "listSettings",
                                "/settings",
                                "Says what the program runs with, without secrets.",
                                ListItem.<Setting>of("Setting")
                                        .of(
                                                "group",
                                                TEXT,
                                                "settings that belong together, such as login",
                                                Setting::group)
                                        .of(
                                                "name",
                                                TEXT,
                                                "its name, for people",
                                                setting -> setting.fact().name())
                                        .of(
                                                "value",
                                                TEXT,
                                                "its value, for people; never a secret",
                                                setting -> setting.fact().value())
                                        .address())
                        .order("by group")
                        .all(call -> facts.groups().stream()
                                .flatMap(group -> group.facts().stream().map(each -> new Setting(group.name(), each)))
                                .toList()),
                ListModel.of(
                                "listBrowserSessions",
                                "/sessions",
                                "Lists sessions of browsers that have logged in.",
                                SESSION)
                        .role(Role.ADMINISTRATOR)
                        .order("the latest first; none where no login is needed")
                        .all(call -> logins.sessions()));
    }

    public static List<ApiRoute> of(AccessSettings access, LoginServer logins) {
        return List.of(ApiRoute.change(
                        "/sessions/{id}/end",
                        "endBrowserSession",
                        "Ends a session of a browser, with the pages that it looks at.")
                .audited("sessions.end")
                .answers(SESSION.shape())
                .does(request -> {
                    BrowserSession ended = logins.end(request.id());
                    if (ended == null) throw ApiProblemException.notFound("there is no session " + request.id());
                    return ApiAnswer.ok(ListRoutes.object(SESSION, ended, access, request));
                }));
    }
}
