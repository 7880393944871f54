package dev.howdah.operations.listed;

import static dev.howdah.operations.shape.FieldType.BOOLEAN;
import static dev.howdah.operations.shape.FieldType.DURATION;
import static dev.howdah.operations.shape.FieldType.ID;
import static dev.howdah.operations.shape.FieldType.INTEGER;
import static dev.howdah.operations.shape.FieldType.NUMBER;
import static dev.howdah.operations.shape.FieldType.TEXT;
import static dev.howdah.operations.shape.FieldType.TEXTS;
import static dev.howdah.operations.shape.FieldType.TIME;

import dev.howdah.operations.Parameter;
import dev.howdah.operations.list.ListCall;
import dev.howdah.operations.list.ListItem;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.list.MissingObjectException;
import dev.howdah.operations.value.ChoiceValue;
import dev.howdah.operations.value.NameValue;
import dev.howdah.sweep.SweepError;
import dev.howdah.sweep.SweepGeneration;
import dev.howdah.sweep.SweepProgress;
import dev.howdah.sweep.SweepState;
import dev.howdah.sweep.Sweeps;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Sweeps, their rows that have failed, and their earlier generations. */
public final class SweepLists {
    private static final int USUAL_ROWS = 100;
    private static final int MOST_ROWS = 1_000;

    static final Parameter<String> NAME = Parameter.of("name", new NameValue(1_000), "The name of the sweep.");

    private static final Parameter<String> SORT =
            ListModel.sort(SweepOrder.OLDEST, SweepOrder.NEWEST, SweepOrder.NAME, SweepOrder.REVERSE_NAME);

    public static final Parameter<String> STATE = Parameter.maybe(
            "state",
            new ChoiceValue(
                    Arrays.stream(SweepState.values()).map(ListModel::word).toList()),
            "Only in that state; any unless given.");

    public static final ListItem<SweepProgress> SWEEP = ListItem.<SweepProgress>of("Sweep")
            .of("name", TEXT, "its name", SweepProgress::name)
            .of("state", TEXT, "running, paused, stopped, done or failed; there may be more", SweepProgress::state)
            .of("done", ID, "rows that are done", SweepProgress::done)
            .of("failed", ID, "rows that have failed", SweepProgress::failed)
            .maybe("left", ID, "rows that wait, or are in work", sweep -> sweep.left() < 0 ? null : sweep.left())
            .of("rows_per_second", NUMBER, "of late", SweepProgress::rowsPerSecond)
            .maybe(
                    "time_left",
                    DURATION,
                    "as the present rate says; absent: not known, or it has ended",
                    sweep -> sweep.ended() == null ? sweep.timeLeft() : null)
            .of("workers", INTEGER, "that work on it", sweep -> sweep.workers().size())
            .of("started", TIME, "when it was started", SweepProgress::started)
            .maybe("held", TEXT, "why it is held back", SweepProgress::held)
            .masked()
            .maybe("ended", TIME, "when it has ended", SweepProgress::ended)
            .maybe(
                    "total",
                    ID,
                    "rows of the table; absent: not known yet",
                    sweep -> sweep.total() < 0 ? null : sweep.total())
            .of("total_exact", BOOLEAN, "false: total is the planner's estimate", SweepProgress::isTotalExact)
            .of("processes", INTEGER, "in which its workers are", SweepLists::processes)
            .maybe("error", TEXT, "why it has failed, without secrets", SweepProgress::error)
            .masked()
            .wide("workers started")
            .more("ended total total_exact processes error");

    public static final ListModel<SweepProgress> SWEEPS = ListModel.of("listSweeps", "/sweeps", "Lists sweeps.", SWEEP)
            .command("sweep list")
            .filters(STATE)
            .sorted(SORT)
            .all(call -> call.ofSweeps(() -> call.engine().sweeps().list().stream()
                    .filter(each -> call.find(STATE) == null
                            || ListModel.word(each.state()).equals(call.find(STATE)))
                    .sorted(call.get(SORT, SweepOrder.class).comparator())
                    .toList()));

    public static final ListItem<SweepProgress.Worker> WORKER = ListItem.<SweepProgress.Worker>of("SweepWorker")
            .of("process", TEXT, "the name of its process", SweepProgress.Worker::processName)
            .of("number", INTEGER, "in its process, from 1", SweepProgress.Worker::number)
            .of("done", ID, "rows that it has done", SweepProgress.Worker::done)
            .of("failed", ID, "attempts of it that have failed", SweepProgress.Worker::failed)
            .of("rows_per_second", NUMBER, "of late", SweepProgress.Worker::rowsPerSecond)
            .maybe("held", TEXT, "why its process is held back", SweepProgress.Worker::held)
            .masked();

    public static final ListModel<SweepError> ERRORS = ListModel.of(
                    "listSweepErrors",
                    "/sweeps/{name}/errors",
                    "Lists rows of a sweep that have failed.",
                    ListItem.<SweepError>of("SweepError")
                            .of("key", TEXTS, "the values of the columns of its key", SweepError::key)
                            .of("error", TEXT, "the last error, without secrets", SweepError::error)
                            .masked()
                            .of("time", TIME, "when it failed", SweepError::at)
                            .of("attempts", INTEGER, "so far", SweepError::attempts)
                            .maybe("retry_at", TIME, "the next attempt; absent: none", SweepError::retryAt))
            .key(NAME)
            .command("sweep errors")
            .order("rows that have failed, in the order of their keys as texts")
            .limit(USUAL_ROWS, MOST_ROWS)
            .pages(SweepLists::errors, error -> place(error.key()));

    public static final ListModel<SweepGeneration> GENERATIONS = ListModel.of(
                    "listSweepGenerations",
                    "/sweeps/{name}/history",
                    "Lists the generations of a sweep before the present one.",
                    ListItem.<SweepGeneration>of("SweepGeneration")
                            .of("generation", INTEGER, "from 1", SweepGeneration::number)
                            .of("state", TEXT, "how it ended: done, stopped or failed", SweepGeneration::state)
                            .of("started", TIME, "when it began", SweepGeneration::started)
                            .maybe("ended", TIME, "when it ended", SweepGeneration::ended)
                            .of("done", ID, "rows that were done", SweepGeneration::done)
                            .of("failed", ID, "rows that had failed in the end", SweepGeneration::failed))
            .page("SweepHistory")
            .command("sweep history")
            .key(NAME)
            .order("before the present one, the latest first")
            .limit(USUAL_ROWS, MOST_ROWS)
            .all(call -> call.engine().sweeps().history(known(call), call.limit()));

    private SweepLists() {}

    /** In how many processes the workers of a sweep are. */
    public static int processes(SweepProgress sweep) {
        return (int) sweep.workers().stream()
                .map(SweepProgress.Worker::process)
                .distinct()
                .count();
    }

    private static String known(ListCall call) {
        String name = call.key(NAME);
        if (call.engine().reads().installed().sweeps()
                && call.engine().sweeps().find(name).isPresent()) return name;
        throw new MissingObjectException("there is no sweep \"" + name + "\"");
    }

    private static List<SweepError> errors(ListCall call) {
        Sweeps sweeps = call.engine().sweeps();
        String name = known(call);
        String start = call.place().start();
        if (start == null) return sweeps.errorsAfter(name, null, call.asked());
        List<String> key = key(start, call.isBackwards());
        return call.isBackwards()
                ? sweeps.errorsBefore(name, key, call.asked())
                : sweeps.errorsAfter(name, key, call.asked());
    }

    /** The values of a key, each behind an equals sign. */
    private static String place(List<String> key) {
        return key.stream()
                .map(each -> "=" + URLEncoder.encode(each, StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
    }

    private static List<String> key(String place, boolean isBackwards) {
        if (place.matches("=[^=&]*(&=[^=&]*)*"))
            try {
                return Arrays.stream(place.split("&", -1))
                        .map(each -> URLDecoder.decode(each.substring(1), StandardCharsets.UTF_8))
                        .toList();
            } catch (IllegalArgumentException e) {
                // Said below.
            }
        throw new IllegalArgumentException((isBackwards
                        ? "before has to be previous of the page behind"
                        : "after has to be next of the page before")
                + ", not \"" + place + "\"");
    }
}
