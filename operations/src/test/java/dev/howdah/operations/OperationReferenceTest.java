package dev.howdah.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.operations.change.Operations;
import dev.howdah.operations.value.ValueType.Form;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/reference/operations.md} is made of the declarations: with {@code -Dhowdah.write=true} this test writes it, else it
 * compares.
 */
class OperationReferenceTest {
    private static final Path FILE = Path.of("..", "docs", "reference", "operations.md");
    private static final int WIDTH = 120;

    private static final String HEAD = """
            # Operations

            Each change of an object below is the same in the console, in the [HTTP API](../guide/http-api.md) and on the
            [command line](command-line.md): the same values, the same bounds, the same sentence. The console and the API ask
            for the role; a command has the privileges of its database role. Each is written to the audit table
            `howdah.audit` under its name, with its object.

            The answer of the API has `changed`: `false` if the object was so before. An object that does not exist is 404, a
            state that does not allow the change 409, a value that is not possible 422; a command exits with 1, 1 and 2.
            A period is ISO 8601 (`PT5M`), or written as `5 min`, `1 h 30 min`, `90d`. A time is RFC 3339
            (`2026-11-25T14:00:00Z`).

            A command prints one sentence, with `--json` the values of the answer of the API, with ids as numbers. Its settings are
            `--data`, `--url` and `--config`, for commands of `howdah job`, `process`, `session` and `token` also `--installation`,
            for those of `howdah task` also `--schema` and `--table`.
            """;

    @Test
    void reference_isThatOfTheDeclarations() throws IOException {
        String made = text();
        if (Boolean.getBoolean("howdah.write")) Files.writeString(FILE, made);
        assertThat(Files.readString(FILE)).as("-Dhowdah.write=true writes it").isEqualTo(made);
    }

    private static String text() {
        Map<Subject, List<Operation>> bySubject = new LinkedHashMap<>();
        for (Operation each : Operations.all())
            bySubject
                    .computeIfAbsent(each.subject(), subject -> new ArrayList<>())
                    .add(each);
        StringBuilder text = new StringBuilder(HEAD);
        bySubject.forEach((subject, operations) -> {
            String many = subject.many().replace('-', ' ').replace('/', ' ');
            text.append("\n## ")
                    .append(many.substring(0, 1).toUpperCase(Locale.ROOT))
                    .append(many.substring(1));
            text.append("\n");
            for (Parameter<?> each : subject.key())
                text.append("\n`").append(each.name()).append("`: ").append(each.help());
            for (Parameter<?> each : subject.beside())
                text.append("\n`")
                        .append(each.name())
                        .append("` (optional, a parameter of the address, an option of commands): ")
                        .append(each.help());
            text.append("\n");
            operations.forEach(each -> text.append(section(each)));
        });
        return text.toString().lines().map(OperationReferenceTest::wrapped).collect(Collectors.joining("\n", "", "\n"));
    }

    /** Prose in lines of {@value #WIDTH} columns at most, as all documents have them; a row of a table stays as it is. */
    private static String wrapped(String line) {
        if (line.length() <= WIDTH || line.startsWith("|")) return line;
        int space = line.lastIndexOf(' ', WIDTH);
        String indent = line.startsWith("- ") || line.startsWith("  ") ? "  " : "";
        return line.substring(0, space) + "\n" + wrapped(indent + line.substring(space + 1));
    }

    private static String section(Operation operation) {
        StringBuilder text = new StringBuilder();
        text.append("\n### ")
                .append(operation.audit())
                .append("\n\n")
                .append(operation.help())
                .append("\n\n");
        text.append("- Command: `").append(command(operation)).append("`\n");
        text.append("- Route: `POST ")
                .append(operation.subject().route())
                .append("/")
                .append(operation.verb());
        text.append("`, role `")
                .append(operation.role().text())
                .append("`, operation `")
                .append(operation.id());
        text.append("`\n");
        if (operation.isAddition()) text.append("- The route takes an `Idempotency-Key`\n");
        if (!operation.results().isEmpty())
            text.append("- Also answers: ").append(values(operation.results())).append("\n");
        if (operation.parameters().isEmpty()) return text.toString();
        text.append("\n| value | type | possible | meaning |\n|---|---|---|---|\n");
        for (Parameter<?> each : operation.parameters())
            text.append("| `")
                    .append(each.name())
                    .append('`')
                    .append(each.isRequired() ? "" : " (optional)")
                    .append(" | ")
                    .append(each.type().form().name().toLowerCase(Locale.ROOT))
                    .append(" | ")
                    .append(each.type().words().replace("|", "\\|"))
                    .append(" | ")
                    .append(each.help().replace("|", "\\|"))
                    .append(" |\n");
        return text.toString();
    }

    private static String values(List<Parameter<?>> results) {
        return results.stream()
                .map(each -> "`" + each.name() + "`: " + each.help())
                .collect(Collectors.joining(" "));
    }

    private static String argument(Parameter<?> parameter) {
        String name =
                parameter.name().toUpperCase(Locale.ROOT) + (parameter.type().form() == Form.TEXTS ? "..." : "");
        return parameter.isRequired() ? name : "[" + name + "]";
    }

    private static String command(Operation operation) {
        StringBuilder text = new StringBuilder("howdah ").append(String.join(" ", operation.command()));
        for (Parameter<?> each : operation.subject().key())
            text.append(' ').append(each.name().toUpperCase(Locale.ROOT));
        for (Parameter<?> each : operation.parameters())
            if (each.isArgument()) text.append(' ').append(argument(each));
        for (Parameter<?> each : options(operation)) {
            String value =
                    each.type().form() == Form.FLAG ? "" : " " + each.name().toUpperCase(Locale.ROOT);
            String option = "--" + each.word() + value;
            text.append(' ').append(each.isRequired() ? option : "[" + option + "]");
        }
        return text.toString();
    }

    private static List<Parameter<?>> options(Operation operation) {
        return Stream.concat(
                        operation.subject().beside().stream().filter(each -> !each.equals(Engine.TABLE)),
                        operation.parameters().stream().filter(each -> !each.isArgument()))
                .toList();
    }
}
