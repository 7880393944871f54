package dev.howdah.daemon;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.yaml.snakeyaml.Yaml;

/** Manifests for Kubernetes, and the schemas of its API. */
final class KubernetesSchemas {
    private KubernetesSchemas() {}

    static List<JsonObject> parse(String yaml) {
        List<JsonObject> all = new ArrayList<>();
        for (Object each : new Yaml().loadAll(yaml))
            all.add(new Gson().toJsonTree(each).getAsJsonObject());
        return all;
    }

    /** The classes of the API know their fields, which of them are required, and their types. */
    static void check(JsonObject manifest) throws IOException {
        String what = manifest.get("apiVersion").getAsString() + " "
                + manifest.get("kind").getAsString();
        switch (what) {
            case "v1 ServiceAccount" -> V1ServiceAccount.validateJsonElement(manifest);
            case "apps/v1 Deployment" -> V1Deployment.validateJsonElement(manifest);
            case "policy/v1 PodDisruptionBudget" -> V1PodDisruptionBudget.validateJsonElement(manifest);
            case "v1 Service" -> V1Service.validateJsonElement(manifest);
            default -> throw new AssertionError("no schema for " + what);
        }
    }
}
