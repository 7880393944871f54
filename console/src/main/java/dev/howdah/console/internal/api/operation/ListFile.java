package dev.howdah.console.internal.api.operation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.console.internal.access.Caller;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.operations.list.ListCall;
import dev.howdah.operations.list.ListColumn;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.list.ListPage;
import dev.howdah.operations.list.ListPlace;
import dev.howdah.operations.store.CsvLine;
import io.javalin.http.Context;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sends the rows of a list as a file while they are read, page by page: neither a long transaction nor much memory is needed. Safe for use
 * by many threads.
 */
final class ListFile<R> implements ApiRoute.Stream {
    /** The most rows of a file. */
    static final int MOST = 100_000;

    private static final int PAGE = 1_000;

    private final ListRoutes routes;
    private final ListModel<R> list;

    ListFile(ListRoutes routes, ListModel<R> list) {
        this.routes = routes;
        this.list = list;
    }

    @Override
    public List<String> media() {
        return List.of("text/csv", "application/x-ndjson");
    }

    @Override
    public boolean isAsked(Context context) {
        String format = context.queryParam(ListRoutes.FORMAT.name());
        return format != null && !format.isEmpty() && !format.equals(ListRoutes.FORMAT.preset());
    }

    @Override
    public void open(Context context) throws IOException {
        Map<String, String> query = new LinkedHashMap<>();
        context.queryParamMap().forEach((name, values) -> {
            if (!values.get(0).isEmpty()) query.put(name, values.get(0));
        });
        ApiRequest request =
                new ApiRequest(Caller.of(context), context.pathParamMap(), query, ApiJson.object(), null, null);
        boolean csv = "csv".equals(format(request));
        ListCall asked = routes.call(list, request);
        ListCall call = new ListCall(
                asked.engine(),
                asked.key(),
                asked.values(),
                asked.place(),
                list.limit() == null ? asked.limit() : PAGE);
        // Before the answer begins: what fails here is still answered by a problem.
        ListPage<R> first = routes.read(list, call);
        String name = list.path().substring(list.path().lastIndexOf('/') + 1).replaceAll("[{}]", "");
        context.contentType(csv ? "text/csv; charset=utf-8; header=present" : "application/x-ndjson")
                .header("Content-Disposition", "attachment; filename=\"" + name + (csv ? ".csv\"" : ".jsonl\""));
        try (Writer out =
                new BufferedWriter(new OutputStreamWriter(context.outputStream(), StandardCharsets.UTF_8), 16_384)) {
            write(out, first, call, csv, routes.items(request.caller().role()));
        }
    }

    private static @Nullable String format(ApiRequest request) {
        try {
            return ListRoutes.FORMAT.type().read(String.valueOf(request.parameter("format")));
        } catch (IllegalArgumentException e) {
            throw dev.howdah.console.internal.api.ApiProblemException.invalid("format " + e.getMessage());
        }
    }

    private void write(Writer out, ListPage<R> first, ListCall call, boolean csv, ItemJson items) throws IOException {
        List<String> names = list.item().listed().stream().map(ListColumn::name).toList();
        if (csv) out.write(CsvLine.of(names.stream()));
        int written = 0;
        for (ListPage<R> page = first; ; ) {
            for (R each : page.rows()) {
                if (written++ == MOST) return;
                ObjectNode row = items.listed(list.item(), each);
                if (csv) out.write(CsvLine.of(names.stream().map(name -> ItemJson.cell(row, name))));
                else out.append(ApiJson.text(row)).append('\n');
            }
            String next = page.beside().next();
            if (next == null) return;
            page = routes.read(list, call.at(new ListPlace(next, null)));
        }
    }
}
