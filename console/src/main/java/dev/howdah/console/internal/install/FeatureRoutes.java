package dev.howdah.console.internal.install;

import com.fasterxml.jackson.databind.node.ObjectNode;
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

/** {@code /features}: whether the tables of features are there, and to create them. Safe for use by many threads. */
public final class FeatureRoutes {
    private static final Shape FEATURES = Shape.of(
            "Features",
            Field.of("jobs", FieldType.BOOLEAN, "whether the tables of jobs are there"),
            Field.of("processes", FieldType.BOOLEAN, "whether those of processes are"),
            Field.of("sweeps", FieldType.BOOLEAN, "whether those of sweeps are"));

    private static final Shape CREATED =
            Shape.of("CreatedTables", Field.of("changed", FieldType.BOOLEAN, "false: they were there already"));

    private final FeatureTables tables;

    private FeatureRoutes(ConsoleData data) {
        this.tables = new FeatureTables(data);
    }

    public static List<ApiRoute> of(ConsoleData data) {
        FeatureRoutes features = new FeatureRoutes(data);
        return List.of(
                ApiRoute.read(
                        "/features",
                        "getFeatures",
                        "Says of which features the tables are there.",
                        List.of(),
                        FEATURES,
                        request -> features.read()),
                ApiRoute.change(
                        "/features/{feature}/install",
                        "installFeature",
                        Role.ADMINISTRATOR,
                        "Creates the tables of jobs, processes or sweeps.",
                        null,
                        200,
                        CREATED,
                        "features.install",
                        features::install));
    }

    private ApiAnswer read() {
        ObjectNode json = ApiJson.object();
        for (Feature each : Feature.values()) json.put(each.word(), tables.areThere(each));
        return ApiAnswer.ok(json);
    }

    private ApiAnswer install(ApiRequest request) {
        String word = request.name("feature");
        Feature feature = Feature.of(word);
        if (feature == null)
            throw ApiProblemException.notFound("there is no feature \"" + word + "\": it is jobs, processes or sweeps");
        boolean there = tables.areThere(feature);
        if (!there) tables.create(feature);
        ObjectNode json = ApiJson.object();
        json.put("changed", !there);
        return ApiAnswer.ok(json);
    }
}
