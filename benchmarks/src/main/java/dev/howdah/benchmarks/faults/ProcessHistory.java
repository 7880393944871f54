package dev.howdah.benchmarks.faults;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** What callers, steps and the database say of processes under fire. */
final class ProcessHistory {
    /**
     * A step as its processor saw it.
     *
     * @param ended {@link Long#MAX_VALUE}: it did not come to its end
     */
    record Run(String process, long n, int node, long began, long ended) {}

    /**
     * An event as the database has it.
     *
     * @param micros when, by the clock of the database
     */
    record Written(long id, long n, long micros) {}

    /**
     * What a caller was told.
     *
     * @param reason why it failed; empty: it did not
     */
    record Told(String process, long n, String reason) {}

    private final Map<String, List<Written>> events;
    private final List<Run> runs;
    private final List<Told> told;

    ProcessHistory(Map<String, List<Written>> events, List<Run> runs, List<Told> told) {
        this.events = events;
        this.runs = runs;
        this.told = told;
    }

    /** By process, in the order of their ids. */
    Map<String, List<Written>> events() {
        return events;
    }

    List<Run> runs() {
        return runs;
    }

    List<Told> told() {
        return told;
    }

    static ProcessHistory read(DataSource source, List<Path> files, List<Told> told) throws SQLException, IOException {
        Map<String, List<Written>> events = new LinkedHashMap<>();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT n.name || '/' || p.id, e.id, convert_from(e.payload, 'UTF8')::bigint,"
                                + " (extract(epoch FROM e.at) * 1000000)::bigint FROM howdah_internal.process_event e"
                                + " JOIN howdah_internal.process p ON p.number = e.process"
                                + " JOIN howdah_internal.process_namespace n ON n.id = p.namespace ORDER BY 1, 2")) {
            while (row.next())
                events.computeIfAbsent(row.getString(1), process -> new ArrayList<>())
                        .add(new Written(row.getLong(2), row.getLong(3), row.getLong(4)));
        }
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) read(files.get(i), i, runs);
        return new ProcessHistory(events, runs, told);
    }

    private static void read(Path file, int node, List<Run> runs) throws IOException {
        if (!Files.exists(file)) return;
        Map<Long, Run> open = new HashMap<>();
        for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
            String[] words = line.split(" ", -1);
            if (words.length != 4) continue;
            long nanos = Long.parseLong(words[1]);
            long n = Long.parseLong(words[3]);
            if (words[0].equals("B")) {
                open.put(n, new Run(words[2], n, node, nanos, Long.MAX_VALUE));
            } else {
                Run begun = open.remove(n);
                if (begun != null) runs.add(new Run(begun.process(), n, node, begun.began(), nanos));
            }
        }
        runs.addAll(open.values());
    }
}
