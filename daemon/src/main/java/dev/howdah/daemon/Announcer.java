package dev.howdah.daemon;

import dev.howdah.daemon.RunningHowdah.State;
import dev.howdah.task.TaskScheduler;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells what the scheduler does: to people in one block when it is ready and in lines of the log after that, to
 * programs in one line of JSON, and to the other commands by the file in the data directory.
 */
final class Announcer implements TaskScheduler.Listener {
    private final Logger log = LoggerFactory.getLogger(Announcer.class);
    private final Terminal terminal;
    private final boolean json;
    private final Path directory;
    private final String served;
    private final Function<State, RunningHowdah> self;
    private final Function<RunningHowdah, String> block;
    private boolean announced;
    private State state = State.WAITING;
    private @Nullable String holder;
    private @Nullable String trouble;

    /**
     * @param served what is served, for the log
     * @param self what this process says of itself, given what the scheduler does
     * @param block the text for people
     */
    Announcer(
            Terminal terminal,
            boolean json,
            Path directory,
            String served,
            Function<State, RunningHowdah> self,
            Function<RunningHowdah, String> block) {
        this.terminal = terminal;
        this.json = json;
        this.directory = directory;
        this.served = served;
        this.self = self;
        this.block = block;
    }

    /** Lets the other commands find the database, before anything is served. */
    synchronized void publish() {
        publish(State.WAITING);
    }

    @Override
    public synchronized void active() {
        String before = holder;
        holder = null;
        trouble = null;
        RunningHowdah running = publish(State.ACTIVE);
        if (announce(running)) return;
        log.info(before == null ? "tasks of {} run again" : "tasks of {} run here now: {} is gone", served, before);
    }

    @Override
    public synchronized void standby(String by) {
        boolean known = state == State.STANDBY && by.equals(holder);
        holder = by;
        trouble = null;
        RunningHowdah running = publish(State.STANDBY);
        announce(running);
        if (!known) log.info("standing by: tasks of {} are run by {}", served, by);
    }

    @Override
    public synchronized void waiting(String reason) {
        trouble(reason, "cannot serve {} now: {}; trying again");
    }

    @Override
    public synchronized void refused(String reason) {
        trouble(reason, "will not serve {}: {}; looking again every few seconds");
    }

    /** Says what keeps the scheduler from working, once for each reason. */
    private void trouble(String reason, String message) {
        if (reason.equals(trouble)) return;
        trouble = reason;
        log.warn(message, served, oneLine(reason));
        publish(State.WAITING);
    }

    /** Takes back what the other commands go by. */
    synchronized void withdraw() {
        try {
            self.apply(state).remove(directory);
        } catch (IOException e) {
            log.warn("cannot remove the runtime file in {}: {}", directory, e.getMessage());
        }
    }

    private RunningHowdah publish(State now) {
        state = now;
        RunningHowdah running = self.apply(now);
        try {
            running.write(directory);
        } catch (IOException e) {
            log.warn("other commands will not find this one: cannot write into {}: {}", directory, e.getMessage());
        }
        return running;
    }

    private boolean announce(RunningHowdah running) {
        if (announced) return false;
        announced = true;
        terminal.out().println(json ? running.toJson() : block.apply(running));
        terminal.out().flush();
        return true;
    }

    private static String oneLine(String text) {
        return text.strip().replaceAll("\\s*\\R\\s*", "; ");
    }
}
