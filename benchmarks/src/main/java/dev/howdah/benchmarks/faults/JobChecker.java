package dev.howdah.benchmarks.faults;

import dev.howdah.benchmarks.faults.NodeProgram.Order;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/** Proves from what handlers wrote into files, and what the history says, that each job came to its one right end. */
final class JobChecker {
    /**
     * A handler's run.
     *
     * @param ended {@link Long#MAX_VALUE}: nobody knows, its process was killed
     */
    private record Run(long job, long token, int attempt, long began, long ended) {}

    private final List<JobProducer> producers;
    private final List<String> complaints;
    private final Map<Long, List<Run>> runs = new HashMap<>();
    private final Map<Long, TreeMap<Long, Character>> letters = new HashMap<>();
    private final Map<Long, String> failed = new HashMap<>();
    private final Map<Long, Long> effects = new HashMap<>();
    private final Map<Long, Long> jobOf = new HashMap<>();
    private final Map<String, Object> counts = new LinkedHashMap<>();

    private JobChecker(List<JobProducer> producers, List<String> complaints) {
        this.producers = producers;
        this.complaints = complaints;
    }

    static JobChecker read(DataSource source, List<Path> files, List<JobProducer> producers, List<String> complaints)
            throws SQLException, IOException {
        JobChecker checker = new JobChecker(producers, complaints);
        for (Path file : files) if (Files.exists(file)) checker.readFile(file);
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            checker.readHistory(statement);
        }
        return checker;
    }

    private void readFile(Path file) throws IOException {
        Map<String, Run> open = new HashMap<>();
        for (String line : Files.readAllLines(file)) {
            String[] words = line.split(" ");
            if (words.length < 6) continue;
            long n = Long.parseLong(words[1]);
            long at = Long.parseLong(words[5]);
            String key = words[1] + " " + words[3];
            if (words[0].equals("B")) {
                Run run = new Run(
                        Long.parseLong(words[2]),
                        Long.parseLong(words[3]),
                        Integer.parseInt(words[4]),
                        at,
                        Long.MAX_VALUE);
                if (open.put(key, run) != null) complaints.add("job " + n + " was begun twice of one batch");
            } else {
                Run begun = open.remove(key);
                if (begun == null) complaints.add("job " + n + " has ended and was not begun");
                else add(n, new Run(begun.job(), begun.token(), begun.attempt(), begun.began(), at));
            }
        }
        open.forEach((key, run) -> add(Long.parseLong(key.split(" ")[0]), run));
    }

    private void add(long n, Run run) {
        runs.computeIfAbsent(n, x -> new ArrayList<>()).add(run);
        jobOf.put(n, run.job());
    }

    private void readHistory(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery(
                "SELECT u.id, b.id, CASE WHEN b.ended IS NULL THEN '?' ELSE COALESCE(substr(b.outcomes, u.n::integer, 1), 'd') END"
                        + " FROM howdah.batch b CROSS JOIN LATERAL unnest(b.ids) WITH ORDINALITY AS u (id, n)")) {
            while (row.next())
                letters.computeIfAbsent(row.getLong(1), x -> new TreeMap<>())
                        .put(row.getLong(2), row.getString(3).charAt(0));
        }
        try (ResultSet row =
                statement.executeQuery("SELECT id, state || ': ' || COALESCE(error, '') FROM howdah.failed")) {
            while (row.next()) failed.put(row.getLong(1), row.getString(2));
        }
        try (ResultSet row = statement.executeQuery("SELECT n, count(*) FROM effect GROUP BY n")) {
            while (row.next()) effects.put(row.getLong(1), row.getLong(2));
        }
        try (ResultSet row = statement.executeQuery("SELECT count(*) FROM howdah.node")) {
            row.next();
            if (row.getLong(1) != 0) complaints.add(row.getLong(1) + " nodes are left behind");
        }
    }

    Map<String, Object> counts() {
        return counts;
    }

    void check() {
        long committed = 0;
        long rolledBack = 0;
        long unknown = 0;
        long died = 0;
        long overlaps = 0;
        long all = 0;
        for (JobProducer producer : producers)
            for (Order order : producer.orders().values()) {
                long n = order.n();
                List<Run> ran = runs.getOrDefault(n, List.of());
                all += ran.size();
                switch (producer.fate(n)) {
                    case ROLLED_BACK -> {
                        rolledBack++;
                        if (!ran.isEmpty()) complaints.add("job " + n + " was rolled back and has run");
                    }
                    case UNKNOWN -> {
                        unknown++;
                        if (!ran.isEmpty()) died += checkEnd(order, ran) ? 1 : 0;
                    }
                    case COMMITTED -> {
                        committed++;
                        if (ran.isEmpty()) complaints.add("job " + n + " was committed and has never run");
                        else died += checkEnd(order, ran) ? 1 : 0;
                    }
                }
                overlaps += checkOverlaps(n, ran);
            }
        counts.put("committed", committed);
        counts.put("rolled_back", rolledBack);
        counts.put("unknown", unknown);
        counts.put("runs", all);
        counts.put(
                "effects", effects.values().stream().mapToLong(Long::longValue).sum());
        counts.put("failed_by_deaths", died);
        counts.put("beside_a_node_taken_for_dead", overlaps);
    }

    /** Returns whether it failed because nodes died with it. */
    private boolean checkEnd(Order order, List<Run> ran) {
        long job = ran.get(0).job();
        if (ran.stream().anyMatch(run -> run.job() != job)) complaints.add("job " + order.n() + " is there twice");
        TreeMap<Long, Character> history = letters.getOrDefault(job, new TreeMap<>());
        long done = history.values().stream().filter(letter -> letter == 'd').count();
        String failure = failed.get(job);
        if (done + (failure == null ? 0 : 1) != 1)
            complaints.add("job " + order.n() + " (" + job + ") has " + done + " accepted ends and failed with "
                    + failure + ": " + history);
        boolean died = failure != null && failure.contains("has died");
        if (failure != null && !died && !order.fatal()) complaints.add("job " + order.n() + " has failed: " + failure);
        if (done == 1 && order.fatal()) complaints.add("job " + order.n() + " should have failed and is done");
        long end = history.entrySet().stream()
                .filter(each -> each.getValue() == 'd')
                .mapToLong(Map.Entry::getKey)
                .findFirst()
                .orElse(-1);
        if (done == 1
                && ran.stream().noneMatch(run -> last(history, run.token()) == end && run.ended() < Long.MAX_VALUE))
            complaints.add("job " + order.n() + " is done and its handler has not ended");
        long effect = effects.getOrDefault(order.n(), 0L);
        if (effect != (order.commits() ? done : 0))
            complaints.add("job " + order.n() + " took effect " + effect + " times, done " + done);
        return died;
    }

    /** The batch in which a job was at last that was begun in that one. */
    private static long last(TreeMap<Long, Character> history, long token) {
        long batch = token;
        while (history.getOrDefault(batch, '?') == 'm') {
            Long next = history.higherKey(batch);
            if (next == null) return batch;
            batch = next;
        }
        return batch;
    }

    /** None runs twice at once, but beside a node that was taken for dead; returns how often that was. */
    private long checkOverlaps(long n, List<Run> ran) {
        long excused = 0;
        List<Run> sorted = new ArrayList<>(ran);
        sorted.sort(Comparator.comparingLong(Run::token));
        for (int i = 0; i + 1 < sorted.size(); i++) {
            Run before = sorted.get(i);
            Run next = sorted.get(i + 1);
            if (before.ended() == Long.MAX_VALUE || before.ended() <= next.began()) continue;
            TreeMap<Long, Character> history = letters.getOrDefault(before.job(), new TreeMap<>());
            char end = history.getOrDefault(last(history, before.token()), '?');
            if (end == 'x') excused++;
            else
                complaints.add("job " + n + " ran twice at once: in batch " + before.token() + ", which ended " + end
                        + ", and in " + next.token());
        }
        return excused;
    }
}
