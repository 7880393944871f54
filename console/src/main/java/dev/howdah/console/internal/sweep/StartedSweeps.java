package dev.howdah.console.internal.sweep;

import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.view.Numbers;
import dev.howdah.console.internal.view.Texts;
import dev.howdah.internal.run.Threads;
import dev.howdah.sweep.Sweep;
import dev.howdah.sweep.SweepBuilder;
import dev.howdah.sweep.SweepException;
import dev.howdah.sweep.SweepProgress;
import dev.howdah.sweep.SweepState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sweeps that this process works on because the console was told to. Bounded in number and workers; they are left when it is closed, and
 * are not begun again by themselves. Safe for use by many threads.
 */
public final class StartedSweeps implements AutoCloseable {
    /** So many workers all of them have together. */
    static final int MOST_WORKERS = 16;

    static final int MOST_SWEEPS = 4;

    private static final Logger log = LoggerFactory.getLogger(StartedSweeps.class);

    private final DataSource sessions;
    private final Map<String, Place> places = new LinkedHashMap<>();
    private boolean closed;

    /** @param sessions of which each connection is a session of its own */
    public StartedSweeps(DataSource sessions) {
        this.sessions = sessions;
    }

    /** A sweep that begins or is worked on. */
    private static final class Place {
        private final int workers;
        private final CompletableFuture<ActionResult.End> ending = new CompletableFuture<>();
        private @Nullable Sweep sweep;
        private @Nullable Thread watcher;

        Place(int workers) {
            this.workers = workers;
        }
    }

    DataSource sessions() {
        return sessions;
    }

    /** Whether the sweep of that name is worked on here. */
    synchronized boolean isWorkedOn(String name) {
        return places.containsKey(name);
    }

    /**
     * Why a sweep could not begin here now; null: it could.
     *
     * @param workers that it would have
     */
    synchronized @Nullable String objection(String name, int workers) {
        if (closed) return "the console is ending";
        if (places.containsKey(name)) return "it is worked on here already";
        if (places.size() >= MOST_SWEEPS)
            return "the console works on " + places.size() + " sweeps already, and on no more at once";
        int busy = places.values().stream().mapToInt(each -> each.workers).sum();
        if (busy + workers > MOST_WORKERS)
            return "its sweeps have " + busy + " workers here already, and " + MOST_WORKERS
                    + " at most in all: this one can have " + (MOST_WORKERS - busy);
        return null;
    }

    /**
     * Begins to work on a sweep.
     *
     * @return its end, or that it was left
     * @throws BadRequestException if there is no place for it
     * @throws SweepException if it is refused
     */
    CompletionStage<ActionResult.End> start(String name, int workers, SweepBuilder builder) {
        Place place = reserve(name, workers);
        try {
            Sweep sweep = builder.start();
            if (!begin(name, place, sweep)) sweep.close();
        } catch (RuntimeException | Error e) {
            release(name);
            throw e;
        }
        return place.ending;
    }

    private synchronized Place reserve(String name, int workers) {
        String objection = objection(name, workers);
        if (objection != null) throw new BadRequestException("Sweep " + name + " was not started: " + objection + ".");
        Place place = new Place(workers);
        places.put(name, place);
        return place;
    }

    /** Also where it was closed meanwhile: then it ends at once. */
    private synchronized boolean begin(String name, Place place, Sweep sweep) {
        place.sweep = sweep;
        Thread watcher = Threads.daemon("howdah-console-sweep", () -> watch(name, place, sweep));
        place.watcher = watcher;
        watcher.start();
        return !closed;
    }

    private synchronized void release(String name) {
        places.remove(name);
    }

    private void watch(String name, Place place, Sweep sweep) {
        ActionResult.End end;
        try {
            SweepProgress progress = sweep.join();
            String rows = Numbers.count(sweep.doneHere()) + (sweep.doneHere() == 1 ? " row" : " rows") + " done here";
            end = switch (progress.state()) {
                case DONE ->
                    new ActionResult.End(
                            progress.failed() == 0,
                            "Done: " + rows
                                    + (progress.failed() == 0
                                            ? "."
                                            : ", " + Numbers.count(progress.failed()) + " have failed."));
                case RUNNING, PAUSED -> new ActionResult.End(false, "Left when the console ended: " + rows + ".");
                case STOPPED, FAILED ->
                    new ActionResult.End(false, "It was " + word(progress.state()) + ": " + rows + ".");
            };
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            end = new ActionResult.End(false, "It was interrupted.");
        } catch (RuntimeException | Error e) {
            log.warn("sweep {} has ended here", name, e);
            end = new ActionResult.End(false, Texts.line(e.getMessage()));
        } finally {
            // First: its end is seen on pages by now, and it can be started again.
            release(name);
            sweep.close();
        }
        place.ending.complete(end);
    }

    private static String word(SweepState state) {
        return state == SweepState.STOPPED ? "stopped" : "ended as failed";
    }

    /** Leaves all sweeps: rows in work are finished, or undone after ten seconds. Other processes continue. */
    @Override
    public void close() {
        List<Thread> ending = new ArrayList<>();
        synchronized (this) {
            closed = true;
            for (Place each : places.values()) {
                Sweep sweep = each.sweep;
                if (sweep == null) continue;
                Thread closing = Threads.daemon("howdah-console-sweep-close", sweep::close);
                closing.start();
                ending.add(closing);
                if (each.watcher != null) ending.add(each.watcher);
            }
        }
        try {
            for (Thread each : ending) each.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
