package dev.howdah.console.internal.install;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.api.ApiAnswer;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import dev.howdah.operations.shape.Shape;
import java.util.List;

/** {@code /features}: whether the tables of features are there, and to create or drop them. Safe for use by many threads. */
public final class FeatureRoutes {
    private static final Shape FEATURES = Shape.of(
            "Features",
            Field.of("jobs", FieldType.BOOLEAN, "whether the tables of jobs are there"),
            Field.of("processes", FieldType.BOOLEAN, "whether those of processes are"),
            Field.of("sweeps", FieldType.BOOLEAN, "whether those of sweeps are"));

    private static final Shape CREATED =
            Shape.of("CreatedTables", Field.of("changed", FieldType.BOOLEAN, "false: they were there already"));

    private static final Shape DROP = Shape.of(
            "DropTables",
            Field.maybe(
                    "force",
                    FieldType.BOOLEAN,
                    "true: also where nodes work, or jobs, processes or sweeps have not ended"));

    private static final Shape DROPPED =
            Shape.of("DroppedTables", Field.of("changed", FieldType.BOOLEAN, "false: they were not there"));

    private final FeatureTables tables;

    private FeatureRoutes(ConsoleData data) {
        this.tables = new FeatureTables(data);
    }

    public static List<ApiRoute> of(ConsoleData data) {
        FeatureRoutes features = new FeatureRoutes(data);
        return List.of(
                ApiRoute.read("/features", "getFeatures", "Says of which features the tables are there.")
                        .answers(FEATURES)
                        .does(request -> features.read()),
                ApiRoute.change(
                                "/features/{feature}/install",
                                "installFeature",
                                "Creates the tables of jobs, processes or sweeps.")
                        .audited("features.install")
                        .answers(CREATED)
                        .does(features::install),
                ApiRoute.change(
                                "/features/{feature}/uninstall",
                                "uninstallFeature",
                                "Drops the tables of jobs, processes or sweeps with their rows.")
                        .audited("features.uninstall")
                        .takes(DROP)
                        .answers(DROPPED)
                        .does(features::uninstall));
    }

    private ApiAnswer read() {
        ObjectNode json = ApiJson.object();
        for (Feature each : Feature.values()) json.put(each.word(), tables.areThere(each));
        return ApiAnswer.ok(json);
    }

    private ApiAnswer install(ApiRequest request) {
        Feature feature = feature(request);
        boolean there = tables.areThere(feature);
        if (!there) tables.create(feature);
        ObjectNode json = ApiJson.object();
        json.put("changed", !there);
        return ApiAnswer.ok(json);
    }

    private static Feature feature(ApiRequest request) {
        String word = request.name("feature");
        Feature feature = Feature.of(word);
        if (feature == null)
            throw ApiProblemException.notFound("there is no feature \"" + word + "\": it is jobs, processes or sweeps");
        return feature;
    }

    private ApiAnswer uninstall(ApiRequest request) {
        Feature feature = feature(request);
        boolean there = tables.areThere(feature);
        try {
            if (there) tables.drop(feature, request.body().path("force").asBoolean());
        } catch (IllegalStateException e) {
            throw ApiProblemException.conflict(e.getMessage() + "; force drops the tables all the same");
        }
        ObjectNode json = ApiJson.object();
        json.put("changed", there);
        return ApiAnswer.ok(json);
    }
}
