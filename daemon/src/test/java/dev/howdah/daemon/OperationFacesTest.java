package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.Database;
import dev.howdah.console.Console;
import dev.howdah.daemon.console.Json;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.PostgresTest;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.operations.Engine;
import dev.howdah.operations.Operation;
import dev.howdah.operations.Parameter;
import dev.howdah.operations.Values;
import dev.howdah.operations.change.Operations;
import dev.howdah.operations.value.ChoiceValue;
import dev.howdah.operations.value.SizeValue;
import dev.howdah.operations.value.ValueType.Form;
import dev.howdah.task.TaskScheduler;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Each operation on an object that is not there, in the three faces: the same end, and rows of the audit table with the same action and
 * the same object. Kind: a check, a name or an outcome that one face has and another has not.
 */
@PostgresTest
class OperationFacesTest {
    /** Values of parameters whose type says too little. */
    private static final Map<String, String> SAMPLES = Map.of(
            "hours", "always",
            "setting", "ageing",
            "started", "2026-01-01T00:00:00Z",
            "days", "2027-01-01",
            "rows_per_second", "5",
            "since", "2026-01-01T00:00:00Z");

    private final HttpClient http =
            HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER).build();
    private final TestDatabase database;
    private Console console;

    OperationFacesTest(TestDatabase database) {
        this.database = database;
    }

    static List<Operation> operations() {
        return Operations.all();
    }

    @BeforeEach
    void open() {
        database.fill("operations", empty -> {
            for (String feature : List.of("job", "sweep", "process"))
                assertThat(CommandLineRun.of(feature, "install", "--url", empty.uri())
                                .exitCode())
                        .isZero();
            serve(empty);
        });
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:" + database.uri().replace("postgres@", ""));
        source.setUser("postgres");
        console = Console.on(database.dataSource(source))
                .port(0)
                .taskTable("public", "task")
                .start();
    }

    /** Creates the table of tasks, and leaves it without a scheduler. */
    private static void serve(TestDatabase database) {
        try (TaskScheduler scheduler =
                TaskScheduler.on(Database.of(database.uri())).start()) {
            assertThat(scheduler.awaitServed(Patience.LIMIT)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void close() {
        console.close();
    }

    /** How a call ended. */
    private enum End {
        CHANGED,
        UNCHANGED,
        REFUSED,
        MISSING
    }

    @ParameterizedTest
    @MethodSource("operations")
    void object_thatIsNotThere_isTheSameForAllFaces(Operation operation) throws Exception {
        End byApi = api(operation, key(operation, 1));
        End onPage = page(operation, key(operation, 2));
        End byCommand = command(operation, key(operation, 3));
        // A page says in words whether something was changed.
        assertThat(onPage).as("page").isEqualTo(byApi == End.UNCHANGED ? End.CHANGED : byApi);
        // A command has one exit code for both.
        assertThat(byCommand).as("command").isEqualTo(byApi == End.MISSING ? End.REFUSED : byApi);
        List<String> audited = new ArrayList<>();
        for (List<?> row :
                database.query("SELECT DISTINCT via, action, object, COALESCE(e.outcome, 'begun') FROM howdah.audit a"
                        + " LEFT JOIN (SELECT begun, outcome FROM howdah.audit) e ON e.begun = a.id"
                        + " WHERE a.begun IS NULL AND via IN ('console', 'api', 'cli') ORDER BY via"))
            audited.add(row.get(0) + " " + row.get(1) + " " + row.get(2) + " " + row.get(3));
        String outcome = byApi == End.CHANGED || byApi == End.UNCHANGED ? "done" : "failed";
        List<String> expected = new ArrayList<>();
        Map<String, Integer> faces = new LinkedHashMap<>(Map.of("api", 1));
        faces.put("cli", 3);
        faces.put("console", 2);
        faces.forEach((via, number) ->
                expected.add(via + " " + operation.audit() + " " + object(operation, number) + " " + outcome));
        assertThat(audited).isEqualTo(expected);
    }

    private static String object(Operation operation, int number) {
        Map<String, String> key = key(operation, number);
        if (isOfTable(operation)) key.put(Engine.TABLE.name(), "public.task");
        return operation.subject().object(Values.read(operation.subject().names(), key::get));
    }

    private static boolean isOfTable(Operation operation) {
        return operation.subject().names().contains(Engine.TABLE);
    }

    /** What is behind the path of a change. */
    private static String query(Operation operation) {
        return isOfTable(operation) ? "?table=public.task" : "";
    }

    /** The key of an object that is in no database, another one for each face. */
    private static Map<String, String> key(Operation operation, int number) {
        Map<String, String> key = new LinkedHashMap<>();
        for (Parameter<?> each : operation.subject().key())
            key.put(
                    each.name(),
                    each.type() instanceof ChoiceValue choice
                            ? choice.choices().get(number % choice.choices().size())
                            : each.type().form() == Form.TEXT ? "none " + number : "" + (2_000_000 + number));
        return key;
    }

    private static Map<String, String> values(Operation operation) {
        Map<String, String> values = new LinkedHashMap<>();
        for (Parameter<?> each : operation.parameters())
            if (each.isRequired() || each.name().equals("days")) values.put(each.name(), sample(each));
        return values;
    }

    private static String sample(Parameter<?> parameter) {
        String sample = SAMPLES.get(parameter.name());
        if (sample != null) return sample;
        if (parameter.type() instanceof SizeValue) return "10 GB";
        if (parameter.type() instanceof ChoiceValue choice)
            return choice.choices().get(0);
        return switch (parameter.type().form()) {
            case ID, WHOLE, DECIMAL, JSON -> "1";
            case FLAG -> "true";
            case PERIOD -> "PT1H";
            case TIME -> "2026-01-01T00:00:00Z";
            default -> "x";
        };
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static String path(String pattern, Map<String, String> key) {
        String path = pattern;
        for (Map.Entry<String, String> each : key.entrySet())
            path = path.replace("{" + each.getKey() + "}", encoded(each.getValue()));
        return path;
    }

    private HttpResponse<String> post(String path, String type, String body, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(console.address().resolve(path))
                .header("Content-Type", type)
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) request.headers(headers);
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private End api(Operation operation, Map<String, String> key) throws Exception {
        Map<String, Object> body = new LinkedHashMap<>();
        Map<String, String> values = values(operation);
        for (Parameter<?> each : operation.parameters()) {
            String value = values.get(each.name());
            if (value == null) continue;
            switch (each.type().form()) {
                case WHOLE, DECIMAL, FLAG -> body.put(each.name(), new Json.Document(value));
                case TEXTS -> body.put(each.name(), List.of(value));
                default -> body.put(each.name(), value);
            }
        }
        HttpResponse<String> answer = post(
                "/api/v1" + path(operation.subject().route(), key) + "/" + operation.verb() + query(operation),
                "application/json",
                Json.line(body));
        return switch (answer.statusCode()) {
            case 200 -> changed(answer.body());
            case 404, 410 -> End.MISSING;
            case 409 -> End.REFUSED;
            default -> throw new AssertionError(answer.statusCode() + ": " + answer.body());
        };
    }

    private static End changed(String answer) {
        return JsonNode.of(answer).text("changed").equals("true") ? End.CHANGED : End.UNCHANGED;
    }

    private End page(Operation operation, Map<String, String> key) throws Exception {
        StringBuilder form = new StringBuilder("confirmed=yes&csrf=" + csrf());
        values(operation)
                .forEach((name, value) ->
                        form.append('&').append(name).append('=').append(encoded(value)));
        HttpResponse<String> answer = post(
                path(operation.subject().page(), key) + "/" + operation.verb() + query(operation),
                "application/x-www-form-urlencoded",
                form.toString(),
                "Origin",
                console.address().toString());
        if (answer.statusCode() == 404) return End.MISSING;
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(303);
        String outcome = database.value("SELECT outcome || ' ' || message FROM howdah.audit WHERE via = 'console'"
                + " AND begun IS NOT NULL ORDER BY id DESC LIMIT 1");
        return String.valueOf(outcome).startsWith("failed") ? End.REFUSED : End.CHANGED;
    }

    private String csrf() throws Exception {
        database.execute("SELECT howdah.limit('form', 1)");
        HttpResponse<String> page = http.send(
                HttpRequest.newBuilder(console.address().resolve("/jobs/queues/form"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        Matcher token = Pattern.compile("name=\"csrf\" value=\"([^\"]+)\"").matcher(page.body());
        assertThat(token.find()).as(page.body()).isTrue();
        return token.group(1);
    }

    private End command(Operation operation, Map<String, String> key) throws Exception {
        List<String> words = new ArrayList<>(operation.command());
        words.addAll(key.values());
        Map<String, String> values = values(operation);
        for (Parameter<?> each : operation.parameters()) {
            String value = values.get(each.name());
            if (value == null) continue;
            if (!each.isArgument()) words.add("--" + each.word());
            if (each.isArgument() || each.type().form() != Form.FLAG) words.add(value);
        }
        words.addAll(List.of("--json", "--url", database.uri()));
        CommandLineRun run = CommandLineRun.of(words.toArray(String[]::new));
        if (run.exitCode() == 0) return changed(run.out());
        assertThat(run.exitCode()).as(run.err()).isOne();
        assertThat(run.err()).startsWith("howdah: ").hasLineCount(1);
        return End.REFUSED;
    }
}
