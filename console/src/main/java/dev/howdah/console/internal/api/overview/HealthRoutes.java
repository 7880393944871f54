package dev.howdah.console.internal.api.overview;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiMask;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.schema.Field;
import dev.howdah.console.internal.api.schema.FieldType;
import dev.howdah.console.internal.api.schema.Shape;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ReadException;
import dev.howdah.health.HealthCheck;
import dev.howdah.operations.Role;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;

/** {@code /database}, the checks of {@code howdah doctor}. Safe for use by many threads. */
public final class HealthRoutes {
    private static final Shape CHECKS = Shape.of(
            "HealthChecks",
            Field.of("level", FieldType.TEXT, "the worst: critical, warning, unknown, notice or ok"),
            Field.many(
                    "items",
                    Shape.of(
                            "HealthCheck",
                            Field.of("name", FieldType.TEXT, "of the check, such as snapshot"),
                            Field.of("level", FieldType.TEXT, "critical, warning, unknown, notice or ok"),
                            Field.of("value", FieldType.TEXT, "what was found; unknown if it could not be checked"),
                            Field.of("threshold", FieldType.TEXT, "from where on it is a warning, and critical"),
                            Field.of("sentence", FieldType.TEXT, "the result for people, without secrets"),
                            Field.maybe("remedy", FieldType.TEXT, "what to do about it, mostly an SQL statement")),
                    "the worst first"));

    private final ConsoleData data;
    private final ApiMask mask;

    private HealthRoutes(ConsoleData data, AccessSettings access) {
        this.data = data;
        this.mask = new ApiMask(access);
    }

    public static List<ApiRoute> of(ConsoleData data, AccessSettings access) {
        HealthRoutes health = new HealthRoutes(data, access);
        return List.of(ApiRoute.read(
                "/database",
                "checkDatabase",
                "Checks the health of the database, as howdah doctor does.",
                List.of(),
                CHECKS,
                health::check));
    }

    private static String word(HealthCheck.Level level) {
        return level.name().toLowerCase(Locale.ROOT);
    }

    private ApiAnswer check(ApiRequest request) {
        List<HealthCheck> checks;
        try {
            checks = data.health().check();
        } catch (SQLException e) {
            throw new ReadException(e);
        }
        Role role = request.caller().role();
        HealthCheck.Level worst = HealthCheck.Level.OK;
        ObjectNode answer = ApiJson.object();
        ArrayNode items = answer.putArray("items");
        for (HealthCheck each : checks) {
            if (each.level().compareTo(worst) < 0) worst = each.level();
            ObjectNode check = items.addObject();
            check.put("name", each.name());
            check.put("level", word(each.level()));
            mask.text(check, "value", each.value(), role);
            check.put("threshold", each.threshold());
            mask.text(check, "sentence", each.sentence(), role);
            mask.text(check, "remedy", each.remedy(), role);
        }
        answer.put("level", word(worst));
        return ApiAnswer.ok(answer);
    }
}
