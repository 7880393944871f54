package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import dev.howdah.daemon.config.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The chart, by Helm itself: what it renders is as the schemas of the API want it, and the same as the plain manifests. */
class HelmChartTest {
    private static final Path CHART =
            Path.of("..", "packaging", "helm", "howdah").toAbsolutePath().normalize();
    private static final Path MANIFESTS = Path.of("..", "packaging", "kubernetes", "howdah.yaml");

    @BeforeAll
    static void library() {
        assumeTrue(
                "amd64".equals(System.getProperty("os.arch")),
                "the library with Helm is only complete for amd64, so the chart is not rendered");
    }

    @Test
    void lint_strict_findsNothingWrong() {
        LintResult result = new Helm(CHART).lint().strict().call();
        assertThat(result.isFailed()).as(result.getMessages().toString()).isFalse();
        assertThat(result.getMessages().toString()).doesNotContain("WARNING").doesNotContain("ERROR");
    }

    @Test
    void template_withItsOwnValues_hasAllOfThePlainManifests() throws IOException {
        Map<String, JsonObject> rendered = render(template("howdah"));
        List<JsonObject> plain = KubernetesSchemas.parse(Files.readString(MANIFESTS));
        assertThat(rendered).hasSize(plain.size());
        for (JsonObject each : plain) {
            String kind = each.get("kind").getAsString();
            assertThat(contains(one(rendered, kind), each))
                    .as("%s is not part of %s", each, one(rendered, kind))
                    .isTrue();
        }
        assertThat(environment(rendered).keySet().stream().filter(each -> each.startsWith("HOWDAH_")))
                .isSubsetOf(Setting.variables());
    }

    @Test
    void template_withValues_hasThem(@TempDir Path directory) throws IOException {
        Path values = Files.writeString(directory.resolve("values.yaml"), """
                replicas: 3
                image: {repository: "registry.example:5000/tools/howdah", tag: "1.2.3", pullPolicy: Always, pullSecrets: [mine]}
                connection: {secret: shop, urlKey: uri, passwordKey: pass}
                settings: {HOWDAH_QUEUES: "mail,reports", HOWDAH_LEASE: "5"}
                console: {enabled: false, port: 9000}
                metrics: {port: 9999}
                resources: {limits: {memory: 1Gi}}
                podAnnotations: {team: shop}
                nodeSelector: {disk: ssd}
                tolerations: [{key: dedicated, operator: Exists}]
                affinity: {podAntiAffinity: {}}
                """);
        Map<String, JsonObject> rendered =
                render(template("shop").withNamespace("prod").withValuesFile(values));
        assertThat(rendered).containsOnlyKeys("ServiceAccount", "Deployment", "PodDisruptionBudget", "Service");
        JsonObject deployment = one(rendered, "Deployment");
        assertThat(deployment.getAsJsonObject("metadata").get("name").getAsString())
                .isEqualTo("shop-howdah");
        assertThat(deployment.getAsJsonObject("spec").get("replicas").getAsInt())
                .isEqualTo(3);
        JsonObject container = container(rendered);
        assertThat(container.get("image").getAsString()).isEqualTo("registry.example:5000/tools/howdah:1.2.3");
        assertThat(container.get("imagePullPolicy").getAsString()).isEqualTo("Always");
        assertThat(container
                        .getAsJsonArray("ports")
                        .get(0)
                        .getAsJsonObject()
                        .get("containerPort")
                        .getAsInt())
                .isEqualTo(9999);
        assertThat(environment(rendered))
                .containsEntry("HOWDAH_URL", "shop/uri")
                .containsEntry("PGPASSWORD", "shop/pass")
                .containsEntry("HOWDAH_CONSOLE", "off")
                .containsEntry("HOWDAH_METRICS_PORT", "9999")
                .containsEntry("HOWDAH_QUEUES", "mail,reports")
                .containsEntry("HOWDAH_LEASE", "5");
        assertThat(pod(rendered).toString())
                .contains(
                        "\"imagePullSecrets\":[{\"name\":\"mine\"}]",
                        "\"nodeSelector\":{\"disk\":\"ssd\"}",
                        "\"Exists\"");
        // A limit of the values is added to those of the chart.
        assertThat(container.getAsJsonObject("resources").toString())
                .contains("\"memory\":\"1Gi\"", "\"cpu\":\"100m\"");
    }

    @Test
    void template_oneDaemonWithoutPasswordOrScrapes_leavesTheirPartsOut() throws IOException {
        Map<String, JsonObject> rendered = render(template("howdah")
                .set("replicas", 1)
                .set("metrics.scrape", false)
                .set("connection.passwordKey", ""));
        assertThat(rendered).containsOnlyKeys("ServiceAccount", "Deployment");
        assertThat(environment(rendered)).doesNotContainKey("PGPASSWORD").containsKey("HOWDAH_URL");
        assertThat(one(rendered, "Deployment").toString()).doesNotContain("prometheus.io");
    }

    @Test
    void template_valueThatThereIsNot_isRefused() {
        assertThatThrownBy(() -> template("howdah").set("replica", 3).call()).hasMessageContaining("replica");
        assertThatThrownBy(() -> template("howdah").set("replicas", "many").call())
                .hasMessageContaining("replicas");
        assertThatThrownBy(() -> template("howdah").set("metrics.port", 80).call())
                .hasMessageContaining("port");
        // The URL, which has a place of its own, and what is no setting at all.
        assertThatThrownBy(
                        () -> template("howdah").set("settings.HOWDAH_URL", "x").call())
                .hasMessageContaining("settings");
        assertThatThrownBy(
                        () -> template("howdah").set("settings.PGPASSWORD", "x").call())
                .hasMessageContaining("settings");
    }

    private static TemplateCommand template(String release) {
        return new Helm(CHART).template().withName(release);
    }

    /** What Helm makes of the chart, by kind: each of them valid. */
    private static Map<String, JsonObject> render(TemplateCommand command) throws IOException {
        Map<String, JsonObject> all = new TreeMap<>();
        for (JsonObject each : KubernetesSchemas.parse(command.call())) {
            KubernetesSchemas.check(each);
            assertThat(all.put(each.get("kind").getAsString(), each)).isNull();
        }
        return all;
    }

    private static JsonObject one(Map<String, JsonObject> rendered, String kind) {
        return Objects.requireNonNull(rendered.get(kind), kind);
    }

    private static JsonObject pod(Map<String, JsonObject> rendered) {
        return one(rendered, "Deployment")
                .getAsJsonObject("spec")
                .getAsJsonObject("template")
                .getAsJsonObject("spec");
    }

    private static JsonObject container(Map<String, JsonObject> rendered) {
        return pod(rendered).getAsJsonArray("containers").get(0).getAsJsonObject();
    }

    /** Variables with their values, or with SECRET/KEY. */
    private static Map<String, String> environment(Map<String, JsonObject> rendered) {
        Map<String, String> all = new TreeMap<>();
        for (JsonElement each : container(rendered).getAsJsonArray("env")) {
            JsonObject variable = each.getAsJsonObject();
            String value = variable.has("value")
                    ? variable.get("value").getAsString()
                    : secret(variable.getAsJsonObject("valueFrom").getAsJsonObject("secretKeyRef"));
            assertThat(all.put(variable.get("name").getAsString(), value)).isNull();
        }
        return all;
    }

    private static String secret(JsonObject reference) {
        return reference.get("name").getAsString() + "/" + reference.get("key").getAsString();
    }

    /** Whether {@code whole} has every field, and some equal element for every element, of {@code part}. */
    private static boolean contains(JsonElement whole, JsonElement part) {
        if (part instanceof JsonObject fields)
            return whole instanceof JsonObject object
                    && fields.entrySet().stream()
                            .allMatch(each ->
                                    object.has(each.getKey()) && contains(object.get(each.getKey()), each.getValue()));
        if (part instanceof JsonArray elements)
            return whole instanceof JsonArray array
                    && StreamSupport.stream(elements.spliterator(), false)
                            .allMatch(each -> StreamSupport.stream(array.spliterator(), false)
                                    .anyMatch(candidate -> contains(candidate, each)));
        return part.equals(whole);
    }
}
