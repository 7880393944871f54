package dev.howdah.benchmarks.faults;

import dev.howdah.benchmarks.Directories;
import dev.howdah.benchmarks.ProcessFigures;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One scenario from its beginning to its end: a server, daemons that serve it, a load, and what is made of it all. */
final class Stage implements AutoCloseable {
    private static final int DISK_MEGABYTES = 250;

    private final String launcher;
    private final Scenario scenario;
    private final int amount;
    private final long seed;
    private final Random random;
    private final String secret;
    private final Path directory;
    private final Path log;
    private final @Nullable SmallDisk disk;
    private final @Nullable WrongClock clock;
    private final PostgresServer server;
    private final Asker asker;
    private final List<DaemonProcess> daemons = new ArrayList<>();
    private final List<String> complaints = new ArrayList<>();
    private final Map<String, Object> notes = new LinkedHashMap<>();

    /** Microseconds of the epoch. */
    private final List<Long> strikes = new ArrayList<>();

    private int numbers;

    private Stage(
            String launcher,
            Scenario scenario,
            Options options,
            Path directory,
            @Nullable SmallDisk disk,
            @Nullable WrongClock clock) {
        this.launcher = launcher;
        this.scenario = scenario;
        this.amount = options.amount(scenario);
        this.seed = options.seed();
        this.random = new Random(options.seed());
        this.secret = "secret" + Long.toString(options.seed() + 1_000_000_007L, 36);
        this.directory = directory;
        this.log = directory.resolve("daemons.log");
        this.disk = disk;
        this.clock = clock;
        this.server = PostgresServer.start(
                disk == null ? directory.resolve("postgres") : disk.directory().resolve("postgres"), scenario.settings);
        this.asker = new Asker(server.database());
    }

    static Stage open(String launcher, Scenario scenario, Options options) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("howdah-faults-" + scenario.word());
        SmallDisk disk = scenario == Scenario.DISK ? SmallDisk.mount(directory.resolve("disk"), DISK_MEGABYTES) : null;
        WrongClock clock = scenario == Scenario.CLOCK ? WrongClock.make(directory, 3600) : null;
        return new Stage(launcher, scenario, options, directory, disk, clock);
    }

    Path directory() {
        return directory;
    }

    List<String> complaints() {
        return complaints;
    }

    PostgresServer server() {
        return server;
    }

    List<DaemonProcess> daemons() {
        return daemons;
    }

    SmallDisk disk() {
        if (disk == null) throw new IllegalStateException("no disk of its own");
        return disk;
    }

    WrongClock clock() {
        if (clock == null) throw new IllegalStateException("no clock of its own");
        return clock;
    }

    /** Plays it through; what is to be printed of it. */
    Map<String, Object> play() throws Exception {
        long begun = System.nanoTime();
        for (int i = 0; i < scenario.daemons; i++) startDaemon();
        await(
                "the table is served",
                60,
                () -> asker.is("served") || !daemons.get(0).isAlive());
        if (!asker.is("served")) throw new IOException("the daemon does not serve: " + Files.readString(log));
        for (String part : List.of("schema", "functions", "triggers")) asker.execute(History.SQL.text(part));
        asker.execute("CREATE ROLE elsewhere SUPERUSER LOGIN PASSWORD '" + secret + "'");
        int port = server.database().hosts().get(0).port();
        String remote = "host=127.0.0.1 port=" + port + " dbname=postgres user=elsewhere password=" + secret;
        Map<String, Object> figures = new LinkedHashMap<>();
        boolean once = asker.is("has_once");
        Load load = new Load(server.database(), remote, once, seed);
        try (Sampler sampler = new Sampler(server.database())) {
            load.start();
            sampler.start();
            struck();
            awaitProgress(60);
            pause(3000);
            strikes.clear(); // that the load began was no harm
            measure(figures, "before");
            scenario.act(this, amount);
            load.close();
            comeToRest();
            complaints.addAll(sampler.complaints());
            figures.put("samples", sampler.samples());
        } finally {
            load.close();
        }
        probe(figures);
        measure(figures, "after");
        stopDaemons();
        lookForSecrets();
        History history = History.read(asker.connection(), load.acknowledged());
        Checker.Findings findings = Checker.check(history, Stage::excused);
        complaints.addAll(findings.complaints());
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("scenario", scenario.word());
        line.put("seed", seed);
        line.put("amount", amount);
        line.put("seconds", (System.nanoTime() - begun) / 1_000_000_000);
        line.putAll(findings.counts());
        line.putAll(Recovery.of(history, strikes).figures());
        line.putAll(notes);
        line.putAll(figures);
        // How busy the machine was with all that runs on it: a daemon that is started needs its share.
        double busy = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        line.put("load_average", Math.round(busy));
        line.put("complaints", complaints.size());
        return line;
    }

    /** What the faults themselves may do to a task, and says so in its error. */
    private static boolean excused(String error) {
        return error.contains("times in a row") || error.contains("No space left on device");
    }

    private DaemonProcess startDaemon() throws IOException {
        Map<String, String> environment = clock == null ? Map.of() : clock.environment();
        DaemonProcess daemon =
                DaemonProcess.start(launcher, server.uri(), directory.resolve("daemon" + ++numbers), log, environment);
        daemons.add(daemon);
        return daemon;
    }

    /** Another daemon instead of one that has ended. */
    void replace(DaemonProcess ended) throws IOException {
        daemons.remove(ended);
        startDaemon();
    }

    /** The daemon that runs the tasks. */
    DaemonProcess scheduler() throws Exception {
        List<DaemonProcess> found = new ArrayList<>();
        await("there is a scheduler", 30, () -> {
            for (List<@Nullable String> row : asker.rows("holder")) {
                int port = Integer.parseInt(String.valueOf(row.get(0)));
                for (DaemonProcess each : daemons) if (each.owns(port)) found.add(each);
            }
            return !found.isEmpty();
        });
        if (found.isEmpty()) throw new IllegalStateException("no daemon of ours is the scheduler");
        return found.get(0);
    }

    /** Waits until every daemon has reached the server: a standby that is still starting is none. */
    void awaitConnected() throws Exception {
        await("all daemons are connected", 60, () -> {
            List<List<@Nullable String>> ports = asker.rows("ports");
            for (DaemonProcess each : daemons) {
                boolean found = false;
                for (List<@Nullable String> row : ports)
                    found |= each.owns(Integer.parseInt(String.valueOf(row.get(0))));
                if (!found) return false;
            }
            return true;
        });
    }

    /** A round begins; from half time on a row trigger watches the table. */
    void round(int number, int of) throws Exception {
        if (number % Math.max(of / 10, 1) == 0) System.err.println(scenario.word() + ": " + number + " of " + of);
        if (number == of / 2 && of > 1)
            await("the table is watched", 30, () -> {
                asker.execute(History.SQL.text("watch"));
                return true;
            });
    }

    int chance(int bound) {
        return random.nextInt(bound);
    }

    void pause(long millis) {
        long until = System.nanoTime() + millis * 1_000_000;
        while (System.nanoTime() < until) LockSupport.parkNanos(until - System.nanoTime());
    }

    /** Counts in what is printed. */
    void most(String name, int value) {
        notes.merge(name, value, (a, b) -> Math.max((Integer) a, (Integer) b));
    }

    void add(String name) {
        notes.merge(name, 1, (a, b) -> (Integer) a + (Integer) b);
    }

    void complain(String what) {
        complaints.add(what);
    }

    /** The harm has been done, or what was broken is mended: from now on it is to go on. */
    void struck() {
        Instant now = Instant.now();
        strikes.add(now.getEpochSecond() * 1_000_000 + now.getNano() / 1000);
    }

    void endAnySession() throws InterruptedException {
        try {
            for (List<@Nullable String> row : asker.rows("victim")) {
                struck();
                String name = String.valueOf(row.get(0));
                add(
                        name.startsWith("pg_task")
                                ? "ended_tasks"
                                : name.endsWith("doorbell") ? "ended_doorbells" : "ended_books");
            }
        } catch (SQLException e) {
            asker.close(); // the server is away
        }
    }

    /** Goes on to the next file of the write-ahead log: those that lie ready would hide for long that the disk is full. */
    void useUpLog() {
        try {
            asker.execute("SELECT pg_switch_wal()");
        } catch (SQLException e) {
            add("refused_by_the_full_server");
            asker.close();
        }
    }

    /** Waits until a task has begun since the last strike. */
    void awaitProgress(int seconds) throws Exception {
        long since = strikes.isEmpty() ? 0 : strikes.get(strikes.size() - 1);
        await("a task begins", seconds, () -> asker.is("begun_since", since));
    }

    /** Whether the server takes connections, at the latest after so long; not if it has ended. */
    boolean serverAnswers(int seconds) {
        long until = System.nanoTime() + seconds * 1_000_000_000L;
        while (server.isAlive() && System.nanoTime() < until) {
            try (Connection connection = server.database().connect()) {
                return connection.isValid(5);
            } catch (SQLException e) {
                pause(100);
            }
        }
        return false;
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    /** Waits for it; complains if it does not come about. An error of the server's only means: not yet. */
    private void await(String what, int seconds, Condition condition) throws Exception {
        long until = System.nanoTime() + seconds * 1_000_000_000L;
        String error = "";
        while (System.nanoTime() < until) {
            try {
                if (condition.holds()) return;
                error = "";
            } catch (SQLException e) {
                asker.close();
                error = ": " + e.getMessage();
            }
            pause(20);
        }
        complain("not within " + seconds + " s: " + what + error);
    }

    private void comeToRest() throws Exception {
        await("all tasks have ended", 120, () -> {
            // Again and again: a repeat that is being inserted now cannot be seen yet.
            asker.execute(History.SQL.text("stop_repeating"));
            return asker.value("unfinished").equals("0");
        });
        List<@Nullable String> left = asker.rows("unfinished").get(0);
        if (!"0".equals(left.get(0))) complain(left.get(0) + " tasks have not ended: " + left.get(1));
    }

    /** When all is quiet a task starts at once. */
    private void probe(Map<String, Object> figures) throws Exception {
        for (int i = 0; i < 3; i++) {
            pause(1500);
            struck();
            long begun = System.nanoTime();
            asker.execute("INSERT INTO public.task (data, input) VALUES ('probe', 'CALL fault.work(0)')");
            awaitProgress(30);
            figures.merge(
                    "quiet_start_ms", (System.nanoTime() - begun) / 1_000_000, (x, y) -> Math.min((Long) x, (Long) y));
            strikes.remove(strikes.size() - 1);
        }
        await("all tasks have ended", 30, () -> asker.value("unfinished").equals("0"));
    }

    /** Memory and threads of all daemons; in the end after idle sessions were closed. */
    private void measure(Map<String, Object> figures, String when) throws Exception {
        int threads = 0;
        double megabytes = 0;
        if (when.equals("after")) {
            int before = (Integer) figures.getOrDefault("threads_before", 0);
            await("threads are as before", 90, () -> {
                int now = 0;
                for (DaemonProcess each : daemons) now += each.figures().threads();
                return now <= before;
            });
        }
        for (DaemonProcess each : daemons) {
            ProcessFigures of = each.figures();
            threads += of.threads();
            megabytes += of.residentMegabytes();
        }
        figures.put("threads_" + when, threads);
        figures.put("resident_mb_" + when, Math.round(megabytes));
    }

    /** They end in good order and leave no session behind. */
    private void stopDaemons() throws Exception {
        for (DaemonProcess each : daemons) {
            if (!each.isAlive()) complain("a daemon has ended by itself");
            else if (!each.stop()) complain("a daemon did not end within half a minute");
        }
        await("no session of ours is left", 10, () -> asker.rows("sessions").isEmpty());
    }

    private void lookForSecrets() throws Exception {
        if (!asker.value("secrets", secret).equals("0"))
            complain("the password of a remote is in a row's error or output");
        if (Files.readString(log).contains(secret)) complain("the password of a remote is in the daemon's log");
    }

    @Override
    public void close() throws Exception {
        daemons.forEach(DaemonProcess::close);
        asker.close();
        server.close();
        if (disk != null) disk.close();
        if (complaints.isEmpty()) Directories.delete(directory);
    }
}
