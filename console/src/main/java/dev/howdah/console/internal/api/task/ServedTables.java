package dev.howdah.console.internal.api.task;

import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleData.TableName;

/** Finds the table of tasks that a request means. */
final class ServedTables {
    private ServedTables() {}

    /**
     * @throws ApiProblemException if there is none
     * @throws IllegalArgumentException if there is none of that name
     */
    static TableName name(ConsoleData data, ApiRequest request) {
        if (data.tables().get().isEmpty()) throw ApiProblemException.notFound("no table of tasks is served here");
        return data.table(request.parameter("table"));
    }
}
