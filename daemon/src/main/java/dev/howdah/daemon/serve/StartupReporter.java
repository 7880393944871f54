package dev.howdah.daemon.serve;

import dev.howdah.Database;
import dev.howdah.console.TaskTableName;
import dev.howdah.daemon.config.ServedTable;
import dev.howdah.daemon.console.Terminal;
import dev.howdah.daemon.database.RunningHowdah;
import dev.howdah.daemon.database.RunningHowdah.State;
import dev.howdah.daemon.database.RunningHowdah.Table;
import dev.howdah.task.TaskScheduler;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells what the schedulers do: to people in one block when it is ready and in lines of the log after that, to
 * programs in one line of JSON, and to the other commands by the file in the data directory.
 */
final class StartupReporter {
    private final Logger log = LoggerFactory.getLogger(StartupReporter.class);

    /**
     * The things that are served.
     *
     * @param database where nothing else is said
     * @param uri the same as this process reaches it, which may hold a password
     * @param usual what is served where nothing is set
     * @param data the directory of our own PostgreSQL
     */
    record Served(
            Database database,
            String uri,
            ServedTable usual,
            @Nullable Path data) {}

    private final Terminal terminal;
    private final boolean json;
    private final Path directory;
    private final Served served;
    private final Function<RunningHowdah, String> block;
    private final ConsoleService console;
    private final Map<ServedTable.Key, Voice> voices = new LinkedHashMap<>();
    private boolean announced;
    private @Nullable String trouble;

    /** @param block the text for people */
    StartupReporter(
            Terminal terminal,
            boolean json,
            Path directory,
            Served served,
            ConsoleService console,
            Function<RunningHowdah, String> block) {
        this.terminal = terminal;
        this.json = json;
        this.directory = directory;
        this.served = served;
        this.block = block;
        this.console = console;
        voices.put(served.usual().key(), new Voice(served.usual()));
    }

    /** Lets the other commands find the database, before anything is served. */
    synchronized void publish() {
        RunningHowdah running = self();
        try {
            running.write(directory);
        } catch (IOException e) {
            log.warn("other commands will not find this one: cannot write into {}: {}", directory, e.getMessage());
        }
    }

    /** From now on these are the tables. */
    synchronized void serves(List<ServedTable> tables) {
        Map<ServedTable.Key, Voice> before = Map.copyOf(voices);
        voices.clear();
        for (ServedTable table : tables) {
            Voice known = before.get(table.key());
            voices.put(table.key(), known == null ? new Voice(table) : known);
        }
        if (!voices.keySet().equals(before.keySet())) changed();
    }

    /** The tables of the database whose console is served. */
    synchronized List<TaskTableName> tables() {
        return voices.values().stream()
                .map(each -> each.table)
                .filter(each -> each.data().equals(served.database().database()))
                .map(each -> new TaskTableName(each.schema(), each.table()))
                .toList();
    }

    /** The listener of that table, one of {@link #serves}. */
    synchronized TaskScheduler.Listener of(ServedTable table) {
        return voices.computeIfAbsent(table.key(), key -> new Voice(table));
    }

    /** It cannot be found out yet what is to be served. */
    synchronized void waiting(String reason) {
        if (reason.equals(trouble)) return;
        trouble = reason;
        log.warn(
                "cannot serve {} now: {}; trying again",
                served.usual().schema() + "." + served.usual().table(),
                oneLine(reason));
        publish();
    }

    /** Returns why it is not ready, such as a table that cannot be served; null: it is ready. */
    synchronized @Nullable String obstacle() {
        for (Voice each : voices.values()) {
            if (each.state == State.WAITING)
                return each.name() + ": "
                        + oneLine(each.trouble != null ? each.trouble : trouble != null ? trouble : "starting");
            if (each.state == State.ACTIVE && each.refusal != null)
                return each.name() + ": no session for tasks can be opened, they wait: " + oneLine(each.refusal);
        }
        return announced ? null : "starting";
    }

    /** What is paused, although it is ready; null: nothing. */
    synchronized @Nullable String pause() {
        for (Voice each : voices.values())
            if (each.state == State.PAUSED) return each.name() + ": " + oneLine(String.valueOf(each.holder));
        return null;
    }

    /** Takes back what the other commands go by. */
    synchronized void withdraw() {
        try {
            self().remove(directory);
        } catch (IOException e) {
            log.warn("cannot remove the runtime file in {}: {}", directory, e.getMessage());
        }
    }

    /** The one that other commands mean when they do not say which: one of the first database, if there is any. */
    private Voice first() {
        Voice any = null;
        for (Voice each : voices.values()) {
            if (each.table.data().equals(served.database().database())) return each;
            if (any == null) any = each;
        }
        return any == null ? new Voice(served.usual()) : any;
    }

    private RunningHowdah self() {
        Voice first = first();
        boolean usual = first.table.data().equals(served.database().database());
        String shown = served.database().withDatabase(first.table.data()).toString();
        return RunningHowdah.here(
                shown,
                usual ? served.uri() : shown,
                first.table.schema(),
                first.table.table(),
                served.data(),
                first.state,
                voices.values().stream().map(Voice::told).toList(),
                console.place());
    }

    /** Says that it is ready as soon as something is known of every table; whether it has said so now. */
    private boolean changed() {
        publish();
        boolean settled = voices.values().stream().allMatch(voice -> voice.settled);
        boolean some = voices.values().stream().anyMatch(voice -> voice.state != State.WAITING);
        if (announced || !settled || !some) return false;
        announced = true;
        console.awaitStart();
        publish();
        RunningHowdah running = self();
        terminal.out().println(json ? running.toJson(terminal.outIsScreen()) : block.apply(running));
        terminal.out().flush();
        console.answer();
        return true;
    }

    private static String oneLine(String text) {
        return text.strip().replaceAll("\\s*\\R\\s*", "; ");
    }

    /** The reports about one table. */
    private final class Voice implements TaskScheduler.Listener {
        private final ServedTable table;
        private State state = State.WAITING;
        private boolean settled;
        private @Nullable String holder;
        private @Nullable String trouble;
        private @Nullable String refusal;

        Voice(ServedTable table) {
            this.table = table;
        }

        private Table told() {
            return new Table(table.data(), table.user(), table.schema(), table.table(), state);
        }

        private String name() {
            String name = table.schema() + "." + table.table();
            return table.data().equals(served.database().database()) ? name : name + " in " + table.data();
        }

        private boolean is(State now) {
            state = now;
            settled = true;
            return changed();
        }

        @Override
        public void active() {
            synchronized (StartupReporter.this) {
                String before = state == State.STANDBY ? holder : null;
                holder = null;
                trouble = null;
                refusal = null;
                if (is(State.ACTIVE)) return;
                if (before != null) log.info("tasks of {} run here now: {} is gone", name(), before);
                else log.info("tasks of {} run{}", name(), announced ? " again" : "");
            }
        }

        @Override
        public void standby(String by) {
            synchronized (StartupReporter.this) {
                boolean known = state == State.STANDBY && by.equals(holder);
                holder = by;
                trouble = null;
                is(State.STANDBY);
                if (!known) log.info("standing by: tasks of {} are run by {}", name(), by);
            }
        }

        @Override
        public void paused(String why) {
            synchronized (StartupReporter.this) {
                boolean known = state == State.PAUSED && why.equals(holder);
                holder = why;
                trouble = null;
                is(State.PAUSED);
                if (!known) log.warn("nothing of {} runs, everything in its database is {}", name(), why);
            }
        }

        @Override
        public void waiting(String reason) {
            trouble(reason, "cannot serve {} now: {}; trying again");
        }

        @Override
        public void sessionsRefused(@Nullable String reason) {
            synchronized (StartupReporter.this) {
                refusal = reason;
            }
        }

        @Override
        public void refused(String reason) {
            trouble(reason, "will not serve {}: {}; looking again every few seconds");
        }

        /** Says what keeps the scheduler from working, once for each reason. */
        private void trouble(String reason, String message) {
            synchronized (StartupReporter.this) {
                if (reason.equals(trouble)) return;
                trouble = reason;
                log.warn(message, name(), oneLine(reason));
                is(State.WAITING);
            }
        }
    }
}
