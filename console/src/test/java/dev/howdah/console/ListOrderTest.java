package dev.howdah.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.process.Processes;
import dev.howdah.sweep.Sweep;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each list in each of its orders, page by page, on the pages and in the API. */
class ListOrderTest extends ApiTestBase {
    private static final Pattern ROW = Pattern.compile("<tr data-row=\"([^\"]*)\"");
    private static final Pattern PREVIOUS = Pattern.compile("<a href=\"([^\"]*)\" data-previous");
    private static final Pattern NEXT = Pattern.compile("<a href=\"([^\"]*)\" data-next");

    ListOrderTest(TestDatabase database) {
        super(database);
    }

    @Override
    void install() throws SQLException {
        ConsoleFixtures.tasksAndJobs(database);
        Processes.on(ConsoleFixtures.source(database)).start().close();
        try (Connection connection = database.connect()) {
            Sweep.install(connection);
        }
        database.execute("INSERT INTO task (input, state) SELECT 'SELECT ' || i, 'DONE' FROM generate_series(1, 7) i;"
                + " INSERT INTO task (input, plan) SELECT 'x', now() + i % 3 * interval '1 hour' + interval '1 day'"
                + " FROM generate_series(1, 7) i;"
                + " SELECT howdah.add('mail', 'welcome', '1') FROM generate_series(1, 7);"
                + " SELECT howdah.cancel(id) FROM howdah.jobs WHERE state = 'waiting' AND id < 5;"
                + " SELECT howdah.schedule('schedule ' || (7 * i) % 10, 'mail', 'welcome', period => i * interval '1 h')"
                + " FROM generate_series(1, 5) i;"
                + " UPDATE howdah.schedule SET next_at = CASE WHEN name <> 'schedule 4' THEN now() + period END;"
                + " SELECT howdah.add_workflow(('[{\"name\": \"a\", \"kind\": \"k\"}]')::json, 'w') FROM generate_series(1, 5);"
                + " INSERT INTO howdah_internal.node (name, features) SELECT 'node ' || (7 * i) % 10, '{job}'"
                + " FROM generate_series(1, 4) i;"
                + " INSERT INTO howdah_internal.process_namespace (name) VALUES ('shop');"
                + " INSERT INTO howdah_internal.process (namespace, id, status, previous_status)"
                + " SELECT 1, 'order-' || (7 * i) % 10, CASE WHEN i < 3 THEN 'error' ELSE 'running' END, 'init'"
                + " FROM generate_series(1, 7) i;"
                + " INSERT INTO howdah.sweep (name, definition, started) SELECT 'sweep ' || (7 * i) % 10,"
                + " '{\"table\": \"t\"}', now() - i * interval '1 h' FROM generate_series(1, 5) i");
    }

    @Override
    ConsoleBuilder console() {
        return ConsoleFixtures.console(database);
    }

    private List<String> pages(String path) {
        ConsoleClient browser = new ConsoleClient(console.address());
        List<List<String>> pages = new ArrayList<>();
        String last = "";
        for (String next = path; next != null; next = link(last, NEXT)) {
            last = browser.get(next).body();
            List<String> rows = rows(last);
            if (!rows.isEmpty()) pages.add(rows);
        }
        List<List<String>> back = new ArrayList<>();
        for (String previous = link(last, PREVIOUS); previous != null; ) {
            String page = browser.get(previous).body();
            back.add(0, rows(page));
            // From the first page of those that were read backwards the way forward is the same.
            assertThat(link(page, NEXT)).isNotNull();
            assertThat(rows(browser.get(String.valueOf(link(page, NEXT))).body()))
                    .isEqualTo(pages.get(pages.size() - back.size()));
            previous = link(page, PREVIOUS);
            // A full page at the beginning does not know that it is the first: before it is the first page.
            if (back.size() == pages.size() - 1 && previous != null) {
                assertThat(rows(browser.get(previous).body())).isEqualTo(pages.get(0));
                break;
            }
        }
        if (pages.size() > 1 && link(last, PREVIOUS) != null)
            assertThat(back).as("backwards from the end of " + path).isEqualTo(pages.subList(0, pages.size() - 1));
        return new ArrayList<>(pages.stream().flatMap(List::stream).toList());
    }

    private static List<String> rows(String page) {
        List<String> rows = new ArrayList<>();
        Matcher row = ROW.matcher(page);
        while (row.find()) rows.add(row.group(1));
        return rows;
    }

    private static @Nullable String link(String page, Pattern kind) {
        Matcher link = kind.matcher(page);
        return link.find() ? link.group(1).replace("&amp;", "&") : null;
    }

    private List<String> items(String path, String name) {
        List<String> rows = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        JsonNode page = api.get(path).json();
        for (; ; ) {
            List<String> some = page.path("items").findValuesAsText(name);
            rows.addAll(some);
            if (!some.isEmpty()) sizes.add(some.size());
            if (!page.has("next")) break;
            page = api.get(path + "&after=" + page.path("next").asText().replace(" ", "%20"))
                    .json();
        }
        if (!page.has("previous")) return rows;
        List<String> back = new ArrayList<>();
        for (int i = 1; i < sizes.size(); i++) {
            page = api.get(path + "&before=" + page.path("previous").asText().replace(" ", "%20"))
                    .json();
            back.addAll(0, page.path("items").findValuesAsText(name));
        }
        assertThat(back)
                .as("backwards from the end of " + path)
                .isEqualTo(rows.subList(0, rows.size() - sizes.get(sizes.size() - 1)));
        return rows;
    }

    private void check(String page, String resource, String name, String sort, String reverse) {
        List<String> shown = pages(page + "sort=" + sort + "&limit=2");
        assertThat(shown).as(page + sort).hasSizeGreaterThan(2).doesNotHaveDuplicates();
        List<String> turned = pages(page + "sort=" + reverse + "&limit=3");
        Collections.reverse(turned);
        assertThat(turned).as(page + reverse).isEqualTo(shown);
        assertThat(items(resource + "sort=" + sort + "&limit=2", name)).isEqualTo(shown);
        Collections.reverse(turned = new ArrayList<>(items(resource + "sort=" + reverse + "&limit=3", name)));
        assertThat(turned).isEqualTo(shown);
    }

    @Tag("long")
    @Test
    void lists_inBothDirections_haveTheSameRows() {
        check("/tasks?", "/tasks?", "id", "newest", "oldest");
        check("/tasks?state=PLAN&", "/tasks?state=PLAN&", "id", "soonest", "latest");
        check("/tasks?state=PLAN&", "/tasks?state=PLAN&", "id", "newest", "oldest");
        for (String state : List.of("waiting", "cancelled"))
            check("/jobs?state=" + state + "&", "/jobs?state=" + state + "&", "id", "newest", "oldest");
        check("/processes/shop?", "/processes/shop?", "id", "id", "reverse-id");
        check("/processes/shop?status=running&", "/processes/shop?status=running&", "id", "newest", "oldest");
        assertThat(pages("/tasks?state=PLAN")).isEqualTo(pages("/tasks?state=PLAN&sort=soonest"));
        assertThat(pages("/processes/shop?sort=oldest")).startsWith("order-7", "order-4");
        List<String> sweeps = pages("/sweeps");
        assertThat(sweeps).startsWith("sweep 7", "sweep 4").hasSize(5);
        assertThat(items("/sweeps?sort=newest", "name")).isEqualTo(sweeps);
        Collections.reverse(sweeps);
        assertThat(pages("/sweeps?sort=oldest")).isEqualTo(sweeps);
        assertThat(items("/sweeps?sort=oldest", "name")).isEqualTo(sweeps);
        assertThat(pages("/sweeps?sort=name")).isSorted();
    }

    @Test
    void schedulesWorkflowsAndNodes_areSorted() {
        check("/workflows?", "/workflows?", "id", "newest", "oldest");
        check("/schedules?", "/schedules?", "name", "name", "reverse-name");
        check("/schedules?", "/schedules?", "name", "soonest", "latest");
        assertThat(pages("/schedules?sort=soonest"))
                .containsExactly("schedule 7", "schedule 1", "schedule 8", "schedule 5", "schedule 4");
        assertThat(pages("/schedules")).isSorted();
        for (String[] orders : new String[][] {{"oldest", "newest"}, {"name", "reverse-name"}, {"busiest", "idlest"}}) {
            List<String> shown = pages("/nodes?sort=" + orders[0]);
            assertThat(items("/nodes?sort=" + orders[0], "id")).isEqualTo(shown).hasSizeGreaterThan(3);
            Collections.reverse(shown);
            assertThat(pages("/nodes?sort=" + orders[1])).isEqualTo(shown);
            assertThat(items("/nodes?sort=" + orders[1], "id")).isEqualTo(shown);
        }
        assertThat(pages("/nodes?sort=name")).isNotEqualTo(pages("/nodes"));
        assertThat(pages("/workflows?unfinished=true&sort=oldest")).hasSize(5).isSorted();
        assertThat(api.get("/schedules?sort=soonest&after=schedule").text("detail"))
                .isEqualTo("after has to be next of the page before, not \"schedule\"");
        assertThat(api.get("/nodes?sort=id").text("detail")).startsWith("sort has to be one of oldest, newest, name,");
    }

    @Test
    void headings_turnTheOrderRound_andKeepTheFilters() {
        ConsoleClient browser = new ConsoleClient(console.address());
        assertThat(browser.get("/tasks?state=DONE&limit=2").body())
                .contains(
                        "aria-sort=\"descending\"><a class=\"sort\" href=\"/tasks?state=DONE&amp;limit=2&amp;sort=oldest\">");
        assertThat(browser.get("/tasks?sort=oldest").body())
                .contains("aria-sort=\"ascending\"")
                .contains("<input type=\"hidden\" name=\"sort\" value=\"oldest\">");
        // Other states have no order by plan.
        assertThat(browser.get("/tasks?state=PLAN&sort=latest").body())
                .contains("href=\"/tasks?state=FAIL\"")
                .contains("href=\"/tasks?state=PLAN&amp;sort=soonest\"");
        assertThat(browser.get("/tasks?sort=latest").statusCode()).isEqualTo(400);
        assertThat(browser.get("/jobs?sort=id%27").body()).contains("sort has to be one of newest, oldest, not");
        assertThat(api.get("/tasks?sort=latest").text("detail"))
                .isEqualTo("sort=latest is for state=PLAN; other states have newest and oldest");
        assertThat(api.get("/processes/shop?sort=newest&after=order-1").status())
                .isEqualTo(422);
    }

    @Test
    void tasks_maskASecretOfAnOwnColumn_alsoWhereTheColumnIsCut() throws SQLException {
        database.execute("ALTER TABLE task ADD COLUMN note text;"
                + " INSERT INTO task (input, plan, \"group\", note) SELECT 'SELECT 1', now() + interval '1 day', 'cut',"
                + " repeat('x', 159 - n) || ' hd_' || repeat('c', 40) FROM generate_series(4, 60, 4) n");
        assertThat(new ConsoleClient(console.address())
                        .get("/tasks?group=cut&show=note")
                        .body())
                .contains("***")
                .doesNotContain("hd_c");
    }

    @Test
    void columns_areChosenInTheAddress_thoseOfATableOfTheUsersOwnToo() {
        database.execute("ALTER TABLE task ADD COLUMN ticket text, ADD COLUMN api_key text;"
                + " INSERT INTO task (input, plan, ticket, api_key, \"group\")"
                + " VALUES ('SELECT 1', now() + interval '1 day', 'OPS-7', 'quite-secret', 'own')");
        ConsoleClient browser = new ConsoleClient(console.address());
        String plain = browser.get("/tasks?group=own").body();
        assertThat(plain)
                .containsPattern("data-own=\"[^\"]*ticket,api_key\"")
                .doesNotContain("OPS-7", "<th hidden", "\" hidden class");
        String page = browser.get("/tasks?group=own&show=ticket,api_key&hide=Owner,Planned")
                .body();
        assertThat(page)
                .contains("<th scope=\"col\">ticket</th>", ">OPS-7</td>", ">***</td>")
                .contains("<th hidden scope=\"col\" class=\"rank3\">Owner</th>", "<td data-label=\"Owner\" hidden")
                .contains("<input type=\"hidden\" name=\"show\" value=\"ticket,api_key\">")
                .contains("show=ticket%2Capi_key&amp;hide=Owner%2CPlanned")
                .doesNotContain("quite-secret");
        String id = String.valueOf(database.value("SELECT id FROM task WHERE ticket = 'OPS-7'"));
        assertThat(browser.get("/tasks/" + id).body()).contains("OPS-7", "***").doesNotContain("quite-secret");
    }
}
