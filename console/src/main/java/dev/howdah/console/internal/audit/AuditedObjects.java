package dev.howdah.console.internal.audit;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.ConsoleData.TableName;
import dev.howdah.console.internal.page.PageRequest;
import dev.howdah.console.internal.path.Paths;
import dev.howdah.process.HistoryRange;
import java.time.LocalDate;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the object of a change by the path of the change. Safe for use by many threads. */
final class AuditedObjects {
    private final ConsoleData data;
    private final Paths<Function<PageRequest, @Nullable Record>> readers = new Paths<>();

    AuditedObjects(ConsoleData data) {
        this.data = data;
        readers.add("/tasks/{id}/{verb}", this::task);
        readers.add(
                "/schedules/{name}/{verb}",
                request -> data.schedules().find(request.name("name")).orElse(null));
        readers.add(
                "/sweeps/{name}/{verb}",
                request -> data.sweeps().find(request.name("name")).orElse(null));
        readers.add("/processes/{namespace}/{id}/{verb}", this::process);
        readers.add("/calendars/{name}/{verb}", this::calendar);
    }

    /** The object as it is; null: the change has no single one, or it cannot be read. */
    @Nullable
    Record read(PageRequest change) {
        Paths.Match<Function<PageRequest, @Nullable Record>> match =
                readers.find(change.path()).orElse(null);
        if (match == null) return null;
        try {
            return match.target().apply(new PageRequest(change.path(), match.names(), change.query()));
        } catch (RuntimeException e) {
            // There is no such object: the change itself will say so.
            return null;
        }
    }

    private @Nullable Record task(PageRequest request) {
        String wanted = request.text("table");
        for (TableName each : data.tables().get())
            if (wanted == null || each.text().equals(wanted))
                return data.tasks(each).find(request.id()).orElse(null);
        return null;
    }

    /** A process without its history. */
    private record Process(String namespace, String id, Object status) {}

    /** The days of a calendar. */
    private record Calendar(String name, List<String> days) {}

    private Record calendar(PageRequest request) {
        String name = request.name("name");
        return new Calendar(
                name,
                data.schedules().holidays(name).stream()
                        .map(LocalDate::toString)
                        .toList());
    }

    private Record process(PageRequest request) {
        String namespace = request.name("namespace");
        String id = request.name("id");
        return new Process(
                namespace,
                id,
                data.processes().get(namespace, id, HistoryRange.last(1)).status());
    }
}
