package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import dev.howdah.Database;
import dev.howdah.daemon.config.Setting;
import dev.howdah.daemon.database.SessionSource;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.job.Jobs;
import dev.howdah.job.Kind;
import dev.howdah.job.NewJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The manifests for Kubernetes: as the schemas of its API want them, with settings that there are. */
@PostgresTest
class KubernetesManifestsTest {
    private static final Path FILE = Path.of("..", "packaging", "kubernetes", "howdah.yaml");
    private static final Path KEDA = Path.of("..", "packaging", "kubernetes", "keda.yaml");

    @Test
    void manifests_bySchemaOfTheApi_areValid() throws Exception {
        List<JsonObject> all = KubernetesSchemas.parse(Files.readString(FILE));
        for (JsonObject each : all) KubernetesSchemas.check(each);
        assertThat(all)
                .extracting(each -> each.get("kind").getAsString())
                .containsExactly("ServiceAccount", "Deployment", "PodDisruptionBudget", "Service");
    }

    @Test
    void manifest_withAFieldThatThereIsNot_isRefused() throws Exception {
        String wrong = Files.readString(FILE).replace("readOnlyRootFilesystem:", "readOnlyRootFileSystem:");
        assertThatThrownBy(() -> {
                    for (JsonObject each : KubernetesSchemas.parse(wrong)) KubernetesSchemas.check(each);
                })
                .hasMessageContaining("The field `readOnlyRootFileSystem`");
    }

    @Test
    void manifests_settings_areThoseOfTheDaemon() throws IOException {
        assertThat(Pattern.compile("name: (HOWDAH_\\w+)")
                        .matcher(Files.readString(FILE))
                        .results()
                        .map(MatchResult::group)
                        .map(each -> each.substring("name: ".length())))
                .hasSizeGreaterThan(2)
                .isSubsetOf(Setting.variables());
    }

    @Test
    void keda_query_countsJobsThatAreDue(TestDatabase database) throws IOException {
        Kind<String> mail = Kind.of("mail", String.class);
        try (Jobs jobs = Jobs.on(new SessionSource(Database.of(database.uri(), Map.of())))
                .start()) {
            for (int i = 0; i < 3; i++) jobs.add(NewJob.of(mail, "now").queue("mail"));
            jobs.add(NewJob.of(mail, "tomorrow")
                    .queue("mail")
                    .runAt(Instant.now().plusSeconds(86_400)));
            jobs.add(NewJob.of(mail, "elsewhere").queue("other"));
        }
        String query = KubernetesSchemas.parse(Files.readString(KEDA))
                .get(0)
                .getAsJsonObject("spec")
                .getAsJsonArray("triggers")
                .get(0)
                .getAsJsonObject()
                .getAsJsonObject("metadata")
                .get("query")
                .getAsString();
        assertThat(database.value(query)).isEqualTo("3");
    }
}
