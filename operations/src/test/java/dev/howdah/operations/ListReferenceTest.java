package dev.howdah.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.operations.list.ListColumn;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.listed.Lists;
import dev.howdah.operations.shape.Field;
import dev.howdah.operations.shape.FieldType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The reference of lists is made of their declarations: with {@code -Dhowdah.write=true} the test writes it, else the test compares. */
class ListReferenceTest {
    private static final Path FILE = Path.of("..", "docs", "reference", "lists.md");

    private static final String HEAD = """
            # Lists

            Each list below is the same in the [HTTP API](../guide/http-api.md) and on the [command line](command-line.md), and
            in the tables of the console: the same filters, orders and fields. Filters are parameters of the address, and
            options of the command, with hyphens for underscores.

            The API answers a page as JSON: `items`, and where there are pages `next` and `previous`, for `after` and `before`.
            With `format=csv` or `format=lines` it answers all rows that match, up to 100,000, as CSV or as a JSON object on
            each line. A command prints a table, with `--json`, `--csv` and `--columns` what these names say; ids are numbers
            there. A field that is not marked as optional is always there. Lists need the role `viewer` in the API unless they
            say another one.
            """;

    @Test
    void reference_isThatOfTheDeclarations() throws IOException {
        String made =
                HEAD + Lists.all().stream().map(ListReferenceTest::section).collect(Collectors.joining());
        if (Boolean.getBoolean("howdah.write")) Files.writeString(FILE, made);
        assertThat(Files.readString(FILE)).as("-Dhowdah.write=true writes it").isEqualTo(made);
    }

    @Test
    void names_ofLists_areThereOnce() {
        Set<String> names = new HashSet<>();
        for (ListModel<?> each : Lists.all()) {
            assertThat(names.add(each.id())).as(each.id()).isTrue();
            assertThat(names.add(each.path())).as(each.path()).isTrue();
            List<String> columns =
                    each.item().columns().stream().map(ListColumn::name).toList();
            assertThat(columns).as(each.id()).doesNotHaveDuplicates();
            List<String> parameters = Stream.of(each.key(), each.beside(), each.filters())
                    .flatMap(List::stream)
                    .map(Parameter::name)
                    .toList();
            assertThat(parameters).as(each.id()).doesNotHaveDuplicates().doesNotContain("after", "before", "format");
        }
    }

    private static String section(ListModel<?> list) {
        StringBuilder text = new StringBuilder();
        text.append("\n## ")
                .append(list.id())
                .append("\n\n")
                .append(list.help())
                .append("\n\n");
        text.append("- Route: `GET ").append(list.path()).append('`');
        if (list.role() != Role.VIEWER)
            text.append(", role `").append(list.role().text()).append('`');
        text.append('\n');
        if (!list.command().isEmpty())
            text.append("- Command: `howdah ")
                    .append(String.join(" ", list.command()))
                    .append(list.key().stream()
                            .map(each -> " " + each.name().toUpperCase(Locale.ROOT))
                            .collect(Collectors.joining()))
                    .append("`\n");
        List<Parameter<?>> parameters = new ArrayList<>(list.filters());
        Parameter<Integer> limit = list.limit();
        if (limit != null) parameters.add(limit);
        if (!parameters.isEmpty() || list.isPaged()) text.append("\n| filter, order | meaning |\n|---|---|\n");
        for (Parameter<?> each : parameters)
            text.append("| `")
                    .append(each.name())
                    .append("` | ")
                    .append(words(each).replace("|", "\\|"))
                    .append(" |\n");
        if (list.isPaged()) text.append("| `after` | Only rows behind this place: `next` of the page before. |\n");
        text.append("\n| field | type | meaning |\n|---|---|---|\n");
        for (ListColumn<?> each : list.item().listed()) text.append(row(each.field()));
        return text.toString();
    }

    private static String words(Parameter<?> parameter) {
        String possible = parameter.type().words();
        return parameter.help() + (possible.isEmpty() ? "" : " Possible: " + possible + ".");
    }

    private static String row(Field field) {
        return "| `" + field.name() + '`' + (field.isRequired() ? "" : " (optional)") + " | " + type(field.type())
                + " | " + field.words().replace("|", "\\|") + " |\n";
    }

    private static String type(FieldType type) {
        return type.name().toLowerCase(Locale.ROOT);
    }
}
