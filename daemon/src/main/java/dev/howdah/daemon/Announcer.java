package dev.howdah.daemon;

import dev.howdah.task.TaskScheduler;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
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
    private final Function<Boolean, RunningHowdah> self;
    private final Function<RunningHowdah, String> block;
    private boolean announced;
    private boolean active;
    private @Nullable String holder;
    private @Nullable String trouble;

    /**
     * @param served what is served, for the log
     * @param self what this process says of itself, given whether it is active
     * @param block the text for people
     */
    Announcer(
            Terminal terminal,
            boolean json,
            Path directory,
            String served,
            Function<Boolean, RunningHowdah> self,
            Function<RunningHowdah, String> block) {
        this.terminal = terminal;
        this.json = json;
        this.directory = directory;
        this.served = served;
        this.self = self;
        this.block = block;
    }

    @Override
    public synchronized void active() {
        boolean again = active;
        String before = holder;
        trouble = null;
        active = true;
        holder = null;
        RunningHowdah running = publish();
        if (announce(running)) return;
        if (before != null) log.info("took over from {}: tasks of {} run here now", before, served);
        else if (again) log.info("tasks of {} run again", served);
        else log.info("tasks of {} run here now", served);
    }

    @Override
    public synchronized void standby(String by) {
        boolean same = Objects.equals(holder, by);
        trouble = null;
        active = false;
        holder = by;
        RunningHowdah running = publish();
        if (!announce(running) && same) return;
        log.info("standing by: tasks of {} are run by {}", served, by);
    }

    @Override
    public synchronized void waiting(String reason) {
        if (reason.equals(trouble)) return;
        trouble = reason;
        log.warn("cannot serve {}: {}; trying again", served, oneLine(reason));
    }

    @Override
    public synchronized void refused(String reason) {
        if (reason.equals(trouble)) return;
        trouble = reason;
        log.error("will not serve {}: {}; looking again later", served, oneLine(reason));
    }

    /** Takes back what the other commands go by. */
    synchronized void withdraw() {
        try {
            self.apply(active).remove(directory);
        } catch (IOException e) {
            log.warn("cannot remove the runtime file in {}: {}", directory, e.getMessage());
        }
    }

    private RunningHowdah publish() {
        RunningHowdah running = self.apply(active);
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
