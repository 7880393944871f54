package dev.howdah.console.internal.api.task;

import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleData.TableName;
import java.util.List;
import java.util.stream.Collectors;

/** Finds the table of tasks that a request means. */
final class ServedTables {
    private ServedTables() {}

    /** @throws ApiProblemException if there is none, or none of that name */
    static TableName name(ConsoleData data, ApiRequest request) {
        List<TableName> all = data.tables().get();
        if (all.isEmpty()) throw ApiProblemException.notFound("no table of tasks is served here");
        String wanted = request.parameter("table");
        if (wanted == null) return all.get(0);
        return all.stream()
                .filter(each -> each.text().equals(wanted))
                .findFirst()
                .orElseThrow(() -> ApiProblemException.invalid("table has to be one of "
                        + all.stream().map(TableName::text).collect(Collectors.joining(", ")) + ", not \"" + wanted
                        + "\""));
    }
}
