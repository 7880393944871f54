package dev.howdah.console.internal.settings;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.access.BrowserSession;
import dev.howdah.console.internal.access.LoginServer;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.schema.Field;
import dev.howdah.console.internal.api.schema.FieldType;
import dev.howdah.console.internal.api.schema.Shape;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.operations.Role;
import java.util.List;

/** {@code /settings} and {@code /sessions}. Safe for use by many threads. */
public final class SettingsRoutes {
    private static final Shape SETTING = Shape.of(
            "Setting",
            Field.of("group", FieldType.TEXT, "settings that belong together, such as login"),
            Field.of("name", FieldType.TEXT, "its name, for people"),
            Field.of("value", FieldType.TEXT, "its value, for people; never a secret"));

    private static final Shape SETTINGS = Shape.of("Settings", Field.many("items", SETTING, "by group"));

    private static final Shape SESSION = Shape.of(
            "BrowserSession",
            Field.of("id", FieldType.ID, "by which it is ended"),
            Field.of("name", FieldType.TEXT, "of its login, as the audit log has it"),
            Field.of("role", FieldType.TEXT, "as it was at the login"),
            Field.of("address", FieldType.TEXT, "from which it was opened"),
            Field.of("begun", FieldType.TIME, "when it was opened"),
            Field.of("used", FieldType.TIME, "when something was asked for last"));

    private static final Shape SESSIONS = Shape.of(
            "BrowserSessions", Field.many("items", SESSION, "the latest first; none where no login is needed"));

    private final SettingFacts facts;
    private final AccessSettings access;
    private final LoginServer logins;

    private SettingsRoutes(SettingFacts facts, AccessSettings access, LoginServer logins) {
        this.facts = facts;
        this.access = access;
        this.logins = logins;
    }

    public static List<ApiRoute> of(
            ConsoleData data, AccessSettings access, ProgramSettings program, LoginServer logins) {
        SettingsRoutes settings = new SettingsRoutes(new SettingFacts(data, access, program), access, logins);
        return List.of(
                ApiRoute.read(
                        "/settings",
                        "listSettings",
                        "Says what the program runs with, without secrets.",
                        List.of(),
                        SETTINGS,
                        settings::list),
                ApiRoute.read(
                                "/sessions",
                                "listBrowserSessions",
                                "Lists sessions of browsers that have logged in.",
                                List.of(),
                                SESSIONS,
                                settings::sessions)
                        .forRole(Role.ADMINISTRATOR),
                ApiRoute.change(
                        "/sessions/{id}/end",
                        "endBrowserSession",
                        Role.ADMINISTRATOR,
                        "Ends a session of a browser, with the pages that it looks at.",
                        null,
                        200,
                        SESSION,
                        "sessions.end",
                        settings::end));
    }

    private ApiAnswer list(ApiRequest request) {
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (SettingFacts.Group group : facts.groups())
            for (SettingFacts.Fact each : group.facts())
                items.addObject()
                        .put("group", group.name())
                        .put("name", each.name())
                        .put("value", access.masker().text(each.value()));
        return ApiAnswer.ok(answer);
    }

    private ApiAnswer sessions(ApiRequest request) {
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (BrowserSession each : logins.sessions()) items.add(json(each));
        return ApiAnswer.ok(answer);
    }

    private static ObjectNode json(BrowserSession each) {
        ObjectNode session = ApiJson.object();
        ApiJson.put(session, "id", each.number());
        session.put("name", each.name());
        session.put("role", each.role().text());
        session.put("address", each.address());
        ApiJson.put(session, "begun", each.begun());
        ApiJson.put(session, "used", each.used());
        return session;
    }

    private ApiAnswer end(ApiRequest request) {
        long number = request.id();
        BrowserSession ended = logins.end(number);
        if (ended == null) throw ApiProblemException.notFound("there is no session " + number);
        return ApiAnswer.ok(json(ended));
    }
}
