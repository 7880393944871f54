package dev.howdah.daemon.cli.task;

import dev.howdah.daemon.console.CliException;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.task.TaskFilter;
import dev.howdah.task.TaskState;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The filter of tasks: the options that lists and changes of many tasks have in common. */
final class TaskFilterOptions {
    @Option(names = "--group", paramLabel = "GROUP", description = "Only those of this group.")
    private @Nullable String group;

    @Option(names = "--owner", paramLabel = "ROLE", description = "Only those of this owner.")
    private @Nullable String owner;

    @Option(names = "--input", paramLabel = "TEXT", description = "Only those whose input contains this text.")
    private @Nullable String input;

    @Option(names = "--error", paramLabel = "TEXT", description = "Only those whose error contains this text.")
    private @Nullable String error;

    @Option(names = "--sqlstate", paramLabel = "CODE", description = "Only those whose error has this code: 40001.")
    private @Nullable String sqlstate;

    @Option(names = "--remote", paramLabel = "TEXT", description = "Only those whose remote contains this text.")
    private @Nullable String remote;

    @Option(names = "--schedule", paramLabel = "NAME", description = "Only the runs of this schedule.")
    private @Nullable String schedule;

    @Option(
            names = "--from",
            paramLabel = "TIME",
            description = "Only those that ended, or are planned, at this time or later.")
    private @Nullable String from;

    @Option(
            names = "--until",
            paramLabel = "TIME",
            description = "Only those that ended, or are planned, before this time.")
    private @Nullable String until;

    /** What was given, by the names of the options. */
    Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        put(texts, "group", group);
        put(texts, "owner", owner);
        put(texts, "input", input);
        put(texts, "error", error);
        put(texts, "sqlstate", sqlstate);
        put(texts, "remote", remote);
        put(texts, "schedule", schedule);
        put(texts, "from", from);
        put(texts, "until", until);
        return texts;
    }

    private static void put(Map<String, String> texts, String name, @Nullable String text) {
        if (text != null) texts.put(name, text);
    }

    boolean namesSchedule() {
        return schedule != null;
    }

    /** The filter of these tasks; the database reads its times. */
    TaskFilter in(@Nullable TaskState state, CommandSpec command, Terminal terminal) {
        TaskTimes times = TaskTimes.read(command, terminal, from, until);
        try {
            return new TaskFilter(
                    state, group, owner, input, error, sqlstate, remote, schedule, times.from(), times.until(), true);
        } catch (IllegalArgumentException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        }
    }
}
