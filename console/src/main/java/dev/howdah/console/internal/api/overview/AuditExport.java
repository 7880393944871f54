package dev.howdah.console.internal.api.overview;

import dev.howdah.console.internal.access.Caller;
import dev.howdah.console.internal.api.ApiJson;
import dev.howdah.console.internal.api.ApiProblemException;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.store.AuditCsv;
import dev.howdah.console.internal.store.AuditFilter;
import dev.howdah.console.internal.store.AuditRow;
import dev.howdah.console.internal.store.AuditStore;
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
 * Sends rows of the audit table as a file while they are read, page by page: neither a long transaction nor much memory is needed. Safe for use
 * by many threads.
 */
public final class AuditExport implements ApiRoute.Stream {
    /** The most rows of a file. */
    static final int MOST = 100_000;

    private static final int PAGE = 1_000;

    private final AuditStore audit;

    public AuditExport(AuditStore audit) {
        this.audit = audit;
    }

    @Override
    public List<String> media() {
        return List.of("text/csv", "application/json");
    }

    @Override
    public void open(Context context) throws IOException {
        Map<String, String> query = new LinkedHashMap<>();
        context.queryParamMap().forEach((name, values) -> {
            if (!values.get(0).isEmpty()) query.put(name, values.get(0));
        });
        ApiRequest request = new ApiRequest(Caller.of(context), Map.of(), query, ApiJson.object(), null, null);
        AuditFilter filter = AuditRoutes.filter(request);
        boolean csv = isCsv(request.parameter("format"));
        // Before the answer begins: what fails here is still answered by a problem.
        List<AuditRow> first = audit.list(filter, null, PAGE);
        context.contentType(csv ? "text/csv; charset=utf-8; header=present" : "application/json")
                .header("Content-Disposition", "attachment; filename=\"audit." + (csv ? "csv" : "json") + "\"");
        try (Writer out =
                new BufferedWriter(new OutputStreamWriter(context.outputStream(), StandardCharsets.UTF_8), 16_384)) {
            out.write(csv ? AuditCsv.heading() : "[");
            write(out, filter, first, csv);
            if (!csv) out.write("\n]\n");
        }
    }

    private static boolean isCsv(@Nullable String format) {
        if ("csv".equals(format)) return true;
        if ("json".equals(format)) return false;
        throw ApiProblemException.invalid(
                format == null
                        ? "format is missing: csv or json"
                        : "format has to be csv or json, not \"" + format + "\"");
    }

    private void write(Writer out, AuditFilter filter, List<AuditRow> first, boolean csv) throws IOException {
        String between = "\n";
        int written = 0;
        for (List<AuditRow> page = first; !page.isEmpty(); ) {
            for (AuditRow each : page) {
                if (csv) out.write(AuditCsv.line(each));
                else out.append(between).append(ApiJson.text(AuditRoutes.json(each)));
                between = ",\n";
            }
            written += page.size();
            if (page.size() < PAGE || written >= MOST) return;
            page = audit.list(filter, page.get(page.size() - 1).id(), Math.min(PAGE, MOST - written));
        }
    }
}
