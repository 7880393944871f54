package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.list.ListColumn;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.listed.Lists;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What all declared lists have in common, tried with each. */
class ApiListsTest extends ApiTestBase {
    ApiListsTest(TestDatabase database) {
        super(database);
    }

    static Stream<ListModel<?>> lists() {
        return Lists.all().stream();
    }

    static Stream<ListModel<?>> listsWithoutKey() {
        return lists().filter(each -> each.key().isEmpty());
    }

    @Override
    void install() throws SQLException {
        ConsoleFixtures.tasksAndJobs(database);
    }

    @Override
    ConsoleBuilder console() {
        return ConsoleFixtures.console(database);
    }

    @ParameterizedTest
    @MethodSource("listsWithoutKey")
    void list_asAFile_hasItsFieldsAsHeading(ListModel<?> list) throws Exception {
        HttpResponse<String> csv = api.raw("GET", "/api/v1" + list.path() + "?format=csv", null);
        assertThat(csv.statusCode()).as(csv.body()).isEqualTo(200);
        assertThat(csv.headers().firstValue("Content-Type")).hasValue("text/csv; charset=utf-8; header=present");
        String heading = String.join(
                ",", list.item().listed().stream().map(ListColumn::name).toList());
        assertThat(csv.body()).startsWith(heading + "\r\n");
        JsonNode page = api.get(list.path()).json();
        assertThat(page.path("items").isArray()).isTrue();
        HttpResponse<String> lines = api.raw("GET", "/api/v1" + list.path() + "?format=lines", null);
        assertThat(lines.statusCode()).isEqualTo(200);
        // What needs attention is another thing by the moment.
        if (!list.isPaged())
            await().untilAsserted(() -> assertThat(api.raw("GET", "/api/v1" + list.path() + "?format=lines", null)
                            .body()
                            .lines()
                            .count())
                    .isEqualTo(api.get(list.path()).json().path("items").size()));
        assertThat(new ConsoleClient(console.address())
                        .get("/files" + list.path() + "?format=csv")
                        .body())
                .startsWith(heading + "\r\n");
        assertThat(api.get(list.path() + "?format=xml").status()).isEqualTo(422);
    }

    @ParameterizedTest
    @MethodSource("lists")
    void list_ofTheDocument_hasItsFiltersWithWhatIsPossible(ListModel<?> list) {
        JsonNode operation = api.document().path("paths").path(list.path()).path("get");
        assertThat(operation.path("operationId").asText()).isEqualTo(list.id());
        List<String> names = Stream.of(list.beside(), list.filters())
                .flatMap(List::stream)
                .map(Parameter::name)
                .toList();
        assertThat(operation.path("parameters").findValuesAsText("name")).containsAll(names);
        assertThat(operation.at("/responses/200/content").has("text/csv")).isTrue();
        for (JsonNode each : operation.path("parameters"))
            if (each.path("name").asText().equals("sort"))
                assertThat(each.at("/schema/enum")).isNotEmpty();
    }

    @Test
    void file_ofALongList_hasAllItsRows() throws Exception {
        database.execute("SELECT howdah.add('mail', 'welcome', to_json(i)) FROM generate_series(1, 1500) i");
        HttpResponse<String> csv = api.raw("GET", "/api/v1/jobs?state=waiting&format=csv&limit=10", null);
        assertThat(csv.body().lines().count()).isEqualTo(1_501);
        assertThat(csv.body().lines().distinct().count()).isEqualTo(1_501);
    }

    @Test
    void filters_thatCannotBe_areNamed() {
        assertThat(api.get("/jobs?state=open").text("detail")).contains("state has to be one of waiting, planned");
        assertThat(api.get("/jobs?tag=eu&tag=vip&state=waiting").status()).isEqualTo(200);
        assertThat(api.get("/jobs?queue=a&queue=b").status()).isEqualTo(422);
        assertThat(api.get("/workflows?limit=0").text("detail")).contains("limit has to be a number from 1 to 500");
    }
}
