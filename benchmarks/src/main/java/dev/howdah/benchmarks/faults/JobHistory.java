package dev.howdah.benchmarks.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** What handlers wrote into files, and what the database says of it. */
final class JobHistory {
    /**
     * A handler's run.
     *
     * @param n the number of what it was asked for
     * @param token the batch in which it began
     * @param ended {@link Long#MAX_VALUE}: not known, its process was killed
     */
    record Run(long n, long job, long token, int attempt, long began, long ended) {
        boolean overlaps(Run other) {
            return began < other.ended && other.began < ended;
        }
    }

    private final Map<Long, List<Run>> runs = new HashMap<>();
    private final Map<Long, TreeMap<Long, Character>> letters = new HashMap<>();
    private final Map<Long, String> failed = new HashMap<>();
    private final Map<Long, Long> effects = new HashMap<>();
    private long nodes;

    static JobHistory read(DataSource source, List<Path> files, List<String> complaints)
            throws SQLException, IOException {
        JobHistory history = new JobHistory();
        for (Path file : files) if (Files.exists(file)) history.readFile(file, complaints);
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            history.readTables(statement);
        }
        return history;
    }

    private void readFile(Path file, List<String> complaints) throws IOException {
        Map<String, Run> open = new HashMap<>();
        for (String line : Files.readAllLines(file)) {
            String[] words = line.split(" ");
            if (words.length < 6) continue;
            long n = Long.parseLong(words[1]);
            long at = Long.parseLong(words[5]);
            String key = words[1] + " " + words[3];
            if (words[0].equals("B")) {
                Run run = new Run(
                        n,
                        Long.parseLong(words[2]),
                        Long.parseLong(words[3]),
                        Integer.parseInt(words[4]),
                        at,
                        Long.MAX_VALUE);
                if (open.put(key, run) != null) complaints.add("job " + n + " was begun twice of one batch");
            } else {
                Run begun = open.remove(key);
                if (begun == null) complaints.add("job " + n + " has ended and was not begun");
                else add(new Run(n, begun.job(), begun.token(), begun.attempt(), begun.began(), at));
            }
        }
        open.values().forEach(this::add);
    }

    void add(Run run) {
        runs.computeIfAbsent(run.n(), x -> new ArrayList<>()).add(run);
    }

    /** That a job was in a batch, and how that ended for it. */
    void add(long job, long batch, char letter) {
        letters.computeIfAbsent(job, x -> new TreeMap<>()).put(batch, letter);
    }

    void addFailure(long job, String failure) {
        failed.put(job, failure);
    }

    void addEffects(long n, long times) {
        effects.put(n, times);
    }

    private void readTables(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery(
                "SELECT u.id, b.id, CASE WHEN b.ended IS NULL THEN '?' ELSE COALESCE(substr(b.outcomes, u.n::integer, 1), 'd') END"
                        + " FROM howdah_internal.batch b CROSS JOIN LATERAL unnest(b.ids) WITH ORDINALITY AS u (id, n)")) {
            while (row.next())
                add(row.getLong(1), row.getLong(2), row.getString(3).charAt(0));
        }
        try (ResultSet row =
                statement.executeQuery("SELECT id, state || ': ' || COALESCE(error, '') FROM howdah_internal.failed")) {
            while (row.next()) addFailure(row.getLong(1), row.getString(2));
        }
        try (ResultSet row = statement.executeQuery("SELECT n, count(*) FROM effect GROUP BY n")) {
            while (row.next()) addEffects(row.getLong(1), row.getLong(2));
        }
        try (ResultSet row = statement.executeQuery("SELECT count(*) FROM howdah_internal.node")) {
            row.next();
            nodes = row.getLong(1);
        }
    }

    /** Those of one number, in no order. */
    List<Run> runs(long n) {
        return runs.getOrDefault(n, List.of());
    }

    /** The error of a job that has failed or was cancelled, behind its state; null: it has not. */
    @Nullable
    String failure(long job) {
        return failed.get(job);
    }

    long effects(long n) {
        return effects.getOrDefault(n, 0L);
    }

    long effects() {
        return effects.values().stream().mapToLong(Long::longValue).sum();
    }

    /** How many nodes are left. */
    long nodes() {
        return nodes;
    }

    /** The batches that a job was in, with what became of it there. */
    TreeMap<Long, Character> letters(long job) {
        return letters.getOrDefault(job, new TreeMap<>());
    }

    /** How often a job was done. */
    long done(long job) {
        return letters(job).values().stream().filter(letter -> letter == 'd').count();
    }

    /** Whether that run, and no other one, came to its end as the one that is done. */
    boolean isDone(Run run) {
        return end(run) == 'd' && run.ended() < Long.MAX_VALUE;
    }

    /** What became of the job at the end of that run. */
    char end(Run run) {
        TreeMap<Long, Character> history = letters(run.job());
        long batch = run.token();
        while (history.getOrDefault(batch, '?') == 'm') {
            Long next = history.higherKey(batch);
            if (next == null) break;
            batch = next;
        }
        return history.getOrDefault(batch, '?');
    }

    /** Whether its node was taken for dead: others may have what it had. */
    boolean isDisowned(Run run) {
        return end(run) == 'x';
    }
}
