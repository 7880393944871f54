package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The OpenAPI document says what programs that read it ask for: parts, errors by their status, a licence. */
class OpenApiTest extends ApiTestBase {
    OpenApiTest(TestDatabase database) {
        super(database);
    }

    @Test
    void operations_haveAPartAndTheErrorsTheyAnswer() {
        JsonNode document = api.document();
        assertThat(document.at("/info/license/identifier").asText()).isEqualTo("Apache-2.0");
        assertThat(document.at("/info/contact").isObject()).isTrue();
        List<String> tags = new ArrayList<>();
        document.path("tags").forEach(each -> {
            assertThat(each.path("description").asText()).isNotEmpty();
            tags.add(each.path("name").asText());
        });
        assertThat(tags).contains("jobs", "queues", "tasks").doesNotHaveDuplicates();
        for (Map.Entry<String, JsonNode> path : document.path("paths").properties())
            for (Map.Entry<String, JsonNode> each : path.getValue().properties()) {
                JsonNode operation = each.getValue();
                String name = each.getKey() + " " + path.getKey();
                assertThat(operation.path("tags")).as(name).hasSize(1);
                assertThat(tags).as(name).contains(operation.at("/tags/0").asText());
                JsonNode answers = operation.path("responses");
                for (String status : List.of("401", "403", "409", "422", "429", "503"))
                    assertThat(answers.at("/" + status + "/content/application~1problem+json/schema/$ref")
                                    .asText())
                            .as("%s: %s", name, status)
                            .isEqualTo("#/components/schemas/Problem");
                assertThat(answers.has("404")).as(name).isEqualTo(path.getKey().contains("{"));
            }
    }
}
