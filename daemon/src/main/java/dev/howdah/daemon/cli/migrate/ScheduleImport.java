package dev.howdah.daemon.cli.migrate;

import dev.howdah.daemon.console.Listing;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.SqlFailure;
import dev.howdah.task.NewTask;
import dev.howdah.task.TaskException;
import dev.howdah.task.TaskSchedules;
import dev.howdah.task.TaskTable;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Takes schedules of another scheduler over, one after the other, and says of each what came of it. */
final class ScheduleImport {
    /** What a schedule's name has at most. */
    private static final int LONGEST_NAME = 200;

    private final TaskSchedules schedules;
    private final String role;
    private final boolean dryRun;
    private final @Nullable Disabling disabling;

    /** Ends a schedule where it comes from. */
    interface Disabling {
        void disable(long id) throws SQLException;
    }

    /** What came of a schedule. */
    private enum Result {
        ADDED,
        CHANGED,
        UNCHANGED,
        LEFT,
        FAILED
    }

    /** @param note what has to be said of it; null: nothing */
    private record Row(
            ForeignSchedule schedule,
            Result result,
            @Nullable String note,
            boolean disabled) {
        String word(boolean dryRun) {
            return switch (result) {
                case ADDED -> dryRun ? "to be added" : "added";
                case CHANGED -> dryRun ? "to be changed" : "changed";
                case UNCHANGED -> "unchanged";
                case LEFT -> "left";
                case FAILED -> "failed";
            };
        }

        boolean stillRuns() {
            return schedule.active() && !disabled && result != Result.LEFT && result != Result.FAILED;
        }
    }

    /**
     * @param role that connects, the owner of schedules that name none
     * @param disabling null: nothing is ended
     */
    ScheduleImport(TaskTable table, String role, boolean dryRun, @Nullable Disabling disabling) {
        this.schedules = table.schedules();
        this.role = role;
        this.dryRun = dryRun;
        this.disabling = disabling;
    }

    /**
     * Prints each, and the SQL that ends those that still run there.
     *
     * @return 0 if none has failed
     */
    int run(List<ForeignSchedule> found, Terminal terminal, boolean json) {
        Map<String, TaskSchedules.Entry> there = new HashMap<>();
        for (TaskSchedules.Entry each : schedules.list())
            there.put(key(Objects.requireNonNullElse(each.owner(), role), each.name()), each);
        List<Row> rows = new ArrayList<>();
        for (ForeignSchedule each : named(found)) rows.add(take(each, there));
        new Listing<Row>()
                .number("job", row -> row.schedule().id())
                .text("name", row -> row.schedule().name())
                .text("owner", row -> row.schedule().owner())
                .text("cron", row -> row.schedule().cron())
                .text("zone", row -> row.schedule().zone())
                .text("result", row -> row.word(dryRun))
                .text("note", Row::note)
                .print(terminal, json, rows);
        List<Row> running = rows.stream().filter(Row::stillRuns).toList();
        if (!json && !running.isEmpty()) {
            terminal.out()
                    .println((dryRun ? "They would run" : "They run") + " there as well, until (or --disable-source):");
            running.forEach(row -> terminal.out().println("  " + row.schedule().disable()));
        }
        return rows.stream().anyMatch(row -> row.result() == Result.FAILED) ? 1 : 0;
    }

    /** Names that several of one owner have get their ids. */
    private List<ForeignSchedule> named(List<ForeignSchedule> found) {
        Set<String> once = new HashSet<>();
        Set<String> twice = new HashSet<>();
        for (ForeignSchedule each : found) if (!once.add(key(each))) twice.add(key(each));
        return found.stream()
                .map(each -> twice.contains(key(each)) ? each.named(each.name() + " #" + each.id()) : each)
                .toList();
    }

    private String key(ForeignSchedule schedule) {
        return key(Objects.requireNonNullElse(schedule.owner(), role), schedule.name());
    }

    private static String key(String owner, String name) {
        return owner.length() + owner + name;
    }

    private Row take(ForeignSchedule schedule, Map<String, TaskSchedules.Entry> there) {
        String problem = schedule.problem();
        if (problem == null && (schedule.name().isEmpty() || schedule.name().length() > LONGEST_NAME))
            problem = "its name is empty or longer than " + LONGEST_NAME + " characters";
        if (problem != null) return new Row(schedule, Result.LEFT, problem, false);
        TaskSchedules.Entry before = there.get(key(schedule));
        Result result = before == null ? Result.ADDED : isSame(before, schedule) ? Result.UNCHANGED : Result.CHANGED;
        boolean pauses = before == null && !schedule.active();
        String note = note(schedule.note(), pauses ? "paused, as it is there" : null);
        if (dryRun) return new Row(schedule, result, note, false);
        try {
            if (result != Result.UNCHANGED) schedules.put(schedule.name(), task(schedule));
            if (pauses) schedules.pause(schedule.name(), schedule.owner());
            if (disabling == null || !schedule.active()) return new Row(schedule, result, note, false);
            disabling.disable(schedule.id());
            return new Row(schedule, result, note(note, "disabled there"), true);
        } catch (TaskException e) {
            return new Row(schedule, Result.FAILED, SqlFailure.line(e.getCause()), false);
        } catch (SQLException e) {
            return new Row(schedule, Result.FAILED, "it runs there as well: " + SqlFailure.line(e), false);
        }
    }

    private static boolean isSame(TaskSchedules.Entry before, ForeignSchedule schedule) {
        return before.cron().equals(schedule.cron())
                && schedule.zone().equals(before.zone())
                && before.sql().equals(schedule.sql());
    }

    private static NewTask task(ForeignSchedule schedule) {
        NewTask task = NewTask.of(schedule.sql()).cron(schedule.cron()).column("zone", schedule.zone());
        if (schedule.owner() != null) task = task.column("owner", schedule.owner());
        return schedule.start() == null ? task : task.runAt(schedule.start());
    }

    private static @Nullable String note(@Nullable String first, @Nullable String second) {
        String both = String.join(
                "; ", Stream.of(first, second).filter(Objects::nonNull).toList());
        return both.isEmpty() ? null : both;
    }
}
